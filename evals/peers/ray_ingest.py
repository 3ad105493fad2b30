"""Ingests a folder on a Ray cluster by our actors or by Ray Data, with the same code in the workers. Run by
bench_ray_data: `python -m evals.peers.ray_ingest actors|data|data-limited ADDRESS FOLDER`."""

import asyncio
import json
import os
import pickle
import resource
import signal
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from masis import Masis
from masis.bulk import on_ray
from masis.bulk.on_ray import MOST_DEATHS, TOGETHER, Reader, ingest_on
from masis.errors import MASISError
from masis.knowledge.ingestion.incoming import IncomingFile
from masis.settings import Settings
from masis.types import IngestReport
from tests.support.ray_cluster import WORKSPACE

DEADLY = "deadly.md"
"""A file that its worker does not survive, as one that takes more memory than there is."""


class MortalReader(Reader):
    async def read(self, files: Sequence[IncomingFile], workspace: str) -> IngestReport | MASISError:
        if any(file.name.endswith(DEADLY) for file in files):
            os.kill(os.getpid(), signal.SIGKILL)
        return await super().read(files, workspace)


class BatchReader:
    """The same reader as Ray Data calls it: columns in, columns out, no event loop of its own."""

    def __init__(self, settings: Settings) -> None:
        self._loop = asyncio.Runner()
        self._reader = MortalReader(settings)

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        files = [pickle.loads(each) for each in batch["file"]]
        report = self._loop.run(self._reader.read(files, WORKSPACE))
        return {"report": [pickle.dumps(report)]}


def by_actors(address: str, settings: Settings, folder: str) -> list[IngestReport]:
    on_ray.Reader = MortalReader  # type: ignore[misc]
    return [asyncio.run(ingest_on(address, settings, [folder], WORKSPACE))]


def by_ray_data(address: str, settings: Settings, folder: str, **options: Any) -> list[IngestReport]:
    """What ingest_on would be on Ray Data, but for names put right at the end."""
    import ray
    import ray.data

    files, close = on_ray._files_of([folder], settings)
    with Masis(settings):
        on_ray._start(ray, address)
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        context.max_errored_blocks = -1 if options else 0
        rows = [{"file": ray.cloudpickle.dumps(file)} for file in files]
        groups = -(-len(rows) // TOGETHER)
        read = ray.data.from_items(rows, override_num_blocks=groups).map_batches(
            BatchReader,
            batch_size=TOGETHER,
            compute=ray.data.ActorPoolStrategy(size=int(ray.cluster_resources()["CPU"])),
            num_cpus=1,
            **options,
            fn_constructor_args=(settings.model_copy(update={"parse_processes": 1}),),
        )
        reports = [pickle.loads(row["report"]) for row in read.iter_rows()]
        close()
        ray.shutdown()
    return reports


def by_ray_data_limited(address: str, settings: Settings, folder: str) -> list[IngestReport]:
    """Gives a task up after as many deaths as our actors do, and goes on without it."""
    return by_ray_data(address, settings, folder, max_restarts=-1, max_task_retries=MOST_DEATHS - 1)


WAYS: dict[str, Callable[[str, Settings, str], list[IngestReport]]] = {
    "actors": by_actors,
    "data": by_ray_data,
    "data-limited": by_ray_data_limited,
}


def main() -> None:
    way, address, folder = sys.argv[1:]
    started = time.perf_counter()
    reports = WAYS[way](address, Settings(), folder)
    said = {
        "seconds": time.perf_counter() - started,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "ready": sum(len(report.ready) for report in reports),
        "failed": sorted(each.file_name for report in reports for each in report.failed),
    }
    print(json.dumps(said))


if __name__ == "__main__":
    main()

"""Bulk ingestion and bulk asking on a Ray cluster.

Each actor is a complete MASIS on the same PostgreSQL and Qdrant, and processes a document or a question exactly as a
single machine does. Ray starts the actors and restarts those whose machine is gone. Repeating their work loses and
duplicates nothing, because a document is identified by its bytes and a question by its run.
"""

import asyncio
import importlib.util
import os
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from masis.bulk import PARALLEL, Ask, NobodyAnswers, ask_here
from masis.bulk.files import Question
from masis.client import Masis
from masis.errors import InvalidInput, MASISError
from masis.knowledge.ingestion.batch import IngestProgress, OnProgress
from masis.knowledge.ingestion.incoming import IncomingFile, find_files
from masis.runs.records import RunResult
from masis.settings import Settings
from masis.sources.remote.listing import Wanted, ignore_for, listed, scheme_of, without_password
from masis.types import Budget, Document, IngestReport

TOGETHER = 8
"""Files per task, so that small ones share the batches of the embedder."""
LOOK_SECONDS = 1.0
"""How often to check whether an actor has been restarted."""
MOST_DEATHS = 5
"""After this many deaths on the same task, the task is the likely cause, not the machines."""
REACH_SECONDS = 10.0
"""Ray itself would try for minutes to reach a head that does not answer."""
MOST_FILES = 10_000_000
"""Files listed from one source, where MASIS_SYNC_MAX_FILES, which is meant for syncs, does not allow more."""


class EveryActorDied(MASISError):
    """Several actors in a row died while processing the same work."""


async def ingest_on(
    where: str, settings: Settings, sources: Sequence[str], workspace: str, on_progress: OnProgress | None = None
) -> IngestReport:
    """Ingests files, folders and anything fsspec can read; the report is in the order of the sources.

    Every machine of the cluster must be able to read the files. A file that cannot be read is reported and skipped;
    calling this again processes what is left."""
    _require_servers(settings)
    files, close = await asyncio.to_thread(_files_of, sources, settings)
    groups = [files[first : first + TOGETHER] for first in range(0, len(files), TOGETHER)]
    try:
        with Masis(settings) as masis:
            on_gpu = settings.embedding_device == "cuda"
            own = {"parse_processes": 1, "embedding_device": "cuda" if on_gpu else "cpu"}
            per_gpu = settings.embedding_actors_per_gpu if on_gpu else None
            async with _actors(where, Reader, settings.model_copy(update=own), per_gpu=per_gpu) as actors:
                reports = await _Reading(actors, groups, workspace, on_progress).run()
                await _put_right(masis, actors, groups, reports, workspace)
                places = actors.places
    finally:
        close()
    report = _together(workspace, reports)
    report.notes.extend([f"Passages were embedded on GPUs (CUDA), by {places} actors."] if on_gpu else [])
    return report


def _files_of(sources: Sequence[str], settings: Settings) -> tuple[list[IncomingFile], Callable[[], None]]:
    open_listings = ExitStack()
    unlimited = settings.model_copy(update={"sync_max_files": max(settings.sync_max_files, MOST_FILES)})
    files = find_files([Path(each) for each in sources if not scheme_of(each)], settings.max_file_bytes)
    for address in filter(scheme_of, sources):
        listing = listed(Wanted(without_password(address), ignore_for(address, ()), unlimited))
        open_listings.callback(listing.close)
        files += [IncomingFile(file.name, file.read, file.place) for file in listing.files]
    return files, open_listings.close


class Reader:
    """An actor that parses, splits, embeds and stores documents on one core."""

    def __init__(self, settings: Settings) -> None:
        self._masis = Masis(settings)

    async def is_there(self) -> bool:
        return True

    async def read(self, files: Sequence[IncomingFile], workspace: str) -> IngestReport | MASISError:
        try:
            return await self._masis.library.ingest_files(files, workspace)
        except MASISError as error:
            return error


class _Reading:
    """Hands out groups of files as actors become free. There are only as many tasks as actors, however many groups."""

    def __init__(
        self,
        actors: "Actors",
        groups: Sequence[Sequence[IncomingFile]],
        workspace: str,
        on_progress: OnProgress | None,
    ) -> None:
        self._actors, self._groups, self._workspace = actors, groups, workspace
        self._on_progress = on_progress
        self._done = IngestProgress("", "reading", 0, sum(map(len, groups)))
        self._reports: dict[int, IngestReport] = {}

    async def run(self) -> list[IngestReport]:
        """The reports in the order of the groups."""
        waiting = iter(enumerate(self._groups))
        try:
            async with asyncio.TaskGroup() as tasks:
                for _ in range(max(1, self._actors.places)):
                    tasks.create_task(self._work(waiting))
        except BaseExceptionGroup as failures:  # the first cancels the others, and is what the user should see
            raise failures.exceptions[0] from None
        return [self._reports[number] for number in range(len(self._groups))]

    async def _work(self, waiting: Iterator[tuple[int, Sequence[IncomingFile]]]) -> None:
        for number, group in waiting:
            self._reports[number] = await self._read(group)

    async def _read(self, group: Sequence[IncomingFile]) -> IngestReport:
        report = await self._survived(group)
        passages = sum(document.chunks for document in report.ready)
        self._done = replace(
            self._done,
            file_name=group[-1].name,
            files_done=self._done.files_done + len(group),
            pages=self._done.pages + sum(document.pages for document in report.ready),
            chunks_done=self._done.chunks_done + passages,
            chunks_total=self._done.chunks_total + passages,
        )
        if self._on_progress:
            self._on_progress(self._done)
        return report

    async def _survived(self, group: Sequence[IncomingFile]) -> IngestReport:
        """A file of which every actor dies is reported; those beside it are read by themselves."""
        try:
            return await read_by(self._actors, group, self._workspace)
        except EveryActorDied as error:
            if len(group) > 1:
                return _together(self._workspace, [await self._survived([file]) for file in group])
            lost = Document(self._workspace, "", group[0].name, status="FAILED", reason=str(error))
            return IngestReport(self._workspace, failed=[lost])


async def read_by(actors: "Actors", group: Sequence[IncomingFile], workspace: str) -> IngestReport:
    report: IngestReport = await actors.call(lambda actor: actor.read.remote(group, workspace))
    return report


async def _put_right(
    masis: Masis,
    actors: "Actors",
    groups: Sequence[Sequence[IncomingFile]],
    reports: list[IngestReport],
    workspace: str,
) -> None:
    """Fixes documents whose passages carry two file names.

    This happens if two actors read two files with the same bytes at the same moment, even if the driver was killed and
    restarted since. Such a document is deleted and read again, in the order of the files."""
    files: dict[str, list[tuple[int, str]]] = {}
    for number, report in enumerate(reports):
        for document in (*report.ready, *report.duplicates):
            files.setdefault(document.document_id, []).append((number, document.file_name))
    for document_id, held in files.items():
        numbers = sorted({number for number, _ in held})
        if len(numbers) == 1 or await _has_one_name(masis, workspace, document_id, [name for _, name in held]):
            continue
        await masis.library.delete_document(workspace, document_id)
        names = {name for _, name in held}
        for number in numbers:
            # Only its own files: another file of the group may be one that no worker survives.
            await read_by(actors, [file for file in groups[number] if file.name in names], workspace)
        for number in numbers[1:]:
            again = [each for each in reports[number].ready if each.document_id == document_id]
            reports[number].ready[:] = [each for each in reports[number].ready if each not in again]
            reports[number].duplicates.extend(again)


async def _has_one_name(masis: Masis, workspace: str, document_id: str, names: Sequence[str]) -> bool:
    """Whether all passages have the first of these names, or the document has that of another, earlier file."""
    known = await asyncio.to_thread(masis.library.catalog.document, workspace, document_id)
    if known is None or known.file_name not in names:
        return True
    passages = await masis.library.store.chunks(workspace, document_id)
    return {known.file_name, *(each.chunk.file_name for each in passages)} == {names[0]}


def _together(workspace: str, reports: Sequence[IngestReport]) -> IngestReport:
    lists = [each.name for each in fields(IngestReport) if each.name != "workspace_id"]
    return IngestReport(workspace, **{name: [one for r in reports for one in getattr(r, name)] for name in lists})


@asynccontextmanager
async def asking_on(
    where: str, settings: Settings, workspace: str, parallel: int | None
) -> AsyncIterator[tuple[Ask, int]]:
    """Yields the function that answers the questions of a job, and how many it answers at once.

    The driver divides the job's budget, as on a single machine; the database enforces the rate limit of model requests
    for all actors."""
    _require_servers(settings)
    async with Masis(settings) as masis:
        await masis.arequire_workspace(workspace)
    # A question is one short text: no actor needs a GPU for it.
    own = settings.model_copy(update={"embedding_device": "cpu"})
    async with _actors(where, Asker, own, lambda cores: parallel or cores * PARALLEL) as actors:

        async def ask(question: Question, run_id: str, budget: Budget) -> RunResult:
            result: RunResult = await actors.call(lambda one: one.ask.remote(workspace, question, run_id, budget))
            return result

        yield ask, actors.places


class Asker:
    """An actor that answers questions on one core."""

    def __init__(self, settings: Settings) -> None:
        self._masis = Masis(settings)

    async def is_there(self) -> bool:
        return True

    async def ask(self, workspace: str, question: Question, run_id: str, budget: Budget) -> RunResult | MASISError:
        try:
            return await ask_here(self._masis, workspace, question, run_id, budget)
        except MASISError as error:
            return error


class Actors:
    """A pool of actors. One that is listed several times gets as many tasks at once. The task of an actor that died is
    given to another one."""

    def __init__(self, actors: Sequence[Any], gone: type[Exception]) -> None:
        self._gone = gone
        self.places = len(actors)
        self._free: asyncio.Queue[Any] = asyncio.Queue()
        self._returning: set[asyncio.Task[None]] = set()
        for actor in actors:
            self._free.put_nowait(actor)

    async def call(self, work: Callable[[Any], Any]) -> Any:
        for _ in range(MOST_DEATHS):
            actor = await self._free.get()
            try:
                done = await work(actor)
            except self._gone as error:
                _require_started(error)
                # Ray restarts it where there is room, which may be only when another machine joins.
                returning = asyncio.create_task(self._back(actor))
                self._returning.add(returning)
                returning.add_done_callback(self._returning.discard)
                continue
            self._free.put_nowait(actor)
            if isinstance(done, MASISError):
                raise done
            return done
        raise EveryActorDied(f"{MOST_DEATHS} actors died while processing this.", advice="See the logs of Ray.")

    async def _back(self, actor: Any) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await actor.is_there.remote()
            except self._gone as error:
                if not _is_unable_to_start(error):
                    continue
                # The next task given to this actor fails with the cause.
            self._free.put_nowait(actor)
            return

    def close(self) -> None:
        for task in self._returning:
            task.cancel()


def _is_unable_to_start(error: Exception) -> bool:
    return bool(getattr(error, "actor_init_failed", False))


def _require_started(error: Exception) -> None:
    """Ray does not restart an actor that could not start, so waiting for it would never end."""
    if _is_unable_to_start(error):
        raise NobodyAnswers(
            f"A machine of the cluster cannot start MASIS: {error}",
            advice="Install the same version of masis on every machine, and let each reach the servers.",
        ) from error


@asynccontextmanager
async def _actors(
    where: str,
    kind: type,
    settings: Settings,
    places_for: Callable[[int], int] = lambda cores: cores,
    per_gpu: int | None = None,
) -> AsyncIterator[Actors]:
    """Starts at most one actor for each core, and `per_gpu` for each GPU if they need one; `places_for` tells how many
    tasks run at once on that many cores."""
    ray = _ray()
    was_there = ray.is_initialized()
    if not was_there:
        await asyncio.to_thread(_require_reachable, where)
        # Without an address, Ray uses RAY_ADDRESS, or else this machine; "local" always means this machine.
        _start(ray, None if where == "ray" else where)
    try:
        cores = _beside_gpus(ray.nodes(), per_gpu) if per_gpu else int(ray.cluster_resources().get("CPU", 1))
        places = places_for(cores)
        # An actor that died is restarted, on another machine if necessary.
        remote = ray.remote(num_cpus=1, num_gpus=1 / per_gpu if per_gpu else 0, max_restarts=-1)(kind)
        made = [remote.remote(settings) for _ in range(min(cores, places))]
        actors = Actors([made[place % len(made)] for place in range(places)], ray.exceptions.RayActorError)
        try:
            yield actors
        finally:
            actors.close()
    finally:
        if not was_there:
            ray.shutdown()


def _beside_gpus(nodes: Sequence[dict[str, Any]], per_gpu: int) -> int:
    """The cores on which actors find a share of a GPU. Counted by machine: an actor for which there is no place would
    never start."""
    machines = [node["Resources"] for node in nodes if node["Alive"]]
    cores = sum(int(min(each.get("CPU", 0), each.get("GPU", 0) * per_gpu)) for each in machines)
    if not cores:
        raise InvalidInput(
            "MASIS_EMBEDDING_DEVICE is cuda, but no machine of the cluster has a GPU.",
            advice="Start Ray with --num-gpus on machines that have one, or set MASIS_EMBEDDING_DEVICE to cpu.",
        )
    return cores


def _require_reachable(where: str) -> None:
    address = urlsplit(where if "://" in where else f"//{where}")
    try:
        if address.port is not None:  # otherwise `ray`, `local`, or something that Ray rejects at once
            socket.create_connection((address.hostname or "", address.port), REACH_SECONDS).close()
    except (OSError, ValueError) as error:
        raise InvalidInput(
            f"No Ray cluster can be reached at {where}: {error}.",
            advice="Check the address, and that `ray start --head` runs there; `--on local` needs no cluster.",
        ) from None


def _start(ray: Any, address: str | None) -> None:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # otherwise Ray reports usage to its makers
    try:
        ray.init(address, include_dashboard=False, log_to_driver=False, logging_level="error")
    except Exception as error:  # Ray raises half a dozen kinds of error here
        raise InvalidInput(f"Ray cannot be used: {error}", advice="Check the address given with --on.") from None


def _ray() -> Any:
    if not importlib.util.find_spec("ray"):
        raise InvalidInput("Ray is not installed.", advice="Install it with: pip install 'masis[ray]'")
    import ray

    return ray


def _require_servers(settings: Settings) -> None:
    if not (settings.database_url and settings.uses_qdrant_server):
        raise InvalidInput(
            "Ray runs several processes; a data folder supports only one.",
            advice="Set MASIS_DATABASE_URL to a PostgreSQL and QDRANT_URL to a Qdrant server.",
        )

"""From files to a searchable index: MASIS against what its users would otherwise assemble, with the same files and
model."""

import asyncio
import json
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from evals.retrieval_peers import PYTHON
from evals.tables import NotMeasured, Section, machine, shared_data, table
from masis.embedded import EMBEDDER, installed
from masis.knowledge.library import open_library
from masis.settings import Settings

FILINGS = 3
PEERS = {
    "langchain": "LangChain, pypdf, FAISS (1,000/200)",
    "llama_index": "LlamaIndex, pypdf, its own index (defaults)",
}
_SCRIPT = Path(__file__).parent / "peers" / "ingest_folder.py"


@dataclass(frozen=True, slots=True)
class Ingested:
    pages: int
    chunks: int
    seconds: float
    findable_seconds: float
    """Until everything could be found, at least by keyword."""


def measure() -> Section:
    folder = shared_data("kgrag_sec10q")
    if folder is None:
        raise NotMeasured("the filings are not at ../shared/data/kgrag_sec10q")
    files = sorted((folder / "docs").glob("*.pdf"))[:FILINGS]
    ours, again = asyncio.run(_ours(files))
    rows = [["MASIS", *_row(ours, ours)]]
    for library, name in PEERS.items():
        peer = _peer(library, files)
        rows.append([name, *_row(peer, ours)] if peer else [name, "not installed: `sh scripts/setup_peers.sh`"])
    header = ["", "pages", "passages", "seconds", "pages a second", "times MASIS's seconds", "seconds until findable"]
    body = (
        f"{len(files)} quarterly reports (PDF) from files to an index on disk, one embedding model for all, models "
        f"loaded before the clock starts; {machine()}. Embedding takes nearly all of it: MASIS embeds one text at a "
        "time on each core, which keeps vectors repeatable; the others send batches of 32, padded. In MASIS, documents "
        "can be found by keyword long before their vectors are there. Ingesting the same files again takes MASIS "
        f"{again:.2f} s.\n\n{table(header, rows)}"
    )
    return Section("ingestion", "Ingestion, end to end", body)


def _row(result: Ingested, ours: Ingested) -> list[str]:
    return [
        str(result.pages),
        str(result.chunks),
        f"{result.seconds:.1f}",
        f"{result.pages / result.seconds:.1f}",
        f"{result.seconds / ours.seconds:.2f}",
        f"{result.findable_seconds:.1f}",
    ]


async def _ours(files: list[Path]) -> tuple[Ingested, float]:
    with tempfile.TemporaryDirectory() as home:
        library = open_library(Settings(home=Path(home)))
        await library.embedder.embed_passages(["warm"])
        read_at: list[float] = []
        started = time.perf_counter()
        report = await library.ingest(
            files,
            "bench",
            lambda progress: read_at.append(time.perf_counter()) if progress.stage == "findable" else None,
        )
        seconds = time.perf_counter() - started
        started_again = time.perf_counter()
        await library.ingest(files, "bench")
        again = time.perf_counter() - started_again
        library.close()
    pages, chunks = (sum(getattr(d, name) for d in report.ready) for name in ("pages", "chunks"))
    return Ingested(pages, chunks, seconds, read_at[-1] - started), again


def _peer(library: str, files: list[Path]) -> Ingested | None:
    if not PYTHON.exists():
        return None
    with tempfile.TemporaryDirectory() as index:
        command = [str(PYTHON), str(_SCRIPT), library, str(installed(EMBEDDER).folder), index, *map(str, files)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{library} failed:\n{done.stderr[-2000:]}")
    result = json.loads(done.stdout.splitlines()[-1])
    return Ingested(result["pages"], result["chunks"], result["seconds"], result["seconds"])

"""The embedded store from a thousand to a million passages: queries, memory, start-up and disk, against peers.

Every row is written by one process and read by another, so that memory and start-up are those of a reader. A million
passages take about ten minutes: `MASIS_BENCH_PASSAGES=100000` stops there.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evals.peers.store_search import DIMENSION, memory_mb, questions, texts, vector_batches
from evals.tables import Section, machine, table
from masis.knowledge.embedding.port import Vector
from masis.knowledge.search.reranking import fuse
from masis.knowledge.store.edge import EdgeStore
from masis.knowledge.store.points import sparse_passage, sparse_query
from masis.knowledge.store.port import IndexedChunk, SparseVector
from masis.types import Chunk

SIZES = (1_000, 10_000, 100_000, 1_000_000)
SPREADS = (1, 1_000)
PEERS = {
    "numpy": "brute force with numpy: meaning only, no text, no filter (the floor)",
    "faiss": "FAISS flat: meaning only, no text, no filter",
    "faiss+rank_bm25": "FAISS flat and rank_bm25: both halves of a hybrid retriever, in memory",
    "chroma": "Chroma in memory: meaning only",
}
PEER_SIZES = (1_000, 10_000, 100_000)
PEER_SECONDS = 300
LANGUAGE = "english"
HERE = Path(__file__).parent
PEER_PYTHON = HERE.parent / ".cache" / "peers" / "bin" / "python"
PEER_SCRIPT = HERE / "peers" / "store_search.py"

Row = list[object]


class NoEmbedder:
    """The vectors are synthetic; only the name is used."""

    name = "bench"
    dimension: int | None = DIMENSION

    async def ready(self) -> int:
        return DIMENSION

    async def embed_passages(self, texts: list[str]) -> list[Vector]:
        raise NotImplementedError

    async def embed_query(self, text: str) -> Vector:
        raise NotImplementedError

    def close(self) -> None:
        pass


def measure() -> Section:
    most = max(named_sizes() or SIZES)
    ours = [_our_row(size, spread) for size in SIZES if size <= most for spread in SPREADS]
    peers = [_peer_row(name, size) for name in PEERS for size in PEER_SIZES if size <= most]
    head = [
        "passages",
        "workspaces",
        "written per s",
        "start-up s",
        "question p50 ms",
        "p95 ms",
        "memory MB",
        "of it not in files MB",
        "disk MB",
    ]
    body = (
        f"Vectors of {DIMENSION} numbers around 200 topics, texts of about 600 characters; a question is one hybrid "
        "request for ten passages with their texts, filtered by workspace, search exact. Start-up is opening the "
        f"index and counting a workspace; the store alone, without embedding; {machine()}.\n\n"
        f"{table(head, ours)}\n\nOne workspace, the same vectors and texts:\n\n"
        f"{table(['peer', 'passages', 'question p50 ms', 'p95 ms', 'memory MB'], [row for row in peers if row])}"
    )
    return Section("store", "The embedded store as it grows", body)


def named_sizes() -> tuple[int, ...]:
    """`MASIS_BENCH_PASSAGES=50000,1000000`: the numbers of passages to measure with, in ascending order."""
    return tuple(sorted(int(size) for size in os.environ.get("MASIS_BENCH_PASSAGES", "").split(",") if size.strip()))


def _our_row(size: int, spread: int) -> Row:
    print(f"{size:,} passages in {spread:,} workspaces …", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as home:
        command = [sys.executable, "-m", "evals.bench_store"]
        written = _told([*command, "write", home, str(size), str(spread)])
        disk = sum(path.stat().st_blocks * 512 for path in Path(home).rglob("*") if path.is_file())
        read = _told([*command, "read", home, str(spread)])
    return [
        f"{size:,}",
        f"{spread:,}",
        f"{size / written['seconds']:,.0f}",
        f"{read['opening']:.2f}",
        *_spread(read["milliseconds"]),
        f"{read['memory']['VmRSS']:,.0f}",
        f"{read['memory']['RssAnon']:,.0f}",
        f"{disk / 1e6:,.0f}",
    ]


def _peer_row(name: str, size: int) -> Row | None:
    """None if the peer is not installed, or too slow at that size."""
    python = str(PEER_PYTHON) if PEER_PYTHON.exists() else sys.executable
    print(f"{name}, {size:,} passages …", file=sys.stderr, flush=True)
    try:
        told = _told([python, str(PEER_SCRIPT), name, str(size)], PEER_SECONDS)
    except subprocess.TimeoutExpired:
        return [PEERS[name], f"{size:,}", f"more than {PEER_SECONDS} s in all", "", ""]
    except subprocess.CalledProcessError as error:
        if "ModuleNotFoundError" in error.stderr:
            return None
        raise
    return [PEERS[name], f"{size:,}", *_spread(told["milliseconds"]), f"{told['memory']['VmRSS']:,.0f}"]


def _told(command: list[str], seconds: float | None = None) -> dict[str, Any]:
    done = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=True, timeout=seconds)
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def _spread(values: list[float]) -> tuple[str, str]:
    return f"{statistics.median(values):.1f}", f"{statistics.quantiles(values, n=20)[-1]:.1f}"


# What the processes do.


async def _write(home: Path, size: int, spread: int) -> dict[str, Any]:
    """Seconds in the store alone, without generating the passages."""
    store = EdgeStore(home, NoEmbedder(), LANGUAGE)
    pool = [(text, sparse_passage(text, LANGUAGE)) for text in texts()]
    seconds = 0.0
    for workspace, items in _batches(size, spread, pool):
        started = time.perf_counter()
        await store.upsert(workspace, items)
        seconds += time.perf_counter() - started
    started = time.perf_counter()
    store.close()
    return {"seconds": seconds + time.perf_counter() - started}


def _batches(size: int, spread: int, pool: list[tuple[str, SparseVector]]) -> Iterator[tuple[str, list[IndexedChunk]]]:
    share = size // spread
    vectors = (vector for batch in vector_batches(size) for vector in batch.tolist())
    for workspace in range(spread):
        for first in range(0, share, 256):
            numbers = range(workspace * share + first, workspace * share + min(first + 256, share))
            yield f"w{workspace}", [_item(number, next(vectors), *pool[number % len(pool)]) for number in numbers]


def _item(number: int, vector: Vector, text: str, sparse: SparseVector) -> IndexedChunk:
    document, place = f"{number // 200:064x}", number % 200
    start = place * 600
    chunk = Chunk(
        f"c{number:010d}", document, f"report-{number // 200}.pdf", text, place // 3 + 1, start, start + 600,
        heading="Results > Regions", date=f"2025-{number % 12 + 1:02d}",
    )  # fmt: skip
    return IndexedChunk(chunk, vector, sparse)


async def _read(home: Path, spread: int) -> dict[str, Any]:
    asked = [(vector, sparse_query(text, LANGUAGE)) for vector, text in questions()]
    store = EdgeStore(home, NoEmbedder(), LANGUAGE)
    started = time.perf_counter()
    await store.count("w0")
    opening = time.perf_counter() - started
    for vector, sparse in asked[:20]:
        await store.query("w0", vector, sparse, 10)
    taken = []
    for number, (vector, sparse) in enumerate(asked):
        started = time.perf_counter()
        fuse(await store.query(f"w{number % spread}", vector, sparse, 10), 10)
        taken.append((time.perf_counter() - started) * 1000)
    memory = memory_mb()
    store.close()
    return {"opening": opening, "milliseconds": taken, "memory": memory}


def main() -> None:
    task, home, *numbers = sys.argv[1:]
    work = _write if task == "write" else _read
    print(json.dumps(asyncio.run(work(Path(home), *map(int, numbers)))))


if __name__ == "__main__":
    main()

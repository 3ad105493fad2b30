"""Questions to one Qdrant server as its collection grows to a million passages, by the size of the asking workspace.

The collection is made by MASIS and asked through it; the passages are sent past it, since how fast they are made is
not the question here. It stops before a size that would take longer than `MASIS_BENCH_SECONDS` (1500) in all.
"""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import orjson
import psutil
from qdrant_client import QdrantClient, models

from evals.bench_store import LANGUAGE, NoEmbedder
from evals.peers.store_search import DIMENSION, questions, texts, vector_batches
from evals.tables import Section, machine, table
from masis.knowledge.search.reranking import fuse
from masis.knowledge.store.points import payload_of, point_id, sparse_passage, sparse_query
from masis.knowledge.store.port import DENSE, SPARSE, SparseVector
from masis.knowledge.store.qdrant import QdrantStore
from masis.knowledge.store.qdrant_requests import points_filter
from masis.settings import Settings
from masis.types import Chunk
from tests.support.servers import QdrantServer

if TYPE_CHECKING:
    import numpy as np

SIZES = (50_000, 200_000, 500_000, 1_000_000)
KINDS = {"large": 1, "medium": 10, "small": 1_000}
"""How many workspaces there are of each: the large one holds half of all passages, the others a quarter together."""
SENDERS = 3
BATCH = 500
WARM_UP = 20
COMPARED = 50
TOP = 10
PATIENCE_SECONDS = 600
ENDINGS = ("md", "txt", "docx", "html")

Row = list[object]


def measure() -> Section:
    limit = float(os.environ.get("MASIS_BENCH_SECONDS", 1500))
    with tempfile.TemporaryDirectory() as folder:
        server = QdrantServer(Path(folder))
        server.start()
        try:
            rows, reached = _grown(server, Path(folder), limit)
        finally:
            server.stop()
    head = [
        "passages", "in the asking workspace", "question p50 ms", "p95 ms", "CPU ms of the server",
        "of the exact ten found", "CPU s to take in and index", "memory MB", "disk MB",
    ]  # fmt: skip
    short = f"**{SIZES[-1]:,} passages were not loaded**: they would have taken longer than {limit / 60:.0f} minutes. "
    body = (
        f"{short if reached < SIZES[-1] else ''}Qdrant on this machine beside the process that asks, all settings at "
        f"their defaults; vectors of {DIMENSION} numbers around 200 topics, texts of about 600 characters, of files "
        "of one page and without dates. Half of the passages are in one workspace, a quarter in ten and a quarter in a "
        "thousand, all in one collection that grows. A question is one hybrid request for ten passages with their "
        "texts, filtered by workspace, one after the other, once the index is complete; embedding is not in it. *CPU* "
        "is the server's, for one question and for all passages so far: a busy machine hardly shows in it, while it "
        "does in the milliseconds. The index is built when all are sent, as one does with much at once. Memory is "
        f"what the server holds, with the files it has mapped; {machine()}.\n\n{table(head, rows)}"
    )
    return Section("store-server", "A Qdrant server as it grows", body)


def _grown(server: QdrantServer, folder: Path, limit: float) -> tuple[list[Row], int]:
    settings = Settings(home=folder, qdrant_url=server.url, keyword_language=LANGUAGE)
    store = QdrantStore(settings, NoEmbedder())
    client = QdrantClient(url=server.url, timeout=PATIENCE_SECONDS, check_compatibility=False)
    asyncio.run(store.prepare(DIMENSION))
    collection = client.get_aliases().aliases[0].collection_name
    threshold = client.get_collection(collection).config.optimizer_config.indexing_threshold
    batches, there, begun = _batches(SIZES[-1]), 0, time.perf_counter()
    rows: list[Row] = []
    for size in SIZES:
        if there and (time.perf_counter() - begun) * size / there > limit:
            break
        _index_from(client, collection, None)
        _send(server.url, collection, batches, (size - there) // BATCH)
        _index_from(client, collection, threshold)
        _wait_for_the_index(client, collection)
        assert client.count(collection, exact=True).count == size
        written = [f"{_cpu_seconds():,.0f}", *_server_size(folder)]
        for kind in KINDS:
            own = asyncio.run(store.count(_name(kind, 0)))
            taken, cpu = asyncio.run(_asked(store, kind))
            found = _exactness(store, client, collection, kind)
            rows.append([f"{size:,}", f"{own:,}", *_spread(taken), f"{cpu:.1f}", f"{found:.3f}", *written])
            print(rows[-1], file=sys.stderr, flush=True)
        there = size
    store.close()
    client.close()
    return rows, there


def _name(kind: str, number: int) -> str:
    return f"{kind}-{number % KINDS[kind]}"


def _workspace(number: int) -> str:
    """Of a passage: mixed, as documents of many workspaces come in."""
    place, turn = number % 40, number // 40
    if place < 20:
        return _name("large", 0)
    return _name("medium", place) if place < 30 else _name("small", turn % 100 * 10 + place)


def _batches(size: int) -> Iterator[bytes]:
    pool = [(text, sparse_passage(text, LANGUAGE)) for text in texts()]
    number = 0
    for vectors in vector_batches(size):
        for first in range(0, len(vectors), BATCH):
            rows = vectors[first : first + BATCH]
            points = [_point(number + each, row, *pool[(number + each) % len(pool)]) for each, row in enumerate(rows)]
            number += len(points)
            yield orjson.dumps({"points": points}, option=orjson.OPT_SERIALIZE_NUMPY)


def _point(number: int, vector: "np.ndarray", text: str, sparse: SparseVector) -> dict[str, Any]:
    workspace, document, place = _workspace(number), f"{number // 8000:060x}{number % 40:04x}", number // 40 % 200
    name = f"report-{number // 8000}.{ENDINGS[number // 8000 % len(ENDINGS)]}"
    start = place * 600
    chunk = Chunk(f"c{number:010d}", document, name, text, 1, start, start + 600, heading="Results > Regions")
    words = {"indices": sparse.indices, "values": sparse.values}
    return {
        "id": point_id(workspace, chunk.chunk_id),
        "vector": {DENSE: vector, SPARSE: words},
        "payload": payload_of(workspace, chunk),
    }


def _send(url: str, collection: str, batches: Iterator[bytes], count: int) -> None:
    """A few at a time: the next is made when one of them is stored."""
    with httpx.Client(base_url=url, timeout=PATIENCE_SECONDS) as http, ThreadPoolExecutor(SENDERS) as senders:

        def send(batch: bytes) -> None:
            how = {"params": {"wait": "true"}, "headers": {"content-type": "application/json"}}
            http.put(f"/collections/{collection}/points", content=batch, **how).raise_for_status()  # type: ignore[arg-type]

        waiting: list[Any] = []
        for _ in range(count):
            waiting.append(senders.submit(send, next(batches)))
            if len(waiting) > SENDERS:
                waiting.pop(0).result()
        for each in waiting:
            each.result()


def _index_from(client: QdrantClient, collection: str, threshold: int | None) -> None:
    """The size in KB from which on vectors are indexed; None: never."""
    client.update_collection(
        collection, optimizers_config=models.OptimizersConfigDiff(indexing_threshold=threshold or 0)
    )


def _wait_for_the_index(client: QdrantClient, collection: str) -> None:
    """Green twice in a row: between two pieces of work it is so for a moment."""
    green = 0
    while green < 2:
        is_green = client.get_collection(collection).status is models.CollectionStatus.GREEN
        green = green + 1 if is_green else 0
        time.sleep(1)


def _server() -> psutil.Process:
    return next(child for child in psutil.Process().children() if child.name() == "qdrant")


def _cpu_seconds() -> float:
    times = _server().cpu_times()
    return times.user + times.system


def _server_size(folder: Path) -> tuple[str, str]:
    disk = sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())
    return f"{_server().memory_info().rss / 1e6:,.0f}", f"{disk / 1e6:,.0f}"


async def _asked(store: QdrantStore, kind: str) -> tuple[list[float], float]:
    asked = [(vector, sparse_query(text, LANGUAGE)) for vector, text in questions()]
    for number, (vector, sparse) in enumerate(asked[:WARM_UP]):
        await store.query(_name(kind, number), vector, sparse, TOP)
    taken, before = [], _cpu_seconds()
    for number, (vector, sparse) in enumerate(asked):
        started = time.perf_counter()
        fuse(await store.query(_name(kind, number), vector, sparse, TOP), TOP)
        taken.append((time.perf_counter() - started) * 1000)
    return taken, (_cpu_seconds() - before) * 1000 / len(asked)


def _exactness(store: QdrantStore, client: QdrantClient, collection: str, kind: str) -> float:
    """Of the nearest by meaning, how many the approximate search finds."""
    exactly, nothing, found = models.SearchParams(exact=True), SparseVector((), ()), 0.0
    for number, (vector, _) in enumerate(questions()[:COMPARED]):
        name = _name(kind, number)
        near = asyncio.run(store.query(name, vector, nothing, TOP)).by_meaning[:TOP]
        exact = client.query_points(
            collection, vector, using=DENSE, limit=TOP, query_filter=points_filter(name), search_params=exactly
        ).points
        wanted = {str(point.payload["chunk_id"]) for point in exact if point.payload}
        found += len(wanted & {each.chunk.chunk_id for each in near}) / len(wanted)
    return found / COMPARED


def _spread(values: list[float]) -> tuple[str, str]:
    return f"{statistics.median(values):.1f}", f"{statistics.quantiles(values, n=20)[-1]:.1f}"

"""Queries to one Qdrant server as its collection grows to a million passages, by the size of the asking workspace.

The collection is created and queried through MASIS; the passages are sent directly, since the speed of making them is
not measured here. It stops before a size that would take longer than `MASIS_BENCH_SECONDS` (1500) in all, unless the
sizes are given: `MASIS_BENCH_PASSAGES=50000,1000000`.
"""

import asyncio
import math
import os
import statistics
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
from qdrant_client import QdrantClient, grpc, models
from qdrant_client.conversions.conversion import payload_to_grpc

from evals.bench_store import LANGUAGE, NoEmbedder, named_sizes
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
"""The number of workspaces of each size: the large one holds half of all passages, the others a quarter together."""
SENDERS = 4
WARM_UP = 20
COMPARED = 50
TOP = 10
PATIENCE_SECONDS = 600
ENDINGS = ("md", "txt", "docx", "html")

Row = list[object]


def measure() -> Section:
    sizes, limit = named_sizes(), math.inf
    if not sizes:
        sizes, limit = SIZES, float(os.environ.get("MASIS_BENCH_SECONDS", 1500))
    with tempfile.TemporaryDirectory() as folder:
        server = QdrantServer(Path(folder))
        server.start()
        try:
            rows, reached = _grown(server, Path(folder), sizes, limit)
        finally:
            server.stop()
    head = [
        "passages", "in the asking workspace", "question p50 ms", "p95 ms", "CPU ms of the server",
        "of the exact ten found", "s to take in", "s to index", "CPU s for both", "memory MB", "disk MB",
    ]  # fmt: skip
    short = f"**{sizes[-1]:,} passages were not loaded**: they would have taken longer than {limit / 60:.0f} minutes. "
    body = (
        f"{short if reached < sizes[-1] else ''}Qdrant on this machine beside the process that asks, all settings at "
        f"their defaults; vectors of {DIMENSION} numbers around 200 topics, texts of about 600 characters, of files "
        "of one page and without dates. Half of the passages are in one workspace, a quarter in ten and a quarter in a "
        "thousand, all in one collection that grows. A question is one hybrid request for ten passages with their "
        "texts, filtered by workspace, one after the other, once the index is complete; embedding is not in it. *CPU* "
        "is the server's, for one question and for all passages so far: a busy machine hardly shows in it, while it "
        "does in the other times. Passages are sent with gRPC, and the graphs of the index are built when all of them "
        "are there, as one does with much at once; seconds are those since the size before. Memory is "
        f"what the server holds, with the files it has mapped; {machine()}.\n\n{table(head, rows)}"
    )
    return Section("store-server", "A Qdrant server as it grows", body)


def _grown(server: QdrantServer, folder: Path, sizes: tuple[int, ...], limit: float) -> tuple[list[Row], int]:
    settings = Settings(home=folder, qdrant_url=server.url, keyword_language=LANGUAGE)
    store = QdrantStore(settings, NoEmbedder())
    client = QdrantClient(
        url=server.url,
        grpc_port=server.grpc_port,
        prefer_grpc=True,
        timeout=PATIENCE_SECONDS,
        check_compatibility=False,
    )
    asyncio.run(store.prepare(DIMENSION))
    collection = client.get_aliases().aliases[0].collection_name
    links = client.get_collection(collection).config.hnsw_config.payload_m
    batches, there, begun = _batches(sizes[-1]), 0, time.perf_counter()
    rows: list[Row] = []
    for size in sizes:
        if there and (time.perf_counter() - begun) * size / there > limit:
            break
        started = time.perf_counter()
        _link(client, collection, 0)
        _send(client, collection, batches, size - there)
        sent = time.perf_counter()
        _link(client, collection, links)
        _wait_for_the_index(client, collection)
        seconds = f"{sent - started:,.0f}", f"{time.perf_counter() - sent:,.0f}"
        assert client.count(collection, exact=True).count == size
        written = [*seconds, f"{_cpu_seconds():,.0f}", *_server_size(folder)]
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
    """Shuffled, as documents of many workspaces arrive mixed."""
    place, turn = number % 40, number // 40
    if place < 20:
        return _name("large", 0)
    return _name("medium", place) if place < 30 else _name("small", turn % 100 * 10 + place)


def _batches(size: int) -> Iterator["list[grpc.PointStruct]"]:
    pool = [(text, sparse_passage(text, LANGUAGE)) for text in texts()]
    number = 0
    for vectors in vector_batches(size):
        yield [_point(number + each, row, *pool[(number + each) % len(pool)]) for each, row in enumerate(vectors)]
        number += len(vectors)


def _point(number: int, vector: "np.ndarray", text: str, sparse: SparseVector) -> "grpc.PointStruct":
    workspace, document, place = _workspace(number), f"{number // 8000:060x}{number % 40:04x}", number // 40 % 200
    name = f"report-{number // 8000}.{ENDINGS[number // 8000 % len(ENDINGS)]}"
    start = place * 600
    chunk = Chunk(f"c{number:010d}", document, name, text, 1, start, start + 600, heading="Results > Regions")
    dense = grpc.Vector(dense=grpc.DenseVector(data=vector.tolist()))
    words = grpc.Vector(sparse=grpc.SparseVector(indices=sparse.indices, values=sparse.values))
    return grpc.PointStruct(
        id=grpc.PointId(uuid=point_id(workspace, chunk.chunk_id)),
        vectors=grpc.Vectors(vectors=grpc.NamedVectors(vectors={DENSE: dense, SPARSE: words})),
        payload=payload_to_grpc(payload_of(workspace, chunk)),
    )


def _send(client: QdrantClient, collection: str, batches: Iterator["list[grpc.PointStruct]"], count: int) -> None:
    """A few at a time: the next are made while the server stores those before."""

    def send(points: "list[grpc.PointStruct]") -> None:
        # Bypasses the client's own `upsert`, which searches every point for something to embed.
        request = grpc.UpsertPoints(collection_name=collection, wait=True, points=points)
        client.grpc_points.Upsert(request, timeout=PATIENCE_SECONDS)

    with ThreadPoolExecutor(SENDERS) as senders:
        under_way: deque[Future[None]] = deque()
        while count > 0:
            batch = next(batches)
            count -= len(batch)
            under_way.append(senders.submit(send, batch))
            if len(under_way) > SENDERS:
                under_way.popleft().result()
        for each in under_way:
            each.result()


def _link(client: QdrantClient, collection: str, links: int | None) -> None:
    """Sets the number of neighbours of a passage in the graphs of the index; with 0, Qdrant builds none and fills fast.
    Deferring all indexing is slower, because keyword lists that are not indexed take longer the more passages they
    hold. It took 14 CPU seconds for 50,000 passages and 52 for 100,000; without graphs, 23 for 100,000."""
    client.update_collection(collection, hnsw_config=models.HnswConfigDiff(payload_m=links))


def _wait_for_the_index(client: QdrantClient, collection: str) -> None:
    """Green twice in a row, because it is green for a moment between two tasks."""
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
    """The share of the true nearest passages that the approximate search finds."""
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

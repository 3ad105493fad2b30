"""Three Qdrant nodes, every shard on two of them: one node is lost, and nothing else is."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from masis.knowledge.library import Library, open_library
from masis.settings import Settings
from tests.knowledge.stores import NamedEmbedder, ingest_bytes
from tests.support.deployment import until
from tests.support.servers import QdrantServer

NODES = 3
BERTHS = [(f"berth-{n}.md", f"# Berth {n}\n\nBerth {n} took in {n}00 euros of fees.\n".encode()) for n in range(40)]


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[list[QdrantServer]]:
    folders = [tmp_path / f"node-{n}" for n in range(NODES)]
    for folder in folders:
        folder.mkdir()
    first = QdrantServer(folders[0], in_cluster=True)
    servers = [first, *(QdrantServer(folder, first=first) for folder in folders[1:])]
    try:
        for server in servers:
            server.start()
        until(lambda: _peers(first) == NODES)
        yield servers
    finally:
        for server in servers:
            server.kill()


async def test_a_cluster_that_loses_a_node_still_finds_takes_and_deletes(
    nodes: list[QdrantServer], tmp_path: Path
) -> None:
    settings = Settings(home=tmp_path / "home", qdrant_url=nodes[0].url, qdrant_shards=6, qdrant_replicas=2)
    library = open_library(settings, embedder=NamedEmbedder())
    await ingest_bytes(library, BERTHS, "acme")
    all_passages = await _passages(library)
    assert len(all_passages) == len(BERTHS)
    assert _replicas(nodes[0]) == {2}

    nodes[2].kill()
    assert await _passages(library) == all_passages
    assert await _is_found(library, "Berth 17")
    report = await ingest_bytes(library, [("new.md", b"# Slipway\n\nThe slipway took in 70 euros of fees.\n")], "acme")
    new = report.ready[0]
    assert await _is_found(library, "slipway")
    gone = library.catalog.documents("acme")[0]
    await library.delete_document("acme", gone.document_id)

    nodes[2].start()
    until(lambda: _all_active(nodes[0]))
    nodes[1].kill()  # what the lost node missed is now read from it
    documents = {document for document, _ in await _passages(library)}
    assert documents == {d.document_id for d in library.catalog.documents("acme")}
    assert new.document_id in documents
    assert gone.document_id not in documents
    library.close()


def _peers(server: QdrantServer) -> int:
    return len(httpx.get(f"{server.url}/cluster").json()["result"]["peers"])


def _shards(server: QdrantServer) -> list[tuple[int, str]]:
    (collection,) = httpx.get(f"{server.url}/collections").json()["result"]["collections"]
    found = httpx.get(f"{server.url}/collections/{collection['name']}/cluster").json()["result"]
    return [(shard["shard_id"], shard["state"]) for shard in (*found["local_shards"], *found["remote_shards"])]


def _replicas(server: QdrantServer) -> set[int]:
    shards = [shard for shard, _ in _shards(server)]
    return {shards.count(shard) for shard in shards}


def _all_active(server: QdrantServer) -> bool:
    return all(state == "Active" for _, state in _shards(server))


async def _passages(library: Library) -> set[tuple[str, str]]:
    documents = library.catalog.documents("acme")
    return {
        (item.chunk.document_id, item.chunk.chunk_id)
        for document in documents
        for item in await library.store.chunks("acme", document.document_id)
    }


async def _is_found(library: Library, words: str) -> bool:
    found = await library.search("acme", words, 5)
    return any(words.lower() in candidate["text"].lower() for candidate in found.candidates)

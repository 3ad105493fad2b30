"""What can go wrong with a server, on real sockets."""

import http.server
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from qdrant_client import QdrantClient, models

from masis.errors import IndexMismatch, StoreUnavailable
from masis.knowledge.store.qdrant import QdrantStore
from masis.settings import Settings
from tests.knowledge.stores import NamedEmbedder, ask, indexed, question, vector_of
from tests.support.servers import QdrantServer

Open = Callable[..., QdrantStore]


@pytest.fixture
def open_store() -> Iterator[Open]:
    opened: list[QdrantStore] = []

    def open_store(port: int, collection: str = "masis", **more: Any) -> QdrantStore:
        settings = Settings(
            qdrant_url=f"http://127.0.0.1:{port}",
            qdrant_collection=collection,
            qdrant_timeout_seconds=2,
            **more,
        )
        opened.append(QdrantStore(settings, NamedEmbedder()))
        return opened[-1]

    yield open_store
    for store in opened:
        store.close()


async def assert_unavailable(store: QdrantStore, match: str) -> None:
    with pytest.raises(StoreUnavailable, match=match) as error:
        await store.query("a", *question("x"), 1)
    assert error.value.advice
    for call in (store.upsert("a", [indexed("x")]), store.count("a"), store.delete_workspace("a")):
        with pytest.raises(StoreUnavailable):
            await call


async def test_no_server(open_store: Open) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        await assert_unavailable(open_store(closed.getsockname()[1]), "did not respond")


async def test_a_server_that_never_answers(open_store: Open) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        store = open_store(silent.getsockname()[1])
        with pytest.raises(StoreUnavailable, match="timed out"):
            await store.count("a")


async def test_something_else_on_that_port(open_store: Open) -> None:
    class Website(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<html>Welcome</html>")

        do_POST = do_PUT = do_GET

        def log_message(self, *_: object) -> None:
            pass

    website = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Website)
    thread = threading.Thread(target=website.serve_forever)
    thread.start()
    try:
        await assert_unavailable(open_store(website.server_port), "not a Qdrant server")
    finally:
        website.shutdown()
        website.server_close()
        thread.join()


@pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")
async def test_a_key_and_a_restart(own_qdrant_server: QdrantServer, open_store: Open) -> None:
    await assert_unavailable(open_store(own_qdrant_server.port, qdrant_api_key="wrong-key"), "refused the key")
    store = open_store(own_qdrant_server.port, qdrant_api_key="right-key")
    await store.upsert("a", [indexed("Revenue rose.")])
    own_qdrant_server.stop()
    await assert_unavailable(store, "did not respond")
    own_qdrant_server.start()
    assert await store.count("a") == 1, "the same store goes on when the server is back"


@pytest.fixture
def raw(qdrant_server: QdrantServer) -> Iterator[QdrantClient]:
    client = QdrantClient(url=f"http://127.0.0.1:{qdrant_server.port}", check_compatibility=False)
    yield client
    client.close()


async def test_a_collection_of_somebody_else_is_refused_and_left_alone(
    qdrant_server: QdrantServer, open_store: Open, raw: QdrantClient
) -> None:
    raw.create_collection("theirs", vectors_config=models.VectorParams(size=4, distance=models.Distance.DOT))
    raw.upsert("theirs", [models.PointStruct(id=1, vector=[1, 2, 3, 4])], wait=True)
    with pytest.raises(IndexMismatch, match="not an index of MASIS") as error:
        await open_store(qdrant_server.port, "theirs").upsert("a", [indexed("x")])
    assert "MASIS_QDRANT_COLLECTION" in error.value.advice
    assert raw.count("theirs").count == 1


async def test_a_description_that_does_not_fit_its_vectors_is_refused(
    qdrant_server: QdrantServer, open_store: Open, raw: QdrantClient
) -> None:
    raw.create_collection(
        "odd",
        vectors_config={"dense": models.VectorParams(size=4, distance=models.Distance.COSINE)},
        metadata={"embedder": "test-embedder", "dimension": 8, "language": "english", "format": 3},
    )
    with pytest.raises(IndexMismatch):
        await open_store(qdrant_server.port, "odd").count("a")


async def test_the_collection_is_made_for_many_tenants(
    qdrant_server: QdrantServer, open_store: Open, raw: QdrantClient
) -> None:
    await open_store(qdrant_server.port, "tenants").upsert("a", [indexed("x")])
    info = raw.get_collection("tenants")
    schema = info.payload_schema
    assert schema["workspace_id"].params.is_tenant is True
    assert {"document_id", "file_type", "page", "day", "last_day"} < set(schema)
    described = {"embedder": "test-embedder", "dimension": 8, "language": "english", "format": 3, "alias": "tenants"}
    assert info.config.metadata == described | {"database": ""}
    assert (info.config.hnsw_config.m, info.config.hnsw_config.payload_m) == (0, 16)


async def test_indexes_that_a_crash_left_out_are_made_later(
    qdrant_server: QdrantServer, open_store: Open, raw: QdrantClient
) -> None:
    await open_store(qdrant_server.port, "unfinished").upsert("a", [indexed("x")])
    raw.delete_payload_index("unfinished-1", "document_id", wait=True)
    assert await open_store(qdrant_server.port, "unfinished").count("a", "doc") == 1
    assert "document_id" in raw.get_collection("unfinished").payload_schema


async def test_a_collection_that_vanishes_is_reported_and_made_again(
    qdrant_server: QdrantServer, open_store: Open, raw: QdrantClient
) -> None:
    store = open_store(qdrant_server.port, "vanishing")
    await store.upsert("a", [indexed("x")])
    raw.delete_collection("vanishing-1")
    with pytest.raises(StoreUnavailable, match="status 404"):
        await store.count("a")
    assert await store.count("a") == 0
    await store.upsert("a", [indexed("x")])
    assert await store.count("a") == 1


async def test_other_processes_follow_a_switch(qdrant_server: QdrantServer, open_store: Open) -> None:
    reader, writer = open_store(qdrant_server.port, "switched"), open_store(qdrant_server.port, "switched")
    await writer.upsert("a", [indexed("Before.")])
    assert await ask(reader, "before") == ["Before."]
    rebuilt = await writer.rebuild()
    await rebuilt.upsert("a", [indexed("After.")])
    await writer.adopt(rebuilt)
    assert await ask(reader, "after") == ["After."]


async def test_a_process_with_the_old_embedder_cannot_write_into_the_new_index(
    qdrant_server: QdrantServer, open_store: Open
) -> None:
    left_behind = open_store(qdrant_server.port, "moved_on")
    await left_behind.upsert("a", [indexed("Old vectors.")])
    settings = left_behind._settings
    moved_on = QdrantStore(settings, NamedEmbedder("better-embedder"))
    rebuilt = await moved_on.rebuild()
    await rebuilt.upsert("a", [indexed("New vectors.")])
    await moved_on.adopt(rebuilt)
    with pytest.raises(IndexMismatch, match="better-embedder"):
        await left_behind.upsert("a", [indexed("More old vectors.")])
    assert [item.chunk.text for item in await moved_on.chunks("a")] == ["New vectors."]
    moved_on.close()


async def test_an_index_of_the_first_format_is_replaced(
    qdrant_server: QdrantServer, open_store: Open, raw: QdrantClient
) -> None:
    vectors = {"dense": models.VectorParams(size=8, distance=models.Distance.COSINE)}
    first = {"embedder": "test-embedder", "dimension": 8, "format": 1}
    raw.create_collection("first", vectors_config=vectors, metadata=first)
    raw.create_collection("first-7", vectors_config=vectors, metadata=first)
    store = open_store(qdrant_server.port, "first")
    with pytest.raises(IndexMismatch, match="has format 1") as error:
        await store.prepare(8)
    assert "masis reindex" in error.value.advice
    rebuilt = await store.rebuild()
    await rebuilt.upsert("a", [indexed("x", dense=vector_of("x"))])
    await store.adopt(rebuilt)
    assert await store.count("a") == 1
    names = {found.name for found in raw.get_collections().collections}
    assert {name for name in names if name.startswith("first")} == {"first-7", "first-8"}, "one was not this index's"


async def test_a_new_collection_is_laid_out_as_the_settings_say(
    qdrant_server: QdrantServer, open_store: Open, raw: QdrantClient
) -> None:
    more = {"qdrant_shards": 3, "qdrant_on_disk": True, "qdrant_quantization": "scalar"}
    store = open_store(qdrant_server.port, "laid_out", **more)
    await store.upsert("a", [indexed("One."), indexed("Two.")])
    assert (await ask(store, "one"))[0] == "One."
    config = raw.get_collection("laid_out").config
    assert isinstance(config.params.vectors, dict)
    assert (config.params.shard_number, config.params.replication_factor) == (3, 1)
    assert (config.params.vectors["dense"].on_disk, config.hnsw_config.on_disk) == (True, True)
    assert isinstance(config.quantization_config, models.ScalarQuantization)

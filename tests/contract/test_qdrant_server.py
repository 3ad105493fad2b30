"""What can go wrong with a server, on real sockets."""

import http.server
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from qdrant_client import QdrantClient, models

from masis.errors import IndexMismatch, StoreUnavailable
from masis.knowledge.qdrant import QdrantStore
from masis.knowledge.sparse import sparse_query
from masis.settings import Settings
from tests.contract.conftest import QdrantServer
from tests.knowledge.stores import NamedEmbedder, indexed, vector_of

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
        await store.query("a", vector_of("x"), sparse_query("x"), 1)
    assert error.value.advice
    for call in (store.upsert("a", [indexed("x")]), store.count("a"), store.delete_workspace("a")):
        with pytest.raises(StoreUnavailable):
            await call


async def test_no_server(open_store: Open) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        await assert_unavailable(open_store(closed.getsockname()[1]), "did not answer")


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
    await assert_unavailable(store, "did not answer")
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
        metadata={"embedder": "test-embedder", "dimension": 8, "format": 1},
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
    assert "document_id" in schema
    assert info.config.metadata == {"embedder": "test-embedder", "dimension": 8, "format": 1}
    assert (info.config.hnsw_config.m, info.config.hnsw_config.payload_m) == (0, 16)


async def test_indexes_that_a_crash_left_out_are_made_later(
    qdrant_server: QdrantServer, open_store: Open, raw: QdrantClient
) -> None:
    await open_store(qdrant_server.port, "unfinished").upsert("a", [indexed("x")])
    raw.delete_payload_index("unfinished", "document_id", wait=True)
    assert await open_store(qdrant_server.port, "unfinished").count("a", "doc") == 1
    assert "document_id" in raw.get_collection("unfinished").payload_schema


async def test_a_collection_that_vanishes_is_reported_and_made_again(
    qdrant_server: QdrantServer, open_store: Open, raw: QdrantClient
) -> None:
    store = open_store(qdrant_server.port, "vanishing")
    await store.upsert("a", [indexed("x")])
    raw.delete_collection("vanishing")
    with pytest.raises(StoreUnavailable, match="status 404"):
        await store.count("a")
    await store.upsert("a", [indexed("x")])
    assert await store.count("a") == 1

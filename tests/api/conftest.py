"""A service for the tests of a module, on either kind of deployment, with a few small documents in it."""

import secrets
from collections.abc import Iterator

import httpx
import pytest

from masis.settings import Settings
from tests.api.live import DOCUMENTS, Live, serving, uploads
from tests.support.servers import PostgresServer, QdrantServer

UNPACKED = 20_000_000
"""What an archive may unpack to: little, so that a bomb is a cheap one."""


@pytest.fixture(scope="module", params=["embedded", "servers"])
def service_settings(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    home = tmp_path_factory.mktemp("home")
    if request.param == "embedded":
        yield Settings(home=home, max_unpacked_bytes=UNPACKED)
        return
    postgres: PostgresServer = request.getfixturevalue("postgres_server")
    qdrant: QdrantServer = request.getfixturevalue("qdrant_server")
    name = f"api_{secrets.token_hex(6)}"
    url = postgres.database(name)
    yield Settings(
        home=home, database_url=url, qdrant_url=qdrant.url, qdrant_collection=name, max_unpacked_bytes=UNPACKED
    )
    postgres.drop(name)


@pytest.fixture(scope="module")
def live(service_settings: Settings) -> Iterator[Live]:
    with serving(service_settings) as service, service.client() as client:
        client.post("/masis/workspaces/acme/documents?wait=true", files=uploads(**DOCUMENTS)).raise_for_status()
        yield service


@pytest.fixture
def client(live: Live) -> Iterator[httpx.Client]:
    with live.client() as client:
        yield client


@pytest.fixture(scope="module")
def idle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A service whose queue nobody works on: what is started stays queued."""
    with serving(Settings(home=tmp_path_factory.mktemp("idle")), with_worker=False) as service:
        with service.client() as client:
            client.post("/masis/workspaces", json={"name": "acme"}).raise_for_status()
        yield service


@pytest.fixture
def idle_client(idle: Live) -> Iterator[httpx.Client]:
    with idle.client() as client:
        yield client

"""What the tests of documents share."""

from collections.abc import Iterator

import pytest

from masis.knowledge.library import Library
from masis.knowledge.store.edge import EdgeStore
from masis.settings import Settings
from tests.knowledge.stores import CountingEmbedder


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> str | None:
    """A test that takes it runs in the data folder and on PostgreSQL."""
    url: str | None = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    return url


@pytest.fixture
def embedder() -> CountingEmbedder:
    return CountingEmbedder()


@pytest.fixture
def library(settings: Settings, embedder: CountingEmbedder) -> Iterator[Library]:
    library = Library(settings, EdgeStore(settings.home, embedder, "english"), embedder)
    yield library
    library.close()

"""A Qdrant server of its own for the contract tests that stop it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.servers import QdrantServer


@pytest.fixture
def own_qdrant_server(tmp_path: Path) -> Iterator[QdrantServer]:
    """One that a test may stop and start, and that wants a key."""
    server = QdrantServer(tmp_path, api_key="right-key")
    server.start()
    yield server
    server.stop()

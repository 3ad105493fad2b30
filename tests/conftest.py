"""What every test may use."""

import os
from collections.abc import Iterator

import pytest

from tests.support.fake_openai import FakeOpenAI


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys and addresses of the developer's own shell must not reach a test, nor a proxy loopback."""
    for name in list(os.environ):
        if name.startswith(("MASIS_", "OPENAI_", "QDRANT_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")


@pytest.fixture
def fake_openai() -> Iterator[FakeOpenAI]:
    server = FakeOpenAI()
    yield server
    server.close()

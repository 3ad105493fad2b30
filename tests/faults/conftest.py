"""A place to deploy to: PostgreSQL, a Qdrant server and a model, all on loopback."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.deployment import Deployment
from tests.support.fake_openai import FakeOpenAI
from tests.support.patient_model import PatientModel
from tests.support.servers import QdrantServer


@pytest.fixture
def model(fake_openai: FakeOpenAI) -> Iterator[PatientModel]:
    made = PatientModel()
    fake_openai.answer_with(made)
    yield made
    made.is_free.set()


def surroundings(home: Path, postgres_url: str, qdrant_url: str, model_url: str) -> dict[str, str]:
    return {
        "MASIS_HOME": str(home),
        "MASIS_DATABASE_URL": postgres_url,
        "QDRANT_URL": qdrant_url,
        "MASIS_QDRANT_COLLECTION": f"masis-{secrets.token_hex(4)}",
        "MASIS_MODEL_BASE_URL": model_url,
        "MASIS_RATE_LIMIT_CALLS": "10000",
        "MASIS_KEY_RATE_CALLS": "10000",
        "MASIS_LEASE_SECONDS": "2",
        "MASIS_POLL_SECONDS": "0.1",
    }


@pytest.fixture
def deployment(
    tmp_path: Path, postgres_url: str, qdrant_server: QdrantServer, fake_openai: FakeOpenAI, model: PatientModel
) -> Iterator[Deployment]:
    made = Deployment(tmp_path, surroundings(tmp_path / "home", postgres_url, qdrant_server.url, fake_openai.base_url))
    yield made
    model.is_free.set()
    made.close()

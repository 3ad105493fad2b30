"""A model client that talks to the fake server, quick to give up."""

from collections.abc import Callable
from typing import Any

import pytest

from masis.reasoning.llm.chat_model import ModelClient
from masis.reasoning.llm.limiter import RateLimiter
from masis.settings import Role, Settings
from masis.types import EvidenceChunk
from tests.support.fake_openai import FakeOpenAI

MakeClient = Callable[..., ModelClient]


@pytest.fixture
def make_client(fake_openai: FakeOpenAI) -> MakeClient:
    def make(
        role: Role = "writer",
        limiter: RateLimiter | None = None,
        backoff: Callable[[int], float] = lambda _: 0.0,
        **changes: Any,
    ) -> ModelClient:
        usual = {
            "model_base_url": fake_openai.base_url,
            f"{role}_model": "fake-model",
            "model_deadline_seconds": 5.0,
            "model_timeout_seconds": 2.0,
        }
        settings = Settings(**(usual | changes))
        return ModelClient(settings, role, limiter or RateLimiter(1000, 1.0), backoff=backoff)

    return make


@pytest.fixture
def client(make_client: MakeClient) -> ModelClient:
    return make_client()


@pytest.fixture
def evidence() -> list[EvidenceChunk]:
    return [
        _chunk("a-1", "annual.pdf", "Results\nRevenue in 2024 was $199.6M.\nMargin was 31 %."),
        _chunk("b-2", "board.pdf", "The board noted revenue of $187.2M for 2024."),
    ]


def _chunk(chunk_id: str, file_name: str, text: str) -> EvidenceChunk:
    return {
        "chunk_id": chunk_id,
        "file_name": file_name,
        "text": text,
        "score": 0.8,
        "document_id": f"sha-of-{file_name}",
        "page": 3,
        "start": 0,
        "end": len(text),
        "date": "2025-02-01",
    }

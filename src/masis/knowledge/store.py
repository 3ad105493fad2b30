"""The vector store port. Two engines fit: Qdrant in this process (`edge`) and a Qdrant server (`qdrant`).

One contract test runs against both. Every call takes a workspace, and the filter on it is part of the query.

A query is one request that asks by meaning and by keyword. Its two answers are fused here: inside their own
fusion the engines break ties as they please, and the same documents ingested again gave another top ten to
89 of 472 questions.
"""

import math
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import Any, Protocol

from masis.errors import InvalidInput
from masis.knowledge.embedding import Embedder, Vector
from masis.settings import Settings
from masis.types import Chunk

DENSE = "dense"
SPARSE = "sparse"
RRF_K = 2
"""Measured: reciprocal rank fusion with 2 beat 60."""
FORMAT_VERSION = 1
"""Of what is written to an index; another number cannot be read."""

_POINT_NAMESPACE = uuid.UUID("6d617369-7300-5000-8000-000000000001")
_SPARE = 10
_SCORE_DIGITS = 5
"""Below this, scores differ by the order of additions only."""


@dataclass(frozen=True, slots=True)
class SparseVector:
    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    chunk: Chunk
    dense: Vector
    sparse: SparseVector


@dataclass(frozen=True, slots=True)
class Hit:
    chunk: Chunk
    cosine: float
    """Between question and passage: what relevance is calibrated from."""
    fused: float
    """Reciprocal rank fusion of meaning and keywords: what hits are ordered by."""


@dataclass(frozen=True, slots=True)
class Found:
    """A point in the answer of an engine."""

    payload: Mapping[str, Any]
    score: float
    dense: Sequence[float] | None = None
    """Given where the score is not the cosine already."""

    @property
    def chunk_id(self) -> str:
        return str(self.payload["chunk_id"])

    def cosine(self, query: Vector) -> float:
        return self.score if self.dense is None else cosine(query, self.dense)


class VectorStore(Protocol):
    """Opens at its first use; may be used from any thread and event loop."""

    async def upsert(self, workspace_id: str, items: Sequence[IndexedChunk]) -> None: ...

    async def query(self, workspace_id: str, dense: Vector, sparse: SparseVector, limit: int) -> list[Hit]:
        """One request to the store: nearest by meaning and by keyword, fused; ties by chunk id."""
        ...

    async def count(self, workspace_id: str, document_id: str | None = None) -> int: ...

    async def delete_document(self, workspace_id: str, document_id: str) -> None: ...

    async def delete_workspace(self, workspace_id: str) -> None: ...

    def close(self) -> None: ...


def store_for(settings: Settings, embedder: Embedder) -> VectorStore:
    """Not opened yet. Keep one per data folder: a second one finds it locked."""
    if settings.uses_qdrant_server:
        if find_spec("qdrant_client") is None:
            raise InvalidInput(
                "A Qdrant server is configured, but its client is not installed.",
                advice="Install it with `pip install 'masis[server]'`, or unset QDRANT_HOST and QDRANT_URL.",
            )
        from masis.knowledge.qdrant import QdrantStore

        return QdrantStore(settings, embedder)
    from masis.knowledge.edge import EdgeStore

    return EdgeStore(settings.home, embedder)


# What both engines write and read.


def point_id(workspace_id: str, chunk_id: str) -> str:
    """The same passage may be in two workspaces: the point belongs to one."""
    return str(uuid.uuid5(_POINT_NAMESPACE, f"{workspace_id}/{chunk_id}"))


def payload_of(workspace_id: str, chunk: Chunk) -> dict[str, Any]:
    return {"workspace_id": workspace_id, **asdict(chunk)}


def chunk_of(payload: Mapping[str, Any]) -> Chunk:
    return Chunk(**{name: value for name, value in payload.items() if name != "workspace_id"})


def search_depth(limit: int) -> int:
    """How many of each kind are fused; 20, 50 and 100 measured alike."""
    return max(20, 2 * limit)


def asked_depth(limit: int) -> int:
    """More than are fused, so that a tie at the end is broken by id and not by the engine."""
    return search_depth(limit) + _SPARE


def fuse(by_meaning: Iterable[Found], by_words: Iterable[Found], query: Vector, limit: int) -> list[Hit]:
    """Reciprocal rank fusion of both answers to one query, best first, ties by chunk id."""
    fused: dict[str, float] = {}
    found: dict[str, Found] = {}
    # Words first: what both found keeps the cosine that the search by meaning computed.
    for answer in (by_words, by_meaning):
        for rank, point in enumerate(_ranked(answer)[: search_depth(limit)]):
            fused[point.chunk_id] = fused.get(point.chunk_id, 0.0) + 1 / (RRF_K + rank)
            found[point.chunk_id] = point
    best = sorted(fused, key=lambda chunk_id: (-round(fused[chunk_id], 9), chunk_id))[:limit]
    return [Hit(chunk_of(found[name].payload), found[name].cosine(query), fused[name]) for name in best]


def _ranked(answer: Iterable[Found]) -> list[Found]:
    return sorted(answer, key=lambda point: (-round(point.score, _SCORE_DIGITS), point.chunk_id))


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    length = math.hypot(*a) * math.hypot(*b)
    return math.fsum(x * y for x, y in zip(a, b, strict=True)) / length if length else 0.0

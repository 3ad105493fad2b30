"""The points of an index and their keyword vectors, as both engines write, query and return them."""

import math
import operator
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from masis.errors import InvalidInput
from masis.knowledge.embedding.port import Vector
from masis.knowledge.store.port import (
    DENSE,
    EVERYWHERE,
    SPARSE,
    Answer,
    Found,
    IndexedChunk,
    SparseVector,
    StoreFilters,
    days_of,
)
from masis.types import Chunk


def sparse_passage(text: str, language: str) -> SparseVector:
    return _vector(_bm25(language).embed_document(text))


def sparse_query(text: str, language: str) -> SparseVector:
    return _vector(_bm25(language).embed_query(text))


@cache
def _bm25(language: str) -> Any:
    from qdrant_edge import Bm25, Bm25Config

    try:
        return Bm25(Bm25Config(language=language, ascii_folding=True))
    except ValueError as error:
        raise InvalidInput(
            f"The keyword search does not know the language {language[:80]!r}.",
            advice="Set MASIS_KEYWORD_LANGUAGE to the English name of a language in small letters, such as english, "
            "german, french or spanish.",
        ) from error


def _vector(raw: Any) -> SparseVector:
    return SparseVector(tuple(raw.indices), tuple(raw.values))


KEYWORD_FIELDS = ("document_id", "file_type")
INTEGER_FIELDS = ("page", "day", "last_day")
"""Fields to filter by. Each has an index: at 50,000 points, a filter without one took 107 ms instead of 4. An index
costs about 130 bytes of memory per point and 5 to 10 % of the writing speed."""

_POINT_NAMESPACE = uuid.UUID("6d617369-7300-5000-8000-000000000001")
_SPARE = 10
_SCORE_DIGITS = 5
"""Smaller differences come only from the order of additions."""
_CHUNK_FIELDS = tuple(field.name for field in fields(Chunk))


def point_id(workspace_id: str, chunk_id: str) -> str:
    """The id includes the workspace, because two workspaces may have the same passage."""
    return str(uuid.uuid5(_POINT_NAMESPACE, f"{workspace_id}/{chunk_id}"))


def payload_of(workspace_id: str, chunk: Chunk) -> dict[str, Any]:
    """The chunk, and the fields it can be filtered by."""
    payload: dict[str, Any] = {"workspace_id": workspace_id, "file_type": file_type_of(chunk.file_name)}
    payload["day"], payload["last_day"] = days_of(chunk.date) or (None, None)
    payload |= {name: getattr(chunk, name) for name in _CHUNK_FIELDS}
    return {name: value for name, value in payload.items() if value is not None}


def chunk_of(payload: Mapping[str, Any]) -> Chunk:
    return Chunk(**{name: value for name, value in payload.items() if name in _CHUNK_FIELDS})


def file_type_of(file_name: str) -> str:
    return PurePosixPath(file_name).suffix.removeprefix(".").lower()


# Requests to both engines.


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on one field of a point: one of these values, or a number in this range."""

    field: str
    any_of: tuple[str, ...] = ()
    at_least: int | None = None
    at_most: int | None = None


def conditions(workspace_id: str, filters: StoreFilters = EVERYWHERE) -> list[Condition]:
    """The conditions that must all hold. The workspace is always one of them."""
    first_page, last_page = filters.pages or (None, None)
    wanted = [
        Condition("document_id", filters.document_ids),
        Condition("file_type", filters.file_types),
        Condition("last_day", at_least=filters.first_day),
        Condition("day", at_most=filters.last_day),
        Condition("page", at_least=first_page, at_most=last_page),
    ]
    own = Condition("workspace_id", (workspace_id,))
    return [own, *(one for one in wanted if one.any_of or (one.at_least, one.at_most) != (None, None))]


def document_filter(document_id: str | None) -> StoreFilters:
    return StoreFilters(document_ids=(document_id,)) if document_id is not None else EVERYWHERE


def search_depth(limit: int) -> int:
    """How many results of each kind are fused; 20, 50 and 100 gave the same quality."""
    return max(20, 2 * limit)


def asked_depth(limit: int) -> int:
    """More than are fused, so that a tie at the end is broken by id and not by the engine."""
    return search_depth(limit) + _SPARE


# Results of both engines: points with a payload, a score and, if requested, the vector.


def answer_of(by_meaning: Iterable[Any], by_words: Iterable[Any], query: Vector, limit: int) -> Answer:
    near = [Found(chunk_of(point.payload), point.score, point.score) for point in _ranked(by_meaning, limit)]
    cosine_of = _cosines(query)
    named = [Found(chunk_of(point.payload), point.score, cosine_of(point)) for point in _ranked(by_words, limit)]
    return Answer(near, named)


def _ranked(points: Iterable[Any], limit: int) -> list[Any]:
    ranked = sorted(points, key=lambda point: (-round(point.score, _SCORE_DIGITS), point.payload["chunk_id"]))
    return ranked[: search_depth(limit)]


def _cosines(query: Vector) -> Callable[[Any], float | None]:
    """Cosines with points that both engines store with length 1."""
    length = math.hypot(*query) or 1.0

    def cosine_of(point: Any) -> float | None:
        dense = (point.vector or {}).get(DENSE)
        return None if dense is None else sum(map(operator.mul, query, dense)) / length

    return cosine_of


def holders_of(points: Iterable[Any]) -> dict[str, str]:
    """The ids of the points found, each with its document."""
    return {str(point.id): point.payload["document_id"] for point in points}


def indexed_chunk_of(point: Any) -> IndexedChunk:
    sparse = point.vector[SPARSE]
    vector = SparseVector(tuple(sparse.indices), tuple(sparse.values))
    return IndexedChunk(chunk_of(point.payload), point.vector.get(DENSE), vector)


def own_chunk(workspace_id: str, points: Iterable[Any]) -> Chunk | None:
    """The chunk, if its payload confirms that it belongs to the workspace, as its id says."""
    return next((chunk_of(p.payload) for p in points if p.payload["workspace_id"] == workspace_id), None)


def in_order(items: Iterable[IndexedChunk]) -> list[IndexedChunk]:
    """Sorted by document and position."""
    return sorted(items, key=lambda item: (item.chunk.document_id, item.chunk.start, item.chunk.chunk_id))

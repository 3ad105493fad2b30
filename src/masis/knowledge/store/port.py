"""The vector store port. Two engines fit: Qdrant in this process (`edge`) and a Qdrant server (`qdrant`).

One contract test runs against both. Every call takes a workspace, and the filter on it is part of the query.

A query is one request that asks by meaning and by keyword. Its two answers are ordered here and fused in `fusion`:
the engines break ties as they please, and the same documents ingested again gave another top ten to 89 of 472
questions.
"""

import calendar
import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Protocol

from masis.errors import InvalidInput
from masis.knowledge.embedding.port import Embedder, Vector
from masis.settings import Settings
from masis.types import Chunk

DENSE = "dense"
SPARSE = "sparse"
FORMAT_VERSION = 3
"""Of what is written to an index; another number cannot be read."""
MOST_HOLDERS = 10_000
"""Passages that hold a word are counted up to here: beyond it, nobody asks whether it occurs at all."""

_ISO_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ].*)?)?)?")


@dataclass(frozen=True, slots=True)
class SparseVector:
    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    chunk: Chunk
    dense: Vector | None
    """None: findable by keyword only, for now."""
    sparse: SparseVector


@dataclass(frozen=True, slots=True)
class Found:
    chunk: Chunk
    score: float
    """As the engine gave it; comparable within one answer only."""
    cosine: float | None
    """Between question and passage; None where the passage has no vector yet."""


@dataclass(frozen=True, slots=True)
class Answer:
    """To both halves of one query, best first, ties by chunk id."""

    by_meaning: Sequence[Found] = ()
    by_words: Sequence[Found] = ()


@dataclass(frozen=True, slots=True)
class StoreFilters:
    """Where a query may look; what is not said is not restricted."""

    document_ids: tuple[str, ...] = ()
    file_types: tuple[str, ...] = ()
    """Extensions without the dot, lower case."""
    first_day: int | None = None
    """YYYYMMDD. A document dated by a year or a month is found when any day of it is inside …"""
    last_day: int | None = None
    """… and one without a date never is."""
    pages: tuple[int, int] | None = None
    """First and last, both included."""


EVERYWHERE = StoreFilters()


class VectorStore(Protocol):
    """Opens at its first use; may be used from any thread and event loop."""

    async def prepare(self, dimension: int) -> None:
        """Makes the index if there is none; raises IndexMismatch for one that another embedder made."""
        ...

    async def upsert(self, workspace_id: str, items: Sequence[IndexedChunk]) -> None:
        """The same passage again replaces its point, so that a later write can bring its vector."""
        ...

    async def query(
        self,
        workspace_id: str,
        dense: Vector,
        sparse: SparseVector,
        limit: int,
        *,
        filters: StoreFilters = EVERYWHERE,
        hidden: Collection[str] = (),
    ) -> Answer:
        """One request to the store; documents that are `hidden` count for nothing."""
        ...

    async def holders(
        self, workspace_id: str, terms: Sequence[int], *, hidden: Collection[str] = ()
    ) -> list[dict[str, str]]:
        """For each term of the keyword index the points that hold it, with the document of each: at most
        `MOST_HOLDERS`."""
        ...

    async def count(self, workspace_id: str, document_id: str | None = None, *, embedded: bool = False) -> int:
        """Of passages; `embedded`: of those that have their vector."""
        ...

    async def chunks(self, workspace_id: str, document_id: str | None = None) -> list[IndexedChunk]:
        """Every passage with its vectors (of length 1), by document and place in it."""
        ...

    async def chunk(self, workspace_id: str, chunk_id: str) -> Chunk | None: ...

    async def delete_document(self, workspace_id: str, document_id: str) -> int:
        """How many passages went."""
        ...

    async def delete_workspace(self, workspace_id: str) -> int: ...

    async def rebuild(self) -> "VectorStore":
        """An empty index beside the current one, for the embedder in use now; until it is adopted, nothing reads it."""
        ...

    async def adopt(self, rebuilt: "VectorStore") -> None:
        """`rebuilt` takes the place of the current index, which is removed."""
        ...

    def close(self) -> None: ...


def store_for(settings: Settings, embedder: Embedder) -> VectorStore:
    """Not opened yet. Keep one per data folder: a second one finds it locked."""
    if settings.uses_qdrant_server:
        if find_spec("qdrant_client") is None:
            raise InvalidInput(
                "A Qdrant server is configured, but its client is not installed.",
                advice="Install it with `pip install 'masis[server]'`, or unset QDRANT_HOST and QDRANT_URL.",
            )
        from masis.knowledge.store.qdrant import QdrantStore

        return QdrantStore(settings, embedder)
    from masis.knowledge.store.edge import EdgeStore

    return EdgeStore(settings.home, embedder, settings.keyword_language)


def days_of(date: str | None) -> tuple[int, int] | None:
    """The first and the last day that an ISO date means, as YYYYMMDD; None where it means none."""
    match = _ISO_DATE.fullmatch(date or "")
    if match is None:
        return None
    year, month, day = (int(part) if part else None for part in match.groups())
    first_month, last_month = month or 1, month or 12
    if not year or month == 0 or day == 0 or first_month > 12:
        return None
    longest = calendar.monthrange(year, last_month)[1]
    first, last = day or 1, day or longest
    if last > longest:
        return None
    return year * 10_000 + first_month * 100 + first, year * 10_000 + last_month * 100 + last


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    length = math.hypot(*a) * math.hypot(*b)
    return math.fsum(x * y for x, y in zip(a, b, strict=True)) / length if length else 0.0

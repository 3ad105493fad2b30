"""The vector store interface, with two engines: Qdrant in this process (`edge`) and a Qdrant server (`qdrant`).

One contract test runs against both. Every call takes a workspace, and the filter on it is part of the query.

A query is one request that searches by meaning and by keyword. Its two results are sorted here and fused in
`search/reranking`, because each engine breaks ties in its own way: ingesting the same documents again changed the top
ten for 89 of 472 questions.

`IndexMeta` is what an index says about itself: vectors of two embedders, or words of two languages, must never mix.
"""

import calendar
import json
import math
import os
import re
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from masis.errors import IndexMismatch, InvalidInput
from masis.knowledge.embedding.port import Embedder, Vector
from masis.settings import Settings
from masis.types import Chunk

DENSE = "dense"
SPARSE = "sparse"
FORMAT_VERSION = 3
"""Version of the index format; an index with another version cannot be read."""
MOST_HOLDERS = 10_000
"""Passages with a word are counted up to this number: beyond it, nobody asks whether the word occurs at all."""

_ISO_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ].*)?)?)?")


@dataclass(frozen=True, slots=True)
class SparseVector:
    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    chunk: Chunk
    dense: Vector | None
    """None: the passage can only be found by keyword for now."""
    sparse: SparseVector


@dataclass(frozen=True, slots=True)
class Found:
    chunk: Chunk
    score: float
    """The engine's score; comparable only within one answer."""
    cosine: float | None
    """Cosine of question and passage; None if the passage has no vector yet."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The results of both halves of a query, best first, ties by chunk id."""

    by_meaning: Sequence[Found] = ()
    by_words: Sequence[Found] = ()


@dataclass(frozen=True, slots=True)
class StoreFilters:
    """Where a query may look; an empty field does not restrict."""

    document_ids: tuple[str, ...] = ()
    file_types: tuple[str, ...] = ()
    """Extensions without the dot, in lower case."""
    first_day: int | None = None
    """YYYYMMDD. A document dated by a year or a month is found if any day of it is in the range."""
    last_day: int | None = None
    """YYYYMMDD. A document without a date is never found with a date filter."""
    pages: tuple[int, int] | None = None
    """First and last page, both included."""


EVERYWHERE = StoreFilters()


class VectorStore(Protocol):
    """Opens at its first use; may be used from any thread and event loop."""

    async def prepare(self, dimension: int) -> None:
        """Creates the index if there is none; raises IndexMismatch if another embedder made it."""
        ...

    async def upsert(self, workspace_id: str, items: Sequence[IndexedChunk]) -> None:
        """Writing a passage again replaces its point, so a later write can add its vector."""
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
        """One request to the store; `hidden` documents are ignored."""
        ...

    async def holders(
        self, workspace_id: str, terms: Sequence[int], *, hidden: Collection[str] = ()
    ) -> list[dict[str, str]]:
        """For each term of the keyword index, the points that contain it with their documents, at most
        `MOST_HOLDERS`."""
        ...

    async def count(self, workspace_id: str, document_id: str | None = None, *, embedded: bool = False) -> int:
        """The number of passages; with `embedded`, only those that have their vector."""
        ...

    async def chunks(self, workspace_id: str, document_id: str | None = None) -> list[IndexedChunk]:
        """Every passage with its vectors (of length 1), sorted by document and position."""
        ...

    async def chunk(self, workspace_id: str, chunk_id: str) -> Chunk | None: ...

    async def delete_document(self, workspace_id: str, document_id: str) -> int:
        """The number of passages deleted."""
        ...

    async def delete_workspace(self, workspace_id: str) -> int: ...

    async def rebuild(self) -> "VectorStore":
        """Creates an empty index beside the current one, for the current embedder. Nothing reads it until it is
        adopted."""
        ...

    async def adopt(self, rebuilt: "VectorStore") -> None:
        """Replaces the current index, which is removed, by `rebuilt`."""
        ...

    def close(self) -> None: ...


class Identity(Protocol):
    """Identifies the database whose documents an index holds."""

    def known(self) -> str:
        """Empty if there is no database yet; does not create one."""
        ...

    def made(self) -> str: ...


def store_for(settings: Settings, embedder: Embedder, identity: Identity | None = None) -> VectorStore:
    """Not opened yet. Use only one per data folder: a second one finds it locked."""
    if settings.uses_qdrant_server:
        if find_spec("qdrant_client") is None:
            raise InvalidInput(
                "A Qdrant server is configured, but its client is not installed.",
                advice="Install it with `pip install 'masis[server]'`, or unset QDRANT_HOST and QDRANT_URL.",
            )
        from masis.knowledge.store.qdrant import QdrantStore

        return QdrantStore(settings, embedder, identity)
    from masis.knowledge.store.edge import EdgeStore

    return EdgeStore(settings.home, embedder, settings.keyword_language, identity=identity)


def days_of(date: str | None) -> tuple[int, int] | None:
    """The first and last day that an ISO date covers, as YYYYMMDD; None if it is not a date."""
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


@dataclass(frozen=True, slots=True)
class IndexMeta:
    embedder: str
    dimension: int
    language: str
    format: int = FORMAT_VERSION
    database: str = ""
    """Identity of the database whose documents the index holds."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def read_meta(source: object, where: str) -> IndexMeta:
    """Reads what was stored beside the index; raises IndexMismatch if MASIS did not write it."""
    if not isinstance(source, dict):
        raise foreign_index(where)
    version = source.get("format")
    if isinstance(version, int) and version != FORMAT_VERSION:
        raise IndexMismatch(
            f"{where} has format {version}; this version of MASIS reads format {FORMAT_VERSION}.",
            advice="Run `masis reindex`: it reads the documents again and builds a new index.",
        )
    embedder, dimension, language = (source.get(key) for key in ("embedder", "dimension", "language"))
    if not isinstance(embedder, str) or not isinstance(dimension, int) or not isinstance(language, str) or not version:
        raise foreign_index(where)
    return IndexMeta(embedder, dimension, language, database=str(source.get("database", "")))


def is_described(source: object) -> bool:
    """Whether MASIS wrote it, in this or another format."""
    return isinstance(source, dict) and "embedder" in source and "format" in source


def require_match(stored: IndexMeta, embedder: str, language: str, dimension: int | None, where: str) -> None:
    if stored.embedder != embedder or dimension not in (None, stored.dimension):
        raise IndexMismatch(
            f"{where} was built with the embedder {stored.embedder} ({stored.dimension} dimensions), "
            f"not with {embedder}" + (f" ({dimension} dimensions)." if dimension else ".")
        )
    if stored.language != language:
        raise IndexMismatch(
            f"{where} was built for keywords in {stored.language}, not in {language}.",
            advice=f"Set MASIS_KEYWORD_LANGUAGE to {stored.language}, or rebuild the index with `masis reindex`.",
        )


def require_own(stored: IndexMeta, database: str, where: str) -> None:
    """Passages of another database, found under the same workspace name, would be used in answers and could not be
    shown."""
    if stored.database and stored.database != database:
        raise IndexMismatch(
            f"{where} belongs to another database: it holds passages of documents that this one does not know.",
            advice="Restore the database that belongs to it, or build a new index of this one's documents with "
            "`masis reindex`.",
        )


def foreign_index(where: str) -> IndexMismatch:
    return IndexMismatch(
        f"{where} is not an index of MASIS, or its description is damaged; it was left as it is.",
        advice="Move it away or set MASIS_HOME (QDRANT collection: MASIS_QDRANT_COLLECTION) to another one, "
        "then ingest again.",
    )


def read_meta_file(path: Path, where: str) -> IndexMeta:
    try:
        return read_meta(json.loads(path.read_text(encoding="utf-8")), where)
    except (OSError, ValueError) as error:
        raise foreign_index(where) from error


def write_meta_file(path: Path, meta: IndexMeta, folder: str) -> None:
    """Writes the file as a whole or not at all: a crash must not leave half a description."""
    draft = path.with_name(f"{path.name}.new")
    with draft.open("w", encoding="utf-8") as file:
        json.dump({**meta.as_dict(), "folder": folder}, file)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)

"""What the tests of the stores share: small vectors, and chunks made of one sentence."""

import fcntl
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from masis.knowledge.ingestion.batch import Tally
from masis.knowledge.ingestion.chunking import chunk_id
from masis.knowledge.ingestion.incoming import IncomingFile, base_name
from masis.knowledge.library import Library
from masis.knowledge.search.reranking import fuse
from masis.knowledge.store.points import sparse_passage, sparse_query
from masis.knowledge.store.port import IndexedChunk, SparseVector, VectorStore
from masis.types import Chunk, IngestReport

DIMENSION = 8
ENGLISH = "english"


@dataclass
class NamedEmbedder:
    """A store asks its embedder for nothing but the name and the dimension."""

    name: str = "test-embedder"
    dimension: int | None = DIMENSION

    async def ready(self) -> int:
        return self.dimension or DIMENSION

    async def embed_passages(self, texts: list[str]) -> list[list[float]]:
        return [vector_of(text, self.dimension or DIMENSION) for text in texts]

    async def embed_query(self, text: str) -> list[float]:
        return vector_of(text, self.dimension or DIMENSION)

    def close(self) -> None:
        pass


class CountingEmbedder(NamedEmbedder):
    """Remembers what it was asked to embed."""

    def __init__(self, name: str = "test-embedder", dimension: int = 8) -> None:
        super().__init__(name, dimension)
        self.embedded: list[str] = []

    async def embed_passages(self, texts: list[str]) -> list[list[float]]:
        self.embedded += texts
        return await super().embed_passages(texts)


def vector_of(text: str, dimension: int = DIMENSION) -> list[float]:
    """Arbitrary, but always the same for a text."""
    digest = hashlib.sha256(text.encode()).digest()
    return [byte / 255 - 0.5 for byte in (digest * (dimension // 32 + 1))[:dimension]]


def chunk(
    text: str,
    document_id: str = "doc",
    start: int = 0,
    heading: str | None = None,
    date: str | None = None,
    page: int = 1,
    file_name: str | None = None,
) -> Chunk:
    end = start + len(text)
    name = chunk_id(document_id, start, end, text)
    return Chunk(name, document_id, file_name or f"{document_id}.md", text, page, start, end, heading, date)


def indexed(text: str, document_id: str = "doc", start: int = 0, dense: list[float] | None = None) -> IndexedChunk:
    return of_chunk(chunk(text, document_id, start), dense)


def of_chunk(passage: Chunk, dense: list[float] | None = None) -> IndexedChunk:
    return IndexedChunk(passage, dense or vector_of(passage.text), sparse_passage(passage.text, ENGLISH))


def keyword_only(text: str, document_id: str = "doc", start: int = 0) -> IndexedChunk:
    """As it is before its vector was computed."""
    return replace(indexed(text, document_id, start), dense=None)


def question(text: str) -> tuple[list[float], SparseVector]:
    return vector_of(text), sparse_query(text, ENGLISH)


async def ask(store: VectorStore, text: str, workspace: str = "a", limit: int = 10) -> list[str]:
    """Texts, best first."""
    return [hit.chunk.text for hit in fuse(await store.query(workspace, *question(text), limit), limit)]


async def ingest_bytes(library: Library, files: Sequence[tuple[str, bytes]], workspace: str) -> IngestReport:
    """Files that are not on this machine, as an upload's are."""
    await library._prepare(workspace)
    incoming = [IncomingFile(base_name(name), partial(bytes, data)) for name, data in files]
    return await library._batch(workspace, Tally(None)).run(incoming)


def is_index_locked(home: Path) -> bool:
    with (home / "index.lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False

"""What the tests of the stores share: small vectors, and chunks made of one sentence."""

import hashlib
from dataclasses import dataclass

from masis.knowledge.chunk_ids import chunk_id
from masis.knowledge.sparse import sparse_passage
from masis.knowledge.store import IndexedChunk
from masis.types import Chunk

DIMENSION = 8


@dataclass
class NamedEmbedder:
    """A store asks its embedder for nothing but the name and the dimension."""

    name: str = "test-embedder"
    dimension: int | None = DIMENSION

    async def embed_passages(self, texts: list[str]) -> list[list[float]]:
        return [vector_of(text, self.dimension or DIMENSION) for text in texts]

    async def embed_query(self, text: str) -> list[float]:
        return vector_of(text, self.dimension or DIMENSION)

    def close(self) -> None:
        pass


def vector_of(text: str, dimension: int = DIMENSION) -> list[float]:
    """Arbitrary, but always the same for a text."""
    digest = hashlib.sha256(text.encode()).digest()
    return [byte / 255 - 0.5 for byte in (digest * (dimension // 32 + 1))[:dimension]]


def chunk(
    text: str, document_id: str = "doc", start: int = 0, heading: str | None = None, date: str | None = None
) -> Chunk:
    end = start + len(text)
    name = chunk_id(document_id, start, end, text)
    return Chunk(name, document_id, f"{document_id}.md", text, 1, start, end, heading, date)


def indexed(text: str, document_id: str = "doc", start: int = 0, dense: list[float] | None = None) -> IndexedChunk:
    return IndexedChunk(chunk(text, document_id, start), dense or vector_of(text), sparse_passage(text))

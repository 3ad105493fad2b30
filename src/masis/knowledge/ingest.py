"""One document's way in: bytes, text, chunks, vectors, store."""

import asyncio
import hashlib
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import PurePosixPath

from masis.errors import DuplicateDocument, MASISError
from masis.knowledge.catalog import Catalog, now
from masis.knowledge.chunking import chunk_document
from masis.knowledge.embedding import Embedder
from masis.knowledge.files import too_large
from masis.knowledge.sparse import sparse_passage
from masis.knowledge.store import IndexedChunk, VectorStore
from masis.settings import Settings
from masis.sources import parse
from masis.types import Chunk, Document, ParsedDocument

ChunkCounter = Callable[[int, int], None]
"""Told how many chunks are done, of how many."""


class Ingestor:
    def __init__(self, settings: Settings, store: VectorStore, embedder: Embedder, catalog: Catalog) -> None:
        self._settings = settings
        self._store = store
        self._embedder = embedder
        self._catalog = catalog
        self._lock = threading.Lock()
        self._in_work: set[tuple[str, str]] = set()

    async def ingest(self, data: bytes, file_name: str, workspace_id: str, count: ChunkCounter) -> Document:
        """READY, or FAILED with the reason; the same bytes again raise DuplicateDocument.

        What a crash left PROCESSING, and what FAILED, is done again from the start.
        """
        document_id = await asyncio.to_thread(document_id_of, data)
        with self._claimed(workspace_id, document_id, file_name):
            known = await asyncio.to_thread(self._catalog.document, workspace_id, document_id)
            if known and await self._is_complete(known):
                raise DuplicateDocument(f"{file_name} is in {workspace_id} already, as {known.file_name}.")
            document = Document(
                workspace_id,
                document_id,
                file_name,
                status="PROCESSING",
                size_bytes=len(data),
                created_at=known.created_at if known else now(),
            )
            await asyncio.to_thread(self._catalog.save_document, document)
            if known:
                await self._store.delete_document(workspace_id, document_id)
            finished = await self._processed(document, data, count)
            await asyncio.to_thread(self._catalog.save_document, finished)
            return finished

    @contextmanager
    def _claimed(self, workspace_id: str, document_id: str, file_name: str) -> Iterator[None]:
        claim = (workspace_id, document_id)
        with self._lock:
            if claim in self._in_work:
                raise DuplicateDocument(f"{file_name} is being ingested into {workspace_id} right now.")
            self._in_work.add(claim)
        try:
            yield
        finally:
            with self._lock:
                self._in_work.discard(claim)

    async def _is_complete(self, known: Document) -> bool:
        """READY in the catalog is not enough: the index may have been lost or replaced since."""
        if known.status != "READY":
            return False
        return await self._store.count(known.workspace_id, known.document_id) == known.chunks

    async def _processed(self, document: Document, data: bytes, count: ChunkCounter) -> Document:
        try:
            parsed, chunks = await asyncio.to_thread(self._read, data, document)
            # The text first: a chunk that can be found must also be shown in place.
            await asyncio.to_thread(self._catalog.save_text, document.workspace_id, document.document_id, parsed.text)
            await self._index(document, parsed.title, chunks, count)
        except Exception as error:  # one file's trouble, foreseen or not, must not stop the others
            with suppress(MASISError):
                await self._store.delete_document(document.workspace_id, document.document_id)
            return replace(document, status="FAILED", reason=failure_reason(error))
        return replace(document, status="READY", pages=len(parsed.pages), chunks=len(chunks), date=parsed.date)

    def _read(self, data: bytes, document: Document) -> tuple[ParsedDocument, list[Chunk]]:
        if len(data) > self._settings.max_file_bytes:
            raise too_large(document.file_name, self._settings.max_file_bytes)
        parsed = parse(data, document.file_name)
        return parsed, chunk_document(parsed, document.document_id, document.file_name, self._settings)

    async def _index(self, document: Document, title: str | None, chunks: Sequence[Chunk], count: ChunkCounter) -> None:
        size = self._settings.embedding_batch
        for first in range(0, len(chunks), size):
            count(first, len(chunks))
            batch = chunks[first : first + size]
            texts = [embedded_text(chunk, title) for chunk in batch]
            dense = await self._embedder.embed_passages(texts)
            sparse = await asyncio.to_thread(lambda texts: [sparse_passage(text) for text in texts], texts)
            items = [IndexedChunk(*parts) for parts in zip(batch, dense, sparse, strict=True)]
            await self._store.upsert(document.workspace_id, items)
        count(len(chunks), len(chunks))


def embedded_text(chunk: Chunk, title: str | None) -> str:
    """A passage is found by where it stands as well as by what it says."""
    name = title or PurePosixPath(chunk.file_name).stem.replace("_", " ").replace("-", " ")
    above = [part for part in (name, chunk.heading) if part]
    # The title is the outermost heading already, or the passage opens with it.
    if (chunk.heading or "").startswith(name) or chunk.text.lstrip("# ").startswith(name):
        above.remove(name)
    return "\n".join([" > ".join(above), chunk.text]).strip()


def document_id_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def failure_reason(error: Exception) -> str:
    if isinstance(error, MASISError):
        return f"{error} {error.advice}"
    return f"Unexpected {type(error).__name__}: {error}. Please report this with the file, if you may share it."

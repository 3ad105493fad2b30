"""Embeds passages: vectors come from the cache if the same text was embedded before, else from the embedder."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from masis.errors import (
    DatabaseUnavailable,
    DataFolderError,
    MASISError,
    ModelRejected,
    ModelUnavailable,
    StoreUnavailable,
)
from masis.knowledge.catalog import Catalog
from masis.knowledge.embedding.port import Embedder, Vector, VectorCache
from masis.knowledge.ingestion.chunking import chunk_document
from masis.knowledge.ingestion.incoming import FileReader
from masis.knowledge.ingestion.ingest import embedded_text, meaning_text, with_what_was_read
from masis.knowledge.originals import Originals
from masis.knowledge.store.points import sparse_passage
from masis.knowledge.store.port import IndexedChunk, VectorStore
from masis.settings import Settings
from masis.types import Document, DocumentStatus, ParsedDocument

if TYPE_CHECKING:
    from masis.knowledge.ingestion.batch import Tally


@dataclass(frozen=True, slots=True)
class Unembedded:
    item: IndexedChunk
    text: str
    """The text to embed: the passage with its title and headings."""


class Vectorizer:
    def __init__(self, embedder: Embedder, cache: VectorCache) -> None:
        self._embedder = embedder
        self._cache = cache

    async def embedded(self, workspace_id: str, passages: Sequence[Unembedded]) -> list[IndexedChunk]:
        """The passages with their vectors, in order; new vectors are cached."""
        texts = list(dict.fromkeys(passage.text for passage in passages))
        vectors: dict[str, Vector] = {}
        with suppress(DataFolderError, DatabaseUnavailable):
            vectors = await asyncio.to_thread(self._cache.vectors, workspace_id, self._embedder.name, texts)
        missing = [text for text in texts if text not in vectors]
        if missing:
            vectors.update(zip(missing, await self._embedder.embed_passages(missing), strict=True))
        owned = [(each.item.chunk.document_id, each.text, vectors[each.text]) for each in passages]
        with suppress(
            DataFolderError, DatabaseUnavailable
        ):  # a cache that cannot be written makes things slower, not wrong
            await asyncio.to_thread(self._cache.save, workspace_id, self._embedder.name, owned)
        return [replace(each.item, dense=vectors[each.text]) for each in passages]


async def unembedded(store: VectorStore, catalog: Catalog, workspace_id: str, document_id: str) -> list[Unembedded]:
    """The passages of a document that can only be found by keyword for now."""
    title = await asyncio.to_thread(catalog.title, workspace_id, document_id)
    items = await store.chunks(workspace_id, document_id)
    return [Unembedded(item, meaning_text(item.chunk, title)) for item in items if item.dense is None]


@dataclass(slots=True)
class _InWork:
    document: Document
    waiting: deque[Unembedded]


@dataclass(eq=False)
class VectorStage:
    """Takes documents one by one, and calls `on_done` when a document's last vector is stored, or with the error."""

    _store: VectorStore
    _catalog: Catalog
    _vectorizer: Vectorizer
    _batch: int
    _on_batch: Callable[[Document, int], None]
    _on_done: Callable[[Document, Exception | None], Awaitable[None]]
    _outage: Exception | None = None
    """Once set, nothing more is embedded: later documents stay searchable by keyword only."""

    async def run(self, documents: "asyncio.Queue[Document | None]") -> None:
        """Runs until it receives None."""
        open_works: list[_InWork] = []
        more = True
        while more or open_works:
            # Small documents share a batch, so that every core and every request is filled.
            while more and sum(len(work.waiting) for work in open_works) < self._batch:
                if open_works and documents.empty():
                    break
                document = await documents.get()
                more = document is not None
                if document:
                    open_works.append(await self._opened(document))
            open_works = await self._step(open_works)

    async def _opened(self, document: Document) -> _InWork:
        if not self._outage:
            try:
                found = await unembedded(self._store, self._catalog, document.workspace_id, document.document_id)
                return _InWork(document, deque(found))
            except OUTAGES as error:
                self._outage = error
        return _InWork(document, deque())

    async def _step(self, works: Sequence[_InWork]) -> list[_InWork]:
        """Embeds one batch; returns the work that is left."""
        parts: list[tuple[_InWork, list[Unembedded]]] = []
        room = self._batch
        for work in works:
            part = [work.waiting.popleft() for _ in range(min(room, len(work.waiting)))]
            room -= len(part)
            parts.append((work, part))
        errors = await self._embedded(parts)
        left: list[_InWork] = []
        for (work, _), error in zip(parts, errors, strict=True):
            if error or not work.waiting:
                await self._on_done(work.document, error)
            else:
                left.append(work)
        return left

    async def _embedded(self, parts: Sequence[tuple[_InWork, list[Unembedded]]]) -> list[Exception | None]:
        together = [passage for _, part in parts for passage in part]
        error = await self._stored(parts[0][0].document.workspace_id if parts else "", together)
        if error and not self._outage and len(parts) > 1:
            # One of them fails on its own: each is tried alone, and the others continue.
            return [(await self._embedded([part]))[0] for part in parts]
        if not error:
            for work, part in parts:
                self._on_batch(work.document, len(part))
        return [error] * len(parts)

    async def _stored(self, workspace_id: str, passages: Sequence[Unembedded]) -> Exception | None:
        if self._outage or not passages:
            return self._outage
        try:
            await self._store.upsert(workspace_id, await self._vectorizer.embedded(workspace_id, passages))
        except OUTAGES as error:
            self._outage = error
            return error
        except Exception as error:
            return error
        return None


async def lost_of(store: VectorStore, catalog: Catalog, workspace_id: str) -> list[Document]:
    """Documents of the workspace with passages missing from the index. Counts them one by one only if the total is too
    low."""
    found = await store.count(workspace_id)
    needed, others = await asyncio.to_thread(catalog.needed_passages, workspace_id)
    # Passages of documents being added or removed must not make up for lost ones.
    if found - sum([await store.count(workspace_id, other) for other in others]) >= needed:
        return []
    lost: list[Document] = []
    for document in await asyncio.to_thread(catalog.documents, workspace_id, status="READY"):
        one = (workspace_id, document.document_id)
        if await store.count(*one) < document.chunks and await asyncio.to_thread(catalog.is_shown, *one):
            lost.append(document)
    return lost


@dataclass(eq=False)
class Reindexer:
    """Rebuilds the index beside the one in use, for another embedder, other chunk sizes or a newer MASIS.

    Each document is read again from its original, so that improvements of the parsers reach old documents too; if the
    original can no longer be read, the extracted text stays as it is. Searches use the old index until the new one is
    complete. What was embedded before a crash comes from the cache.
    """

    _settings: Settings
    _store: VectorStore
    _embedder: Embedder
    _catalog: Catalog
    _cache: VectorCache
    _originals: Originals
    _reader: FileReader
    _tally: "Tally"

    async def run(self) -> int:
        """Returns the number of passages in the new index."""
        documents = await asyncio.to_thread(self._documents)
        self._tally.expect(len(documents))
        rebuilt = await self._store.rebuild()
        await rebuilt.prepare(await self._embedder.ready())
        done = [await self._reindexed(document, rebuilt) for document in documents]
        await self._store.adopt(rebuilt)
        passages = sum([await self._settled(document) for document in done])
        await asyncio.to_thread(self._cache.keep_only, self._embedder.name)
        return passages

    async def mend(self, documents: Sequence[Document]) -> int:
        """Adds documents to the current index; returns the number of their passages."""
        self._tally.expect(len(documents))
        await self._store.prepare(await self._embedder.ready())
        return sum([await self._mended(document) for document in documents])

    async def _mended(self, document: Document) -> int:
        # Today's passages may differ from those that are left.
        await self._store.delete_document(document.workspace_id, document.document_id)
        return await self._settled(await self._reindexed(document, self._store))

    async def _settled(self, document: Document) -> int:
        """Returns how many of its passages stay: a document that another process deleted meanwhile must not come
        back."""
        if await asyncio.to_thread(self._catalog.update_document, document):
            return document.chunks
        one = (document.workspace_id, document.document_id)
        await self._store.delete_document(*one)
        await asyncio.to_thread(self._cache.delete, *one)
        return 0

    def _documents(self) -> list[Document]:
        """All documents with text; a file that was never readable has nothing to index."""
        workspaces = self._catalog.workspaces()
        documents = [d for workspace in workspaces for d in self._catalog.documents(workspace.workspace_id)]
        return [document for document in documents if document.chunks]

    async def _reindexed(self, document: Document, rebuilt: VectorStore) -> Document:
        self._tally.reading(document.file_name)
        document, parsed = await self._read_again(document)
        passages = await asyncio.to_thread(self._passages, document, parsed) if parsed else []
        is_shown = await asyncio.to_thread(self._catalog.is_shown, document.workspace_id, document.document_id)
        # A version that waits to replace another keeps waiting: only ingesting it again replaces the old one.
        status: DocumentStatus = "READY" if is_shown else document.status
        found = replace(document, chunks=len(passages), status=status, reason=None)
        self._tally.read(found)
        vectorizer = Vectorizer(self._embedder, self._cache)
        size = self._settings.embedding_batch
        for first in range(0, len(passages), size):
            batch = passages[first : first + size]
            await rebuilt.upsert(document.workspace_id, await vectorizer.embedded(document.workspace_id, batch))
            self._tally.embedded(found, len(batch))
        self._tally.settled(document.file_name, "ready")
        return found

    async def _read_again(self, document: Document) -> tuple[Document, ParsedDocument | None]:
        workspace_id, document_id = document.workspace_id, document.document_id
        data = await asyncio.to_thread(self._originals.read, workspace_id, document_id)
        if data is not None:
            with suppress(MASISError):
                parsed = await self._reader.parsed(document.file_name, data)
                await asyncio.to_thread(self._catalog.save_parsed, workspace_id, document_id, parsed)
                return with_what_was_read(document, parsed), parsed
        return document, await asyncio.to_thread(self._catalog.parsed, workspace_id, document_id)

    def _passages(self, document: Document, parsed: ParsedDocument) -> list[Unembedded]:
        passages: list[Unembedded] = []
        for chunk in chunk_document(parsed, document.document_id, document.file_name, self._settings):
            sparse = sparse_passage(embedded_text(chunk, parsed.title), self._settings.keyword_language)
            passages.append(Unembedded(IndexedChunk(chunk, None, sparse), meaning_text(chunk, parsed.title)))
        return passages


OUTAGES = (ModelUnavailable, ModelRejected, StoreUnavailable, DataFolderError, DatabaseUnavailable)
"""Failures of the environment, not of a document: other documents would fail too."""

"""Gives passages their vectors: from the cache where the same words were embedded before, else from the embedder."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from masis.errors import DatabaseUnavailable, DataFolderError, ModelRejected, ModelUnavailable, StoreUnavailable
from masis.knowledge.catalog import Catalog
from masis.knowledge.embedding.port import Embedder, Vector
from masis.knowledge.embedding.vector_cache import VectorCache
from masis.knowledge.ingestion.ingest import meaning_text
from masis.knowledge.store.port import IndexedChunk, VectorStore
from masis.types import Document

OUTAGES = (ModelUnavailable, ModelRejected, StoreUnavailable, DataFolderError, DatabaseUnavailable)
"""Troubles of the surroundings, not of a document: nothing else would fare better now."""


@dataclass(frozen=True, slots=True)
class Unembedded:
    item: IndexedChunk
    text: str
    """What is embedded: the passage, and where it stands."""


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
    """The passages of a document that are found by keyword only, for now."""
    title = await asyncio.to_thread(catalog.title, workspace_id, document_id)
    items = await store.chunks(workspace_id, document_id)
    return [Unembedded(item, meaning_text(item.chunk, title)) for item in items if item.dense is None]


@dataclass(slots=True)
class _InWork:
    document: Document
    waiting: deque[Unembedded]


class VectorStage:
    """Documents come one after the other; `on_done` hears of each when its last vector is stored, or the error."""

    def __init__(
        self,
        store: VectorStore,
        catalog: Catalog,
        vectorizer: Vectorizer,
        batch: int,
        on_batch: Callable[[Document, int], None],
        on_done: Callable[[Document, Exception | None], Awaitable[None]],
    ) -> None:
        self._store = store
        self._catalog = catalog
        self._vectorizer = vectorizer
        self._batch = batch
        self._on_batch = on_batch
        self._on_done = on_done
        self._outage: Exception | None = None
        """Once set, nothing more is embedded: what comes is left with its keywords."""

    async def run(self, documents: "asyncio.Queue[Document | None]") -> None:
        """Until None comes."""
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
        """One batch further; gives those that are not done yet."""
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
            # One of them fails by itself: each is tried alone, and the others continue.
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

"""The index built again, for another embedder, other chunk sizes or a newer MASIS, beside the one in use.

Each document is read again from its original, so that what parsers have learnt since reaches old documents too; where
the original cannot be read any more, its extracted text stays as it is. Searches find the old index until the new one
is complete; what was embedded before a crash comes from the cache.
"""

import asyncio
from contextlib import suppress
from dataclasses import replace

from masis.errors import MASISError
from masis.knowledge.catalog import Catalog
from masis.knowledge.embedding.port import Embedder
from masis.knowledge.embedding.vector_cache import VectorCache
from masis.knowledge.ingestion.batch import Tally
from masis.knowledge.ingestion.chunking import chunk_document
from masis.knowledge.ingestion.ingest import embedded_text, meaning_text, with_what_was_read
from masis.knowledge.ingestion.reading import FileReader
from masis.knowledge.ingestion.vectors import Unembedded, Vectorizer
from masis.knowledge.originals import Originals
from masis.knowledge.store.points import sparse_passage
from masis.knowledge.store.port import IndexedChunk, VectorStore
from masis.settings import Settings
from masis.types import Document, DocumentStatus, ParsedDocument


class Reindexer:
    def __init__(
        self,
        settings: Settings,
        store: VectorStore,
        embedder: Embedder,
        catalog: Catalog,
        cache: VectorCache,
        originals: Originals,
        reader: FileReader,
        tally: Tally,
    ) -> None:
        self._settings = settings
        self._store = store
        self._embedder = embedder
        self._catalog = catalog
        self._cache = cache
        self._originals = originals
        self._reader = reader
        self._tally = tally

    async def run(self) -> int:
        """How many passages the new index has."""
        documents = await asyncio.to_thread(self._documents)
        self._tally.expect(len(documents))
        rebuilt = await self._store.rebuild()
        await rebuilt.prepare(await self._embedder.ready())
        done = [await self._reindexed(document, rebuilt) for document in documents]
        await self._store.adopt(rebuilt)
        for document in done:
            await asyncio.to_thread(self._catalog.save_document, document)
        await asyncio.to_thread(self._cache.keep_only, self._embedder.name)
        return sum(document.chunks for document in done)

    def _documents(self) -> list[Document]:
        """All whose text is there; a file that never was readable has nothing to index."""
        workspaces = self._catalog.workspaces()
        documents = [d for workspace in workspaces for d in self._catalog.documents(workspace.workspace_id)]
        return [document for document in documents if document.chunks]

    async def _reindexed(self, document: Document, rebuilt: VectorStore) -> Document:
        self._tally.reading(document.file_name)
        document, parsed = await self._read_again(document)
        passages = await asyncio.to_thread(self._passages, document, parsed) if parsed else []
        is_shown = await asyncio.to_thread(self._catalog.is_shown, document.workspace_id, document.document_id)
        # A version that waits to replace another still waits: only ingesting it again makes the exchange.
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

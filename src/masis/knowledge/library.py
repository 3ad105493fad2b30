"""The documents of every workspace: ingesting, searching, deleting. Only this class calls the store."""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from masis.database import Database, open_database
from masis.errors import DataFolderError, InvalidInput, UnknownPassage, UnknownWorkspace
from masis.knowledge.calibration.profiles import Calibration, calibration_for
from masis.knowledge.catalog import Catalog, CatalogIdentity, check_workspace_name, now
from masis.knowledge.catalog_rows import CATALOG
from masis.knowledge.embedding.port import VECTORS, Embedder, VectorCache, embedder_for
from masis.knowledge.ingestion.batch import Batch, OnBatch, OnDone, OnProgress, Tally
from masis.knowledge.ingestion.incoming import FileReader, IncomingFile, Uploads, find_files
from masis.knowledge.ingestion.ingest import Ingestor, meaning_text
from masis.knowledge.ingestion.layout import Section, section_of
from masis.knowledge.ingestion.syncing import Syncer, SyncReport
from masis.knowledge.ingestion.vectors import Reindexer, Vectorizer, VectorStage, lost_of
from masis.knowledge.originals import originals_for
from masis.knowledge.search.passages import (
    FEWEST_OF_EACH,
    NOWHERE,
    Place,
    is_within,
    meant_documents,
    read_words,
    substance,
    with_whole_tables,
)
from masis.knowledge.search.reranking import EmbeddedReranker
from masis.knowledge.search.searching import Searcher, store_filters
from masis.knowledge.source_table import Source, SourceTable
from masis.knowledge.store.port import VectorStore, store_for
from masis.settings import Settings
from masis.sources.images.ocr import ImageReader
from masis.sources.sandbox.pool import Sandbox
from masis.types import (
    EVERYWHERE,
    Chunk,
    DeletionReceipt,
    Document,
    EvidenceChunk,
    IngestReport,
    Mentions,
    ParsedDocument,
    SearchFilters,
    SearchResult,
)


def open_library(
    settings: Settings,
    image_reader: ImageReader | None = None,
    *,
    embedder: Embedder | None = None,
    store: VectorStore | None = None,
) -> "Library":
    """Opens no file, socket or model yet. Close the library after use; an embedder or store passed in is not closed
    with it."""
    used, database = embedder or embedder_for(settings), open_database(settings, CATALOG)
    used_store = store or store_for(settings, used, CatalogIdentity(database))
    made = Library(settings, used_store, used, image_reader, database)
    made.lent = tuple(given for given in (embedder, store) if given is not None)
    return made


class Library:
    def __init__(
        self,
        settings: Settings,
        store: VectorStore,
        embedder: Embedder,
        image_reader: ImageReader | None = None,
        database: Database | None = None,
    ) -> None:
        self.embedder = embedder
        self.lent: tuple[Embedder | VectorStore, ...] = ()
        """Parts that were passed in, which the caller closes."""
        self._databases = database or open_database(settings, CATALOG), open_database(settings, VECTORS, "vectors.db")
        self.catalog, self._cache = Catalog(self._databases[0]), VectorCache(self._databases[1])
        self.sources = SourceTable(self._databases[0])
        self.originals = originals_for(settings)
        self.uploads = Uploads(settings, self.catalog, self.originals)
        self._settings = settings
        self.store = store
        self._sandbox = Sandbox(settings)
        self._vectorizer = Vectorizer(embedder, self._cache)
        self._reader = FileReader(settings, self._sandbox, image_reader)
        self._ingestor = Ingestor(settings, store, self.catalog, self.originals, self._cache, self._reader)
        self._searcher = Searcher(settings, store, embedder, self.catalog, self._vectorizer, EmbeddedReranker())

    async def ingest(
        self,
        paths: Sequence[Path],
        workspace_id: str,
        on_progress: OnProgress | None = None,
        *,
        defer_vectors: bool = False,
    ) -> IngestReport:
        """Ingests every file of every path and creates the workspace if needed. Failures are reported and the rest
        continues.

        A file that was read before is skipped if it is unchanged, and replaced if it has changed.
        """
        files = await asyncio.to_thread(find_files, paths, self._settings.max_file_bytes)
        return await self.ingest_files(files, workspace_id, on_progress, defer_vectors=defer_vectors)

    async def ingest_files(
        self,
        files: Sequence[IncomingFile],
        workspace_id: str,
        on_progress: OnProgress | None = None,
        *,
        defer_vectors: bool = False,
    ) -> IngestReport:
        check_workspace_name(workspace_id)
        if any(file.source for file in files):
            # A mistyped path must not leave an empty workspace behind.
            await self._prepare(workspace_id)
        return await self._batch(workspace_id, Tally(on_progress), defer_vectors=defer_vectors).run(files)

    async def sync(
        self,
        source: Source,
        on_progress: OnProgress | None = None,
        *,
        dry_run: bool = False,
        allow_empty: bool = False,
    ) -> SyncReport:
        """Makes the workspace match the source, and creates the workspace if needed."""
        check_workspace_name(source.workspace_id)

        async def begin(source: Source) -> None:
            await self._prepare(source.workspace_id)
            await asyncio.to_thread(self.sources.add, source)

        syncer = Syncer(self._settings, self.catalog, self.sources, self._ingestor, self._batch, begin)
        return await syncer.sync(source, on_progress, dry_run=dry_run, allow_empty=allow_empty)

    async def keep_upload(self, workspace_id: str, name: str, data: bytes) -> str:
        """Stores the bytes until `ingest_kept` makes a document of them; returns its id. Raises UnreadableFile if there
        are too many bytes, and UnknownWorkspace."""
        return await asyncio.to_thread(self.uploads.keep, workspace_id, name, data)

    async def ingest_kept(
        self,
        workspace_id: str,
        kept: Sequence[tuple[str, str]],
        on_progress: OnProgress | None = None,
        *,
        upload_id: str,
    ) -> IngestReport:
        """Ingests stored files, given as ids and names. After a crash, the same call with the same `upload_id` resumes
        and also reports what was finished before."""
        await asyncio.to_thread(self.uploads.require_workspace, workspace_id)
        await self._prepare(workspace_id)
        unread, earlier = await asyncio.to_thread(self.uploads.unread, workspace_id, upload_id, kept)
        report = await self._batch(workspace_id, Tally(on_progress), is_continued=True).run(unread)
        # Whatever did not become a document, such as an archive.
        await asyncio.to_thread(self.uploads.forget, workspace_id, [document_id for document_id, _ in kept])
        return replace(
            report,
            ready=[*earlier.ready, *report.ready],
            pending=[*earlier.pending, *report.pending],
            failed=[*earlier.failed, *report.failed],
        )

    async def search(
        self,
        workspace_id: str,
        text: str,
        limit: int,
        *,
        at_least: float | None = None,
        highlight: bool = False,
        filters: SearchFilters = EVERYWHERE,
    ) -> SearchResult:
        """The best passages by meaning and keywords together, each verbatim from the index, with its relevance.

        With `at_least`, passages with the exact words asked for get at least that relevance. With `highlight`, the
        selector chooses the focus of each passage, at some tens of milliseconds each; otherwise the question's words
        do.
        """
        return await self._searcher.search(
            workspace_id, text, limit, at_least=at_least, highlight=highlight, filters=filters
        )

    async def mentions(self, workspace_id: str, words: Sequence[str]) -> dict[str, Mentions | None]:
        """Counts the documents and passages that contain each entry; an entry of several words must be in one passage.

        None for words that the keyword index does not hold, such as “the”: nothing is known about them.
        """
        return await self._searcher.mentions(workspace_id, words)

    async def outline(
        self, workspace_id: str, question: str, found: Sequence[EvidenceChunk], filters: SearchFilters, limit: int
    ) -> tuple[list[EvidenceChunk], list[str]]:
        """For a question about one or several whole documents: the passages with the substance of each, and all file
        names in scope if there are several."""
        documents = await asyncio.to_thread(self.catalog.documents, workspace_id)
        within = await asyncio.to_thread(store_filters, self.catalog, workspace_id, filters)
        meant, names = meant_documents(question, [d for d in documents if is_within(d, within)], found)
        opened = list[EvidenceChunk]()
        for document_id in meant:
            indexed = await self.store.chunks(workspace_id, document_id)
            title = await asyncio.to_thread(self.catalog.title, workspace_id, document_id) or ""
            first, last = within.pages or (0, sys.maxsize)
            chunks = [item.chunk for item in indexed if first <= item.chunk.page <= last]
            opened += await asyncio.to_thread(substance, chunks, max(FEWEST_OF_EACH, limit // len(meant)), title)
        return opened, names

    async def whole_tables(
        self, workspace_id: str, evidence: Sequence[EvidenceChunk], and_beside: int = 0
    ) -> list[EvidenceChunk]:
        """Adds the other rows of the tables that the best passages belong to, as a count or a superlative over half a
        table is wrong. `and_beside` is the number of characters to add from next to the evidence."""
        return await with_whole_tables(self.store, workspace_id, evidence, and_beside)

    async def require_filters(self, workspace_id: str, filters: SearchFilters) -> None:
        """Raises InvalidInput for filters that cannot be used."""
        await asyncio.to_thread(store_filters, self.catalog, workspace_id, filters)

    async def chunks(self, workspace_id: str, document_id: str) -> list[Chunk]:
        return [item.chunk for item in await self.store.chunks(workspace_id, document_id)]

    async def passages(self, workspace_id: str, document_id: str) -> list[str]:
        """A document's passages as they are embedded."""
        title = await asyncio.to_thread(self.catalog.title, workspace_id, document_id)
        indexed = await self.store.chunks(workspace_id, document_id)
        return [meaning_text(item.chunk, title) for item in indexed]

    async def passage(self, workspace_id: str, chunk_id: str) -> Chunk | None:
        """The passage from the index, if its document is visible to searches."""
        chunk = await self.store.chunk(workspace_id, chunk_id)
        return chunk if chunk and await self._is_shown(workspace_id, chunk.document_id) else None

    async def section(self, workspace_id: str, chunk_id: str, place: Place = NOWHERE) -> Section:
        """The whole section that a passage is part of. `place` locates passages that were found together."""
        chunk, _ = await read_words(self, workspace_id, chunk_id, place)
        parsed = await self.document_text(workspace_id, chunk.document_id)
        if parsed is None:
            raise UnknownPassage(f"The text of {chunk.file_name} is not stored.")
        return await asyncio.to_thread(section_of, parsed, chunk)

    async def document_text(self, workspace_id: str, document_id: str) -> ParsedDocument | None:
        if not await self._is_shown(workspace_id, document_id):
            return None
        return await asyncio.to_thread(self.catalog.parsed, workspace_id, document_id)

    async def reindex(self, on_progress: OnProgress | None = None) -> int:
        """Rebuilds the index for the current embedder; the old one is used until the new one is complete."""
        with self._ingestor.rebuilding():
            return await self._reindexer(Tally(on_progress)).run()

    async def lost_documents(self) -> list[Document]:
        """Documents with passages missing from the index."""
        workspaces = await asyncio.to_thread(self.catalog.workspaces)
        return [one for each in workspaces for one in await lost_of(self.store, self.catalog, each.workspace_id)]

    async def mend_index(self) -> int:
        """Restores lost passages and returns how many.

        An index that has lost everything is rebuilt beside the old one, so that no question is answered from a part of
        it; otherwise only the missing passages are added.
        """
        lost, workspaces = await self.lost_documents(), await asyncio.to_thread(self.catalog.workspaces)
        if lost and not any([await self.store.count(workspace.workspace_id) for workspace in workspaces]):
            return await self.reindex()
        return await self._reindexer(Tally(None)).mend(lost)

    @property
    def calibration(self) -> Calibration:
        """What the score thresholds mean for the embedder in use."""
        return calibration_for(self.embedder.name, self._settings.home)

    async def delete_document(self, workspace_id: str, document_id: str) -> DeletionReceipt:
        document = await asyncio.to_thread(self.catalog.document, workspace_id, document_id)
        if document is None:
            raise InvalidInput(f"There is no document {document_id[:80]!r} in {workspace_id}.")
        self._ingestor.require_at_rest(workspace_id, document_id)
        text = await asyncio.to_thread(self.catalog.text, workspace_id, document_id)
        passages, size, cached = await self._ingestor.remove(workspace_id, document_id)
        return DeletionReceipt(
            workspace_id,
            document_id,
            (document.file_name,),
            documents=1,
            chunks=passages,
            text_chars=len(text or ""),
            bytes=size,
            cached_vectors=cached,
            runs=0,
            deleted_at=now(),
        )

    async def require_deletable(self, workspace_id: str) -> None:
        """Raises whatever deleting the workspace would raise, before anything is deleted."""
        if not await asyncio.to_thread(self.catalog.has_workspace, workspace_id):
            raise UnknownWorkspace(f"There is no workspace {workspace_id[:80]!r}.")
        self._ingestor.require_at_rest(workspace_id)
        await self.store.count(workspace_id)

    async def delete_workspace(self, workspace_id: str) -> DeletionReceipt:
        await self.require_deletable(workspace_id)
        documents = await asyncio.to_thread(self.catalog.documents, workspace_id)
        chars = await asyncio.to_thread(self.catalog.text_chars, workspace_id)
        # The store first: if it fails, the workspace is still listed and can be deleted again.
        passages = await self.store.delete_workspace(workspace_id)
        size = await asyncio.to_thread(self.originals.delete_workspace, workspace_id)
        cached = await asyncio.to_thread(self._cache.delete, workspace_id)
        await asyncio.to_thread(self.catalog.delete_workspace, workspace_id)
        return DeletionReceipt(
            workspace_id,
            None,
            tuple(document.file_name for document in documents),
            documents=len(documents),
            chunks=passages,
            text_chars=chars,
            bytes=size,
            cached_vectors=cached,
            runs=0,
            deleted_at=now(),
        )

    def close(self) -> None:
        for part in (self._sandbox, self.store, self.embedder, self.originals, *self._databases):
            if not any(part is lent for lent in self.lent):
                part.close()

    async def answers(self) -> None:
        """Raises whatever a search would raise now; cheap enough to call often."""
        await self.store.count("")
        await self._searcher.require_index()

    async def check(self) -> None:
        """Raises whatever ingesting or searching would raise, and reports passages that the index has lost."""
        await self.store.count("")
        for workspace in await asyncio.to_thread(self.catalog.workspaces):
            name = workspace.workspace_id
            if lost := await lost_of(self.store, self.catalog, name):
                raise DataFolderError(
                    f"The index lacks passages of {len(lost)} of the {workspace.documents} documents of {name}.",
                    advice="Ingest its documents again: complete documents are skipped, the rest is read again.",
                )

    async def _prepare(self, workspace_id: str) -> None:
        """Fails once for what would fail for every file: a bad name, a locked index, a missing server."""
        check_workspace_name(workspace_id)
        self._ingestor.require_no_rebuilding()
        await self.store.prepare(await self.embedder.ready())
        await asyncio.to_thread(self.catalog.create_workspace, workspace_id)
        for document_id in await asyncio.to_thread(self.catalog.going, workspace_id):
            await self._ingestor.remove(workspace_id, document_id)

    async def _is_shown(self, workspace_id: str, document_id: str) -> bool:
        return await asyncio.to_thread(self.catalog.is_shown, workspace_id, document_id)

    def _batch(
        self, workspace_id: str, tally: Tally, *, defer_vectors: bool = False, is_continued: bool = False
    ) -> Batch:
        return Batch(
            self._ingestor,
            self._make_stage,
            workspace_id,
            tally,
            self._settings.readers,
            defer_vectors=defer_vectors,
            is_continued=is_continued,
        )

    def _make_stage(self, on_batch: OnBatch, on_done: OnDone) -> VectorStage:
        return VectorStage(
            self.store, self.catalog, self._vectorizer, self._settings.embedding_batch, on_batch, on_done
        )

    def _reindexer(self, tally: Tally) -> Reindexer:
        parts = self._settings, self.store, self.embedder, self.catalog, self._cache, self.originals, self._reader
        return Reindexer(*parts, tally)

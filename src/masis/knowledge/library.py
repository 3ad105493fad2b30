"""The documents of every workspace: put in, searched, taken out. The one owner of all store calls."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Literal

from masis.audit.words import content_stems
from masis.errors import DataFolderError, DuplicateDocument, InvalidInput, MASISError, UnknownWorkspace
from masis.knowledge.calibration import Calibration, calibration_for
from masis.knowledge.catalog import Catalog, check_workspace_name
from masis.knowledge.embedding import Embedder, embedder_for
from masis.knowledge.files import FoundFile, find_files, read_file
from masis.knowledge.ingest import ChunkCounter, Ingestor, document_id_of, failure_reason
from masis.knowledge.keywords import keyword_relevance
from masis.knowledge.sparse import sparse_query
from masis.knowledge.store import Hit, VectorStore, store_for
from masis.settings import Settings
from masis.types import Document, EvidenceChunk, IngestReport, SearchResult

_FILE_NAME_CHARS = 255

IngestStage = Literal["reading", "embedding", "ready", "duplicate", "failed"]


@dataclass(frozen=True, slots=True)
class IngestProgress:
    file_name: str
    stage: IngestStage
    files_done: int
    files_total: int
    chunks_done: int = 0
    chunks_total: int = 0


OnProgress = Callable[[IngestProgress], None]


def open_library(settings: Settings) -> "Library":
    """Opens no file, socket or model yet. Keep one per data folder and close it."""
    embedder = embedder_for(settings)
    return Library(settings, store_for(settings, embedder), embedder, Catalog(settings.home / "masis.db"))


class Library:
    def __init__(self, settings: Settings, store: VectorStore, embedder: Embedder, catalog: Catalog) -> None:
        self.catalog = catalog
        self._settings = settings
        self._store = store
        self.embedder = embedder
        self._ingestor = Ingestor(settings, store, embedder, catalog)

    async def ingest(
        self, paths: Sequence[Path], workspace_id: str, on_progress: OnProgress | None = None
    ) -> IngestReport:
        """Every file of every path; what fails is reported and the rest goes on. Makes the workspace."""
        check_workspace_name(workspace_id)
        files = await asyncio.to_thread(find_files, paths)
        report = IngestReport(workspace_id)
        if any(file.problem is None for file in files):
            # A mistyped path must not leave an empty workspace behind.
            await self._prepare(workspace_id)
        for done, file in enumerate(files):
            progress = _Progress(on_progress or _nobody, file.name, done, len(files))
            progress.tell("reading")
            await self._ingest_file(file, workspace_id, report, progress)
        return report

    async def ingest_bytes(self, data: bytes, file_name: str, workspace_id: str) -> Document:
        """READY or FAILED; raises DuplicateDocument for bytes the workspace has."""
        await self._prepare(workspace_id)
        return await self._ingestor.ingest(data, _base_name(file_name), workspace_id, lambda *_: None)

    async def search(self, workspace_id: str, text: str, limit: int) -> SearchResult:
        """One store query: the best chunks by meaning and keywords together, each with its relevance."""
        dense = await self.embedder.embed_query(text)
        sparse = await asyncio.to_thread(sparse_query, text)
        hits = await self._store.query(workspace_id, dense, sparse, limit)
        scale = calibration_for(self.embedder.name)
        asked = frozenset(content_stems(text))
        candidates = [_evidence(hit, scale, asked) for hit in hits]
        return SearchResult(candidates, workspace_is_empty=not hits and await self._is_empty(workspace_id))

    @property
    def relevance_is_calibrated(self) -> bool:
        """Whether the score thresholds were measured for the embedder in use."""
        return calibration_for(self.embedder.name).is_calibrated

    async def delete_document(self, workspace_id: str, document_id: str) -> None:
        if await asyncio.to_thread(self.catalog.document, workspace_id, document_id) is None:
            raise InvalidInput(f"There is no document {document_id[:80]!r} in {workspace_id}.")
        # The store first: should it fail, the document is still listed and can be deleted again.
        await self._store.delete_document(workspace_id, document_id)
        await asyncio.to_thread(self.catalog.delete_document, workspace_id, document_id)

    async def delete_workspace(self, workspace_id: str) -> None:
        if not await asyncio.to_thread(self.catalog.has_workspace, workspace_id):
            raise UnknownWorkspace(f"There is no workspace {workspace_id[:80]!r}.")
        await self._store.delete_workspace(workspace_id)
        await asyncio.to_thread(self.catalog.delete_workspace, workspace_id)

    def close(self) -> None:
        self._store.close()
        self.embedder.close()

    async def check(self) -> None:
        """Raises what ingesting or searching would meet, and where the index lost what the catalog lists."""
        await self._store.count("")
        for workspace in await asyncio.to_thread(self.catalog.workspaces):
            indexed = await self._store.count(workspace.workspace_id)
            if indexed < workspace.chunks:
                name = workspace.workspace_id
                raise DataFolderError(
                    f"The index has only {indexed} of the {workspace.chunks} passages of {name}.",
                    advice="Ingest its documents again: what is complete is skipped, the rest is done anew.",
                )

    async def _prepare(self, workspace_id: str) -> None:
        """What would fail for every file fails here, once: a bad name, a locked index, an absent server."""
        check_workspace_name(workspace_id)
        await self._store.count(workspace_id)
        await asyncio.to_thread(self.catalog.create_workspace, workspace_id)

    async def _ingest_file(
        self, file: FoundFile, workspace_id: str, report: IngestReport, progress: "_Progress"
    ) -> None:
        try:
            if file.problem:
                raise file.problem
            data = await asyncio.to_thread(read_file, file.path, self._settings.max_file_bytes)
        except MASISError as error:
            report.failed.append(Document(workspace_id, "", file.name, status="FAILED", reason=failure_reason(error)))
            progress.tell("failed")
            return
        try:
            document = await self._ingestor.ingest(data, file.name, workspace_id, progress.count)
        except DuplicateDocument as error:
            report.duplicates.append(await self._duplicate(data, file.name, workspace_id, str(error)))
            progress.tell("duplicate")
            return
        (report.ready if document.status == "READY" else report.failed).append(document)
        progress.tell("ready" if document.status == "READY" else "failed")

    async def _duplicate(self, data: bytes, file_name: str, workspace_id: str, reason: str) -> Document:
        document_id = document_id_of(data)
        known = await asyncio.to_thread(self.catalog.document, workspace_id, document_id)
        document = known or Document(workspace_id, document_id, file_name, status="PROCESSING")
        return replace(document, file_name=file_name, reason=reason)

    async def _is_empty(self, workspace_id: str) -> bool:
        documents = await asyncio.to_thread(self.catalog.documents, workspace_id)
        return not any(document.status == "READY" for document in documents)


@dataclass(frozen=True, slots=True)
class _Progress:
    on_progress: OnProgress
    file_name: str
    files_done: int
    files_total: int

    def tell(self, stage: IngestStage, chunks_done: int = 0, chunks_total: int = 0) -> None:
        done = self.files_done + (stage not in ("reading", "embedding"))
        self.on_progress(IngestProgress(self.file_name, stage, done, self.files_total, chunks_done, chunks_total))

    @property
    def count(self) -> ChunkCounter:
        return lambda done, total: self.tell("embedding", done, total)


def _nobody(progress: IngestProgress) -> None:
    pass


def _evidence(hit: Hit, scale: Calibration, asked: frozenset[str]) -> EvidenceChunk:
    chunk = hit.chunk
    relevance = max(scale.relevance(hit.cosine), keyword_relevance(asked, chunk))
    return EvidenceChunk(
        chunk_id=chunk.chunk_id,
        file_name=chunk.file_name,
        text=chunk.text,
        score=round(relevance, 6),
        document_id=chunk.document_id,
        page=chunk.page,
        start=chunk.start,
        end=chunk.end,
        heading=chunk.heading,
        date=chunk.date,
    )


def _base_name(file_name: str) -> str:
    """What a client calls its upload is a label, never a path."""
    name = PurePosixPath(file_name.replace("\\", "/")).name
    storable = "".join(character for character in name if character.isprintable())[-_FILE_NAME_CHARS:]
    return storable.encode("utf-8", "replace").decode("utf-8") or "unnamed"

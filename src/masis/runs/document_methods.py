"""Documents and workspaces: put in, looked at, taken out."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from masis.access.audit_log import AuditLog
from masis.access.granting import revoke_keys_of
from masis.access.keys import Keys
from masis.errors import InvalidInput, UnknownDocument
from masis.knowledge.catalog import WorkspaceSummary
from masis.knowledge.ingestion.progress import IngestProgress
from masis.knowledge.ingestion.uploads import base_name
from masis.runs.core import Core, blocking
from masis.runs.erasure import delete_threads, erase_deleted, unlisted_threads
from masis.runs.hub import QUEUE
from masis.runs.ingestions import IngestedFile, Ingestion, forget_unread
from masis.runs.run_methods import checked_input
from masis.types import EVERYWHERE, LOCAL, Caller, DeletionReceipt, Document, EvidenceChunk, IngestReport, SearchFilters


class DocumentMethods(Core):
    async def aingest(
        self,
        paths: Sequence[str | Path],
        workspace: str,
        *,
        on_progress: Callable[[IngestProgress], None] | None = None,
        defer_vectors: bool = False,
    ) -> IngestReport:
        """`defer_vectors`: findable by keyword at once; vectors come with the next ingestion, or as questions need."""
        return await self.library.ingest([Path(p) for p in paths], workspace, on_progress, defer_vectors=defer_vectors)

    async def aupload(self, workspace: str, files: Sequence[tuple[str, bytes]], by: Caller = LOCAL) -> Ingestion:
        """Files that are not on this machine: kept at once, read in the background. What is there already, or on its
        way, is said."""
        await self.require_workspace(workspace)
        ingestion = None
        while ingestion is None:  # again where an upload of the same bytes came to its end in between, and took them
            kept = [await self._kept(workspace, name, data) for name, data in files]
            ingestion = await asyncio.to_thread(self.uploads.create, workspace, kept, by, self._has_bytes(workspace))
        self.hub.tell(QUEUE)
        return ingestion

    async def aingestion(self, ingestion_id: str, workspace: str) -> Ingestion:
        return await asyncio.to_thread(self.uploads.get, ingestion_id, workspace)

    async def aingestions(self, workspace: str, limit: int = 50) -> list[Ingestion]:
        await self.require_workspace(workspace)
        return await asyncio.to_thread(self.uploads.newest, workspace, limit)

    async def acancel_ingestion(self, ingestion_id: str, workspace: str) -> Ingestion:
        """What is read already stays; run the upload again for the rest."""
        ingestion = await asyncio.to_thread(self.uploads.cancel, ingestion_id, workspace)
        if ingestion.status == "cancelled":
            await forget_unread(self.uploads, self.library, ingestion)
        self.hub.tell(ingestion_id)
        return ingestion

    async def asearch(
        self, question: str, workspace: str, *, limit: int | None = None, filters: SearchFilters = EVERYWHERE
    ) -> list[EvidenceChunk]:
        """The passages that the Researcher would look at, best first, with their relevance; no model is asked."""
        await self.require_workspace(workspace)
        checked_input(question, workspace, None)
        found = await self.library.search(
            workspace,
            question,
            limit or self.settings.candidates,
            at_least=self.settings.relevance_threshold,
            filters=filters,
        )
        return list(found.candidates)

    async def aworkspaces(self) -> list[WorkspaceSummary]:
        return await asyncio.to_thread(self.library.catalog.workspaces)

    async def acreate_workspace(self, workspace: str) -> WorkspaceSummary:
        """Empty; an ingestion makes its workspace by itself."""
        catalog = self.library.catalog
        if await asyncio.to_thread(catalog.has_workspace, workspace):
            raise InvalidInput(f"There is a workspace named “{workspace}” already.", advice="Use it as it is.")
        await asyncio.to_thread(catalog.create_workspace, workspace)
        return next(w for w in await self.aworkspaces() if w.workspace_id == workspace)

    async def adocuments(self, workspace: str) -> list[Document]:
        await self.require_workspace(workspace)
        return await asyncio.to_thread(self.library.catalog.documents, workspace)

    async def adelete_document(self, document: str, workspace: str) -> DeletionReceipt:
        """By its id or its file name, with all that was made of it."""
        found = [d for d in await self.adocuments(workspace) if document in (d.document_id, d.file_name)]
        if len(found) != 1:
            raise UnknownDocument(
                f"{len(found) or 'No'} documents of {workspace} are called {document[:80]!r}.",
                advice=f"Take the id from `masis documents --workspace {workspace} --json`.",
            )
        await self._require_no_upload(workspace)
        return await self.library.delete_document(workspace, found[0].document_id)

    async def adelete_workspace(self, workspace: str, by: Caller = LOCAL) -> DeletionReceipt:
        """With its documents, its index, its caches, its runs, what was decided, and the keys that open nothing
        else."""
        await self.library.require_deletable(workspace)
        await self._require_no_upload(workspace)
        if running := await asyncio.to_thread(self.queue.open_subjects, "run", workspace):
            raise InvalidInput(
                f"{len(running)} runs of {workspace} are at work or queued.",
                advice="Cancel them, or wait for them to finish, then delete again.",
            )
        runs = await self._delete_runs(workspace) + await self._delete_unlisted(workspace)
        keys, log = Keys(self.settings), AuditLog(self.settings)
        await asyncio.to_thread(revoke_keys_of, keys, log, by, workspace)
        receipt = await self.library.delete_workspace(workspace)
        # Until here another process could still ask something of the workspace.
        return replace(receipt, runs=runs + await self._delete_runs(workspace))

    async def areindex(self, *, on_progress: Callable[[IngestProgress], None] | None = None) -> int:
        """The index of all workspaces anew, with the embedder and the chunk size set now; how many passages it has."""
        return await self.library.reindex(on_progress)

    ingest = blocking(aingest)
    upload = blocking(aupload)
    ingestion = blocking(aingestion)
    ingestions = blocking(aingestions)
    cancel_ingestion = blocking(acancel_ingestion)
    search = blocking(asearch)
    workspaces = blocking(aworkspaces)
    create_workspace = blocking(acreate_workspace)
    documents = blocking(adocuments)
    delete_document = blocking(adelete_document)
    delete_workspace = blocking(adelete_workspace)
    reindex = blocking(areindex)

    async def _delete_runs(self, workspace: str) -> int:
        runs = await asyncio.to_thread(self.run_table.delete_workspace, workspace)
        await erase_deleted(self.settings, self.run_table)
        return runs

    async def _delete_unlisted(self, workspace: str) -> int:
        listed = await asyncio.to_thread(self.run_table.ids, workspace)
        unlisted = await unlisted_threads(self.settings, workspace, listed)
        await delete_threads(self.settings, unlisted)
        return len(unlisted)

    def _has_bytes(self, workspace: str) -> Callable[[str], bool]:
        return partial(self.library.originals.has, workspace)

    async def _kept(self, workspace: str, name: str, data: bytes) -> IngestedFile:
        document_id = await self.library.keep_upload(workspace, name, data)
        known = await asyncio.to_thread(self.library.catalog.document, workspace, document_id)
        if known and known.status == "READY":
            said = f"The same bytes are in {workspace} already, as {known.file_name}."
            return IngestedFile(base_name(name), document_id, "duplicate", said)
        return IngestedFile(base_name(name), document_id, "queued")

    async def _require_no_upload(self, workspace: str) -> None:
        """Another process may be reading it in; what goes out would come in again."""
        if await asyncio.to_thread(self.queue.open_subjects, "ingest", workspace):
            raise InvalidInput(
                f"Documents are being ingested into {workspace} right now.",
                advice="Wait for the ingestion to finish, or cancel it, then delete again.",
            )

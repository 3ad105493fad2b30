"""Masis: everything a program does with MASIS, in one class.

Every method has an async twin whose name starts with `a`. The verbs are those of the command line, the API and MCP:
ask, answer (a person's decision), resume (after an interruption or a failure), cancel, delete.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from masis.audit.checks.signature import Check
from masis.jobs.worker import Worker
from masis.knowledge.catalog import WorkspaceSummary
from masis.knowledge.embedding.port import Embedder
from masis.knowledge.ingestion.batch import OnProgress
from masis.knowledge.ingestion.layout import Section
from masis.knowledge.ingestion.syncing import SyncReport
from masis.knowledge.library import Library
from masis.knowledge.overview import Overview, stored_overview
from masis.knowledge.source_table import KnownFile, Source
from masis.knowledge.store.port import VectorStore
from masis.language.follow_up import Turn
from masis.orchestrator.agent import blocking
from masis.orchestrator.human import Answer
from masis.reasoning.offline.auditor import answered_offline
from masis.reasoning.ports import Auditor, Judge, Writer
from masis.runs import asking, deletion, syncing, working
from masis.runs.deletion import PruneReport, prune
from masis.runs.events import RunEvent
from masis.runs.execution import OnEvent
from masis.runs.feedback import FeedbackTable
from masis.runs.ingestions import Ingestion
from masis.runs.parts import Given, Parts
from masis.runs.planning import Finding, Plan, examine, planned
from masis.runs.records import RunRecord, RunResult, RunStatus, UsageRow
from masis.settings import Settings
from masis.types import (
    EVERYWHERE,
    LOCAL,
    NO_LIMIT,
    Budget,
    Caller,
    DeletionReceipt,
    Document,
    EvidenceChunk,
    IngestReport,
    Outcome,
    SearchFilters,
    StandingDecision,
)


class Masis:
    """
    >>> with Masis() as masis:                                                     # doctest: +SKIP
    ...     masis.ingest(["reports/"], workspace="acme")
    ...     print(masis.ask("What was churn in 2025?", workspace="acme").answer)

    Parts that you do not pass in are created from the settings on first use; `close`, or the end of `with`, closes only
    those. Two instances in one process may share a data folder: the last to close releases it for other processes.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        library: Library | None = None,
        embedder: Embedder | None = None,
        store: VectorStore | None = None,
        writer: Writer | None = None,
        auditor: Auditor | None = None,
        judge: Judge | None = None,
        checks: Sequence[Check] = (),
    ) -> None:
        self.settings = settings or Settings()
        self._parts = Parts(self.settings, Given(library, embedder, store, writer, auditor, judge, checks))
        self._entered = AsyncExitStack()

    @property
    def library(self) -> Library:
        return self._parts.library

    @property
    def feedback(self) -> FeedbackTable:
        return self._parts.feedback

    def close(self) -> None:
        self._parts.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        """Keeps the checkpoints open for this event loop, because opening them takes longer than a step of a run."""
        await self._entered.enter_async_context(self._parts.graph())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._entered.aclose()
        await asyncio.to_thread(self.close)

    # Questions

    async def aask(
        self,
        question: str,
        workspace: str,
        *,
        max_retries: int | None = None,
        filters: SearchFilters | None = None,
        budget: Budget = NO_LIMIT,
        thread: str | None = None,
        complete: bool = True,
        run_id: str | None = None,
        on_event: OnEvent | None = None,
        by: Caller = LOCAL,
    ) -> RunResult:
        """Asks and waits for the result. `filters` limits the search. `thread` is the `thread_id` of an earlier answer,
        or its run: a follow-up is completed from it unless `complete` is False, and reuses its filters unless you give
        others. `run_id` is 16 hexadecimal digits of your choice: asking again with the same one, even after a crash,
        continues the same run."""
        asked = asking.Asked(question, workspace, max_retries, filters, budget, thread, (), complete, run_id)
        return await asking.asked_here(self._parts, asked, by, on_event)

    async def aask_in_background(
        self,
        question: str,
        workspace: str,
        *,
        max_retries: int | None = None,
        filters: SearchFilters | None = None,
        budget: Budget = NO_LIMIT,
        thread: str | None = None,
        turns: Sequence[Turn] = (),
        complete: bool = True,
        by: Caller = LOCAL,
    ) -> RunRecord:
        """Queues the question for a worker; `masis serve` and `working` run one. `turns` is the conversation so far."""
        asked = asking.Asked(question, workspace, max_retries, filters, budget, thread, turns, complete)
        return await asking.new_run(self._parts, asked, by)

    async def aplan(
        self, question: str, workspace: str, *, max_retries: int | None = None, filters: SearchFilters = EVERYWHERE
    ) -> Plan:
        """Estimates calls, tokens, cost and seconds. It searches, but calls no model."""
        return await planned(self._parts, question, workspace, max_retries, filters)

    async def aanswer(
        self,
        run_id: str,
        answer: Answer | Mapping[str, Any],
        *,
        on_event: OnEvent | None = None,
        workspace: str | None = None,
    ) -> RunResult:
        """Gives a person's decision to a waiting run and continues it in this process."""
        return await asking.answered_here(self._parts, run_id, answer, workspace, on_event)

    async def aanswer_in_background(
        self, run_id: str, answer: Answer | Mapping[str, Any], *, workspace: str | None = None
    ) -> RunRecord:
        return await asking.answered(self._parts, run_id, answer, workspace)

    async def aresume(self, run_id: str, *, on_event: OnEvent | None = None, workspace: str | None = None) -> RunResult:
        """Continues a run that failed, or whose process was killed, from its last checkpoint, in this process."""
        return await asking.resumed_here(self._parts, run_id, workspace, on_event)

    async def aresume_in_background(self, run_id: str, *, workspace: str | None = None) -> RunRecord:
        """Queues a failed run again. Workers resume the runs of dead processes on their own."""
        await asking.resumed(self._parts, run_id, workspace)
        return await self.aget_run(run_id, workspace)

    async def acancel(self, run_id: str, workspace: str | None = None) -> RunRecord:
        """A waiting run is cancelled at once, a running one within about a second."""
        return await asking.cancelled(self._parts, run_id, workspace)

    async def adelete_run(self, run_id: str, workspace: str | None = None) -> None:
        """Deletes the run with its trail and checkpoints."""
        await deletion.delete_run(self._parts, run_id, workspace)

    # Runs and their results

    async def aget_run(self, run_id: str, workspace: str | None = None) -> RunRecord:
        return await asking.get_run(self._parts, run_id, workspace)

    async def aruns(
        self,
        workspace: str | None = None,
        *,
        status: RunStatus | None = None,
        outcome: Outcome | None = None,
        search: str | None = None,
        thread_id: str | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> list[RunRecord]:
        """Newest first. `before`: the last run of the previous page, by id or by `position`, which outlives the run."""
        chosen: dict[str, Any] = {"status": status, "outcome": outcome, "search": search, "thread_id": thread_id}
        return await asyncio.to_thread(self._parts.runs.page, workspace, limit=limit, before=before, **chosen)

    async def aresult(self, run_id: str, workspace: str | None = None) -> RunResult | None:
        """None if there is no result yet."""
        return await asking.result_of(self._parts, run_id, workspace)

    async def aevents(self, run_id: str, workspace: str | None = None, after: int = -1) -> list[RunEvent]:
        """All events so far."""
        return await asking.events_of(self._parts, run_id, workspace, after)

    async def afollow(self, run_id: str, after: int = -1, *, workspace: str | None = None) -> AsyncIterator[RunEvent]:
        """The events after number `after`, then new ones as they happen, until the run ends or needs a decision."""
        await self.aget_run(run_id, workspace)
        runs, hub = self._parts.runs, self._parts.hub
        async for event in asking.followed(runs, hub, run_id, after, self.settings.poll_seconds):
            yield event

    async def aprune(self, older_than_days: float | None = None) -> PruneReport:
        """Deletes expired data: old runs that have ended, and checkpoints that are no longer needed."""
        return await prune(self.settings, self._parts.runs, older_than_days)

    async def ausage(self, workspace: str | None = None) -> list[UsageRow]:
        """Calls, tokens and cost by workspace and caller."""
        return await asyncio.to_thread(self._parts.runs.usage, workspace)

    async def adecisions(self, workspace: str) -> list[StandingDecision]:
        await self._parts.require_workspace(workspace)
        return await asyncio.to_thread(self._parts.decisions.of, workspace)

    async def adelete_decision(self, workspace: str, decision_id: str) -> StandingDecision:
        return await asyncio.to_thread(self._parts.decisions.delete, workspace, decision_id)

    # Documents and workspaces

    async def aingest(
        self,
        paths: Sequence[str | Path],
        workspace: str,
        *,
        on_progress: OnProgress | None = None,
        defer_vectors: bool = False,
    ) -> IngestReport:
        """With `defer_vectors`, documents are found by keyword at once, and by meaning once they have vectors."""
        return await self.library.ingest([Path(p) for p in paths], workspace, on_progress, defer_vectors=defer_vectors)

    async def aupload(self, workspace: str, files: Sequence[tuple[str, bytes]], by: Caller = LOCAL) -> Ingestion:
        """Saves files (names and contents) for a worker to read. The result lists duplicates."""
        return await working.upload(self._parts, workspace, files, by)

    async def aingestion(self, ingestion_id: str, workspace: str) -> Ingestion:
        return await asyncio.to_thread(self._parts.ingestions.get, ingestion_id, workspace)

    async def aingestions(self, workspace: str, limit: int = 50) -> list[Ingestion]:
        """Newest first."""
        await self._parts.require_workspace(workspace)
        return await asyncio.to_thread(self._parts.ingestions.newest, workspace, limit)

    async def acancel_ingestion(self, ingestion_id: str, workspace: str) -> Ingestion:
        """Files that were already read stay. Upload the others again if you need them."""
        return await working.cancel_ingestion(self._parts, ingestion_id, workspace)

    async def asearch(
        self, question: str, workspace: str, *, limit: int | None = None, filters: SearchFilters = EVERYWHERE
    ) -> list[EvidenceChunk]:
        """The passages that the Researcher would find, best first, with their relevance. No model is called."""
        return await asking.searched(self._parts, question, workspace, limit, filters)

    async def asection(self, chunk_id: str, workspace: str) -> Section:
        """The whole section around a passage."""
        await self._parts.require_workspace(workspace)
        return await self.library.section(workspace, chunk_id)

    async def aworkspaces(self) -> list[WorkspaceSummary]:
        return await asyncio.to_thread(self.library.catalog.workspaces)

    async def acreate_workspace(self, workspace: str) -> WorkspaceSummary:
        """Creates an empty workspace. Ingesting into a new workspace creates it too."""
        return await self._parts.create_workspace(workspace)

    async def adocuments(self, workspace: str) -> list[Document]:
        return await self._parts.documents(workspace)

    async def aoverview(self, document: str, workspace: str) -> Overview:
        """Summarizes a document, given by id or file name, and suggests questions that it can answer."""
        found = await self._parts.document(document, workspace)
        return await stored_overview(self.library, found, answered_offline, self.settings.chunk_chars)

    async def adelete_document(self, document: str, workspace: str) -> DeletionReceipt:
        """Deletes a document, given by id or file name, and everything derived from it."""
        return await deletion.delete_document(self._parts, document, workspace)

    async def adelete_workspace(self, workspace: str, by: Caller = LOCAL) -> DeletionReceipt:
        """Deletes its documents, index, caches, runs and decisions, and the keys that open no other workspace."""
        return await deletion.delete_workspace(self._parts, workspace, by)

    async def areindex(self, *, on_progress: OnProgress | None = None) -> int:
        """Rebuilds the index of all workspaces with the current embedder and chunk size; returns how many passages."""
        return await self.library.reindex(on_progress)

    async def arequire_workspace(self, workspace: str) -> None:
        """Raises UnknownWorkspace if it does not exist."""
        await self._parts.require_workspace(workspace)

    async def acheckup(self) -> list[Finding]:
        """Reports what is configured and whether it works. Each configured model is asked two short questions."""
        return await examine(self.settings, self.library)

    # Sources

    async def async_(
        self,
        sources: Sequence[str],
        workspace: str,
        *,
        ignore: Sequence[str] = (),
        every: str | None = None,
        dry_run: bool = False,
        allow_empty: bool = False,
        on_progress: OnProgress | None = None,
    ) -> list[SyncReport]:
        """Syncs the workspace with folders and addresses and remembers them; without any, syncs all its sources.

        `ignore`: patterns as in a .gitignore. `every`: how often a service syncs, such as “15m”. If a source cannot be
        listed, or is suddenly empty and `allow_empty` is False, raises SourceUnavailable and keeps its documents.
        """
        wanted = await syncing.sources_for(self._parts, workspace, sources, ignore, every)
        return await syncing.sync_sources(self._parts, wanted, on_progress, dry_run=dry_run, allow_empty=allow_empty)

    async def async_in_background(self, source: Source, *, allow_empty: bool = False) -> Source:
        """Stores the source for a worker to sync; `masis serve` runs one."""
        return await syncing.leave_to_worker(self._parts, replace(source, allow_empty=allow_empty))

    async def asources(self, workspace: str | None = None) -> list[Source]:
        return await asyncio.to_thread(self.library.sources.of, workspace)

    async def asource_files(self, workspace: str, source: str) -> list[KnownFile]:
        """Each file of the source, with its address and the version that was read."""
        return await syncing.files_of(self._parts, workspace, source)

    async def adelete_source(self, workspace: str, source: str) -> Source:
        """Stops syncing the source. Its documents stay."""
        return await syncing.delete_source(self._parts, workspace, source)

    def is_syncing(self, source: Source) -> bool:
        """Whether a worker is syncing the source or has it queued."""
        return syncing.is_syncing(self._parts, source)

    def working(self, concurrency: int | None = None) -> AbstractAsyncContextManager[Worker]:
        """Runs a worker for background runs and uploads in this event loop: `async with masis.working():`."""
        return working.working(self._parts, concurrency)

    def job_counts(self) -> dict[tuple[str, str], int]:
        """The number of jobs by kind and status."""
        return self._parts.queue.counts()

    def being_ingested(self, workspace: str) -> dict[str, str]:
        """Documents that open ingestions are reading or have queued: id → file name."""
        return self._parts.ingestions.on_their_way(workspace)

    ask = blocking(aask)
    plan = blocking(aplan)
    ask_in_background = blocking(aask_in_background)
    answer = blocking(aanswer)
    answer_in_background = blocking(aanswer_in_background)
    resume = blocking(aresume)
    resume_in_background = blocking(aresume_in_background)
    cancel = blocking(acancel)
    delete_run = blocking(adelete_run)
    get_run = blocking(aget_run)
    runs = blocking(aruns)
    result = blocking(aresult)
    events = blocking(aevents)
    prune = blocking(aprune)
    usage = blocking(ausage)
    decisions = blocking(adecisions)
    delete_decision = blocking(adelete_decision)
    ingest = blocking(aingest)
    upload = blocking(aupload)
    ingestion = blocking(aingestion)
    ingestions = blocking(aingestions)
    cancel_ingestion = blocking(acancel_ingestion)
    search = blocking(asearch)
    section = blocking(asection)
    workspaces = blocking(aworkspaces)
    create_workspace = blocking(acreate_workspace)
    documents = blocking(adocuments)
    overview = blocking(aoverview)
    delete_document = blocking(adelete_document)
    delete_workspace = blocking(adelete_workspace)
    reindex = blocking(areindex)
    checkup = blocking(acheckup)
    sync = blocking(async_)
    sync_in_background = blocking(async_in_background)
    sources = blocking(asources)
    source_files = blocking(asource_files)
    delete_source = blocking(adelete_source)

"""Masis: ask, ingest and resume in a few lines. Every method has an async twin whose name starts with `a`."""

import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command
from pydantic import ValidationError

from masis.errors import DataFolderError, InvalidInput, UnknownWorkspace
from masis.knowledge.catalog import WorkspaceSummary
from masis.knowledge.library import Library
from masis.knowledge.progress import IngestProgress
from masis.orchestrator.graph import MASISGraph, build_graph
from masis.orchestrator.human import HumanAnswer, checked_answer
from masis.orchestrator.services import Services, library_for, services_for
from masis.orchestrator.state import MASISInput, MASISState, applied, in_words
from masis.orchestrator.twin import run_blocking
from masis.runs.checkpoints import open_checkpointer
from masis.runs.erasure import delete_runs
from masis.runs.result import RunResult, result_of
from masis.settings import Settings
from masis.types import EVERYWHERE, DeletionReceipt, Document, EvidenceChunk, IngestReport, SearchFilters

Event = dict[str, Any]
"""{"agent", "event": "started" | "finished", …}: what a run tells while it works."""


class Masis:
    """
    >>> masis = Masis()                                               # doctest: +SKIP
    >>> masis.ingest(["reports/"], workspace="acme")                  # doctest: +SKIP
    >>> print(masis.ask("What was churn in 2025?", workspace="acme").answer)   # doctest: +SKIP
    """

    def __init__(self, settings: Settings | None = None, *, services: Services | None = None) -> None:
        self.settings = settings or (services.settings if services else Settings())
        self._services = services

    @property
    def services(self) -> Services:
        return self._services or services_for(self.settings)

    @property
    def library(self) -> Library:
        return library_for(self.settings)

    def ask(
        self,
        question: str,
        workspace: str,
        *,
        max_retries: int | None = None,
        filters: SearchFilters = EVERYWHERE,
        on_event: Callable[[Event], None] | None = None,
    ) -> RunResult:
        return run_blocking(self.aask(question, workspace, max_retries=max_retries, filters=filters, on_event=on_event))

    async def aask(
        self,
        question: str,
        workspace: str,
        *,
        max_retries: int | None = None,
        filters: SearchFilters = EVERYWHERE,
        on_event: Callable[[Event], None] | None = None,
    ) -> RunResult:
        """`filters`: where in the workspace the answer is looked for."""
        state = checked_input(question, workspace, max_retries, filters).to_state()
        self._require(workspace)
        if filters != EVERYWHERE:
            await self.library.require_filters(workspace, filters)
        return await self._run(uuid.uuid4().hex[:12], state, on_event)

    def resume(
        self,
        run_id: str,
        answer: HumanAnswer | dict[str, Any],
        *,
        on_event: Callable[[Event], None] | None = None,
    ) -> RunResult:
        return run_blocking(self.aresume(run_id, answer, on_event=on_event))

    async def aresume(
        self,
        run_id: str,
        answer: HumanAnswer | dict[str, Any],
        *,
        on_event: Callable[[Event], None] | None = None,
    ) -> RunResult:
        """A person's answer to a run that waits for one."""
        async with self._graph() as graph:
            snapshot = await graph.aget_state(_config(run_id))
        state = cast(MASISState, snapshot.values)
        _check_is_waiting(run_id, state, snapshot.next)
        given = answer.model_dump() if isinstance(answer, HumanAnswer) else answer
        checked = checked_answer(given, state)
        return await self._run(run_id, Command(resume=checked.model_dump()), on_event)

    def ingest(
        self,
        paths: Sequence[str | Path],
        workspace: str,
        *,
        on_progress: Callable[[IngestProgress], None] | None = None,
        defer_vectors: bool = False,
    ) -> IngestReport:
        return run_blocking(self.aingest(paths, workspace, on_progress=on_progress, defer_vectors=defer_vectors))

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

    def search(
        self, question: str, workspace: str, *, limit: int | None = None, filters: SearchFilters = EVERYWHERE
    ) -> list[EvidenceChunk]:
        return run_blocking(self.asearch(question, workspace, limit=limit, filters=filters))

    async def asearch(
        self, question: str, workspace: str, *, limit: int | None = None, filters: SearchFilters = EVERYWHERE
    ) -> list[EvidenceChunk]:
        """The passages that the Researcher would look at, best first, with their relevance; no model is asked."""
        self._require(workspace)
        checked_input(question, workspace, None)
        found = await self.library.search(
            workspace,
            question,
            limit or self.settings.candidates,
            at_least=self.settings.relevance_threshold,
            filters=filters,
        )
        return list(found.candidates)

    def delete_document(self, document: str, workspace: str) -> DeletionReceipt:
        return run_blocking(self.adelete_document(document, workspace))

    async def adelete_document(self, document: str, workspace: str) -> DeletionReceipt:
        """By its id or its file name, with all that was made of it."""
        self._require(workspace)
        found = [d for d in self.documents(workspace) if document in (d.document_id, d.file_name)]
        if len(found) != 1:
            raise InvalidInput(
                f"{len(found) or 'No'} documents of {workspace} are called {document[:80]!r}.",
                advice=f"Take the id from `masis documents --workspace {workspace} --json`.",
            )
        return await self.library.delete_document(workspace, found[0].document_id)

    def delete_workspace(self, workspace: str) -> DeletionReceipt:
        return run_blocking(self.adelete_workspace(workspace))

    async def adelete_workspace(self, workspace: str) -> DeletionReceipt:
        """With its documents, its index, its caches and its runs."""
        await self.library.require_deletable(workspace)
        runs = await delete_runs(self.settings, workspace)
        return replace(await self.library.delete_workspace(workspace), runs=runs)

    def reindex(self, *, on_progress: Callable[[IngestProgress], None] | None = None) -> int:
        return run_blocking(self.areindex(on_progress=on_progress))

    async def areindex(self, *, on_progress: Callable[[IngestProgress], None] | None = None) -> int:
        """The index of all workspaces anew, with the embedder and the chunk size set now; how many passages it has."""
        return await self.library.reindex(on_progress)

    def workspaces(self) -> list[WorkspaceSummary]:
        return self.library.catalog.workspaces()

    def documents(self, workspace: str) -> list[Document]:
        self._require(workspace)
        return self.library.catalog.documents(workspace)

    def _require(self, workspace: str) -> None:
        if not self.library.catalog.has_workspace(workspace):
            raise UnknownWorkspace(f"There is no workspace named “{workspace}”.")

    def close(self) -> None:
        """Give the index back, so that another process can open it."""
        self.library.close()

    @asynccontextmanager
    async def _graph(self) -> AsyncIterator[MASISGraph]:
        async with open_checkpointer(self.settings) as checkpointer:
            yield build_graph(checkpointer)

    async def _run(
        self,
        run_id: str,
        start: MASISState | Command[Any],
        on_event: Callable[[Event], None] | None,
    ) -> RunResult:
        latest: MASISState = {}
        try:
            async with self._graph() as graph:
                async for mode, part in graph.astream(
                    start,
                    _config(run_id),
                    context=self.services,
                    stream_mode=["custom", "updates", "values"],
                    durability="async",
                ):
                    if mode == "values":
                        latest = cast(MASISState, part)
                        continue
                    if mode == "updates" and isinstance(part, dict) and (ending := part.get("supervisor")):
                        # What ends the run is known before its checkpoint is written, which may still fail.
                        latest = applied(latest, ending)
                    if on_event:
                        for event in _events(mode, part):
                            on_event(event)
        except DataFolderError as error:
            # The answer is there and only could not be saved: it must not be lost with its checkpoint.
            if not latest.get("outcome"):
                raise
            latest["trace"] = [*latest["trace"], {"node": "run", "warning": "run_not_saved", "error": str(error)}]
        return result_of(run_id, latest)


def _config(run_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": run_id}}


def _events(mode: str, part: Any) -> list[Event]:
    if mode == "custom":
        return [part]
    return [
        {"agent": agent, "event": "finished", "trace": entry}
        for agent, update in part.items()
        if isinstance(update, dict)
        for entry in update.get("trace", [])
    ]


def checked_input(
    question: str, workspace: str, max_retries: int | None, filters: SearchFilters = EVERYWHERE
) -> MASISInput:
    try:
        return MASISInput(user_query=question, workspace_id=workspace, max_retries=max_retries, filters=filters)
    except ValidationError as error:
        raise InvalidInput(in_words(error)) from None


def _check_is_waiting(run_id: str, state: MASISState, waiting_in: tuple[str, ...]) -> None:
    if not state:
        raise InvalidInput(f"There is no run {run_id}.", advice="Use the run id that `masis ask` printed.")
    if waiting_in != ("human_review",):
        raise InvalidInput(f"Run {run_id} is not waiting for an answer.", advice="Ask a new question instead.")

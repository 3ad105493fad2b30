"""The tools. Their docstrings are the descriptions that the calling model reads."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from masis.access import api_key
from masis.access.api_key import LOCAL_ADMIN, ApiKey, Role, caller_of
from masis.access.audit_log import AuditLog
from masis.client import Masis
from masis.errors import MASISError, is_inside, public_words
from masis.knowledge.search.passages import read_words
from masis.mcp.results import (
    Documents,
    Evidence,
    Hearer,
    Judged,
    Passage,
    Result,
    RunState,
    Sources,
    Workspaces,
    documents_of,
    evidence_of,
    passage_of,
    reporting,
    result_of,
    sources_of,
    workspaces_of,
)
from masis.mcp.server import KEY_IN_SCOPE
from masis.orchestrator.human import Action
from masis.runs.events import RunEvent
from masis.runs.records import RunRecord, RunResult
from masis.settings import QUESTION_CEILING, RETRY_CEILING
from masis.types import EVERYWHERE, SearchFilters

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

_log = logging.getLogger(__name__)

Workspace = Annotated[str, Field(description="The workspace to use; list_workspaces lists them.")]
Question = Annotated[str, Field(max_length=QUESTION_CEILING, description="One complete question in plain language.")]
RunId = Annotated[str, Field(max_length=64, description="The run_id of a result or an error message.")]
MAX_CONTEXT_CHARS = 20_000
# Search filters, shared by `search_evidence` and `ask`.
InDocuments = Annotated[list[str] | None, Field(description="Only these documents, by file name or id; default all.")]
OfTypes = Annotated[list[str] | None, Field(description="Only files of these types, such as pdf or xlsx.")]
Since = Annotated[str | None, Field(description="Only documents dated on or after this date: 2024, 2024-03.")]
Until = Annotated[str | None, Field(description="Only documents dated on or before this date.")]


def add_tools(server: "MCPServer[Any]", masis: Masis) -> None:
    from mcp_types import ToolAnnotations

    tools = Tools(masis)
    looking = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    asking = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
    deleting = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)
    for verb in (tools.ask, tools.answer, tools.resume, tools.cancel, tools.give_feedback):
        server.add_tool(verb, annotations=asking, structured_output=True)
    server.add_tool(tools.delete_run, annotations=deleting, structured_output=True)
    for tool in (
        tools.search_evidence,
        tools.read_passage,
        tools.list_documents,
        tools.list_sources,
        tools.list_workspaces,
    ):
        server.add_tool(tool, annotations=looking, structured_output=True)


class Tools:
    def __init__(self, masis: Masis) -> None:
        self._masis = masis
        self._audit_log = AuditLog(masis.settings)

    async def ask(
        self,
        question: Question,
        workspace: Workspace,
        ctx: Context[Any, Any],
        max_retries: Annotated[
            int | None,
            Field(
                ge=0,
                le=RETRY_CEILING,
                description="Maximum retries if the answer fails its audit; default 2.",
            ),
        ] = None,
        thread_id: Annotated[
            str | None,
            Field(max_length=64, description="For a follow-up question: the thread_id of an earlier result."),
        ] = None,
        documents: InDocuments = None,
        file_types: OfTypes = None,
        dated_from: Since = None,
        dated_to: Until = None,
    ) -> Result:
        """Answer a question from a workspace's documents, with citations. Use this whenever the user wants to know
        what their documents say, especially for figures, dates, terms and comparisons. Five agents search, write,
        check every sentence against its source and score the answer, which takes between a few seconds and a minute.

        Quote the answer with its citations, and report what it says is missing. Never present a claim as fact unless
        its verdict is verbatim or supported. If requires_human_review is true, show the user the
        clarification_question and the conflicts, and let them decide. If the documents do not contain the answer, the
        result says so: do not fill the gap from memory. To browse, use search_evidence, which is faster."""
        with clear_errors(ctx):
            key = self._admit(ctx, "write", workspace)

            async def work(hear: Hearer) -> RunResult:
                asked: dict[str, Any] = {"max_retries": max_retries, "thread": thread_id, "by": caller_of(key)}
                scope = scope_of(documents, file_types, dated_from, dated_to)
                asked["filters"] = scope if scope != EVERYWHERE else None
                if is_local(ctx):
                    return await self._masis.aask(question, workspace, on_event=hear, **asked)
                run = await self._masis.aask_in_background(question, workspace, **asked)
                return await self._followed(run, hear)

            return await self._run(ctx, work, "run.ask", workspace)

    async def answer(
        self,
        run_id: RunId,
        workspace: Workspace,
        action: Annotated[Action, Field(description="One of the result's `choices`.")],
        by: Annotated[str, Field(description="Name of the person who decided; it is recorded.")],
        ctx: Context[Any, Any],
        prefer: Annotated[list[str] | None, Field(description="For prefer: names of the files to trust.")] = None,
        over: Annotated[list[str] | None, Field(description="For prefer: names of the files not to use.")] = None,
        question: Annotated[str | None, Field(description="For refine: the question to ask instead.")] = None,
        note: Annotated[str | None, Field(description="The person's reason.")] = None,
    ) -> Result:
        """Submit the user's decision for a run with requires_human_review, and get the resulting answer. Use it only
        after the user has decided: never choose for them, and never invent a name."""
        with clear_errors(ctx):
            self._admit(ctx, "write", workspace)
            given = {"action": action, "prefer": prefer or [], "over": over or [], "question": question}
            decided = {**given, "by": by, "note": note}

            async def work(hear: Hearer) -> RunResult:
                if is_local(ctx):
                    return await self._masis.aanswer(run_id, decided, on_event=hear, workspace=workspace)
                seen = await self._last_event(run_id, workspace)
                run = await self._masis.aanswer_in_background(run_id, decided, workspace=workspace)
                return await self._followed(run, hear, seen)

            return await self._run(ctx, work, "run.answer", workspace, run_id)

    async def resume(self, run_id: RunId, workspace: Workspace, ctx: Context[Any, Any]) -> Result:
        """Resume a failed run from its last checkpoint and get its answer. Use it when ask reported a failed run and
        the cause has been fixed. For a run that needs a decision, use answer instead."""
        with clear_errors(ctx):
            self._admit(ctx, "write", workspace)

            async def work(hear: Hearer) -> RunResult:
                if is_local(ctx):
                    return await self._masis.aresume(run_id, on_event=hear, workspace=workspace)
                seen = await self._last_event(run_id, workspace)
                run = await self._masis.aresume_in_background(run_id, workspace=workspace)
                return await self._followed(run, hear, seen)

            return await self._run(ctx, work, "run.resume", workspace, run_id)

    async def cancel(self, run_id: RunId, workspace: Workspace, ctx: Context[Any, Any]) -> RunState:
        """Stop a run that is queued, running or waiting for a decision. Use it only at the user's request."""
        with clear_errors(ctx):
            self._admit(ctx, "write", workspace)
            record = await self._masis.acancel(run_id, workspace)
            await self._record(ctx, "run.cancel", workspace, run_id)
            return RunState(run_id=run_id, status=record.status)

    async def delete_run(self, run_id: RunId, workspace: Workspace, ctx: Context[Any, Any]) -> RunState:
        """Permanently delete a run with its answer and its trail. Use it only at the user's explicit request."""
        with clear_errors(ctx):
            self._admit(ctx, "write", workspace)
            await self._masis.adelete_run(run_id, workspace)
            await self._record(ctx, "run.delete", workspace, run_id)
            return RunState(run_id=run_id, status="deleted")

    async def give_feedback(
        self,
        run_id: RunId,
        workspace: Workspace,
        verdict: Annotated[Literal["right", "wrong"], Field(description="The user's judgement.")],
        ctx: Context[Any, Any],
        reason: Annotated[str | None, Field(max_length=2000, description="Why, in the user's words.")] = None,
        sentence: Annotated[
            int | None, Field(ge=1, description="Judge only this claim of the answer; the first is 1.")
        ] = None,
    ) -> Judged:
        """Record the user's judgement that an answer, or one sentence of it, is right or wrong. Use it when the user
        says so, never on your own judgement: MASIS measures its confidence against this feedback."""
        with clear_errors(ctx):
            caller = caller_of(self._admit(ctx, "write", workspace))
            claim = sentence - 1 if sentence else None
            give = partial(self._masis.feedback.give, run_id, verdict, reason=reason, claim=claim)
            said = await asyncio.to_thread(partial(give, workspace=workspace, by=caller))
            await self._record(ctx, "run.judge", workspace, run_id)
            return Judged(run_id=run_id, judgements=len(said))

    async def list_sources(self, workspace: Workspace, ctx: Context[Any, Any]) -> Sources:
        """List the folders and addresses that a workspace is synced with, and when each was last synced. Use it when
        the user asks how up to date the documents are."""
        with clear_errors(ctx):
            self._admit(ctx, "read", workspace)
            await self._masis.arequire_workspace(workspace)
            return sources_of(await self._masis.asources(workspace))

    async def search_evidence(
        self,
        question: Question,
        workspace: Workspace,
        ctx: Context[Any, Any],
        limit: Annotated[int, Field(ge=1, le=50, description="Maximum number of passages.")] = 10,
        documents: InDocuments = None,
        file_types: OfTypes = None,
        dated_from: Since = None,
        dated_to: Until = None,
    ) -> Evidence:
        """Find the passages in a workspace's documents that are relevant to a question, best first, with file, page
        and relevance. It calls no model and draws no conclusions: use it to explore the documents or to collect
        quotations. For a checked answer, use ask."""
        with clear_errors(ctx):
            self._admit(ctx, "read", workspace)
            scope = scope_of(documents, file_types, dated_from, dated_to)
            return evidence_of(await self._masis.asearch(question, workspace, limit=limit, filters=scope))

    async def read_passage(
        self,
        workspace: Workspace,
        chunk_id: Annotated[str, Field(description="The passage's id in a citation: c and ten characters.")],
        ctx: Context[Any, Any],
        context_chars: Annotated[
            int, Field(ge=0, le=MAX_CONTEXT_CHARS, description="Characters of surrounding text to return.")
        ] = 500,
        document_id: Annotated[
            str | None,
            Field(description="Copy it from the citation with start and end: a cited passage may join several."),
        ] = None,
        start: Annotated[int | None, Field(ge=0, description="Copy it from the citation.")] = None,
        end: Annotated[int | None, Field(ge=0, description="Copy it from the citation.")] = None,
        section: Annotated[bool, Field(description="Return the whole section that contains the passage.")] = False,
    ) -> Passage:
        """Read the exact words behind a citation, with document, page, position and surrounding text. Use it to check
        a quotation, or to read on where a passage ends too early."""
        with clear_errors(ctx):
            self._admit(ctx, "read", workspace)
            await self._masis.arequire_workspace(workspace)
            place = (document_id, start, end)
            library = self._masis.library
            chunk, text = await read_words(library, workspace, chunk_id, place)
            around = (chunk.start - context_chars, chunk.end + context_chars)
            if section:
                whole = await library.section(workspace, chunk_id, place)
                around = (whole.start, whole.end)
            return passage_of(chunk, text, around)

    async def list_documents(self, workspace: Workspace, ctx: Context[Any, Any]) -> Documents:
        """List a workspace's documents with their status. Use it to see which documents are available, or to identify
        the file the user means. For questions about their content, use ask or search_evidence."""
        with clear_errors(ctx):
            self._admit(ctx, "read", workspace)
            return documents_of(await self._masis.adocuments(workspace))

    async def list_workspaces(self, ctx: Context[Any, Any]) -> Workspaces:
        """List the workspaces you have access to. Call it first if the user has not named a workspace."""
        with clear_errors(ctx):
            key = key_of(ctx)
            summaries = await self._masis.aworkspaces()
            visible = set(api_key.visible(key, [each.workspace_id for each in summaries]))
            return workspaces_of([each for each in summaries if each.workspace_id in visible])

    def _admit(self, ctx: Context[Any, Any], needed: Role, workspace: str) -> ApiKey:
        key = key_of(ctx)
        api_key.require(key, needed, workspace)
        return key

    async def _last_event(self, run_id: str, workspace: str) -> int:
        known = await self._masis.aevents(run_id, workspace)
        return max((event["seq"] or 0 for event in known), default=-1)

    async def _followed(self, run: RunRecord, hear: Hearer, after: int = -1) -> RunResult:
        """A worker executes it, so a client that disconnects does not stop it."""
        async for event in self._masis.afollow(run.run_id, after):
            if event["seq"] is not None:
                hear(event)
        result = await self._masis.aresult(run.run_id)
        latest = await self._masis.aget_run(run.run_id)
        if result is None or latest.status not in ("finished", "waiting"):
            said = f"Run {run.run_id} is {latest.status}: {latest.error or 'it produced no answer.'}"
            raise MASISError(said, advice="Resume it if it failed; if it was cancelled, ask again.")
        return result

    async def _run(
        self,
        ctx: Context[Any, Any],
        work: Callable[[Hearer], Awaitable[RunResult]],
        action: str,
        workspace: str,
        run_id: str | None = None,
    ) -> Result:
        has_begun = False

        async def noted(hear: Hearer) -> RunResult:
            def note(event: RunEvent) -> None:
                nonlocal has_begun
                has_begun = True
                hear(event)

            return await work(note)

        try:
            result = await reporting(ctx.report_progress, noted)
            run_id = result.run_id
            return result_of(result)
        finally:
            # Also if the client disconnected or the run failed: the log records that it was started.
            if has_begun:
                await asyncio.shield(self._record(ctx, action, workspace, run_id))

    async def _record(self, ctx: Context[Any, Any], action: str, workspace: str, run_id: str | None) -> None:
        if not is_local(ctx):  # the person at the machine is not logged
            caller = caller_of(key_of(ctx))
            await asyncio.to_thread(self._audit_log.record, caller, action, workspace, run_id)


def scope_of(
    documents: list[str] | None, file_types: list[str] | None, dated_from: str | None, dated_to: str | None
) -> SearchFilters:
    return SearchFilters(tuple(documents or ()), tuple(file_types or ()), dated_from, dated_to)


def is_local(ctx: Context[Any, Any]) -> bool:
    """True over standard input: the client started this process, which ends with it."""
    return ctx.request_context.request is None


def key_of(ctx: Context[Any, Any]) -> ApiKey:
    """Over HTTP, the key that the access check admitted."""
    request = ctx.request_context.request
    if request is None:
        return LOCAL_ADMIN
    key: ApiKey = request.scope[KEY_IN_SCOPE]
    return key


@contextmanager
def clear_errors(ctx: Context[Any, Any]) -> Iterator[None]:
    """Says what went wrong and what to do, for the model to read; over HTTP, without internal details."""
    try:
        yield
    except MASISError as error:
        if is_inside(error):
            _log.error("%s %s", error, error.advice)
        detail, advice = (str(error), error.advice) if is_local(ctx) else public_words(error)
        raise ToolError(f"{detail} {advice}") from None
    except Exception:
        _log.exception("a tool failed")
        raise ToolError("Unexpected error in MASIS; see its log for details. No saved data is lost.") from None

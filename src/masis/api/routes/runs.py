"""Runs: ask, follow live, answer, resume, cancel, delete."""

import asyncio
import calendar
import re
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Depends, Header, Path, Query, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import BeforeValidator, Field, StringConstraints

from masis.api.access import Access, Read, Write
from masis.api.middleware.idempotency import Once
from masis.api.middleware.problems import Conflicting, StillRunning, documented, problems, refused_as_conflict
from masis.api.models import (
    Answer,
    Cursor,
    FullResult,
    Given,
    Limit,
    Page,
    Question,
    Result,
    WorkspaceId,
    cut,
    position_of,
)
from masis.errors import MASISError
from masis.export.content import Pack
from masis.export.formats import FORMATS, MEDIA_TYPES, POLICY, Format, exported
from masis.orchestrator.human import is_name
from masis.runs.feedback import Feedback, TrackRecord
from masis.runs.records import ENDED, RunRecord, RunResult, RunStatus
from masis.settings import RETRY_CEILING
from masis.types import Budget, Caller, Outcome, SearchFilters

T = TypeVar("T")


def _whole(value: object) -> object:
    # In JSON, 2.0 is the integer 2.
    return int(value) if isinstance(value, float) and value.is_integer() else value


Retries = Annotated[int, Field(ge=0, le=RETRY_CEILING), BeforeValidator(_whole)]


Day = Annotated[
    str,
    StringConstraints(pattern=r"^[12][0-9]{3}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?$"),
    Field(examples=["2024-03"]),
]
LAST_PAGE = 10**6
PageNumber = Annotated[int, Field(ge=1, le=LAST_PAGE), BeforeValidator(_whole)]


class Filters(Given):
    """Which documents, and where in them."""

    documents: list[str] = Field(default_factory=list, max_length=1000)
    """Ids or file names."""
    file_types: list[str] = Field(default_factory=list, max_length=50)
    """Extensions without the dot: pdf, xlsx."""
    dated_from: Day | None = None
    """A year, a month or a day. Documents without a date are never in a range."""
    dated_to: Day | None = None
    pages: Annotated[list[PageNumber], Field(min_length=2, max_length=2)] | None = None
    """First and last page, sheet or slide, both included."""

    def as_filters(self) -> SearchFilters:
        first, last = (_within_its_month(date) for date in (self.dated_from, self.dated_to))
        pages = (min(self.pages), max(self.pages)) if self.pages else None
        return SearchFilters(tuple(self.documents), tuple(self.file_types), first, last, pages)


def _within_its_month(date: str | None) -> str | None:
    """In a month that has no 31st, this is its last day."""
    if date is None or len(date) < 10:
        return date
    year, month, day = (int(part) for part in date.split("-"))
    return f"{date[:8]}{min(day, calendar.monthrange(year, month)[1]):02d}"


class QuestionBody(Given):
    """A question to the documents of a workspace."""

    query: Question = Field(examples=["What was customer churn in fiscal 2025?"])
    max_retries: Retries | None = None
    """Maximum retries if an answer fails its audit; null and 0 mean the default."""
    thread_id: str | None = Field(None, min_length=1, max_length=64)
    """The thread of an earlier run: the question follows up on its answer and is completed from it."""
    filters: Filters | None = None
    """The scope; null: that of the thread, or the whole workspace."""
    complete: bool = True
    """If false, the question is asked as written, even in a thread."""
    max_cost_usd: float | None = Field(None, ge=0, le=1_000_000)
    """Maximum cost of model calls, in US dollars; beyond it, the embedded engine finishes the run."""
    max_seconds: float | None = Field(None, ge=0, le=1_000_000)
    """Maximum working time, in seconds."""


class RunFailed(MASISError):
    """An unexpected error ended the run."""

    code = "run_failed"


async def finished_result(access: Access, run: RunRecord, location: str) -> RunResult:
    try:
        async with asyncio.timeout(access.service.settings.ask_seconds):
            async for _ in until_stopping(access.masis.afollow(run.run_id), access.service.closing):
                pass
    except TimeoutError:
        waited = f"The run did not finish within {access.service.settings.ask_seconds:g} seconds."
        raise StillRunning(waited, location) from None
    return await result_or_problem(access, run, location)


async def result_or_problem(access: Access, run: RunRecord, location: str) -> RunResult:
    result = await access.masis.aresult(run.run_id, run.workspace_id)
    if result is not None:
        return result
    latest = await access.masis.aget_run(run.run_id, run.workspace_id)
    if latest.status in ("queued", "running"):
        raise StillRunning(
            "The service is stopping before the run is done; the run continues at the next start.", location
        )
    if latest.status == "cancelled":
        raise Conflicting("The run was cancelled before it had an answer.", advice="Ask again if you need the answer.")
    raise RunFailed(latest.error or "The run ended without a result.", advice="Ask again; the log says what happened.")


async def until_stopping(events: AsyncIterator[T], stopping: asyncio.Event) -> AsyncIterator[T]:
    """Clients continue from their last event after a restart."""
    stopped = asyncio.ensure_future(stopping.wait())
    coming = asyncio.ensure_future(anext(events, None))
    try:
        while True:
            await asyncio.wait({coming, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not coming.done() or (event := coming.result()) is None:
                return
            yield event
            coming = asyncio.ensure_future(anext(events, None))
    finally:
        stopped.cancel()
        if not coming.done():
            coming.cancel()
            with suppress(asyncio.CancelledError):
                await coming


router = APIRouter(prefix="/masis/workspaces/{workspace_id}", tags=["runs"])

RunId = Annotated[
    str, Path(max_length=64, description="The id returned when the run was started.", examples=["5f0c2a9d1b7e"])
]

EXPORTED: dict[str, Any] = {
    "content": {MEDIA_TYPES[form].partition(";")[0]: {} for form in FORMATS},
    "description": "The run.",
}
LAST_EVENT = 10**9
_EVENT_ID = re.compile(r"[0-9]{1,9}")


async def _known_run(access: Read, workspace_id: WorkspaceId, run_id: RunId) -> RunRecord:
    return await access.masis.aget_run(run_id, workspace_id)


Known = Annotated[RunRecord, Depends(_known_run)]


@router.post("", tags=["ask"], **documented("ask", "Ask, and wait for the answer", 404, 409, 504))
async def ask(access: Write, asked: QuestionBody, _: Once, workspace_id: WorkspaceId, response: Response) -> Result:
    """Five agents find evidence, write, audit and score an answer. `needs_clarification` comes with the best draft
    and a question for a person; answer it under the run that `Location` names. A broken connection does not stop the
    run."""
    run = await _asked(access, asked, workspace_id)
    response.headers["X-Run-Id"] = run.run_id
    response.headers["Location"] = location_of(run)
    result = await finished_result(access, run, location_of(run))
    return Result.model_validate(result, from_attributes=True)


@router.get("/runs", **documented("list_runs", "The runs, newest first", 404))
async def list_runs(
    access: Read,
    workspace_id: WorkspaceId,
    limit: Limit = 50,
    cursor: Cursor = None,
    status: RunStatus | None = None,
    outcome: Outcome | None = None,
    search: Annotated[str | None, Query(max_length=200, description="Words of the question.")] = None,
    thread_id: Annotated[str | None, Query(max_length=64, description="Only this thread.")] = None,
) -> Page[RunRecord]:
    await access.require_workspace(workspace_id)
    found = await access.masis.aruns(
        workspace_id,
        status=status,
        outcome=outcome,
        search=search,
        thread_id=thread_id,
        limit=limit + 1,
        before=position_of(cursor),
    )
    shown, following = cut(found, limit, lambda run: run.position)
    return Page(items=list(shown), next_cursor=following)


@router.post("/runs", status_code=202, **documented("ask_in_background", "Ask in the background", 404, 409))
async def ask_in_background(
    access: Write, asked: QuestionBody, _: Once, workspace_id: WorkspaceId, response: Response
) -> RunRecord:
    run = await _asked(access, asked, workspace_id)
    response.headers["Location"] = location_of(run)
    return run


@router.get("/runs/{run_id}", **documented("get_run", "The state of a run", 404))
async def get_run(_: Read, run: Known) -> RunRecord:
    return run


@router.delete("/runs/{run_id}", status_code=204, **documented("delete_run", "Delete a run and its trail", 404, 409))
async def delete_run(access: Write, run: Known) -> None:
    with refused_as_conflict():
        await access.masis.adelete_run(run.run_id, run.workspace_id)
    await access.record("run.delete", run.workspace_id, run.run_id)


@router.get(
    "/runs/{run_id}/result", **documented("get_result", "The answer, with claims, conflicts and evidence", 404, 409)
)
async def get_result(access: Read, run: Known) -> FullResult:
    result = await access.masis.aresult(run.run_id, run.workspace_id)
    if result is None or run.status in ("queued", "running"):
        raise Conflicting(f"The run is {run.status}: it has no answer yet.", advice="Follow its events.")
    return FullResult.model_validate(result, from_attributes=True)


@router.get(
    "/runs/{run_id}/events", response_class=EventSourceResponse, **documented("follow_run", "Follow a run live", 404)
)
async def follow_run(
    access: Read,
    run: Known,
    after: Annotated[int | None, Query(ge=-1, le=LAST_EVENT, description="Only events after this one.")] = None,
    last_event_id: Annotated[
        str | None, Header(description="Sent by a browser that reconnects; takes precedence over `after`.")
    ] = None,
) -> AsyncIterator[ServerSentEvent]:
    """Server-sent events, from the first one: `id` is the number to resume after, `event` what happened (`queued`,
    `started`, `finished`, `draft`, `waiting`, `answered`, `ended`, `cancelled`, `failed`), `data` the event as JSON.
    The stream ends when the run needs a decision or has ended."""
    seen = int(last_event_id) if last_event_id and _EVENT_ID.fullmatch(last_event_id) else after
    events = access.masis.afollow(run.run_id, after=-1 if seen is None else seen)
    async for event in until_stopping(events, access.service.stopping):
        seq = event["seq"]
        yield ServerSentEvent(id=None if seq is None else str(seq), event=event["event"], data=event)


@router.post(
    "/runs/{run_id}/answer", status_code=202, **documented("answer", "Answer a run that needs a decision", 404, 409)
)
async def answer(access: Write, given: Answer, _: Once, run: Known, response: Response) -> RunRecord:
    if run.status != "waiting":
        raise Conflicting(f"The run is not waiting for a decision: it is {run.status}.", advice="Ask a new question.")
    decision = given.model_dump(exclude_none=True)
    decision.setdefault("by", _named(access.caller))
    resumed = await access.masis.aanswer_in_background(run.run_id, decision, workspace=run.workspace_id)
    await access.record("run.answer", run.workspace_id, run.run_id, given.action)
    response.headers["Location"] = location_of(run)
    return resumed


class Judged(Given):
    """A person's judgement of an answer."""

    verdict: Literal["right", "wrong"] | None
    """null withdraws the judgement."""
    reason: str | None = Field(None, max_length=2000)
    claim: Annotated[int, Field(ge=0, le=10_000), BeforeValidator(_whole)] | None = None
    """Index of the sentence, from 0; null means the whole answer."""


@router.put("/runs/{run_id}/feedback", **documented("judge", "Mark an answer as right or wrong", 404, 409))
async def judge(access: Write, given: Judged, run: Known) -> list[Feedback]:
    """Each person has one judgement per sentence: the last one counts."""
    with refused_as_conflict():
        give = partial(
            access.masis.feedback.give,
            run.run_id,
            given.verdict,
            reason=given.reason,
            claim=given.claim,
            by=access.caller,
        )
        said = await asyncio.to_thread(give)
    await access.record("run.judge", run.workspace_id, run.run_id)
    return said


@router.get("/runs/{run_id}/feedback", **documented("get_feedback", "People's feedback on an answer", 404))
async def get_feedback(access: Read, run: Known) -> list[Feedback]:
    return await asyncio.to_thread(access.masis.feedback.of, run.run_id)


@router.get("/track-record", **documented("get_track_record", "How often answers were right, by confidence", 404))
async def get_track_record(access: Read, workspace_id: WorkspaceId) -> TrackRecord:
    await access.require_workspace(workspace_id)
    return await asyncio.to_thread(access.masis.feedback.record, workspace_id)


@router.post("/runs/{run_id}/cancel", **documented("cancel", "Stop a run", 404))
async def cancel(access: Write, _: Once, run: Known) -> RunRecord:
    """No effect on a run that has ended."""
    cancelled = await access.masis.acancel(run.run_id, run.workspace_id)
    if run.status not in ENDED:
        await access.record("run.cancel", run.workspace_id, run.run_id)
    return cancelled


@router.post("/runs/{run_id}/resume", status_code=202, **documented("resume", "Resume a run that failed", 404, 409))
async def resume(access: Write, _: Once, run: Known, response: Response) -> RunRecord:
    """From its last checkpoint: only the agent that was interrupted works again. Answer a run that is waiting for a
    person instead; workers automatically resume what a dead process left."""
    with refused_as_conflict():
        resumed = await access.masis.aresume_in_background(run.run_id, workspace=run.workspace_id)
    await access.record("run.resume", run.workspace_id, run.run_id)
    response.headers["Location"] = location_of(run)
    return resumed


@router.get(
    "/runs/{run_id}/export",
    operation_id="export_run",
    summary="Export a run as one file",
    response_class=Response,
    responses={200: EXPORTED, **problems(404, 409)},
)
async def export_run(
    access: Read,
    run: Known,
    format: Annotated[Format, Query(description="JSON for programs, the others for people.")] = "json",
) -> Response:
    """JSON holds everything; the others the answer with footnoted sources, verdicts, conflicts, scores and trail."""
    data = await asyncio.to_thread(exported, await _pack(access, run), format)
    headers = {
        "Content-Disposition": f'attachment; filename="masis-{run.run_id}.{format}"',
        # Even if it is opened in this service's origin, it can do nothing there.
        "Content-Security-Policy": f"{POLICY}; sandbox",
    }
    return Response(data, media_type=MEDIA_TYPES[format], headers=headers)


async def _pack(access: Access, run: RunRecord) -> Pack:
    result = await access.masis.aresult(run.run_id, run.workspace_id)
    if result is None or run.status in ("queued", "running"):
        raise Conflicting(f"The run is {run.status}.", advice="Export it when it has ended or needs a decision.")
    events = await access.masis.aevents(run.run_id, run.workspace_id)
    return Pack(run, result, events, await asyncio.to_thread(access.masis.feedback.of, run.run_id))


async def _asked(access: Access, asked: QuestionBody, workspace_id: str) -> RunRecord:
    run = await access.masis.aask_in_background(
        asked.query,
        workspace_id,
        max_retries=asked.max_retries,
        filters=asked.filters.as_filters() if asked.filters else None,
        thread=asked.thread_id,
        complete=asked.complete,
        budget=Budget(asked.max_cost_usd, asked.max_seconds),
        by=access.caller,
    )
    await access.record("run.ask", workspace_id, run.run_id)
    return run


def _named(caller: Caller) -> str:
    """A key may have any name, but a decision needs a person's name."""
    return caller.name if is_name(caller.name) else f"key {caller.key_id}"


def location_of(run: RunRecord) -> str:
    return f"/masis/workspaces/{run.workspace_id}/runs/{run.run_id}"

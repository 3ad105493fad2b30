"""What callers do with a run: ask, answer, resume and follow it, in this process or by a background worker."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, cast

from pydantic import ValidationError

from masis.errors import InvalidInput, MASISError, ModelError, RunNotWaiting, UnknownRun
from masis.jobs.queue import Job, new_owner
from masis.jobs.worker import JobCancelled, LeaseKeeper
from masis.language.follow_up import Turn, completed
from masis.orchestrator.human import Answer, checked_answer, decisions_from
from masis.orchestrator.state import MASISInput, MASISState, filters_of, in_words, merge_metrics
from masis.orchestrator.trail import Metrics
from masis.reasoning.ports import Account, Reply, charged_to
from masis.runs.events import QUEUE, Hub, RunEvent, days_ago, now
from masis.runs.execution import Execution, OnEvent, config_of
from masis.runs.parts import Parts
from masis.runs.records import ENDED, NewRun, RunRecord, RunResult, RunStatus
from masis.runs.run_table import RunTable
from masis.types import EVERYWHERE, NO_LIMIT, Budget, Caller, EvidenceChunk, SearchFilters, StandingDecision, Usage

FAR_SECONDS = 5.0
"""How long to wait for a run of this process to announce a change before the database is read."""
LONGEST_COMPLETED = 600
STILL: frozenset[RunStatus] = ENDED | {"waiting"}
"""Statuses in which nothing more happens unless a person acts."""


@dataclass(frozen=True, slots=True)
class Asked:
    question: str
    workspace: str
    max_retries: int | None = None
    filters: SearchFilters | None = None
    """None for those of its thread, or the whole workspace."""
    budget: Budget = NO_LIMIT
    thread: str | None = None
    """The id of a thread, or of one of its runs."""
    turns: Sequence[Turn] = ()
    """The conversation so far, if no thread is stored."""
    complete: bool = True
    """Whether to complete a follow-up question from its thread."""
    run_id: str | None = None
    """None for a new id."""


async def new_run(parts: Parts, asked: Asked, by: Caller, owner: str | None = None) -> RunRecord:
    """With an owner, the run is claimed for it at once; otherwise a worker claims it."""
    workspace = asked.workspace
    checked_input(asked.question, workspace, asked.max_retries, asked.filters or EVERYWHERE, budget=asked.budget)
    await parts.require_workspace(workspace)
    thread = await asyncio.to_thread(parts.runs.thread, asked.thread, workspace) if asked.thread else None
    filters = asked.filters
    if filters is None:
        filters = filters_of({"filters": thread.filters}) if thread else EVERYWHERE
    if filters != EVERYWHERE:
        await parts.library.require_filters(workspace, filters)
    turns = thread.turns if thread else asked.turns
    standing = await parts.runs.together("reading", parts.decisions.of, workspace)
    budget = await _tightest(parts, workspace, asked.budget)
    account = Account(workspace, budget.max_cost_usd, budget.max_seconds)
    with charged_to(account):
        question, usage = await _completed(parts, asked, turns) if asked.complete else (asked.question, Usage())
    given = checked_input(question, workspace, asked.max_retries, filters, standing, budget)
    said = {"thread_id": thread and thread.thread_id, "asked": None if question == asked.question else asked.question}
    state = given.model_copy(update=said).to_state()
    silent: Metrics = {"silent_models": account.silent_models} if account.silent_models else {}
    state["metrics"] = merge_metrics(state["metrics"], spent_on(usage) | silent)
    record = await parts.runs.all_together("writing", parts.runs.create, NewRun(state, by, owner, asked.run_id))
    if owner is None:
        parts.hub.tell(QUEUE)
    return record


async def _completed(parts: Parts, asked: Asked, turns: Sequence[Turn]) -> tuple[str, Usage]:
    """Rewrites a follow-up as a question that can be understood on its own, with the writer's model if there is one."""
    by_words = completed(asked.question, turns)
    by_model = getattr(parts.services.writer, "complete_question", None)
    if not turns or by_model is None:
        return by_words, Usage()
    try:
        reply: Reply[str] = await by_model(asked.question, turns)
    except ModelError as error:
        return by_words, error.usage
    usable = 0 < len(reply.value) <= LONGEST_COMPLETED and "\n" not in reply.value
    return reply.value if usable else by_words, reply.usage


async def searched(
    parts: Parts, question: str, workspace: str, limit: int | None, filters: SearchFilters
) -> list[EvidenceChunk]:
    await parts.require_workspace(workspace)
    checked_input(question, workspace, None)
    most, least = limit or parts.settings.candidates, parts.settings.relevance_threshold
    found = await parts.library.search(workspace, question, most, at_least=least, highlight=True, filters=filters)
    return list(found.candidates)


def spent_on(usage: Usage) -> Metrics:
    return {
        "model_requests": usage.requests,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost_usd": usage.cost_usd,
    }


def checked_input(
    question: str,
    workspace: str,
    max_retries: int | None,
    filters: SearchFilters = EVERYWHERE,
    decisions: list[StandingDecision] | None = None,
    budget: Budget = NO_LIMIT,
) -> MASISInput:
    try:
        return MASISInput(
            user_query=question,
            workspace_id=workspace,
            max_retries=max_retries,
            filters=filters,
            standing_decisions=decisions or [],
            max_cost_usd=budget.max_cost_usd,
            max_seconds=budget.max_seconds,
        )
    except ValidationError as error:
        raise InvalidInput(in_words(error)) from None


async def _tightest(parts: Parts, workspace: str, budget: Budget) -> Budget:
    """The lower of the run's own limit and what is left of its workspace's budget."""
    settings = parts.settings
    together = settings.budget_of(workspace)
    if together is None:
        return budget
    spent = await asyncio.to_thread(parts.runs.spent, workspace, days_ago(settings.workspace_budget_days))
    left = max(0.0, together - spent)
    return replace(budget, max_cost_usd=left if budget.max_cost_usd is None else min(left, budget.max_cost_usd))


async def get_run(parts: Parts, run_id: str, workspace: str | None = None) -> RunRecord:
    return await parts.runs.all_together("reading", parts.runs.get_all, (run_id, workspace))


async def answered(
    parts: Parts, run_id: str, answer: Answer | Mapping[str, Any], workspace: str | None, owner: str | None = None
) -> RunRecord:
    """Checks the answer against the question that was asked, and saves it with the decision to store."""
    record = await get_run(parts, run_id, workspace)
    if record.status != "waiting":
        raise RunNotWaiting(
            f"Run {run_id} is not waiting for an answer: it is {record.status}.", advice="Ask a new question."
        )
    async with parts.graph() as graph:
        state = cast(MASISState, (await graph.aget_state(config_of(run_id))).values)
    given = answer.model_dump() if isinstance(answer, Answer) else dict(answer)
    checked = checked_answer(given, state).model_dump()
    kept = decisions_from(checked, state, run_id=run_id, created_at=now())
    await asyncio.to_thread(parts.runs.answered, run_id, checked, owner, kept)
    if owner is None:
        parts.hub.tell(QUEUE)
    return await get_run(parts, run_id, workspace)


async def resumed(parts: Parts, run_id: str, workspace: str | None, owner: str | None = None) -> Job:
    """Queues a run again that failed or whose process is gone, and returns its job."""
    record = await get_run(parts, run_id, workspace)
    job: Job | None = None
    if record.status == "failed":
        await asyncio.to_thread(parts.runs.resumed, run_id, owner)
        job = Job("run", run_id, record.workspace_id)
    elif owner:
        await asyncio.to_thread(parts.queue.free_the_dead)
        job = await asyncio.to_thread(parts.queue.claim_one, owner, ("run", run_id))
    if job is None:
        raise InvalidInput(
            f"Run {run_id} is {record.status}: it cannot be resumed.",
            advice=_INSTEAD.get(record.status, "Ask a new question."),
        )
    if owner:
        await parts.runs.all_together("writing", parts.runs.began, (run_id, owner))
    else:
        parts.hub.tell(QUEUE)
    return job


async def cancelled(parts: Parts, run_id: str, workspace: str | None) -> RunRecord:
    record = await asyncio.to_thread(parts.runs.cancel, run_id, workspace)
    parts.hub.tell(run_id)
    return record


async def result_of(parts: Parts, run_id: str, workspace: str | None) -> RunResult | None:
    found = await asyncio.to_thread(parts.runs.result, run_id)
    await get_run(parts, run_id, workspace)  # checked last: the run may have been deleted meanwhile
    return RunResult(**found) if found else None


async def events_of(parts: Parts, run_id: str, workspace: str | None, after: int) -> list[RunEvent]:
    await get_run(parts, run_id, workspace)
    return await asyncio.to_thread(parts.runs.events.after, run_id, after)


_INSTEAD = {
    "waiting": "It needs a person's decision: answer it.",
    "queued": "A worker will process it.",
    "running": "Another process is working on it: follow it, or cancel it.",
}


class WorkHere:
    """Works on one run in this process until it ends or needs a person."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._keeper = LeaseKeeper(parts.queue, new_owner())

    @property
    def owner(self) -> str:
        return self._keeper.owner

    async def result(self, job: Job, on_event: OnEvent | None, *, is_new: bool = False) -> RunResult:
        parts = self._parts
        try:
            async with self._keeper.renewing(), self._keeper.holding(job) as lease, parts.graph() as graph:
                result = await Execution(parts.runs, parts.hub, parts.services, graph).advance(lease, on_event)
        except BaseException as error:
            await asyncio.shield(asyncio.to_thread(self._given_up, job, error, is_new))
            raise
        if result is None:
            raise JobCancelled(f"Run {job.subject} was cancelled.", advice="Ask the question again if you need it.")
        return result

    def _given_up(self, job: Job, error: BaseException, is_new: bool) -> None:
        """The caller is gone. A new question is cancelled; an older run keeps everything that people entered."""
        runs = self._parts.runs
        with suppress(MASISError):
            if isinstance(error, Exception):
                runs.failed(job.subject, self.owner, [], str(error))
            elif is_new:
                runs.given_up(job.subject, self.owner)
            else:
                runs.failed(job.subject, self.owner, [], "The run was interrupted; resume it.")


async def asked_here(parts: Parts, asked: Asked, by: Caller, on_event: OnEvent | None) -> RunResult:
    """Runs in this process. With a `run_id`, repeated calls share one run, even after a process died: the run continues
    from where it stopped, or its result is returned."""
    here, run_id = WorkHere(parts), asked.run_id
    if run_id is None:
        record = await new_run(parts, asked, by, here.owner)
        return await here.result(Job("run", record.run_id, asked.workspace), on_event, is_new=True)
    while True:
        try:
            status = (await get_run(parts, run_id, asked.workspace)).status
        except UnknownRun:
            await new_run(parts, asked, by, here.owner)
            return await here.result(Job("run", run_id, asked.workspace), on_event)
        if status == "cancelled":
            raise JobCancelled(f"Run {run_id} was cancelled.")
        if status in ("finished", "waiting") and (found := await asyncio.to_thread(parts.runs.result, run_id)):
            return RunResult(**found)
        try:
            job = await resumed(parts, run_id, asked.workspace, here.owner)
        except InvalidInput:  # another process works on it until it ends or its lease expires
            await asyncio.sleep(parts.settings.poll_seconds)
            continue
        return await here.result(job, on_event)


async def answered_here(
    parts: Parts, run_id: str, answer: Answer | Mapping[str, Any], workspace: str | None, on_event: OnEvent | None
) -> RunResult:
    here = WorkHere(parts)
    record = await answered(parts, run_id, answer, workspace, here.owner)
    return await here.result(Job("run", run_id, record.workspace_id), on_event)


async def resumed_here(parts: Parts, run_id: str, workspace: str | None, on_event: OnEvent | None) -> RunResult:
    here = WorkHere(parts)
    return await here.result(await resumed(parts, run_id, workspace, here.owner), on_event)


async def followed(runs: RunTable, hub: Hub, run_id: str, after: int, poll_seconds: float) -> AsyncIterator[RunEvent]:
    """Follows a run from where the reader left off: first the stored events, then new ones as they happen."""
    shown, is_near = "", False
    with hub.listening(run_id) as change:
        while True:
            status, events, draft = await runs.all_together("reading", runs.seen, (run_id, after))
            for event in events:
                after = event["seq"] if event["seq"] is not None else after
                yield event
            if status in STILL:
                return
            if draft and draft[1] != shown:
                shown = draft[1]
                yield {"seq": None, "at": now(), "event": "draft", "attempt": draft[0], "data": {"text": shown}}
            # A run of this process announces its changes; one of another process has to be polled.
            if await change.wait(poll_seconds if not is_near else FAR_SECONDS):
                is_near = True

"""Asking: at once or in the background, followed, answered, cancelled, deleted."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, cast

from pydantic import ValidationError

from masis.errors import InvalidInput, MASISError, RunNotWaiting, UnknownRun
from masis.jobs.lease import JobCancelled, LeaseKeeper
from masis.jobs.owners import new_owner
from masis.jobs.queue import Job
from masis.orchestrator.human import HumanAnswer, checked_answer
from masis.orchestrator.remembered import decisions_from
from masis.orchestrator.state import MASISInput, MASISState, in_words
from masis.runs.adoption import adopted
from masis.runs.core import Core, blocking
from masis.runs.erasure import erase_deleted
from masis.runs.event_log import RunEvent
from masis.runs.execution import Execution, config_of
from masis.runs.following import followed
from masis.runs.hub import QUEUE
from masis.runs.moments import now
from masis.runs.recording import OnEvent
from masis.runs.records import RunRecord, RunStatus, UsageRow
from masis.runs.result import RunResult
from masis.runs.retention import PruneReport, prune
from masis.types import EVERYWHERE, LOCAL, Caller, Decision, Outcome, SearchFilters


class RunMethods(Core):
    async def aask(
        self,
        question: str,
        workspace: str,
        *,
        max_retries: int | None = None,
        filters: SearchFilters = EVERYWHERE,
        on_event: OnEvent | None = None,
        by: Caller = LOCAL,
    ) -> RunResult:
        """Runs here and now. `filters`: where in the workspace the answer is looked for."""
        state = await self._new_state(question, workspace, max_retries, filters)
        keeper = LeaseKeeper(self.queue, new_owner())
        record = await self.run_table.together("writing", self.run_table.create, state, by, keeper.owner)
        return await self._work_here(keeper, Job("run", record.run_id, workspace), on_event, is_new=True)

    async def astart(
        self,
        question: str,
        workspace: str,
        *,
        max_retries: int | None = None,
        filters: SearchFilters = EVERYWHERE,
        by: Caller = LOCAL,
    ) -> RunRecord:
        """In the background: a worker takes it up (`masis serve` and `masis worker` are ones)."""
        state = await self._new_state(question, workspace, max_retries, filters)
        record = await self.run_table.together("writing", self.run_table.create, state, by)
        self.hub.tell(QUEUE)
        return record

    async def aresume(
        self,
        run_id: str,
        answer: HumanAnswer | dict[str, Any],
        *,
        on_event: OnEvent | None = None,
        workspace: str | None = None,
    ) -> RunResult:
        """A person's answer to a run that waits for one; the run goes on here and now."""
        keeper = LeaseKeeper(self.queue, new_owner())
        record = await self._answered(run_id, answer, workspace, keeper.owner)
        return await self._work_here(keeper, Job("run", run_id, record.workspace_id), on_event)

    async def aanswer(
        self, run_id: str, answer: HumanAnswer | dict[str, Any], workspace: str | None = None
    ) -> RunRecord:
        """A person's answer to a run that waits for one; the run goes on in the background."""
        await self._answered(run_id, answer, workspace, None)
        self.hub.tell(QUEUE)
        return await self.arun(run_id, workspace)

    async def arecover(
        self, run_id: str, *, on_event: OnEvent | None = None, workspace: str | None = None
    ) -> RunResult:
        """A run whose process died, or that failed, goes on here from where it was."""
        record = await self.arun(run_id, workspace)
        keeper = LeaseKeeper(self.queue, new_owner())
        if record.status == "failed":
            await asyncio.to_thread(self.run_table.reopened, run_id, keeper.owner)
            job: Job | None = Job("run", run_id, record.workspace_id)
        else:
            await asyncio.to_thread(self.queue.free_the_dead)
            job = await asyncio.to_thread(self.queue.claim_one, keeper.owner, ("run", run_id))
        if job is None:
            raise InvalidInput(
                f"Run {run_id} is {record.status}: there is nothing to go on with.",
                advice="A run that another process works on is followed with `masis runs show`.",
            )
        await self.run_table.together("writing", self.run_table.began, run_id, keeper.owner)
        return await self._work_here(keeper, job, on_event)

    async def areopen(self, run_id: str, workspace: str | None = None) -> RunRecord:
        """A run that failed goes on in the background, from where it was."""
        await self.arun(run_id, workspace)
        await asyncio.to_thread(self.run_table.reopened, run_id)
        self.hub.tell(QUEUE)
        return await self.arun(run_id, workspace)

    async def arun(self, run_id: str, workspace: str | None = None) -> RunRecord:
        try:
            return await self.run_table.together("reading", self.run_table.get, run_id, workspace)
        except UnknownRun:
            if not await adopted(self.settings, self.run_table, run_id):
                raise
        return await self.run_table.together("reading", self.run_table.get, run_id, workspace)

    async def aruns(
        self,
        workspace: str | None = None,
        *,
        status: RunStatus | None = None,
        outcome: Outcome | None = None,
        search: str | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> list[RunRecord]:
        """Newest first; `before`: the id of the last run of the page before, or its `position`, which outlives it."""
        return await asyncio.to_thread(
            self.run_table.page,
            workspace,
            status=status,
            outcome=outcome,
            search=search,
            limit=limit,
            before=before,
        )

    async def aresult(self, run_id: str, workspace: str | None = None) -> RunResult | None:
        """None while there is none yet."""
        await self.arun(run_id, workspace)
        found = await asyncio.to_thread(self.run_table.result, run_id)
        if found is None:
            await self.arun(run_id, workspace)  # it may have been deleted between the two looks
        return RunResult(**found) if found else None

    async def aevents(self, run_id: str, workspace: str | None = None, after: int = -1) -> list[RunEvent]:
        """What has happened so far."""
        await self.arun(run_id, workspace)
        return await asyncio.to_thread(self.run_table.events.after, run_id, after)

    async def afollow(self, run_id: str, after: int = -1, *, workspace: str | None = None) -> AsyncIterator[RunEvent]:
        """What has happened since event `after`, then what happens, until the run ends or waits for a person."""
        await self.arun(run_id, workspace)
        async for event in followed(self.run_table, self.hub, run_id, after, self.settings.poll_seconds):
            yield event

    async def acancel(self, run_id: str, workspace: str | None = None) -> RunRecord:
        """At once where it waits; where it works, within a second or so."""
        record = await asyncio.to_thread(self.run_table.cancel, run_id, workspace)
        self.hub.tell(run_id)
        return record

    async def adelete_run(self, run_id: str, workspace: str | None = None) -> None:
        """With its trail and its checkpoints."""
        await asyncio.to_thread(self.run_table.delete, run_id, workspace)
        await erase_deleted(self.settings, self.run_table)

    async def aprune(self, older_than_days: float | None = None) -> PruneReport:
        """What retention says may go: runs that ended so long ago, and checkpoints nobody will go back to."""
        return await prune(self.settings, self.run_table, older_than_days)

    async def adecisions(self, workspace: str) -> list[Decision]:
        """What people decided about conflicts and wanted remembered."""
        await self.require_workspace(workspace)
        return await asyncio.to_thread(self.remembered.of, workspace)

    async def aforget_decision(self, workspace: str, decision_id: str) -> Decision:
        return await asyncio.to_thread(self.remembered.forget, workspace, decision_id)

    async def ausage(self, workspace: str | None = None) -> list[UsageRow]:
        """Calls, tokens and money by workspace and by who asked."""
        return await asyncio.to_thread(self.run_table.usage, workspace)

    ask = blocking(aask)
    start = blocking(astart)
    resume = blocking(aresume)
    answer = blocking(aanswer)
    recover = blocking(arecover)
    reopen = blocking(areopen)
    run = blocking(arun)
    runs = blocking(aruns)
    result = blocking(aresult)
    events = blocking(aevents)
    cancel = blocking(acancel)
    delete_run = blocking(adelete_run)
    prune = blocking(aprune)
    decisions = blocking(adecisions)
    forget_decision = blocking(aforget_decision)
    usage = blocking(ausage)

    async def _new_state(
        self, question: str, workspace: str, max_retries: int | None, filters: SearchFilters
    ) -> MASISState:
        checked_input(question, workspace, max_retries, filters)
        await self.require_workspace(workspace)
        if filters != EVERYWHERE:
            await self.library.require_filters(workspace, filters)
        remembered = await asyncio.to_thread(self.remembered.of, workspace)
        return checked_input(question, workspace, max_retries, filters, remembered).to_state()

    async def _answered(
        self, run_id: str, answer: HumanAnswer | dict[str, Any], workspace: str | None, owner: str | None
    ) -> RunRecord:
        record = await self.arun(run_id, workspace)
        if record.status != "waiting":
            raise RunNotWaiting(
                f"Run {run_id} is not waiting for an answer: it is {record.status}.", advice="Ask a new question."
            )
        async with self.graph() as graph:
            state = cast(MASISState, (await graph.aget_state(config_of(run_id))).values)
        given = answer.model_dump() if isinstance(answer, HumanAnswer) else answer
        checked = checked_answer(given, state).model_dump()
        kept = decisions_from(checked, state, run_id=run_id, created_at=now())
        await asyncio.to_thread(self.run_table.answered, run_id, checked, owner, kept)
        return record

    async def _work_here(
        self, keeper: LeaseKeeper, job: Job, on_event: OnEvent | None, *, is_new: bool = False
    ) -> RunResult:
        try:
            async with keeper.renewing(), keeper.holding(job) as lease, self.graph() as graph:
                execution = Execution(self.run_table, self.hub, self.services, graph)
                result = await execution.advance(lease, on_event)
        except BaseException as error:
            await asyncio.shield(asyncio.to_thread(self._given_up, keeper.owner, job, error, is_new))
            raise
        if result is None:
            raise JobCancelled(f"Run {job.subject} was cancelled.", advice="Ask again when it is wanted after all.")
        return result

    def _given_up(self, owner: str, job: Job, error: BaseException, is_new: bool) -> None:
        """Who waited for it is gone. A question is simply not asked any more; of a run that was there before, nothing
        that people gave it may be lost."""
        with suppress(MASISError):
            if isinstance(error, Exception):
                self.run_table.failed(job.subject, owner, [], str(error))
            elif is_new:
                self.run_table.given_up(job.subject, owner)
            else:
                self.run_table.failed(job.subject, owner, [], "It was interrupted, and can be gone on with.")


def checked_input(
    question: str,
    workspace: str,
    max_retries: int | None,
    filters: SearchFilters = EVERYWHERE,
    remembered: list[Decision] | None = None,
) -> MASISInput:
    try:
        return MASISInput(
            user_query=question,
            workspace_id=workspace,
            max_retries=max_retries,
            filters=filters,
            remembered=remembered or [],
        )
    except ValidationError as error:
        raise InvalidInput(in_words(error)) from None

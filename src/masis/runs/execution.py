"""One run brought forward: from its start, from a person's answer, or from where a crash left it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command

from masis.errors import DatabaseUnavailable, DataFolderError, MASISError
from masis.jobs.background import stay_alive
from masis.jobs.lease import JobCancelled, Lease, LeaseLost
from masis.observability.watching import watch_run
from masis.orchestrator.graph import MASISGraph
from masis.orchestrator.services import Services
from masis.orchestrator.state import MASISState, StateUpdate, applied
from masis.orchestrator.trail import TraceEntry
from masis.runs import telling
from masis.runs.checkpoints import OWNER, saving
from masis.runs.event_log import NUMBERS_A_STEP, RunEvent
from masis.runs.hub import Hub
from masis.runs.moments import now
from masis.runs.recording import OnEvent, Recorder
from masis.runs.records import RunStatus
from masis.runs.result import RunResult, result_of
from masis.runs.run_table import RunTable

MAX_DEATHS = 5
"""A run that took so many workers down with it is not tried again by itself."""


def config_of(run_id: str, owner: str | None = None) -> RunnableConfig:
    return {"configurable": {"thread_id": run_id, OWNER: owner}}


@dataclass(slots=True)
class Progress:
    """Where the run is: its state as far as it is known here, and the step that belongs to."""

    state: MASISState
    step: int = 0


@dataclass(frozen=True, slots=True)
class Start:
    input: MASISState | Command[Any] | None
    """None: go on from the last checkpoint."""


class Execution:
    def __init__(self, runs: RunTable, hub: Hub, services: Services, graph: MASISGraph) -> None:
        self._runs = runs
        self._hub = hub
        self._services = services
        self._graph = graph

    async def advance(self, lease: Lease, on_event: OnEvent | None = None) -> RunResult | None:
        """Until the run ends or waits for a person; None when it was cancelled."""
        with watch_run(self._services.settings, lease.job.subject, lease.job.workspace_id) as watch:
            result = await self._advanced(lease, on_event)
            watch.outcome = "cancelled" if result is None else _ended_as(result)
            return result

    async def _advanced(self, lease: Lease, on_event: OnEvent | None) -> RunResult | None:
        run_id = lease.job.subject
        recorder = Recorder(self._runs, self._hub, run_id, lease.owner, on_event)
        progress = Progress({})
        try:
            async with recorder.writing():
                with saving(self._services.settings):
                    if start := await self._start(lease, recorder, progress):
                        await self._stream(start, lease, recorder, progress)
            return await self._settled(lease, recorder, progress)
        except (JobCancelled, asyncio.CancelledError):
            if not lease.cancelled or lease.lost:
                raise
            stay_alive()
            await self._cancelled(lease, recorder)
            return None
        except (DataFolderError, DatabaseUnavailable) as error:
            return await self._unsaved(run_id, progress, error)
        except LeaseLost:
            raise
        except Exception as error:
            await self._failed(lease, recorder, error)
            raise

    async def _start(self, lease: Lease, recorder: Recorder, progress: Progress) -> Start | None:
        """None where nothing is left to do but to say so."""
        run_id = lease.job.subject
        given = await self._runs.together("reading", self._runs.input, run_id)
        if lease.job.tries == 1 and not given.answers and not given.has_failed:
            progress.state = given.state
            return Start(given.state)
        if lease.job.deaths >= MAX_DEATHS:
            raise MASISError(
                f"The run was interrupted {lease.job.deaths} times.",
                advice="Check the workers' logs for the cause, then resume the run with `masis resume`.",
            )
        snapshot = await self._graph.aget_state(config_of(run_id))
        if not snapshot.values:
            progress.state = given.state
            return Start(given.state)
        progress.state = cast(MASISState, snapshot.values)
        progress.step = int((snapshot.metadata or {}).get("step", 0))
        await self._recover_events(run_id, recorder)
        if done := [task for task in snapshot.tasks if task.result is not None]:
            # Its writes were saved and its checkpoint was not: langgraph will not call it again.
            progress.step += 1
            attempt = progress.state.get("retry_count", 0)
            recorder.add(telling.finished(progress.step, done[0].name, attempt, cast(StateUpdate, done[0].result)))
        if snapshot.next != ("human_review",):
            return Start(None) if snapshot.tasks else None
        # An answer that has been acted on already must not answer the next question too.
        given_by_people = [a for a in progress.state.get("human_answers", []) if not a.get("decision_id")]
        is_pending = given.answer is not None and len(given_by_people) < given.answers
        return Start(Command(resume=given.answer)) if is_pending else None

    async def _stream(self, start: Start, lease: Lease, recorder: Recorder, progress: Progress) -> None:
        services = replace(self._services, lease=lease)
        stream = self._graph.astream(
            start.input,
            config_of(lease.job.subject, lease.owner),
            context=services,
            stream_mode=["custom", "values"],
            durability="async",
        )
        async for mode, part in stream:
            if mode == "values":
                progress.state = cast(MASISState, part)
            else:
                _hear(cast(dict[str, Any], part), recorder, progress)

    async def _settled(self, lease: Lease, recorder: Recorder, progress: Progress) -> RunResult:
        run_id = lease.job.subject
        result = result_of(run_id, progress.state)
        step = progress.step or await self._last_step(run_id)
        event = telling.settled(step, result)
        recorder.add(event)
        status: RunStatus = "waiting" if result.requires_human_review else "finished"
        lease.let_go()
        written = await self._runs.together(
            "writing", self._runs.settled, run_id, lease.owner, status, recorder.take_unwritten(), result
        )
        self._hub.tell(run_id)
        if not written:
            raise LeaseLost(f"The run {run_id} is in other hands now.")
        return result

    async def _unsaved(self, run_id: str, progress: Progress, error: MASISError) -> RunResult:
        """The answer is there and only could not be saved: whoever waits for it gets it."""
        if not progress.state.get("outcome"):
            raise error
        warning: TraceEntry = {"node": "run", "warning": "run_not_saved", "error": str(error)}
        return result_of(run_id, {**progress.state, "trace": [*progress.state["trace"], warning]})

    async def _cancelled(self, lease: Lease, recorder: Recorder) -> None:
        run_id = lease.job.subject
        left = recorder.take_unwritten()
        last = max([event["seq"] or 0 for event in left], default=0)
        step = max(last // NUMBERS_A_STEP, await self._last_step(run_id))
        event: RunEvent = {"seq": step * NUMBERS_A_STEP + 9, "at": now(), "event": "cancelled"}
        lease.let_go()
        await self._runs.together("writing", self._runs.settled, run_id, lease.owner, "cancelled", [*left, event])
        self._hub.tell(run_id)

    async def _failed(self, lease: Lease, recorder: Recorder, error: Exception) -> None:
        said = str(error) if isinstance(error, MASISError) else f"{type(error).__name__}: {error}"
        lease.let_go()
        with suppress(MASISError):
            await self._runs.together(
                "writing", self._runs.failed, lease.job.subject, lease.owner, recorder.take_unwritten(), said
            )
        self._hub.tell(lease.job.subject)

    async def _last_step(self, run_id: str) -> int:
        known = await self._runs.together("reading", self._runs.events.after, run_id, -1)
        return max((event["seq"] or 0 for event in known), default=0) // NUMBERS_A_STEP

    async def _recover_events(self, run_id: str, recorder: Recorder) -> None:
        """A step may have been saved while what it told was not yet: its event is read from the states around it."""
        known = {event["seq"] for event in await self._runs.together("reading", self._runs.events.after, run_id, -1)}
        async for step, agent, before, after in self._steps(run_id):
            event = telling.between(step, agent, before, after)
            if event["seq"] not in known:
                recorder.add(event)

    async def _steps(self, run_id: str) -> AsyncIterator[tuple[int, str, MASISState, MASISState]]:
        history = [snapshot async for snapshot in self._graph.aget_state_history(config_of(run_id))]
        for after, before in pairwise(history):
            step = int((after.metadata or {}).get("step", 0))
            if step > 0 and before.next:
                yield step, before.next[0], cast(MASISState, before.values), cast(MASISState, after.values)


def _ended_as(result: RunResult) -> str:
    return "waiting" if result.requires_human_review else result.outcome


def _hear(part: dict[str, Any], recorder: Recorder, progress: Progress) -> None:
    if part["event"] == "token":
        recorder.hear(part["attempt"], part["text"])
        return
    progress.step = part["step"]
    if part["event"] == "started":
        recorder.add(telling.started(part))
    else:
        recorder.add(telling.finished(part["step"], part["agent"], part["attempt"], part["update"]))
        if part["agent"] == "supervisor":
            # What ends the run is known before its checkpoint is written, which may still fail.
            progress.state = applied(progress.state, part["update"])

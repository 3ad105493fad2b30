"""Advances one run (from its start, a decision or a crash), and records its steps as events."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command

from masis.errors import DatabaseUnavailable, DataFolderError, MASISError
from masis.jobs.worker import JobCancelled, Lease, LeaseLost, meanwhile, stay_alive
from masis.observability.watching import watch_run
from masis.orchestrator.graph import MASISGraph
from masis.orchestrator.services import Services
from masis.orchestrator.state import MASISState, StateUpdate, applied
from masis.orchestrator.trail import TraceEntry
from masis.runs.checkpoints import IS_NEW, OWNER, saving
from masis.runs.events import NUMBERS_A_STEP, Hub, RunEvent, now, number_of
from masis.runs.records import Ending, RunResult, RunStatus, result_of
from masis.runs.run_table import News, RunTable

TOLD: dict[str, tuple[str, ...]] = {
    "synthesizer": ("draft_answer",),
    "critic": ("critique", "claims", "conflicts", "confidence"),
    "human_review": ("pending_answer",),
}
"""The parts of an agent's update that its event holds, besides its trace entry."""


def started(custom: dict[str, Any]) -> RunEvent:
    return {
        "seq": number_of(custom["step"], "started"),
        "at": now(),
        "event": "started",
        "agent": custom["agent"],
        "attempt": custom["attempt"],
    }


def finished(step: int, agent: str, attempt: int, update: StateUpdate) -> RunEvent:
    entries = update.get("trace", [])
    return {
        "seq": number_of(step, "finished"),
        "at": now(),
        "event": "finished",
        "agent": agent,
        "attempt": attempt,
        "trace": entries[-1] if entries else None,
        "data": _told(agent, update),
    }


def settled(step: int, result: RunResult) -> RunEvent:
    """The run needs a decision, or has its answer."""
    kind = "waiting" if result.requires_human_review else "ended"
    return {
        "seq": number_of(step, "waiting" if kind == "waiting" else "ended"),
        "at": now(),
        "event": "waiting" if kind == "waiting" else "ended",
        "data": {
            "status": result.status,
            "outcome": result.outcome,
            "confidence": result.confidence,
            "review": result.review,
        },
    }


def between(step: int, agent: str, before: MASISState, after: MASISState) -> RunEvent:
    """Rebuilds the event of an agent from the states before and after it, if a crash lost the original."""
    known = len(before.get("trace", []))
    update: StateUpdate = {**after, "trace": after.get("trace", [])[known:]}
    return finished(step, agent, before.get("retry_count", 0), update)


def _told(agent: str, update: StateUpdate) -> dict[str, Any]:
    told: dict[str, Any] = {key: update.get(key) for key in TOLD.get(agent, ()) if key in update}
    if agent == "researcher":
        told["evidence"] = [
            {name: chunk.get(name) for name in ("chunk_id", "document_id", "file_name", "page", "label", "score")}
            for chunk in update.get("evidence", [])
        ]
    if agent == "evaluator":
        told["evaluation"] = update.get("metrics", {}).get("evaluation")
    return told


BREATH = 0.03
"""Events within this many seconds are written together, such as the end of one agent and the start of the next."""
DRAFT_BREATH = 0.2
"""Seconds between two saves of a draft."""

OnEvent = Callable[[RunEvent], None]


class Recorder:
    def __init__(self, runs: RunTable, hub: Hub, run_id: str, owner: str, on_event: OnEvent | None) -> None:
        self._runs = runs
        self._hub = hub
        self._run_id = run_id
        self._owner = owner
        self._on_event = on_event
        self._unwritten: list[RunEvent] = []
        self._draft = (0, "")
        self._draft_is_written = True
        self._something = asyncio.Event()

    def add(self, event: RunEvent) -> None:
        self._unwritten.append(event)
        self._something.set()
        if self._on_event:
            self._on_event(event)

    def hear(self, attempt: int, piece: str) -> None:
        """Takes the next piece of the draft."""
        known, text = self._draft
        self._draft = (attempt, text + piece if attempt == known else piece)
        self._draft_is_written = False
        self._something.set()

    def writing(self) -> AbstractAsyncContextManager[None]:
        return meanwhile(self._keep_writing())

    def take_unwritten(self) -> list[RunEvent]:
        """The events that the transaction which ends the run has to write."""
        left, self._unwritten = self._unwritten, []
        return left

    async def _keep_writing(self) -> None:
        while True:
            await self._something.wait()
            await asyncio.sleep(BREATH if self._unwritten else DRAFT_BREATH)
            self._something.clear()
            await self._write()

    async def _write(self) -> None:
        events, draft = list(self._unwritten), None if self._draft_is_written else self._draft
        self._draft_is_written = True
        with suppress(MASISError):  # they stay, and go with the next
            # Shielded: a write in progress must not be lost if the run ends at this moment.
            await asyncio.shield(self._written(events, draft))

    async def _written(self, events: list[RunEvent], draft: tuple[int, str] | None) -> None:
        news = News(self._run_id, self._owner, events, draft)
        await self._runs.all_together("writing", self._runs.progressed, news)
        self._unwritten = [event for event in self._unwritten if event not in events]
        self._hub.tell(self._run_id)


MAX_DEATHS = 5
"""A run that crashed this many workers is not retried automatically."""


def config_of(run_id: str, owner: str | None = None, *, is_new: bool = False) -> RunnableConfig:
    return {"configurable": {"thread_id": run_id, OWNER: owner, IS_NEW: is_new}}


@dataclass(slots=True)
class Progress:
    """The current position of the run: its last known state, and the step of that state."""

    state: MASISState
    step: int = 0


@dataclass(frozen=True, slots=True)
class Start:
    input: MASISState | Command[Any] | None
    """None to continue from the last checkpoint."""
    is_new: bool = False


class Execution:
    def __init__(self, runs: RunTable, hub: Hub, services: Services, graph: MASISGraph) -> None:
        self._runs = runs
        self._hub = hub
        self._services = services
        self._graph = graph

    async def advance(self, lease: Lease, on_event: OnEvent | None = None) -> RunResult | None:
        """Works until the run ends or needs a decision; returns None if it was cancelled."""
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
        """Returns None if only the end of the run is left to record."""
        run_id = lease.job.subject
        given = await self._runs.all_together("reading", self._runs.inputs, run_id)
        if lease.job.tries == 1 and not given.answers and not given.has_failed:
            progress.state = given.state
            return Start(given.state, is_new=True)
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
            # Its writes were saved but not its checkpoint; LangGraph will not call it again.
            progress.step += 1
            attempt = progress.state.get("retry_count", 0)
            recorder.add(finished(progress.step, done[0].name, attempt, cast(StateUpdate, done[0].result)))
        if snapshot.next != ("human_review",):
            return Start(None) if snapshot.tasks else None
        # An answer that was already used must not answer the next question too.
        given_by_people = [a for a in progress.state.get("human_answers", []) if not a.get("decision_id")]
        is_pending = given.answer is not None and len(given_by_people) < given.answers
        return Start(Command(resume=given.answer)) if is_pending else None

    async def _stream(self, start: Start, lease: Lease, recorder: Recorder, progress: Progress) -> None:
        services = replace(self._services, lease=lease)
        stream = self._graph.astream(
            start.input,
            config_of(lease.job.subject, lease.owner, is_new=start.is_new),
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
        event = settled(step, result)
        recorder.add(event)
        status: RunStatus = "waiting" if result.requires_human_review else "finished"
        lease.let_go()
        ending = Ending(run_id, lease.owner, status, recorder.take_unwritten(), result)
        written = await self._runs.all_together("writing", self._runs.settled, ending)
        self._hub.tell(run_id)
        if not written:
            raise LeaseLost(f"The run {run_id} is now held by another worker.")
        return result

    async def _unsaved(self, run_id: str, progress: Progress, error: MASISError) -> RunResult:
        """The answer could not be saved, but a waiting caller still gets it."""
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
        ending = Ending(run_id, lease.owner, "cancelled", [*left, event])
        await self._runs.all_together("writing", self._runs.settled, ending)
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
        """Restores events of steps that were saved before a crash, while their events were not."""
        known = {event["seq"] for event in await self._runs.together("reading", self._runs.events.after, run_id, -1)}
        async for step, agent, before, after in self._steps(run_id):
            event = between(step, agent, before, after)
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
        recorder.add(started(part))
    else:
        recorder.add(finished(part["step"], part["agent"], part["attempt"], part["update"]))
        if part["agent"] == "supervisor":
            # The final state is known before its checkpoint is written, which may still fail.
            progress.state = applied(progress.state, part["update"])

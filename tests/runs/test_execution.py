"""A run brought forward: cancelled, taken over, given up after too many deaths, and gone on with."""

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from masis.client import Masis
from masis.errors import DatabaseUnavailable, InvalidInput, RunNotWaiting
from masis.jobs.worker import JobCancelled
from masis.runs import execution
from masis.runs.records import RunStatus
from masis.settings import Settings
from tests.support.engines import masis_with
from tests.support.play import PREFER, Play
from tests.support.waiting import SOON, happens

QUESTION = "What was revenue in 2025?"


class Stage:
    """A play in which a part can be held up, or go wrong."""

    def __init__(self, settings: Settings) -> None:
        self.held: dict[str, asyncio.Event] = {}
        self.reached: dict[str, asyncio.Event] = {}
        self.wrong: dict[str, Exception] = {}
        self.parts: list[str] = []
        self.left: list[str] = []
        """Where somebody was interrupted."""
        self.masis = masis_with(Play(settings, self.cue).services)
        self.masis.library.catalog.create_workspace("w")

    async def cue(self, part: str) -> None:
        self.parts.append(part)
        if part in self.wrong:
            raise self.wrong.pop(part)
        if part in self.held:
            self.reached[part].set()
            try:
                await self.held[part].wait()
            except asyncio.CancelledError:
                self.left.append(part)
                raise

    def hold(self, part: str) -> asyncio.Event:
        self.held[part], self.reached[part] = asyncio.Event(), asyncio.Event()
        return self.reached[part]


@pytest.fixture
def stage(stored: Settings) -> Iterator[Stage]:
    made = Stage(stored.model_copy(update={"lease_seconds": 2.0}))
    yield made
    made.masis.close()


async def until_status(masis: Masis, run_id: str, status: RunStatus) -> None:
    async def has_it() -> bool:
        return (await masis.aget_run(run_id)).status == status

    await happens(has_it)


def take_over(masis: Masis, run_id: str) -> None:
    with masis._parts.database.writing() as db:
        db.execute("UPDATE jobs SET owner = 'another', lease_until = 1e12 WHERE subject = ?", (run_id,))


async def test_a_worker_runs_asks_and_goes_on_with_the_answer(stage: Stage) -> None:
    masis = stage.masis
    async with masis.working():
        run_id = (await masis.aask_in_background(QUESTION, "w", max_retries=1)).run_id
        await until_status(masis, run_id, "waiting")
        await masis.aanswer_in_background(run_id, PREFER)
        await until_status(masis, run_id, "finished")
    result = await masis.aresult(run_id)
    assert result is not None
    assert [entry["by"] for entry in result.trace if entry["node"] == "human_review"] == ["Ada"]
    seqs = [event["seq"] for event in await masis.aevents(run_id)]
    assert seqs == sorted(set(seqs))


async def test_a_run_that_waits_for_a_model_is_cancelled_at_once(stage: Stage) -> None:
    masis = stage.masis
    reached = stage.hold("auditor")
    async with masis.working():
        run_id = (await masis.aask_in_background(QUESTION, "w")).run_id
        await reached.wait()
        await masis.acancel(run_id)
        await until_status(masis, run_id, "cancelled")
    assert (await masis.aevents(run_id))[-1]["event"] == "cancelled"
    assert masis.job_counts() == {}
    assert "judge" not in stage.parts


async def test_a_run_whose_text_is_being_read_in_a_thread_is_cancelled_without_waiting_for_it(stage: Stage) -> None:
    """The thread ends with the piece it has; the run has ended before, and others were answered meanwhile."""
    can_end, threads = threading.Event(), list[str]()

    def read() -> None:
        threads.append("begun")
        can_end.wait(SOON)
        threads.append("ended")

    async def cue(part: str) -> None:
        if part == "writer" and not threads:
            await asyncio.to_thread(read)

    masis = masis_with(Play(stage.masis.settings, cue).services)
    try:
        async with masis.working():
            heavy = (await masis.aask_in_background(QUESTION, "w")).run_id
            await happens(lambda: threads)
            other = (await masis.aask_in_background(QUESTION, "w")).run_id
            await until_status(masis, other, "waiting")
            await masis.acancel(heavy)
            await until_status(masis, heavy, "cancelled")
            assert threads == ["begun"]
            can_end.set()
            await happens(lambda: len(threads) == 2)
        assert (await masis.aget_run(heavy)).status == "cancelled"
    finally:
        can_end.set()
        masis.close()


async def test_who_asked_here_and_now_hears_of_the_cancellation(stage: Stage) -> None:
    masis = stage.masis
    reached = stage.hold("writer")
    asking = asyncio.create_task(masis.aask(QUESTION, "w"))
    await reached.wait()
    [run] = await masis.aruns()
    await masis.acancel(run.run_id)
    with pytest.raises(JobCancelled):
        await asking
    assert (await masis.aget_run(run.run_id)).status == "cancelled"


async def test_who_goes_away_cancels_what_was_asked_here_and_now(stage: Stage) -> None:
    masis = stage.masis
    reached = stage.hold("writer")
    asking = asyncio.create_task(masis.aask(QUESTION, "w"))
    await reached.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert [run.status for run in await masis.aruns()] == ["cancelled"]
    assert masis.job_counts() == {}


async def test_a_run_in_other_hands_is_left_alone(stage: Stage) -> None:
    masis = stage.masis
    reached = stage.hold("writer")
    async with masis.working():
        run_id = (await masis.aask_in_background(QUESTION, "w")).run_id
        await reached.wait()

        async def has_begun() -> bool:
            return "synthesizer" in [event.get("agent") for event in await masis.aevents(run_id)]

        await happens(has_begun)
        before = await masis.aevents(run_id)
        take_over(masis, run_id)
        await happens(lambda: "writer" in stage.left)  # a renewal finds out, three of which fit into a lease
    assert await masis.aevents(run_id) == before
    assert "auditor" not in stage.parts
    assert masis.job_counts() == {("run", "running"): 1}


async def test_a_database_that_was_away_stops_a_run_for_a_while_only(stage: Stage) -> None:
    masis = stage.masis
    stage.wrong["search"] = DatabaseUnavailable("PostgreSQL did not answer.")
    async with masis.working():
        run_id = (await masis.aask_in_background(QUESTION, "w", max_retries=1)).run_id
        await until_status(masis, run_id, "waiting")
    result = await masis.aresult(run_id)
    assert result is not None
    assert result.outcome == "conflict"
    assert stage.parts.count("search") == 3


@pytest.mark.parametrize("part", ["writer", "judge"])
async def test_a_mistake_of_our_own_fails_the_run_and_it_can_be_gone_on_with(stage: Stage, part: str) -> None:
    masis = stage.masis
    stage.wrong[part] = ZeroDivisionError("a mistake")
    with pytest.raises(ZeroDivisionError):
        await masis.aask(QUESTION, "w", max_retries=1)
    [run] = await masis.aruns()
    assert (run.status, run.error) == ("failed", "ZeroDivisionError: a mistake")
    found = await masis.aresume(run.run_id)
    whole = await masis.aask(QUESTION, "w", max_retries=1)
    assert timeless(found.trace) == timeless(whole.trace)
    with pytest.raises(InvalidInput, match="waiting"):
        await masis.aresume(run.run_id)


async def test_a_run_that_took_many_workers_down_is_not_tried_for_ever(stage: Stage) -> None:
    masis = stage.masis
    run_id = (await masis.aask_in_background(QUESTION, "w", max_retries=1)).run_id
    with masis._parts.database.writing() as db:
        db.execute("UPDATE jobs SET tries = ?", (execution.MAX_DEATHS,))
    async with masis.working():
        await until_status(masis, run_id, "failed")
    assert "interrupted 5 times" in str((await masis.aget_run(run_id)).error)
    assert (await masis.aresume(run_id)).outcome == "conflict"


async def test_orderly_stops_are_not_held_against_a_run(stage: Stage) -> None:
    masis = stage.masis
    run_id = (await masis.aask_in_background(QUESTION, "w", max_retries=1)).run_id
    with masis._parts.database.writing() as db:
        db.execute("UPDATE jobs SET tries = ?, stops = ?", (execution.MAX_DEATHS + 3, execution.MAX_DEATHS + 3))
    async with masis.working():
        await until_status(masis, run_id, "waiting")


async def test_a_failure_is_told_after_everything_else(stage: Stage) -> None:
    """Whoever follows from the last event hears of it, and of how the run went on."""
    masis = stage.masis
    stage.wrong["auditor"] = ZeroDivisionError("a mistake")
    with pytest.raises(ZeroDivisionError):
        await masis.aask(QUESTION, "w", max_retries=1)
    [run] = await masis.aruns()
    *before, failed = await masis.aevents(run.run_id)
    assert (failed["event"], failed["data"]["error"]) == ("failed", "ZeroDivisionError: a mistake")
    followed = [event async for event in masis.afollow(run.run_id, before[-1]["seq"] or 0)]
    assert followed == [failed]
    assert (await masis.aresume_in_background(run.run_id)).status == "queued"
    async with masis.working():
        kinds = [event["event"] async for event in masis.afollow(run.run_id, failed["seq"] or 0)]
    assert kinds[0] == "finished"
    assert kinds[-1] == "waiting"


async def test_an_answer_is_an_event_and_the_question_is_no_longer_open(stage: Stage) -> None:
    masis = stage.masis
    run_id = (await masis.aask(QUESTION, "w", max_retries=1)).run_id
    assert (await masis.aget_run(run_id)).requires_human_review
    answered = await masis.aanswer_in_background(run_id, PREFER)
    assert (answered.status, answered.outcome, answered.requires_human_review) == ("queued", None, False)
    last = (await masis.aevents(run_id))[-1]
    assert (last["event"], last["data"]) == ("answered", {"action": "prefer", "by": "Ada", "note": None})
    with pytest.raises(RunNotWaiting):
        await masis.aanswer_in_background(run_id, PREFER)


async def test_who_goes_away_after_answering_loses_nothing(stage: Stage) -> None:
    masis = stage.masis
    run_id = (await masis.aask(QUESTION, "w", max_retries=1)).run_id
    reached = stage.hold("judge")
    resuming = asyncio.create_task(masis.aanswer(run_id, PREFER))
    await reached.wait()
    resuming.cancel()
    with pytest.raises(asyncio.CancelledError):
        await resuming
    interrupted = await masis.aget_run(run_id)
    assert interrupted.status == "failed"
    assert "interrupted" in str(interrupted.error)
    stage.held["judge"].set()
    whole = await masis.aresume(run_id)
    assert [answer["by"] for answer in whole.trace if answer["node"] == "human_review"] == ["Ada"]


def timeless(trace: list[Any]) -> list[Any]:
    return [{name: value for name, value in entry.items() if name != "duration_ms"} for entry in trace]

"""A worker does each job once, stops when it is told to, and lets go of what is no longer its own."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress

import pytest

from masis.database import Database
from masis.errors import StoreUnavailable
from masis.jobs import worker as worker_module
from masis.jobs.queue import Job, JobQueue, Kind, new_owner
from masis.jobs.worker import Handler, JobCancelled, Lease, LeaseKeeper, LeaseLost, Worker
from tests.jobs.conftest import put
from tests.support.waiting import happens

POLL = 0.02


@pytest.fixture
def queue(database: Database) -> JobQueue:
    """With real time, and a lease that a worker keeps however busy the machine is."""
    return JobQueue(database, lease_seconds=60)


@pytest.fixture
def brief(database: Database) -> JobQueue:
    """With a lease that is soon renewed, or soon over: tests wait for it."""
    return JobQueue(database, lease_seconds=1.5)


@asynccontextmanager
async def at_work(queue: JobQueue, handler: Handler, room: Mapping[Kind, int] | None = None) -> AsyncIterator[Worker]:
    worker = Worker(queue, {"run": handler, "ingest": handler}, room or {"run": 4, "ingest": 1}, POLL)
    task = asyncio.create_task(worker.run())
    try:
        yield worker
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def freeze(seconds: float) -> None:
    """The whole event loop, as a stopped process would be."""
    time.sleep(seconds)


def finish(queue: JobQueue, lease: Lease) -> bool:
    lease.let_go()
    with queue.database.writing() as db:
        return queue.done(db, lease.owner, lease.job.key)


def taken_over(queue: JobQueue, key: tuple[str, str]) -> None:
    with queue.database.writing() as db:
        db.execute("UPDATE jobs SET owner = 'another' WHERE kind = ? AND subject = ?", key)


async def test_every_job_is_done_once_by_one_of_two_workers(queue: JobQueue) -> None:
    done: list[str] = []

    async def handler(job: Job, lease: Lease) -> None:
        await asyncio.sleep(0.01)
        await lease.check()
        done.append(job.subject)
        finish(queue, lease)

    for number in range(20):
        put(queue, f"{number:02}")
    async with at_work(queue, handler), at_work(queue, handler):
        await happens(lambda: not queue.counts())
    assert sorted(done) == [f"{number:02}" for number in range(20)]


async def test_no_more_than_there_is_room_for(queue: JobQueue) -> None:
    at_once, most = 0, 0

    async def handler(job: Job, lease: Lease) -> None:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0.03)
        at_once -= 1
        finish(queue, lease)

    for number in range(6):
        put(queue, str(number))
    async with at_work(queue, handler, {"run": 2, "ingest": 1}):
        await happens(lambda: not queue.counts())
    assert most == 2


async def test_long_work_keeps_its_lease(brief: JobQueue) -> None:
    tries: list[int] = []

    async def handler(job: Job, lease: Lease) -> None:
        tries.append(job.tries)
        await asyncio.sleep(1.5 * brief.lease_seconds)
        await lease.check()
        finish(brief, lease)

    put(brief, "long")
    async with at_work(brief, handler), at_work(brief, handler):
        await happens(lambda: not brief.counts())
    assert tries == [1]


async def test_what_is_claimed_while_leases_are_renewed_is_not_taken_for_lost(queue: JobQueue) -> None:
    """The database may answer with what was held a moment before."""
    keeper = LeaseKeeper(queue, "worker")
    put(queue, "old", owner="worker")
    put(queue, "new", owner="worker")
    renew = queue.renew

    def slowly(owner: str, keys: list[tuple[str, str]]) -> dict[tuple[str, str], bool]:
        held = renew(owner, keys)
        time.sleep(0.2)
        return held

    queue.renew = slowly  # type: ignore[method-assign, assignment]
    async with keeper.holding(Job("run", "old", "w")):
        renewal = asyncio.create_task(keeper.renew())
        await asyncio.sleep(0.05)
        async with keeper.holding(Job("run", "new", "w")) as lease:
            await renewal
            await lease.check()
            assert not lease.lost


async def test_work_that_has_ended_is_not_interrupted_because_its_job_is_gone(queue: JobQueue) -> None:
    keeper = LeaseKeeper(queue, "worker")
    put(queue, "a", owner="worker")
    async with keeper.holding(Job("run", "a", "w")) as lease:
        assert finish(queue, lease)
        await keeper.renew()
        await asyncio.sleep(0)  # a cancellation would arrive here
        assert not lease.lost


async def test_a_lost_lease_ends_the_work_at_once(brief: JobQueue) -> None:
    ended: list[str] = []

    async def handler(job: Job, lease: Lease) -> None:
        taken_over(brief, job.key)
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            ended.append("cancelled")
            assert not finish(brief, lease)
            raise

    put(brief, "a")
    async with at_work(brief, handler):
        await happens(lambda: bool(ended))
    with brief.database.reading() as db:
        assert db.execute("SELECT owner FROM jobs").fetchall() == [("another",)]


async def test_after_a_freeze_the_lease_is_checked_before_anything_is_written(database: Database) -> None:
    """Here the process does nothing for longer than its lease, renewing included, and another takes the job."""
    queue = JobQueue(database, lease_seconds=0.6)
    written: list[str] = []
    refused: list[str] = []

    async def handler(job: Job, lease: Lease) -> None:
        freeze(2 * queue.lease_seconds)
        # A renewal that was under way in its thread may come through first, or have the row locked just now.
        while not JobQueue(queue.database, 60).claim("another", {"run": 1}):
            freeze(0.05)
        try:
            await lease.check()
            written.append(job.subject)
        except (LeaseLost, asyncio.CancelledError):  # or a renewal has found it out already, and interrupts
            refused.append(job.subject)
            raise

    put(queue, "a")
    async with at_work(queue, handler):
        await happens(lambda: bool(refused or written))
    assert (written, refused) == ([], ["a"])
    assert queue.counts() == {("run", "running"): 1}


async def test_a_cancelled_job_is_interrupted(brief: JobQueue) -> None:
    said: list[str] = []

    async def handler(job: Job, lease: Lease) -> None:
        with brief.database.writing() as db:
            assert brief.request_cancel(db, job.key) == "running"
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            with pytest.raises(JobCancelled):
                await lease.check()
            said.append(job.subject)
            finish(brief, lease)

    put(brief, "a")
    async with at_work(brief, handler):
        await happens(lambda: not brief.counts())
    assert said == ["a"]


async def test_a_cancellation_that_the_work_did_not_act_on_is_told_again(brief: JobQueue) -> None:
    tries: list[int] = []

    async def handler(job: Job, lease: Lease) -> None:
        tries.append(job.tries)
        with brief.database.writing() as db:
            brief.request_cancel(db, job.key)
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            if len(tries) == 1:
                raise  # as if it had not begun yet
            finish(brief, lease)

    put(brief, "a")
    async with at_work(brief, handler):
        await happens(lambda: not brief.counts())
    assert tries == [1, 2]


@pytest.mark.parametrize("failure", [StoreUnavailable("Qdrant is away."), ZeroDivisionError("a mistake")])
async def test_a_job_that_its_surroundings_failed_is_tried_again(
    queue: JobQueue, failure: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_module, "AGAIN_SECONDS", 0.05)
    tries: list[int] = []

    async def handler(job: Job, lease: Lease) -> None:
        tries.append(job.tries)
        if job.tries < 3:
            raise failure
        finish(queue, lease)

    put(queue, "a")
    async with at_work(queue, handler):
        await happens(lambda: not queue.counts())
    assert tries == [1, 2, 3]


async def test_a_worker_that_stops_gives_back_what_it_has_in_work(queue: JobQueue) -> None:
    begun: list[str] = []

    async def handler(job: Job, lease: Lease) -> None:
        begun.append(job.subject)
        await asyncio.sleep(30)

    for subject in "abc":
        put(queue, subject)
    worker = Worker(queue, {"run": handler}, {"run": 2}, POLL)
    task = asyncio.create_task(worker.run())
    await happens(lambda: len(begun) == 2)
    worker.stop()
    async with asyncio.timeout(10):
        await task
    assert queue.counts() == {("run", "queued"): 3}
    claimed = queue.claim("next", {"run": 3})
    assert [(job.tries, job.stops) for job in claimed] == [(2, 1), (2, 1), (1, 0)]
    assert [job.deaths for job in claimed] == [0, 0, 0]


async def test_what_a_worker_was_just_claiming_when_it_was_stopped_is_given_back(queue: JobQueue) -> None:
    claim = queue.claim
    claiming = asyncio.Event()
    loop = asyncio.get_running_loop()

    def slowly(owner: str, room: Mapping[Kind, int]) -> list[Job]:
        loop.call_soon_threadsafe(claiming.set)
        time.sleep(0.2)
        return claim(owner, room)

    queue.claim = slowly  # type: ignore[method-assign, assignment]
    put(queue, "a")

    async def handler(job: Job, lease: Lease) -> None:
        raise AssertionError("it was told to stop")

    async with at_work(queue, handler):
        await claiming.wait()
    assert queue.counts() == {("run", "queued"): 1}


async def test_a_dead_worker_of_this_machine_is_replaced_at_once(database: Database) -> None:
    queue = JobQueue(database, lease_seconds=600)
    machine, _, _, name = new_owner().split("|")
    put(queue, "a", owner=f"{machine}|1|none|{name}")  # process 1 lives, and did not start then
    done: list[int] = []

    async def handler(job: Job, lease: Lease) -> None:
        done.append(job.tries)
        finish(queue, lease)

    async with at_work(queue, handler):
        await happens(lambda: bool(done))
    assert done == [2]

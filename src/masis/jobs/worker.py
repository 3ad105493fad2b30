"""A worker claims as many jobs as it has room for, and one task renews their leases."""

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any

from masis.errors import MASISError, will_pass
from masis.jobs.queue import SUSPECT, Job, JobKey, JobQueue, Kind, kinds_of, new_owner


@asynccontextmanager
async def meanwhile(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def stay_alive() -> None:
    """Clears a cancellation that was meant for the job and has been handled, so that the task can continue."""
    task = asyncio.current_task()
    while task is not None and task.cancelling():
        task.uncancel()


class LeaseLost(MASISError):
    """Another worker has taken over the job, and this one must write nothing more."""

    code = "lease_lost"
    advice = "Nothing to do: another worker continues it."


class JobCancelled(MASISError):
    code = "cancelled"
    advice = "Start it again if you still need it."


class Lease:
    """The right of this process to work on a job."""

    def __init__(self, keeper: "LeaseKeeper", job: Job) -> None:
        self.job = job
        self.owner = keeper.owner
        self.cancelled = False
        self.lost = False
        self._keeper = keeper
        self._task = asyncio.current_task()

    async def check(self) -> None:
        """Raises if the job was taken over or cancelled. Asks the database only if the lease was not renewed in time,
        such as after a freeze."""
        if not self.lost and not self._keeper.is_fresh:
            await self._keeper.renew()
        if self.lost:
            raise LeaseLost(f"The {self.job.kind} {self.job.subject} is now held by another worker.")
        if self.cancelled:
            raise JobCancelled(f"The {self.job.kind} {self.job.subject} was cancelled.")

    def let_go(self) -> None:
        """Called when the work is done and about to remove its job: it can no longer be lost or cancelled."""
        self._keeper.forget(self)

    def interrupt(self) -> None:
        """Cancels the task, which may be waiting for a model."""
        if self._task is not None:
            self._task.cancel()


class LeaseKeeper:
    """All leases of one owner in one event loop."""

    def __init__(self, queue: JobQueue, owner: str) -> None:
        self.owner = owner
        self._queue = queue
        self._leases: dict[JobKey, Lease] = {}
        self._renewed_at = time.monotonic()

    @property
    def held(self) -> list[JobKey]:
        return list(self._leases)

    @property
    def is_fresh(self) -> bool:
        return time.monotonic() - self._renewed_at < self._queue.lease_seconds * 0.8

    @asynccontextmanager
    async def holding(self, job: Job) -> AsyncIterator[Lease]:
        """Entered by the task that does the work, which is cancelled if the lease is lost or the job cancelled."""
        lease = self._leases[job.key] = Lease(self, job)
        try:
            yield lease
        finally:
            self.forget(lease)

    def forget(self, lease: Lease) -> None:
        if self._leases.get(lease.job.key) is lease:
            del self._leases[lease.job.key]

    def renewing(self) -> AbstractAsyncContextManager[None]:
        return meanwhile(self._keep_renewing())

    async def renew(self) -> None:
        started = time.monotonic()
        # A job that is claimed meanwhile is missing from the response, but not lost.
        asked_for = dict(self._leases)
        held = await asyncio.to_thread(self._queue.renew, self.owner, list(asked_for))
        self._renewed_at = started
        for key, lease in asked_for.items():
            lost, cancelled = key not in held, held.get(key, False)
            is_news = (lost and not lease.lost) or (cancelled and not lease.cancelled)
            if is_news and self._leases.get(key) is lease:
                lease.lost, lease.cancelled = lost, cancelled
                lease.interrupt()

    async def _keep_renewing(self) -> None:
        while True:
            await asyncio.sleep(min(self._queue.lease_seconds / 3, 1.0))
            if self._leases:
                with suppress(MASISError):  # if the database stays down, `check` finds the lease stale
                    await self.renew()


@asynccontextmanager
async def only_here(queue: JobQueue, job: Job) -> AsyncIterator[Lease | None]:
    """Holds a job without a worker, so that only this process does it; None if another process holds it."""

    def taken(owner: str) -> bool:
        with queue.database.writing() as db:
            is_new = queue.put(db, job, owner)
        return is_new or queue.claim_one(owner, job.key) is not None

    def done(owner: str) -> None:
        with queue.database.writing() as db:
            queue.done(db, owner, job.key)

    keeper = LeaseKeeper(queue, new_owner())
    if not await asyncio.to_thread(taken, keeper.owner):
        yield None
        return
    try:
        async with keeper.renewing(), keeper.holding(job) as lease:
            yield lease
    finally:
        await asyncio.shield(asyncio.to_thread(done, keeper.owner))


Handler = Callable[[Job, Lease], Awaitable[None]]
"""Does the job and removes it from the queue. If it raises, the job returns to the queue."""

AGAIN_SECONDS, MOST_SECONDS = 2.0, 30.0
"""How long a job waits after a failure; doubled each time, up to the second figure."""
log = logging.getLogger(__name__)


class Worker:
    def __init__(
        self,
        queue: JobQueue,
        handlers: Mapping[Kind, Handler],
        room: Mapping[Kind, int],
        poll_seconds: float,
    ) -> None:
        self.owner = new_owner()
        self._queue = queue
        self._handlers = handlers
        self._room = room
        self._poll = poll_seconds
        self._keeper = LeaseKeeper(queue, self.owner)
        self._tasks: dict[asyncio.Task[None], Job] = {}
        self._claiming: asyncio.Future[list[Job]] | None = None
        self._full: set[Kind] = set()
        """Kinds of which more jobs may be waiting than there was room for."""
        self._something_to_do = asyncio.Event()
        self._stopping = False

    async def run(self) -> None:
        """Works until it is cancelled or stopped, then returns the jobs in progress to the queue."""
        async with self._keeper.renewing():
            try:
                while not self._stopping:
                    await self._claim_more()
                    await self._rest()
            finally:
                await self._hand_back()

    def wake(self) -> None:
        """Call this from the worker's event loop when a job was queued."""
        self._something_to_do.set()

    def stop(self) -> None:
        self._stopping = True
        self.wake()

    async def _claim_more(self) -> None:
        in_work = [job.key for job in self._tasks.values()]
        room = {kind: most - kinds_of(in_work, kind) for kind, most in self._room.items()}
        self._full = {kind for kind, most in room.items() if most <= 0}
        if len(self._full) == len(room):
            return
        try:
            await asyncio.to_thread(self._queue.free_the_dead)
            self._claiming = asyncio.ensure_future(asyncio.to_thread(self._queue.claim, self.owner, room))
            # Shielded: jobs claimed while this worker is stopping must be returned, not forgotten.
            jobs = await asyncio.shield(self._claiming)
        except MASISError as error:
            log.warning("queue_unavailable", extra={"error": str(error)})
            return
        except Exception:
            # Any error: if the worker ended here, its process would live on without serving the queue.
            log.exception("queue_unavailable")
            return
        self._full = {kind for kind, most in room.items() if kinds_of([job.key for job in jobs], kind) >= most}
        for job in jobs:
            task = asyncio.create_task(self._work(job), name=f"{job.kind} {job.subject}")
            self._tasks[task] = job
            task.add_done_callback(self._finished)

    def _finished(self, task: "asyncio.Task[None]") -> None:
        job = self._tasks.pop(task)
        if job.kind in self._full or job.deaths >= SUSPECT:
            self.wake()

    async def _rest(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self._poll):
                await self._something_to_do.wait()
        self._something_to_do.clear()

    async def _work(self, job: Job) -> None:
        async with self._keeper.holding(job) as lease:
            try:
                await self._handlers[job.kind](job, lease)
            except LeaseLost:
                log.warning("job_taken_over", extra={"kind": job.kind, "subject": job.subject})
            except MASISError as error:
                log.warning("job_interrupted", extra={"kind": job.kind, "subject": job.subject, "error": str(error)})
                await self._give_back(job, _rest_after(job), is_stop=will_pass(error))
            except asyncio.CancelledError:
                # A cancelled job whose work did not notice goes back, to be cancelled again. If this worker is
                # stopping, `_hand_back` does the rest.
                if lease.cancelled:
                    await self._give_back(job, 0.0)
                elif not lease.lost:
                    raise
            except Exception:
                log.exception("job_failed", extra={"kind": job.kind, "subject": job.subject})
                await self._give_back(job, _rest_after(job))

    async def _give_back(self, job: Job, delay: float, *, is_stop: bool = False) -> None:
        with suppress(MASISError):  # otherwise the lease expires
            await asyncio.to_thread(self._queue.give_back, self.owner, [job.key], delay, is_stop=is_stop)

    async def _hand_back(self) -> None:
        left = dict(self._tasks)
        keys = {job.key for job in left.values()}
        with suppress(MASISError):  # recorded first, since a worker may be killed while it stops
            await asyncio.to_thread(self._queue.note_stop, self.owner, sorted(keys))
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        claimed: set[JobKey] = set()
        with suppress(MASISError):
            claimed = {job.key for job in (await self._claiming if self._claiming else [])} - keys
        with suppress(MASISError):
            await asyncio.to_thread(self._queue.give_back, self.owner, sorted(keys))
            await asyncio.to_thread(self._queue.give_back, self.owner, sorted(claimed), is_stop=True)


def _rest_after(job: Job) -> float:
    return min(MOST_SECONDS, AGAIN_SECONDS * 2.0 ** min(job.tries - 1, 10))


def default_room(concurrency: int) -> dict[Kind, int]:
    """Runs mostly wait for models, while an ingestion uses every core."""
    return {"run": concurrency, "ingest": max(1, (os.cpu_count() or 1) // 2), "sync": 1}

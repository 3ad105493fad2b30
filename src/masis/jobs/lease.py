"""Holding jobs: one task renews all that an owner holds, and tells the work whose job was lost or cancelled."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress

from masis.errors import MASISError
from masis.jobs.background import meanwhile
from masis.jobs.queue import Job, JobKey, JobQueue


class LeaseLost(MASISError):
    """Another worker has taken the job over: this one must write nothing more."""

    code = "lease_lost"
    advice = "Nothing needs to be done: another worker goes on with it."


class JobCancelled(MASISError):
    code = "cancelled"
    advice = "Start it again when it is wanted after all."


class Lease:
    """One job, as long as this process may work on it."""

    def __init__(self, keeper: "LeaseKeeper", job: Job) -> None:
        self.job = job
        self.owner = keeper.owner
        self.cancelled = False
        self.lost = False
        self._keeper = keeper
        self._task = asyncio.current_task()

    async def check(self) -> None:
        """Cheap while the lease is fresh. After a freeze the database is asked whose job it is now."""
        if not self.lost and not self._keeper.is_fresh:
            await self._keeper.renew()
        if self.lost:
            raise LeaseLost(f"The {self.job.kind} {self.job.subject} is in other hands now.")
        if self.cancelled:
            raise JobCancelled(f"The {self.job.kind} {self.job.subject} was cancelled.")

    def let_go(self) -> None:
        """The work is done and takes its job out itself: that it is gone then is no loss, and a cancellation late."""
        self._keeper.forget(self)

    def interrupt(self) -> None:
        """What is waiting for a model must not wait any longer."""
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
        """In the task that does the work: it is cancelled when the lease is lost or the job is."""
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
        # What is claimed while the database answers is not in its answer, and not lost.
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
                with suppress(MASISError):  # a database that is away comes back, or `check` finds the lease stale
                    await self.renew()

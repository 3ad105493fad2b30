"""A worker: claims jobs as it has room for them, and finishes, gives back or is relieved of each."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

import structlog

from masis.errors import MASISError
from masis.jobs.lease import Lease, LeaseKeeper, LeaseLost
from masis.jobs.owners import new_owner
from masis.jobs.queue import Job, JobQueue, Kind, kinds_of

Handler = Callable[[Job, Lease], Awaitable[None]]
"""Does the job and takes it out of the queue. Raising gives it back, to be tried again."""

AGAIN_SECONDS = 2.0
"""How long a job rests after its surroundings failed it (a store that is away, for instance); each time twice as
long, so that a minute's outage does not use up its tries."""
log = structlog.get_logger("masis.jobs")


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
        self._something_to_do = asyncio.Event()
        self._stopping = False

    async def run(self) -> None:
        """Until it is cancelled or stopped; what is in work then is given back."""
        async with self._keeper.renewing():
            try:
                while not self._stopping:
                    await self._claim_more()
                    await self._rest()
            finally:
                await self._hand_back()

    def wake(self) -> None:
        """Something was put into the queue; from the worker's own event loop."""
        self._something_to_do.set()

    def stop(self) -> None:
        self._stopping = True
        self.wake()

    async def _claim_more(self) -> None:
        in_work = [job.key for job in self._tasks.values()]
        room = {kind: most - kinds_of(in_work, kind) for kind, most in self._room.items()}
        if not any(most > 0 for most in room.values()):
            return
        try:
            await asyncio.to_thread(self._queue.free_the_dead)
            self._claiming = asyncio.ensure_future(asyncio.to_thread(self._queue.claim, self.owner, room))
            # Shielded: what is claimed while this worker is told to stop must be given back, not forgotten.
            jobs = await asyncio.shield(self._claiming)
        except MASISError as error:
            log.warning("queue_unavailable", error=str(error))
            return
        except Exception:
            # Whatever it was: a worker that ended here would leave its process alive and its queue untended.
            log.exception("queue_unavailable")
            return
        for job in jobs:
            task = asyncio.create_task(self._work(job), name=f"{job.kind} {job.subject}")
            self._tasks[task] = job
            task.add_done_callback(self._finished)

    def _finished(self, task: "asyncio.Task[None]") -> None:
        self._tasks.pop(task, None)
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
                log.warning("job_taken_over", kind=job.kind, subject=job.subject)
            except MASISError as error:
                log.warning("job_interrupted", kind=job.kind, subject=job.subject, error=str(error))
                await self._give_back(job, AGAIN_SECONDS * 2 ** (job.tries - 1))
            except asyncio.CancelledError:
                # A cancelled job whose work did not say so itself is told again. Where this worker stops,
                # `_hand_back` does the rest.
                if lease.cancelled:
                    await self._give_back(job, 0.0)
                elif not lease.lost:
                    raise
            except Exception:
                log.exception("job_failed", kind=job.kind, subject=job.subject)
                await self._give_back(job, AGAIN_SECONDS * 2 ** (job.tries - 1))

    async def _give_back(self, job: Job, delay: float) -> None:
        with suppress(MASISError):  # then the lease runs out by itself
            await asyncio.to_thread(self._queue.give_back, self.owner, [job.key], delay)

    async def _hand_back(self) -> None:
        left = dict(self._tasks)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        keys = {job.key for job in left.values()}
        with suppress(MASISError):
            keys |= {job.key for job in (await self._claiming if self._claiming else [])}
        with suppress(MASISError):
            await asyncio.to_thread(self._queue.give_back, self.owner, sorted(keys), is_stop=True)


def default_room(concurrency: int) -> dict[Kind, int]:
    """Runs mostly wait for models; an ingestion takes every core it gets."""
    return {"run": concurrency, "ingest": max(1, (os.cpu_count() or 1) // 2)}

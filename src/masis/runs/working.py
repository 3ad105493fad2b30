"""The worker of a process: runs and ingestions from the queue, and what has to be done now and then."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress

import structlog

from masis.errors import DatabaseUnavailable, DataFolderError, MASISError, UnknownRun
from masis.jobs.lease import Lease
from masis.jobs.queue import Job
from masis.jobs.worker import Worker, default_room
from masis.runs.execution import Execution
from masis.runs.hub import QUEUE
from masis.runs.ingestions import IngestionWork
from masis.runs.service import Masis

PRUNE_SECONDS = 3600.0
THREADS = 32
log = structlog.get_logger("masis.worker")


@asynccontextmanager
async def working(masis: Masis, concurrency: int | None = None) -> AsyncIterator[Worker]:
    """A worker in this event loop, until the block ends; what it has in work then is given back."""
    room = default_room(concurrency or masis.settings.worker_runs)
    ingest = IngestionWork(masis.uploads, masis.library, masis.hub)

    async def run(job: Job, lease: Lease) -> None:
        await _run(masis, job, lease)

    worker = Worker(masis.queue, {"run": run, "ingest": ingest}, room, masis.settings.poll_seconds)
    async with masis.keeping_checkpoints_open():
        tasks = [
            asyncio.create_task(worker.run(), name="worker"),
            asyncio.create_task(_woken(masis, worker), name="waking"),
            asyncio.create_task(_pruning(masis), name="pruning"),
        ]
        try:
            yield worker
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _run(masis: Masis, job: Job, lease: Lease) -> None:
    try:
        await masis.run_table.together("writing", masis.run_table.began, job.subject, lease.owner)
        async with masis.graph() as graph:
            await Execution(masis.run_table, masis.hub, masis.services, graph).advance(lease)
    except UnknownRun:
        with masis.database.writing() as db:
            masis.queue.remove(db, job.key)
    except MASISError as error:
        if isinstance(error, DataFolderError | DatabaseUnavailable) or error.code == "lease_lost":
            raise
        log.warning("run_failed", run_id=job.subject, error=str(error))
    except Exception:
        # It is written down as failed, and can be gone on with.
        log.exception("run_failed", run_id=job.subject)


def use_many_threads() -> None:
    """For a process of ours: with the usual handful, calls that wait for a database would keep out all others."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, thread_name_prefix="masis"))


async def _woken(masis: Masis, worker: Worker) -> None:
    with masis.hub.listening(QUEUE) as change:
        while True:
            await change.wait(60.0)
            worker.wake()


async def _pruning(masis: Masis) -> None:
    while True:
        with suppress(MASISError):
            await masis.aprune()
        await asyncio.sleep(PRUNE_SECONDS)

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
from masis.runs.ingesting import IngestionWork
from masis.runs.parts import Parts
from masis.runs.retention import prune

PRUNE_SECONDS = 3600.0
THREADS = 32
log = structlog.get_logger("masis.worker")


@asynccontextmanager
async def working(parts: Parts, concurrency: int | None = None) -> AsyncIterator[Worker]:
    """A worker in this event loop, until the block ends; what it has in work then is given back."""
    room = default_room(concurrency or parts.settings.worker_runs)
    ingest = IngestionWork(parts.ingestions, parts.library, parts.hub)

    async def run(job: Job, lease: Lease) -> None:
        await _run(parts, job, lease)

    worker = Worker(parts.queue, {"run": run, "ingest": ingest}, room, parts.settings.poll_seconds)
    async with parts.graph():
        tasks = [
            asyncio.create_task(worker.run(), name="worker"),
            asyncio.create_task(_woken(parts, worker), name="waking"),
            asyncio.create_task(_pruning(parts), name="pruning"),
        ]
        try:
            yield worker
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _run(parts: Parts, job: Job, lease: Lease) -> None:
    try:
        await parts.runs.together("writing", parts.runs.began, job.subject, lease.owner)
        async with parts.graph() as graph:
            await Execution(parts.runs, parts.hub, parts.services, graph).advance(lease)
    except UnknownRun:
        with parts.database.writing() as db:
            parts.queue.remove(db, job.key)
    except MASISError as error:
        if isinstance(error, DataFolderError | DatabaseUnavailable) or error.code == "lease_lost":
            raise
        log.warning("run_failed", run_id=job.subject, error=str(error))
    except Exception:
        # It is recorded as failed, and can be resumed.
        log.exception("run_failed", run_id=job.subject)


def use_many_threads() -> None:
    """For a process of ours: with the usual handful, calls that wait for a database would keep out all others."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, thread_name_prefix="masis"))


async def _woken(parts: Parts, worker: Worker) -> None:
    with parts.hub.listening(QUEUE) as change:
        while True:
            await change.wait(60.0)
            worker.wake()


async def _pruning(parts: Parts) -> None:
    while True:
        with suppress(MASISError):
            await prune(parts.settings, parts.runs)
        await asyncio.sleep(PRUNE_SECONDS)

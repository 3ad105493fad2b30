"""The worker of a process: runs, ingestions and synchronisations from the queue, hourly pruning, and the repair of an
index that lost passages."""

import asyncio
import ctypes
import gc
import logging
import os
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial

from masis.errors import AWAY, DatabaseUnavailable, DataFolderError, IndexLost, MASISError, UnknownRun, public_words
from masis.jobs.queue import Job, JobQueue, Kind, new_owner
from masis.jobs.worker import Handler, JobCancelled, Lease, Worker, default_room, meanwhile, only_here, stay_alive
from masis.knowledge.ingestion.batch import IngestProgress
from masis.knowledge.ingestion.incoming import base_name
from masis.knowledge.library import Library
from masis.observability.metrics import document_ingested
from masis.runs.deletion import prune
from masis.runs.events import QUEUE, Hub
from masis.runs.execution import Execution
from masis.runs.ingestions import Counts, IngestedFile, Ingestion, Ingestions
from masis.runs.parts import Parts
from masis.runs.syncing import SyncWork, scheduling
from masis.types import Caller, Document, IngestReport

BREATH = 0.3
"""Seconds between two saves of the progress."""
MAX_DEATHS = 5


async def upload(parts: Parts, workspace: str, files: Sequence[tuple[str, bytes]], by: Caller) -> Ingestion:
    await parts.require_workspace(workspace)
    has_bytes = partial(parts.library.originals.has, workspace)
    ingestion = None
    while ingestion is None:  # repeated if an upload of the same bytes ended meanwhile and deleted them
        kept = [await _kept(parts.library, workspace, name, data) for name, data in files]
        ingestion = await asyncio.to_thread(parts.ingestions.create, workspace, kept, by, has_bytes)
    parts.hub.tell(QUEUE)
    return ingestion


async def _kept(library: Library, workspace: str, name: str, data: bytes) -> IngestedFile:
    document_id = await library.keep_upload(workspace, name, data)
    known = await asyncio.to_thread(library.catalog.document, workspace, document_id)
    if known and known.status == "READY":
        said = f"Already in {workspace}, as {known.file_name}."
        return IngestedFile(base_name(name), document_id, "duplicate", said)
    return IngestedFile(base_name(name), document_id, "queued")


class IngestionWork:
    """Processes the ingestion jobs of the queue."""

    def __init__(self, ingestions: Ingestions, library: Library, hub: Hub) -> None:
        self._ingestions = ingestions
        self._library = library
        self._hub = hub
        self.has_read = asyncio.Event()

    async def __call__(self, job: Job, lease: Lease) -> None:
        try:
            await self._work(job, lease)
        finally:
            self.has_read.set()

    async def _work(self, job: Job, lease: Lease) -> None:
        ingestion = await asyncio.to_thread(self._ingestions.get, job.subject, job.workspace_id)
        if job.deaths >= MAX_DEATHS:
            said = f"It was interrupted {job.deaths} times. Check the workers' logs."
            await self._finished(replace(ingestion, status="failed", error=said), lease)
            return
        await self._done(ingestion, lease)

    async def _done(self, ingestion: Ingestion, lease: Lease) -> None:
        watch = Watch(self._ingestions, self._hub, replace(ingestion, status="running", error=None), lease.owner)
        ours = [(file.document_id, file.file_name) for file in ingestion.files if file.stage != "duplicate"]
        try:
            async with meanwhile(watch.keep_saving()):
                report = await self._library.ingest_kept(
                    ingestion.workspace_id, ours, watch.progress, upload_id=ingestion.ingestion_id
                )
        except AWAY as error:
            waiting = replace(watch.ingestion, status="queued", error=public_words(error)[0])
            with suppress(MASISError):  # the queue also records that it waits
                await asyncio.to_thread(self._ingestions.save, waiting, lease.owner)
            raise
        except (JobCancelled, asyncio.CancelledError):
            if not lease.cancelled:
                raise
            stay_alive()
            await forget_unread(self._ingestions, self._library, ingestion)
            await self._finished(replace(watch.ingestion, status="cancelled"), lease)
            return
        await self._finished(_with_report(watch.ingestion, report), lease)

    async def _finished(self, ingestion: Ingestion, lease: Lease) -> None:
        for file in ingestion.files:
            document_ingested(file.stage)
        lease.let_go()
        await asyncio.to_thread(self._ingestions.finish, ingestion, lease.owner)
        self._hub.tell(ingestion.ingestion_id)


async def cancel_ingestion(parts: Parts, ingestion_id: str, workspace: str) -> Ingestion:
    ingestion = await asyncio.to_thread(parts.ingestions.cancel, ingestion_id, workspace)
    if ingestion.status == "cancelled":
        await forget_unread(parts.ingestions, parts.library, ingestion)
    parts.hub.tell(ingestion_id)
    return ingestion


async def forget_unread(ingestions: Ingestions, library: Library, ingestion: Ingestion) -> None:
    """Deletes the bytes of a cancelled ingestion, unless another one needs them or they already are a document."""

    def forget() -> None:
        with ingestions.sparing(ingestion) as spared:
            ours = {file.document_id for file in ingestion.files if file.stage != "duplicate"}
            library.uploads.forget(ingestion.workspace_id, ours - spared.keys())

    await asyncio.to_thread(forget)


class Watch:
    """Keeps an ingestion's record up to date while it runs."""

    def __init__(self, ingestions: Ingestions, hub: Hub, ingestion: Ingestion, owner: str) -> None:
        self.ingestion = ingestion
        self._owner = owner
        self._ingestions = ingestions
        self._hub = hub

    def progress(self, p: IngestProgress) -> None:
        counts = Counts(p.files_done, p.files_total, p.pages, p.chunks_done, p.chunks_total, p.seconds_left)
        files = [
            replace(file, stage=p.stage) if file.file_name == p.file_name and file.stage != "duplicate" else file
            for file in self.ingestion.files
        ]
        self.ingestion = replace(self.ingestion, progress=counts, files=files)

    async def keep_saving(self) -> None:
        saved: Ingestion | None = None
        while True:
            if self.ingestion != saved:
                saved = self.ingestion
                with suppress(MASISError):  # the next save may succeed
                    await asyncio.to_thread(self._ingestions.save, saved, self._owner)
                self._hub.tell(saved.ingestion_id)
            await asyncio.sleep(BREATH)


def _with_report(ingestion: Ingestion, report: IngestReport) -> Ingestion:
    """Adds the members of archives as files of the ingestion."""
    before = [file for file in ingestion.files if file.stage == "duplicate"]
    stages: list[tuple[str, Sequence[Document]]] = [
        ("ready", report.ready),
        ("pending", report.pending),
        ("duplicate", report.duplicates),
        ("failed", report.failed),
    ]
    files = [
        IngestedFile(document.file_name, document.document_id, stage, document.reason or document.note)
        for stage, documents in stages
        for document in documents
    ]
    return replace(ingestion, status="done", files=[*before, *files], error=" ".join(report.notes) or None)


PRUNE_SECONDS = 3600.0
TRIM_SECONDS = 10.0
"""How long to wait after an ingestion, so that several share one pass."""
THREADS = 32
HEAPS = 2
_MOST_HEAPS = -8
"""The number of glibc's `M_ARENA_MAX`."""
OBJECTS_BETWEEN_LOOKS = 20_000
LOOK_SECONDS = 60.0
"""Seconds between two checks of the index."""
_INDEX_JOB = Job("index", "index", "")
log = logging.getLogger(__name__)


@asynccontextmanager
async def working(parts: Parts, concurrency: int | None = None) -> AsyncIterator[Worker]:
    """Runs a worker in this event loop until the block ends; its jobs are then returned to the queue."""
    room = default_room(concurrency or parts.settings.worker_runs)
    ingest = IngestionWork(parts.ingestions, parts.library, parts.hub)

    async def run(job: Job, lease: Lease) -> None:
        await _run(parts, job, lease)

    handlers: dict[Kind, Handler] = {"run": run, "ingest": ingest, "sync": SyncWork(parts)}
    worker = Worker(parts.queue, handlers, room, parts.settings.poll_seconds)
    async with parts.graph():
        tasks = [
            asyncio.create_task(worker.run(), name="worker"),
            asyncio.create_task(_woken(parts, worker), name="waking"),
            asyncio.create_task(_pruning(parts), name="pruning"),
            asyncio.create_task(_keeping_index(parts), name="index"),
            asyncio.create_task(_giving_memory_back(ingest.has_read), name="memory"),
            asyncio.create_task(scheduling(parts), name="scheduling"),
        ]
        try:
            yield worker
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _run(parts: Parts, job: Job, lease: Lease) -> None:
    try:
        await parts.runs.all_together("writing", parts.runs.began, (job.subject, lease.owner))
        async with parts.graph() as graph:
            await Execution(parts.runs, parts.hub, parts.services, graph).advance(lease)
    except UnknownRun:
        with parts.database.writing() as db:
            parts.queue.remove(db, job.key)
    except MASISError as error:
        if isinstance(error, DataFolderError | DatabaseUnavailable) or error.code == "lease_lost":
            raise
        log.warning("run_failed: %s", error, extra={"run_id": job.subject, "error": str(error)})
    except Exception:
        # The run is recorded as failed and can be resumed.
        log.exception("run_failed", extra={"run_id": job.subject})


def settle_in() -> None:
    """Tunes a process that only runs MASIS: more threads, so that calls waiting for a database do not block others; few
    heaps, since the C library keeps what each one once needed; and less frequent garbage collection, which many
    concurrent runs would trigger all the time."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, thread_name_prefix="masis"))
    if limit := _of_c_library("mallopt"):
        limit(_MOST_HEAPS, HEAPS)
    gc.set_threshold(OBJECTS_BETWEEN_LOOKS)


async def _woken(parts: Parts, worker: Worker) -> None:
    with parts.hub.listening(QUEUE) as change:
        while True:
            await change.wait(60.0)
            worker.wake()


async def _giving_memory_back(has_read: asyncio.Event) -> None:
    """After a large file, Python may keep its bytes in reference cycles, and the C library its memory."""
    while True:
        await has_read.wait()
        await asyncio.sleep(TRIM_SECONDS)
        has_read.clear()
        await asyncio.to_thread(_give_memory_back)


def _give_memory_back() -> None:
    gc.collect()
    if trim := _of_c_library("malloc_trim"):
        trim(0)


def _of_c_library(name: str) -> Callable[..., int] | None:
    """Found only in the GNU C library; others do not need it."""
    return getattr(ctypes.CDLL(None), name, None) if os.name == "posix" else None


async def _pruning(parts: Parts) -> None:
    while True:
        with suppress(MASISError):
            await prune(parts.settings, parts.runs)
        await asyncio.sleep(PRUNE_SECONDS)


async def _keeping_index(parts: Parts) -> None:
    """Checks all documents at the start, then a few at regular intervals."""
    is_suspect = True
    while True:
        try:
            if is_suspect:
                # Checked again after a repair, since others may have ingested into the replaced index.
                is_suspect = await _has_mended(parts)
            else:
                await parts.library.answers()
            if not is_suspect:
                await asyncio.to_thread(_close_abandoned, parts.queue)
        except IndexLost:
            is_suspect = True
            continue
        except MASISError as error:
            log.error("index_unusable", extra={"error": str(error), "advice": error.advice})
        except Exception:
            # Any error: otherwise the index would not be checked as long as this process lives.
            log.exception("index_unusable")
        await asyncio.sleep(LOOK_SECONDS)


async def _has_mended(parts: Parts) -> bool:
    """Whether passages were missing; repairs them, or leaves that to another worker."""
    lost = await parts.library.lost_documents()
    if lost:
        log.error("index_lost", extra={"documents": len(lost)})
        await _mended(parts)
    return bool(lost)


async def _mended(parts: Parts) -> None:
    async with only_here(parts.queue, _INDEX_JOB) as lease:
        if lease is None:
            return
        try:
            log.warning("index_rebuilt", extra={"passages": await parts.library.mend_index()})
        except asyncio.CancelledError:
            if not lease.lost:
                raise
            stay_alive()  # another worker does it


def _close_abandoned(queue: JobQueue) -> None:
    """Closes the repair job of a killed process once nothing is left to repair."""
    owner = new_owner()
    if queue.claim_one(owner, _INDEX_JOB.key):
        with queue.database.writing() as db:
            queue.done(db, owner, _INDEX_JOB.key)

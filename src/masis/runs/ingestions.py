"""Uploads on their way in: kept by hash first, then read by whichever worker has room, with progress for who waits."""

import asyncio
import json
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from masis.database import Connection, Database
from masis.errors import InvalidInput, MASISError
from masis.jobs.background import meanwhile, stay_alive
from masis.jobs.lease import JobCancelled, Lease
from masis.jobs.queue import Job, JobQueue
from masis.knowledge.ingestion.progress import IngestProgress
from masis.knowledge.library import Library
from masis.observability.metrics import document_ingested
from masis.runs.hub import Hub
from masis.runs.moments import now
from masis.types import Caller, Document, IngestReport

IngestionStatus = Literal["queued", "running", "done", "cancelled", "failed"]
BREATH = 0.3
"""Progress is saved so often, in seconds."""
MAX_DEATHS = 5


@dataclass(frozen=True, slots=True)
class IngestedFile:
    file_name: str
    document_id: str
    stage: str
    """queued, reading, findable, embedding, ready, pending, duplicate or failed."""
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    files_done: int = 0
    files_total: int = 0
    pages: int = 0
    chunks_done: int = 0
    chunks_total: int = 0
    seconds_left: float | None = None


@dataclass(frozen=True, slots=True)
class Ingestion:
    ingestion_id: str
    workspace_id: str
    status: IngestionStatus
    created_at: str
    finished_at: str | None
    asked_by: str
    key_id: str | None
    files: list[IngestedFile] = field(default_factory=list[IngestedFile])
    progress: Counts = Counts()
    error: str | None = None


class UnknownIngestion(InvalidInput):
    code = "unknown_ingestion"
    advice = "Take the id from the answer to the upload."


class Ingestions:
    def __init__(self, database: Database, queue: JobQueue) -> None:
        self._database = database
        self._queue = queue

    def create(
        self,
        workspace_id: str,
        files: Sequence[IngestedFile],
        by: Caller,
        has_bytes: Callable[[str], bool] = lambda _: True,
    ) -> Ingestion | None:
        """What another open ingestion of the workspace reads is its duplicate. None where bytes are not kept any more:
        such an ingestion took them along when it ended."""
        with self._database.writing(lock=_bytes_of(workspace_id)) as db:
            files = _without_those_on_their_way(files, _open_files(db, workspace_id))
            to_do = [file for file in files if file.stage == "queued"]
            if not all(has_bytes(file.document_id) for file in to_do):
                return None
            ingestion = _new(workspace_id, files, by, is_done=not to_do)
            _save(db, ingestion)
            if to_do:
                self._queue.put(db, Job("ingest", ingestion.ingestion_id, workspace_id))
        return ingestion

    def on_their_way(self, workspace_id: str) -> dict[str, str]:
        """Documents that open ingestions of the workspace read, or will: id and file name."""
        with self._database.reading() as db:
            return _open_files(db, workspace_id)

    @contextmanager
    def sparing(self, ingestion: Ingestion) -> Iterator[dict[str, str]]:
        """What other open ingestions of its workspace read: no more will be opened until this is left."""
        with self._database.writing(lock=_bytes_of(ingestion.workspace_id)) as db:
            yield _open_files(db, ingestion.workspace_id, but=ingestion.ingestion_id)

    def get(self, ingestion_id: str, workspace_id: str) -> Ingestion:
        with self._database.reading() as db:
            return _get(db, ingestion_id, workspace_id)

    def newest(self, workspace_id: str, limit: int = 50) -> list[Ingestion]:
        """Newest first."""
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT {_COLUMNS} FROM ingestions WHERE workspace_id = ? ORDER BY created_at DESC LIMIT ?",
                (workspace_id, limit),
            )
            return [_ingestion_of(row) for row in rows.fetchall()]

    def save(self, ingestion: Ingestion, owner: str) -> None:
        """Unless it is in other hands now, or finished."""
        with self._database.writing() as db:
            if self._queue.holds(db, owner, ("ingest", ingestion.ingestion_id)):
                _save(db, ingestion)

    def finish(self, ingestion: Ingestion, owner: str) -> None:
        with self._database.writing() as db:
            if self._queue.done(db, owner, ("ingest", ingestion.ingestion_id)):
                _save(db, replace(ingestion, finished_at=now()))

    def cancel(self, ingestion_id: str, workspace_id: str) -> Ingestion:
        with self._database.writing(lock=ingestion_id) as db:
            ingestion = _get(db, ingestion_id, workspace_id)
            if self._queue.request_cancel(db, ("ingest", ingestion_id)) == "queued":
                ingestion = replace(ingestion, status="cancelled", finished_at=now())
                _save(db, ingestion)
            return ingestion


class IngestionWork:
    """Does what the queue holds."""

    def __init__(self, ingestions: Ingestions, library: Library, hub: Hub) -> None:
        self._ingestions = ingestions
        self._library = library
        self._hub = hub

    async def __call__(self, job: Job, lease: Lease) -> None:
        ingestion = await asyncio.to_thread(self._ingestions.get, job.subject, job.workspace_id)
        if job.deaths >= MAX_DEATHS:
            said = f"It was interrupted {job.deaths} times. Look into the logs of the workers."
            await self._finished(replace(ingestion, status="failed", error=said), lease)
            return
        await self._done(ingestion, lease)

    async def _done(self, ingestion: Ingestion, lease: Lease) -> None:
        watch = Watch(self._ingestions, self._hub, replace(ingestion, status="running"), lease.owner)
        ours = [(file.document_id, file.file_name) for file in ingestion.files if file.stage != "duplicate"]
        try:
            async with meanwhile(watch.keep_saving()):
                report = await self._library.ingest_kept(
                    ingestion.workspace_id, ours, watch.progress, upload_id=ingestion.ingestion_id
                )
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


async def forget_unread(ingestions: Ingestions, library: Library, ingestion: Ingestion) -> None:
    """The bytes of one that was cancelled, as far as nobody else waits for them and they are no document yet."""

    def forget() -> None:
        with ingestions.sparing(ingestion) as spared:
            ours = {file.document_id for file in ingestion.files if file.stage != "duplicate"}
            library.uploads.forget(ingestion.workspace_id, ours - spared.keys())

    await asyncio.to_thread(forget)


class Watch:
    """Keeps an ingestion's record up to date while it goes on."""

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
                with suppress(MASISError):  # the next time, perhaps
                    await asyncio.to_thread(self._ingestions.save, saved, self._owner)
                self._hub.tell(saved.ingestion_id)
            await asyncio.sleep(BREATH)


def _with_report(ingestion: Ingestion, report: IngestReport) -> Ingestion:
    """Members of archives are files of the ingestion too, once they are known."""
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


def _new(workspace_id: str, files: Sequence[IngestedFile], by: Caller, *, is_done: bool) -> Ingestion:
    moment = now()
    return Ingestion(
        uuid.uuid4().hex[:16],
        workspace_id,
        "done" if is_done else "queued",
        moment,
        moment if is_done else None,
        by.name,
        by.key_id,
        list(files),
        Counts(files_total=len(files)),
    )


def _bytes_of(workspace_id: str) -> str:
    return f"kept bytes of {workspace_id}"


def _open_files(db: Connection, workspace_id: str, but: str | None = None) -> dict[str, str]:
    rows = db.execute(
        "SELECT i.ingestion_id, i.files FROM ingestions i"
        " JOIN jobs j ON j.kind = 'ingest' AND j.subject = i.ingestion_id WHERE i.workspace_id = ?",
        (workspace_id,),
    )
    files = [file for ingestion_id, listed in rows.fetchall() if ingestion_id != but for file in json.loads(listed)]
    return {file["document_id"]: file["file_name"] for file in files if file["stage"] != "duplicate"}


def _without_those_on_their_way(files: Sequence[IngestedFile], coming: Mapping[str, str]) -> list[IngestedFile]:
    return [
        replace(
            file, stage="duplicate", reason=f"The same bytes are being read already, as {coming[file.document_id]}."
        )
        if file.stage == "queued" and file.document_id in coming
        else file
        for file in files
    ]


_COLUMNS = "ingestion_id, workspace_id, status, created_at, finished_at, asked_by, key_id, files, progress, error"


def _save(db: Connection, ingestion: Ingestion) -> None:
    values: dict[str, Any] = asdict(ingestion)
    values |= {"files": json.dumps(values["files"]), "progress": json.dumps(values["progress"])}
    names = _COLUMNS.split(", ")
    changed = ", ".join(f"{name} = excluded.{name}" for name in ("status", "finished_at", "files", "progress", "error"))
    db.execute(
        f"INSERT INTO ingestions ({_COLUMNS}) VALUES ({', '.join(f':{name}' for name in names)})"
        f" ON CONFLICT (ingestion_id) DO UPDATE SET {changed}",
        values,
    )


def _get(db: Connection, ingestion_id: str, workspace_id: str) -> Ingestion:
    row = db.execute(
        f"SELECT {_COLUMNS} FROM ingestions WHERE ingestion_id = ? AND workspace_id = ?", (ingestion_id, workspace_id)
    ).fetchone()
    if row is None:
        raise UnknownIngestion(f"There is no ingestion {ingestion_id[:80]} in {workspace_id}.")
    return _ingestion_of(row)


def _ingestion_of(row: Sequence[Any]) -> Ingestion:
    values = dict(zip(_COLUMNS.split(", "), row, strict=True))
    files = [IngestedFile(**file) for file in json.loads(values.pop("files"))]
    return Ingestion(**values | {"files": files, "progress": Counts(**json.loads(values["progress"]))})

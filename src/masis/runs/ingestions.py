"""The table of ingestions: their files, and the progress of each."""

import json
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from masis.database import Connection, Database
from masis.errors import UnknownIngestion
from masis.jobs.queue import Job, JobQueue
from masis.runs.events import now
from masis.types import Caller

IngestionStatus = Literal["queued", "running", "done", "cancelled", "failed"]


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
        """Marks a file as a duplicate if another open ingestion of the workspace reads it. Returns None if bytes are no
        longer stored because such an ingestion deleted them when it ended."""
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
        """Ids and file names of the documents that open ingestions of the workspace are reading or will read."""
        with self._database.reading() as db:
            return _open_files(db, workspace_id)

    @contextmanager
    def sparing(self, ingestion: Ingestion) -> Iterator[dict[str, str]]:
        """Yields the documents that other open ingestions of its workspace read; none can be opened meanwhile."""
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
        """Does nothing if another worker holds it now, or it is finished."""
        with self._database.writing() as db:
            has_advanced = ingestion.progress.chunks_done > 0
            if self._queue.holds(db, owner, ("ingest", ingestion.ingestion_id), has_advanced=has_advanced):
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
        replace(file, stage="duplicate", reason=f"Already being read, as {coming[file.document_id]}.")
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

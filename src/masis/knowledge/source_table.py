"""The synchronised sources of workspaces: their schedules, and which version of each file was read."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import PurePath
from typing import Any, Literal

from masis.database import Connection, Database
from masis.errors import UnknownSource
from masis.knowledge.catalog import now
from masis.sources.remote.listing import scheme_of

SourceStatus = Literal["new", "running", "synced", "failed"]


@dataclass(frozen=True, slots=True)
class Source:
    workspace_id: str
    source_id: str
    address: str
    """A folder on the machine that synchronises it, or a URL."""
    ignore: tuple[str, ...] = ()
    every_seconds: int | None = None
    """None: only on demand."""
    is_trusted: bool = True
    """Whether it was added on the machine itself; sources added through the service are restricted."""
    added_by: str = "local"
    added_at: str = ""
    status: SourceStatus = "new"
    last_sync: str | None = None
    """When the last complete synchronisation ended."""
    next_sync: str | None = None
    error: str | None = None
    """Why the last synchronisation failed, or what it could not read."""
    summary: dict[str, Any] = field(default_factory=dict[str, Any])
    """What the last synchronisation did: `counts`, and the first names of each kind."""
    progress: dict[str, int] = field(default_factory=dict[str, int])
    allow_empty: bool = False
    """Whether the next synchronisation may find the source empty."""

    @property
    def key(self) -> tuple[str, str]:
        return (self.workspace_id, self.source_id)


@dataclass(frozen=True, slots=True)
class KnownFile:
    place: str
    name: str
    version: str
    identity: str | None
    document_id: str
    """The hash of its bytes, also for an archive, whose members are the documents."""


def shown_address(source: Source) -> str:
    """Hides paths on the service's machine, which are for administrators only."""
    return source.address if scheme_of(source.address) else PurePath(source.address).name or "a folder"


def new_source(workspace_id: str, address: str, **given: Any) -> Source:
    # The same address gives the same id, so adding it again updates the source.
    source_id = hashlib.sha256(f"{workspace_id}\n{address}".encode()).hexdigest()[:16]
    return Source(workspace_id, source_id, address, added_at=now(), **given)


def after(seconds: int | None) -> str | None:
    """The time after that many seconds."""
    return None if seconds is None else (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat(timespec="seconds")


_COLUMNS = (
    "workspace_id, source_id, address, ignored, every_seconds, is_trusted, added_by, added_at, status, last_sync,"
    " next_sync, error, summary, progress, allow_empty"
)
_ONE = "workspace_id = ? AND source_id = ?"


class SourceTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, source: Source) -> Source:
        """An existing source keeps its history and gets the new patterns and schedule."""
        with self._database.writing(lock=source.source_id) as db:
            known = _one(db, source.key)
            if known:
                following = known.next_sync
                if known.every_seconds != source.every_seconds:
                    following = after(source.every_seconds)
                chosen = {
                    name: getattr(source, name) for name in ("ignore", "every_seconds", "is_trusted", "allow_empty")
                }
                source = replace(known, next_sync=following, **chosen)
            _save(db, source)
        return source

    def get(self, workspace_id: str, source_id: str) -> Source:
        with self._database.reading() as db:
            found = _one(db, (workspace_id, source_id))
        if found is None:
            raise UnknownSource(f"There is no source {source_id[:80]} in {workspace_id}.")
        return found

    def named(self, workspace_id: str, name: str) -> Source:
        """Finds a source by its address or its id."""
        for source in self.of(workspace_id):
            if name in (source.address, source.source_id):
                return source
        raise UnknownSource(f"{name[:200]} is not a source of {workspace_id}.")

    def of(self, workspace_id: str | None = None) -> list[Source]:
        where, values = ("WHERE workspace_id = ?", (workspace_id,)) if workspace_id else ("", ())
        with self._database.reading() as db:
            rows = db.execute(f"SELECT {_COLUMNS} FROM synced_sources {where} ORDER BY workspace_id, address", values)
            return [_source(row) for row in rows.fetchall()]

    def due(self) -> list[Source]:
        moment = now()
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT {_COLUMNS} FROM synced_sources WHERE next_sync <= ? ORDER BY next_sync", (moment,)
            )
            return [_source(row) for row in rows.fetchall()]

    def save(self, source: Source) -> None:
        """Saves the source unless it was removed in the meantime."""
        with self._database.writing(lock=source.source_id) as db:
            if _one(db, source.key):
                _save(db, source)

    def remove(self, workspace_id: str, source_id: str) -> None:
        with self._database.writing(lock=source_id) as db:
            db.execute(f"DELETE FROM synced_files WHERE {_ONE}", (workspace_id, source_id))
            db.execute(f"DELETE FROM synced_sources WHERE {_ONE}", (workspace_id, source_id))

    def files(self, source: Source) -> dict[str, KnownFile]:
        """The known files by their places."""
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT place, name, version, identity, document_id FROM synced_files WHERE {_ONE}", source.key
            )
            return {row[0]: KnownFile(*row) for row in rows.fetchall()}

    def save_files(self, source: Source, files: Sequence[KnownFile]) -> None:
        with self._database.writing() as db:
            db.executemany(
                "INSERT INTO synced_files (workspace_id, source_id, place, name, version, identity, document_id)"
                " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (workspace_id, source_id, place) DO UPDATE SET"
                " name = excluded.name, version = excluded.version, identity = excluded.identity,"
                " document_id = excluded.document_id",
                [(*source.key, f.place, f.name, f.version, f.identity, f.document_id) for f in files],
            )

    def forget_files(self, source: Source, places: Iterable[str]) -> None:
        with self._database.writing() as db:
            db.executemany(
                f"DELETE FROM synced_files WHERE {_ONE} AND place = ?", [(*source.key, place) for place in places]
            )

    def others_at(self, source: Source) -> set[str]:
        """Places that other sources of the workspace have too."""
        with self._database.reading() as db:
            rows = db.execute("SELECT place FROM synced_files WHERE workspace_id = ? AND source_id <> ?", source.key)
            return {str(row[0]) for row in rows.fetchall()}


def _one(db: Connection, key: tuple[str, str]) -> Source | None:
    row = db.execute(f"SELECT {_COLUMNS} FROM synced_sources WHERE {_ONE}", key).fetchone()
    return _source(row) if row else None


def _source(row: Sequence[Any]) -> Source:
    values = dict(zip(_COLUMNS.split(", "), row, strict=True))
    values |= {"ignore": tuple(json.loads(values.pop("ignored")))}
    values |= {name: bool(values[name]) for name in ("is_trusted", "allow_empty")}
    return Source(**values | {name: json.loads(values[name]) for name in ("summary", "progress")})


def _save(db: Connection, source: Source) -> None:
    values = asdict(source)
    values |= {"ignored": json.dumps(values.pop("ignore"))}
    values |= {name: int(values[name]) for name in ("is_trusted", "allow_empty")}
    values |= {name: json.dumps(values[name]) for name in ("summary", "progress")}
    names = _COLUMNS.split(", ")
    db.execute(
        f"INSERT INTO synced_sources ({_COLUMNS}) VALUES ({', '.join(f':{name}' for name in names)})"
        f" ON CONFLICT (workspace_id, source_id) DO UPDATE SET {', '.join(f'{n} = excluded.{n}' for n in names)}",
        values,
    )

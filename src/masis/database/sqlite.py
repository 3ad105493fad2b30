"""One SQLite file of the data folder: short transactions, reused connections, and explained errors.

Any thread and any process may call at any time.
"""

import contextlib
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path

from masis.data_folder import folder_error, make_folder
from masis.database import Connection, OnPostgres, Schema
from masis.errors import DataFolderError

_BUSY_SECONDS = 10.0
_KEPT = 8
"""Connections to keep: opening one and checking its schema costs more than most transactions."""

_UNNAMED_FORMATS = {"catalog": 2, "vectors": 1}
"""Contents of the earliest files, whose format had no name: the same tables as the first named format."""

_VERSIONS = "CREATE TABLE IF NOT EXISTS schema_versions (name TEXT PRIMARY KEY, version INTEGER NOT NULL)"

FileIdentity = tuple[int, int]
Kept = list[tuple[FileIdentity, sqlite3.Connection]]


class SqliteDatabase:
    row_lock = ""
    now = "((julianday('now') - 2440587.5) * 86400.0)"

    def __init__(self, path: Path, schema: Schema) -> None:
        self._path = path
        self._schema = schema
        self._kept: Kept = []
        self._kept_lock = threading.Lock()
        self._writer = _writer_of(path)
        # A caller that forgets to close it must not leak files.
        weakref.finalize(self, _close_all, self._kept)

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        with self._translated(), self._connected() as db:
            yield db

    @contextlib.contextmanager
    def writing(self, lock: str | None = None) -> Iterator[Connection]:
        make_folder(self._path.parent)
        # Threads queue here; SQLite would make them sleep and retry.
        with self._translated(), _held(self._writer), self._connected(may_create=True) as db, _transaction(db):
            yield db

    def forget_deleted(self) -> None:
        """Leaves nothing of it in the write-ahead log."""
        if self._path.exists():
            with self._translated(), self._connected() as db:
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        with self._kept_lock:
            _close_all(self._kept)

    @contextlib.contextmanager
    def _connected(self, may_create: bool = False) -> Iterator[sqlite3.Connection]:
        identity = _identity(self._path)
        if identity is None and not may_create:
            # Reading must not create a data folder.
            with contextlib.closing(self._opened(":memory:")) as nothing:
                yield nothing
            return
        db = self._take(identity) or self._opened(self._path)
        try:
            yield db
        except BaseException:
            db.close()
            raise
        self._keep(db, identity)

    def _take(self, identity: FileIdentity | None) -> sqlite3.Connection | None:
        """A pooled connection, unless the file was deleted or replaced since, because the connection would still use
        the old one."""
        with self._kept_lock:
            while self._kept:
                opened, db = self._kept.pop()
                if opened == identity:
                    return db
                db.close()
        return None

    def _keep(self, db: sqlite3.Connection, identity: FileIdentity | None) -> None:
        with self._kept_lock:
            if identity is not None and len(self._kept) < _KEPT:
                self._kept.append((identity, db))
                return
        db.close()

    def _opened(self, place: Path | str) -> sqlite3.Connection:
        db = sqlite3.connect(place, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            db.execute("PRAGMA foreign_keys = ON")
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute("PRAGMA secure_delete = ON")
            if _version(db, self._schema.name) != len(self._schema.steps):
                _use_log(db)
                with _transaction(db):
                    self._migrate(db)
        except BaseException:
            db.close()
            raise
        return db

    def _migrate(self, db: sqlite3.Connection) -> None:
        self._require_known_format(db)
        db.execute(_VERSIONS)
        version = _version(db, self._schema.name) or 0
        newest = len(self._schema.steps)
        if version > newest:
            raise self._other_version(version, newest)
        for step in self._schema.steps[version:]:
            for statement in "" if isinstance(step, OnPostgres) else step.split(";"):
                db.execute(statement)
        db.execute(
            "INSERT INTO schema_versions VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET version = excluded.version",
            (self._schema.name, newest),
        )

    def _require_known_format(self, db: sqlite3.Connection) -> None:
        known = _UNNAMED_FORMATS.get(self._schema.name)
        if known and _has_table(db, "catalog_version"):
            row = db.execute("SELECT version FROM catalog_version").fetchone()
            if row and row[0] != known:
                raise self._other_version(row[0], known)

    def _other_version(self, found: int, known: int) -> DataFolderError:
        return DataFolderError(
            f"{self._path} was written by another version of MASIS"
            f" (format {found} of its {self._schema.name}, not {known}).",
            advice="Use the version that wrote it, or set MASIS_HOME to a new folder and ingest again."
            f" A newer one can also turn the tables back: masis migrate --back {self._schema.name}={known}",
        )

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            words = str(error).lower()
            if "locked" in words or "busy" in words:
                raise DataFolderError(
                    f"{self._path} is being written by another process.", advice="Try again in a moment."
                ) from error
            if "not a database" in words or "malformed" in words:
                raise DataFolderError(
                    f"{self._path} is damaged or not a database of MASIS; it was left as it is.",
                    advice="Restore it from a copy, or move it away and ingest the documents again.",
                ) from error
            raise folder_error(self._path, error) from error
        except OSError as error:
            raise folder_error(self._path, error) from error


_writers: weakref.WeakValueDictionary[Path, threading.Lock] = weakref.WeakValueDictionary()
_writers_lock = threading.Lock()


def _writer_of(path: Path) -> threading.Lock:
    """Several databases may share a file and its single writer."""
    with _writers_lock:
        return _writers.setdefault(path.absolute(), threading.Lock())


@contextlib.contextmanager
def _held(lock: threading.Lock) -> Iterator[None]:
    if not lock.acquire(timeout=_BUSY_SECONDS):
        raise sqlite3.OperationalError("database is locked")
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _version(db: sqlite3.Connection, name: str) -> int | None:
    if not _has_table(db, "schema_versions"):
        return None
    row = db.execute("SELECT version FROM schema_versions WHERE name = ?", (name,)).fetchone()
    return int(row[0]) if row else None


def _has_table(db: sqlite3.Connection, name: str) -> bool:
    found = db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (name,))
    return found.fetchone() is not None


def _use_log(db: sqlite3.Connection) -> None:
    """Readers and the writer then do not block each other. Two connections that change the mode at once fail without
    waiting."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _identity(path: Path) -> FileIdentity | None:
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_dev, status.st_ino


def _close_all(kept: Kept) -> None:
    while kept:
        kept.pop()[1].close()

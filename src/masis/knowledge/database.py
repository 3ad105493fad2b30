"""One SQLite file of the data folder: opened for each call, in short transactions, with its errors in words.

Any thread and any process may call at any time.
"""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from masis.errors import DataFolderError
from masis.knowledge.data_folder import folder_error, make_folder

_BUSY_SECONDS = 10.0


class Database:
    def __init__(self, path: Path, schema: str, version: int) -> None:
        self._path = path
        self._schema = schema
        self._version = version

    @property
    def exists(self) -> bool:
        return self._path.exists()

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        # Looking must not make a data folder: where there is none, there is nothing in it.
        with self._translated(), self._connected(self._path if self._path.exists() else None) as db:
            yield db

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        make_folder(self._path.parent)
        with self._translated(), self._connected(self._path) as db, db:
            yield db

    def forget_deleted(self) -> None:
        """What was deleted leaves the disk too: nothing of it stays in the log of changes."""
        if self._path.exists():
            with self._translated(), self._connected(self._path) as db:
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextlib.contextmanager
    def _connected(self, path: Path | None) -> Iterator[sqlite3.Connection]:
        with contextlib.closing(sqlite3.connect(path or ":memory:", timeout=_BUSY_SECONDS)) as db:
            db.execute("PRAGMA foreign_keys = ON")
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute("PRAGMA secure_delete = ON")
            self._prepare(db)
            yield db

    def _prepare(self, db: sqlite3.Connection) -> None:
        try:
            row = db.execute("SELECT version FROM catalog_version").fetchone()
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                raise
            row = None
        if row is None:
            db.execute("PRAGMA journal_mode = WAL")
            tables = f"CREATE TABLE IF NOT EXISTS catalog_version (version INTEGER NOT NULL);{self._schema}"
            db.executescript(f"BEGIN IMMEDIATE;{tables}COMMIT;")
            with db:
                db.execute(
                    "INSERT INTO catalog_version SELECT ? WHERE NOT EXISTS (SELECT 1 FROM catalog_version)",
                    (self._version,),
                )
        elif row[0] != self._version:
            raise DataFolderError(
                f"{self._path} was written by another version of MASIS (format {row[0]}, not {self._version}).",
                advice="Use the version that wrote it, or set MASIS_HOME to a new folder and ingest again.",
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

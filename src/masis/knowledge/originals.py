"""Stores the bytes of every document by hash, so that a citation can be shown in the file itself and not only in its
text.

They are in the data folder, or in PostgreSQL if configured, where every process on every machine can read them.
"""

import contextlib
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from masis.data_folder import folder_error, make_folder, require_free_space
from masis.database import Database, Schema, open_database
from masis.settings import Settings

_TABLES = """
CREATE TABLE IF NOT EXISTS originals (
    workspace_id TEXT NOT NULL,
    document_id TEXT NOT NULL,
    part INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (workspace_id, document_id, part)
);
"""
ORIGINALS = Schema("originals", (_TABLES,))
_ONE = "workspace_id = ? AND document_id = ?"
_SIZE = "SELECT COALESCE(SUM(LENGTH(data)), 0) FROM originals"
PART_BYTES = 8_000_000
"""A whole file in one value would be in memory several times on its way."""


class Originals(Protocol):
    """Files are stored per workspace, so that deleting one tenant's files does not touch another's."""

    def save(self, workspace_id: str, document_id: str, data: bytes) -> None:
        """Stores the file as a whole or not at all."""
        ...

    def has(self, workspace_id: str, document_id: str) -> bool: ...

    def read(self, workspace_id: str, document_id: str) -> bytes | None: ...

    def delete(self, workspace_id: str, document_id: str) -> int:
        """The number of bytes deleted."""
        ...

    def delete_workspace(self, workspace_id: str) -> int:
        """The number of bytes deleted."""
        ...

    def close(self) -> None: ...


def originals_for(settings: Settings) -> Originals:
    if settings.database_url:
        return StoredOriginals(open_database(settings, ORIGINALS))
    return FolderOriginals(settings.home / "files")


class FolderOriginals:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # The same bytes may arrive while a failed earlier upload of them is being removed.
        self._lock = threading.Lock()

    def save(self, workspace_id: str, document_id: str, data: bytes) -> None:
        """A crash leaves a draft, which the next attempt overwrites."""
        path = self._path(workspace_id, document_id)
        if path.exists() and path.stat().st_size == len(data):
            return
        make_folder(path.parent)
        require_free_space(path.parent)
        draft = path.with_suffix(".new")
        with self._lock, _translated(path):
            with draft.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())  # a power cut must not leave a name without its bytes
            draft.replace(path)

    def has(self, workspace_id: str, document_id: str) -> bool:
        return self._path(workspace_id, document_id).exists()

    def read(self, workspace_id: str, document_id: str) -> bytes | None:
        path = self._path(workspace_id, document_id)
        with _translated(path):
            return path.read_bytes() if path.exists() else None

    def delete(self, workspace_id: str, document_id: str) -> int:
        path = self._path(workspace_id, document_id)
        with self._lock, _translated(path):
            size = path.stat().st_size if path.exists() else 0
            path.unlink(missing_ok=True)
            path.with_suffix(".new").unlink(missing_ok=True)
            return size

    def delete_workspace(self, workspace_id: str) -> int:
        folder = self._folder / workspace_id
        with _translated(folder):
            if not folder.exists():
                return 0
            size = sum(file.stat().st_size for file in folder.iterdir())
            shutil.rmtree(folder)
            return size

    def close(self) -> None:
        """Does nothing: no file stays open."""

    def _path(self, workspace_id: str, document_id: str) -> Path:
        return self._folder / workspace_id / document_id


class StoredOriginals:
    def __init__(self, database: Database) -> None:
        """Takes a database opened with `ORIGINALS`."""
        self._database = database

    def save(self, workspace_id: str, document_id: str, data: bytes) -> None:
        with self._database.writing(lock=f"{workspace_id} {document_id}") as db:
            if data and db.execute(f"{_SIZE} WHERE {_ONE}", (workspace_id, document_id)).fetchone()[0] == len(data):
                return
            db.execute(f"DELETE FROM originals WHERE {_ONE}", (workspace_id, document_id))
            for number, first in enumerate(range(0, len(data) or 1, PART_BYTES)):
                part = data[first : first + PART_BYTES]
                db.execute("INSERT INTO originals VALUES (?, ?, ?, ?)", (workspace_id, document_id, number, part))

    def has(self, workspace_id: str, document_id: str) -> bool:
        with self._database.reading() as db:
            found = db.execute(f"SELECT 1 FROM originals WHERE {_ONE} LIMIT 1", (workspace_id, document_id))
            return found.fetchone() is not None

    def read(self, workspace_id: str, document_id: str) -> bytes | None:
        # A single statement sees all parts as of one moment.
        with self._database.reading() as db:
            rows = db.execute(f"SELECT data FROM originals WHERE {_ONE} ORDER BY part", (workspace_id, document_id))
            parts = [row[0] for row in rows]
        return b"".join(parts) if parts else None

    def delete(self, workspace_id: str, document_id: str) -> int:
        return self._delete(_ONE, workspace_id, document_id)

    def delete_workspace(self, workspace_id: str) -> int:
        return self._delete("workspace_id = ?", workspace_id)

    def close(self) -> None:
        self._database.close()

    def _delete(self, condition: str, *values: str) -> int:
        with self._database.writing() as db:
            size = int(db.execute(f"{_SIZE} WHERE {condition}", values).fetchone()[0])
            db.execute(f"DELETE FROM originals WHERE {condition}", values)
        self._database.forget_deleted()
        return size


@contextlib.contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise folder_error(path, error) from error

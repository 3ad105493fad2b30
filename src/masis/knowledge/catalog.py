"""Which documents a workspace has, and their extracted text, in SQLite in the data folder.

A connection for each call, in short transactions: any thread and any process may call at any time.
"""

import contextlib
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

from masis.errors import DataFolderError, InvalidInput
from masis.knowledge.data_folder import folder_error, make_folder
from masis.types import WORKSPACE_NAME, WORKSPACE_NAME_RULE, Document

_BUSY_SECONDS = 10.0
_VERSION = 1

_SCHEMA = """
CREATE TABLE IF NOT EXISTS catalog_version (version INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS workspaces (
    workspace_id TEXT PRIMARY KEY,
    created_at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS documents (
    workspace_id TEXT NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    document_id TEXT NOT NULL,
    file_name TEXT NOT NULL,
    status TEXT NOT NULL,
    reason TEXT,
    pages INTEGER NOT NULL,
    chunks INTEGER NOT NULL,
    size_bytes INTEGER NOT NULL,
    date TEXT,
    created_at TEXT NOT NULL,
    PRIMARY KEY (workspace_id, document_id)
);
CREATE TABLE IF NOT EXISTS document_texts (
    workspace_id TEXT NOT NULL,
    document_id TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (workspace_id, document_id),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents ON DELETE CASCADE
);
"""
_NAMES = [field.name for field in fields(Document)]
_COLUMNS = ", ".join(_NAMES)


@dataclass(frozen=True, slots=True)
class WorkspaceSummary:
    workspace_id: str
    documents: int
    """READY ones."""
    chunks: int
    created_at: str


class Catalog:
    def __init__(self, path: Path) -> None:
        self._path = path

    def create_workspace(self, workspace_id: str) -> None:
        """Does nothing when it is there already."""
        check_workspace_name(workspace_id)
        with self._writing() as db:
            db.execute("INSERT OR IGNORE INTO workspaces VALUES (?, ?)", (workspace_id, now()))

    def has_workspace(self, workspace_id: str) -> bool:
        with self._reading() as db:
            found = db.execute("SELECT 1 FROM workspaces WHERE workspace_id = ?", (workspace_id,))
            return found.fetchone() is not None

    def workspaces(self) -> list[WorkspaceSummary]:
        with self._reading() as db:
            rows = db.execute(
                "SELECT w.workspace_id, COUNT(d.document_id), COALESCE(SUM(d.chunks), 0), w.created_at"
                " FROM workspaces w LEFT JOIN documents d"
                " ON d.workspace_id = w.workspace_id AND d.status = 'READY'"
                " GROUP BY w.workspace_id ORDER BY w.workspace_id"
            )
            return [WorkspaceSummary(*row) for row in rows]

    def delete_workspace(self, workspace_id: str) -> None:
        with self._writing() as db:
            db.execute("DELETE FROM workspaces WHERE workspace_id = ?", (workspace_id,))

    def save_document(self, document: Document) -> None:
        """Adds it, or takes the place of what was known of the same bytes."""
        values = ", ".join(f":{name}" for name in _NAMES)
        updates = ", ".join(f"{name} = excluded.{name}" for name in _NAMES)
        with self._writing() as db:
            db.execute(
                f"INSERT INTO documents ({_COLUMNS}) VALUES ({values})"
                f" ON CONFLICT (workspace_id, document_id) DO UPDATE SET {updates}",
                asdict(document),
            )

    def document(self, workspace_id: str, document_id: str) -> Document | None:
        with self._reading() as db:
            row = db.execute(
                f"SELECT {_COLUMNS} FROM documents WHERE workspace_id = ? AND document_id = ?",
                (workspace_id, document_id),
            ).fetchone()
            return Document(*row) if row else None

    def documents(self, workspace_id: str) -> list[Document]:
        with self._reading() as db:
            rows = db.execute(
                f"SELECT {_COLUMNS} FROM documents WHERE workspace_id = ? ORDER BY file_name, document_id",
                (workspace_id,),
            )
            return [Document(*row) for row in rows]

    def delete_document(self, workspace_id: str, document_id: str) -> None:
        with self._writing() as db:
            db.execute(
                "DELETE FROM documents WHERE workspace_id = ? AND document_id = ?",
                (workspace_id, document_id),
            )

    def save_text(self, workspace_id: str, document_id: str, text: str) -> None:
        with self._writing() as db:
            db.execute("INSERT OR REPLACE INTO document_texts VALUES (?, ?, ?)", (workspace_id, document_id, text))

    def text(self, workspace_id: str, document_id: str) -> str | None:
        """The extracted text that every character span of the document counts in."""
        with self._reading() as db:
            row = db.execute(
                "SELECT text FROM document_texts WHERE workspace_id = ? AND document_id = ?",
                (workspace_id, document_id),
            ).fetchone()
            return str(row[0]) if row else None

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        # Looking must not make a data folder: where there is none, there is nothing in it.
        with self._translated(), self._connected(self._path if self._path.exists() else None) as db:
            yield db

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        make_folder(self._path.parent)
        with self._translated(), self._connected(self._path) as db, db:
            yield db

    @contextlib.contextmanager
    def _connected(self, path: Path | None) -> Iterator[sqlite3.Connection]:
        with contextlib.closing(sqlite3.connect(path or ":memory:", timeout=_BUSY_SECONDS)) as db:
            db.execute("PRAGMA foreign_keys = ON")
            db.execute("PRAGMA synchronous = NORMAL")
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
            db.executescript("BEGIN IMMEDIATE;" + _SCHEMA + "COMMIT;")
            with db:
                db.execute(
                    "INSERT INTO catalog_version SELECT ? WHERE NOT EXISTS (SELECT 1 FROM catalog_version)",
                    (_VERSION,),
                )
        elif row[0] != _VERSION:
            raise DataFolderError(
                f"{self._path} was written by another version of MASIS (format {row[0]}, not {_VERSION}).",
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


def check_workspace_name(name: str) -> None:
    if not re.fullmatch(WORKSPACE_NAME, name):
        raise InvalidInput(
            f"{name[:80]!r} cannot be the name of a workspace.",
            advice=f"{WORKSPACE_NAME_RULE.capitalize()}.",
        )


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

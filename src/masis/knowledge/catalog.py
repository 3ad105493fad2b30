"""Which documents a workspace has, their extracted text, and which of them a search may see.

What can be seen changes in one transaction: when a file comes again with other content, readers find the old
document until the new one is complete, and never both.
"""

import json
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from masis.errors import InvalidInput
from masis.knowledge.database import Database
from masis.types import PAGE_BREAK, WORKSPACE_NAME, WORKSPACE_NAME_RULE, Document, Page, ParsedDocument

_VERSION = 2

_SCHEMA = """
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
    note TEXT,
    source TEXT,
    members INTEGER NOT NULL,
    visibility TEXT NOT NULL DEFAULT 'coming',
    PRIMARY KEY (workspace_id, document_id)
);
CREATE TABLE IF NOT EXISTS document_sources (
    workspace_id TEXT NOT NULL,
    source TEXT NOT NULL,
    document_id TEXT NOT NULL,
    PRIMARY KEY (workspace_id, source, document_id),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS sources_by_document ON document_sources (workspace_id, document_id);
CREATE INDEX IF NOT EXISTS documents_not_shown ON documents (workspace_id) WHERE visibility <> 'shown';
CREATE TABLE IF NOT EXISTS document_texts (
    workspace_id TEXT NOT NULL,
    document_id TEXT NOT NULL,
    text TEXT NOT NULL,
    pages TEXT NOT NULL,
    title TEXT,
    date TEXT,
    PRIMARY KEY (workspace_id, document_id),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents ON DELETE CASCADE
);
"""
_NAMES = [field.name for field in fields(Document)]
_COLUMNS = ", ".join(_NAMES)
_ONE = "workspace_id = ? AND document_id = ?"

Visibility = Literal["coming", "shown", "going"]
"""`coming`: not all of it is in the index yet; `going`: replaced or deleted, and not yet out of the index."""


@dataclass(frozen=True, slots=True)
class WorkspaceSummary:
    workspace_id: str
    documents: int
    """READY ones."""
    chunks: int
    created_at: str


class Catalog:
    def __init__(self, path: Path) -> None:
        self._database = Database(path, _SCHEMA, _VERSION)

    def create_workspace(self, workspace_id: str) -> None:
        """Does nothing when it is there already."""
        check_workspace_name(workspace_id)
        with self._database.writing() as db:
            db.execute("INSERT OR IGNORE INTO workspaces VALUES (?, ?)", (workspace_id, now()))

    def has_workspace(self, workspace_id: str) -> bool:
        with self._database.reading() as db:
            found = db.execute("SELECT 1 FROM workspaces WHERE workspace_id = ?", (workspace_id,))
            return found.fetchone() is not None

    def workspaces(self) -> list[WorkspaceSummary]:
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT w.workspace_id, COUNT(d.document_id), COALESCE(SUM(d.chunks), 0), w.created_at"
                " FROM workspaces w LEFT JOIN documents d"
                " ON d.workspace_id = w.workspace_id AND d.status = 'READY' AND d.visibility = 'shown'"
                " GROUP BY w.workspace_id ORDER BY w.workspace_id"
            )
            return [WorkspaceSummary(*row) for row in rows]

    def delete_workspace(self, workspace_id: str) -> None:
        with self._database.writing() as db:
            db.execute("DELETE FROM workspaces WHERE workspace_id = ?", (workspace_id,))
        self._database.forget_deleted()

    def save_document(self, document: Document) -> None:
        """Adds it, or takes the place of what was known of the same bytes; who may see it stays."""
        with self._database.writing() as db:
            _save(db, document)

    def save_failed(self, document: Document) -> None:
        """Nothing of its text is kept."""
        with self._database.writing() as db:
            _save(db, document)
            db.execute(f"DELETE FROM document_texts WHERE {_ONE}", (document.workspace_id, document.document_id))

    def show(self, document: Document, at: str | None = None) -> list[Document]:
        """From now on searches see it, and no longer what was at its place before: one transaction, no moment between.

        Gives what it replaced.
        """
        with self._database.writing() as db:
            _save(db, document)
            _set_visibility(db, document.workspace_id, document.document_id, "shown")
            return _take_over(db, document.workspace_id, at, document.document_id)

    def found_at(self, workspace_id: str, document_id: str, source: str) -> None:
        """The same bytes may lie at several places, and a place may hold an old and a coming version for a while."""
        with self._database.writing() as db:
            db.execute("INSERT OR IGNORE INTO document_sources VALUES (?, ?, ?)", (workspace_id, source, document_id))

    def take_over(self, workspace_id: str, source: str, document_id: str | None = None) -> list[Document]:
        """The place holds this document now, or none; gives those that lie nowhere any more, which are then hidden."""
        with self._database.writing() as db:
            return _take_over(db, workspace_id, source, document_id)

    def sources(self, workspace_id: str) -> list[str]:
        """Every place that a document of the workspace was read from."""
        with self._database.reading() as db:
            rows = db.execute("SELECT DISTINCT source FROM document_sources WHERE workspace_id = ?", (workspace_id,))
            return [str(row[0]) for row in rows]

    def hide(self, workspace_id: str, document_id: str) -> None:
        """No search sees it any more, and it can be deleted in peace; it is listed until it is."""
        with self._database.writing() as db:
            _set_visibility(db, workspace_id, document_id, "going")
            db.execute(
                f"UPDATE documents SET status = 'PROCESSING', reason = 'It is being deleted.' WHERE {_ONE}",
                (workspace_id, document_id),
            )

    def not_shown(self, workspace_id: str) -> list[str]:
        """Documents that may have passages in the index which nobody may see."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT document_id FROM documents WHERE workspace_id = ? AND visibility <> 'shown'", (workspace_id,)
            )
            return [str(row[0]) for row in rows]

    def going(self, workspace_id: str) -> list[str]:
        """What a crash left between being replaced and being deleted."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT document_id FROM documents WHERE workspace_id = ? AND visibility = 'going'", (workspace_id,)
            )
            return [str(row[0]) for row in rows]

    def is_shown(self, workspace_id: str, document_id: str) -> bool:
        with self._database.reading() as db:
            row = db.execute(f"SELECT visibility FROM documents WHERE {_ONE}", (workspace_id, document_id)).fetchone()
            return row is not None and row[0] == "shown"

    def document(self, workspace_id: str, document_id: str) -> Document | None:
        with self._database.reading() as db:
            row = db.execute(f"SELECT {_COLUMNS} FROM documents WHERE {_ONE}", (workspace_id, document_id)).fetchone()
            return Document(*row) if row else None

    def documents(self, workspace_id: str) -> list[Document]:
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT {_COLUMNS} FROM documents WHERE workspace_id = ? ORDER BY file_name, document_id",
                (workspace_id,),
            )
            return [Document(*row) for row in rows]

    def has_other_version(self, workspace_id: str, source: str, document_id: str) -> bool:
        """Whether searches see something else that was read from the same place."""
        with self._database.reading() as db:
            found = db.execute(
                "SELECT 1 FROM document_sources s JOIN documents d USING (workspace_id, document_id)"
                " WHERE s.workspace_id = ? AND s.source = ? AND s.document_id <> ? AND d.visibility = 'shown'",
                (workspace_id, source, document_id),
            )
            return found.fetchone() is not None

    def delete_document(self, workspace_id: str, document_id: str) -> None:
        with self._database.writing() as db:
            db.execute(f"DELETE FROM documents WHERE {_ONE}", (workspace_id, document_id))
        self._database.forget_deleted()

    def save_parsed(self, workspace_id: str, document_id: str, parsed: ParsedDocument) -> None:
        """The extracted text, and where its pages are in it."""
        row = (workspace_id, document_id, parsed.text, _pages_as_json(parsed.pages), parsed.title, parsed.date)
        with self._database.writing() as db:
            db.execute("INSERT OR REPLACE INTO document_texts VALUES (?, ?, ?, ?, ?, ?)", row)

    def parsed(self, workspace_id: str, document_id: str) -> ParsedDocument | None:
        with self._database.reading() as db:
            row = db.execute(
                f"SELECT text, pages, title, date FROM document_texts WHERE {_ONE}", (workspace_id, document_id)
            ).fetchone()
        if row is None:
            return None
        text, pages, title, date = row
        return ParsedDocument(_pages_of(text, pages), title=title, date=date)

    def text_chars(self, workspace_id: str) -> int:
        with self._database.reading() as db:
            row = db.execute("SELECT SUM(LENGTH(text)) FROM document_texts WHERE workspace_id = ?", (workspace_id,))
            return int(row.fetchone()[0] or 0)

    def title(self, workspace_id: str, document_id: str) -> str | None:
        with self._database.reading() as db:
            row = db.execute(f"SELECT title FROM document_texts WHERE {_ONE}", (workspace_id, document_id)).fetchone()
            return row[0] if row else None

    def text(self, workspace_id: str, document_id: str) -> str | None:
        """The extracted text that every character span of the document counts in."""
        with self._database.reading() as db:
            row = db.execute(f"SELECT text FROM document_texts WHERE {_ONE}", (workspace_id, document_id)).fetchone()
            return str(row[0]) if row else None


def _save(db: sqlite3.Connection, document: Document) -> None:
    values = ", ".join(f":{name}" for name in _NAMES)
    updates = ", ".join(f"{name} = excluded.{name}" for name in _NAMES)
    db.execute(
        f"INSERT INTO documents ({_COLUMNS}) VALUES ({values})"
        f" ON CONFLICT (workspace_id, document_id) DO UPDATE SET {updates}",
        asdict(document),
    )


def _set_visibility(db: sqlite3.Connection, workspace_id: str, document_id: str, visibility: Visibility) -> None:
    db.execute(f"UPDATE documents SET visibility = ? WHERE {_ONE}", (visibility, workspace_id, document_id))


def _take_over(
    db: sqlite3.Connection, workspace_id: str, source: str | None, document_id: str | None
) -> list[Document]:
    others = db.execute(
        "SELECT document_id FROM document_sources WHERE workspace_id = ? AND source = ? AND document_id IS NOT ?",
        (workspace_id, source, document_id),
    ).fetchall()
    db.execute(
        "DELETE FROM document_sources WHERE workspace_id = ? AND source = ? AND document_id IS NOT ?",
        (workspace_id, source, document_id),
    )
    replaced: list[Document] = []
    for (other,) in others:
        if not db.execute(f"SELECT 1 FROM document_sources WHERE {_ONE}", (workspace_id, other)).fetchone():
            row = db.execute(f"SELECT {_COLUMNS} FROM documents WHERE {_ONE}", (workspace_id, other)).fetchone()
            replaced.append(Document(*row))
            _set_visibility(db, workspace_id, other, "going")
    return replaced


def _pages_as_json(pages: Sequence[Page]) -> str:
    return json.dumps([[page.number, len(page.text), page.label] for page in pages], ensure_ascii=False)


def _pages_of(text: str, pages: str) -> list[Page]:
    found: list[Page] = []
    start = 0
    for number, length, label in json.loads(pages):
        found.append(Page(number, text[start : start + length], label))
        start += length + len(PAGE_BREAK)
    return found


def check_workspace_name(name: str) -> None:
    if not re.fullmatch(WORKSPACE_NAME, name):
        raise InvalidInput(
            f"{name[:80]!r} cannot be the name of a workspace.",
            advice=f"{WORKSPACE_NAME_RULE.capitalize()}.",
        )


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

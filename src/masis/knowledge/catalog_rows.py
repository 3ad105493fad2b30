"""The tables of the catalogue, and the operations on their rows within a transaction."""

import json
from collections.abc import Sequence
from dataclasses import asdict, astuple, fields, replace
from typing import Any, Literal

from masis.database import Connection, Schema
from masis.errors import InvalidInput
from masis.types import PAGE_BREAK, Block, Document, Page

_TABLES = """
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
_NAMES_AND_WORDS = """
ALTER TABLE documents ADD COLUMN period TEXT;
ALTER TABLE documents ADD COLUMN author TEXT;
ALTER TABLE document_texts ADD COLUMN period TEXT;
ALTER TABLE document_texts ADD COLUMN names TEXT NOT NULL DEFAULT '';
ALTER TABLE document_texts ADD COLUMN words TEXT NOT NULL DEFAULT '';
"""
_SYNCED = """
CREATE TABLE synced_sources (
    workspace_id TEXT NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    source_id TEXT NOT NULL,
    address TEXT NOT NULL,
    ignored TEXT NOT NULL,
    every_seconds INTEGER,
    is_trusted INTEGER NOT NULL,
    added_by TEXT NOT NULL,
    added_at TEXT NOT NULL,
    status TEXT NOT NULL,
    last_sync TEXT,
    next_sync TEXT,
    error TEXT,
    summary TEXT NOT NULL,
    progress TEXT NOT NULL,
    allow_empty INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, source_id)
);
CREATE TABLE synced_files (
    workspace_id TEXT NOT NULL,
    source_id TEXT NOT NULL,
    place TEXT NOT NULL,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    identity TEXT,
    document_id TEXT NOT NULL,
    PRIMARY KEY (workspace_id, source_id, place),
    FOREIGN KEY (workspace_id, source_id) REFERENCES synced_sources ON DELETE CASCADE
);
"""
_IDENTITY = "CREATE TABLE catalog_identity (identity TEXT PRIMARY KEY);"
"""The index stores it too, so that catalogue and index can recognise each other."""
_OVERVIEWS = """
ALTER TABLE document_texts ADD COLUMN overview TEXT;
ALTER TABLE document_texts ADD COLUMN overview_by TEXT;
"""
CATALOG = Schema(
    "catalog",
    (_TABLES, _NAMES_AND_WORDS, _SYNCED, _IDENTITY, _OVERVIEWS),
    back=(
        "ALTER TABLE documents DROP COLUMN period; ALTER TABLE documents DROP COLUMN author;"
        " ALTER TABLE document_texts DROP COLUMN period; ALTER TABLE document_texts DROP COLUMN names;"
        " ALTER TABLE document_texts DROP COLUMN words;",
        "DROP TABLE synced_files; DROP TABLE synced_sources;",
        "DROP TABLE catalog_identity;",
        "ALTER TABLE document_texts DROP COLUMN overview; ALTER TABLE document_texts DROP COLUMN overview_by;",
    ),
)

_NAMES = [field.name for field in fields(Document)]
COLUMNS = ", ".join(_NAMES)
ONE = "workspace_id = ? AND document_id = ?"
_POSITION_CHARS = 300
"""The most characters of a file name in a position: a position becomes part of a URL, and a member of an archive may
have any name. If such a document is deleted, a list may continue with one already shown; it never leaves one out."""

Visibility = Literal["coming", "shown", "going"]
"""`coming`: not completely in the index yet. `going`: replaced or deleted, and not yet removed from the index."""


def position_of(document: Document) -> str:
    """The place in a list of documents; it stays valid when the document is deleted."""
    return f"{document.document_id} {document.file_name[:_POSITION_CHARS]}"


def place_of(db: Connection, workspace_id: str, position: str) -> list[str]:
    """The file name and id of a position, which lists are sorted by."""
    document_id, space, file_name = position.partition(" ")
    if not space:
        raise InvalidInput(
            f"{position[:80]!r} is not a valid position in the list of documents.",
            advice="Start again with the first page.",
        )
    if len(file_name) == _POSITION_CHARS:
        row = db.execute(f"SELECT file_name FROM documents WHERE {ONE}", (workspace_id, document_id)).fetchone()
        file_name = str(row[0]) if row else file_name
    return [file_name, document_id]


def save(db: Connection, document: Document) -> None:
    values = ", ".join(f":{name}" for name in _NAMES)
    updates = ", ".join(f"{name} = excluded.{name}" for name in _NAMES)
    db.execute(
        f"INSERT INTO documents ({COLUMNS}) VALUES ({values})"
        f" ON CONFLICT (workspace_id, document_id) DO UPDATE SET {updates}",
        asdict(document),
    )


def update(db: Connection, document: Document) -> bool:
    """Whether the document was there to be changed and was not being deleted."""
    updates = ", ".join(f"{name} = :{name}" for name in _NAMES)
    found = "workspace_id = :workspace_id AND document_id = :document_id AND visibility <> 'going'"
    return db.execute(f"UPDATE documents SET {updates} WHERE {found}", asdict(document)).rowcount > 0


def show(db: Connection, document: Document, at: str | None) -> list[Document]:
    save(db, document)
    set_visibility(db, document.workspace_id, document.document_id, "shown")
    if at:
        # Another version may have been finished and taken the place since this one was found there.
        found_at(db, document.workspace_id, document.document_id, at)
    return take_over(db, document.workspace_id, at, document.document_id)


def set_visibility(db: Connection, workspace_id: str, document_id: str, visibility: Visibility) -> None:
    db.execute(f"UPDATE documents SET visibility = ? WHERE {ONE}", (visibility, workspace_id, document_id))


def found_at(db: Connection, workspace_id: str, document_id: str, source: str) -> None:
    row = (workspace_id, source, document_id)
    db.execute("INSERT INTO document_sources VALUES (?, ?, ?) ON CONFLICT DO NOTHING", row)


def take_over(db: Connection, workspace_id: str, source: str | None, document_id: str | None) -> list[Document]:
    # No document has the empty id, so with None all documents at the place count as others.
    place = (workspace_id, source, document_id or "")
    at_place = "workspace_id = ? AND source = ? AND document_id <> ?"
    others = db.execute(f"SELECT document_id FROM document_sources WHERE {at_place}", place).fetchall()
    db.execute(f"DELETE FROM document_sources WHERE {at_place}", place)
    replaced: list[Document] = []
    for (other,) in others:
        if not db.execute(f"SELECT 1 FROM document_sources WHERE {ONE}", (workspace_id, other)).fetchone():
            row = db.execute(f"SELECT {COLUMNS} FROM documents WHERE {ONE}", (workspace_id, other)).fetchone()
            replaced.append(Document(*row))
            set_visibility(db, workspace_id, other, "going")
    return replaced


def move(db: Connection, workspace_id: str, old: str, new: str) -> None:
    """Moves everything at or inside the old place to the new one."""
    for table in ("document_sources", "documents"):
        db.execute(
            f"UPDATE {table} SET source = :new || SUBSTR(source, :length) WHERE workspace_id = :workspace"
            " AND (source = :old OR SUBSTR(source, 1, :length) = :below)",
            {"workspace": workspace_id, "old": old, "new": new, "length": len(old) + 1, "below": f"{old}/"},
        )


def pages_as_json(pages: Sequence[Page]) -> str:
    rows = [[page.number, len(page.text), page.label, [astuple(block) for block in page.blocks]] for page in pages]
    return json.dumps(rows, ensure_ascii=False)


def pages_of(text: str, pages: str) -> list[Page]:
    found: list[Page] = []
    start = 0
    for number, length, label, *blocks in json.loads(pages):
        known = tuple(_block(*block) for block in blocks[0]) if blocks else ()
        found.append(Page(number, text[start : start + length], label, known))
        start += length + len(PAGE_BREAK)
    return found


def _block(*values: Any) -> Block:
    block = Block(*values)
    return replace(block, box=(block.box[0], block.box[1], block.box[2], block.box[3])) if block.box else block

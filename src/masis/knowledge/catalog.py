"""The catalogue: which documents a workspace has, their extracted text, and which of them searches may see.

Visibility changes in one transaction: when a file changes, readers find the old document until the new one is complete,
and never both.
"""

import random
import re
import time
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from masis.database import Connection, Database
from masis.errors import InvalidInput
from masis.knowledge import catalog_rows
from masis.knowledge.catalog_rows import COLUMNS, ONE
from masis.knowledge.search.keywords import vocabulary_of
from masis.knowledge.search.named_documents import NamedDocument, names_of
from masis.types import WORKSPACE_NAME, WORKSPACE_NAME_RULE, Document, DocumentStatus, ParsedDocument

_NO_LIMIT = 2**62
_IDENTITY_SECONDS = 5.0
"""How soon the service notices that its database was replaced."""


@dataclass(frozen=True, slots=True)
class WorkspaceSummary:
    workspace_id: str
    documents: int
    """Number of READY documents."""
    chunks: int
    created_at: str


class Catalog:
    def __init__(self, database: Database) -> None:
        """Takes a database opened with `CATALOG`."""
        self._database = database

    def create_workspace(self, workspace_id: str) -> None:
        """Does nothing if it exists."""
        check_workspace_name(workspace_id)
        with self._database.writing() as db:
            db.execute("INSERT INTO workspaces VALUES (?, ?) ON CONFLICT DO NOTHING", (workspace_id, now()))

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
        with self._database.writing(lock=workspace_id) as db:
            db.execute("DELETE FROM workspaces WHERE workspace_id = ?", (workspace_id,))
        self._database.forget_deleted()

    def save_document(self, document: Document) -> None:
        """Adds the document, or replaces the entry for the same bytes; its visibility stays."""
        with self._database.writing() as db:
            catalog_rows.save(db, document)

    def update_document(self, document: Document) -> bool:
        """Like `save_document`, but only updates; False if the document is deleted or being deleted, perhaps by another
        process."""
        with self._database.writing() as db:
            return catalog_rows.update(db, document)

    def save_failed(self, document: Document) -> None:
        """Saves a failed document, without any of its text."""
        with self._database.writing() as db:
            catalog_rows.save(db, document)
            db.execute(f"DELETE FROM document_texts WHERE {ONE}", (document.workspace_id, document.document_id))

    def show(self, document: Document, at: str | None = None) -> list[Document]:
        """Makes the document visible to searches and hides what was at its place before, in one transaction. Returns
        what it replaced."""
        with self._database.writing(lock=document.workspace_id) as db:
            return catalog_rows.show(db, document, at)

    def finish(self, document: Document, at: str | None) -> list[Document] | None:
        """Like `show`; None if the document was deleted or replaced in the meantime, perhaps by another process."""
        one = (document.workspace_id, document.document_id)
        with self._database.writing(lock=document.workspace_id) as db:
            row = db.execute(f"SELECT visibility FROM documents WHERE {ONE}", one).fetchone()
            return None if row is None or row[0] == "going" else catalog_rows.show(db, document, at)

    def found_at(self, workspace_id: str, document_id: str, source: str) -> None:
        """Records a place. The same bytes may be at several places, and a place may have an old and a new version for a
        while."""
        with self._database.writing() as db:
            catalog_rows.found_at(db, workspace_id, document_id, source)

    def found_again(self, workspace_id: str, document_id: str, source: str | None) -> tuple[Document | None, bool]:
        """The document with these bytes, which are now at this place too, and whether it is being deleted. This is one
        transaction: either the new place keeps the document, or its deletion is known."""
        one = (workspace_id, document_id)
        with self._database.writing(lock=workspace_id) as db:
            row = db.execute(f"SELECT visibility, {COLUMNS} FROM documents WHERE {ONE}", one).fetchone()
            is_going = row is not None and row[0] == "going"
            if row and source and not is_going:
                catalog_rows.found_at(db, workspace_id, document_id, source)
        return Document(*row[1:]) if row else None, is_going

    def take_over(self, workspace_id: str, source: str, document_id: str | None = None) -> list[Document]:
        """Assigns the place to this document, or to none. Returns and hides the documents that are at no place any
        more."""
        with self._database.writing(lock=workspace_id) as db:
            return catalog_rows.take_over(db, workspace_id, source, document_id)

    def sources(self, workspace_id: str) -> list[str]:
        """Every place that a document of the workspace was read from."""
        with self._database.reading() as db:
            rows = db.execute("SELECT DISTINCT source FROM document_sources WHERE workspace_id = ?", (workspace_id,))
            return [str(row[0]) for row in rows]

    def sources_inside(self, workspace_id: str, places: Iterable[str]) -> list[str]:
        """The places inside one of these files."""
        inside = "SELECT DISTINCT source FROM document_sources WHERE workspace_id = ? AND source > ? AND source < ?"
        with self._database.reading() as db:
            # "0" is the character after "/".
            found = [db.execute(inside, (workspace_id, f"{place}/", f"{place}0")).fetchall() for place in places]
        return [str(row[0]) for rows in found for row in rows]

    def places(self, workspace_id: str, document_id: str) -> list[str]:
        """All places of a document."""
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT source FROM document_sources WHERE {ONE} ORDER BY source", (workspace_id, document_id)
            )
            return [str(row[0]) for row in rows]

    def move(self, workspace_id: str, old: str, new: str) -> None:
        """Moves a renamed file and its members."""
        with self._database.writing(lock=workspace_id) as db:
            catalog_rows.move(db, workspace_id, old, new)

    def hide(self, workspace_id: str, document_id: str) -> None:
        """Hides the document from searches before it is deleted; it is listed until then."""
        with self._database.writing(lock=workspace_id) as db:
            catalog_rows.set_visibility(db, workspace_id, document_id, "going")
            db.execute(
                f"UPDATE documents SET status = 'PROCESSING', reason = 'It is being deleted.' WHERE {ONE}",
                (workspace_id, document_id),
            )

    def not_shown(self, workspace_id: str) -> list[str]:
        """Documents that may have passages in the index that nobody may see."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT document_id FROM documents WHERE workspace_id = ? AND visibility <> 'shown'", (workspace_id,)
            )
            return [str(row[0]) for row in rows]

    def going(self, workspace_id: str) -> list[str]:
        """Documents that a crash left replaced but not deleted."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT document_id FROM documents WHERE workspace_id = ? AND visibility = 'going'", (workspace_id,)
            )
            return [str(row[0]) for row in rows]

    def is_shown(self, workspace_id: str, document_id: str) -> bool:
        with self._database.reading() as db:
            row = db.execute(f"SELECT visibility FROM documents WHERE {ONE}", (workspace_id, document_id)).fetchone()
            return row is not None and row[0] == "shown"

    def document(self, workspace_id: str, document_id: str) -> Document | None:
        with self._database.reading() as db:
            row = db.execute(f"SELECT {COLUMNS} FROM documents WHERE {ONE}", (workspace_id, document_id)).fetchone()
            return Document(*row) if row else None

    def documents(
        self,
        workspace_id: str,
        *,
        status: DocumentStatus | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> list[Document]:
        """Sorted by name; a page starts `after` the position of the previous page's last document."""
        conditions, values = ["workspace_id = ?"], [workspace_id]
        if status:
            conditions.append("status = ?")
            values.append(status)
        with self._database.reading() as db:
            if after is not None:
                conditions.append("(file_name, document_id) > (?, ?)")
                values += catalog_rows.place_of(db, workspace_id, after)
            rows = db.execute(
                f"SELECT {COLUMNS} FROM documents WHERE {' AND '.join(conditions)}"
                " ORDER BY file_name, document_id LIMIT ?",
                (*values, _NO_LIMIT if limit is None else limit),
            )
            return [Document(*row) for row in rows]

    def documents_at(self, workspace_id: str, source: str) -> list[Document]:
        """What was last read at this place: the file and its members."""
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT {COLUMNS} FROM documents WHERE workspace_id = ?"
                " AND (source = ? OR SUBSTR(source, 1, ?) = ?) ORDER BY file_name, document_id",
                (workspace_id, source, len(source) + 1, f"{source}/"),
            )
            return [Document(*row) for row in rows]

    def has_other_version(self, workspace_id: str, source: str, document_id: str) -> bool:
        """Whether searches see another document that was read from the same place."""
        with self._database.reading() as db:
            found = db.execute(
                "SELECT 1 FROM document_sources s JOIN documents d USING (workspace_id, document_id)"
                " WHERE s.workspace_id = ? AND s.source = ? AND s.document_id <> ? AND d.visibility = 'shown'",
                (workspace_id, source, document_id),
            )
            return found.fetchone() is not None

    def delete_document(self, workspace_id: str, document_id: str) -> None:
        with self._database.writing(lock=workspace_id) as db:
            db.execute(f"DELETE FROM documents WHERE {ONE}", (workspace_id, document_id))
        self._database.forget_deleted()

    def save_parsed(self, workspace_id: str, document_id: str, parsed: ParsedDocument) -> None:
        """Saves the extracted text, the positions of its pages, and what the document can be called and found by."""
        text = parsed.text
        row = {
            "workspace_id": workspace_id,
            "document_id": document_id,
            "text": text,
            "pages": catalog_rows.pages_as_json(parsed.pages),
            "title": parsed.title,
            "date": parsed.date,
            "period": parsed.period,
            "names": names_of(parsed),
            "words": vocabulary_of(text),
            "overview": None,
        }
        updates = ", ".join(f"{name} = excluded.{name}" for name in row)
        with self._database.writing() as db:
            db.execute(
                f"INSERT INTO document_texts ({', '.join(row)}) VALUES ({', '.join(f':{name}' for name in row)})"
                f" ON CONFLICT (workspace_id, document_id) DO UPDATE SET {updates}",
                row,
            )

    def parsed(self, workspace_id: str, document_id: str) -> ParsedDocument | None:
        with self._database.reading() as db:
            row = db.execute(
                f"SELECT text, pages, title, date, period FROM document_texts WHERE {ONE}", (workspace_id, document_id)
            ).fetchone()
        if row is None:
            return None
        text, pages, title, date, period = row
        return ParsedDocument(catalog_rows.pages_of(text, pages), title=title, date=date, period=period)

    def overview(self, workspace_id: str, document_id: str, made_by: str) -> str | None:
        """The stored overview, if it was made from this text by the same version with the same settings."""
        with self._database.reading() as db:
            row = db.execute(
                f"SELECT overview FROM document_texts WHERE {ONE} AND overview_by = ?",
                (workspace_id, document_id, made_by),
            ).fetchone()
        return row[0] if row else None

    def save_overview(self, workspace_id: str, document_id: str, made_by: str, overview: str) -> None:
        with self._database.writing() as db:
            db.execute(
                f"UPDATE document_texts SET overview = ?, overview_by = ? WHERE {ONE}",
                (overview, made_by, workspace_id, document_id),
            )

    def known_documents(self, workspace_id: str) -> list[NamedDocument]:
        """The names of the documents that searches see."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT d.document_id, d.file_name, t.title, d.date, d.period, t.names, d.chunks"
                " FROM documents d JOIN document_texts t USING (workspace_id, document_id)"
                " WHERE d.workspace_id = ? AND d.visibility = 'shown' ORDER BY d.document_id",
                (workspace_id,),
            )
            return [NamedDocument(*row) for row in rows]

    def vocabulary(self, workspace_id: str) -> set[str]:
        """Every word of four letters or more in the texts that searches see, without accents."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT t.words FROM documents d JOIN document_texts t USING (workspace_id, document_id)"
                " WHERE d.workspace_id = ? AND d.visibility = 'shown'",
                (workspace_id,),
            )
            return {word for row in rows for word in str(row[0]).split()}

    def some_indexed_documents(self, most: int) -> list[tuple[str, str, int]]:
        """Some documents at random, as workspace, id and number of passages, to check that the index has them. At least
        one if there is any. The table's index finds each, however many there are."""
        one = (
            "SELECT workspace_id, document_id, chunks FROM documents"
            " WHERE status = 'READY' AND visibility = 'shown' AND chunks > 0"
        )
        with self._database.reading() as db:
            workspaces = [row[0] for row in db.execute("SELECT workspace_id FROM workspaces").fetchall()]
            found = db.execute(f"{one} LIMIT 1").fetchall()
            for workspace in random.choices(workspaces, k=most) if found else ():
                from_here = (workspace, f"{random.getrandbits(32):08x}")
                near = f"{one} AND workspace_id = ? AND document_id"
                found += (
                    db.execute(f"{near} >= ? ORDER BY document_id LIMIT 1", from_here).fetchall()
                    or db.execute(f"{near} < ? ORDER BY document_id DESC LIMIT 1", from_here).fetchall()
                )
        return list({tuple(row) for row in found})

    def needed_passages(self, workspace_id: str) -> tuple[int, list[str]]:
        """How many passages the index must have, and the documents that may have further passages in it."""
        with self._database.reading() as db:
            here, is_needed = "FROM documents WHERE workspace_id = ?", "status = 'READY' AND visibility = 'shown'"
            others = db.execute(f"SELECT document_id {here} AND NOT ({is_needed})", (workspace_id,)).fetchall()
            needed = db.execute(f"SELECT COALESCE(SUM(chunks), 0) {here} AND {is_needed}", (workspace_id,)).fetchone()
        return int(needed[0]), [row[0] for row in others]

    def undated(self, workspace_id: str) -> int:
        """How many documents that searches see have no date."""
        with self._database.reading() as db:
            row = db.execute(
                "SELECT COUNT(*) FROM documents WHERE workspace_id = ? AND visibility = 'shown' AND date IS NULL"
                " AND chunks > 0",
                (workspace_id,),
            )
            return int(row.fetchone()[0])

    def text_chars(self, workspace_id: str) -> int:
        with self._database.reading() as db:
            row = db.execute("SELECT SUM(LENGTH(text)) FROM document_texts WHERE workspace_id = ?", (workspace_id,))
            return int(row.fetchone()[0] or 0)

    def title(self, workspace_id: str, document_id: str) -> str | None:
        with self._database.reading() as db:
            row = db.execute(f"SELECT title FROM document_texts WHERE {ONE}", (workspace_id, document_id)).fetchone()
            return row[0] if row else None

    def text(self, workspace_id: str, document_id: str) -> str | None:
        """The extracted text, which all character offsets of the document refer to."""
        with self._database.reading() as db:
            row = db.execute(f"SELECT text FROM document_texts WHERE {ONE}", (workspace_id, document_id)).fetchone()
            return str(row[0]) if row else None


class CatalogIdentity:
    """Lets an index recognise the database whose documents it holds."""

    def __init__(self, database: Database) -> None:
        """Takes a database opened with `CATALOG`."""
        self._database = database
        self._read: tuple[str, float] = ("", 0.0)

    def known(self) -> str:
        identity, read_at = self._read
        if not identity or time.monotonic() - read_at > _IDENTITY_SECONDS:
            with self._database.reading() as db:
                identity = _identity(db)
            self._read = (identity, time.monotonic())
        return identity

    def made(self) -> str:
        with self._database.writing(lock="identity") as db:
            if not _identity(db):
                db.execute("INSERT INTO catalog_identity VALUES (?)", (uuid.uuid4().hex,))
            return _identity(db)


def _identity(db: Connection) -> str:
    row = db.execute("SELECT identity FROM catalog_identity").fetchone()
    return str(row[0]) if row else ""


def check_workspace_name(name: str) -> None:
    if not re.fullmatch(WORKSPACE_NAME, name):
        raise InvalidInput(
            f"{name[:80]!r} cannot be the name of a workspace.",
            advice=f"{WORKSPACE_NAME_RULE.capitalize()}.",
        )


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

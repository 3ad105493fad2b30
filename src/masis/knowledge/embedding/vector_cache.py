"""Vectors by content: the same words are never embedded twice for a workspace, however often its files change.

Embedding is the slow part of ingestion. What a crash interrupted, what moved within a file and what an edit left
alone all come from here. Entries belong to a document and go with it; nothing is shared between workspaces.
"""

import hashlib
from array import array
from collections.abc import Iterable, Sequence

from masis.database import Database, Schema
from masis.knowledge.embedding.port import Vector

_TABLES = """
CREATE TABLE IF NOT EXISTS vectors (
    workspace_id TEXT NOT NULL,
    embedder TEXT NOT NULL,
    content BLOB NOT NULL,
    document_id TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (workspace_id, embedder, content)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS vectors_by_document ON vectors (workspace_id, document_id);
"""
VECTORS = Schema("vectors", (_TABLES,))
_LOOKUP = 500


class VectorCache:
    def __init__(self, database: Database) -> None:
        """A database opened with `VECTORS`."""
        self._database = database

    def vectors(self, workspace_id: str, embedder: str, texts: Sequence[str]) -> dict[str, Vector]:
        """Those of the texts that were embedded before."""
        by_content = {_content(text): text for text in texts}
        found: dict[str, Vector] = {}
        with self._database.reading() as db:
            contents = list(by_content)
            for first in range(0, len(contents), _LOOKUP):
                part = contents[first : first + _LOOKUP]
                marks = ", ".join("?" * len(part))
                rows = db.execute(
                    "SELECT content, vector FROM vectors"
                    f" WHERE workspace_id = ? AND embedder = ? AND content IN ({marks})",
                    (workspace_id, embedder, *part),
                )
                found.update((by_content[content], array("f", vector).tolist()) for content, vector in rows)
        return found

    def save(self, workspace_id: str, embedder: str, owned: Iterable[tuple[str, str, Vector]]) -> None:
        """Document, text and vector. The document that used a text last owns it: it outlives what it replaces."""
        rows = {
            (content := _content(text)): (workspace_id, embedder, content, document_id, array("f", vector).tobytes())
            for document_id, text, vector in owned
        }
        with self._database.writing() as db:
            db.executemany(
                "INSERT INTO vectors VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (workspace_id, embedder, content) DO UPDATE SET document_id = excluded.document_id",
                # In one order everywhere: two processes that write the same texts must not wait for each other.
                [rows[content] for content in sorted(rows)],
            )

    def delete(self, workspace_id: str, document_id: str | None = None) -> int:
        """How many vectors went: a document's, or all of the workspace's."""
        if document_id is None:
            return self._delete("workspace_id = ?", workspace_id)
        return self._delete("workspace_id = ? AND document_id = ?", workspace_id, document_id)

    def keep_only(self, embedder: str) -> None:
        """After the index was rebuilt: vectors of other embedders are no longer needed."""
        self._delete("embedder <> ?", embedder)

    def _delete(self, condition: str, *values: str) -> int:
        with self._database.reading() as db:
            # Where nothing was ever cached, nothing is made to be emptied.
            if db.execute(f"SELECT 1 FROM vectors WHERE {condition} LIMIT 1", values).fetchone() is None:
                return 0
        with self._database.writing() as db:
            gone = db.execute(f"DELETE FROM vectors WHERE {condition}", values).rowcount
        self._database.forget_deleted()
        return gone


def _content(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()

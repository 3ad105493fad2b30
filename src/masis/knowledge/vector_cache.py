"""Vectors by content: the same words are never embedded twice for a workspace, however often its files change.

Embedding is the slow part of ingestion. What a crash interrupted, what moved within a file and what an edit left
alone all come from here. Entries belong to a document and go with it; nothing is shared between workspaces.
"""

import hashlib
from array import array
from collections.abc import Iterable, Sequence
from pathlib import Path

from masis.knowledge.database import Database
from masis.knowledge.embedding import Vector

_VERSION = 1
_SCHEMA = """
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
_LOOKUP = 500


class VectorCache:
    def __init__(self, path: Path) -> None:
        self._database = Database(path, _SCHEMA, _VERSION)

    def vectors(self, workspace_id: str, embedder: str, texts: Sequence[str]) -> dict[str, Vector]:
        """Those of the texts that were embedded before."""
        if not self._database.exists:
            return {}
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
        rows = [
            (workspace_id, embedder, _content(text), document_id, array("f", vector).tobytes())
            for document_id, text, vector in owned
        ]
        with self._database.writing() as db:
            db.executemany(
                "INSERT INTO vectors VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET document_id = excluded.document_id",
                rows,
            )

    def delete(self, workspace_id: str, document_id: str | None = None) -> int:
        """How many vectors went: a document's, or all of the workspace's."""
        if not self._database.exists:
            return 0
        with self._database.writing() as db:
            gone = db.execute(
                "DELETE FROM vectors WHERE workspace_id = ?1 AND (?2 IS NULL OR document_id = ?2)",
                (workspace_id, document_id),
            ).rowcount
        self._database.forget_deleted()
        return gone

    def keep_only(self, embedder: str) -> None:
        """After the index was built anew: vectors of other embedders are of no more use."""
        if self._database.exists:
            with self._database.writing() as db:
                db.execute("DELETE FROM vectors WHERE embedder <> ?", (embedder,))
            self._database.forget_deleted()


def _content(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()

"""The embedder interface, the embedder chosen by the settings, and the cache of vectors.

Embedding is the slow part of ingestion. With `VectorCache`, a workspace never embeds the same text twice, however often
its files change: after a crash, a move within a file or an edit elsewhere, vectors come from the cache. Entries belong
to a document and are deleted with it; workspaces share nothing.
"""

import hashlib
import math
from array import array
from collections.abc import Iterable, Sequence
from typing import Protocol

from masis.database import Database, Schema
from masis.errors import InvalidInput
from masis.settings import Settings

REQUEST_TOKENS = 300_000
"""OpenAI's limit for all texts of one request together."""
TEXT_TOKENS = 8191
"""OpenAI's limit for one text. Other models say themselves if a text is too long."""

_PROSE_CHARACTERS_A_TOKEN = 3
"""A low estimate: plain English has four to five, names and technical words have fewer."""
_TOKENS_A_FOREIGN_CHARACTER = 2


def estimated_tokens(text: str) -> int:
    return math.ceil(sum(map(_tokens_of, text))) or 1


def cut(text: str, tokens: int = TEXT_TOKENS) -> str:
    """The beginning of a text that is too long, else the whole text. An empty text, which endpoints refuse, becomes a
    blank."""
    if len(text) * _TOKENS_A_FOREIGN_CHARACTER <= tokens:
        return text or " "
    spent = 0.0
    for place, character in enumerate(text):
        spent += _tokens_of(character)
        if spent > tokens:
            return text[:place]
    return text


def batches(texts: Sequence[str], most_texts: int, most_tokens: int = REQUEST_TOKENS) -> list[list[str]]:
    """Splits texts into requests, in order; each text is in exactly one."""
    made: list[list[str]] = []
    spent = 0
    for text in texts:
        tokens = estimated_tokens(text)
        if not made or len(made[-1]) == most_texts or spent + tokens > most_tokens:
            made.append([])
            spent = 0
        made[-1].append(text)
        spent += tokens
    return made


def _tokens_of(character: str) -> float:
    if not character.isascii():
        return _TOKENS_A_FOREIGN_CHARACTER
    return 1 / _PROSE_CHARACTERS_A_TOKEN if character.isalpha() or character.isspace() else 1


Vector = list[float]


class Embedder(Protocol):
    """Loads nothing until its first use; may be used from any thread and event loop."""

    @property
    def name(self) -> str:
        """Identifies the embedder: two with different names never share an index."""
        ...

    @property
    def dimension(self) -> int | None:
        """None until the first vector shows it."""
        ...

    async def ready(self) -> int:
        """The dimension; asks the model once if it is unknown."""
        ...

    async def embed_passages(self, texts: list[str]) -> list[Vector]: ...

    async def embed_query(self, text: str) -> Vector: ...

    def close(self) -> None: ...


def embedder_for(settings: Settings) -> Embedder:
    from masis.knowledge.embedding.onnx_embedder import OnnxEmbedder
    from masis.knowledge.embedding.openai_embedder import OpenAIEmbedder

    if settings.embedding_model and settings.embedding_path:
        raise InvalidInput(
            "MASIS_EMBEDDING_MODEL and MASIS_EMBEDDING_PATH are both set.",
            advice="Keep one: the model of an endpoint, or a folder with model.onnx and tokenizer.json.",
        )
    if settings.embedding_device == "cuda" and not settings.embedding_path:
        raise InvalidInput(
            "MASIS_EMBEDDING_DEVICE is cuda, but MASIS_EMBEDDING_PATH is not set: the embedded model is quantised for "
            "CPUs, and an endpoint has its own devices.",
            advice="Set MASIS_EMBEDDING_PATH to a folder with a model in float, or unset MASIS_EMBEDDING_DEVICE.",
        )
    if settings.embedding_model:
        return OpenAIEmbedder(settings)
    if settings.embedding_base_url:
        raise InvalidInput(
            "MASIS_EMBEDDING_BASE_URL is set, but not which model to ask there.",
            advice="Set MASIS_EMBEDDING_MODEL too, or unset MASIS_EMBEDDING_BASE_URL.",
        )
    return OnnxEmbedder(
        settings.embedding_path,
        max_tokens=settings.embedding_max_tokens,
        device=settings.embedding_device,
        batch=settings.embedding_batch,
    )


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
        """Takes a database opened with `VECTORS`."""
        self._database = database

    def vectors(self, workspace_id: str, embedder: str, texts: Sequence[str]) -> dict[str, Vector]:
        """The vectors of those texts that were embedded before."""
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
        """Stores triples of document, text and vector. The document that last used a text owns it, so the vector
        outlives the document's older version."""
        rows = {
            (content := _content(text)): (workspace_id, embedder, content, document_id, array("f", vector).tobytes())
            for document_id, text, vector in owned
        }
        with self._database.writing() as db:
            db.executemany(
                "INSERT INTO vectors VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (workspace_id, embedder, content) DO UPDATE SET document_id = excluded.document_id",
                # Always in the same order: two processes that write the same texts must not deadlock.
                [rows[content] for content in sorted(rows)],
            )

    def delete(self, workspace_id: str, document_id: str | None = None) -> int:
        """Deletes the vectors of a document or of the whole workspace; returns how many."""
        if document_id is None:
            return self._delete("workspace_id = ?", workspace_id)
        return self._delete("workspace_id = ? AND document_id = ?", workspace_id, document_id)

    def keep_only(self, embedder: str) -> None:
        """Called after the index was rebuilt, when vectors of other embedders are no longer needed."""
        self._delete("embedder <> ?", embedder)

    def _delete(self, condition: str, *values: str) -> int:
        with self._database.reading() as db:
            # Writing would create the database; an empty cache need not be created just to be emptied.
            if db.execute(f"SELECT 1 FROM vectors WHERE {condition} LIMIT 1", values).fetchone() is None:
                return 0
        with self._database.writing() as db:
            gone = db.execute(f"DELETE FROM vectors WHERE {condition}", values).rowcount
        self._database.forget_deleted()
        return gone


def _content(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()

"""Caches vectors and readings on disk, because the models take most of the time of these evaluations."""

import asyncio
import hashlib
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from masis.knowledge.embedding.onnx_embedder import OnnxEmbedder
from masis.knowledge.search.reranking import EmbeddedReranker

CACHE = Path(__file__).parent.parent / ".cache" / "retrieval"
Matrix = np.ndarray[Any, np.dtype[np.float32]]
_BLOCK = 64


class CachedEmbedder:
    """The embedded model. Each text is embedded once and cached by its content."""

    def __init__(self, file: Path = CACHE / "vectors.db") -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self._database = sqlite3.connect(file, timeout=60)
        self._database.execute("PRAGMA journal_mode=WAL")
        self._database.execute("CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, vector BLOB)")
        self._model = OnnxEmbedder()

    def passages(self, texts: Sequence[str]) -> Matrix:
        return self._matrix(texts, is_query=False)

    def queries(self, texts: Sequence[str]) -> Matrix:
        return self._matrix(texts, is_query=True)

    def _matrix(self, texts: Sequence[str], *, is_query: bool) -> Matrix:
        missing = [text for text in dict.fromkeys(texts) if self._known(text, is_query) is None]
        for first in range(0, len(missing), _BLOCK):
            self._embed(missing[first : first + _BLOCK], is_query)
        rows = [np.frombuffer(self._known(text, is_query) or b"", dtype=np.float32) for text in texts]
        return np.stack(rows)

    def _embed(self, texts: list[str], is_query: bool) -> None:
        vectors = asyncio.run(self._vectors(texts, is_query))
        rows = [
            (_key(text, is_query), np.asarray(vector, dtype=np.float32).tobytes())
            for text, vector in zip(texts, vectors, strict=True)
        ]
        with self._database:
            self._database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)

    async def _vectors(self, texts: list[str], is_query: bool) -> list[list[float]]:
        if is_query:
            return [await self._model.embed_query(text) for text in texts]
        # Two at a time: the model alone does not keep both cores busy.
        halves = await asyncio.gather(self._model.embed_passages(texts[::2]), self._model.embed_passages(texts[1::2]))
        together: list[list[float]] = [[]] * len(texts)
        together[::2], together[1::2] = halves
        return together

    def _known(self, text: str, is_query: bool) -> bytes | None:
        found = self._database.execute("SELECT vector FROM vectors WHERE key = ?", [_key(text, is_query)]).fetchone()
        return found[0] if found else None


def _key(text: str, is_query: bool) -> str:
    return hashlib.sha256(f"{'query' if is_query else 'passage'}\n{text}".encode()).hexdigest()


class CachedReranker:
    """The embedded cross-encoder. Each pair is read once, and the time for reading is recorded."""

    def __init__(self, file: Path = CACHE / "readings.db") -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self._database = sqlite3.connect(file, timeout=60, isolation_level=None)
        self._database.execute("PRAGMA journal_mode=WAL")
        self._database.execute("CREATE TABLE IF NOT EXISTS readings (key TEXT PRIMARY KEY, score REAL, seconds REAL)")
        self._reranker = EmbeddedReranker()

    async def scores(self, question: str, passages: list[str]) -> list[float]:
        return [await self._score(question, passage) for passage in passages]

    @property
    def milliseconds_a_passage(self) -> float:
        """The median over everything ever read with this cache."""
        seconds = [row[0] for row in self._database.execute("SELECT seconds FROM readings ORDER BY seconds")]
        return 1000 * seconds[len(seconds) // 2] if seconds else 0.0

    async def _score(self, question: str, passage: str) -> float:
        key = hashlib.sha256(f"{question}\n\n{passage}".encode()).hexdigest()
        known = self._database.execute("SELECT score FROM readings WHERE key = ?", [key]).fetchone()
        if known is not None:
            return float(known[0])
        start = time.perf_counter()
        [score] = await self._reranker.scores(question, [passage])
        row = (key, score, time.perf_counter() - start)
        self._database.execute("INSERT OR REPLACE INTO readings VALUES (?, ?, ?)", row)
        return score

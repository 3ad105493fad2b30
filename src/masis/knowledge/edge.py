"""The vector store in this process: Qdrant Edge in the data folder.

Its calls hold Python's lock and its errors are bare: each runs in a thread, one at a time, and is translated.
Search is exact: building a graph index froze every thread for 19 s at 20,000 points; exact search takes 3 ms.
"""

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from masis.errors import DataFolderError
from masis.knowledge.data_folder import held_lock, make_folder, require_free_space
from masis.knowledge.edge_shard import (
    count_request,
    create_shard,
    delete_operation,
    load_shard,
    query_request,
    translated,
    upsert_operation,
)
from masis.knowledge.embedding import Embedder, Vector
from masis.knowledge.index_meta import (
    IndexMeta,
    foreign_index,
    read_meta_file,
    require_match,
    write_meta_file,
)
from masis.knowledge.store import DENSE, Found, Hit, IndexedChunk, SparseVector, fuse

T = TypeVar("T")

_BATCH = 128


class EdgeStore:
    def __init__(self, home: Path, embedder: Embedder) -> None:
        self._home = home
        self._folder = home / "index"
        self._meta_path = home / "index.json"
        self._where = f"The index in {home}"
        self._embedder = embedder
        self._lock = threading.Lock()
        self._resources = contextlib.ExitStack()
        self._shard: Any = None
        self._meta: IndexMeta | None = None
        self._process = 0

    async def upsert(self, workspace_id: str, items: Sequence[IndexedChunk]) -> None:
        if items:
            await asyncio.to_thread(self._upsert, workspace_id, items)

    async def query(self, workspace_id: str, dense: Vector, sparse: SparseVector, limit: int) -> list[Hit]:
        def query(shard: Any) -> list[Hit]:
            answers = shard.query_batch(query_request(workspace_id, dense, sparse, limit))
            by_meaning = [Found(point.payload, point.score) for point in answers[0]]
            words = answers[1] if len(answers) > 1 else []
            by_words = [Found(point.payload, point.score, point.vector[DENSE]) for point in words]
            return fuse(by_meaning, by_words, dense, limit)

        return await asyncio.to_thread(self._run, query, list[Hit](), len(dense))

    async def count(self, workspace_id: str, document_id: str | None = None) -> int:
        def count(shard: Any) -> int:
            return int(shard.count(count_request(workspace_id, document_id)))

        return await asyncio.to_thread(self._run, count, 0)

    async def delete_document(self, workspace_id: str, document_id: str) -> None:
        await self._delete(workspace_id, document_id)

    async def delete_workspace(self, workspace_id: str) -> None:
        await self._delete(workspace_id, None)

    async def _delete(self, workspace_id: str, document_id: str | None) -> None:
        def delete(shard: Any) -> None:
            shard.update(delete_operation(workspace_id, document_id))

        await asyncio.to_thread(self._run, delete, None)

    def close(self) -> None:
        with self._lock:
            if self._shard is not None and self._process == os.getpid():
                with translated(self._where):
                    self._shard.close()
            self._shard = self._meta = None
            self._resources.close()

    def _upsert(self, workspace_id: str, items: Sequence[IndexedChunk]) -> None:
        with self._lock:
            shard = self._open(len(items[0].dense), may_create=True)
            for first in range(0, len(items), _BATCH):
                require_free_space(self._home)
                with translated(self._where):
                    shard.update(upsert_operation(workspace_id, items[first : first + _BATCH]))

    def _run(self, action: Callable[[Any], T], without_index: T, dimension: int | None = None) -> T:
        with self._lock:
            shard = self._open(dimension)
            if shard is None:
                return without_index
            with translated(self._where):
                return action(shard)

    def _open(self, dimension: int | None, *, may_create: bool = False) -> Any:
        """The shard; None where there is no index yet and none is to be made."""
        if self._shard is None:
            if not may_create and not self._exists():
                return None
            make_folder(self._home)
            with contextlib.ExitStack() as resources:
                resources.enter_context(held_lock(self._home / "index.lock"))
                self._shard = self._load(dimension) if self._exists() else self._create(dimension or 0)
                self._resources = resources.pop_all()
            self._process = os.getpid()
        elif self._process != os.getpid():
            raise DataFolderError(
                f"{self._where} was opened before this process was forked from its parent.",
                advice="Start workers with the spawn method, or run a Qdrant server and set QDRANT_HOST.",
            )
        if self._meta:
            require_match(self._meta, self._embedder.name, dimension, self._where)
        return self._shard

    def _exists(self) -> bool:
        """An empty folder is no index: renaming the new one onto it works."""
        with translated(self._where):
            return self._folder.is_dir() and any(self._folder.iterdir())

    def _load(self, dimension: int | None) -> Any:
        if not self._meta_path.is_file():
            raise foreign_index(self._where)
        meta = read_meta_file(self._meta_path, self._where)
        require_match(meta, self._embedder.name, dimension, self._where)
        require_free_space(self._home)
        shard = load_shard(self._folder, meta.dimension, self._where)
        self._meta = meta
        return shard

    def _create(self, dimension: int) -> Any:
        require_free_space(self._home)
        meta = IndexMeta(self._embedder.name, dimension)
        # Made beside its place, then renamed: after a crash there is a whole index or none.
        draft = self._folder.with_suffix(".new")
        create_shard(draft, dimension, self._where)
        with translated(self._where):
            write_meta_file(self._meta_path, meta)
            draft.rename(self._folder)
        return self._load(dimension)

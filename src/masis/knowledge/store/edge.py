"""The vector store in this process: Qdrant Edge in the data folder.

The engine's calls hold Python's lock and its errors are bare, so each call runs in a thread, one at a time, and errors
are translated. Search is exact: building a graph index froze every thread for 19 s at 20,000 points, while exact search
takes 3 ms.

Deleted points are no longer found at once. Their bytes are purged from the files when a workspace is deleted or a fifth
of the index (and a thousand points) is gone, otherwise when the store is closed (after a crash, when the next store is
closed).

The engine allows a folder to be opened only once. Stores in one process share it: the first one opens it and the last
one closes it. Two stores may have different embedders; the one that does not fit the index gets an error.
"""

import asyncio
import contextlib
import os
import threading
import weakref
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from masis.data_folder import FolderLock, require_free_space
from masis.errors import DataFolderError
from masis.knowledge.embedding.port import Embedder, Vector
from masis.knowledge.store.edge_shard import (
    IndexFiles,
    count_points,
    create_shard,
    delete_operation,
    holders_request,
    load_shard,
    purge,
    query_request,
    scroll,
    translated,
    upsert_operation,
)
from masis.knowledge.store.points import answer_of, holders_of, in_order, indexed_chunk_of, own_chunk, point_id
from masis.knowledge.store.port import (
    EVERYWHERE,
    Answer,
    Identity,
    IndexedChunk,
    IndexMeta,
    SparseVector,
    StoreFilters,
    VectorStore,
    foreign_index,
    read_meta_file,
    require_match,
    require_own,
    write_meta_file,
)
from masis.types import Chunk

T = TypeVar("T")

_BATCH = 128
_LARGE_SHARE = 0.2
"""Share of deleted points above which they slow down the search."""
_FEW = 1000
"""This many deleted points slow down nothing, however small the index is."""


class _OpenIndex:
    """The open index of one folder in this process."""

    def __init__(self, home: Path) -> None:
        self.lock = threading.Lock()
        self.folder_lock = FolderLock(home / "index.lock")
        self.shard: Any = None
        self.meta: IndexMeta | None = None
        self.process = 0
        self.deleted = 0
        self.rebuilt: EdgeStore | None = None
        self.users: weakref.WeakSet[EdgeStore] = weakref.WeakSet()
        """The stores that have used it and are not closed."""


_OPEN: weakref.WeakValueDictionary[Path, _OpenIndex] = weakref.WeakValueDictionary()
_REGISTER = threading.Lock()


def _open_index_of(home: Path) -> _OpenIndex:
    with _REGISTER:
        return _OPEN.setdefault(home.absolute(), _OpenIndex(home))


class EdgeStore:
    def __init__(
        self,
        home: Path,
        embedder: Embedder,
        language: str = "english",
        *,
        number: int | None = None,
        identity: Identity | None = None,
    ) -> None:
        self._home = home
        self._files = IndexFiles(home, number)
        self._where = f"The index in {home}"
        self._embedder = embedder
        self._language = language
        self._identity = identity
        # An index built beside the current one belongs to its builder alone.
        self._index = _open_index_of(home) if number is None else _OpenIndex(home)

    async def prepare(self, dimension: int) -> None:
        await asyncio.to_thread(self._prepare, dimension)

    async def upsert(self, workspace_id: str, items: Sequence[IndexedChunk]) -> None:
        if items:
            await asyncio.to_thread(self._upsert, workspace_id, items)

    async def query(
        self,
        workspace_id: str,
        dense: Vector,
        sparse: SparseVector,
        limit: int,
        *,
        filters: StoreFilters = EVERYWHERE,
        hidden: Collection[str] = (),
    ) -> Answer:
        def query(shard: Any) -> list[Any]:
            answers: list[Any] = shard.query_batch(query_request(workspace_id, dense, sparse, limit, filters, hidden))
            return answers

        found = await asyncio.to_thread(self._run, query, [], len(dense))
        by_meaning, by_words = [*found, [], []][:2]
        return answer_of(by_meaning, by_words, dense, limit)

    async def holders(
        self, workspace_id: str, terms: Sequence[int], *, hidden: Collection[str] = ()
    ) -> list[dict[str, str]]:
        def query(shard: Any) -> list[dict[str, str]]:
            return [holders_of(points) for points in shard.query_batch(holders_request(workspace_id, terms, hidden))]

        nothing: list[dict[str, str]] = [{} for _ in terms]
        return await asyncio.to_thread(self._run, query, nothing) if terms else []

    async def count(self, workspace_id: str, document_id: str | None = None, *, embedded: bool = False) -> int:
        def count(shard: Any) -> int:
            return count_points(shard, workspace_id, document_id, embedded=embedded)

        return await asyncio.to_thread(self._run, count, 0)

    async def chunks(self, workspace_id: str, document_id: str | None = None) -> list[IndexedChunk]:
        found: list[IndexedChunk] = []
        nothing: tuple[list[Any], Any] = ([], None)
        after: Any = None
        while True:
            page, after = await asyncio.to_thread(
                self._run, lambda shard, after=after: scroll(shard, workspace_id, document_id, after), nothing
            )
            found += map(indexed_chunk_of, page)
            if after is None:
                return in_order(found)

    async def chunk(self, workspace_id: str, chunk_id: str) -> Chunk | None:
        def retrieve(shard: Any) -> list[Any]:
            points: list[Any] = shard.retrieve([point_id(workspace_id, chunk_id)], True, False)
            return points

        return own_chunk(workspace_id, await asyncio.to_thread(self._run, retrieve, []))

    async def delete_document(self, workspace_id: str, document_id: str) -> int:
        return await asyncio.to_thread(self._delete, workspace_id, document_id)

    async def delete_workspace(self, workspace_id: str) -> int:
        return await asyncio.to_thread(self._delete, workspace_id, None)

    async def rebuild(self) -> "EdgeStore":
        return await asyncio.to_thread(self._rebuild)

    async def adopt(self, rebuilt: VectorStore) -> None:
        await asyncio.to_thread(self._adopt, rebuilt)

    def close(self) -> None:
        with self._index.lock:
            self._index.users.discard(self)
            if self._index.users:
                return
            try:
                if self._index.rebuilt:
                    self._index.rebuilt.close()
                if self._is_ours() and self._files.unpurged.exists():
                    self._purge()
                self._let_go()
            finally:
                self._index.rebuilt = None
                self._index.folder_lock.release()

    def _prepare(self, dimension: int) -> None:
        with self._index.lock:
            self._open(dimension, may_create=True)

    def _upsert(self, workspace_id: str, items: Sequence[IndexedChunk]) -> None:
        with self._index.lock:
            self._require_no_rebuilding()
            dimension = next((len(item.dense) for item in items if item.dense is not None), None)
            shard = self._open(dimension or self._embedder.dimension, may_create=True)
            for first in range(0, len(items), _BATCH):
                require_free_space(self._home)
                with translated(self._where):
                    shard.update(upsert_operation(workspace_id, items[first : first + _BATCH]))

    def _delete(self, workspace_id: str, document_id: str | None) -> int:
        with self._index.lock:
            self._require_no_rebuilding()
            shard = self._open(None)
            if shard is None:
                return 0
            with translated(self._where):
                deleted = count_points(shard, workspace_id, document_id)
                if deleted:
                    self._files.unpurged.touch()
                    shard.update(delete_operation(workspace_id, document_id))
                self._index.deleted += deleted
                left = int(shard.info().points_count)
            # Purge even if nothing was found: an earlier call may have deleted the points and ended before their bytes
            # were gone.
            is_large = self._index.deleted > max(_FEW, _LARGE_SHARE * (self._index.deleted + left))
            if self._files.unpurged.exists() and (document_id is None or is_large):
                self._purge()
            return deleted

    def _purge(self) -> None:
        folder, meta = self._files.folder(), self._index.meta
        if folder is None or meta is None:
            return
        with translated(self._where):
            points = int(self._index.shard.info().points_count)
        self._let_go()
        purge(folder, meta.dimension, points, self._where)
        self._files.unpurged.unlink(missing_ok=True)
        self._index.deleted = 0

    def _rebuild(self) -> "EdgeStore":
        with self._index.lock, self._held(), translated(self._where):
            self._require_alone()
            if self._index.rebuilt:
                self._index.rebuilt.close()
            number = self._files.next_number()
            self._index.rebuilt = EdgeStore(
                self._home, self._embedder, self._language, number=number, identity=self._identity
            )
            return self._index.rebuilt

    def _adopt(self, rebuilt: VectorStore) -> None:
        if rebuilt is not self._index.rebuilt or self._index.rebuilt is None:
            raise ValueError("Only the last result of this store's `rebuild` can be adopted.")
        with self._index.lock, self._held(), translated(self._where):
            self._index.rebuilt.close()
            self._let_go()
            if self._index.rebuilt._files.description.exists():
                self._index.rebuilt._files.description.replace(self._files.description)
            else:  # nothing was put into it: there is no index now
                self._files.description.unlink(missing_ok=True)
            self._index.rebuilt = None
            self._files.unpurged.unlink(missing_ok=True)
            self._files.sweep(keep=self._files.folder())

    def _run(self, action: Callable[[Any], T], without_index: T, dimension: int | None = None) -> T:
        with self._index.lock:
            shard = self._open(dimension)
            if shard is None:
                return without_index
            with translated(self._where):
                return action(shard)

    def _open(self, dimension: int | None, *, may_create: bool = False) -> Any:
        """The shard; None if there is no index and none should be created."""
        self._index.users.add(self)
        if self._index.shard is None:
            if self._found() is None and not may_create:
                return None
            with self._held():
                # Checked again: another process may have created or replaced it before releasing the lock.
                folder = self._found()
                self._index.shard = self._load(folder, dimension) if folder else self._create(dimension)
                self._index.process = os.getpid()
        elif not self._is_ours():
            raise DataFolderError(
                f"{self._where} was opened before this process was forked from its parent.",
                advice="Start workers with the spawn method, or run a Qdrant server and set QDRANT_HOST.",
            )
        if self._index.meta:
            self._require_match(self._index.meta, dimension)
        return self._index.shard

    def _require_match(self, meta: IndexMeta, dimension: int | None) -> None:
        require_match(meta, self._embedder.name, self._language, dimension, self._where)
        if self._identity is not None:
            require_own(meta, self._identity.known(), self._where)

    def _require_no_rebuilding(self) -> None:
        if self._index.rebuilt:
            self._require_alone()

    def _require_alone(self) -> None:
        """Whatever another store wrote to the current index would be missing from its replacement."""
        if any(user is not self for user in self._index.users):
            raise DataFolderError(
                f"{self._where} is being rebuilt, or is open in another Masis of this process.",
                advice="Close the other one, or wait until the index is rebuilt.",
            )

    def _is_ours(self) -> bool:
        return self._index.shard is not None and self._index.process == os.getpid()

    def _let_go(self) -> None:
        """Closes the shard; the lock on the data folder stays."""
        if self._is_ours():
            with translated(self._where):
                self._index.shard.close()
        self._index.shard = self._index.meta = None

    def _held(self) -> contextlib.AbstractContextManager[None]:
        """Holds the folder lock. An index built beside the current one is covered by its builder's lock."""
        return self._index.folder_lock.kept() if self._files.number is None else contextlib.nullcontext()

    def _found(self) -> Path | None:
        with translated(self._where):
            if self._files.stray():
                raise foreign_index(self._where)
            return self._files.folder()

    def _load(self, folder: Path, dimension: int | None) -> Any:
        meta = read_meta_file(self._files.description, self._where)
        if self._identity is not None and not meta.database:  # made before indexes knew their database
            meta = replace(meta, database=self._identity.made())
            write_meta_file(self._files.description, meta, folder.name)
        self._require_match(meta, dimension)
        require_free_space(self._home)
        if self._files.number is None and self._index.rebuilt is None:
            with translated(self._where):
                self._files.sweep(keep=folder)
        shard = load_shard(folder, meta.dimension, self._where)
        self._index.meta = meta
        return shard

    def _create(self, dimension: int | None) -> Any:
        if dimension is None:
            raise DataFolderError(f"{self._where} cannot be created before the embedder's dimension is known.")
        require_free_space(self._home)
        folder = self._files.new_folder()
        # Created under another name and then renamed, so that after a crash there is a whole index or none.
        draft = folder.with_suffix(".new")
        create_shard(draft, dimension, self._where)
        with translated(self._where):
            meta = IndexMeta(
                self._embedder.name, dimension, self._language, database=self._identity.made() if self._identity else ""
            )
            write_meta_file(self._files.description, meta, folder.name)
            draft.rename(folder)
        return self._load(folder, dimension)

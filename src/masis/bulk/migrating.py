"""Copies a data folder to the configured servers: SQLite to PostgreSQL, the embedded index to Qdrant.

The folder itself is not changed. An interrupted migration can be continued and skips what is already copied. The new
index becomes visible only when it is complete and was compared with the old one.
"""

import asyncio
import math
import random
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from masis.access.audit_log import ACCESS
from masis.access.sessions import SCHEMA as SESSIONS
from masis.database import LIMITS, Database, go_back, open_database, steps_back
from masis.database.copying import SAMPLE, Copying, OnStep, differs
from masis.errors import InvalidInput
from masis.knowledge.catalog import CatalogIdentity
from masis.knowledge.catalog_rows import CATALOG
from masis.knowledge.embedding.port import VECTORS, embedder_for
from masis.knowledge.originals import originals_for
from masis.knowledge.store.port import IndexedChunk, VectorStore, store_for
from masis.runs.checkpoints import open_checkpointer
from masis.runs.tables import RUNS
from masis.settings import Settings

if TYPE_CHECKING:
    from masis.knowledge.store.qdrant import QdrantStore

T = TypeVar("T")
Place = tuple[str, str]
"""A workspace and one of its documents."""
SCHEMAS = (
    (CATALOG, "masis.db"),
    (VECTORS, "vectors.db"),
    (RUNS, "masis.db"),
    (ACCESS, "masis.db"),
    (SESSIONS, "masis.db"),
)


def go_back_to(settings: Settings, wanted: str, *, dry_run: bool = False) -> list[str]:
    """“runs=7”: turns these tables into an older format, and returns what was or would be done."""
    name, _, version = wanted.partition("=")
    known = {schema.name: (schema, file) for schema, file in (*SCHEMAS, (LIMITS, "masis.db"))}
    if name not in known or not version.isdecimal():
        raise InvalidInput(
            f"“{wanted}” is not a format of the tables.",
            advice=f"Write it as the older version names it, such as runs=7; there are {', '.join(known)}.",
        )
    schema, file = known[name]
    undone = steps_back(settings, schema, int(version))
    if not dry_run:
        go_back(settings, schema, int(version), file)
    return undone


@dataclass(slots=True)
class Migrated:
    """What a migration will copy or has copied; counts were compared on both sides."""

    documents: int = 0
    passages: int = 0
    """In the index."""
    files: int = 0
    rows: dict[str, int] = field(default_factory=dict[str, int])
    runs: int = 0
    """Runs with checkpoints, which can be continued."""
    compared: int = 0
    """Rows, documents and runs whose content was compared."""


async def migrate(settings: Settings, on_step: OnStep = lambda *_: None, *, dry_run: bool = False) -> Migrated:
    """Raises InvalidInput if the servers hold other data, and MASISError if a copy differs from its original."""
    if not (settings.database_url or settings.uses_qdrant_server):
        raise InvalidInput(
            "There is no server to migrate to.",
            advice="Set MASIS_DATABASE_URL, QDRANT_URL or both: what is in MASIS_HOME is copied there.",
        )
    if not (settings.home / "masis.db").exists():
        raise InvalidInput(f"There is nothing to migrate in {settings.home}.", advice="Set MASIS_HOME.")
    async with AsyncExitStack() as stack:
        migration = _Migration(settings, stack, on_step)
        await migration.open()
        await migration.count()
        if not dry_run:
            await migration.copy()
        return migration.done


class _Migration:
    def __init__(self, settings: Settings, stack: AsyncExitStack, on_step: OnStep) -> None:
        self.done = Migrated()
        self._to = settings
        self._from = settings.model_copy(update={"database_url": None, "qdrant_url": None, "qdrant_host": None})
        self._stack, self._on_step = stack, on_step
        self._chance = random.Random(0)
        catalog = open_database(self._from, CATALOG)
        stack.callback(catalog.close)
        self._identity = _Fixed(CatalogIdentity(catalog).made())
        self._documents = _documents(catalog)
        self._index: VectorStore = store_for(self._from, embedder_for(self._from), self._identity)
        stack.callback(self._index.close)
        self._tables: Copying | None = None
        self._new_index: tuple[QdrantStore, QdrantStore] | None = None

    async def open(self) -> None:
        await self._index.count("")  # locks the folder, so that no other process writes to it meanwhile
        if self._to.database_url:
            self._tables = Copying(self._from, self._to, SCHEMAS, self._identity.name, self._on_step)
            self._stack.callback(self._tables.close)
            await asyncio.to_thread(self._tables.require_free)
        if self._to.uses_qdrant_server:
            self._new_index = await self._empty_index()
        elif self._tables and self._tables.is_finished:
            raise InvalidInput("This data folder was migrated before.", advice="Start the service with these settings.")

    async def _empty_index(self) -> "tuple[QdrantStore, QdrantStore]":
        """The configured index, and the new one that will replace it."""
        from masis.knowledge.store.qdrant import QdrantStore

        current = QdrantStore(self._to, embedder_for(self._to), self._identity)
        self._stack.callback(current.close)
        if there := await asyncio.to_thread(current.size):
            raise InvalidInput(
                f"The Qdrant collection {self._to.qdrant_collection!r} already holds {there} passages.",
                advice="Set MASIS_QDRANT_COLLECTION to another name, or delete that collection.",
            )
        beside = await current.rebuild(resume=True)
        self._stack.callback(beside.close)
        return current, beside

    async def count(self) -> None:
        self.done.documents = len(self._documents)
        if self._new_index:
            self.done.passages = sum([await self._index.count(*place) for place in self._documents])
        if self._tables:
            files = originals_for(self._from)
            self.done.files = sum([await asyncio.to_thread(files.has, *place) for place in self._documents])
            self.done.rows = await asyncio.to_thread(self._tables.counts)
            self.done.runs = len(await self._threads())

    async def copy(self) -> None:
        if self._new_index:
            await self._copy_index(self._new_index[1])
        if self._tables and not self._tables.is_finished:
            await asyncio.to_thread(self._tables.begin)
            self.done.compared += await asyncio.to_thread(self._tables.copy)
            await asyncio.to_thread(self._copy_files)
            await self._copy_checkpoints()
            await asyncio.to_thread(self._tables.finish)
        if self._new_index:
            current, beside = self._new_index
            await current.adopt(beside)

    async def _copy_index(self, target: VectorStore) -> None:
        for number, place in enumerate(self._documents):
            self._on_step("documents of the index", number, len(self._documents))
            wanted = await self._index.count(*place)
            if wanted != await target.count(*place):
                await target.delete_document(*place)
                await target.upsert(place[0], await self._index.chunks(*place))
                if wanted != await target.count(*place):
                    raise differs(f"the number of passages of {place[1]} in {place[0]}")
        for place in self._sample(self._documents):
            pairs = zip(await self._index.chunks(*place), await target.chunks(*place), strict=True)
            if not all(_alike(*pair) for pair in pairs):
                raise differs(f"a passage of {place[1]} in {place[0]}")

    def _copy_files(self) -> None:
        source, target = originals_for(self._from), originals_for(self._to)
        for number, place in enumerate(self._documents):
            self._on_step("original files", number, len(self._documents))
            data = None if target.has(*place) else source.read(*place)  # originals are saved atomically
            if data is not None:
                target.save(*place, data)
        for place in self._sample(self._documents):
            if source.read(*place) != target.read(*place):
                raise differs(f"the file of {place[1]} in {place[0]}")
        target.close()

    async def _threads(self) -> list[str]:
        """Runs with checkpoints."""
        if not (self._from.home / "runs.db").exists():
            return []
        async with open_checkpointer(self._from) as saver:
            if isinstance(saver, AsyncSqliteSaver):
                await saver.setup()
        with closing(sqlite3.connect(self._from.home / "runs.db")) as db:
            return [row[0] for row in db.execute("SELECT DISTINCT thread_id FROM checkpoints ORDER BY thread_id")]

    async def _copy_checkpoints(self) -> None:
        if not (threads := await self._threads()):
            return
        async with open_checkpointer(self._from) as source, open_checkpointer(self._to) as target:
            for number, thread in enumerate(threads):
                self._on_step("runs with their checkpoints", number, len(threads))
                place: Any = {"configurable": {"thread_id": thread}}
                steps = [step async for step in source.alist(place)]
                for step in reversed(steps):
                    await _save(target, step)
                if len(steps) != len([step async for step in target.alist(place)]):
                    raise differs(f"the number of checkpoints of the run {thread}")
            for thread in self._sample(threads):
                place = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
                if _state(await source.aget_tuple(place)) != _state(await target.aget_tuple(place)):
                    raise differs(f"the state of the run {thread}")

    def _sample(self, of: Sequence[T]) -> list[T]:
        chosen = self._chance.sample(of, min(SAMPLE, len(of)))
        self.done.compared += len(chosen)
        return chosen


@dataclass(frozen=True, slots=True)
class _Fixed:
    """The identity of the data folder, which the copy keeps."""

    name: str

    def known(self) -> str:
        return self.name

    def made(self) -> str:
        return self.name


def _documents(catalog: Database, status: str = "%") -> list[Place]:
    asked = "SELECT workspace_id, document_id FROM documents WHERE status LIKE ? ORDER BY workspace_id, document_id"
    with catalog.reading() as db:
        return [(row[0], row[1]) for row in db.execute(asked, (status,))]


async def _save(saver: Any, step: Any) -> None:
    """Saves a checkpoint with the pending writes of its tasks."""
    before = step.parent_config["configurable"]["checkpoint_id"] if step.parent_config else None
    config = {"configurable": {**step.config["configurable"], "checkpoint_id": before}}
    await saver.aput(config, step.checkpoint, step.metadata, step.checkpoint["channel_versions"])
    for task, writes in groupby(step.pending_writes or [], key=lambda write: write[0]):
        await saver.aput_writes(step.config, [(channel, value) for _, channel, value in writes], task)


def _state(step: Any) -> Any:
    if step is None:
        return None
    writes = sorted(step.pending_writes or [], key=lambda write: write[:2])
    return step.checkpoint["id"], step.checkpoint["channel_values"], writes


def _alike(one: IndexedChunk, other: IndexedChunk) -> bool:
    """Vectors may differ in their last digit, since each engine normalises them again."""
    if one.chunk != other.chunk or set(one.sparse.indices) != set(other.sparse.indices):
        return False
    pairs = zip(one.dense or [], other.dense or [], strict=False)
    return len(one.dense or []) == len(other.dense or []) and all(math.isclose(a, b, abs_tol=1e-5) for a, b in pairs)


# Snapshots: the same index elsewhere, without rebuilding it.


async def save_index(settings: Settings, file: Path) -> int:
    """Saves the index in one file, and returns the number of its passages."""
    async with _index_of(settings) as (store, _):
        return await asyncio.to_thread(store.save_snapshot, file)


async def restore_index(settings: Settings, file: Path) -> int:
    """Replaces the current index if the snapshot has every document of the database; returns its number of passages."""
    if not await asyncio.to_thread(file.is_file):
        raise InvalidInput(f"There is no file {file}.", advice="Check the path.")
    async with _index_of(settings) as (store, catalog):
        restored = await asyncio.to_thread(store.restore_snapshot, file)
        missing = [place for place in _documents(catalog, "READY") if not await restored.count(*place)]
        if missing:
            await asyncio.to_thread(store.discard, restored)
            raise InvalidInput(
                f"The snapshot lacks {len(missing)} of the documents of the database, as {missing[0][1]} in"
                f" {missing[0][0]}; the index is as it was.",
                advice="Use a snapshot taken after the copy of the database, or run `masis reindex`.",
            )
        await store.adopt(restored)
        return await asyncio.to_thread(store.size)


@asynccontextmanager
async def _index_of(settings: Settings) -> "AsyncIterator[tuple[QdrantStore, Database]]":
    from masis.knowledge.store.qdrant import QdrantStore

    if not settings.uses_qdrant_server:
        raise InvalidInput(
            "The index is in the data folder, and is saved with it.",
            advice="Stop the service and copy the folder; `masis index` is for a Qdrant server (QDRANT_URL).",
        )
    catalog = open_database(settings, CATALOG)
    store = QdrantStore(settings, embedder_for(settings), CatalogIdentity(catalog))
    try:
        yield store, catalog
    finally:
        store.close()
        catalog.close()

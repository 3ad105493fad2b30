"""Where a run's state is saved between its steps, so that another process can resume it."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from masis.data_folder import make_folder
from masis.database.batched import Lane
from masis.database.postgres import FROZEN, is_due_for_a_look
from masis.errors import DatabaseUnavailable, DataFolderError
from masis.settings import Settings

if TYPE_CHECKING:
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
    from psycopg import AsyncConnection


OWNER = "__owner"
"""The key for the owner of the run's job, in the configuration of its steps."""
IS_NEW = "__is_new"
"""The key that marks a run without checkpoints, so that none are looked up."""


class LeanSaver(BaseCheckpointSaver[Any]):
    """Skips reads and writes that carry no information."""

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return None if config["configurable"].get(IS_NEW) else await super().aget_tuple(config)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        if any(channel.startswith("__") for channel, _ in writes):
            await super().aput_writes(config, writes, task_id, task_path)


_SAVE = (
    "INSERT OR REPLACE INTO checkpoints"
    " (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
Row = tuple[Any, ...]


class LeanSqliteSaver(LeanSaver, AsyncSqliteSaver):
    """`writer` is a second connection to the same file; any thread may use it, one at a time."""

    def __init__(self, conn: aiosqlite.Connection, writer: sqlite3.Connection) -> None:
        super().__init__(conn)
        self._writer = writer
        self.lane: Lane[Row, None] = Lane(self._save_all)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        await self.setup()
        place = {**config["configurable"], "checkpoint_id": checkpoint["id"]}
        kind, data = self.serde.dumps_typed(checkpoint)
        described = json.dumps(get_checkpoint_metadata(config, metadata), ensure_ascii=False).encode("utf-8", "ignore")
        before = config["configurable"].get("checkpoint_id")
        row = (place["thread_id"], place["checkpoint_ns"], checkpoint["id"], before, kind, data, described)
        await self.lane.done(row)
        return {"configurable": {key: place[key] for key in ("thread_id", "checkpoint_ns", "checkpoint_id")}}

    async def _save_all(self, rows: list[Row]) -> list[Exception | None]:
        async with self.lock:
            return await asyncio.to_thread(_try_all, self._writer, rows)


def _try_all(writer: sqlite3.Connection, rows: list[Row]) -> list[Exception | None]:
    try:
        # In one call: between two, the event loop may be busy, and the file would stay locked for all.
        with writer:
            writer.executemany(_SAVE, rows)
    except sqlite3.OperationalError as error:
        # A locked file or a full disk affects all rows.
        return [sqlite3.OperationalError(*error.args) for _ in rows]
    except Exception as error:
        # One row is at fault: save each by itself, so that the others are stored.
        return [error] if len(rows) == 1 else [_try_all(writer, [row])[0] for row in rows]
    return [None] * len(rows)


BUSY_MS = 30_000
"""How long to wait while another process writes."""
POOL = 4
"""Connections for checkpoints. Each saver makes its calls one after the other."""


@asynccontextmanager
async def open_checkpointer(settings: Settings) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    opening = (
        _in_postgres(settings.database_url, settings.database_prepare)
        if settings.database_url
        else _in_folder(settings.home)
    )
    async with opening as saver:
        yield saver


@contextmanager
def saving(settings: Settings) -> Iterator[None]:
    """Translates errors of the checkpoint database; those of the run itself pass unchanged."""
    if settings.database_url:
        with _postgres_errors():
            yield
        return
    path = settings.home / "runs.db"
    try:
        yield
    except sqlite3.Error as error:
        raise _unusable(path, error) from error


@asynccontextmanager
async def _in_folder(home: Path) -> "AsyncIterator[AsyncSqliteSaver]":
    import aiosqlite

    path = make_folder(home) / "runs.db"
    try:
        with closing(sqlite3.connect(path, timeout=BUSY_MS / 1000, check_same_thread=False)) as writer:
            writer.execute("PRAGMA journal_mode=WAL")
            writer.execute("PRAGMA synchronous=NORMAL")
            async with aiosqlite.connect(path, timeout=BUSY_MS / 1000) as reader:
                await reader.execute("PRAGMA synchronous=NORMAL")
                saver = LeanSqliteSaver(reader, writer)
                try:
                    yield saver
                finally:
                    await saver.lane.rest()
    except sqlite3.Error as error:
        raise _unusable(path, error) from error


@asynccontextmanager
async def _in_postgres(url: str, prepare: bool) -> "AsyncIterator[AsyncPostgresSaver]":
    from psycopg.rows import dict_row
    from psycopg_pool import AsyncConnectionPool

    from masis.runs.postgres_saver import LeanPostgresSaver

    with _postgres_errors():
        pool: AsyncConnectionPool[AsyncConnection[dict[str, Any]]] = AsyncConnectionPool(
            url,
            min_size=1,
            max_size=POOL,
            timeout=10,
            check=_check,
            kwargs={"autocommit": True, "prepare_threshold": 0 if prepare else None, "row_factory": dict_row},
            configure=_configure,
            open=False,
        )
        async with pool:
            saver = LeanPostgresSaver(pool)
            await saver.setup()
            try:
                yield saver
            finally:
                await saver.lane.rest()


async def _check(connection: "AsyncConnection[dict[str, Any]]") -> None:
    from psycopg_pool import AsyncConnectionPool

    if is_due_for_a_look(connection):
        await AsyncConnectionPool.check_connection(connection)


async def _configure(connection: "AsyncConnection[dict[str, Any]]") -> None:
    await connection.execute(FROZEN)


@contextmanager
def _postgres_errors() -> Iterator[None]:
    import psycopg
    import psycopg_pool

    try:
        yield
    except (
        psycopg.OperationalError,
        psycopg.InterfaceError,
        psycopg.errors.IdleInTransactionSessionTimeout,
        psycopg_pool.PoolTimeout,
    ) as error:
        # Its message may contain the address with the password.
        raise DatabaseUnavailable("PostgreSQL did not respond; everything saved so far is safe.") from error


def _unusable(path: Path, error: Exception) -> DataFolderError:
    locked = (
        "Another process holds the file: wait for it to finish, then try again." if "locked" in str(error) else None
    )
    return DataFolderError(f"The runs in {path} could not be read or written: {error}.", advice=locked)

"""Where a run's state is kept between its steps, so that it can go on later, in another process."""

import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langgraph.checkpoint.base import BaseCheckpointSaver

from masis.data_folder import make_folder
from masis.database.postgres_pool import FROZEN
from masis.errors import DatabaseUnavailable, DataFolderError
from masis.settings import Settings

if TYPE_CHECKING:
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
    from psycopg import AsyncConnection

BUSY_MS = 30_000
"""How long to wait for another process that is writing."""
POOL = 4
"""Connections for checkpoints; one saver makes its calls one after the other."""
OWNER = "__owner"
"""Who holds the run's job, in the configuration that its steps are made with."""


@asynccontextmanager
async def open_checkpointer(settings: Settings) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    opening = _in_postgres(settings.database_url) if settings.database_url else _in_folder(settings.home)
    async with opening as saver:
        yield saver


@contextmanager
def saving(settings: Settings) -> Iterator[None]:
    """What goes wrong with the checkpoints, in words. What the run itself raises is not the database's fault."""
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

    from masis.runs.sqlite_saver import LeanSqliteSaver

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
async def _in_postgres(url: str) -> "AsyncIterator[AsyncPostgresSaver]":
    from psycopg.rows import dict_row
    from psycopg_pool import AsyncConnectionPool

    from masis.runs.postgres_saver import LeanPostgresSaver

    with _postgres_errors():
        pool: AsyncConnectionPool[AsyncConnection[dict[str, Any]]] = AsyncConnectionPool(
            url,
            min_size=1,
            max_size=POOL,
            timeout=10,
            check=AsyncConnectionPool.check_connection,
            kwargs={"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row},
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
        # Its words may name the address with the password in it.
        raise DatabaseUnavailable("PostgreSQL did not answer; what was saved before is kept.") from error


def _unusable(path: Path, error: Exception) -> DataFolderError:
    locked = (
        "Another process holds the file: wait for it to finish, then try again." if "locked" in str(error) else None
    )
    return DataFolderError(f"The runs in {path} could not be read or written: {error}.", advice=locked)

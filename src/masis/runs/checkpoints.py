"""Where a run's state is kept between its steps, so that a person can answer later, in another process."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from masis.errors import DataFolderError
from masis.settings import Settings

BUSY_MS = 30_000
"""How long to wait for another process that is writing."""


@asynccontextmanager
async def open_checkpointer(settings: Settings) -> AsyncIterator[AsyncSqliteSaver]:
    path = settings.home / "runs.db"
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unusable(path, error) from error
    # What the run itself raises is not the database's fault: only SQLite's errors are.
    try:
        async with AsyncSqliteSaver.from_conn_string(str(path)) as saver:
            await saver.conn.execute("PRAGMA journal_mode=WAL")
            await saver.conn.execute("PRAGMA synchronous=NORMAL")
            await saver.conn.execute(f"PRAGMA busy_timeout={BUSY_MS}")
            yield saver
    except sqlite3.Error as error:
        raise _unusable(path, error) from error


def _unusable(path: Path, error: Exception) -> DataFolderError:
    locked = (
        "Another process holds the file: wait for it to finish, then try again." if "locked" in str(error) else None
    )
    return DataFolderError(f"The runs in {path} could not be read or written: {error}.", advice=locked)

"""Where a run's state is kept between its steps, so that a person can answer later, in another process."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from masis.errors import DataFolderError
from masis.settings import Settings


@asynccontextmanager
async def open_checkpointer(settings: Settings) -> AsyncIterator[AsyncSqliteSaver]:
    import sqlite3

    path = settings.home / "runs.db"
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
        async with AsyncSqliteSaver.from_conn_string(str(path)) as saver:
            await saver.conn.execute("PRAGMA journal_mode=WAL")
            await saver.conn.execute("PRAGMA synchronous=NORMAL")
            yield saver
    except (OSError, sqlite3.Error) as error:
        raise DataFolderError(f"The runs in {path} could not be read or written: {error}.") from error

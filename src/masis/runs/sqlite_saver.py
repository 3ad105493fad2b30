"""LangGraph's checkpoints in SQLite: those of many runs in one transaction, and without writes that say the same twice.

The tables are LangGraph's own, and so is everything that reads them.
"""

import asyncio
import json
import sqlite3
from collections.abc import Sequence
from typing import Any

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, get_checkpoint_metadata
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from masis.database.lane import Lane
from masis.runs.lean_writes import must_be_kept

_SAVE = (
    "INSERT OR REPLACE INTO checkpoints"
    " (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
Row = tuple[Any, ...]


class LeanSqliteSaver(AsyncSqliteSaver):
    """`writer` is another connection to the same file, for any thread, used by one at a time."""

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

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        if must_be_kept(writes):
            await super().aput_writes(config, writes, task_id, task_path)

    async def _save_all(self, rows: list[Row]) -> list[Exception | None]:
        async with self.lock:
            return await asyncio.to_thread(_try_all, self._writer, rows)


def _try_all(writer: sqlite3.Connection, rows: list[Row]) -> list[Exception | None]:
    try:
        # In one go: between two calls the event loop may be busy, and the file would stay locked for everybody.
        with writer:
            writer.executemany(_SAVE, rows)
    except sqlite3.OperationalError as error:
        # The file is locked or the disk full: that is so for all of them.
        return [sqlite3.OperationalError(*error.args) for _ in rows]
    except Exception as error:
        # One of them has a trouble of its own: each for itself, and the others are saved.
        return [error] if len(rows) == 1 else [_try_all(writer, [row])[0] for row in rows]
    return [None] * len(rows)

"""LangGraph's checkpoints in PostgreSQL: many runs in one statement, without redundant writes, and only while the
worker holds the run.

The tables and everything that reads them are LangGraph's own. Each statement checks the lease and writes atomically, so
that a process that was frozen before it writes nothing when it wakes up.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, LiteralString, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    get_serializable_checkpoint_metadata,
)
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

from masis.database.batched import Lane
from masis.errors import DatabaseUnavailable
from masis.jobs.worker import LeaseLost
from masis.runs.checkpoints import OWNER, LeanSaver

if TYPE_CHECKING:
    from psycopg import AsyncConnection
    from psycopg_pool import AsyncConnectionPool

_IS_HELD = """
    (given.owner IS NULL OR EXISTS (
        SELECT 1 FROM jobs WHERE kind = 'run' AND jobs.subject = given.thread_id AND jobs.owner = given.owner))"""
_SAVE = f"""
    WITH kept AS (
        INSERT INTO checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
        SELECT thread_id, checkpoint_ns, channel, version, type, blob
        FROM unnest(%b::text[], %b::text[], %b::text[], %b::text[], %b::text[], %b::bytea[], %b::text[])
            AS given (thread_id, checkpoint_ns, channel, version, type, blob, owner)
        WHERE {_IS_HELD}
        ON CONFLICT (thread_id, checkpoint_ns, channel, version) DO NOTHING
    )
    INSERT INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata)
    SELECT thread_id, checkpoint_ns, checkpoint_id, parent_id, checkpoint, metadata
    FROM unnest(%b::text[], %b::text[], %b::text[], %b::text[], %b::jsonb[], %b::jsonb[], %b::text[])
        AS given (thread_id, checkpoint_ns, checkpoint_id, parent_id, checkpoint, metadata, owner)
    WHERE {_IS_HELD}
    ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id)
        DO UPDATE SET checkpoint = excluded.checkpoint, metadata = excluded.metadata
    RETURNING thread_id, checkpoint_id"""
_WIDTH = 7
_SETUP = 5_716_053_904_622_193_018
"""The advisory lock held while LangGraph's tables are created; the number is arbitrary, but must not change."""
_LOOK_SECONDS = 0.05
_SETUP_LOOKS = 6000
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Unsaved:
    row: Row
    blobs: list[Row]

    @property
    def key(self) -> tuple[str, str]:
        return self.row[0], self.row[2]


class LeanPostgresSaver(LeanSaver, AsyncPostgresSaver):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lane: Lane[Unsaved, None] = Lane(self._save_all)

    async def setup(self) -> None:
        # Only if needed: behind PgBouncer, each statement may use another connection, and the lock belongs to one.
        if not await self._is_set_up():
            async with self._alone():
                await super().setup()

    async def _is_set_up(self) -> bool:
        async with self._pool.connection() as connection:
            table = await connection.execute("SELECT to_regclass('checkpoint_migrations') IS NOT NULL AS yes")
            if not (row := await table.fetchone()) or not row["yes"]:
                return False
            newest = await connection.execute("SELECT MAX(v) AS v FROM checkpoint_migrations")
            made = await newest.fetchone()
            return made is not None and made["v"] is not None and made["v"] >= len(self.MIGRATIONS) - 1

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        place = config["configurable"]
        await self.lane.done(self._unsaved(config, checkpoint, metadata, new_versions))
        return {
            "configurable": {
                "thread_id": place["thread_id"],
                "checkpoint_ns": place["checkpoint_ns"],
                "checkpoint_id": checkpoint["id"],
            }
        }

    async def threads_of(self, workspace_id: str, but: Sequence[str] = ()) -> list[str]:
        """A checkpoint holds short texts of its state itself, so that the workspace is known without reading blobs."""
        async with self._pool.connection() as connection:
            rows = await connection.execute(
                "SELECT DISTINCT thread_id FROM checkpoints"
                " WHERE checkpoint -> 'channel_values' ->> 'workspace_id' = %s AND thread_id <> ALL(%s::text[])",
                [workspace_id, list(but)],
            )
            return [row["thread_id"] for row in await rows.fetchall()]

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Several processes may start at once on an empty database, and LangGraph creates its tables without a lock.

        The lock is polled outside a transaction: CREATE INDEX CONCURRENTLY waits for all earlier transactions and
        statements to end, so a process that waited for the lock in one of them would cause a deadlock.
        """
        async with self._pool.connection() as connection:
            for _ in range(_SETUP_LOOKS):
                if await _says_yes(connection, "SELECT pg_try_advisory_lock(%s)"):
                    break
                await asyncio.sleep(_LOOK_SECONDS)
            else:
                raise DatabaseUnavailable(
                    "Another process has been creating the checkpoint tables for minutes.",
                    advice="If it is frozen, end it; then start this one again.",
                )
            try:
                yield
            finally:
                await _says_yes(connection, "SELECT pg_advisory_unlock(%s)")

    @property
    def _pool(self) -> "AsyncConnectionPool[AsyncConnection[dict[str, Any]]]":
        return cast("AsyncConnectionPool[AsyncConnection[dict[str, Any]]]", self.conn)

    def _unsaved(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> Unsaved:
        from psycopg.types.json import Jsonb

        place = config["configurable"]
        thread, space, owner = place["thread_id"], place["checkpoint_ns"], place.get(OWNER)
        apart = {name: value for name, value in checkpoint["channel_values"].items() if not _fits_inside(value)}
        changed = {name: version for name, version in new_versions.items() if name in apart}
        inside = {name: value for name, value in checkpoint["channel_values"].items() if name not in apart}
        described = get_serializable_checkpoint_metadata(config, metadata)
        whole = Jsonb({**checkpoint, "channel_values": inside})
        row = (thread, space, checkpoint["id"], place.get("checkpoint_id"), whole, Jsonb(described), owner)
        return Unsaved(row, [(*blob, owner) for blob in self._dump_blobs(thread, space, apart, changed)])

    async def _save_all(self, batch: list[Unsaved]) -> list[Exception | None]:
        from psycopg import OperationalError
        from psycopg_pool import PoolTimeout

        try:
            saved = await self._saved(list({one.key: one for one in batch}.values()))
        except (OperationalError, PoolTimeout) as error:
            return [type(error)(*error.args) for _ in batch]
        except Exception as error:
            # One row is at fault: save each by itself, so that the others are stored.
            return [error] if len(batch) == 1 else [(await self._save_all([one]))[0] for one in batch]
        return [None if one.key in saved else _lost(one) for one in batch]

    async def _saved(self, batch: list[Unsaved]) -> set[tuple[str, str]]:
        columns = [*_columns([blob for one in batch for blob in one.blobs]), *_columns([one.row for one in batch])]
        async with self._pool.connection() as connection:
            done = await connection.execute(_SAVE, columns)
            return {(row["thread_id"], row["checkpoint_id"]) for row in await done.fetchall()}


async def _says_yes(connection: "AsyncConnection[dict[str, Any]]", question: LiteralString) -> bool:
    row = await (await connection.execute(question, [_SETUP])).fetchone()
    return row is not None and bool(*row.values())


def _columns(rows: list[Row]) -> list[list[Any]]:
    """Returns all seven columns even if there are no rows, since the statement needs them."""
    return [[row[place] for row in rows] for place in range(_WIDTH)]


def _fits_inside(value: Any) -> bool:
    """Like LangGraph, keeps plain values in the checkpoint, except for texts that its JSON cannot hold."""
    return value is None or (isinstance(value, str) and "\0" not in value) or isinstance(value, int | float)


def _lost(one: Unsaved) -> LeaseLost:
    return LeaseLost(f"The run {one.row[0]} is now held by another worker.")

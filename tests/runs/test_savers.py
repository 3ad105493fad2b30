"""The savers of checkpoints, each on its real database."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from typing import Any

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver, Checkpoint, empty_checkpoint

from masis.database import Database
from masis.errors import DataFolderError
from masis.jobs.queue import Job, JobQueue
from masis.jobs.worker import LeaseLost
from masis.runs.checkpoints import OWNER, open_checkpointer, saving
from masis.settings import Settings

Saver = BaseCheckpointSaver[Any]


@pytest.fixture
async def saver(stored: Settings, database: Database) -> AsyncIterator[Saver]:
    with database.writing():
        pass  # its tables, as a run that was created makes them
    async with open_checkpointer(stored) as saver:
        yield saver


def checkpoint_of(**values: Any) -> tuple[Checkpoint, dict[str, str]]:
    checkpoint = empty_checkpoint()
    versions = dict.fromkeys(values, "00000000000000000000000000000001.0.5")
    checkpoint["channel_values"] = values
    checkpoint["channel_versions"] = dict(versions)
    return checkpoint, versions


async def put(saver: Saver, thread: str, owner: str | None = None, **values: Any) -> None:
    checkpoint, versions = checkpoint_of(**values)
    place: dict[str, Any] = {"thread_id": thread, "checkpoint_ns": "", OWNER: owner}
    await saver.aput({"configurable": place}, checkpoint, {"step": 1}, versions)  # type: ignore[arg-type]


async def values_of(saver: Saver, thread: str) -> dict[str, Any] | None:
    found = await saver.aget_tuple({"configurable": {"thread_id": thread, "checkpoint_ns": ""}})
    return found.checkpoint["channel_values"] if found else None


async def test_many_at_once_come_back_as_they_were_put(saver: Saver) -> None:
    given = {f"run{n}": {"text": f"words {n}", "count": n, "list": [n, {"deep": None}]} for n in range(60)}
    await asyncio.gather(*(put(saver, thread, **values) for thread, values in given.items()))
    assert {thread: await values_of(saver, thread) for thread in given} == given


async def test_text_that_json_cannot_hold_is_kept(saver: Saver) -> None:
    await put(saver, "run", text="a\0b", plain="c")
    assert await values_of(saver, "run") == {"text": "a\0b", "plain": "c"}


async def test_one_that_cannot_be_saved_harms_no_other(saver: Saver, stored: Settings) -> None:
    """A name that neither database takes."""
    bad: Any = "nul\0" if stored.database_url else object()
    done = await asyncio.gather(*(put(saver, thread, count=1) for thread in ("a", bad, "b")), return_exceptions=True)
    assert [type(outcome) for outcome in done][::2] == [type(None)] * 2
    assert isinstance(done[1], Exception)
    assert [await values_of(saver, thread) for thread in "ab"] == [{"count": 1}] * 2


async def test_one_that_is_cancelled_harms_no_other(saver: Saver) -> None:
    tasks = [asyncio.create_task(put(saver, thread, count=1)) for thread in "abc"]
    for _ in range(3):
        await asyncio.sleep(0)
    tasks[0].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert [await values_of(saver, thread) for thread in "bc"] == [{"count": 1}] * 2


async def test_several_may_begin_at_once_on_an_empty_database(stored: Settings, database: Database) -> None:
    with database.writing():
        pass

    async def begin(number: int) -> None:
        async with open_checkpointer(stored) as saver:
            await put(saver, f"run{number}", count=number)

    await asyncio.gather(*(begin(number) for number in range(6)))
    async with open_checkpointer(stored) as saver:
        assert [await values_of(saver, f"run{number}") for number in range(6)] == [{"count": n} for n in range(6)]


async def test_a_locked_file_is_said_once_to_all(stored: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    if stored.database_url:
        pytest.skip("a file is locked, a server is not")
    monkeypatch.setattr("masis.runs.checkpoints.BUSY_MS", 50)
    async with open_checkpointer(stored) as saver:
        await put(saver, "first", count=1)
        holder = sqlite3.connect(stored.home / "runs.db", isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        done = await asyncio.gather(*(put(saver, f"r{n}", count=1) for n in range(30)), return_exceptions=True)
        assert all(isinstance(error, sqlite3.OperationalError) for error in done)
        assert len({id(error) for error in done}) == 30
        holder.execute("ROLLBACK")
        holder.close()
        with pytest.raises(DataFolderError, match="could not be read or written"), saving(stored):
            raise done[0]  # type: ignore[misc]
        await put(saver, "after", count=2)
        assert await values_of(saver, "after") == {"count": 2}


async def test_only_the_holder_of_the_job_writes(
    saver: Saver, stored: Settings, database: Database, queue: JobQueue
) -> None:
    """A worker that was frozen, and whose run another has taken over, must not write over it."""
    if not stored.database_url:
        pytest.skip("several machines need PostgreSQL")
    with database.writing() as db:
        queue.put(db, Job("run", "run", "acme"), owner="first")
    await put(saver, "run", "first", count=1)
    with database.writing() as db:
        db.execute("UPDATE jobs SET owner = 'second'")
    done = await asyncio.gather(
        put(saver, "run", "first", count=2), put(saver, "other", count=5), return_exceptions=True
    )
    assert isinstance(done[0], LeaseLost)
    assert await values_of(saver, "run") == {"count": 1}
    assert await values_of(saver, "other") == {"count": 5}
    await put(saver, "run", "second", count=3)
    assert await values_of(saver, "run") == {"count": 3}

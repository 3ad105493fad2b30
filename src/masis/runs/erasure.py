"""A run's checkpoints go with it: they quote its documents."""

import asyncio
from collections.abc import Sequence

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from masis.runs.checkpoints import open_checkpointer
from masis.runs.run_table import RunTable
from masis.settings import Settings


async def erase_deleted(settings: Settings, runs: RunTable) -> None:
    """The checkpoints of deleted runs, and of those that a crash or a database that was away kept from going."""
    if gone := await asyncio.to_thread(runs.with_checkpoints_to_go):
        await delete_threads(settings, gone)
        await asyncio.to_thread(runs.checkpoints_gone, gone)


async def delete_threads(settings: Settings, run_ids: Sequence[str]) -> None:
    """Nothing of them stays on the disk of the data folder."""
    if not run_ids or not has_checkpoints(settings):
        return
    async with open_checkpointer(settings) as saver:
        if isinstance(saver, AsyncSqliteSaver):
            await saver.setup()
            await saver.conn.execute("PRAGMA secure_delete=ON")
        for run_id in run_ids:
            await saver.adelete_thread(run_id)
        if isinstance(saver, AsyncSqliteSaver):
            await saver.conn.commit()
            await saver.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")


async def unlisted_threads(settings: Settings, workspace_id: str, listed: Sequence[str]) -> list[str]:
    """Runs of the workspace that have checkpoints and no record: the first versions kept none, and later ones could
    lose it before its checkpoints."""
    if not has_checkpoints(settings):
        return []
    if settings.database_url:
        return await _unlisted_in_postgres(settings, workspace_id, listed)
    found: list[str] = []
    async with open_checkpointer(settings) as saver:
        assert isinstance(saver, AsyncSqliteSaver)
        await saver.setup()
        async with saver.conn.execute("SELECT DISTINCT thread_id FROM checkpoints") as rows:
            threads = {row[0] for row in await rows.fetchall()} - set(listed)
        for thread in threads:
            config: RunnableConfig = {"configurable": {"thread_id": thread}}
            saved = await saver.aget_tuple(config)
            if saved and saved.checkpoint["channel_values"].get("workspace_id") == workspace_id:
                found.append(thread)
    return found


async def _unlisted_in_postgres(settings: Settings, workspace_id: str, listed: Sequence[str]) -> list[str]:
    from masis.runs.postgres_saver import LeanPostgresSaver

    async with open_checkpointer(settings) as saver:
        assert isinstance(saver, LeanPostgresSaver)
        return await saver.threads_of(workspace_id, listed)


def has_checkpoints(settings: Settings) -> bool:
    return bool(settings.database_url) or (settings.home / "runs.db").exists()

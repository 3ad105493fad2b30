"""A workspace's runs go with it: they quote its documents."""

from langchain_core.runnables import RunnableConfig

from masis.runs.checkpoints import open_checkpointer
from masis.settings import Settings


async def delete_runs(settings: Settings, workspace_id: str) -> int:
    """How many went; nothing of them stays on the disk."""
    if not (settings.home / "runs.db").exists():
        return 0
    async with open_checkpointer(settings) as saver:
        await saver.setup()
        await saver.conn.execute("PRAGMA secure_delete=ON")
        async with saver.conn.execute("SELECT DISTINCT thread_id FROM checkpoints") as found:
            run_ids = [row[0] for row in await found.fetchall()]
        gone = 0
        for run_id in run_ids:
            config: RunnableConfig = {"configurable": {"thread_id": run_id}}
            saved = await saver.aget_tuple(config)
            if saved and saved.checkpoint["channel_values"].get("workspace_id") == workspace_id:
                await saver.adelete_thread(run_id)
                gone += 1
        await saver.conn.commit()
        await saver.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return gone

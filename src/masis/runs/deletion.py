"""Deletes runs with their checkpoints (which quote documents), whole workspaces, and what retention has expired."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from masis.access.audit_log import AuditLog
from masis.access.keys import Keys, revoke_keys_of
from masis.errors import InvalidInput
from masis.jobs.queue import Kind
from masis.runs.checkpoints import open_checkpointer
from masis.runs.events import days_ago
from masis.runs.parts import Parts
from masis.runs.run_table import RunTable
from masis.settings import Settings
from masis.types import Caller, DeletionReceipt


async def delete_workspace(parts: Parts, workspace: str, by: Caller) -> DeletionReceipt:
    """Deletes its documents, index, caches, runs and decisions, and the keys that open no other workspace."""
    await parts.library.require_deletable(workspace)
    await require_no_ingestion(parts, workspace)
    if running := await asyncio.to_thread(parts.queue.open_subjects, "run", workspace):
        raise InvalidInput(
            f"{len(running)} runs of {workspace} are running or queued.",
            advice="Cancel them, or wait for them to finish, then delete again.",
        )
    listed = await asyncio.to_thread(parts.runs.ids, workspace)
    unlisted = await unlisted_threads(parts.settings, workspace, listed)
    await delete_threads(parts.settings, unlisted)
    runs = await _delete_runs(parts, workspace) + len(unlisted)
    await asyncio.to_thread(revoke_keys_of, Keys(parts.settings), AuditLog(parts.settings), by, workspace)
    receipt = await parts.library.delete_workspace(workspace)
    # Up to this point, another process could still ask the workspace a question.
    return replace(receipt, runs=runs + await _delete_runs(parts, workspace))


async def delete_document(parts: Parts, document: str, workspace: str) -> DeletionReceipt:
    await require_no_ingestion(parts, workspace)
    found = await parts.document(document, workspace)
    return await parts.library.delete_document(workspace, found.document_id)


async def require_no_ingestion(parts: Parts, workspace: str) -> None:
    """If another process is ingesting into it, deleted documents would come back."""
    kinds: tuple[Kind, ...] = ("ingest", "sync")
    if any([await asyncio.to_thread(parts.queue.open_subjects, kind, workspace) for kind in kinds]):
        raise InvalidInput(
            f"Documents are being ingested into {workspace} right now.",
            advice="Wait for the ingestion to finish, or cancel it, then delete again.",
        )


async def delete_run(parts: Parts, run_id: str, workspace: str | None) -> None:
    await asyncio.to_thread(parts.runs.delete, run_id, workspace)
    await erase_deleted(parts.settings, parts.runs)


async def _delete_runs(parts: Parts, workspace: str) -> int:
    runs = await asyncio.to_thread(parts.runs.delete_workspace, workspace)
    await erase_deleted(parts.settings, parts.runs)
    return runs


async def erase_deleted(settings: Settings, runs: RunTable) -> None:
    """Erases the checkpoints of deleted runs, including those left behind by a crash or an unavailable database."""
    if gone := await asyncio.to_thread(runs.with_checkpoints_to_go):
        await delete_threads(settings, gone)
        await asyncio.to_thread(runs.checkpoints_gone, gone)


async def delete_threads(settings: Settings, run_ids: Sequence[str]) -> None:
    """Leaves no trace of them on the disk of a data folder."""
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
    """Runs of the workspace with checkpoints but no record, as a crash may leave them."""
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


TOGETHER = 100
"""Runs deleted at once: opening the checkpoints for each would take longer than deleting them all."""


@dataclass(frozen=True, slots=True)
class PruneReport:
    runs: int
    """Runs deleted with everything that belongs to them."""
    checkpoints: int
    """Runs whose checkpoints were deleted, but which keep their answer and trail."""


async def prune(settings: Settings, runs: RunTable, older_than_days: float | None = None) -> PruneReport:
    days = settings.run_retention_days if older_than_days is None else older_than_days
    if days is not None and days < 0:
        raise InvalidInput(
            f"{days:g} is not a valid number of days.", advice="Give the age in days; 0 deletes every ended run."
        )
    old = [] if days is None else await asyncio.to_thread(runs.ended_before, days_ago(days))
    gone = 0
    for first in range(0, len(old), TOGETHER):
        deleted = [one for one in old[first : first + TOGETHER] if await asyncio.to_thread(_deleted, runs, one)]
        # After the runs, since one that is being resumed keeps its checkpoints.
        await erase_deleted(settings, runs)
        gone += len(deleted)
    await erase_deleted(settings, runs)
    over = await asyncio.to_thread(runs.with_checkpoints_before, days_ago(settings.checkpoint_retention_days))
    await delete_threads(settings, over)
    await asyncio.to_thread(runs.without_checkpoints, over)
    return PruneReport(gone, len(over))


def _deleted(runs: RunTable, run_id: str) -> bool:
    """False if another process has deleted the run already, or is working on it again."""
    try:
        runs.delete(run_id, None)
    except InvalidInput:
        return False
    return True

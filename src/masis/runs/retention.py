"""What may go after a while: old runs, when an operator says so, and the checkpoints of runs that are over."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from masis.errors import InvalidInput
from masis.runs.deletion import delete_threads, erase_deleted
from masis.runs.run_table import RunTable
from masis.settings import Settings

TOGETHER = 100
"""So many runs go at once: opening the checkpoints for each would take longer than deleting them."""


@dataclass(frozen=True, slots=True)
class PruneReport:
    runs: int
    """Deleted with all that is theirs."""
    checkpoints: int
    """Runs whose answer and trail stay, and whose checkpoints went."""


async def prune(settings: Settings, runs: RunTable, older_than_days: float | None = None) -> PruneReport:
    days = settings.run_retention_days if older_than_days is None else older_than_days
    if days is not None and days < 0:
        raise InvalidInput(f"{days:g} days cannot be waited for.", advice="Give the age in days, 0 for every run.")
    old = [] if days is None else await asyncio.to_thread(runs.ended_before, _ago(days))
    gone = 0
    for first in range(0, len(old), TOGETHER):
        deleted = [one for one in old[first : first + TOGETHER] if await asyncio.to_thread(_deleted, runs, one)]
        # After the runs: one that somebody goes on with just now keeps its checkpoints.
        await erase_deleted(settings, runs)
        gone += len(deleted)
    await erase_deleted(settings, runs)
    over = await asyncio.to_thread(runs.with_checkpoints_before, _ago(settings.checkpoint_retention_days))
    await delete_threads(settings, over)
    await asyncio.to_thread(runs.without_checkpoints, over)
    return PruneReport(gone, len(over))


def _deleted(runs: RunTable, run_id: str) -> bool:
    """False where another process was faster: it has deleted it, or works on it again."""
    try:
        runs.delete(run_id, None)
    except InvalidInput:
        return False
    return True


def _ago(days: float) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="milliseconds")

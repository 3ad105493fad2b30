"""What may go after a while: old runs, when an operator says so, and the checkpoints of runs that are over."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from masis.errors import InvalidInput
from masis.runs.erasure import delete_threads
from masis.runs.run_table import RunTable
from masis.settings import Settings


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
    await delete_threads(settings, old)
    for run_id in old:
        await asyncio.to_thread(runs.delete, run_id, None)
    over = await asyncio.to_thread(runs.with_checkpoints_before, _ago(settings.checkpoint_retention_days))
    await delete_threads(settings, over)
    await asyncio.to_thread(runs.without_checkpoints, over)
    return PruneReport(len(old), len(over))


def _ago(days: float) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="milliseconds")

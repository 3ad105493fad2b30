"""Waiting for a run: its events and its result, without the run depending on who waits."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import TypeVar

from masis.api.access import Access
from masis.api.middleware.problems import Conflicting, StillRunning
from masis.errors import MASISError
from masis.runs.records import RunRecord
from masis.runs.result import RunResult

T = TypeVar("T")


class RunFailed(MASISError):
    """A fault of MASIS itself ended the run."""

    code = "run_failed"


async def finished_result(access: Access, run: RunRecord, location: str) -> RunResult:
    try:
        async with asyncio.timeout(access.service.settings.ask_seconds):
            async for _ in until_stopping(access.masis.afollow(run.run_id), access.service.stopping):
                pass
    except TimeoutError:
        waited = f"The run is not done after {access.service.settings.ask_seconds:g} seconds."
        raise StillRunning(waited, location) from None
    return await result_or_problem(access, run, location)


async def result_or_problem(access: Access, run: RunRecord, location: str) -> RunResult:
    result = await access.masis.aresult(run.run_id, run.workspace_id)
    if result is not None:
        return result
    latest = await access.masis.aget_run(run.run_id, run.workspace_id)
    if latest.status in ("queued", "running"):
        raise StillRunning("The service stops before the run is done; it goes on with the next start.", location)
    if latest.status == "cancelled":
        raise Conflicting("The run was cancelled before it had an answer.", advice="Ask again when it is wanted.")
    raise RunFailed(latest.error or "The run ended without a result.", advice="Ask again; the log says what happened.")


async def until_stopping(events: AsyncIterator[T], stopping: asyncio.Event) -> AsyncIterator[T]:
    """Whoever reads them goes on with the next start, from where they were."""
    stopped = asyncio.ensure_future(stopping.wait())
    coming = asyncio.ensure_future(anext(events, None))
    try:
        while True:
            await asyncio.wait({coming, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not coming.done() or (event := coming.result()) is None:
                return
            yield event
            coming = asyncio.ensure_future(anext(events, None))
    finally:
        stopped.cancel()
        if not coming.done():
            coming.cancel()
            with suppress(asyncio.CancelledError):
                await coming

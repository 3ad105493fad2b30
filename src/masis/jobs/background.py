"""Tasks: one that goes on while something else is done and ends with it, one that outlives its cancellation."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any


@asynccontextmanager
async def meanwhile(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def stay_alive() -> None:
    """The cancellation was of the job and has been taken note of; the task itself goes on."""
    task = asyncio.current_task()
    while task is not None and task.cancelling():
        task.uncancel()

"""Streams that end when the service does: one that goes on would keep it from stopping."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


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

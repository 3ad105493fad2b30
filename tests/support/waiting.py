"""Waiting for what happens soon."""

import asyncio
import inspect
import socket
import time
from collections.abc import Callable

SOON = 60
"""Seconds, on a machine that does much besides."""


def wait_until(has_happened: Callable[[], object]) -> None:
    deadline = time.monotonic() + SOON
    while not has_happened():
        assert time.monotonic() < deadline, "did not happen"
        time.sleep(0.01)


async def happens(has_happened: Callable[[], object]) -> None:
    """Like `wait_until`, while the event loop works on it; what it asks may have to be awaited."""
    deadline = time.monotonic() + SOON
    while True:
        found = has_happened()
        if await found if inspect.isawaitable(found) else found:
            return
        assert time.monotonic() < deadline, "did not happen"
        await asyncio.sleep(0.01)


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0

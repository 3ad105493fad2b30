"""Telling, within this process, that something of a run or in the queue has changed, so that nobody has to poll."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

QUEUE = "queue"
"""What a worker listens to."""


class Listener:
    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()

    def tell(self) -> None:
        with suppress(RuntimeError):  # its event loop was closed in the meantime
            self._loop.call_soon_threadsafe(self._changed.set)

    async def wait(self, at_most: float) -> bool:
        """Whether there was a change here; what happens in another process is found by looking again."""
        with suppress(TimeoutError):
            async with asyncio.timeout(at_most):
                await self._changed.wait()
        was_told = self._changed.is_set()
        self._changed.clear()
        return was_told


class Hub:
    """Any thread may tell, and any event loop may listen."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: dict[str, set[Listener]] = {}

    def tell(self, subject: str) -> None:
        with self._lock:
            listeners = list(self._listeners.get(subject, ()))
        for listener in listeners:
            listener.tell()

    @contextmanager
    def listening(self, subject: str) -> Iterator[Listener]:
        listener = Listener()
        with self._lock:
            self._listeners.setdefault(subject, set()).add(listener)
        try:
            yield listener
        finally:
            with self._lock:
                others = self._listeners[subject]
                others.discard(listener)
                if not others:
                    del self._listeners[subject]

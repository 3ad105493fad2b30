"""How often a key may ask: counted in memory by the one process on SQLite, in the database by all on PostgreSQL."""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

from masis.database.shared_window import Place, SharedWindow, limits_database
from masis.errors import RateLimited
from masis.settings import Settings

_SHORTEST_WAIT = 0.1


class KeyLimits(Protocol):
    async def acquire(self, key_id: str) -> None:
        """Counts a request, or raises RateLimited; one that was refused does not count."""
        ...


def key_limits_for(settings: Settings) -> KeyLimits:
    return SharedKeyLimits(settings) if settings.database_url else LocalKeyLimits(settings)


class LocalKeyLimits:
    def __init__(self, settings: Settings, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._calls = settings.key_rate_calls
        self._seconds = settings.key_rate_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._starts: dict[str, deque[float]] = {}

    async def acquire(self, key_id: str) -> None:
        with self._lock:
            now = self._clock()
            starts = self._starts.setdefault(key_id, deque())
            while starts and starts[0] + self._seconds <= now:
                starts.popleft()
            if len(starts) >= self._calls:
                raise _refusal(self._calls, self._seconds, starts[0] + self._seconds - now)
            starts.append(now)


class SharedKeyLimits:
    def __init__(self, settings: Settings) -> None:
        self._calls = settings.key_rate_calls
        self._seconds = settings.key_rate_seconds
        self._database = limits_database(settings)

    async def acquire(self, key_id: str) -> None:
        window = SharedWindow(self._database, f"key {key_id}", self._calls, self._seconds)
        answer = await asyncio.to_thread(window.take)
        if not isinstance(answer, Place):
            raise _refusal(self._calls, self._seconds, answer)


def _refusal(calls: int, seconds: float, wait: float) -> RateLimited:
    wait = max(wait, _SHORTEST_WAIT)
    return RateLimited(
        f"This key has made the {calls} requests that it may make in {seconds:g} seconds; {wait:.0f} seconds to go.",
        retry_after=wait,
    )

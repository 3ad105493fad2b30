"""At most so many model requests in any stretch of time, first come first served.

Ours: pyrate-limiter 4.5 keeps no order between event loops, waits holding a lock, and starts a thread.
"""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from types import TracebackType
from typing import Protocol

from masis.settings import Settings


class Limiter(Protocol):
    async def acquire(self) -> None:
        """Return when the next request may start."""
        ...


class Ticket:
    """A place in the queue, and the way to wake who holds it from any thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._moved_up = asyncio.Event()

    @property
    def is_waiting(self) -> bool:
        # A loop that was stopped or closed with its tasks pending never comes back for its place.
        return self._loop.is_running()

    def wake(self) -> None:
        with suppress(RuntimeError):  # the loop was closed in the meantime
            self._loop.call_soon_threadsafe(self._moved_up.set)

    async def sleep(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._moved_up.wait()
        self._moved_up.clear()


class RateLimiter:
    """Sliding window over the real starts: in no window of `seconds` are there more than `calls` of them.

    One instance may serve many threads and event loops at once. The lock guards a few list operations and is
    never held while anybody waits; a waiter that is cancelled gives its place to those behind it.
    """

    def __init__(self, calls: int, seconds: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        if calls < 1 or seconds <= 0:
            raise ValueError("a rate limit needs at least one call and a window longer than nothing")
        self._calls = calls
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._starts: deque[float] = deque()
        self._queue: list[Ticket] = []

    async def acquire(self) -> None:
        """Return when the next request may start."""
        ticket = Ticket()
        with self._lock:
            self._queue.append(ticket)
        try:
            while (wait := self._start_or_wait(ticket)) is not None:
                await ticket.sleep(wait)
        except BaseException:
            self._leave(ticket)
            raise

    async def __aenter__(self) -> None:
        await self.acquire()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing to give back: a window counts starts, not ends."""

    def _start_or_wait(self, ticket: Ticket) -> float | None:
        """None when the ticket's request starts now, else the seconds until it is worth asking again."""
        with self._lock:
            now = self._clock()
            while self._starts and self._starts[0] + self._seconds <= now:
                self._starts.popleft()
            ahead = self._places_ahead(ticket)
            free = self._calls - len(self._starts)
            if ahead < free:
                self._queue.remove(ticket)
                self._starts.append(now)
                return None
            return self._earliest_start(ahead - free, now) - now

    def _places_ahead(self, ticket: Ticket) -> int:
        return sum(other.is_waiting for other in self._queue[: self._queue.index(ticket)])

    def _earliest_start(self, place: int, now: float) -> float:
        """When the place after the free ones opens, if everybody ahead starts as early as they may."""
        window = [*self._starts, *[now] * (self._calls - len(self._starts))]
        return window[place % self._calls] + self._seconds * (1 + place // self._calls)

    def _leave(self, ticket: Ticket) -> None:
        with self._lock:
            place = self._queue.index(ticket)
            del self._queue[place]
            moved_up = self._queue[place:]
        for other in moved_up:
            other.wake()


@lru_cache(maxsize=8)
def limiter_for(settings: Settings) -> Limiter:
    """One for each configuration: whoever calls a model, the limit is the same. A database that several processes
    share counts for all of them."""
    if settings.database_url:
        from masis.reasoning.llm.shared_limiter import SharedRateLimiter

        return SharedRateLimiter(settings)
    return RateLimiter(settings.rate_limit_calls, settings.rate_limit_seconds)

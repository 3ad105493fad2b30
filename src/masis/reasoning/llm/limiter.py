"""A rate limit for model requests over a sliding window, first come, first served.

Our own, because pyrate-limiter 4.5 does not keep the order between event loops, waits while holding a lock, and starts
a thread.
"""

import asyncio
import random
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from types import TracebackType
from typing import Protocol

from masis.database import Place, SharedWindow, limits_database
from masis.errors import DatabaseUnavailable, ModelUnavailable
from masis.settings import Settings


class Limiter(Protocol):
    async def acquire(self) -> None:
        """Returns when the next request may start."""
        ...


class Ticket:
    """A place in the queue that can be woken from any thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._moved_up = asyncio.Event()

    @property
    def is_waiting(self) -> bool:
        # A loop that was stopped or closed with tasks pending never claims its place.
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
    """Limits the actual starts: no window of `seconds` contains more than `calls` of them.

    One instance may serve many threads and event loops at once. The lock guards a few list operations and is never held
    while anything waits; a cancelled waiter gives up its place to those behind it.
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
        """Returns when the next request may start."""
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
        """Releases nothing: the window counts starts, not ends."""

    def _start_or_wait(self, ticket: Ticket) -> float | None:
        """None if the request starts now, else the seconds to wait before trying again."""
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
        """When this place opens, if everyone ahead starts as early as possible."""
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
    """One limiter per configuration, shared by all callers of a model. With a shared database, the limit covers all
    processes that use it."""
    if settings.database_url:
        return SharedRateLimiter(settings)
    return RateLimiter(settings.rate_limit_calls, settings.rate_limit_seconds)


_NAME = "model requests"
_LOOK_AGAIN_SECONDS = 1.0
_GRACE_SECONDS = 0.1
_GRACE_SHARE = 0.02
"""Time between counting a request and starting it. It is added to the window, so that no actual window exceeds the
limit; it is a small share of the window, so that the limit can still be used up."""


class SharedRateLimiter:
    """A limit for several processes, counted in a database.

    Within a process it is first come, first served: only the first in the queue asks the database, and no lock is held
    while anything waits. Between processes chance decides, so that none is always last. It waits for an unreachable
    database as long as for a provider; after that, the model counts as unavailable and the run ends in human review.
    """

    def __init__(self, settings: Settings) -> None:
        calls, seconds = settings.rate_limit_calls, settings.rate_limit_seconds
        self._window = SharedWindow(limits_database(settings), _NAME, calls, seconds)
        self._grace = min(_GRACE_SECONDS, _GRACE_SHARE * seconds)
        self._patience = settings.model_retry_after_cap_seconds
        self._lock = threading.Lock()
        self._queue: list[Ticket] = []
        self._away_since: float | None = None
        self._refused: dict[Ticket, ModelUnavailable] = {}

    async def acquire(self) -> None:
        """Returns when the next request may start."""
        ticket = Ticket()
        with self._lock:
            self._queue.append(ticket)
        try:
            while (wait := await self._start_or_wait(ticket)) is not None:
                await ticket.sleep(wait)
        finally:
            self._leave(ticket)

    async def _start_or_wait(self, ticket: Ticket) -> float | None:
        """None if the request starts now, else the seconds to wait before trying again."""
        if ticket in self._refused:
            raise self._refused[ticket]
        if self._first() is not ticket:
            return _LOOK_AGAIN_SECONDS
        asked_at = time.monotonic()
        try:
            answer = await asyncio.to_thread(self._window.take, self._grace)
            wait = await self._in_time(answer) if isinstance(answer, Place) else answer
        except DatabaseUnavailable as error:
            self._require_patience(error, asked_at)
            return _LOOK_AGAIN_SECONDS
        self._away_since = None
        return None if wait is None else wait + random.uniform(0, self._grace)

    async def _in_time(self, place: Place) -> float | None:
        """Counts a request again if it would start too late because a thread or the loop was busy."""
        while (late_by := place.late_by) > 0:
            allowance = 2 * (place.grace + late_by)
            again = await asyncio.to_thread(self._window.take_again, place, allowance)
            if again is None:
                return 0.0
            place = again
        return None

    def _require_patience(self, error: DatabaseUnavailable, asked_at: float) -> None:
        if self._away_since is None:
            self._away_since = asked_at
        if time.monotonic() - self._away_since >= self._patience:
            self._refuse_all(error)
            raise _unavailable(error) from error

    def _refuse_all(self, error: DatabaseUnavailable) -> None:
        """Refuses all waiters at once: they waited for the same database, and asking one after the other would add
        up."""
        with self._lock:
            self._away_since = None
            self._refused = {ticket: _unavailable(error) for ticket in self._queue}
            waiting = list(self._queue)
        for ticket in waiting:
            ticket.wake()

    def _first(self) -> Ticket | None:
        with self._lock:
            return next((ticket for ticket in self._queue if ticket.is_waiting), None)

    def _leave(self, ticket: Ticket) -> None:
        with self._lock:
            self._queue.remove(ticket)
            self._refused.pop(ticket, None)
            if not self._queue:
                self._away_since = None  # unknown whether the database came back
        if first := self._first():
            first.wake()


def _unavailable(error: DatabaseUnavailable) -> ModelUnavailable:
    return ModelUnavailable(
        f"No model was called, because the rate limit shared by all processes could not be checked: {error}",
        advice="Restart the database at MASIS_DATABASE_URL, then ask again: nothing was lost.",
    )

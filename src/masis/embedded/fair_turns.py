"""Decides which work reads next with an embedded model: alternately the one that has read least and the one that has
waited longest.

A question to long documents reads for minutes, and others must not wait for it. As many works read at once as there are
cores, and between two readings a place goes to the work that has read least. Every second place goes to the one that
has waited longest, so that a stream of short questions does not stop a long one. Cancelled work ends at its next
reading, because a thread cannot be ended from outside.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class Work:
    seconds: float = 0.0
    """Time spent reading so far."""
    since: float = 0.0
    """When it began to wait for its turn."""
    is_over: bool = False


class GivenUp(BaseException):
    """Nobody waits for the result any more. Not an Exception, so that no handler swallows it."""


@dataclass(slots=True)
class Turns:
    places: int
    _given: int = 0
    """Number of places given so far."""
    _waiting: list[Work] = field(default_factory=list[Work])
    _changed: threading.Condition = field(default_factory=threading.Condition)

    @contextmanager
    def one(self) -> Iterator[None]:
        work = _current.get()
        if work is None:  # an ingestion or a command: nothing to be fair to
            yield
            return
        self._wait(work)
        started = time.monotonic()
        try:
            yield
        finally:
            with self._changed:
                work.seconds += time.monotonic() - started
                self.places += 1
                self._changed.notify_all()

    def _wait(self, work: Work) -> None:
        with self._changed:
            if work not in self._waiting:
                work.since = time.monotonic()
            self._waiting.append(work)
            try:
                self._changed.wait_for(lambda: work.is_over or (self.places > 0 and self._is_next(work)))
                if work.is_over:
                    raise GivenUp
                self.places -= 1
                self._given += 1
                work.since = time.monotonic()  # for its other threads that wait
            finally:
                self._waiting.remove(work)
                self._changed.notify_all()

    def _is_next(self, work: Work) -> bool:
        if self._given % 2:
            return work.since <= min(other.since for other in self._waiting)
        return work.seconds <= min(other.seconds for other in self._waiting)

    def end(self, work: Work) -> None:
        with self._changed:
            work.is_over = True
            self._changed.notify_all()


_current: ContextVar[Work | None] = ContextVar("masis_reading", default=None)


@contextmanager
def one_work(turns: Turns) -> Iterator[None]:
    """Everything read inside the block, in any thread, counts as one piece of work."""
    work = Work()
    token = _current.set(work)
    try:
        yield
    finally:
        _current.reset(token)
        turns.end(work)

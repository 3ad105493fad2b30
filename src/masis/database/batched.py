"""Combines many small calls of one event loop into a few transactions: two hundred at once share a thread, a connection
and a commit."""

import asyncio
import copy
import threading
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any, Generic, Literal, ParamSpec, TypeVar, cast
from weakref import WeakKeyDictionary

from masis.database import Connection, Database

Item = TypeVar("Item")
Result = TypeVar("Result")


BREATH = 0.01
MOST = 32
"""Rows per statement. With all rows in one, two hundred runs would work at the same moment and then all wait for their
models; statements of this size also stay far below the parameter limit of databases."""


class Lane(Generic[Item, Result]):
    """`do_all` returns a result or an error for each item, so that one failure does not affect the others."""

    def __init__(self, do_all: Callable[[list[Item]], Awaitable[Sequence[Result | Exception]]]) -> None:
        self._do_all = do_all
        self._waiting: list[tuple[Item, asyncio.Future[Result]]] = []
        self._going: asyncio.Task[None] | None = None

    async def done(self, item: Item) -> Result:
        """Every accepted item is processed, even if its task is cancelled while it waits."""
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if self._going is None or self._going.done():
            self._going = asyncio.create_task(self._empty())
        return await future

    async def rest(self) -> None:
        """Waits until nothing is in progress."""
        while self._going is not None and not self._going.done():
            await asyncio.wait([self._going])

    async def _empty(self) -> None:
        batch: list[tuple[Item, asyncio.Future[Result]]] = []
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
                outcomes = await self._do_all([item for item, _ in batch])
                for (_, future), outcome in zip(batch, outcomes, strict=True):
                    _settle(future, outcome)
                if self._waiting and len(batch) < MOST:
                    # Many arrive at once: include those that are about to.
                    await asyncio.sleep(BREATH)
        except BaseException:
            # The event loop is closing, or its threads are gone: no caller may wait forever.
            left, self._waiting = [*batch, *self._waiting], []
            for _, future in left:
                future.cancel()
            raise


def _settle(future: "asyncio.Future[Result]", outcome: Result | Exception) -> None:
    if future.done():
        return
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)


P = ParamSpec("P")
T = TypeVar("T")
Call = tuple[Callable[[list[Any]], Sequence[Any]], Any]
"""A function that handles many items at once, and one of the items."""
Mode = Literal["reading", "writing"]


def _one_by_one(calls: list[Callable[[], Any]]) -> list[Any]:
    return [call() for call in calls]


def _all_done(calls: list[Call]) -> list[Any]:
    places: dict[Callable[[list[Any]], Sequence[Any]], list[int]] = defaultdict(list)
    for place, (do_all, _) in enumerate(calls):
        places[do_all].append(place)
    outcomes: list[Any] = [None] * len(calls)
    for do_all, theirs in places.items():
        for place, outcome in zip(theirs, do_all([calls[place][1] for place in theirs]), strict=True):
            outcomes[place] = outcome
    return outcomes


class BatchedDatabase:
    """A database like any other, except that calls through `together` share a transaction. Such a call must do nothing
    but query the database, because it may be repeated alone."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._common = threading.local()
        self._lanes: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Mode, Lane[Call, Any]]] = WeakKeyDictionary()

    @property
    def row_lock(self) -> str:
        return self._database.row_lock

    @property
    def now(self) -> str:
        return self._database.now

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        common: Connection | None = getattr(self._common, "connection", None)
        if common is not None:
            yield common
            return
        with self._database.reading() as db:
            yield db

    @contextmanager
    def writing(self, lock: str | None = None) -> Iterator[Connection]:
        common: Connection | None = getattr(self._common, "connection", None)
        if common is not None and lock is None:
            yield common
            return
        with self._database.writing(lock) as db:
            yield db

    def forget_deleted(self) -> None:
        self._database.forget_deleted()

    def close(self) -> None:
        self._database.close()

    async def together(self, mode: Mode, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Runs `call(…)` in a thread, together with all calls of this event loop that wait for the same kind of
        transaction."""
        one: Callable[[], T] = partial(call, *args, **kwargs)
        return cast(T, await self.all_together(mode, _one_by_one, one))

    async def all_together(self, mode: Mode, do_all: Callable[[list[Item]], Sequence[Result]], item: Item) -> Result:
        """Like `together`, for calls that handle many items in one statement: `do_all` returns a result for each
        item."""
        lanes = self._lanes.setdefault(asyncio.get_running_loop(), {})
        if mode not in lanes:
            lanes[mode] = Lane(lambda calls: asyncio.to_thread(self._try_all, mode, calls))
        return cast(Result, await lanes[mode].done((do_all, item)))

    def _try_all(self, mode: Mode, calls: list[Call]) -> list[Any]:
        outcomes, is_there = self._try_once(mode, calls)
        if len(calls) == 1 or not is_there or not isinstance(outcomes[0], Exception):
            return outcomes
        # One of them fails: each is retried alone, so that the others succeed.
        outcomes = []
        while is_there and len(outcomes) < len(calls):
            outcome, is_there = self._try_once(mode, [calls[len(outcomes)]])
            outcomes += outcome
        # The database went down meanwhile: retrying each of the rest would take minutes.
        return outcomes + [copy.copy(outcomes[-1]) for _ in calls[len(outcomes) :]]

    def _try_once(self, mode: Mode, calls: list[Call]) -> tuple[list[Any], bool]:
        """Returns all results, or one error per item (raising modifies an error, so each gets its own), and whether the
        database was reachable."""
        has_begun = False
        try:
            with self._shared(mode):
                has_begun = True
                return _all_done(calls), True
        except Exception as error:
            return [copy.copy(error) for _ in calls] if len(calls) > 1 else [error], has_begun

    @contextmanager
    def _shared(self, mode: Mode) -> Iterator[None]:
        transaction: AbstractContextManager[Connection] = (
            self._database.reading() if mode == "reading" else self._database.writing()
        )
        with transaction as db:
            self._common.connection = db
            try:
                yield
            finally:
                self._common.connection = None

"""Many small calls of one event loop, made in few transactions.

While one batch is in a thread, what comes meanwhile waits and goes together. A call alone waits for nobody; two
hundred at once share a thread, a connection and a commit.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any, Literal, ParamSpec, TypeVar, cast
from weakref import WeakKeyDictionary

from masis.database import Connection, Database

P = ParamSpec("P")
T = TypeVar("T")
Call = Callable[[], Any]
Mode = Literal["reading", "writing"]


class BatchedDatabase:
    """A database like any other. What is called by `together` takes part in a common transaction instead of its own;
    it must do nothing but ask the database, since it may be done a second time, alone."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._common = threading.local()
        self._lanes: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Mode, _Lane]] = WeakKeyDictionary()

    @property
    def row_lock(self) -> str:
        return self._database.row_lock

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
        """`call(…)` in a thread, with whatever else of this event loop waits for the same."""
        lanes = self._lanes.setdefault(asyncio.get_running_loop(), {})
        lane = lanes.setdefault(mode, _Lane(self._try_all, mode))
        return cast(T, await lane.done(partial(call, *args, **kwargs)))

    def _try_all(self, mode: Mode, calls: list[Call]) -> list[Any]:
        has_begun = False
        try:
            with self._shared(mode):
                has_begun = True
                return [call() for call in calls]
        except Exception as error:
            if not has_begun:
                # The database is away: to find that out once for each of them would take minutes.
                return [error] * len(calls)
            # One of them has a trouble of its own: each for itself, and the others are done.
            return [error] if len(calls) == 1 else [self._try_all(mode, [call])[0] for call in calls]

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


class _Lane:
    """The calls of one event loop that wait for the next batch."""

    def __init__(self, try_all: Callable[[Mode, list[Call]], list[Any]], mode: Mode) -> None:
        self._try_all = try_all
        self._mode: Mode = mode
        self._waiting: list[tuple[Call, asyncio.Future[Any]]] = []
        self._going: asyncio.Task[None] | None = None

    async def done(self, call: Call) -> Any:
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((call, future))
        if self._going is None or self._going.done():
            self._going = asyncio.create_task(self._empty())
        return await future

    async def _empty(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            # What nobody waits for any more is still done: half a run's trail would be worse.
            outcomes = await asyncio.to_thread(self._try_all, self._mode, [call for call, _ in batch])
            for (_, future), outcome in zip(batch, outcomes, strict=True):
                _settle(future, outcome)


def _settle(future: "asyncio.Future[Any]", outcome: Any) -> None:
    if future.done():
        return
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)

"""Where many tasks of one event loop want the same kind of thing done: whatever waits goes together.

While one batch is under way, what comes meanwhile waits for the next. One that comes alone waits for nobody.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Lane(Generic[Item, Result]):
    """`do_all` gives a result or an error for each item: who fails, fails alone."""

    def __init__(self, do_all: Callable[[list[Item]], Awaitable[Sequence[Result | Exception]]]) -> None:
        self._do_all = do_all
        self._waiting: list[tuple[Item, asyncio.Future[Result]]] = []
        self._going: asyncio.Task[None] | None = None

    async def done(self, item: Item) -> Result:
        """What was given in is done, even where its task is cancelled while it waits here."""
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if self._going is None or self._going.done():
            self._going = asyncio.create_task(self._empty())
        return await future

    async def rest(self) -> None:
        """Until nothing is under way."""
        while self._going is not None and not self._going.done():
            await asyncio.wait([self._going])

    async def _empty(self) -> None:
        batch: list[tuple[Item, asyncio.Future[Result]]] = []
        try:
            while self._waiting:
                batch, self._waiting = self._waiting, []
                outcomes = await self._do_all([item for item, _ in batch])
                for (_, future), outcome in zip(batch, outcomes, strict=True):
                    _settle(future, outcome)
        except BaseException:
            # The event loop is being closed, or its threads are gone: nobody may wait for ever.
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

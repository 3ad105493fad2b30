import asyncio
from contextlib import suppress

import pytest

from masis.database.batched import Lane
from tests.support.waiting import SOON


class Counting:
    """Doubles numbers in batches; odd ones cannot be doubled."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.may_go = asyncio.Event()

    async def __call__(self, numbers: list[int]) -> list[int | Exception]:
        self.batches.append(numbers)
        await self.may_go.wait()
        return [ValueError(str(n)) if n % 2 else n * 2 for n in numbers]


async def test_what_comes_meanwhile_goes_together() -> None:
    doubling = Counting()
    lane = Lane(doubling)
    first = asyncio.create_task(lane.done(2))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    rest = [asyncio.create_task(lane.done(n)) for n in (4, 6, 8)]
    await asyncio.sleep(0)
    doubling.may_go.set()
    assert await asyncio.gather(first, *rest) == [4, 8, 12, 16]
    assert doubling.batches == [[2], [4, 6, 8]]


async def test_who_fails_fails_alone() -> None:
    doubling = Counting()
    doubling.may_go.set()
    lane = Lane(doubling)
    results = await asyncio.gather(*(lane.done(n) for n in (2, 3, 4)), return_exceptions=True)
    assert [results[0], str(results[1]), results[2]] == [4, "3", 8]


async def test_who_is_cancelled_takes_nobody_along_and_is_done_all_the_same() -> None:
    doubling = Counting()
    lane = Lane(doubling)
    tasks = [asyncio.create_task(lane.done(n)) for n in (2, 4)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    tasks[0].cancel()
    doubling.may_go.set()
    assert await tasks[1] == 8
    assert doubling.batches == [[2, 4]]
    assert tasks[0].cancelled()


async def test_what_cannot_be_done_at_all_leaves_nobody_waiting() -> None:
    async def breaks(numbers: list[int]) -> list[int | Exception]:
        await asyncio.sleep(0)
        raise SystemError("no threads left")

    lane = Lane(breaks)
    with pytest.raises(asyncio.CancelledError):
        async with asyncio.timeout(SOON):
            await lane.done(2)


def test_a_closing_event_loop_does_not_wait_for_ever() -> None:
    """Everything is cancelled at once, and what is cancelled writes down that it was."""
    ended: list[int] = []

    async def slow_at_first(numbers: list[int]) -> list[int | Exception]:
        if 2 in numbers:
            await asyncio.Event().wait()
        return list(numbers)

    async def works(lane: Lane[int, int]) -> None:
        try:
            await lane.done(2)
        finally:
            with suppress(asyncio.CancelledError):
                await lane.done(4)
            ended.append(4)

    async def main() -> None:
        lane: Lane[int, int] = Lane(slow_at_first)
        tasks = [asyncio.create_task(works(lane)) for _ in range(3)]
        await asyncio.sleep(0.01)
        assert not any(task.done() for task in tasks)

    asyncio.run(main())
    assert ended == [4, 4, 4]


async def test_resting_waits_for_what_is_under_way() -> None:
    doubling = Counting()
    lane = Lane(doubling)
    task = asyncio.create_task(lane.done(2))
    await asyncio.sleep(0)
    resting = asyncio.create_task(lane.rest())
    await asyncio.sleep(0.01)
    assert not resting.done()
    doubling.may_go.set()
    await resting
    assert await task == 4

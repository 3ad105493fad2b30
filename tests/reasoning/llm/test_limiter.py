import asyncio
import selectors
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from masis.reasoning.llm.limiter import RateLimiter
from tests.support.waiting import SOON


class _VirtualTimeLoop(asyncio.SelectorEventLoop):
    """Never waits: when nothing can run, its clock jumps to the next timer."""

    def __init__(self) -> None:
        self._now = 0.0
        super().__init__(_JumpingSelector(self))

    def time(self) -> float:
        return self._now

    def jump(self, seconds: float) -> None:
        self._now += seconds + 1e-6


class _JumpingSelector(selectors.DefaultSelector):
    def __init__(self, loop: _VirtualTimeLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout:
            self._loop.jump(timeout)
        return super().select(0)


def in_virtual_time(main: Callable[[Callable[[], float]], Coroutine[Any, Any, None]]) -> None:
    loop = _VirtualTimeLoop()
    try:
        loop.run_until_complete(main(loop.time))
    finally:
        loop.close()


def fullest_window(starts: list[float], seconds: float) -> int:
    return max(sum(start <= other < start + seconds for other in starts) for start in starts)


@settings(max_examples=30, deadline=None)
@given(
    calls=st.integers(1, 5),
    arrivals=st.lists(st.floats(0, 200), min_size=1, max_size=25),
)
def test_no_window_holds_more_than_its_calls(calls: int, arrivals: list[float]) -> None:
    starts: list[float] = []

    async def main(clock: Callable[[], float]) -> None:
        limiter = RateLimiter(calls, 60.0, clock=clock)

        async def one(delay: float) -> None:
            await asyncio.sleep(delay)
            async with limiter:
                starts.append(clock())

        await asyncio.gather(*map(one, arrivals))

    in_virtual_time(main)
    assert len(starts) == len(arrivals)
    assert fullest_window(starts, 60.0) <= calls


def test_nobody_waits_longer_than_the_window_demands() -> None:
    starts: list[float] = []

    async def main(clock: Callable[[], float]) -> None:
        limiter = RateLimiter(10, 60.0, clock=clock)

        async def one() -> None:
            await limiter.acquire()
            starts.append(clock())

        await asyncio.gather(*(one() for _ in range(25)))

    in_virtual_time(main)
    assert [round(start / 60) for start in starts] == [0] * 10 + [1] * 10 + [2] * 5


def test_first_come_first_served() -> None:
    order: list[int] = []

    async def main(clock: Callable[[], float]) -> None:
        limiter = RateLimiter(2, 10.0, clock=clock)

        async def one(number: int) -> None:
            await asyncio.sleep(number)  # arrives one by one, while others wait
            await limiter.acquire()
            order.append(number)

        await asyncio.gather(*map(one, range(12)))

    in_virtual_time(main)
    assert order == list(range(12))


def test_a_cancelled_waiter_frees_its_place() -> None:
    starts: dict[int, float] = {}

    async def main(clock: Callable[[], float]) -> None:
        limiter = RateLimiter(1, 10.0, clock=clock)

        async def one(number: int) -> None:
            await limiter.acquire()
            starts[number] = clock()

        tasks = [asyncio.create_task(one(number)) for number in range(4)]
        await asyncio.sleep(1)
        tasks[1].cancel()
        tasks[2].cancel()
        await asyncio.wait(tasks)

    in_virtual_time(main)
    assert sorted(starts) == [0, 3]
    assert starts[3] == pytest.approx(10.0, abs=0.1)


def test_a_start_that_came_late_counts_from_when_it_came() -> None:
    """A waiter whose loop was busy starts late; the one behind it must still keep the distance."""
    starts: list[float] = []

    async def main(clock: Callable[[], float]) -> None:
        limiter = RateLimiter(1, 10.0, clock=clock)
        loop = asyncio.get_running_loop()
        assert isinstance(loop, _VirtualTimeLoop)

        async def one() -> None:
            await limiter.acquire()
            starts.append(clock())

        tasks = [asyncio.create_task(one()) for _ in range(3)]
        await asyncio.sleep(9.99)
        loop.jump(5.0)  # something blocked the loop
        await asyncio.gather(*tasks)

    in_virtual_time(main)
    assert fullest_window(starts, 10.0) == 1
    assert starts[1] > 14


def test_threads_with_loops_of_their_own_share_one_limit_in_order() -> None:
    granted = threading.local()

    def clock() -> float:
        granted.at = time.monotonic()  # the last reading of a thread is the one its start was counted with
        return granted.at

    limiter = RateLimiter(3, 0.15, clock=clock)
    arrived: list[int] = []
    starts: list[tuple[float, int]] = []
    gate = threading.Lock()

    def worker(number: int) -> None:
        with asyncio.Runner() as runner:
            with gate:  # one at a time, so that the order of arrival is known
                task = runner.get_loop().create_task(limiter.acquire())
                runner.get_loop().run_until_complete(asyncio.sleep(0))
                arrived.append(number)
            runner.get_loop().run_until_complete(task)
            starts.append((granted.at, number))

    threads = [threading.Thread(target=worker, args=(number,)) for number in range(9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(starts) == 9
    assert fullest_window([at for at, _ in starts], 0.15) == 3
    # Those who may start together race for the processor; nobody is overtaken by a later window.
    ranks = {number: rank for rank, (_, number) in enumerate(sorted(starts))}
    assert all(abs(ranks[number] - place) <= 3 for place, number in enumerate(arrived))


async def test_waiting_leaves_the_event_loop_free() -> None:
    limiter = RateLimiter(1, 0.2)
    await limiter.acquire()
    waiting = asyncio.create_task(limiter.acquire())
    ticks = 0
    while not waiting.done():
        await asyncio.sleep(0.005)
        ticks += 1
    assert ticks > 2


async def test_nothing_is_locked_while_somebody_waits() -> None:
    limiter = RateLimiter(1, 0.3)
    await limiter.acquire()
    waiting = asyncio.create_task(limiter.acquire())
    await asyncio.sleep(0.01)
    assert limiter._lock.acquire(blocking=False)
    limiter._lock.release()
    waiting.cancel()
    await asyncio.wait([waiting])


async def test_a_place_held_by_a_dead_loop_is_passed_over() -> None:
    limiter = RateLimiter(1, 0.05)
    await limiter.acquire()

    def leave_a_waiter_behind() -> asyncio.Task[None]:
        loop = asyncio.new_event_loop()
        task = loop.create_task(limiter.acquire())
        loop.run_until_complete(asyncio.sleep(0.01))
        left.append(loop)
        return task

    left: list[asyncio.AbstractEventLoop] = []
    task = await asyncio.to_thread(leave_a_waiter_behind)
    async with asyncio.timeout(SOON):
        await limiter.acquire()
    task.cancel()
    await asyncio.to_thread(left[0].run_until_complete, asyncio.wait([task]))
    left[0].close()


@pytest.mark.parametrize(("calls", "seconds"), [(0, 1.0), (1, 0.0), (1, -1.0)])
def test_a_limit_that_lets_nothing_through_is_refused(calls: int, seconds: float) -> None:
    with pytest.raises(ValueError, match="rate limit"):
        RateLimiter(calls, seconds)

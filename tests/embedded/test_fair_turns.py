import asyncio
import threading
import time

import pytest

from masis.embedded.fair_turns import GivenUp, Turns, one_work
from tests.support.waiting import happens, wait_until


async def test_who_has_read_least_is_next() -> None:
    turns, order, go_on = Turns(1), list[str](), threading.Event()

    def read(name: str, times: int) -> None:
        for _ in range(times):
            with turns.one():
                order.append(name)
                go_on.wait()

    async def work(name: str, times: int) -> None:
        with one_work(turns):
            await asyncio.to_thread(read, name, times)

    long = asyncio.create_task(work("long", 3))
    await happens(lambda: order == ["long"])
    short = asyncio.create_task(work("short", 1))
    await happens(lambda: len(turns._waiting) == 1)
    go_on.set()
    await asyncio.gather(long, short)
    assert order == ["long", "short", "long", "long"]
    assert turns.places == 1


async def test_a_stream_of_short_works_does_not_stop_a_long_one() -> None:
    turns, order = Turns(1), list[str]()
    is_over = threading.Event()

    def read(name: str) -> None:
        with turns.one():
            order.append(name)
            time.sleep(0.01)

    async def long() -> None:
        with one_work(turns):
            while order.count("long") < 4:
                await asyncio.to_thread(read, "long")
        is_over.set()

    async def short_ones() -> None:
        while not is_over.is_set() and len(order) < 300:
            with one_work(turns):
                await asyncio.to_thread(read, "short")

    await asyncio.gather(long(), short_ones(), short_ones(), short_ones())
    assert len(order) < 300


async def test_work_that_was_cancelled_ends_at_its_next_reading() -> None:
    turns, ended, go_on = Turns(1), list[BaseException](), threading.Event()

    def read() -> None:
        try:
            while True:
                with turns.one():
                    go_on.wait(0.01)
        except GivenUp as error:
            ended.append(error)
            raise

    async def work() -> None:
        with one_work(turns):
            await asyncio.to_thread(read)

    task = asyncio.create_task(work())
    await happens(lambda: turns.places == 0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.to_thread(wait_until, lambda: ended)
    assert turns.places == 1


def test_what_belongs_to_no_question_waits_for_nobody() -> None:
    turns, read = Turns(0), list[str]()
    with turns.one():
        read.append("a sentence")
    assert read
    assert turns.places == 0

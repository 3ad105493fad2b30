import asyncio
import itertools
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from masis.database import Place, SharedWindow
from masis.errors import ModelUnavailable
from masis.reasoning.llm.limiter import RateLimiter, SharedRateLimiter, limiter_for
from masis.settings import Settings
from tests.support.servers import PostgresServer
from tests.support.waiting import SOON


def settings_of(url: str, calls: int, seconds: float, patience: float = 30.0) -> Settings:
    return Settings(
        database_url=url,
        rate_limit_calls=calls,
        rate_limit_seconds=seconds,
        model_retry_after_cap_seconds=patience,
    )


def shortest_stretch(starts: list[float], calls: int) -> float:
    """The least time from a start to the one that is `calls` later: a window must fit between them."""
    ordered = sorted(starts)
    return min(later - earlier for earlier, later in zip(ordered, ordered[calls:], strict=False))


HAMMER = """
import asyncio, json, sys, time
from masis.reasoning.llm.limiter import limiter_for
from masis.settings import Settings

async def main(url, calls, seconds, requests):
    limiter = limiter_for(Settings(database_url=url, rate_limit_calls=calls, rate_limit_seconds=seconds))
    starts = []
    async def one():
        await limiter.acquire()
        starts.append(time.monotonic())
    print("ready", flush=True)
    sys.stdin.readline()
    await asyncio.gather(*(one() for _ in range(requests)))
    print(json.dumps(starts))

asyncio.run(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])))
"""


def test_three_processes_keep_one_limit_and_use_it(postgres_url: str) -> None:
    calls, seconds, each = 5, 0.8, 10
    words = [sys.executable, "-c", HAMMER, postgres_url, str(calls), str(seconds), str(each)]
    hammers = [
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3])
        for _ in range(3)
    ]
    for hammer in hammers:
        assert hammer.stdout
        assert hammer.stdout.readline() == "ready\n"
    for hammer in hammers:
        assert hammer.stdin
        hammer.stdin.write("go\n")
        hammer.stdin.flush()
    # The steady clock is one for all processes of a machine.
    starts: list[float] = list(itertools.chain(*(json.loads(hammer.communicate(timeout=60)[0]) for hammer in hammers)))
    assert len(starts) == 3 * each
    assert shortest_stretch(starts, calls) >= seconds
    ideal = seconds * (3 * each / calls - 1)
    assert max(starts) - min(starts) < 1.5 * ideal


async def test_first_come_first_served_in_a_process(postgres_url: str) -> None:
    limiter = SharedRateLimiter(settings_of(postgres_url, 3, 0.2))
    order: list[int] = []

    async def one(number: int) -> None:
        await limiter.acquire()
        order.append(number)

    await asyncio.gather(*map(one, range(9)))
    assert order == list(range(9))


async def test_waiting_leaves_the_event_loop_free_and_nothing_locked(postgres_url: str) -> None:
    limiter = SharedRateLimiter(settings_of(postgres_url, 1, 0.5))
    await limiter.acquire()
    waiting = asyncio.create_task(limiter.acquire())
    ticks = 0
    while not waiting.done():
        await asyncio.sleep(0.005)
        assert limiter._lock.acquire(timeout=SOON)
        limiter._lock.release()
        ticks += 1
    assert ticks > 2


async def test_a_cancelled_waiter_frees_its_place(postgres_url: str) -> None:
    limiter = SharedRateLimiter(settings_of(postgres_url, 1, 0.4))
    await limiter.acquire()
    tasks = [asyncio.create_task(limiter.acquire()) for _ in range(4)]
    await asyncio.sleep(0.1)
    for given_up in tasks[:3]:
        given_up.cancel()
    async with asyncio.timeout(20):
        await tasks[3]
    assert not limiter._queue
    await asyncio.wait(tasks[:3])


def test_threads_with_loops_of_their_own_share_the_limit(postgres_url: str) -> None:
    limiter = SharedRateLimiter(settings_of(postgres_url, 2, 0.3))
    starts: list[float] = []

    def worker() -> None:
        asyncio.run(limiter.acquire())
        starts.append(time.monotonic())

    threads = [threading.Thread(target=worker) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(starts) == 6


async def test_who_starts_late_is_counted_late(postgres_url: str) -> None:
    """A loop that was busy between the count and the start must not make a window too full."""
    seconds = 0.5
    limiter = SharedRateLimiter(settings_of(postgres_url, 1, seconds))
    starts: list[float] = []

    async def one() -> None:
        await limiter.acquire()
        starts.append(time.monotonic())

    first = asyncio.create_task(one())
    await asyncio.sleep(0)
    asyncio.get_running_loop().call_soon(time.sleep, 0.3)  # the thread asks the database meanwhile
    await asyncio.gather(first, one())
    assert shortest_stretch(starts, 1) >= seconds


async def test_a_database_that_comes_back_in_time_is_waited_for(own_postgres_server: PostgresServer) -> None:
    limiter = SharedRateLimiter(settings_of(own_postgres_server.url, 5, 1.0))
    await limiter.acquire()
    await asyncio.to_thread(own_postgres_server.kill)
    waiting = asyncio.create_task(limiter.acquire())
    await asyncio.sleep(0.2)
    assert not waiting.done()
    await asyncio.to_thread(own_postgres_server.start)
    async with asyncio.timeout(60):
        await waiting


async def test_a_database_that_stays_away_is_a_model_that_cannot_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    take = SharedWindow.take

    def counted(window: SharedWindow, grace: float) -> Place | float:
        nonlocal asked
        asked += 1
        return take(window, grace)

    monkeypatch.setattr(SharedWindow, "take", counted)
    monkeypatch.setattr("masis.database.postgres._WAIT_SECONDS", 0.5)
    limiter = SharedRateLimiter(settings_of("postgresql://nobody:hidden@127.0.0.1:1/none", 5, 1.0, patience=0.1))
    answers = await asyncio.gather(*(limiter.acquire() for _ in range(20)), return_exceptions=True)
    assert asked == 1, "those who waited behind did not have to ask themselves"
    for answer in answers:
        assert isinstance(answer, ModelUnavailable)
        assert "hidden" not in str(answer)
    assert not limiter._queue


def test_a_limiter_is_shared_where_the_database_is(postgres_url: str, tmp_path: Path) -> None:
    assert isinstance(limiter_for(settings_of(postgres_url, 5, 1.0)), SharedRateLimiter)
    assert isinstance(limiter_for(Settings(home=tmp_path)), RateLimiter)

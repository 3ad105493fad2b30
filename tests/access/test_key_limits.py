import asyncio

import pytest

from masis.access.check import KeyLimits, LocalKeyLimits, key_limits_for
from masis.errors import RateLimited
from masis.settings import Settings


def limited(settings: Settings, calls: int, seconds: float) -> Settings:
    return Settings(
        home=settings.home, database_url=settings.database_url, key_rate_calls=calls, key_rate_seconds=seconds
    )


async def refused(limits: KeyLimits, key_id: str) -> RateLimited | None:
    try:
        await limits.acquire(key_id)
    except RateLimited as error:
        return error
    return None


async def test_each_key_has_its_own_limit(settings: Settings) -> None:
    limits = key_limits_for(limited(settings, 3, 600))
    answers = await asyncio.gather(*(refused(limits, key) for key in ["a"] * 8 + ["b"] * 2))
    assert sum(answer is None for answer in answers[:8]) == 3
    assert answers[8:] == [None, None]
    waits = [answer.retry_after for answer in answers if answer]
    assert all(0 < wait <= 600 for wait in waits)


async def test_a_refused_request_does_not_count(settings: Settings) -> None:
    limits = key_limits_for(limited(settings, 2, 0.5))
    answers = await asyncio.gather(*(refused(limits, "a") for _ in range(20)))
    assert any(answers)
    await asyncio.sleep(0.6)
    assert [await refused(limits, "a") for _ in range(2)] == [None, None]


async def test_processes_on_one_database_share_the_limit(settings: Settings) -> None:
    mine = limited(settings, 4, 600)
    first, second = key_limits_for(mine), key_limits_for(mine)
    answers = [await refused(each, "a") for each in (first, second) * 4]
    assert answers.count(None) == (4 if settings.database_url else 8)


async def test_the_window_slides() -> None:
    now = 0.0
    limits = LocalKeyLimits(Settings(key_rate_calls=2, key_rate_seconds=60), clock=lambda: now)
    await limits.acquire("a")
    now = 30.0
    await limits.acquire("a")
    now = 59.0
    with pytest.raises(RateLimited) as refusal:
        await limits.acquire("a")
    assert refusal.value.retry_after == pytest.approx(1.0)
    now = 60.0
    await limits.acquire("a")
    now = 89.0
    with pytest.raises(RateLimited):
        await limits.acquire("a")

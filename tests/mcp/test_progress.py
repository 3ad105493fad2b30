import asyncio
from typing import Any

import pytest

from masis.mcp.results import Hearer, in_words, reporting
from masis.runs.events import RunEvent

STARTED: RunEvent = {"seq": 1, "at": "", "event": "started", "agent": "critic", "attempt": 1}


def test_only_agents_at_work_are_told() -> None:
    assert in_words(STARTED) == "Critic audits every sentence (attempt 2)"
    assert in_words({**STARTED, "event": "finished"}) is None
    assert in_words({"seq": 1, "at": "", "event": "queued"}) is None


async def test_all_is_told_before_the_result_also_from_another_thread() -> None:
    told: list[Any] = []

    async def report(*progress: Any) -> None:
        await asyncio.sleep(0)
        told.append(progress)

    async def work(hear: Hearer) -> str:
        hear(STARTED)
        await asyncio.to_thread(hear, STARTED)
        return "done"

    assert await reporting(report, work) == "done"
    assert [progress[0] for progress in told] == [1, 2]


async def test_a_client_that_no_longer_listens_stops_nothing() -> None:
    async def report(*_: Any) -> None:
        raise ConnectionError

    async def work(hear: Hearer) -> str:
        hear(STARTED)
        hear(STARTED)
        return "done"

    assert await reporting(report, work) == "done"


async def test_an_error_of_the_work_comes_through() -> None:
    async def report(*_: Any) -> None: ...

    async def work(_: Hearer) -> str:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await reporting(report, work)

"""A reader sees everything once, from wherever they left off, until the run ends or waits."""

import asyncio

from masis.runs.asking import followed
from masis.runs.events import Hub, RunEvent
from masis.runs.records import Ending, NewRun
from masis.runs.run_table import News, RunTable
from masis.types import LOCAL
from tests.support.engines import asked
from tests.support.waiting import SOON, happens


def event(seq: int) -> RunEvent:
    return {"seq": seq, "at": "2026-01-01", "event": "started", "agent": "critic", "attempt": 0}


async def read(
    runs: RunTable, hub: Hub, run_id: str, after: int = -1, seen: list[RunEvent] | None = None
) -> list[RunEvent]:
    """`seen` shows how far it has come."""
    seen = [] if seen is None else seen
    async with asyncio.timeout(SOON):
        async for event in followed(runs, hub, run_id, after, 0.05):
            seen.append(event)
    return seen


async def test_what_is_written_first_then_what_comes(runs: RunTable) -> None:
    hub = Hub()
    run_id = runs.create([NewRun(asked(), LOCAL, "me")])[0].run_id
    runs.progressed([News(run_id, "me", [event(10)])])
    seen: list[RunEvent] = []
    reader = asyncio.create_task(read(runs, hub, run_id, seen=seen))
    late_reader = asyncio.create_task(read(runs, hub, run_id, after=10))
    await happens(lambda: [one["seq"] for one in seen] == [0, 10])
    runs.progressed([News(run_id, "me", [event(20)], (0, "Revenue was"))])
    hub.tell(run_id)
    await happens(lambda: "draft" in [one["event"] for one in seen])
    runs.settled([Ending(run_id, "me", "waiting", [event(27)])])  # another process would tell nobody here
    hub.tell(run_id)
    await reader
    assert [one["seq"] for one in seen if one["event"] != "draft"] == [0, 10, 20, 27]
    assert [one["data"] for one in seen if one["event"] == "draft"] == [{"text": "Revenue was"}]
    assert [one["seq"] for one in await late_reader if one["event"] != "draft"] == [20, 27]


async def test_a_run_of_another_process_is_looked_at_again(runs: RunTable) -> None:
    run_id = runs.create([NewRun(asked(), LOCAL, "me")])[0].run_id
    seen: list[RunEvent] = []
    reader = asyncio.create_task(read(runs, Hub(), run_id, seen=seen))
    await happens(lambda: seen)
    runs.settled([Ending(run_id, "me", "finished", [event(19)])])
    assert [one["seq"] for one in await reader] == [0, 19]


async def test_a_run_that_is_over_is_replayed_and_that_is_all(runs: RunTable) -> None:
    run_id = runs.create([NewRun(asked(), LOCAL, "me")])[0].run_id
    runs.settled([Ending(run_id, "me", "finished", [event(19)])])
    assert [one["seq"] for one in await read(runs, Hub(), run_id)] == [0, 19]
    assert await read(runs, Hub(), run_id, after=19) == []

"""Telling the client which agent works while a run goes on."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from masis.runs.event_log import RunEvent

T = TypeVar("T")
Hearer = Callable[[RunEvent], None]
Report = Callable[[float, float | None, str | None], Awaitable[None]]

DOES = {
    "supervisor": "decides what comes next",
    "researcher": "looks for evidence",
    "synthesizer": "writes",
    "critic": "checks every sentence against its source",
    "evaluator": "scores the answer",
}


async def reporting(report: Report, work: Callable[[Hearer], Awaitable[T]]) -> T:
    """Does the work; what it tells of itself goes out one after the other, without holding it up."""
    loop = asyncio.get_running_loop()
    messages: asyncio.Queue[str | None] = asyncio.Queue()
    telling = asyncio.create_task(_tell(report, messages))

    def hear(event: RunEvent) -> None:
        if message := in_words(event):
            loop.call_soon_threadsafe(messages.put_nowait, message)

    try:
        return await work(hear)
    finally:
        loop.call_soon(messages.put_nowait, None)
        # A client that no longer listens has no bearing on the run.
        await asyncio.gather(telling, return_exceptions=True)


def in_words(event: RunEvent) -> str | None:
    agent, attempt = event.get("agent", ""), event.get("attempt") or 0
    if event.get("event") != "started" or agent not in DOES:
        return None
    again = f" (attempt {attempt + 1})" if attempt else ""
    return f"{agent.capitalize()} {DOES[agent]}{again}"


async def _tell(report: Report, messages: "asyncio.Queue[str | None]") -> None:
    told = 0
    while (message := await messages.get()) is not None:
        told += 1
        await report(told, None, message)

"""A run as it happens, from wherever the reader left off: first what is written down, then what comes."""

from collections.abc import AsyncIterator

from masis.runs.event_log import RunEvent
from masis.runs.hub import Hub
from masis.runs.moments import now
from masis.runs.records import ENDED, RunStatus
from masis.runs.run_table import RunTable

FAR_SECONDS = 5.0
"""How long to trust that a run which told of itself before would do so again."""
STILL: frozenset[RunStatus] = ENDED | {"waiting"}
"""Nothing more happens by itself."""


async def followed(runs: RunTable, hub: Hub, run_id: str, after: int, poll_seconds: float) -> AsyncIterator[RunEvent]:
    shown, is_near = "", False
    with hub.listening(run_id) as change:
        while True:
            status, events, draft = await runs.together("reading", runs.seen, run_id, after)
            for event in events:
                after = event["seq"] if event["seq"] is not None else after
                yield event
            if status in STILL:
                return
            if draft and draft[1] != shown:
                shown = draft[1]
                yield {"seq": None, "at": now(), "event": "draft", "attempt": draft[0], "data": {"text": shown}}
            # A run that works in this process tells of itself; another process has to be looked at again and again.
            if await change.wait(poll_seconds if not is_near else FAR_SECONDS):
                is_near = True

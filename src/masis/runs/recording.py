"""Writes down what happens while a run works, in as few transactions as keep a reader up to date."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress

from masis.errors import MASISError
from masis.jobs.background import meanwhile
from masis.runs.event_log import RunEvent
from masis.runs.hub import Hub
from masis.runs.run_table import RunTable

BREATH = 0.03
"""What comes within this many seconds is written together: an agent's end and the next one's start."""
DRAFT_BREATH = 0.2
"""Text that is being written is saved so often."""

OnEvent = Callable[[RunEvent], None]


class Recorder:
    def __init__(self, runs: RunTable, hub: Hub, run_id: str, owner: str, on_event: OnEvent | None) -> None:
        self._runs = runs
        self._hub = hub
        self._run_id = run_id
        self._owner = owner
        self._on_event = on_event
        self._unwritten: list[RunEvent] = []
        self._draft = (0, "")
        self._draft_is_written = True
        self._something = asyncio.Event()

    def add(self, event: RunEvent) -> None:
        self._unwritten.append(event)
        self._something.set()
        if self._on_event:
            self._on_event(event)

    def hear(self, attempt: int, piece: str) -> None:
        """A piece of the text that is being written."""
        known, text = self._draft
        self._draft = (attempt, text + piece if attempt == known else piece)
        self._draft_is_written = False
        self._something.set()

    def writing(self) -> AbstractAsyncContextManager[None]:
        return meanwhile(self._keep_writing())

    def take_unwritten(self) -> list[RunEvent]:
        """For the transaction that ends the run."""
        left, self._unwritten = self._unwritten, []
        return left

    async def _keep_writing(self) -> None:
        while True:
            await self._something.wait()
            await asyncio.sleep(BREATH if self._unwritten else DRAFT_BREATH)
            self._something.clear()
            await self._write()

    async def _write(self) -> None:
        events, draft = list(self._unwritten), None if self._draft_is_written else self._draft
        self._draft_is_written = True
        with suppress(MASISError):  # they stay, and go with the next
            # Shielded: what is half way into the database is not forgotten when the run ends just now.
            await asyncio.shield(self._written(events, draft))

    async def _written(self, events: list[RunEvent], draft: tuple[int, str] | None) -> None:
        await self._runs.together("writing", self._runs.progressed, self._run_id, self._owner, events, draft)
        self._unwritten = [event for event in self._unwritten if event not in events]
        self._hub.tell(self._run_id)

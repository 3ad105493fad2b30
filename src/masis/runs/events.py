"""The events of a run: stored in order, and announced within this process."""

import asyncio
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, NotRequired, TypedDict

from masis.database import Connection, Database
from masis.orchestrator.trail import TraceEntry

QUEUE = "queue"
"""The subject that workers listen to."""


class Listener:
    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()

    def tell(self) -> None:
        with suppress(RuntimeError):  # its event loop may be closed by now
            self._loop.call_soon_threadsafe(self._changed.set)

    async def wait(self, at_most: float) -> bool:
        """Whether this process announced a change. Changes made by other processes are not announced."""
        with suppress(TimeoutError):
            async with asyncio.timeout(at_most):
                await self._changed.wait()
        was_told = self._changed.is_set()
        self._changed.clear()
        return was_told


class Hub:
    """Announces changes from any thread to listeners in any event loop."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: dict[str, set[Listener]] = {}

    def tell(self, subject: str) -> None:
        with self._lock:
            listeners = list(self._listeners.get(subject, ()))
        for listener in listeners:
            listener.tell()

    @contextmanager
    def listening(self, subject: str) -> Iterator[Listener]:
        listener = Listener()
        with self._lock:
            self._listeners.setdefault(subject, set()).add(listener)
        try:
            yield listener
        finally:
            with self._lock:
                others = self._listeners[subject]
                others.discard(listener)
                if not others:
                    del self._listeners[subject]


EventKind = Literal["queued", "started", "finished", "waiting", "answered", "ended", "cancelled", "failed", "draft"]

NUMBERS_A_STEP = 10
RANK: dict[EventKind, int] = {"started": 0, "finished": 5, "waiting": 7, "ended": 9}
"""The order of events within a step. Events from outside the graph (an answer, a failure) come after the last one."""


class RunEvent(TypedDict):
    seq: int | None
    """None for a draft, which is shown but not stored."""
    at: str
    event: EventKind
    agent: NotRequired[str]
    attempt: NotRequired[int]
    trace: NotRequired[TraceEntry | None]
    data: NotRequired[dict[str, Any]]


def number_of(step: int, kind: EventKind) -> int:
    return step * NUMBERS_A_STEP + RANK[kind]


class EventLog:
    def __init__(self, database: Database) -> None:
        self._database = database

    def append(self, db: Connection, run_id: str, events: Sequence[RunEvent]) -> None:
        self.append_all(db, [(run_id, event) for event in events])

    def append_all(self, db: Connection, events: Sequence[tuple[str, RunEvent]]) -> None:
        # The last event for each number: one statement must not write to a row twice.
        rows = {(run_id, event["seq"]): json.dumps(event, default=str) for run_id, event in events}
        if not rows:
            return
        db.execute(
            f"INSERT INTO run_events VALUES {', '.join(['(?, ?, ?)'] * len(rows))}"
            " ON CONFLICT (run_id, seq) DO UPDATE SET data = excluded.data",
            [value for key, data in rows.items() for value in (*key, data)],
        )

    def after(self, run_id: str, seq: int) -> list[RunEvent]:
        with self._database.reading() as db:
            rows = db.execute("SELECT data FROM run_events WHERE run_id = ? AND seq > ? ORDER BY seq", (run_id, seq))
            return [json.loads(row[0]) for row in rows.fetchall()]

    def add_next(self, db: Connection, run_id: str, kind: EventKind, data: dict[str, Any] | None = None) -> None:
        event: RunEvent = {"seq": self.last_seq(db, run_id) + 1, "at": now(), "event": kind}
        self.append(db, run_id, [event if data is None else {**event, "data": data}])

    def last_seq(self, db: Connection, run_id: str) -> int:
        row = db.execute("SELECT MAX(seq) FROM run_events WHERE run_id = ?", (run_id,)).fetchone()
        return -1 if row is None or row[0] is None else int(row[0])


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def days_ago(days: float) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="milliseconds")

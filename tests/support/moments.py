"""The moments of a run at which a process may die: before and after everything that it does or writes.

Only for a process that is made to be killed: it changes the classes it watches, and nothing changes them back.
"""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from langgraph.config import get_config

from masis.jobs.worker import Lease
from masis.runs import execution
from masis.runs.execution import Execution, Recorder

RUN: ContextVar[str] = ContextVar("run", default="")


@dataclass
class Moments:
    stop_at: dict[str, list[Any]] = field(default_factory=dict)
    """At which of its moments each run stands still, by name and how many of that name; once all runs do, the process
    dies."""
    die_at: int | None = None
    """At which moment, of all runs together, the process dies at once, with whatever it was just writing."""
    passed: dict[str, list[str]] = field(default_factory=dict)
    stopped: dict[str, str] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)

    async def pass_by(self, what: str) -> None:
        run_id = RUN.get()
        name = f"{_agent()} {what}".strip()
        seen = self.passed.setdefault(run_id, [])
        seen.append(name)
        if self.die_at is not None and sum(map(len, self.passed.values())) >= self.die_at:
            die()
        if [name, seen.count(name)] == self.stop_at.get(run_id):
            self.stopped[run_id] = name
        if run_id in self.stopped:
            await asyncio.Event().wait()

    @property
    def all_stand_still(self) -> bool:
        return bool(self.stop_at) and set(self.stop_at) <= set(self.stopped) | self.ended


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def watch(moments: Moments) -> None:
    execution.MAX_DEATHS = 10_000  # many kills in a row are the point here
    _watch_saver(moments)
    check, written = Lease.check, Recorder._written
    Lease.check = _around(moments, check, "lease check", after=False)  # type: ignore[method-assign]
    Recorder._written = _around(moments, written, "events")  # type: ignore[method-assign]
    settled, advance = Execution._settled, Execution.advance
    Execution._settled = _around(moments, settled, "settling")  # type: ignore[method-assign]

    async def known(self: Execution, lease: Lease, *given: Any) -> Any:
        RUN.set(lease.job.subject)
        result = await advance(self, lease, *given)
        moments.ended.add(lease.job.subject)
        return result

    Execution.advance = known  # type: ignore[method-assign]


def _watch_saver(moments: Moments) -> None:
    from masis.runs.checkpoints import LeanSqliteSaver
    from masis.runs.postgres_saver import LeanPostgresSaver

    for saver in (LeanSqliteSaver, LeanPostgresSaver):
        for name in ("aput", "aput_writes"):
            setattr(saver, name, _around(moments, getattr(saver, name), name))


def _around(moments: Moments, method: Callable[..., Awaitable[Any]], what: str, *, after: bool = True) -> Any:
    async def watched(*args: Any, **kwargs: Any) -> Any:
        await moments.pass_by(what)
        result = await method(*args, **kwargs)
        if after:
            await moments.pass_by(f"{what} done")
        return result

    return watched


def _agent() -> str:
    try:
        return str(get_config()["metadata"].get("langgraph_node", ""))
    except RuntimeError:
        return ""

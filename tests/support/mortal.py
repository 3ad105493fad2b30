"""Processes that work on runs until they are done, or until they are killed.

To import what a run needs takes longer than the run: one process does so and makes a child for each order. What is
killed is the child, and what it held in memory is gone.
"""

import asyncio
import gc
import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from masis.client import Masis
from masis.errors import MASISError
from masis.orchestrator.services import Services
from masis.settings import Settings
from tests.support.engines import masis_with
from tests.support.moments import Moments, die, watch
from tests.support.play import Play


@dataclass(frozen=True)
class Order:
    settings: dict[str, Any]
    """Of MASIS."""
    stop_at: dict[str, list[Any]] = field(default_factory=dict)
    die_at: int | None = None
    ask: str | None = None
    """A question that is asked here and now, instead of working on the queue."""


@dataclass(frozen=True)
class End:
    was_killed: bool
    passed: dict[str, list[str]]
    """The moments of each run, as far as the child could tell."""
    stopped: dict[str, str]


class Mortals:
    """Gives orders."""

    def __init__(self, folder: Path) -> None:
        self._report = folder / "report.json"
        self._mother = subprocess.Popen(
            [sys.executable, "-m", "tests.support.mortal", str(self._report)],
            cwd=Path(__file__).parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def send(self, order: Order) -> int:
        """The process id of the child that obeys."""
        assert self._mother.stdin is not None
        self._report.unlink(missing_ok=True)
        self._mother.stdin.write(json.dumps(asdict(order)) + "\n")
        self._mother.stdin.flush()
        return int(self._line())

    def wait(self) -> End:
        status = int(self._line())
        assert status in (0, -9), f"the child ended with {status}"
        told = json.loads(self._report.read_text()) if self._report.exists() else {"passed": {}, "stopped": {}}
        return End(status == -9, **told)

    def obey(self, order: Order) -> End:
        self.send(order)
        return self.wait()

    def close(self) -> None:
        assert self._mother.stdin is not None
        assert self._mother.stdout is not None
        self._mother.stdin.close()
        self._mother.wait(30)
        self._mother.stdout.close()

    def _line(self) -> str:
        assert self._mother.stdout is not None
        line = self._mother.stdout.readline()
        assert line, "the mother of the processes is gone"
        return line


def _main(report: Path) -> None:
    gc.freeze()  # or the first collection of each child copies the memory it has in common with its mother
    for line in sys.stdin:
        order = Order(**json.loads(line))
        child = os.fork()
        if child == 0:
            _obey(order, report)
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _obey(order: Order, report: Path) -> None:
    status = 1
    try:
        asyncio.run(_live(order, report))
        status = 0
    finally:
        os._exit(status)


async def _live(order: Order, report: Path) -> None:
    settings = Settings(**order.settings)
    moments = Moments(order.stop_at, order.die_at)
    watch(moments)
    play = Play(settings, moments.pass_by).services
    masis = masis_with(_with_models(play) if settings.uses_models else play)
    if order.ask:
        await masis.aask(order.ask, "w", max_retries=1)
    else:
        await _work(masis, moments, report)
    _tell(moments, report)


async def _work(masis: Masis, moments: Moments, report: Path) -> None:
    async with masis.working():
        while await _is_something_open(masis):
            if moments.all_stand_still:
                _tell(moments, report)
                die()
            await asyncio.sleep(0.02)


async def _is_something_open(masis: Masis) -> bool:
    try:
        return bool(await asyncio.to_thread(masis.job_counts))
    except MASISError:
        return True


def _with_models(services: Services) -> Services:
    from masis.reasoning.engines import engines_for

    writer, auditor, judge = engines_for(services.settings)
    return replace(services, writer=writer, auditor=auditor, judge=judge)


def _tell(moments: Moments, report: Path) -> None:
    report.write_text(json.dumps({"passed": moments.passed, "stopped": moments.stopped}))


if __name__ == "__main__":
    _main(Path(sys.argv[1]))

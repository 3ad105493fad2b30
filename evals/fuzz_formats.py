"""`python -m evals.fuzz_formats --count 10000 --seed 1`: sends damaged files through the sandbox; none may do harm.

Every file must be read or refused in words; the parent process must not crash, hang or grow.
"""

import argparse
import os
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from evals.mutating import NamedFile, mutated
from evals.tables import shared_data
from masis.errors import UnreadableFile
from masis.settings import Settings
from masis.sources.sandbox.pool import Sandbox

EXAMPLES = Path(__file__).parent.parent / "examples"
MAX_GROWTH_MB = 50
_WARM_UP = 200
_REPORT_EVERY = 500
_LIMITS = Settings(parse_seconds=30)


@dataclass(slots=True)
class Tally:
    outcomes: Counter[str] = field(default_factory=Counter[str])
    unexpected: list[str] = field(default_factory=list[str])
    slowest: tuple[float, int, str] = (0.0, 0, "")
    memory_mb: list[float] = field(default_factory=list[float])
    """Memory of the parent, after the warm-up and then at intervals."""

    @property
    def growth_mb(self) -> float:
        return max(self.memory_mb[1:], default=0.0) - self.memory_mb[0] if self.memory_mb else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.fuzz_formats", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    tally = run(good_files(), given.count, given.seed, is_reporting=True)
    print(dict(tally.outcomes))
    print(f"slowest: {tally.slowest}")
    print(f"memory of the parent: {tally.memory_mb[0]:.0f} MB, then {tally.memory_mb[-1]:.0f} MB")
    for line in tally.unexpected:
        print(line)
    if tally.unexpected or tally.growth_mb > MAX_GROWTH_MB:
        sys.exit("the sandbox did not hold")


def good_files() -> list[NamedFile]:
    folder = shared_data("formats")
    paths = sorted((folder / "good").iterdir()) if folder else sorted(EXAMPLES.rglob("*.*"))
    return [(path.name, path.read_bytes()) for path in paths if path.is_file() and path.stat().st_size]


def run(files: Sequence[NamedFile], count: int, seed: int, *, is_reporting: bool = False) -> Tally:
    tally = Tally()
    sandbox = Sandbox(_LIMITS)
    for number, (name, outcome, seconds) in enumerate(_outcomes(sandbox, files, count, seed)):
        tally.outcomes[outcome.partition(":")[0]] += 1
        tally.slowest = max(tally.slowest, (round(seconds, 2), number, name))
        if outcome.startswith("unexpected"):
            tally.unexpected.append(f"{outcome} (file {number} of seed {seed}, {name})")
        if number % _REPORT_EVERY == _WARM_UP:
            tally.memory_mb.append(_memory_mb())
            if is_reporting:
                print(f"{number}: {dict(tally.outcomes)}, {tally.memory_mb[-1]:.0f} MB", flush=True)
    tally.memory_mb.append(_memory_mb())
    sandbox.close()
    return tally


def _outcomes(sandbox: Sandbox, files: Sequence[NamedFile], count: int, seed: int) -> Iterator[tuple[str, str, float]]:
    """In order, a few at a time: waiting for each one would leave cores idle."""
    places = 2 * (os.cpu_count() or 1)
    waiting: deque[tuple[str, Future[tuple[str, float]]]] = deque()
    with ThreadPoolExecutor(places) as threads:
        for name, data in mutated(files, count, seed):
            waiting.append((name, threads.submit(_outcome, sandbox, data, name)))
            if len(waiting) >= places:
                done_name, done = waiting.popleft()
                yield done_name, *done.result()
        for done_name, done in waiting:
            yield done_name, *done.result()


def _outcome(sandbox: Sandbox, data: bytes, name: str) -> tuple[str, float]:
    began = time.perf_counter()
    try:
        sandbox.parse(data, name).text.encode()
        outcome = "read"
    except UnreadableFile as refused:
        outcome = _kind_of(refused, name)
    except Exception as error:  # this must not happen, so it is counted
        outcome = f"unexpected: {error!r}"
    return outcome, time.perf_counter() - began


def _kind_of(refused: UnreadableFile, name: str) -> str:
    if name not in str(refused) or not refused.advice:
        return f"unexpected: {refused}"
    if "was not read" in str(refused):
        return f"unexpected: {refused}"
    return "ended by a limit or a crash of its process" if "limits of memory and time" in str(refused) else "refused"


def _memory_mb() -> float:
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6 if status.exists() else 0.0


if __name__ == "__main__":
    main()

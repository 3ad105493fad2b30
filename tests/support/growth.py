"""Whether the time something takes grows with the length of its input, and not with its square."""

import time
from collections.abc import Callable

TIMES = 8
MOST = 28
"""Eight times the input may take eight times as long, with room for a busy machine; a square would take 64 times."""
SHORTEST = 0.002
"""CPU seconds: below, what is measured is mostly the clock."""


def growth(run: Callable[[str], object], unit: str, characters: int = 400) -> float:
    """How many times as long eight times the text takes, in CPU time of this thread."""
    while True:
        count = max(1, characters // len(unit))
        short = _seconds(run, unit, count)
        if short >= SHORTEST or characters > 200_000:
            return _seconds(run, unit, TIMES * count) / max(short, SHORTEST)
        characters *= 2


def _seconds(run: Callable[[str], object], unit: str, count: int) -> float:
    found = []
    for extra in range(2):  # another text each time: results may be cached
        text = unit * (count + extra)
        started = time.thread_time()
        run(text)
        found.append(time.thread_time() - started)
    return min(found)

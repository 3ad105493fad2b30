"""Columns of text in the order they are read: where a page, or a part of it, is set in two or more."""

from collections.abc import Sequence
from dataclasses import dataclass

from masis.sources.pdf.lines import Line, lines_of
from masis.sources.pdf.words import Word

_LEAST_LINES = 5
_STEP = 3.0
_MARGIN = 2.5
_PROSE_WORDS = 3
_PROSE_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class Region:
    """Lines that are read from top to bottom, and the edges between which they were set."""

    lines: list[Line]
    left: float
    right: float


def regions_of(words: Sequence[Word], depth: int = 0) -> list[Region]:
    lines = lines_of(words)
    if not lines:
        return []
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    found = _best_gutter(lines, left, right) if depth < 3 else None
    if found is None:
        return [Region(lines, left, right)]
    gutter, first, last = found
    above, inside, below = lines[:first], lines[first : last + 1], lines[last + 1 :]
    regions = regions_of([word for line in above for word in line.words], depth + 1) if above else []
    for is_left in (True, False):
        regions += regions_of([w for line in inside for w in line.words if (w.centre < gutter) == is_left], depth + 1)
    return regions + (regions_of([word for line in below for word in line.words], depth) if below else [])


def _best_gutter(lines: Sequence[Line], left: float, right: float) -> tuple[float, int, int] | None:
    """A strip that words keep clear of over many lines, with running text on both of its sides."""
    if sum(_has_prose_beside_a_gap(line) for line in lines) < _LEAST_LINES:
        return None
    best: tuple[int, float, int, int] | None = None
    place = left + 0.15 * (right - left)
    while place < right - 0.15 * (right - left):
        for first, last, both in _clear_runs(lines, place):
            if both >= _LEAST_LINES and (best is None or both > best[0]) and _is_prose(lines[first : last + 1], place):
                best = (both, place, first, last)
        place += _STEP
    return best[1:] if best else None


def _has_prose_beside_a_gap(line: Line) -> bool:
    long = [f for f in line.fragments if len(f.words) >= _PROSE_WORDS and not f.is_figure]
    return len(long) >= 2


def _clear_runs(lines: Sequence[Line], place: float) -> list[tuple[int, int, int]]:
    """Runs of lines that leave the place clear: first, last, and how many have words on both sides."""
    runs: list[tuple[int, int, int]] = []
    first, both = 0, 0
    for index, line in enumerate(lines):
        if any(word.left < place + _MARGIN and word.right > place - _MARGIN for word in line.words):
            runs.append((first, index - 1, both))
            first, both = index + 1, 0
        else:
            both += line.left < place < line.right
    runs.append((first, len(lines) - 1, both))
    return [run for run in runs if run[1] >= run[0]]


def _is_prose(lines: Sequence[Line], place: float) -> bool:
    for is_left in (True, False):
        sides = [[w for w in line.words if (w.centre < place) == is_left] for line in lines]
        filled = [side for side in sides if side]
        wordy = sum(_is_wordy(side) for side in filled)
        if wordy < max(_LEAST_LINES - 1, _PROSE_SHARE * len(filled)):
            return False
    return True


def _is_wordy(words: Sequence[Word]) -> bool:
    letters = sum(any(map(str.isalpha, word.text)) for word in words)
    return letters >= _PROSE_WORDS and letters >= 0.6 * len(words)

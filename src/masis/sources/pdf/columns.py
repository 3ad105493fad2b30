"""Columns of text in the order they are read: where a page, or a part of it, is set in two or more."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from masis.sources.pdf.lines import Line, is_wordy, joined, lines_of
from masis.sources.pdf.page_words import Word

_LEAST_LINES = 4
_STEP = 4.0
_MOST_GAPS = 12
_MOST_SHORT = 2
_MARGIN = 2.5
_PROSE_SHARE = 0.6
_UNEVEN_SHARE = 0.6
_UNEVEN = 0.12
"""Of the smaller of two sizes."""


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
    beside = [line for line in lines if _has_prose_beside_a_gap(line)]
    if len(beside) < _LEAST_LINES:
        return _uneven_gutter(lines, left, right)
    best: tuple[int, float, int, int] | None = None
    for place in _gaps(beside, left, right):
        for first, last, both in (_trimmed(lines, place, *run) for run in _clear_runs(lines, place)):
            if both >= _LEAST_LINES and (best is None or both > best[0]) and _is_prose(lines[first : last + 1], place):
                best = (both, place, first, last)
    return best[1:] if best else _uneven_gutter(lines, left, right)


def _uneven_gutter(lines: Sequence[Line], left: float, right: float) -> tuple[float, int, int] | None:
    """A strip with text on both sides whose lines are not level with each other, as rows of a table would be."""
    uneven = [line for line in lines if any(_is_uneven(a.words, b.words) for a, b in pairwise(line.fragments))]
    if len(uneven) < _LEAST_LINES:
        return None
    best: tuple[int, float, int, int] | None = None
    for place in _gaps(uneven, left, right):
        for first, last, _ in _clear_runs(lines, place, is_table_cut=False):
            both = [sides for sides in (_sides(line, place) for line in lines[first : last + 1]) if all(sides)]
            count = sum(_is_uneven(*sides) for sides in both)
            is_enough = count >= max(_LEAST_LINES, _UNEVEN_SHARE * len(both)) and (best is None or count > best[0])
            if is_enough and not any(_is_figured(sides) for sides in both):
                best = (count, place, first, last)
    return best[1:] if best else None


def _is_uneven(left: Sequence[Word], right: Sequence[Word]) -> bool:
    one, other = left[-1], right[0]
    size = min(one.size, other.size)
    return abs(one.bottom - other.bottom) > _UNEVEN * size and abs(one.middle - other.middle) > _UNEVEN * size


def _gaps(lines: Sequence[Line], left: float, right: float) -> list[float]:
    """The middles of gaps between running text, those that most lines share."""
    edge = 0.15 * (right - left)
    places = Counter(
        round((before.right + after.left) / 2 / _STEP) * _STEP
        for line in lines
        for before, after in pairwise(line.fragments)
    )
    return [place for place, _ in places.most_common(_MOST_GAPS) if left + edge < place < right - edge]


def _has_prose_beside_a_gap(line: Line) -> bool:
    return sum(is_wordy(fragment.words) for fragment in line.fragments) >= 2


def _clear_runs(lines: Sequence[Line], place: float, *, is_table_cut: bool = True) -> list[tuple[int, int, int]]:
    """Runs of lines that leave the place clear: first, last, and how many have words on both sides."""
    runs: list[tuple[int, int, int]] = []
    first, both = 0, 0
    rows = [is_table_cut and _is_row(line, place) for line in lines]
    for index, line in enumerate(lines):
        is_table = rows[index] and (any(rows[max(index - 1, 0) : index]) or any(rows[index + 1 : index + 2]))
        if is_table or any(w.left < place + _MARGIN and w.right > place - _MARGIN for w in line.words):
            runs.append((first, index - 1, both))
            first, both = index + 1, 0
        else:
            both += line.left < place < line.right
    runs.append((first, len(lines) - 1, both))
    return [run for run in runs if run[1] >= run[0]]


def _is_row(line: Line, place: float) -> bool:
    """Words on both sides, and running text on none, or figures alone on one."""
    return line.left < place < line.right and not _is_of_columns(line, place)


def _trimmed(lines: Sequence[Line], place: float, first: int, last: int, both: int) -> tuple[int, int, int]:
    """Without rows of a table that the strip happens to pass between, above and below the text."""
    start, stop = first, last
    while first <= last and not _has_prose_beside_a_gap(lines[first]):
        first += 1
    while first <= last and not _has_prose_beside_a_gap(lines[last]):
        last -= 1
    if last < first:
        return first, last, 0
    # One column may be longer than the other, or have headings between its text.
    first = _reached(lines, place, range(first - 1, start - 1, -1), first)
    return first, _reached(lines, place, range(last + 1, stop + 1), last), both


def _reached(lines: Sequence[Line], place: float, numbers: range, last: int) -> int:
    """The furthest line of the columns, over short lines that stand on one side only."""
    short = 0
    for number in numbers:
        if _is_of_columns(lines[number], place):
            last, short = number, 0
        elif all(_sides(lines[number], place)) or short == _MOST_SHORT:
            break
        else:
            short += 1
    return last


def _is_of_columns(line: Line, place: float) -> bool:
    sides = _sides(line, place)
    return any(is_wordy(side, 4) for side in sides) and not _is_figured(sides)


def _is_figured(sides: tuple[Sequence[Word], Sequence[Word]]) -> bool:
    return any(side and not any(map(str.isalpha, joined(side))) for side in sides)


def _sides(line: Line, place: float) -> tuple[list[Word], list[Word]]:
    return [word for word in line.words if word.centre < place], [word for word in line.words if word.centre >= place]


def _is_prose(lines: Sequence[Line], place: float) -> bool:
    for is_left in (True, False):
        sides = [[w for w in line.words if (w.centre < place) == is_left] for line in lines]
        filled = [side for side in sides if side]
        wordy = sum(is_wordy(side) for side in filled)
        if wordy < max(_LEAST_LINES - 1, _PROSE_SHARE * len(filled)):
            return False
    return True

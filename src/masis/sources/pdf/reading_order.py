"""The reading order of a page, or part of a page, with two or more columns."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from masis.sources.pdf.lines import Line, is_wordy, joined, lines_of
from masis.sources.pdf.page_words import Word

_LEAST_LINES = 4
_STEP = 4.0
_MOST_GAPS = 12
_MOST_SHORT = 2
_MARGIN = 2.5
_LEAST_RUN, _FULL_SHARE = 3, 0.6
_WORDY, _LEAST_WORDY = 0.4, 0.25
"""Share of words of running text, in a run of lines and in a whole column."""
_DEEPEST = 3
_NEAR, _ROWS_APART, _TOO_CLOSE = 2.5, 0.5, 0.12
"""Factors of the type size: distance between parts of a column, between lines of one part, and up to which lines are
too close to be below each other."""
_UNEVEN_SHARE = 0.6
_UNEVEN = 0.12
"""Factor of the smaller of two type sizes."""


@dataclass(frozen=True, slots=True)
class Region:
    """Lines that are read from top to bottom, and the edges they are set between."""

    lines: list[Line]
    left: float
    right: float


class _Run(NamedTuple):
    """Lines set in two columns. Of two runs, the better one has more running text, or is further left."""

    flowing: int
    left: float
    first: int
    last: int
    edge: float
    """Where the left column ends."""

    @property
    def place(self) -> float:
        return -self.left


def regions_of(words: Sequence[Word], depth: int = 0) -> list[Region]:
    lines = lines_of(words)
    if not lines:
        return []
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    found = (_text_gutter(lines, depth) or _uneven_gutter(lines, left, right)) if depth < _DEEPEST else None
    if found is None:
        return [Region(lines, left, right)]
    gutter, first, last = found
    above, inside, below = lines[:first], lines[first : last + 1], lines[last + 1 :]
    regions = regions_of([word for line in above for word in line.words], depth + 1) if above else []
    for is_left in (True, False):
        regions += regions_of([w for line in inside for w in line.words if (w.centre < gutter) == is_left], depth + 1)
    return regions + (regions_of([word for line in below for word in line.words], depth) if below else [])


def _text_gutter(lines: Sequence[Line], depth: int) -> tuple[float, int, int] | None:
    """A strip without words over many lines, with running text on both sides."""
    best: _Run | None = None
    for place in _starts(lines):
        for first, last, _ in _clear_runs(lines, place):
            if last - first >= _LEAST_RUN and (run := _flowing_run(lines, place, first, last, depth)):
                best = max(best or run, run)
    if best is None:
        return None
    # Lists are indented, so the gutter begins where the left column ends.
    place = best.edge + _MARGIN + 1
    runs = [
        _flowing_run(lines, place, first, last, depth)
        for first, last, _ in _clear_runs(lines, place)
        if first <= best.first <= last
    ]
    best = max([best, *(run for run in runs if run)], key=lambda run: (run.flowing, -run.first))
    return best.place, best.first, best.last


def _starts(lines: Sequence[Line]) -> list[float]:
    """Places just left of where most lines, or pieces of lines, begin."""
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    edge = 0.15 * (right - left)
    counts = Counter(round(fragment.left) for line in lines for fragment in line.fragments)
    found = [(count, start) for start, count in counts.items() if count >= _LEAST_RUN]
    return [start - _MARGIN - 1 for _, start in sorted(found, reverse=True) if left + edge < start < right - edge][
        :_MOST_GAPS
    ]


def _flowing_run(lines: Sequence[Line], place: float, first: int, last: int, depth: int) -> _Run | None:
    inside = [word for line in lines[first : last + 1] for word in line.words]
    halves = [word for word in inside if word.centre < place], [word for word in inside if word.centre >= place]
    if not all(is_wordy(half, share=_LEAST_WORDY) for half in halves):
        return None
    sides = [_flowing(lines_of(half), depth) for half in halves]
    if min(map(len, sides)) < _LEAST_RUN or not _are_beside(*sides):
        return None
    flowing = {id(word) for side in sides for line in side for word in line.words}
    numbers = [n for n in range(first, last + 1) if any(id(word) in flowing for word in lines[n].words)]
    inside = [word for line in lines[numbers[0] : numbers[-1] + 1] for word in line.words]
    edges = max(w.right for w in inside if w.centre < place), min(w.left for w in inside if w.centre >= place)
    top = _reached(lines, place, edges, range(numbers[0] - 1, first - 1, -1), numbers[0])
    bottom = _reached(lines, place, edges, range(numbers[-1] + 1, last + 1), numbers[-1])
    bottom = _with_end(lines, place, edges[0], bottom, last)
    return _Run(len(sides[0]) + len(sides[1]), -place, top, bottom, edges[0])


def _are_beside(left: Sequence[Line], right: Sequence[Line]) -> bool:
    top, bottom = max(left[0].top, right[0].top), min(left[-1].bottom, right[-1].bottom)
    return bottom - top > 2 * left[0].size


def _flowing(lines: Sequence[Line], depth: int) -> list[Line]:
    """Lines of running text: three or more under each other, each as full as the next word allows."""
    runs: list[list[Line]] = []
    for line in lines:
        if len(line.fragments) > 1 + line.is_item:
            continue
        if runs and _is_set_under(runs[-1][-1], line):
            runs[-1].append(line)
        else:
            runs.append([line])
    found = [line for run in runs if _is_running(run) for line in run]
    if found or depth + 1 >= _DEEPEST or not is_wordy([w for line in lines for w in line.words], share=_WORDY):
        return found
    if inner := _text_gutter(lines, depth + 1):
        # There are two more columns on this side.
        words = [word for line in lines[inner[1] : inner[2] + 1] for word in line.words]
        for is_left in (True, False):
            found += _flowing(lines_of(w for w in words if (w.centre < inner[0]) == is_left), depth + 1)
    return sorted(found, key=lambda line: line.top)


def _is_set_under(above: Line, line: Line) -> bool:
    is_near = 0 < line.top - above.top < 2.2 * above.size
    is_alike = abs(line.size - above.size) < 0.45 and line.is_bold == above.is_bold
    return is_near and is_alike and abs(line.left - above.left) < 3 * line.size


def _is_running(run: Sequence[Line]) -> bool:
    if len(run) < _LEAST_RUN or not is_wordy([word for line in run for word in line.words], share=_WORDY):
        return False
    edge = max(line.right for line in run)
    return sum(_is_full(*pair, edge) for pair in pairwise(run)) >= _FULL_SHARE * (len(run) - 1)


def _is_full(above: Line, below: Line, edge: float) -> bool:
    """Whether the first word of the line below would not have fitted at the end of the line above."""
    word = below.words[0]
    return above.right + word.right - word.left + 0.2 * above.size > edge - 0.02 * (edge - above.left)


def _uneven_gutter(lines: Sequence[Line], left: float, right: float) -> tuple[float, int, int] | None:
    """A strip with text on both sides whose lines are not level, as the rows of a table would be."""
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
    """The centres of the gaps that most lines share."""
    edge = 0.15 * (right - left)
    places = Counter(
        round((before.right + after.left) / 2 / _STEP) * _STEP
        for line in lines
        for before, after in pairwise(line.fragments)
    )
    return [place for place, _ in places.most_common(_MOST_GAPS) if left + edge < place < right - edge]


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
    """Whether there are words on both sides, and running text on neither or only figures on one."""
    return line.left < place < line.right and not _is_of_columns(line, place)


def _reached(lines: Sequence[Line], place: float, edges: tuple[float, float], numbers: range, last: int) -> int:
    """The furthest line that belongs to the columns, skipping short lines that are on one side only."""
    short = 0
    for number in numbers:
        left, right = _sides(lines[number], place)
        is_set = bool(right) and _is_set_at(edges[1], right, lines[number], place)
        is_row = bool(left and right) and not is_set and _is_figured((left, right))
        if is_row or (left and max(w.right for w in left) > sum(edges) / 2):
            break
        if is_set:
            last, short = number, 0
        elif not is_wordy([*left, *right], 4):
            short += 1
            if short > _MOST_SHORT:
                break
    return last


def _is_set_at(edge: float, right: Sequence[Word], line: Line, place: float) -> bool:
    """Whether the right part begins where the text of its column does, or is text indented a little."""
    indent = min(word.left for word in right) - edge
    if _is_figured(_sides(line, place)) or indent < -_MARGIN:
        # “2026.” may end a paragraph.
        return abs(indent) < 1 and right[-1].text.endswith(".")
    return indent < 0.5 * line.size or (indent < 3 * line.size and is_wordy(right, 4))


def _with_end(lines: Sequence[Line], place: float, edge: float, bottom: int, last: int) -> int:
    """Extends the run by the end of the left column: lines that break at its edge or are too close under the right
    column to be below both, and short lines that are not headings of what follows."""
    beside = max(word.bottom for line in lines[: bottom + 1] for word in line.words if word.centre > place)
    while bottom < last and _is_near(lines[bottom], lines[bottom + 1]):
        line, below = lines[bottom + 1], lines[bottom + 2] if bottom + 2 <= last else None
        if below is not None and _is_set_under(line, below) and _is_full(line, below, edge):
            bottom += 2
        elif _continues_left(lines[bottom], line, place) or (
            line.top - beside < _TOO_CLOSE * line.size and len(line.fragments) == 1
        ):
            bottom += 1
        else:
            break
    reached = bottom
    while reached < last and reached - bottom < _MOST_SHORT and _is_near(lines[reached], lines[reached + 1]):
        reached += 1
    is_over = reached + 1 < len(lines) and _is_near(lines[reached], lines[reached + 1])
    return bottom if is_over else reached


def _continues_left(above: Line, line: Line, place: float) -> bool:
    """Whether this is the next line of the same text or table on the left, which does not end level with the right
    column."""
    left = _sides(above, place)[0]
    if not left or line.right > place:
        return False
    return (
        line.top - max(word.bottom for word in left) < _ROWS_APART * line.size and abs(line.size - left[-1].size) < 0.3
    )


def _is_near(above: Line, line: Line) -> bool:
    return line.top - above.bottom < _NEAR * max(above.size, line.size)


def _is_of_columns(line: Line, place: float) -> bool:
    sides = _sides(line, place)
    pieces = [*sides, *(fragment.words for fragment in line.fragments)]
    return any(is_wordy(piece, 4) for piece in pieces) and not _is_figured(sides)


def _is_figured(sides: tuple[Sequence[Word], Sequence[Word]]) -> bool:
    return any(side and all(word.text for word in side) and not any(map(str.isalpha, joined(side))) for side in sides)


def _sides(line: Line, place: float) -> tuple[list[Word], list[Word]]:
    return [word for word in line.words if word.centre < place], [word for word in line.words if word.centre >= place]

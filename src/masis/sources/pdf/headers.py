"""Which columns the names above a table stand over: “Years ended December 31,” over both of its years."""

from collections.abc import Sequence
from itertools import pairwise

from masis.language.unit_captions import is_unit_line
from masis.sources.pdf.lines import Fragment, Line
from masis.sources.pdf.words import Shape, Word

Span = tuple[float, float]
_PIECES_APART = 3.5
"""Points between the pieces of one rule, drawn cell by cell."""


def header_cells(
    head: Sequence[Line], columns: Sequence[Span], shapes: Sequence[Shape]
) -> tuple[list[list[list[Word]]], list[list[Word]]]:
    """The rows of the header with each name in every column it spans, and the unit lines among them."""
    rows: list[list[list[Word]]] = []
    notes: list[list[Word]] = []
    below: list[tuple[int, int]] = []
    # From the bottom: what a name spans is no less than what a name under its middle does.
    for line in reversed(head):
        if len(line.fragments) == 1 and is_unit_line(line.text):
            notes.insert(0, line.words)
            continue
        spans = [
            _widened(f, span, below, columns)
            for f, span in zip(line.fragments, _spans(line, columns, shapes), strict=True)
        ]
        rows.insert(0, _spread(line, columns, spans))
        below = [span for span in spans if span[1] > span[0]] or below
    return rows, notes


def _widened(
    fragment: Fragment, span: tuple[int, int], below: Sequence[tuple[int, int]], columns: Sequence[Span]
) -> tuple[int, int]:
    centre = (fragment.left + fragment.right) / 2
    for first, last in below:
        left, right = columns[first][0], columns[last][1]
        if first <= span[0] <= last and abs((left + right) / 2 - centre) < 0.25 * (right - left):
            return min(first, span[0]), max(last, span[1])
    return span


def _spread(line: Line, columns: Sequence[Span], spans: Sequence[tuple[int, int]]) -> list[list[Word]]:
    cells: list[list[Word]] = [[] for _ in columns]
    for fragment, (first, last) in zip(line.fragments, spans, strict=True):
        for column in range(first, last + 1):
            cells[column] = cells[column] + fragment.words
    return cells


def _spans(line: Line, columns: Sequence[Span], shapes: Sequence[Shape]) -> list[tuple[int, int]]:
    fragments = line.fragments
    own = [_overlapped(fragment, columns) for fragment in fragments]
    spans: list[tuple[int, int]] = []
    for index, fragment in enumerate(fragments):
        first, last = own[index]
        lowest = max((own[i][1] + 1 for i in range(index)), default=0)
        highest = min((own[i][0] - 1 for i in range(index + 1, len(fragments))), default=len(columns) - 1)
        if first == 0 and fragment.left < columns[1][0] - 1 and last == 0:
            spans.append((0, 0))
            continue
        if underlined := _underlined(fragment, columns, shapes):
            spans.append(underlined)
            continue
        spans.append(_centred(fragment, columns, (first, last), (max(lowest, 1), max(highest, last))))
    return spans


def _overlapped(fragment: Fragment, columns: Sequence[Span]) -> tuple[int, int]:
    touched = [i for i, (left, right) in enumerate(columns) if fragment.left < right and fragment.right > left]
    if not touched:
        centre = (fragment.left + fragment.right) / 2
        near = min(range(len(columns)), key=lambda i: max(columns[i][0] - centre, centre - columns[i][1], 0.0))
        touched = [near]
    return touched[0], touched[-1]


def _underlined(fragment: Fragment, columns: Sequence[Span], shapes: Sequence[Shape]) -> tuple[int, int] | None:
    """The rule under a name says how far it reaches."""
    bottom = max(word.bottom for word in fragment.words)
    height = bottom - min(word.top for word in fragment.words)
    near = [s for s in shapes if s.is_flat and bottom - 0.3 * height <= s.top <= bottom + 0.6 * height]
    for left, right in _runs(near):
        covers = left <= fragment.left + 3 and fragment.right - 3 <= right
        if covers and right - left < 0.95 * (columns[-1][1] - columns[0][0]):
            inside = [i for i, (a, b) in enumerate(columns) if left - 2 <= (a + b) / 2 <= right + 2 and i]
            if inside:
                return inside[0], inside[-1]
    return None


def _runs(rules: Sequence[Shape]) -> list[Span]:
    runs: list[list[float]] = []
    for left, right in sorted((rule.left, rule.right) for rule in rules):
        if runs and left <= runs[-1][1] + _PIECES_APART:
            runs[-1][1] = max(runs[-1][1], right)
        else:
            runs.append([left, right])
    return [(left, right) for left, right in runs]


def _centred(
    fragment: Fragment, columns: Sequence[Span], own: tuple[int, int], free: tuple[int, int]
) -> tuple[int, int]:
    """The neighbouring columns, none of them under another name, that it stands over the middle of."""
    centre = (fragment.left + fragment.right) / 2
    pitch = min((b[0] - a[0] for a, b in pairwise(columns[1:])), default=columns[-1][1] - columns[-1][0])
    best, least = own, float("inf")
    for first in range(min(free[0], own[0]), own[0] + 1):
        for last in range(own[1], max(free[1], own[1]) + 1):
            middle = (columns[first][0] + columns[last][1]) / 2
            cost = abs(middle - centre) + 0.12 * pitch * (last - first)
            if cost < least - 1e-6:
                best, least = (first, last), cost
    return best

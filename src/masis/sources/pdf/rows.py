"""Lines of a table to its header and rows: a name over several columns, a wrapped label or cell is one row."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from masis.language.table_headers import LEADS_TO_A_DATE
from masis.language.unit_captions import is_unit_line
from masis.sources.pdf.lines import FIGURE, SIGN, Fragment, Line, joined
from masis.sources.pdf.words import Shape, Word

Span = tuple[float, float]
_NARROW = 0.42
_OFF_CENTRE = 0.15
_PIECES_APART = 3.5
"""Points between the pieces of one rule, drawn cell by cell."""


def header_cells(
    head: Sequence[Line], columns: Sequence[Span], shapes: Sequence[Shape]
) -> tuple[list[list[list[Word]]], list[list[Word]]]:
    """The rows of the header with each name in every column it spans, and the unit lines among them."""
    rows: list[list[list[Word]]] = []
    notes: list[list[Word]] = []
    below: list[tuple[int, int]] = []
    under: list[tuple[Fragment, tuple[int, int]]] = []
    # From the bottom: what a name spans is no less than what a name under its middle does.
    for line in reversed(head):
        if len(line.fragments) == 1 and (is_unit_line(line.text) or _fills_a_band(line, columns, shapes)):
            notes.insert(0, line.words)
            continue
        names = _names(line, columns)
        spans = [_widened(f, s, below, columns) for f, s in zip(names, _spans(names, columns, shapes), strict=True)]
        spans = [_begun_above(f, s, under, columns) for f, s in zip(names, spans, strict=True)]
        under = list(zip(names, spans, strict=True))
        rows.insert(0, _spread(names, columns, spans))
        below = [span for span in spans if span[1] > span[0]] or below
    return rows, notes


def _begun_above(
    fragment: Fragment,
    span: tuple[int, int],
    under: Sequence[tuple[Fragment, tuple[int, int]]],
    columns: Sequence[Span],
) -> tuple[int, int]:
    """Right over one name, centred or flush with it, stands its first line."""
    touched = [(f, own) for f, own in under if f.left < fragment.right and f.right > fragment.left]
    off_centre = columns[span[0]][0] + columns[span[1]][1] - fragment.left - fragment.right
    if len(touched) != 1 or abs(off_centre) < 0.1 * (columns[span[1]][1] - columns[span[0]][0]):
        return span
    name, own = touched[0]
    return own if begins(fragment, name) else span


def begins(above: Fragment, below: Fragment) -> bool:
    """Whether two names are one, broken after a line that it fills: centred or flush."""
    left, right = abs(below.left - above.left), abs(below.right - above.right)
    is_flush = min(left, right) < 1.5 or abs(below.left + below.right - above.left - above.right) < 3
    return is_flush and above.right - above.left > 0.6 * (below.right - below.left)


def _fills_a_band(line: Line, columns: Sequence[Span], shapes: Sequence[Shape]) -> bool:
    """The table's name in the middle of a bar over all columns, that of the labels too."""
    return any(
        s.top <= line.top + 1 and s.bottom >= line.bottom - 1 and s.bottom - s.top < 3 * line.size
        and s.left <= columns[0][0] + 1 and s.right >= columns[-1][1] - 1
        and abs(s.left + s.right - line.left - line.right) < line.size
        for s in shapes
    )


def _names(line: Line, columns: Sequence[Span]) -> list[Fragment]:
    """The line's pieces, cut also where a narrow gap leads from over one column to over another."""
    gaps = [b.left - a.right for a, b in pairwise(line.words)]
    usual = max(min(gaps, default=0.0), 0.0)
    found: list[Fragment] = []
    for fragment in line.fragments:
        if found and SIGN.fullmatch(fragment.text) and fragment.left - found[-1].right < _NARROW * line.size:
            # “December 31, $” over “Difference”.
            found[-1].words += fragment.words
            continue
        found.append(Fragment(fragment.words[:1]))
        for before, word in pairwise(fragment.words):
            gap = word.left - before.right
            is_wide = gap > _NARROW * word.size and (gap > 1.5 * usual or gap > 1.5 * _NARROW * word.size)
            is_cut = is_wide and _over(before, columns) != _over(word, columns)
            if is_cut:
                found.append(Fragment([word]))
            else:
                found[-1].words.append(word)
    return found


def _over(word: Word, columns: Sequence[Span]) -> int:
    return min(range(len(columns)), key=lambda i: abs((columns[i][0] + columns[i][1]) / 2 - word.centre))


def _widened(
    fragment: Fragment, span: tuple[int, int], below: Sequence[tuple[int, int]], columns: Sequence[Span]
) -> tuple[int, int]:
    centre = (fragment.left + fragment.right) / 2
    for first, last in below:
        left, right = columns[first][0], columns[last][1]
        if first <= span[0] <= last and abs((left + right) / 2 - centre) < 0.25 * (right - left):
            return min(first, span[0]), max(last, span[1])
    return span


def _spread(names: Sequence[Fragment], columns: Sequence[Span], spans: Sequence[tuple[int, int]]) -> list[list[Word]]:
    cells: list[list[Word]] = [[] for _ in columns]
    for fragment, (first, last) in zip(names, spans, strict=True):
        for column in range(first, last + 1):
            cells[column] = cells[column] + fragment.words
    return cells


def _spans(fragments: Sequence[Fragment], columns: Sequence[Span], shapes: Sequence[Shape]) -> list[tuple[int, int]]:
    own = [_overlapped(fragment, columns) for fragment in fragments]
    if ordered := _one_each(fragments, columns, own):
        return ordered
    everything = (1, len(columns) - 1)
    if len(fragments) == 1 and own[0][0] >= 1 and _is_centred(fragments[0], everything, columns):
        if own[0][1] > own[0][0] or LEADS_TO_A_DATE.search(fragments[0].text):
            return [everything]
    spans: list[tuple[int, int]] = []
    for index, fragment in enumerate(fragments):
        first, last = own[index]
        lowest = max((own[i][1] + 1 for i in range(index)), default=0)
        highest = min((own[i][0] - 1 for i in range(index + 1, len(fragments))), default=len(columns) - 1)
        if first == 0 and fragment.left < columns[1][0] - 1 and last == 0:
            spans.append((0, 0))
            continue
        others = [other for other in fragments if other is not fragment]
        if underlined := _underlined(fragment, others, columns, shapes):
            spans.append(underlined)
            continue
        spans.append(_centred(fragment, columns, (first, last), (max(lowest, 1), max(highest, last))))
    return _shared_out(fragments, columns, spans) or spans


def _shared_out(
    fragments: Sequence[Fragment], columns: Sequence[Span], spans: Sequence[tuple[int, int]]
) -> list[tuple[int, int]] | None:
    """Several names over more columns share all of them, where each then stands over the middle of its own."""
    named = [(fragment, span) for fragment, span in zip(fragments, spans, strict=True) if span != (0, 0)]
    if (
        len(named) < 2
        or any(first == last for _, (first, last) in named)
        or sum(last - first + 1 for _, (first, last) in named) >= len(columns) - 1
    ):
        return None
    centres = [(fragment.left + fragment.right) / 2 for fragment, _ in named]
    owners = [_headers_nearest(centres, (left + right) / 2) for left, right in columns[1:]]
    groups = [(owners.index(n) + 1, len(owners) - owners[::-1].index(n)) for n in range(len(named)) if n in owners]
    if len(groups) != len(named) or not all(map(_is_centred, (f for f, _ in named), groups, [columns] * len(named))):
        return None
    return [*([(0, 0)] if len(named) < len(fragments) else []), *groups]


def _headers_nearest(centres: Sequence[float], place: float) -> int:
    return min(range(len(centres)), key=lambda index: abs(centres[index] - place))


def _is_centred(fragment: Fragment, span: tuple[int, int], columns: Sequence[Span]) -> bool:
    left, right = columns[span[0]][0], columns[span[1]][1]
    return abs(left + right - fragment.left - fragment.right) < 2 * _OFF_CENTRE * (right - left)


def _one_each(
    fragments: Sequence[Fragment], columns: Sequence[Span], own: Sequence[tuple[int, int]]
) -> list[tuple[int, int]] | None:
    """As many names as columns, or as columns of values, stand over one each, wherever in it they are set."""
    first = len(columns) - len(fragments)
    if first not in (0, 1) or len(fragments) < 2 or (first and fragments[0].right < columns[0][1]):
        return None
    if any(last > start for start, last in own) and len(set(own)) == len(own):
        return None
    return [(index, index) for index in range(first, len(columns))]


def _overlapped(fragment: Fragment, columns: Sequence[Span]) -> tuple[int, int]:
    touched = [i for i, (left, right) in enumerate(columns) if fragment.left < right and fragment.right > left]
    if not touched:
        centre = (fragment.left + fragment.right) / 2
        near = min(range(len(columns)), key=lambda i: max(columns[i][0] - centre, centre - columns[i][1], 0.0))
        touched = [near]
    return touched[0], touched[-1]


def _underlined(
    fragment: Fragment, others: Sequence[Fragment], columns: Sequence[Span], shapes: Sequence[Shape]
) -> tuple[int, int] | None:
    """The rule under a name, and under no other, says how far it reaches."""
    bottom = max(word.bottom for word in fragment.words)
    height = bottom - min(word.top for word in fragment.words)
    near = [s for s in shapes if s.is_flat and bottom - 0.3 * height <= s.top <= bottom + 0.6 * height]
    for left, right in _runs(near):
        covers = left <= fragment.left + 3 and fragment.right - 3 <= right
        covers = covers and not any(left <= other.left and other.right <= right for other in others)
        if covers and right - left < 0.95 * (columns[-1][1] - columns[0][0]):
            inside = [i for i, (a, b) in enumerate(columns) if left - 2 <= (a + b) / 2 <= right + 2 and i]
            # Rules of neighbouring names may touch, and those of some cells be left out.
            is_middle = abs(left + right - fragment.left - fragment.right) < 0.16 * (right - left) + 4
            if inside and is_middle:
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


_CLOSE = 1.12
"""Of the smallest step: lines so close are wrapped, where others are further apart."""
_OVERLAPPING = 0.72
"""Of a line's height: what begins so near is centred beside the line above."""
_LOWER = re.compile(r"[a-zà-ÿ(&]")

Cells = list[list[Word]]


@dataclass(slots=True)
class Column:
    left: float
    right: float


def rows_of(body: Sequence[Line], columns: Sequence[Column], shapes: Sequence[Shape]) -> list[Cells]:
    joining = _Joining(columns, close_step(body), _row_edges(body, shapes))
    rows: list[Cells] = []
    above: Line | None = None
    for line in body:
        cells = cells_of(line, columns)
        if above is not None and rows and joining.continues(rows[-1], cells, above, line):
            rows[-1] = [old + new for old, new in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
        above = line
    return rows


def close_step(body: Sequence[Line]) -> float:
    """Up to which step two lines are of one row; 0 where all rows are equally far apart."""
    steps = [b.top - a.top for a, b in pairwise(body)]
    if not steps:
        return 0.0
    size = median(line.bottom - line.top for line in body)
    least = min((step for step in steps if step > _OVERLAPPING * size), default=0.0)
    wider = sum(step > _CLOSE * least for step in steps)
    return _CLOSE * least if wider >= 0.25 * len(steps) and least < 1.45 * size else 0.0


def _row_edges(body: Sequence[Line], shapes: Sequence[Shape]) -> list[float]:
    """Where rules and the edges of shaded bands part the rows, if they do so all over the table."""
    left, right = min(line.left for line in body), max(line.right for line in body)
    top, bottom = body[0].top, body[-1].bottom
    edges: dict[int, float] = {}
    written = {(round(f.left), round(f.right)) for line in body for f in line.fragments}
    for shape in shapes:
        if shape.is_upright or shape.bottom < top - 4 or shape.top > bottom + 4:
            continue
        if shape.is_flat and (round(shape.left), round(shape.right)) in written:
            # The underline of a link.
            continue
        width = max(0.0, min(shape.right, right) - max(shape.left, left))
        for place in {round(shape.top), round(shape.bottom)}:
            edges[place] = edges.get(place, 0.0) + width
    full = sorted(place for place, width in edges.items() if width > 0.75 * (right - left))
    apart = 1 + sum(b - a > _PIECES_APART for a, b in pairwise(full))
    return [float(place) for place in full] if apart >= 0.35 * len(body) else []


def cells_of(line: Line, columns: Sequence[Column]) -> Cells:
    cells: Cells = [[] for _ in columns]
    for fragment in line.fragments:
        overlaps = [min(fragment.right, c.right) - max(fragment.inner, c.left) for c in columns]
        touched = [index for index, overlap in enumerate(overlaps) if overlap > 0]
        if len(touched) > 1 and len(line.fragments) > 1 and len(fragment.words) > 1 and not fragment.is_figure:
            for word in fragment.words:
                cells[_nearest(word.centre, columns)].append(word)
        else:
            # What stands apart from the label is not part of it.
            cells[touched[0] if touched else _nearest_column(fragment, columns, int(bool(cells[0])))] += fragment.words
    return cells


def _nearest(place: float, columns: Sequence[Column]) -> int:
    return min(range(len(columns)), key=lambda i: max(columns[i].left - place, place - columns[i].right, 0.0))


def _nearest_column(fragment: Fragment, columns: Sequence[Column], first: int) -> int:
    return min(
        range(first, len(columns)),
        key=lambda i: max(columns[i].left - fragment.right, fragment.left - columns[i].right, 0.0),
    )


@dataclass(frozen=True, slots=True)
class _Joining:
    columns: Sequence[Column]
    close_step: float
    separators: Sequence[float]

    def continues(self, row: Cells, cells: Cells, above: Line, line: Line) -> bool:
        step = line.top - above.top
        if _share_a_figure(row, cells):
            return False
        if step < _OVERLAPPING * (above.bottom - above.top):
            return True
        if self.separators:
            return not any(above.bottom - 3 <= place <= line.top + 3 for place in self.separators)
        is_close = step <= self.close_step
        label, below = joined(row[0]), joined(cells[0])
        if any(cells[1:]) and any(row[1:]):
            return self._is_wrapped_together(row, cells, is_close=is_close)
        if not below:
            return is_close and any(row[1:]) is False
        # A sub-heading ends in a colon, or leaves room for the next word.
        is_label_wrapped = bool(_LOWER.match(below)) or (is_close and self._wraps(row, cells, 0))
        return is_label_wrapped and not label.endswith(":") and not (below.endswith(":") and any(row[1:]))

    def _is_wrapped_together(self, row: Cells, cells: Cells, *, is_close: bool) -> bool:
        filled = [column for column, cell in enumerate(cells) if cell]
        values = filled[filled[0] == 0 :]
        if any(FIGURE.fullmatch(joined(cells[c])) and row[c] and not self._wraps(row, cells, c) for c in values):
            return False
        if not cells[0]:
            return all(row[c] and (is_close or self._wraps(row, cells, c)) for c in filled)
        return is_close and all(row[c] for c in filled) and any(self._wraps(row, cells, c) for c in filled)

    def _wraps(self, row: Cells, cells: Cells, column: int) -> bool:
        """Whether the first word of the line would not have fitted behind the line above it."""
        if not row[column] or not cells[column]:
            return False
        last, word = row[column][-1], cells[column][0]
        return last.right + 0.25 * word.size + word.right - word.left > self.columns[column].right - 0.1 * word.size


def _share_a_figure(row: Cells, cells: Cells) -> bool:
    """Two figures in one column are of two rows."""
    both = [(a, b) for a, b in zip(row[1:], cells[1:], strict=True) if a and b]
    return any(FIGURE.fullmatch(joined(a)) and FIGURE.fullmatch(joined(b)) for a, b in both)

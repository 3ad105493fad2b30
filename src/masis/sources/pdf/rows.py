"""Lines of a table to its rows: a wrapped label or a cell of several lines is one row."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from masis.sources.pdf.lines import FIGURE, Fragment, Line, joined
from masis.sources.pdf.words import Shape, Word

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
    for shape in shapes:
        if shape.is_upright or shape.bottom < top - 4 or shape.top > bottom + 4:
            continue
        width = max(0.0, min(shape.right, right) - max(shape.left, left))
        for place in {round(shape.top), round(shape.bottom)}:
            edges[place] = edges.get(place, 0.0) + width
    full = sorted(place for place, width in edges.items() if width > 0.75 * (right - left))
    return [float(place) for place in full] if len(full) >= 0.35 * len(body) else []


def cells_of(line: Line, columns: Sequence[Column]) -> Cells:
    cells: Cells = [[] for _ in columns]
    for fragment in line.fragments:
        overlaps = [min(fragment.right, c.right) - max(fragment.inner, c.left) for c in columns]
        touched = [index for index, overlap in enumerate(overlaps) if overlap > 0]
        if len(touched) > 1 and len(line.fragments) > 1 and len(fragment.words) > 1 and not fragment.is_figure:
            for word in fragment.words:
                cells[_nearest(word.centre, columns)].append(word)
        else:
            cells[touched[0] if touched else _nearest_column(fragment, columns)] += fragment.words
    return cells


def _nearest(place: float, columns: Sequence[Column]) -> int:
    return min(range(len(columns)), key=lambda i: max(columns[i].left - place, place - columns[i].right, 0.0))


def _nearest_column(fragment: Fragment, columns: Sequence[Column]) -> int:
    return min(
        range(len(columns)),
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

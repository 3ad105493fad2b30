"""The grid of a table without lines: columns from the gaps that its rows share, and rows with wrapped lines joined."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from masis.sources.pdf.lines import FIGURE, Fragment, Line, is_wordy, joined
from masis.sources.pdf.page_words import Shape, Word
from masis.sources.table_grid import NO_AMOUNT

PIECES_APART = 3.5
"""Points between the pieces of one rule that is drawn cell by cell."""
_MOST_WORDY = 0.3
"""Share of the pieces of a table without figures; with more running text it is columns of text."""
_LEAST_GUTTER = 0.28
_CROWDED = 0.25
BARE_YEAR = re.compile(rf"\(?(?:19|20)\d\d\)?[*†]?|{NO_AMOUNT.pattern}")
_CLOSE = 1.12
"""Factor of the smallest step: lines this close are wrapped, if others are further apart."""
_OVERLAPPING = 0.72
"""Share of a line's height: text that begins this close is centred beside the line above."""
_PARTED = 0.25
"""Share of the steps from line to line: if this many have a rule, rules separate the rows."""
_LOWER = re.compile(r"[a-zà-ÿ(&]")

Cells = list[list[Word]]


@dataclass(slots=True)
class Column:
    left: float
    right: float


def is_tabular(line: Line) -> bool:
    fragments = line.fragments
    is_list_item = line.is_item and len(fragments) == 2 and fragments[0].words == line.words[:1]
    return len(fragments) > 1 and not is_list_item


def has_amounts(line: Line) -> bool:
    values = line.fragments[1:]
    return any(f.is_figure and not BARE_YEAR.fullmatch(f.text) for f in values)


def columns_of(run: Sequence[Line], named: Line | None) -> list[Column] | None:
    """Columns where no row has text in the gaps between them, over all rows with figures, or all rows if there are
    none. `named` is the line set off as their header."""
    tabular = [line for line in run if is_tabular(line)]
    core = [line for line in tabular if has_amounts(line)]
    core = [line for line in core if not line.is_all_bold] or core
    if len(core) == 1:
        # Its cells show the columns; a name that spans several of them does not.
        core = [line for line in tabular if len(line.fragments) >= len(core[0].fragments) - 1]
    if len(core) < max(2, 0.3 * len(tabular)):
        core = tabular
    if len(core) < 2:
        return None
    size = median(line.size for line in core)
    allowed = len(core) // 12
    pieces = [f for line in core for f in line.fragments]
    columns = _between_gutters(pieces, _LEAST_GUTTER * size, allowed)
    crowded = sum(_is_crowded(line, columns) for line in core)
    if crowded > _CROWDED * len(core):
        # The columns are as close as spreadsheets print them; each row by itself shows them apart.
        closer = _between_gutters(pieces, 0.0, allowed)
        columns = closer if sum(_is_crowded(line, closer) for line in core) < _CROWDED * crowded else columns
    if named is not None and len(columns) < len(named.fragments):
        # Two cells may touch in a few rows.
        closer = _between_gutters(pieces, _LEAST_GUTTER * size, len(core) // 5)
        columns = closer if len(closer) >= len(named.fragments) else _with_sparse(columns, named, tabular)
    if len(columns) < 2 or len(columns) > 40:
        return None
    is_named = named is not None and len(named.fragments) == len(columns) > 2 < len(core)
    return columns if is_named or _is_consistent(core, columns) else None


def _with_sparse(columns: list[Column], named: Line, rows: Sequence[Line]) -> list[Column]:
    """Adds columns that have a name and hardly any cells."""
    found = list(columns)
    free = [f for line in rows for f in line.fragments if not any(touches(f, column) for column in columns)]
    for name in (f for f in free if f in named.fragments):
        under = [f for f in free if f.left < name.right and f.right > name.left]
        if len(under) > 1:
            found.append(Column(min(f.left for f in under), max(f.right for f in under)))
    return sorted(found, key=lambda column: column.left)


def _between_gutters(fragments: Sequence[Fragment], least: float, allowed: int) -> list[Column]:
    events = sorted([(f.inner, 1) for f in fragments] + [(f.right, -1) for f in fragments])
    columns: list[Column] = []
    covering, is_open = 0, False
    for place, change in events:
        covering += change
        if not is_open and covering > allowed:
            is_open = True
            if columns and place - columns[-1].right < least:
                continue
            columns.append(Column(place, place))
        elif is_open and covering <= allowed:
            is_open = False
            columns[-1].right = place
    return columns


def touches(fragment: Fragment, column: Column) -> bool:
    return fragment.inner < column.right and fragment.right > column.left


def _is_consistent(core: Sequence[Line], columns: Sequence[Column]) -> bool:
    """Whether nearly every piece is in one column, and most are figures or short: otherwise it is prose with gaps."""
    crossing = sum(sum(touches(f, c) for c in columns) > 1 for line in core for f in line.fragments)
    pieces = [f for line in core for f in line.fragments]
    crowded = sum(_is_crowded(line, columns) for line in core)
    values = [f for line in core for f in line.fragments[1:]]
    figures = sum(f.is_figure for f in values)
    if crossing > 0.15 * len(pieces) or (crowded > _CROWDED * len(core) and figures < 0.3 * len(values)):
        return False
    if len(core) == 2 and len(columns) == 2 and not figures:
        return False
    if sum(is_wordy(f.words, 4) for f in values) > _MOST_WORDY * len(values):
        return False
    wordy = sum(is_wordy(f.words, 4) for f in pieces)
    return figures >= 0.3 * len(values) or (len(core) >= 3 and wordy <= _MOST_WORDY * len(pieces))


def _is_crowded(line: Line, columns: Sequence[Column]) -> bool:
    """Whether one column has several separate pieces of the line, so that it hides further columns."""
    return any(sum(touches(fragment, column) for fragment in line.fragments) > 1 for column in columns)


def extents(body: Sequence[Line], columns: Sequence[Column]) -> list[tuple[float, float]]:
    """The extents of the columns including signs set apart; headers are centred over these."""
    lefts = [column.left for column in columns]
    for line in body:
        for fragment in line.fragments:
            index = next((i for i, c in enumerate(columns) if touches(fragment, c)), None)
            if index and fragment.left > columns[index - 1].right:
                lefts[index] = min(lefts[index], fragment.left)
    return [(left, column.right) for left, column in zip(lefts, columns, strict=True)]


def without_halves(columns: list[Column], head: Sequence[Line], body: Sequence[Line]) -> list[Column]:
    """Merges figures that are set left and right in one wide column: no row has both, and not each has a name. Also
    merges labels with the labels indented under them."""
    merged = columns[:1]
    if len(columns) > 2 and not any(_fills(line, columns[1]) for line in head) and _is_of_labels(columns, body):
        merged = [Column(columns[0].left, columns[1].right)]
    for column in columns[len(merged) + (merged[0].right > columns[0].right) :]:
        before = merged[-1]
        both = ((before, column), (column, before))
        is_apart = any(all(_fills(line, a, b) for a, b in both) for line in body)
        is_named = all(any(_fills(line, a, b) for line in head) for a, b in both)
        is_value = len(merged) > 1 or any(_fills(line, before) for line in head)
        if is_value and head and not is_named and not is_apart:
            merged[-1] = Column(before.left, column.right)
        else:
            merged.append(column)
    return merged


def _is_of_labels(columns: Sequence[Column], body: Sequence[Line]) -> bool:
    label, second = columns[:2]
    inside = [f for line in body for f in line.fragments if touches(f, second)]
    is_apart = any(_fills(line, label) and _fills(line, second) for line in body)
    return bool(inside) and not is_apart and not any(f.is_figure for f in inside)


def _fills(line: Line, column: Column, other: Column | None = None) -> bool:
    """Whether the line has a piece in the column that is not also in the other."""
    return any(touches(f, column) and not (other and touches(f, other)) for f in line.fragments)


def under_names(columns: list[Column], head: Sequence[Line]) -> list[Column]:
    """Widens columns to the names above them, so that figures aligned to the other edge are found too."""
    wide = [Column(column.left, column.right) for column in columns]
    for line, fragment in ((over, f) for over in head for f in over.fragments):
        touched = [index for index, column in enumerate(columns) if touches(fragment, column)]
        labels = len(columns) - len(line.fragments)
        if not touched and labels in (0, 1):
            touched = [line.fragments.index(fragment) + labels]
        if len(touched) == 1 and touched[0]:
            own = touched[0]
            wide[own].left = min(wide[own].left, max(fragment.left, columns[own - 1].right + 1))
            following = columns[own + 1].left - 1 if own + 1 < len(columns) else fragment.right
            wide[own].right = max(wide[own].right, min(fragment.right, following))
    return wide


def rows_of(body: Sequence[Line], columns: Sequence[Column], shapes: Sequence[Shape]) -> list[Cells]:
    edges, cut = _row_edges(body, shapes), [cells_of(line, columns) for line in body]
    pairs = zip(pairwise(body), pairwise(cut), strict=True)
    if any(_share_a_figure(*cells) and not _is_parted(*lines, edges) for lines, cells in pairs):
        # Only some rows have rules around them, as totals do.
        edges = []
    joining = _Joining(columns, close_step(body), edges)
    rows: list[Cells] = []
    above: Line | None = None
    for line, cells in zip(body, cut, strict=True):
        if above is not None and rows and joining.continues(rows[-1], cells, above, line):
            rows[-1] = [old + new for old, new in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
        above = line
    return rows


def close_step(body: Sequence[Line]) -> float:
    """The largest step between two lines of one row; 0 if all rows are equally far apart."""
    steps = [b.top - a.top for a, b in pairwise(body)]
    if not steps:
        return 0.0
    size = median(line.bottom - line.top for line in body)
    least = min((step for step in steps if step > _OVERLAPPING * size), default=0.0)
    wider = sum(step > _CLOSE * least for step in steps)
    return _CLOSE * least if wider >= 0.25 * len(steps) and least < 1.45 * size else 0.0


def _row_edges(body: Sequence[Line], shapes: Sequence[Shape]) -> list[float]:
    """Where rules and the edges of shaded bands separate the rows, if they do so all over the table."""
    left, right = min(line.left for line in body), max(line.right for line in body)
    top, bottom = body[0].top, body[-1].bottom
    edges: dict[float, float] = {}
    written = {(round(f.left), round(f.right)) for line in body for f in line.fragments}
    for shape in shapes:
        if shape.is_upright or shape.bottom < top - 4 or shape.top > bottom + 4:
            continue
        if shape.is_flat and (round(shape.left), round(shape.right)) in written:
            # The underline of a link.
            continue
        width = max(0.0, min(shape.right, right) - max(shape.left, left))
        for place in {float(round(shape.top)), float(round(shape.bottom))}:
            edges[place] = edges.get(place, 0.0) + width
    full = sorted(place for place, width in edges.items() if width > 0.75 * (right - left))
    parted = sum(_is_parted(above, below, full) for above, below in pairwise(body))
    return full if parted and parted >= _PARTED * (len(body) - 1) else []


def cells_of(line: Line, columns: Sequence[Column]) -> Cells:
    cells: Cells = [[] for _ in columns]
    for fragment in line.fragments:
        overlaps = [min(fragment.right, c.right) - max(fragment.inner, c.left) for c in columns]
        touched = [index for index, overlap in enumerate(overlaps) if overlap > 0]
        if len(touched) > 1 and len(line.fragments) > 1 and len(fragment.words) > 1 and not fragment.is_figure:
            for word in fragment.words:
                cells[_nearest(word.centre, columns)].append(word)
        else:
            # A piece that is apart from the label is not part of it.
            touched = touched or [_nearest_column(fragment, columns, int(bool(cells[0])))]
            cells[max(touched, key=overlaps.__getitem__) if fragment.is_figure else touched[0]] += fragment.words
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
        label, below = joined(row[0]), joined(cells[0])
        is_over = bool(label and below) and any(cells[1:]) and not any(row[1:])
        if self.separators and (not is_over or _is_parted(above, line, self.separators)):
            return not _is_parted(above, line, self.separators)
        is_close = bool(self.separators) or step <= self.close_step
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
        """Whether the first word of the line would not have fitted at the end of the line above."""
        if not row[column] or not cells[column]:
            return False
        last, word = row[column][-1], cells[column][0]
        return last.right + 0.25 * word.size + word.right - word.left > self.columns[column].right - 0.1 * word.size


def _is_parted(above: Line, line: Line, edges: Sequence[float]) -> bool:
    return any(above.bottom - 3 <= place <= line.top + 3 for place in edges)


def _share_a_figure(row: Cells, cells: Cells) -> bool:
    """Two figures in one column belong to two rows."""
    both = [(a, b) for a, b in zip(row[1:], cells[1:], strict=True) if a and b]
    return any(FIGURE.fullmatch(joined(a)) and FIGURE.fullmatch(joined(b)) for a, b in both)

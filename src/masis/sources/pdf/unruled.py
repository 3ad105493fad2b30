"""Tables without lines around their cells: what their words' places say of columns, rows and headers.

A run of lines with gaps in them is a table when the gaps of all of them lie over each other. What does not come out as
a table stays the lines it was.
"""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from masis.language.unit_captions import is_unit_line
from masis.sources.pdf.headers import header_cells
from masis.sources.pdf.lines import FIGURE, Fragment, Line, joined
from masis.sources.pdf.ruled import FoundTable
from masis.sources.pdf.words import Shape, Word

_MOST_BETWEEN = 3
"""Lines of one piece (sub-headings, wrapped labels) between rows."""
_WIDE_GAP = 2.6
"""Of a line's height: so far apart, two rows are of two tables."""
_LEAST_GUTTER = 0.28
_TIGHT = 0.86
"""Of the usual distance of rows: closer lines are one row."""
_BARE_YEAR = re.compile(r"\(?(?:19|20)\d\d\)?[*†]?")
_LOWER = re.compile(r"[a-zà-ÿ(&]")


@dataclass(slots=True)
class _Column:
    left: float
    right: float


def unruled_tables(lines: Sequence[Line], shapes: Sequence[Shape], right: float) -> list[tuple[int, int, FoundTable]]:
    """First and last line of each table, and the table."""
    found: list[tuple[int, int, FoundTable]] = []
    index, done = 0, 0
    while index < len(lines):
        last = _run_end(lines, index) if _is_tabular(lines[index]) else None
        if last is None or last == index:
            index += 1
            continue
        built = _built(lines, done, index, last, shapes)
        if built is None:
            index = last + 1
            continue
        found.append(built)
        index = done = built[1] + 1
    return found


def _is_tabular(line: Line) -> bool:
    fragments = line.fragments
    is_list_item = line.is_item and len(fragments) == 2 and fragments[0].words == line.words[:1]
    return len(fragments) > 1 and not is_list_item


def _run_end(lines: Sequence[Line], first: int) -> int | None:
    last, index = first, first + 1
    values_left = _values_left(lines[first])
    has_amounts = _has_amounts(lines[first])
    while index < len(lines):
        gap = lines[index].top - lines[index - 1].bottom
        if gap > _WIDE_GAP * max(lines[index].bottom - lines[index].top, 6.0):
            break
        if _is_tabular(lines[index]):
            if has_amounts and not _has_amounts(lines[index]) and lines[index].is_bold and not lines[last].is_bold:
                break
            last = index
            values_left = min(values_left, _values_left(lines[index]))
            has_amounts = has_amounts or _has_amounts(lines[index])
        elif (
            (has_amounts and _names_next_table(lines, index))
            or index - last > _MOST_BETWEEN
            or (_is_sentence(lines[index]) and lines[index].right > values_left)
        ):
            break
        index += 1
    return last


def _names_next_table(lines: Sequence[Line], index: int) -> bool:
    """A line of one piece above rows of names, and not of amounts, is the caption of another table."""
    for line in lines[index + 1 : index + 1 + _MOST_BETWEEN]:
        if _is_tabular(line):
            return not _has_amounts(line)
    return False


def _values_left(line: Line) -> float:
    """Where the figures of a row begin; a label may be as long as that."""
    return min((f.inner for f in line.fragments[1:] if f.is_figure), default=float("inf"))


def _is_sentence(line: Line) -> bool:
    return len(line.words) > 12 and len(line.fragments) == 1


def _built(
    lines: Sequence[Line], done: int, first: int, last: int, shapes: Sequence[Shape]
) -> tuple[int, int, FoundTable] | None:
    run = list(lines[first : last + 1])
    columns = _columns(run)
    if columns is None:
        return None
    last = _without_tail(lines, first, _before_next_header(lines, first, last, columns), columns)
    run = list(lines[first : last + 1])
    if sum(_is_tabular(line) for line in run) < 2:
        return None
    body_start = _body_start(run, columns)
    top = _header_top(lines, done, first, columns) if body_start is not None else first
    run = list(lines[top : last + 1])
    body_start = (body_start or 0) + first - top
    if body_start == 0 and top == first:
        body_start = _text_header(run, shapes)
    head, body = run[:body_start], run[body_start:]
    if len(body) < 1:
        return None
    while head and _is_label_only(head[-1], columns) and not is_unit_line(head[-1].text):
        body.insert(0, head.pop())
    header, notes = header_cells(head, _extents(body, columns), shapes)
    rows = _joined_rows(body, columns, shapes)
    if rows is None or (len(rows) < 2 and not header):
        return None
    left, right = min(line.left for line in run), max(line.right for line in run)
    edges = tuple(column.left for column in columns)
    table = FoundTable([*header, *rows], len(header), left, run[0].top, right, run[-1].bottom, edges, tuple(notes))
    return top, last, table


def _columns(run: Sequence[Line]) -> list[_Column] | None:
    """Where no row has anything, over all rows with figures, or over all rows where there are none."""
    tabular = [line for line in run if _is_tabular(line)]
    core = [line for line in tabular if _has_amounts(line)]
    if len(core) < max(2, 0.3 * len(tabular)):
        core = tabular
    if len(core) < 2:
        return None
    size = median(line.size for line in core)
    allowed = len(core) // 12
    columns = _between_gutters([f for line in core for f in line.fragments], _LEAST_GUTTER * size, allowed)
    needed = 2 if len(core) > 2 else 1
    columns = [c for c in columns if sum(_touches(f, c) for line in core for f in line.fragments) >= needed]
    if len(columns) < 2 or len(columns) > 40:
        return None
    if not _is_consistent(core, columns):
        return None
    return columns


def _has_amounts(line: Line) -> bool:
    values = line.fragments[1:]
    return any(f.is_figure and not _BARE_YEAR.fullmatch(f.text) for f in values)


def _between_gutters(fragments: Sequence[Fragment], least: float, allowed: int) -> list[_Column]:
    events = sorted([(f.inner, 1) for f in fragments] + [(f.right, -1) for f in fragments])
    columns: list[_Column] = []
    covering, is_open = 0, False
    for place, change in events:
        covering += change
        if not is_open and covering > allowed:
            is_open = True
            if columns and place - columns[-1].right < least:
                continue
            columns.append(_Column(place, place))
        elif is_open and covering <= allowed:
            is_open = False
            columns[-1].right = place
    return columns


def _touches(fragment: Fragment, column: _Column) -> bool:
    return fragment.inner < column.right and fragment.right > column.left


def _is_consistent(core: Sequence[Line], columns: Sequence[_Column]) -> bool:
    """Nearly every piece in one column, and figures or short pieces in most: else it is prose with gaps."""
    crossing = sum(sum(_touches(f, c) for c in columns) > 1 for line in core for f in line.fragments)
    pieces = [f for line in core for f in line.fragments]
    values = [f for line in core for f in line.fragments[1:]]
    figures = sum(f.is_figure for f in values)
    if crossing > 0.15 * len(pieces):
        return False
    if len(core) == 2 and len(columns) == 2 and not figures:
        return False
    long = sum(len(f.words) > 8 for f in pieces)
    return figures >= 0.3 * len(values) or (len(core) >= 3 and long <= 0.5 * len(pieces))


def _without_tail(lines: Sequence[Line], first: int, last: int, columns: Sequence[_Column]) -> int:
    """The last row may be wrapped into the line below."""
    run = lines[first : last + 1]
    pitch = _pitch(run)
    below = last + 1
    if below < len(lines) and len(lines[below].fragments) == 1 and not lines[below].is_item:
        line = lines[below]
        is_close = line.top - lines[last].top < _TIGHT * pitch
        if is_close and line.right < columns[1].left and _LOWER.match(line.text):
            return below
    return last


def _before_next_header(lines: Sequence[Line], first: int, last: int, columns: Sequence[_Column]) -> int:
    """Names over the columns below rows of figures begin another table."""
    pitch = _pitch(lines[first : last + 1])
    has_rows = False
    for index in range(first, last):
        line = lines[index]
        if has_rows and _is_header_like(line, columns) and line.top - lines[index - 1].top > _TIGHT * pitch:
            return index - 1
        has_rows = has_rows or (_has_amounts(line) and line.left < columns[1].left - 1)
    return last


def _is_header_like(line: Line, columns: Sequence[_Column]) -> bool:
    is_over = all(fragment.left > columns[0].right for fragment in line.fragments)
    names = [f for f in line.fragments if not f.is_figure or _BARE_YEAR.fullmatch(f.text)]
    return is_over and len(names) == len(line.fragments) and any(map(str.isalnum, line.text))


def _pitch(run: Sequence[Line]) -> float:
    """The usual distance from one row to the next."""
    steps = [b.top - a.top for a, b in itertools.pairwise(run) if _is_tabular(a) and _is_tabular(b)]
    return median(steps) if steps else 1.2 * max(median(line.size for line in run), 4.0)


def _body_start(run: Sequence[Line], columns: Sequence[_Column]) -> int | None:
    """The first line with an amount in a column of values; None where the table has no amounts."""
    for index, line in enumerate(run):
        if not _is_tabular(line):
            continue
        values = [f for f in line.fragments if f.left >= columns[1].left - 1]
        amounts = [f for f in values if f.is_figure and not _BARE_YEAR.fullmatch(f.text)]
        if amounts and (line.left < columns[1].left - 1 or not index):
            return index
        if amounts and any(re.search(r"[,.$€£%]\d|\d[,.%]|[$€£]", f.text) for f in amounts):
            return index
    return None


def _text_header(run: Sequence[Line], shapes: Sequence[Shape]) -> int:
    """Of a table of words: down to a rule under its first lines, or its bold lines, or its first line."""
    bold = next((index for index, line in enumerate(run[:4]) if not line.is_bold), 0)
    if 0 < bold < len(run):
        return bold
    for index, (line, below) in enumerate(itertools.pairwise(run)):
        width = line.right - line.left
        if any(
            s.is_flat and line.bottom - 2 <= s.top <= below.top + 2 and s.right - s.left > 0.5 * width for s in shapes
        ):
            return index + 1
    first = run[0]
    return 1 if not any(f.is_figure and not _BARE_YEAR.fullmatch(f.text) for f in first.fragments[1:]) else 0


def _header_top(lines: Sequence[Line], done: int, first: int, columns: Sequence[_Column]) -> int:
    """Lines above that stand over the columns of values only: “Years ended December 31,”."""
    top = first
    while top > done:
        line, below = lines[top - 1], lines[top]
        height = max(line.bottom - line.top, 4.0)
        is_near = below.top - line.bottom < 1.2 * height
        is_over = all(f.left >= columns[0].right - 0.15 * (columns[0].right - columns[0].left) for f in line.fragments)
        if not (is_near and is_over and line.left >= columns[1].left - 12 * height and len(line.words) <= 24):
            break
        if line.left < columns[1].left - 3 * height and len(line.fragments) == 1:
            break
        top -= 1
    return top


def _extents(body: Sequence[Line], columns: Sequence[_Column]) -> list[tuple[float, float]]:
    """Of the columns with the signs set apart, over the middle of which headers are centred."""
    lefts = [column.left for column in columns]
    for line in body:
        for fragment in line.fragments:
            index = next((i for i, c in enumerate(columns) if _touches(fragment, c)), None)
            if index and fragment.left > columns[index - 1].right:
                lefts[index] = min(lefts[index], fragment.left)
    return [(left, column.right) for left, column in zip(lefts, columns, strict=True)]


def _is_label_only(line: Line, columns: Sequence[_Column]) -> bool:
    return len(line.fragments) == 1 and line.right < columns[1].left


def _joined_rows(
    body: Sequence[Line], columns: Sequence[_Column], shapes: Sequence[Shape]
) -> list[list[list[Word]]] | None:
    pitch = _pitch(body)
    separators = _row_edges(body, shapes)
    rows: list[list[list[Word]]] = []
    above: Line | None = None
    for line in body:
        cells = _cells(line, columns)
        if cells is None:
            return None
        if above is not None and rows and _continues(rows[-1], cells, above, line, pitch, separators):
            rows[-1] = [old + new for old, new in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
        above = line
    return rows


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


def _cells(line: Line, columns: Sequence[_Column]) -> list[list[Word]] | None:
    cells: list[list[Word]] = [[] for _ in columns]
    for fragment in line.fragments:
        overlaps = [min(fragment.right, c.right) - max(fragment.inner, c.left) for c in columns]
        touched = [index for index, overlap in enumerate(overlaps) if overlap > 0]
        if len(touched) > 1 and len(line.fragments) > 1 and len(fragment.words) > 1 and not fragment.is_figure:
            for word in fragment.words:
                cells[_nearest(word.centre, columns)].append(word)
        else:
            cells[touched[0] if touched else _nearest_column(fragment, columns)] += fragment.words
    return cells


def _nearest(place: float, columns: Sequence[_Column]) -> int:
    return min(range(len(columns)), key=lambda i: max(columns[i].left - place, place - columns[i].right, 0.0))


def _nearest_column(fragment: Fragment, columns: Sequence[_Column]) -> int:
    return min(
        range(len(columns)),
        key=lambda i: max(columns[i].left - fragment.right, fragment.left - columns[i].right, 0.0),
    )


def _continues(
    row: list[list[Word]], cells: list[list[Word]], above: Line, line: Line, pitch: float, separators: list[float]
) -> bool:
    """Whether a line belongs to the row above: a wrapped label, or a cell of several lines."""
    if separators:
        between = [place for place in separators if above.bottom - 3 <= place <= line.top + 3]
        if between:
            return False
        step = line.top - above.top
        return step <= 1.25 * pitch and not _both_have_figures(row, cells)
    if _both_have_figures(row, cells):
        return False
    is_tight = line.top - above.top < _TIGHT * pitch
    label, below = joined(row[0]), joined(cells[0])
    values_above, values_here = any(row[1:]), any(cells[1:])
    if not values_above and values_here:
        # A sub-heading, or the first line of a wrapped label.
        if not below:
            return is_tight
        return not label.endswith(":") and (bool(_LOWER.match(below)) or is_tight)
    if values_above and not values_here:
        return bool(below) and not below.endswith(":") and (is_tight or bool(_LOWER.match(below)))
    if values_above and values_here:
        # Cells of words wrapped together; the first column mostly has one line only.
        return is_tight or (not below and not any(FIGURE.fullmatch(joined(cell)) for cell in cells[1:]))
    return bool(_LOWER.match(below)) and not label.endswith(":")


def _both_have_figures(row: list[list[Word]], cells: list[list[Word]]) -> bool:
    def has_figure(side: list[list[Word]]) -> bool:
        return any(cell and FIGURE.fullmatch(joined(cell)) for cell in side[1:])

    return has_figure(row) and has_figure(cells)

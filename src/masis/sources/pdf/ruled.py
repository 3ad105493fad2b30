"""Tables with lines around their cells."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from masis.sources.pdf.lines import joined, lines_of
from masis.sources.pdf.page_words import Shape, Word

_NEAR = 3.0
"""Points between lines that are meant to meet or to be one."""
_LEAST_LENGTH = 6.0
_BOX_WORDS = 12
_MOST_PAIRS = 400_000
_MOST_WORDS = 250


@dataclass(slots=True)
class GridCell:
    row: int
    column: int
    height: int
    width: int
    words: list[Word]


@dataclass(slots=True)
class FoundTable:
    """Rows of cells; each cell is its words in reading order."""

    rows: list[list[list[Word]]]
    header_rows: int | None
    left: float
    top: float
    right: float
    bottom: float
    columns: tuple[tuple[float, float], ...] = ()
    """Left and right edge of each column, by which a table on the next page is recognised as its continuation."""
    notes: tuple[list[Word], ...] = ()
    """Unit lines found among the rows of its header."""
    is_set_off: bool = False
    """Whether the header is set off by its type, a rule or several lines; otherwise it is only the first row."""

    @property
    def words(self) -> set[int]:
        return {id(word) for row in self.rows for cell in row for word in cell}


def ruled_tables(words: Sequence[Word], shapes: Sequence[Shape]) -> list[FoundTable]:
    flat = _merged([s for s in shapes if s.is_flat and s.right - s.left > _LEAST_LENGTH], is_flat=True)
    upright = _merged([s for s in shapes if s.is_upright and s.bottom - s.top > _LEAST_LENGTH], is_flat=False)
    if len(flat) * len(upright) > _MOST_PAIRS:
        # This is a drawing: no table has that many lines.
        return []
    tables = []
    for rows, columns in _grids(flat, upright):
        if table := _table(words, rows, columns):
            tables.append(table)
    return _outermost(tables)


def _outermost(tables: list[FoundTable]) -> list[FoundTable]:
    kept: list[FoundTable] = []
    taken: set[int] = set()
    for table in sorted(tables, key=lambda each: -len(each.words)):
        if not table.words & taken:
            kept.append(table)
            taken |= table.words
    return kept


def _merged(rules: list[Shape], *, is_flat: bool) -> list[Shape]:
    """Joins the pieces of a line, since borders are often drawn cell by cell."""

    def across(rule: Shape) -> float:
        return (rule.top + rule.bottom) / 2 if is_flat else (rule.left + rule.right) / 2

    groups: list[list[Shape]] = []
    for rule in sorted(rules, key=across):
        if groups and across(rule) - across(groups[-1][0]) <= _NEAR:
            groups[-1].append(rule)
        else:
            groups.append([rule])
    return [rule for group in groups for rule in _joined_ends(group, is_flat=is_flat)]


def _joined_ends(group: list[Shape], *, is_flat: bool) -> list[Shape]:
    spans = sorted((rule.left, rule.right) if is_flat else (rule.top, rule.bottom) for rule in group)
    place = sum((r.top + r.bottom if is_flat else r.left + r.right) / 2 for r in group) / len(group)
    runs: list[list[float]] = []
    for start, end in spans:
        if runs and start <= runs[-1][1] + _NEAR:
            runs[-1][1] = max(runs[-1][1], end)
        else:
            runs.append([start, end])
    return [Shape(a, place, b, place) if is_flat else Shape(place, a, place, b) for a, b in runs]


def _grids(flat: list[Shape], upright: list[Shape]) -> list[tuple[list[Shape], list[Shape]]]:
    """Groups lines that meet, directly or through others."""
    owner = list(range(len(flat) + len(upright)))

    def root(index: int) -> int:
        while owner[index] != index:
            owner[index] = owner[owner[index]]
            index = owner[index]
        return index

    for i, level in enumerate(flat):
        for j, standing in enumerate(upright):
            meets_across = level.left - _NEAR <= standing.left <= level.right + _NEAR
            if meets_across and standing.top - _NEAR <= level.top <= standing.bottom + _NEAR:
                owner[root(i)] = root(len(flat) + j)
    found: dict[int, tuple[list[Shape], list[Shape]]] = {}
    for i, level in enumerate(flat):
        found.setdefault(root(i), ([], []))[0].append(level)
    for j, standing in enumerate(upright):
        found.setdefault(root(len(flat) + j), ([], []))[1].append(standing)
    closed = [(rows, _with_sides(rows, columns)) for rows, columns in found.values()]
    return [(rows, columns) for rows, columns in closed if len(rows) >= 2 and len(columns) >= 3]


def _with_sides(flat: list[Shape], upright: list[Shape]) -> list[Shape]:
    """Rules of equal length with lines between their cells make a table even if its sides are open."""
    if len(flat) < 3 or not upright:
        return upright
    left, right = min(rule.left for rule in flat), max(rule.right for rule in flat)
    if any(rule.left - left > _NEAR or right - rule.right > _NEAR for rule in flat):
        return upright
    top, bottom = min(rule.top for rule in flat), max(rule.bottom for rule in flat)
    sides = [x for x in (left, right) if not any(abs(line.left - x) <= _NEAR for line in upright)]
    return [*upright, *(Shape(x, top, x, bottom) for x in sides)]


def _table(words: Sequence[Word], flat: list[Shape], upright: list[Shape]) -> FoundTable | None:
    ys, xs = _places([s.top for s in flat]), _places([s.left for s in upright])
    if len(ys) < 3 or len(xs) < 3 or len(ys) * len(xs) > 20_000:
        return None
    cells = _cells(flat, upright, ys, xs)
    for word in words:
        if ys[0] < word.middle < ys[-1] and xs[0] < word.centre < xs[-1]:
            row, column = bisect_right(ys, word.middle) - 1, bisect_right(xs, word.centre) - 1
            cells[row][column].words.append(word)
    if any(_is_layout(cell) for row in cells for cell in row):
        return None
    rows, header_rows = _filled(cells)
    filled = sum(bool(cell) for row in rows for cell in row)
    if len(rows) < 2 or len(rows[0]) < 2 or filled < 3 or filled < 0.2 * len(rows) * len(rows[0]):
        return None
    header_rows = _styled_depth(rows) if header_rows is None else header_rows
    return FoundTable(
        rows, header_rows, xs[0], ys[0], xs[-1], ys[-1], tuple(pairwise(xs)), is_set_off=bool(header_rows)
    )


def _styled_depth(rows: Sequence[Sequence[Sequence[Word]]]) -> int | None:
    """Bold type shows which row is the header, or that a form has none: its labels are bold and their values are
    not."""
    bold = [[all(word.is_bold for word in cell) for cell in row if cell] for row in rows]
    if all(bold[0]) and not all(all(row) for row in bold[1:]):
        return 1
    is_label_bold = sum(bool(row) and row[0] and not all(row) for row in bold)
    return 0 if bold[0] and bold[0][0] and not any(bold[0][1:]) and is_label_bold > 0.8 * len(rows) else None


def _is_layout(cell: GridCell) -> bool:
    """Whether the cell is a box around a part of the page: many words, or lines with columns of their own."""
    if len(cell.words) < _BOX_WORDS:
        return False
    lines = lines_of(cell.words)
    gapped = sum(len(line.fragments) > 1 for line in lines)
    return len(cell.words) > _MOST_WORDS or (len(lines) > 3 and gapped >= 0.5 * len(lines))


def _places(values: list[float]) -> list[float]:
    found: list[float] = []
    for value in sorted(values):
        if not found or value - found[-1] > _NEAR:
            found.append(value)
    return found


def _cells(flat: list[Shape], upright: list[Shape], ys: list[float], xs: list[float]) -> list[list[GridCell]]:
    """One cell for each place of the grid; places without a line between them share a cell."""
    rows, columns = len(ys) - 1, len(xs) - 1
    grid = [[GridCell(row, column, 1, 1, []) for column in range(columns)] for row in range(rows)]
    walls = {(round(x.left), row) for x in upright for row in range(rows) if _covers(x.top, x.bottom, ys, row)}
    floors = {(round(y.top), column) for y in flat for column in range(columns) if _covers(y.left, y.right, xs, column)}

    def has_wall(column: int, row: int) -> bool:
        return any((round(xs[column]) + d, row) in walls for d in range(-3, 4))

    def has_floor(row: int, column: int) -> bool:
        return any((round(ys[row]) + d, column) in floors for d in range(-3, 4))

    for row in range(rows):
        for column in range(columns):
            if column and not has_wall(column, row) and grid[row][column - 1].row == row:
                before = grid[row][column - 1]
                before.width = column - before.column + 1
                grid[row][column] = before
            elif row and not has_floor(row, column) and grid[row - 1][column].column == column:
                above = grid[row - 1][column]
                above.height = row - above.row + 1
                grid[row][column] = above
            elif column and row and grid[row - 1][column] is grid[row][column - 1] and not has_wall(column, row):
                grid[row][column] = grid[row - 1][column]
    return grid


def _covers(start: float, end: float, places: list[float], index: int) -> bool:
    return start - _NEAR <= places[index] + 1 and places[index + 1] - 1 <= end + _NEAR


def _filled(cells: list[list[GridCell]]) -> tuple[list[list[list[Word]]], int | None]:
    """Repeats cells that span rows in each of them, and in the header also those that span columns."""
    ordered: dict[int, list[Word]] = {}
    for row in cells:
        for cell in row:
            if id(cell) not in ordered:
                ordered[id(cell)] = [word for line in lines_of(cell.words) for word in line.words]
    depth = _spanned_depth(cells, ordered)
    rows: list[list[list[Word]]] = []
    for index, row in enumerate(cells):
        filled = []
        for column, cell in enumerate(row):
            shown = cell.column == column or index < depth
            filled.append(ordered[id(cell)] if shown else [])
        if any(filled):
            rows.append(filled)
    return rows, depth or None


def _spanned_depth(cells: list[list[GridCell]], ordered: dict[int, list[Word]]) -> int:
    """The number of header rows if its cells span several: down to the first row whose cells do not."""
    first = cells[0]
    if not any(cell.width > 1 and cell.width < len(first) and ordered[id(cell)] for cell in first):
        return max((cell.height for cell in first), default=0) if any(cell.height > 1 for cell in first) else 0
    depth = 1
    while depth < min(len(cells) - 1, 4) and any(cell.width > 1 for cell in cells[depth - 1]):
        depth += 1
    # A row of notes over all columns (“(in millions)”) belongs to the header too.
    while depth < min(len(cells) - 1, 5) and not ordered[id(cells[depth][0])] and cells[depth][-1].width > 1:
        depth += 1
    return depth


def texts(rows: Sequence[Sequence[Sequence[Word]]]) -> list[list[str]]:
    return [[joined(cell) for cell in row] for row in rows]

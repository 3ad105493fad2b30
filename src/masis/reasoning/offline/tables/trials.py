"""Lists every way a table could answer: a cell, a count, an extreme, a neighbour, a difference, a share, a mean.

A trial is one of these ways, carried out. `weighing` then decides which of them the question asks for.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from masis.language.periods import PERIOD
from masis.reasoning.offline.tables.anchors import Anchor, TableQuery, anchors, limits
from masis.reasoning.offline.tables.grid import CHANGES, Cell, Table
from masis.reasoning.offline.tables.in_time import in_time, time_column

FORMS = (
    "cell", "cells", "first", "last", "next", "previous", "highest", "lowest", "maximum", "minimum", "count",
    "distinct", "sum", "average", "commonest", "rarest", "difference", "percent", "ratio", "sum_of", "average_of",
    "more", "less", "more_often", "count_difference", "change", "percent_change", "share", "sum_over", "average_over",
    "when_highest", "when_lowest", "same", "each", "share_of_total", "when_above", "when_below", "times_above",
    "times_below", "times", "rows",
)  # fmt: skip
MOST_ANSWERS = 12
MOST_PAIRS = 24
MOST_ROWSETS = 26
MOST_COLUMNS = 14
MOST_TIMES = 8
FEW_WORDS = 5
BESIDE = frozenset(
    "after before next previous prior preceding preceded precedes following followed follows below above under beneath"
    " succeeded subsequent immediately directly right".split()
)
Filters = tuple[Anchor, ...]
Rowset = tuple[tuple[int, ...], Filters]


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    form: str
    table: Table
    answer: tuple[str, ...]
    """Text of cells or headers; empty if `value` is the answer."""
    value: float | None
    cells: tuple[Cell, ...]
    """The cells that the answer was read or computed from."""
    filters: Filters
    column: int = -1
    by: int = -1
    """The column whose values are compared."""
    columns: tuple[int, ...] = ()
    """The columns compared, if the cells are in one row."""
    order: int = -1
    """The column of dates that puts the rows in order, for the first and the last of them."""

    @property
    def denoted(self) -> tuple[str, ...]:
        """Identifies the answer, so that trials with the same answer add up."""
        if self.value is not None:
            return (f"{self.value:.6g}",)
        return tuple(sorted(set(self.answer)))


def trials(asked: TableQuery, table: Table) -> list[Trial]:
    found = anchors(asked, table)
    rowsets = _rowsets(found)
    singles = [(rows, filters) for rows, filters in rowsets if len(rows) == 1]
    everything = tuple(n for n in range(len(table.rows)) if not table.is_total[n])
    groups: list[Rowset] = [(everything, ()), *rowsets]
    return [
        *_cells(table, rowsets),
        *_names(table, everything, singles),
        *_placed(asked, table, groups, singles),
        *_extremes(table, groups),
        *_counts(table, groups),
        *_pairs(table, singles, rowsets),
        *_several_rows(table, singles),
        *_over_columns(asked, table, singles),
        *_same(table, singles),
        *_shares_of_total(table, singles),
    ]


def _rowsets(found: Sequence[Anchor]) -> list[Rowset]:
    """The rows of each anchor, and the rows common to two anchors with different columns and words."""
    made: dict[tuple[tuple[int, ...], frozenset[int]], Rowset] = {}
    for anchor in found:
        made.setdefault((anchor.rows, anchor.places), (anchor.rows, (anchor,)))
    for one, other in combinations(found, 2):
        if one.places & other.places or (one.column == other.column and "cell" in (one.kind, other.kind)):
            continue
        rows = tuple(sorted(set(one.rows) & set(other.rows)))
        if rows and rows != one.rows and rows != other.rows:
            made.setdefault((rows, one.places | other.places), (rows, (one, other)))
    ranked = sorted(made.values(), key=lambda made: -sum(len(a.places) + a.exact for a in made[1]))
    return ranked[:MOST_ROWSETS]


def _cells(table: Table, rowsets: Iterable[Rowset]) -> Iterator[Trial]:
    for rows, filters in rowsets:
        if len(rows) > MOST_ANSWERS:
            continue
        for column in _columns(table):
            cells = tuple(c for c in (table.cell(row, column) for row in rows) if c.text)
            if cells and not (len(filters) == 1 and column == filters[0].column and filters[0].exact == 1):
                yield Trial("cell", table, tuple(c.text for c in cells), _single(cells), cells, filters, column)


def _names(table: Table, everything: tuple[int, ...], singles: Sequence[Rowset]) -> Iterator[Trial]:
    """What the table covers: the periods of its columns, the names of its rows."""
    if 1 < len(everything) <= MOST_ANSWERS:
        heads = tuple(c for row in everything if (c := table.cell(row, table.label_column)).text)
        if heads:
            yield Trial("rows", table, tuple(c.text for c in heads), None, heads, (), table.label_column)
    if len(table.timed) > 1 and everything:
        told = tuple(table.columns[n] for n in table.timed)
        for rows, filters in [((everything[0],), ()), *singles[:2]]:
            cells = tuple(table.cell(rows[0], n) for n in table.timed)
            yield Trial("times", table, told, None, cells, filters, columns=table.timed)


def _columns(table: Table) -> range:
    return range(min(len(table.columns), MOST_COLUMNS))


def _single(cells: Sequence[Cell]) -> float | None:
    return cells[0].amount if len(cells) == 1 else None


def _placed(asked: TableQuery, table: Table, groups: Sequence[Rowset], singles: Sequence[Rowset]) -> Iterator[Trial]:
    """The first and last of several rows, and the rows directly after and before a row."""
    by = time_column(asked, table)
    for rows, filters in groups:
        if len(rows) > 1:
            ordered, order = in_time(table, rows, by)
            yield from _told(table, "first", ordered[:1], filters, order=order)
            yield from _told(table, "last", ordered[-1:], filters, order=order)
    for (row,), filters in singles:
        if not any(_is_beside(asked, anchor) for anchor in filters):
            continue
        if row + 1 < len(table.rows):
            yield from _told(table, "next", (row + 1,), filters)
        if row:
            yield from _told(table, "previous", (row - 1,), filters)


def _is_beside(asked: TableQuery, anchor: Anchor) -> bool:
    """“Who came after Smith”: the word for the order comes shortly before the name."""
    first = min(anchor.places, default=0)
    return not BESIDE.isdisjoint(asked.tokens[max(0, first - FEW_WORDS) : first])


def _told(
    table: Table, form: str, rows: Sequence[int], filters: Filters, by: int = -1, order: int = -1
) -> Iterator[Trial]:
    for column in _columns(table):
        cells = tuple(c for c in (table.cell(row, column) for row in rows) if c.text)
        if cells and column != by:
            basis = tuple(table.cell(row, by) for row in rows) if by >= 0 else ()
            answer = tuple(c.text for c in cells)
            yield Trial(form, table, answer, _single(cells), (*cells, *basis), filters, column, by, order=order)


def _extremes(table: Table, groups: Sequence[Rowset]) -> Iterator[Trial]:
    for rows, filters in groups:
        if len(rows) < 2:
            continue
        for by in _columns(table):
            valued = _valued(table, rows, by)
            if len(valued) < 2:
                continue
            for form, bound, pick in (("highest", "maximum", max), ("lowest", "minimum", min)):
                best = pick(value for value, _ in valued)
                at = [cell for value, cell in valued if value == best]
                if len(at) <= 2:
                    yield from _told(table, form, [cell.row for cell in at], filters, by)
                yield Trial(bound, table, (at[0].text,), at[0].amount, tuple(at[:1]), filters, by, by)
            yield from _sums(table, [cell for _, cell in valued], filters, by)


def _sums(table: Table, cells: Sequence[Cell], filters: Filters, column: int) -> Iterator[Trial]:
    amounts = [cell.amount for cell in cells if cell.amount is not None]
    if table.kinds[column] == "amount" and len(amounts) == len(cells):
        yield Trial("sum", table, (), sum(amounts), tuple(cells), filters, column, column)
        yield Trial("average", table, (), sum(amounts) / len(amounts), tuple(cells), filters, column, column)


def _valued(table: Table, rows: Iterable[int], column: int) -> list[tuple[float, Cell]]:
    if table.kinds[column] == "text":
        return []
    cells = [table.cell(row, column) for row in rows]
    values = [(cell.amount if table.kinds[column] == "amount" else cell.day, cell) for cell in cells]
    return [(value, cell) for value, cell in values if value is not None and cell.text]


def _counts(table: Table, groups: Sequence[Rowset]) -> Iterator[Trial]:
    for rows, filters in groups:
        heads = tuple(table.cell(row, table.label_column) for row in rows)
        yield Trial("count", table, (), float(len(rows)), heads, filters)
        if len(rows) < 2:
            continue
        for column in _columns(table):
            cells = [c for c in (table.cell(row, column) for row in rows) if c.text]
            counted = Counter(cell.text for cell in cells)
            if len(counted) < len(cells):
                firsts = tuple({cell.text: cell for cell in reversed(cells)}.values())
                yield Trial("distinct", table, (), float(len(counted)), firsts, filters, column)
                yield from _commonest(table, cells, counted, filters, column)


def _commonest(
    table: Table, cells: Sequence[Cell], counted: Counter[str], filters: Filters, column: int
) -> Iterator[Trial]:
    for form, times in (("commonest", max(counted.values())), ("rarest", min(counted.values()))):
        texts = [text for text, number in counted.items() if number == times]
        if len(texts) <= 2:
            basis = tuple(cell for cell in cells if cell.text in texts)
            yield Trial(form, table, tuple(texts), None, basis, filters, column, column)


def _pairs(table: Table, singles: Sequence[Rowset], rowsets: Sequence[Rowset]) -> Iterator[Trial]:
    """Pairs of rows that the question names separately."""
    named = [s for s in singles if len(s[1]) == 1]
    for (a, one), (b, other) in list(_apart(named))[:MOST_PAIRS]:
        for column in _columns(table):
            pair = _valued(table, (a[0], b[0]), column)
            if len(pair) == 2:
                yield from _reckoned_pair(table, pair, (*one, *other), column)
    for (a, one), (b, other) in list(_apart([r for r in rowsets if len(r[1]) == 1]))[:MOST_PAIRS]:
        if one[0].column == other[0].column and one[0].kind == other[0].kind == "cell" and not set(a) & set(b):
            cells = tuple(table.cell(row, one[0].column) for row in (*a, *b))
            more = table.cell((a if len(a) >= len(b) else b)[0], one[0].column)
            both = (*one, *other)
            yield Trial("count_difference", table, (), float(abs(len(a) - len(b))), cells, both, one[0].column)
            yield Trial("more_often", table, (more.text,), None, cells, both, one[0].column)


def _several_rows(table: Table, singles: Sequence[Rowset]) -> Iterator[Trial]:
    """Three or more rows, each named in the question."""
    chosen: list[Anchor] = []
    for _, filters in singles:
        if len(filters) == 1 and not any(filters[0].places & a.places or filters[0].rows == a.rows for a in chosen):
            chosen.append(filters[0])
    rows = sorted(a.rows[0] for a in chosen)
    for column in _columns(table) if 2 < len(rows) <= MOST_TIMES else ():
        cells = tuple(table.cell(row, column) for row in rows)
        amounts = [cell.amount for cell in cells if cell.amount is not None and cell.text]
        if table.kinds[column] == "amount" and len(amounts) == len(cells):
            both = tuple(chosen)
            yield Trial("sum_of", table, (), sum(amounts), cells, both, column, column)
            yield Trial("average_of", table, (), sum(amounts) / len(amounts), cells, both, column, column)
            yield Trial("each", table, tuple(c.text for c in cells), None, cells, both, column)


def _apart(rowsets: Sequence[Rowset]) -> Iterator[tuple[Rowset, Rowset]]:
    for one, other in combinations(rowsets, 2):
        if one[0] != other[0] and not one[1][0].places & other[1][0].places:
            yield one, other


def _reckoned_pair(table: Table, pair: Sequence[tuple[float, Cell]], filters: Filters, column: int) -> Iterator[Trial]:
    (first, one), (second, other) = pair
    cells = (one, other)
    yield Trial("each", table, (one.text, other.text), None, cells, filters, column)
    yield Trial("difference", table, (), first - second, cells, filters, column, column)
    low, high = (one, other) if first < second else (other, one)
    for form, cell in (("more", high), ("less", low)):
        told = table.cell(cell.row, filters[0].column)
        yield Trial(form, table, (told.text,), None, cells, filters, filters[0].column, column)
    if table.kinds[column] != "amount":
        return
    yield Trial("sum_of", table, (), first + second, cells, filters, column, column)
    yield Trial("average_of", table, (), (first + second) / 2, cells, filters, column, column)
    for a, b, order in ((first, second, cells), (second, first, cells[::-1])):
        if b:
            yield Trial("ratio", table, (), a / b, order, filters, column, column)
            yield Trial("percent", table, (), 100 * (a - b) / abs(b), order, filters, column, column)


def _over_columns(asked: TableQuery, table: Table, singles: Sequence[Rowset]) -> Iterator[Trial]:
    """One row over several amount columns: its change, sum, mean, and when it was highest."""
    amounts = [n for n in _columns(table) if table.kinds[n] == "amount" and not CHANGES.search(table.columns[n])]
    timed = [n for n in table.timed if n in amounts]
    times = table.column_times(asked.months)
    wanted = [n for n in timed if any(not p.excludes(q) for p in asked.times for q in times[n])]
    for rows, filters in singles[:MOST_PAIRS]:
        cells = {n: table.cell(rows[0], n) for n in amounts}
        cells = {n: c for n, c in cells.items() if c.amount is not None and c.text}
        for several in dict.fromkeys((tuple(wanted), tuple(timed), tuple(amounts))):
            chosen = [n for n in several if n in cells]
            if 2 <= len(chosen) <= MOST_TIMES:
                yield from _all_columns(table, [cells[n] for n in chosen], filters, tuple(chosen))
                yield from _beyond(asked, table, [cells[n] for n in chosen], filters)
        for a, b in _alike_first(table, combinations([n for n in amounts if n in cells], 2))[:MOST_PAIRS]:
            yield from _two_columns(table, cells[a], cells[b], filters)
            yield from _two_columns(table, cells[b], cells[a], filters)


def _alike_first(table: Table, pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sorts pairs whose columns differ only in their period first, as these are the likeliest to be compared."""
    called = [PERIOD.sub("", column) for column in table.columns]
    return sorted(pairs, key=lambda pair: called[pair[0]] != called[pair[1]])


def _beyond(asked: TableQuery, table: Table, cells: Sequence[Cell], filters: Filters) -> Iterator[Trial]:
    """The columns in which the row is above or below a figure in the question."""
    taken = {n for anchor in filters for n in anchor.places}
    for place, limit, is_above in limits(asked):
        if place in taken:
            continue
        found = [c for c in cells if c.amount is not None and (c.amount > limit if is_above else c.amount < limit)]
        anchor = Anchor(-1, filters[0].rows, frozenset({place}), 1.0, "above" if is_above else "below", limit)
        side = "above" if is_above else "below"
        columns = tuple(c.column for c in cells)
        if found:
            told = tuple(table.columns[c.column] for c in found)
            yield Trial(f"when_{side}", table, told, None, tuple(found), (*filters, anchor), columns=columns)
            count = float(len(found))
            yield Trial(f"times_{side}", table, (), count, tuple(found), (*filters, anchor), columns=columns)


def _all_columns(table: Table, cells: Sequence[Cell], filters: Filters, columns: tuple[int, ...]) -> Iterator[Trial]:
    amounts = [cell.amount or 0.0 for cell in cells]
    told = tuple(cells)
    yield Trial("cells", table, tuple(c.text for c in cells), None, told, filters, columns=columns)
    yield Trial("sum_over", table, (), sum(amounts), told, filters, columns=columns)
    yield Trial("average_over", table, (), sum(amounts) / len(amounts), told, filters, columns=columns)
    for form, pick in (("when_highest", max), ("when_lowest", min)):
        best = pick(amounts)
        if amounts.count(best) == 1:
            cell = cells[amounts.index(best)]
            gap = abs(amounts[0] - amounts[1]) if len(amounts) == 2 else None
            yield Trial(form, table, (table.columns[cell.column],), gap, told, filters, cell.column, columns=columns)


def _two_columns(table: Table, new: Cell, old: Cell, filters: Filters) -> Iterator[Trial]:
    a, b = new.amount or 0.0, old.amount or 0.0
    columns = (new.column, old.column)
    yield Trial("change", table, (), a - b, (new, old), filters, columns=columns)
    if b:
        yield Trial("percent_change", table, (), 100 * (a - b) / abs(b), (new, old), filters, columns=columns)
        yield Trial("share", table, (), a / b, (new, old), filters, columns=columns)


def _same(table: Table, singles: Sequence[Rowset]) -> Iterator[Trial]:
    """“Which other … is on the same island as …”: the rows that share a value with the named row."""
    for (row,), filters in [s for s in singles if len(s[1]) == 1][:4]:
        for by in _columns(table):
            value = table.cell(row, by).text
            others = [c.row for c in table.column_cells(by) if value and c.text == value and c.row != row]
            if by != filters[0].column and 0 < len(others) <= 4:
                told = tuple(table.cell(n, filters[0].column) for n in others)
                yield Trial("same", table, tuple(c.text for c in told), None, told, filters, filters[0].column, by)


def _shares_of_total(table: Table, singles: Sequence[Rowset]) -> Iterator[Trial]:
    """A row's share of the total, which may be in an unlabelled last row."""
    totals = [n for n, row in enumerate(table.rows) if table.is_total[n] or not row.cells[0].text]
    for (row,), filters in singles[:6]:
        below = next((n for n in totals if n > row), None)
        if below is None:
            continue
        for column in _columns(table):
            part, whole = table.cell(row, column), table.cell(below, column)
            if table.kinds[column] == "amount" and part.amount is not None and whole.amount:
                share = 100 * part.amount / whole.amount
                yield Trial("share_of_total", table, (), share, (part, whole), filters, column, column)

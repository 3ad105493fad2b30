"""“Compare revenue of all customers”: shows a whole column of a table, row by row, if the question names what the rows
are."""

from collections.abc import Sequence

from masis.language.question import ASKING
from masis.language.words import content_stems
from masis.reasoning.offline.tables.anchors import ALIKE, TableQuery
from masis.reasoning.offline.tables.cell_names import column_of, label_of, unit_of
from masis.reasoning.offline.tables.comparison import (
    COMPARES,
    ENOUGH,
    MOST_COLUMNS,
    Comparison,
    is_of,
    measure_asked,
    times_asked,
)
from masis.reasoning.offline.tables.grid import CHANGES, Table
from masis.reasoning.offline.tables.phrasing import as_grid

FEWEST_ROWS, MOST_ROWS = 2, 50
_ONE_BY_ONE = frozenset("each every per by".split())
_NO_SUBJECT = frozenset(content_stems("across among amongst side table row rows column columns"))


def whole_column(asked: TableQuery, tables: Sequence[Table]) -> Comparison | None:
    if not COMPARES.search(asked.text):
        return None
    return next(filter(None, (_of_table(asked, table) for table in tables)), None)


def _of_table(asked: TableQuery, table: Table) -> Comparison | None:
    times = times_asked(asked, [table])
    head = _rows_said(asked, table)
    wanted = {w for w in content_stems(measure_asked(asked.text, (), times)) if w not in ASKING} - head - _NO_SUBJECT
    columns = _columns_said(table, wanted) if head else []
    said = {s for n in columns[:1] for s in table.column_stems[n]} | table.above_stems
    rows = _rows_with(table, {w for w in wanted if w not in said and ALIKE.get(w) not in said})
    whens = [period for period, _ in times]

    def is_asked(row: int, column: int) -> bool:
        return not whens or any(is_of(table, table.cell(row, column), when, asked.months) for when in whens)

    columns = [n for n in columns if any(is_asked(row, n) for row in rows)]
    rows = [row for row in rows if any(is_asked(row, n) for n in columns)]
    rows = [row for row in rows if any(table.cell(row, n).text for n in columns)]
    return _written(table, columns, rows) if len(rows) >= FEWEST_ROWS else None


def _rows_said(asked: TableQuery, table: Table) -> frozenset[str]:
    """The words that say what the rows are, if the question repeats the header of the label column in the plural or
    after “each”."""
    head = [s for s in table.column_stems[table.label_column] if s in asked.stems]
    if not head or len(head) < len(table.column_stems[table.label_column]):
        return frozenset()
    places = [n for n, each in enumerate(asked.stems) if each == head[-1]]
    is_each = any(set(asked.tokens[max(0, n - 2) : n]) & _ONE_BY_ONE for n in places)
    return frozenset(head) if is_each or any(asked.tokens[n].endswith("s") for n in places) else frozenset()


def _columns_said(table: Table, wanted: set[str]) -> list[int]:
    """The amount columns that share the most words with the question; all of them if it names none."""
    amounts = [
        n
        for n, kind in enumerate(table.kinds)
        if kind == "amount" and not CHANGES.search(table.columns[n].replace("%", ""))
    ]
    alike = {other for w in wanted if (other := ALIKE.get(w))}
    shared = {n: 2 * len(wanted & set(own)) + len(alike & set(own)) for n, own in enumerate(table.column_stems)}
    most = max((shared[n] for n in amounts), default=0)
    if not most and wanted and not wanted <= table.above_stems:
        return []
    return [n for n in amounts if shared[n] == most][:MOST_COLUMNS]


def _rows_with(table: Table, words: set[str]) -> list[int]:
    """“… of customers in Germany”: the rows with a text cell that is exactly the remaining words of the question."""
    if not words:
        return [n for n in range(len(table.rows)) if label_of(table, n)]
    texts = [n for n, kind in enumerate(table.kinds) if kind == "text"]
    return [r for r in range(len(table.rows)) if any(words == set(table.cell(r, n).stems) for n in texts)]


def _written(table: Table, columns: Sequence[int], rows: Sequence[int]) -> Comparison:
    shown, others = list(rows), max(table.rows_in_all, len(rows)) - min(len(rows), MOST_ROWS)
    if len(rows) > MOST_ROWS:
        shown = sorted(rows, key=lambda row: -(table.cell(row, columns[-1]).amount or 0.0))[:MOST_ROWS]
    lines = [(name, [(table, table.cell(row, n)) for n in columns]) for row, name in _row_names(table, shown).items()]
    cells = tuple(cell for _, line in lines for cell in line)
    is_change = len(columns) == 2 and all(n in table.timed for n in columns)
    of_same = is_change and len({unit_of(table, cell) for table, cell in cells if cell.text}) == 1
    text = as_grid(
        [column_of(table, n) for n in columns], lines, corner=column_of(table, table.label_column), changes=of_same
    )
    largest = " largest" if len(rows) > MOST_ROWS else ""
    title = f"**The {len(shown)}{largest} of {len(shown) + others:,} rows; {others:,} are left out**\n\n"
    return Comparison(title + text if others else text, cells, ENOUGH)


def _row_names(table: Table, rows: Sequence[int]) -> dict[int, str]:
    """Names each row by its label; if labels repeat, adds its other text and date cells."""
    named = {row: label_of(table, row) for row in rows}
    for column, kind in enumerate(table.kinds):
        if len(set(named.values())) < len(rows) and kind != "amount" and column != table.label_column:
            named = {row: f"{name}, {table.cell(row, column).text}".rstrip(", ") for row, name in named.items()}
    return named

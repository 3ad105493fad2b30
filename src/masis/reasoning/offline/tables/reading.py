"""Rates how well a trial answers, with a network that reads the question beside a description of the trial.

The log-linear model (`weighing`) only counts words that question and table share. The network knows that “private
insurers” are commercial payors and that “lost” asks for a difference. training/README.md says how it was trained.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from masis.embedded import on_all_cores
from masis.embedded.adapted import adapted
from masis.reasoning.offline.tables.anchors import Anchor, TableQuery
from masis.reasoning.offline.tables.cell_names import column_of
from masis.reasoning.offline.tables.grid import Cell, Table
from masis.reasoning.offline.tables.trials import Trial

MOST_TOLD = 4
"""How many cells of a trial and how many answers of a list are spelled out; the rest are only counted."""
MOST_KEYS = 6
LONGEST_CAPTION = 120
LONGEST_CELL = 60


def how_well(question: str, told: Sequence[str]) -> list[float]:
    """Scores each described trial on all cores. A score above zero means that it is more likely to answer than not."""
    adapted("tables")  # load it here once: threads that find none would each load their own
    return on_all_cores(lambda one: _score(question, one), told)


@lru_cache(maxsize=20_000)
def _score(question: str, told: str) -> float:
    """Cached because the auditor reads again what the writer read."""
    return float(adapted("tables").run(question, told).values[0, 0])


def in_words(trial: Trial, asked: TableQuery, whose: str = "") -> str:
    """Describes a trial: the operation, its result, the cells it used and their caption. `whose` names the subject if
    only the document states it."""
    table = trial.table
    cells = [_in_place(table, cell, asked) for cell in trial.cells[:MOST_TOLD]]
    parts = [_done(trial), f"= {_given(trial)}", _told(cells, len(trial.cells))]
    parts += [f"where {said}" for anchor in trial.filters if (said := _condition(anchor, table))]
    return " | ".join([*parts, f"{whose} {_caption(table)}".strip()])


def _done(trial: Trial) -> str:
    table = trial.table
    named = [column_of(table, n)[:LONGEST_CELL] for n in (trial.column, trial.by) if n >= 0]
    return " ".join([trial.form.replace("_", " "), " by ".join(dict.fromkeys(named))]).strip()


def _given(trial: Trial) -> str:
    told = [a[:LONGEST_CELL] for a in trial.answer[:MOST_TOLD]]
    return _told(told, len(trial.answer)) if told else f"{trial.value:.6g}"


def _in_place(table: Table, cell: Cell, asked: TableQuery) -> str:
    label = table.cell(cell.row, table.label_column).text
    own = (table.rows[cell.row].group, label, *_told_apart_by(table, cell))
    row = ", ".join(part[:LONGEST_CELL] for part in own if part)
    if cell.column == table.label_column:
        return row
    column = f"{_quarter_asked(table, cell.column, asked)}{column_of(table, cell.column)[:LONGEST_CELL]}"
    return f"{row}, {column}: {cell.text[:LONGEST_CELL]}"


def _told_apart_by(table: Table, cell: Cell) -> Iterator[str]:
    """If several rows share a name, as in a data set, the other cells that identify the row."""
    if table.label_counts[table.cell(cell.row, table.label_column).text] < 2:
        return
    for other in table.rows[cell.row].cells[:MOST_KEYS]:
        if other.column not in (cell.column, table.label_column) and table.kinds[other.column] != "amount":
            yield f"{column_of(table, other.column)} {other.text}"


def _quarter_asked(table: Table, column: int, asked: TableQuery) -> str:
    """The quarter as the question calls it, if only the document shows that the column is for it: “Q3 2023, Three
    months ended July 1, 2023”."""
    times = table.column_times(asked.months)[column]
    if asked.meant and any(p == q for p in asked.meant for q in times):
        return "latest, "
    derived = [q for q in times if q in table.quarters[column]]
    meant = [p for p in asked.periods if p.part and any(p.year == q.year and p.part == q.part for q in derived)]
    return f"{meant[0].part} {meant[0].year}, " if meant else ""


def _condition(anchor: Anchor, table: Table) -> str:
    if anchor.column < 0 or (anchor.column == table.label_column and len(anchor.rows) == 1):
        return ""
    column = column_of(table, anchor.column)[:LONGEST_CELL]
    if anchor.kind in ("above", "below"):
        return f"{column} {anchor.kind} {anchor.limit:.6g}"
    texts = dict.fromkeys(table.cell(row, anchor.column).text[:LONGEST_CELL] for row in anchor.rows)
    return f"{column} {'not ' if anchor.kind == 'not' else ''}{_told(list(texts)[:MOST_TOLD], len(texts))}"


def _told(texts: Sequence[str], of: int) -> str:
    more = of - len(texts)
    return "; ".join([*texts, *([f"{more} more"] if more > 0 else [])])


def _caption(table: Table) -> str:
    return " ".join(_last_lines(table.above))[-LONGEST_CAPTION:]


def _last_lines(text: str) -> Iterator[str]:
    yield from [line.strip() for line in text.splitlines() if line.strip()][-2:]

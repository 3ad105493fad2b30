"""Answers a question from the tables in its passages, or gives nothing if no answer is sure enough.

With tables from several documents, it finds out which documents the question means, or follows one figure through all
of them.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from masis.language.directives import NO_ORDERS, Directives
from masis.language.periods import Period
from masis.language.quantities import quantities
from masis.language.question import without_documents
from masis.language.words import names, stem
from masis.reasoning.offline.tables.anchors import ALIKE, MarkedRow, TableQuery
from masis.reasoning.offline.tables.calculations import (
    Calculation,
    aggregated,
    calculation,
    moved,
    over_range,
    over_time,
    queries,
)
from masis.reasoning.offline.tables.cell_names import label_of, unit_of
from masis.reasoning.offline.tables.columns import whole_column
from masis.reasoning.offline.tables.comparison import Comparison, comparison
from masis.reasoning.offline.tables.grid import Cell, Table, tables_of
from masis.reasoning.offline.tables.phrasing import as_table, said, stands_out_from
from masis.reasoning.offline.tables.trials import Trial
from masis.reasoning.offline.tables.values import TOKEN, stems
from masis.reasoning.offline.tables.weighing import NamesAsked, Weighed, pool_of, probabilities, weighed, weights
from masis.reasoning.ports import Passage

ROUNDED = 0.002
OF_ONE_ROW = frozenset({"cell", "cells", "change", "percent_change", "when_highest", "when_lowest"})
ROW_IS_MEANT = 0.5
"""Share of the probability of all answers that the trials of one row must have for that row to be the one meant."""
SILENT = 0.9
"""If “no answer” has more than this probability, the document does not have the figure."""
MOST_DOCUMENTS = 8
MOST_TABLES = 8


def meant_tables(asked: TableQuery, tables: Sequence[Table]) -> tuple[TableQuery, list[Table]]:
    """Drops tables of documents with another name or another quarter, and older documents if the question asks for the
    newest. Also removes from the question the words that only identify the document."""
    asked, tables = _of_those_named(asked, tables)
    if asked.reading.is_for_the_newest and not asked.periods:
        times = [_order(t) for t in table_times(tables)]
        newest = [t for t in tables if not t.document_times or _order(t.document_times) == max(times)]
        own = [t.column_periods[n] for t in newest for n in t.own_columns()]
        return replace(asked, meant=max(own, key=_order, default=())), newest
    # Only a quarter or a month rules a document out: a single day may be in the report of any quarter.
    parts = [p for p in asked.periods if p.year and p.part and not p.is_day]
    kept = [t for t in tables if not _is_of_another(t.document_times, parts)]
    return asked, kept or list(tables)


def _of_those_named(asked: TableQuery, tables: Sequence[Table]) -> tuple[TableQuery, Sequence[Table]]:
    """“Apple's net sales” means the net sales in Apple's documents, whose tables do not repeat the name."""
    spoken = (word for name in names(f"x {asked.text}") for word in TOKEN.findall(name))
    called = {word: stem(word.lower()) for word in spoken if len(word) > 1}
    # “Ireland” in a column of countries does not name a document, even if another document is about Ireland.
    called = {
        w: own for w, own in called.items() if all(own in t.document_stems or own not in t.cell_stems for t in tables)
    }
    shared = {id(t): sum(own in t.document_stems for own in called.values()) for t in tables}
    most = max(shared.values(), default=0)
    if not most:
        return replace(asked, text=without_documents(asked.text)), tables
    kept = [t for t in tables if shared[id(t)] == most]
    said = [w for w, own in called.items() if all(own in t.document_stems and own not in t.label_stems for t in kept)]
    if not said:
        return asked, kept
    called_so = "|".join(map(re.escape, said))
    bare = re.sub(rf"(?i)(?:\b(?:of|at|for|by)\s+)?(?<!\w)(?:{called_so})(?:['’]s|['’])?(?!\w)", " ", asked.text)
    return replace(asked, text=without_documents(bare)), kept


def likely_tables(asked: TableQuery, tables: Sequence[Table]) -> list[Table]:
    """The tables that share the most words with the question. There is a limit because each takes about ten
    milliseconds."""
    wanted = {asked.stems[n] for n in asked.content}
    shared = {id(t): len(wanted & t.words) for t in tables}
    ranked = sorted((t for t in tables if shared[id(t)]), key=lambda t: -shared[id(t)])
    return ranked[:MOST_TABLES]


def table_times(tables: Sequence[Table]) -> list[tuple[Period, ...]]:
    return [t.document_times for t in tables if t.document_times] or [()]


def _order(times: tuple[Period, ...]) -> tuple[int, str]:
    return (times[0].year or 0, times[0].part or "") if times else (0, "")


def _is_of_another(document: Sequence[Period], asked: Sequence[Period]) -> bool:
    named = [p for p in document if p.year and p.part]
    return bool(named and asked) and all(p.excludes(q) for p in named for q in asked)


def series(asked: TableQuery, tables: Sequence[Table]) -> list[Trial]:
    """“How have sales changed over time?”, asked of several documents: each document's own figure, oldest first."""
    documents: dict[str, list[Table]] = defaultdict(list)
    for table in tables:
        documents[table.file_name].append(table)
    followed = asked.reading.followed
    if len(documents) < 2 or followed is None or asked.periods:
        return []
    bare = TableQuery(followed)
    found = [cell for of_one in documents.values() if (cell := _own_cell(bare, of_one))]
    names = Counter(label_of(table, cell.row).lower() for table, cell in found)
    commonest = names.most_common(1)[0][0] if names else ""
    same = [(t, c) for t, c in found if label_of(t, c.row).lower() == commonest]
    same.sort(key=lambda pair: _order(pair[0].column_periods[pair[1].column]))
    trials = [Trial("cell", t, (c.text,), c.amount, (c,), (), c.column) for t, c in same]
    return trials[:MOST_DOCUMENTS] if len(trials) > 1 else []


def breakdown(asked: TableQuery, tables: Sequence[Table]) -> Trial | None:
    """“Revenue by segment”: the rows that add up to a total with the name and the period asked for."""
    whole = asked.reading.broken_down
    if whole is None:
        return None
    bare = TableQuery(whole, asked.meant)
    wanted = {alike for n in bare.content for alike in (bare.stems[n], ALIKE.get(bare.stems[n]))}
    made = [trial for table in tables for column in _columns_meant(bare, table) for trial in _sums_up(table, column)]
    rated = [(len(wanted & _topic(trial)), len(trial.cells), -n, trial) for n, trial in enumerate(made)]
    return max(rated, key=lambda one: one[:3])[3] if rated and max(rated, key=lambda one: one[:3])[0] else None


def _columns_meant(asked: TableQuery, table: Table) -> list[int]:
    times = table.column_times(asked.months)
    if not asked.periods:
        return list(table.own_columns(asked.months)[:1]) or [
            n for n, kind in enumerate(table.kinds) if kind == "amount"
        ]
    return [n for n in table.timed if any(not p.excludes(q) for p in asked.periods for q in times[n])][:1]


def _sums_up(table: Table, column: int) -> Iterator[Trial]:
    """Finds consecutive rows whose amounts add up to the row below them."""
    cells = table.column_cells(column)
    for last in range(2, len(cells)):
        whole = cells[last].amount
        total = 0.0
        for first in range(last - 1, -1, -1):
            part = cells[first].amount
            if part is None or not whole or not cells[first].text:
                break
            total += part
            if last - first > 1 and abs(total - whole) <= ROUNDED * abs(whole):
                told = tuple(cells[first : last + 1])
                yield Trial("breakdown", table, tuple(c.text for c in told), None, told, (), column)
                break


def _topic(trial: Trial) -> set[str]:
    """The words that say what a total is of: from its own row, the heading of its group and the text above the
    table."""
    table, last = trial.table, trial.cells[-1]
    over = " ".join([table.rows[last.row].group, table.rows[trial.cells[0].row].group, table.above[-200:]])
    return {*table.cell(last.row, table.label_column).stems, *stems(over)}


def _own_cell(asked: TableQuery, tables: Sequence[Table]) -> tuple[Table, Cell] | None:
    """The figure for the document's own period, in the row that the question means."""
    pool = pool_of(asked, [t for t in tables if t.own_columns()])
    if pool is None:
        return None
    shares = probabilities(asked, pool, weights())
    rows: dict[tuple[int, int], float] = defaultdict(float)
    for trial, share in zip(pool.trials, shares, strict=False):
        of_one = {cell.row for cell in trial.cells}
        if trial.form in OF_ONE_ROW and len(of_one) == 1:
            rows[tables.index(trial.table), of_one.pop()] += float(share)
    if not rows or shares[-1] > SILENT:
        return None
    (place, row), mass = max(rows.items(), key=lambda pair: pair[1])
    table = tables[place]
    cell = table.cell(row, table.own_columns()[0])
    return (table, cell) if mass >= ROW_IS_MEANT * (1 - float(shares[-1])) and cell.amount is not None else None


SURE = 0.45
"""Least strength with which an answer is given."""
AGREED = 0.15
"""Least strength with which an answer counts if the best sentence or the best row says the same."""
SURELY_MOVED = 0.7
"""Strength of an answer made of rows that rose or fell between two periods, or that share a cell. The table's own words
either identify these rows or they do not, so there is nothing to weigh."""


@dataclass(frozen=True, slots=True)
class CitedCell:
    chunk_id: str
    start: int
    end: int
    """Start and end are offsets into the passage's text."""


@dataclass(frozen=True, slots=True)
class TableAnswer:
    sentences: tuple[str, ...]
    """Each ends with its citations."""
    cited: tuple[CitedCell, ...]
    kind: str
    """The operation: a form from `trials`, “series” or “comparison”."""
    strength: float
    """The fitted probability that the answer is right."""
    trial: Trial
    """The trial that produced the answer."""

    def is_given_by(self, text: str) -> bool:
        """Whether the text contains the names and figures of the answer as whole words, or the computed amount."""
        if self.trial.answer:
            return all(re.search(rf"(?<![\w.,]){re.escape(a)}(?![\w]|[.,]\d)", text) for a in self.trial.answer)
        value = abs(self.trial.value or 0.0)
        return any(abs(abs(q.value) - value) <= ROUNDED * value for q in quantities(text))


def answer_from_tables(
    question: str,
    passages: Sequence[Passage],
    at_least: float = SURE,
    orders: Directives = NO_ORDERS,
    rows: tuple[MarkedRow, ...] = (),
) -> TableAnswer | None:
    """Returns the best answer with at least this strength. `rows` are the rows that the selector considers part of the
    answer."""
    best = _best_answer(TableQuery(question, (), orders, rows), tuple(passages))
    return best if best and best.strength >= at_least else None


@lru_cache(maxsize=16)
def _best_answer(query: TableQuery, passages: tuple[Passage, ...]) -> TableAnswer | None:
    """Cached because the writer, the auditor and the judge each ask for it."""
    question = query.text
    found = tables_of(passages)
    asked, tables = meant_tables(query, found)
    named = NamesAsked.of(asked.text, passages)
    if (followed := series(asked, tables)) and all(named.meant(asked, [one]) for one in followed):
        return _answer(asked, followed, "series", SURE)
    if (parts := breakdown(asked, tables)) and named.meant(asked, [parts]):
        columns = _columns_asked(asked, parts)
        cells = tuple(parts.table.cell(c.row, n) for c in parts.cells for n in columns)
        told = replace(parts, answer=tuple(c.text for c in cells), cells=cells)
        return replace(_answer(asked, [told], "breakdown", SURE), sentences=(as_table(parts, columns),))
    if rows := named.meant(asked, moved(asked, likely_tables(asked, tables))):
        return _answer(asked, rows, "series", SURELY_MOVED)
    if (over := aggregated(asked, likely_tables(asked, tables))) and named.meant(asked, [over]):
        return _answer(asked, [over], over.form, SURELY_MOVED)
    every = likely_tables(TableQuery(question), found)
    if beside := comparison(asked, likely_tables(asked, tables)) or whole_column(TableQuery(question), every):
        return _compared(beside)
    best = weighed(asked, likely_tables(asked, tables), named)
    if wanted := calculation(asked.text, tables):
        return _computed(asked, wanted, tables, best, named)
    if best is None:
        return None
    trial = over_range(asked, _at_all_times(asked, best.trial))
    return _answer(asked, [trial], trial.form, best.strength) if trial else None


def _computed(
    asked: TableQuery, wanted: Calculation, tables: Sequence[Table], best: Weighed | None, named: NamesAsked
) -> TableAnswer | None:
    """Takes the figure from a row or column that states it, and computes it otherwise.

    None if neither is possible: a figure that would only be an input to the calculation is not what was asked for.
    """
    if best and best.trial.cells and all(wanted.is_given_by(best.trial.table, c) for c in best.trial.cells):
        return _answer(asked, [best.trial], best.trial.form, best.strength)
    tables = [t for t in tables if _has_all_times(asked, t)] or tables
    tried = [(one, weighed(one, likely_tables(one, tables), named)) for one in queries(asked, wanted)]
    read = [(one, replace(f, trial=over_time(f.trial, wanted.forms))) for one, f in [*tried, (asked, best)] if f]
    made = [(one, f) for one, f in read if f.trial.form in wanted.forms and _is_comparable(asked, f.trial)]
    made = [(one, f) for one, f in made if wanted.may_be_from(f.trial.table)]
    if not made:
        return None
    query, found = max(made, key=lambda pair: pair[1].strength)
    return _answer(query, [found.trial], found.trial.form, found.strength)


def _has_all_times(asked: TableQuery, table: Table) -> bool:
    own = [p for times in (*table.column_times(asked.months), *table.row_times) for p in times]
    return all(any(not p.excludes(q) for q in own) for p in asked.periods)


def _is_comparable(asked: TableQuery, trial: Trial) -> bool:
    """Whether the cells are in one unit and, for a change, one above the other or for two periods: from the passengers
    to the crew nothing changes."""
    table, columns = trial.table, {cell.column for cell in trial.cells}
    times = table.column_times(asked.months)
    is_change = trial.form in ("change", "percent_change")
    is_timed = len(columns) == 1 or all(times[n] for n in columns)
    return len({unit_of(table, cell) for cell in trial.cells}) == 1 and (is_timed or not is_change)


def _at_all_times(asked: TableQuery, trial: Trial) -> Trial:
    """“Compare profit in 2023 with 2022”: extends an answer for one of the periods to all periods asked for."""
    table, first = trial.table, trial.cells[0]
    if trial.form != "cell" or len(trial.cells) > 1 or len(asked.times) < 2:
        return trial
    times = table.column_times(asked.months)
    meant = [n for n in table.timed if any(not p.excludes(q) for p in asked.times for q in times[n])]
    cells = tuple(cell for n in meant if (cell := table.cell(first.row, n)).text)
    if len(cells) < 2 or first.column not in meant:
        return trial
    return replace(
        trial, form="cells", answer=tuple(c.text for c in cells), value=None, cells=cells, columns=tuple(meant)
    )


def _columns_asked(asked: TableQuery, trial: Trial) -> list[int]:
    """The columns of a breakdown for all periods asked for, oldest first."""
    table, times = trial.table, trial.table.column_times(asked.months)
    meant = [n for n in table.timed if any(not p.excludes(q) for p in asked.times for q in times[n])]
    whole = [n for n in meant if all(table.cell(c.row, n).text for c in trial.cells)]
    if len(asked.times) < 2 or trial.column not in whole:
        return [trial.column]
    return sorted(whole, key=lambda n: (times[n][0].year or 0, times[n][0].part or ""))


def _compared(beside: Comparison) -> TableAnswer:
    table, first = beside.cells[0]
    cells = tuple(cell for _, cell in beside.cells)
    return TableAnswer(
        (beside.text,),
        tuple(CitedCell(c.passage.chunk_id, c.start, c.end) for c in cells),
        "comparison",
        max(SURE, beside.strength),
        Trial("cells", table, tuple(c.text for c in cells), None, cells, (), first.column),
    )


def _answer(asked: TableQuery, found: Sequence[Trial], kind: str, strength: float) -> TableAnswer:
    cells = [cell for trial in found for cell in trial.cells]
    return TableAnswer(
        tuple(cited(said(trial, asked), [*trial.cells, *stands_out_from(trial)]) for trial in found),
        tuple(CitedCell(c.passage.chunk_id, c.start, c.end) for c in cells),
        kind,
        strength,
        found[0],
    )


def cited(text: str, cells: Sequence[Cell]) -> str:
    marks = dict.fromkeys(f"[{cell.passage.chunk_id}]" for cell in cells)
    return f"{text} {' '.join(marks)}"

"""A question and passages in, an answer from their tables out, or nothing where none is sure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from masis.language.directives import NO_ORDERS, Directives
from masis.reasoning.offline.tables.across_documents import breakdown, likely_tables, meant_tables, series
from masis.reasoning.offline.tables.anchors import TableQuery
from masis.reasoning.offline.tables.grid import Cell, tables_of
from masis.reasoning.offline.tables.phrasing import as_table, row_by_row, said
from masis.reasoning.offline.tables.trials import Trial
from masis.reasoning.offline.tables.weighing import weighed
from masis.reasoning.ports import Passage

SURE = 0.45
"""The strength from which an answer is given."""


@dataclass(frozen=True, slots=True)
class CitedCell:
    chunk_id: str
    start: int
    end: int
    """Of the passage's text."""


@dataclass(frozen=True, slots=True)
class TableAnswer:
    sentences: tuple[str, ...]
    """With their citations."""
    row_by_row: tuple[str, ...]
    """The same in sentences of one row each, where there are such."""
    cited: tuple[CitedCell, ...]
    kind: str
    """What was done: a form of `trials`."""
    strength: float
    """The fitted probability of being right."""
    trial: Trial
    """How it was found."""


def answer_from_tables(
    question: str, passages: Sequence[Passage], at_least: float = SURE, orders: Directives = NO_ORDERS
) -> TableAnswer | None:
    best = _best_answer(question, tuple(passages), orders)
    return best if best and best.strength >= at_least else None


@lru_cache(maxsize=16)
def _best_answer(question: str, passages: tuple[Passage, ...], orders: Directives) -> TableAnswer | None:
    """Cached, since the writer, the auditor and the judge each ask for it."""
    asked, tables = meant_tables(TableQuery(question, orders=orders), tables_of(passages))
    if followed := series(asked, tables):
        return _answer(asked, followed, "series", SURE)
    if parts := breakdown(asked, tables):
        return replace(_answer(asked, [parts], "breakdown", SURE), sentences=(as_table(parts),))
    best = weighed(asked, likely_tables(asked, tables))
    return _answer(asked, [best.trial], best.trial.form, best.strength) if best else None


def _answer(asked: TableQuery, found: Sequence[Trial], kind: str, strength: float) -> TableAnswer:
    cells = [cell for trial in found for cell in trial.cells]
    return TableAnswer(
        tuple(cited(said(trial, asked), trial.cells) for trial in found),
        tuple(cited(text, [cell]) for text, cell in row_by_row(found[0])) if len(found) == 1 else (),
        tuple(CitedCell(c.passage.chunk_id, c.start, c.end) for c in cells),
        kind,
        strength,
        found[0],
    )


def cited(text: str, cells: Sequence[Cell]) -> str:
    marks = dict.fromkeys(f"[{cell.passage.chunk_id}]" for cell in cells)
    return f"{text} {' '.join(marks)}"

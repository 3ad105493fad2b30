"""Figures that stand in a table as they are asked for: found by row, column and time, one line a document."""

import re
from collections import defaultdict
from collections.abc import Sequence

from masis.reasoning.offline.calculation import EXPLAINS, times_of
from masis.reasoning.offline.cells import (
    Cell,
    at,
    cells_of,
    cited_cells,
    listed,
    meant_cells,
    months_of,
    name_of,
    unit_of,
    when,
    when_sorted,
)
from masis.reasoning.offline.question import Question, read_question
from masis.reasoning.offline.selection import Candidate

SURE = 0.8
"""As `MEANT`, for a figure that is given without reading further."""
MOST_TIMES = 4
"""A row with more columns is quoted, not told."""
MOST_DOCUMENTS = 6


ACROSS = re.compile(
    r"\b(?:over|across|throughout|through) (?:the |these |all )?(?:reported |reporting |past |last |recent )?"
    r"(?:time|periods?|quarters?|years?|months?|filings|reports)\b",
    re.IGNORECASE,
)
TURNED = re.compile(
    r"\b(?:changed?|trend\w*|fluctuat\w+|evolv\w+|develop\w*|var(?:y|ied)|shifted|moved)\b", re.IGNORECASE
)


def looked_up(part: Question, candidates: Sequence[Candidate]) -> list[str]:
    """Cited sentences; none where no table has beyond doubt what is asked."""
    over_time = bool(ACROSS.search(part.text))
    if not ("number" in part.kinds or part.periods or over_time) or EXPLAINS.search(part.text):
        return []
    if over_time:
        part = read_question(TURNED.sub(" ", ACROSS.sub(" ", part.text)))
    by_document: dict[str, list[Cell]] = defaultdict(list)
    for cell in cells_of(candidates):
        by_document[cell.source.passage.file_name].append(cell)
    choose = _newest if over_time and len(by_document) > 1 else _chosen
    found = [choose(part, meant_cells(part, cells, SURE)) for cells in by_document.values()]
    found.sort(key=lambda cells: [when_sorted(cell) for cell in cells])
    told: dict[tuple[float, ...], str] = {}
    for cells in found:
        if cells:
            told.setdefault(tuple(cell.amount for cell in cells), _sentence(cells))
    return list(told.values())[:MOST_DOCUMENTS]


def _chosen(part: Question, meant: Sequence[Cell]) -> list[Cell]:
    if times := times_of(part, every=True):
        cells = list(dict.fromkeys(cell for time in times if (cell := at(time, meant))))
        return cells if len(cells) == len(times) else []
    if len(meant) == 1:
        return list(meant)
    dated = {cell.periods[0]: cell for cell in meant if len(cell.periods) == 1 and not cell.is_change}
    return list(dated.values()) if len(dated) == len(meant) <= MOST_TIMES else []


def _newest(part: Question, meant: Sequence[Cell]) -> list[Cell]:
    """What a document of a series is about: its own period, not the one it is compared with, nor the months so far."""
    dated = [cell for cell in meant if cell.periods and not cell.is_change]
    briefest = min((months_of(cell) for cell in dated), default=0)
    return sorted((c for c in dated if months_of(c) == briefest), key=when_sorted)[-1:]


def _sentence(cells: Sequence[Cell]) -> str:
    values = listed([f"{cell.value} {when(cell)}".strip() for cell in cells])
    return cited_cells(f"{name_of(cells[0])}{unit_of(cells[0])}: {values}.", cells)

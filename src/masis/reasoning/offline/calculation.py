"""Figures that a table gives the numbers of: changes, sums, averages and extremes, with the cells they come from."""

import re
from collections.abc import Sequence
from typing import Literal

from masis.language.quantities import SCALES, Period, quantities
from masis.language.readings import RESPECTIVELY
from masis.reasoning.offline.cells import (
    Cell,
    at,
    cells_of,
    cited_cells,
    is_share,
    listed,
    meant_cells,
    name_of,
    unit_of,
    when,
    when_sorted,
)
from masis.reasoning.offline.question import Question, read_question
from masis.reasoning.offline.selection import Candidate

Operation = Literal["change", "percent", "sum", "average", "above", "below", "highest", "lowest"]

PERCENT = r"(?:percentage|percent|%|relative)"
LIMIT = r"(?P<limit>[$€£]?\s?\d[\d,.]*\s?(?:%|percent|thousands?|millions?|billions?)?)"
EXPLAINS = re.compile(
    r"\b(?:why|reasons?|caus\w+|due to|factors?|drivers?|explain\w*|contribut\w+ to)\b", re.IGNORECASE
)
PATTERNS: dict[Operation, re.Pattern[str]] = {
    "percent": re.compile(
        rf"\b(?:{PERCENT}\W+(?:change|increase|decrease|growth|difference|rise|decline)|by (?:what|how many) percent\w*"
        rf"|(?:change|growth|increase|decrease)\W+(?:in\W+)?(?:percent\w*|%|rate))(?:\W+in)?|%\W+(?:change|growth)",
        re.IGNORECASE,
    ),
    "change": re.compile(
        r"\b(?:(?:nominal |total )?(?:change|difference|increase(?:\W+decrease\W*)?|decrease)(?:\W+(?:in|of)\b)?"
        r"|by how much did|how much did)(?!\w)",
        re.IGNORECASE,
    ),
    "average": re.compile(r"\b(?:average|mean)\b", re.IGNORECASE),
    "sum": re.compile(r"\b(?:sum|combined|in total|altogether|together|total)\b", re.IGNORECASE),
    "above": re.compile(rf"\b(?:more|greater|higher|larger|above|over|exceed\w*)(?:\s+than)?\s+{LIMIT}", re.IGNORECASE),
    "below": re.compile(rf"\b(?:less|lower|fewer|smaller|below|under)(?:\s+than)?\s+{LIMIT}", re.IGNORECASE),
    "highest": re.compile(r"\b(?:(?:the )?(?:highest|largest|greatest|biggest|most)|higher|larger|greater)\b", re.I),
    "lowest": re.compile(r"\b(?:(?:the )?(?:lowest|smallest|least|fewest)|lower|smaller)\b", re.IGNORECASE),
}
NOISE = re.compile(
    r"\b(?:change[sd]?|increase[sd]?|decrease[sd]?|between|respective(?:ly)?|terms|year|which|amount|value)\b", re.I
)
WHICH_TIME = re.compile(r"\b(?:which|what) (?:fiscal |financial )?(?:years?|quarters?|months?|periods?)\b", re.I)
OF_TIMES: tuple[Operation, ...] = ("above", "below", "highest", "lowest")
WHICH_ROW = re.compile(r"\W*(?:which|what)\s+(?!year|quarter|month|period)\w+", re.IGNORECASE)
LONGEST_SPAN = 20
_YEAR = r"((?:19|20)\d\d)"
SPAN = re.compile(
    rf"\b{_YEAR}\s*(?:to|through|until|-|–)\s*{_YEAR}\b|\bbetween\s+(?:fiscal\s+)?(?:year\s+)?{_YEAR}\s+and\s+{_YEAR}\b",
    re.IGNORECASE,
)


def calculated(part: Question, candidates: Sequence[Candidate]) -> str | None:
    """A cited sentence; none where no such figure is asked for, or the tables leave its numbers in doubt."""
    operation = operation_of(part)
    if operation is None:
        return None
    cells = cells_of(candidates)
    subject = _subject(part, operation)
    if operation in ("highest", "lowest") and not WHICH_TIME.search(part.text):
        return _extreme_row(part, subject, cells, highest=operation == "highest")
    meant = meant_cells(subject, cells)
    chosen = _operands(part, operation, meant)
    if operation in ("above", "below"):
        return _beyond(part, operation, chosen)
    return _stated(operation, chosen) if len(chosen) > 1 else None


def operation_of(part: Question) -> Operation | None:
    if EXPLAINS.search(part.text):
        return None
    asked_for = next((name for name in _precedence(part) if PATTERNS[name].search(part.text)), None)
    if asked_for in ("highest", "lowest"):
        return asked_for if WHICH_TIME.search(part.text) or WHICH_ROW.match(part.text) else None
    if asked_for in ("above", "below"):
        return asked_for if WHICH_TIME.search(part.text) else None
    if (asked_for == "sum" and len(times_of(part, every=True)) < 2) or RESPECTIVELY.search(part.text):
        # “Total sales in 2019” is a row of its own.
        return None
    return asked_for


def _precedence(part: Question) -> list[Operation]:
    """“In which year was the increase largest?” asks for a year."""
    names: list[Operation] = list(PATTERNS)
    return sorted(names, key=lambda n: n not in OF_TIMES) if WHICH_TIME.search(part.text) else names


def _subject(part: Question, operation: Operation) -> Question:
    """The question without the words of reckoning: what is left names the row."""
    is_name = operation == "sum" and not re.search(r"\b(?:sum|combined|together)\b", part.text, re.IGNORECASE)
    bare = part.text if is_name else PATTERNS[operation].sub(" ", part.text)
    return read_question(NOISE.sub(" ", bare))


def times_of(part: Question, *, every: bool) -> list[Period]:
    """“From 2017 to 2019” means three years, or, for a change, two."""
    if found := SPAN.search(part.text):
        first, last = sorted(int(year) for year in found.groups() if year)
        if 0 < last - first < LONGEST_SPAN:
            return [Period(year) for year in (range(first, last + 1) if every else (first, last))]
    return list(dict.fromkeys(part.periods))


def _operands(part: Question, operation: Operation, meant: Sequence[Cell]) -> list[Cell]:
    times = times_of(part, every=operation in ("sum", "average"))
    if times and operation not in OF_TIMES:
        found = [at(time, meant) for time in times]
        cells = list(dict.fromkeys(cell for cell in found if cell))
        return cells if len(cells) == len(times) else []
    dated = [c for c in meant if len(c.periods) == 1 and not c.is_change]
    if operation == "average" and any(PATTERNS["average"].search(f"{c.label} {c.column}") for c in meant):
        return []
    alone = {c.periods[0]: c for c in dated}
    if len(alone) != len(dated):
        return []
    return list(alone.values()) if operation in (*OF_TIMES, "average") or len(dated) == 2 else []


def _stated(operation: Operation, cells: Sequence[Cell]) -> str | None:
    if len({unit_of(cell) for cell in cells}) > 1 or len({is_share(cell) for cell in cells}) > 1:
        return None
    if operation in ("change", "percent") and len(cells) == 2:
        old, new = sorted(cells, key=when_sorted)
        text = _change(old, new, in_percent=operation == "percent")
    elif operation in ("sum", "average"):
        text = _together(cells, operation)
    elif operation in ("highest", "lowest"):
        text = _extreme_time(cells, highest=operation == "highest")
    else:
        return None
    return cited_cells(text, cells) if text else None


def _change(old: Cell, new: Cell, *, in_percent: bool) -> str | None:
    difference = new.amount - old.amount
    if in_percent and not old.amount:
        return None
    by = _percent(100 * difference / abs(old.amount)) if in_percent else _difference(abs(difference), old, new)
    turn = "increased" if difference > 0 else "decreased"
    if old.amount < 0 or new.amount < 0:
        # Whether a cost in brackets that grows goes up or down is for the reader to say.
        turn = "changed"
    if not difference:
        return f"{name_of(new)}{unit_of(new)} did not change: {new.value} {when(new)} and {old.value} {when(old)}."
    return f"{name_of(new)}{unit_of(new)} {turn} by {by}, from {old.value} {when(old)} to {new.value} {when(new)}."


def _difference(amount: float, old: Cell, new: Cell) -> str:
    shown = _like(amount, old, new)
    return f"{shown.rstrip('%')} percentage points" if is_share(new) else shown


def _together(cells: Sequence[Cell], operation: Operation) -> str:
    total = sum(cell.amount for cell in cells)
    word, made = ("average", total / len(cells)) if operation == "average" else ("total", total)
    values = listed([f"{cell.value} {when(cell)}" for cell in cells])
    places = 2 if operation == "average" else 0
    return f"{name_of(cells[0])}{unit_of(cells[0])}: {values}, {word} {_like(made, *cells, more=places)}."


def _extreme_time(cells: Sequence[Cell], *, highest: bool) -> str | None:
    first, *others = sorted(cells, key=lambda c: c.amount, reverse=highest)
    if not others or first.amount == others[0].amount:
        return None
    than = listed([f"{when(cell)} ({cell.value})" for cell in others])
    word = "higher" if highest else "lower"
    return f"{name_of(first)}{unit_of(first)} was {word} {when(first)} ({first.value}) than {than}."


def _beyond(part: Question, operation: Operation, cells: Sequence[Cell]) -> str | None:
    """“In which years was revenue above 600 million?”"""
    found = PATTERNS[operation].search(part.text)
    limits = quantities(found["limit"]) if found else []
    if not limits or not cells:
        return None
    scale = SCALES.get(unit_of(cells[0]).strip(" ()").removeprefix("in "), 1.0)
    limit = limits[0].value / (scale if limits[0].scaled else 1.0)
    meeting = [c for c in cells if (c.amount > limit if operation == "above" else c.amount < limit)]
    if not meeting:
        return None
    values = listed([f"{when(cell)} ({cell.value})" for cell in meeting])
    written = limits[0].text.strip() if not limits[0].scaled else _like(limit, *meeting)
    sign = _sign(meeting)
    written = written if written.startswith(sign) else f"{sign}{written}"
    text = f"{name_of(cells[0])}{unit_of(cells[0])} was {operation} {written} {values}."
    return cited_cells(text, meeting)


def _extreme_row(part: Question, subject: Question, cells: Sequence[Cell], *, highest: bool) -> str | None:
    """“Which department has the most beds?”: one column, all rows."""
    columns: dict[tuple[tuple[str, str], str], list[Cell]] = {}
    for cell in cells:
        if cell.label and not re.match(r"\W*(?:sub)?total\b|\W*all\b", cell.label, re.IGNORECASE):
            columns.setdefault((cell.table, cell.column), []).append(cell)
    wanted = set(subject.terms)
    fitting = [c for (_, name), c in columns.items() if len(c) > 1 and _names(wanted, name) and _in_time(part, c[0])]
    if len(fitting) != 1:
        return None
    first, *others = sorted(fitting[0], key=lambda c: c.amount, reverse=highest)
    if first.amount == others[0].amount or len({unit_of(c) for c in fitting[0]}) > 1:
        return None
    than = listed([f"{cell.label} ({cell.value})" for cell in others[:4]])
    word = "more" if highest else "less"
    text = f"{first.label}: {first.column} {first.value}{unit_of(first)}, {word} than {than}."
    return cited_cells(text, [first, *others[:4]])


def _names(wanted: set[str], column: str) -> bool:
    own = set(read_question(column).terms)
    return bool(own) and own <= wanted


def _in_time(part: Question, cell: Cell) -> bool:
    return not part.periods or not cell.periods or any(not p.excludes(q) for p in part.periods for q in cell.periods)


def _percent(value: float) -> str:
    return f"{abs(value):.2f}%" if abs(value) < 10 else f"{abs(value):.1f}%"


def _like(amount: float, *cells: Cell, more: int = 0) -> str:
    """Written as the cells are: their decimals, their currency sign."""
    decimals = max(len(re.sub(r"[^\d.]", "", c.value).partition(".")[2]) for c in cells)
    digits = f"{abs(amount):,.{decimals + more}f}"
    if more:
        digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
    return f"{'-' if amount < 0 else ''}{_sign(cells)}{digits}{'%' if is_share(cells[0]) else ''}"


def _sign(cells: Sequence[Cell]) -> str:
    return next((sign for sign in "$€£" if all(sign in cell.value for cell in cells)), "")

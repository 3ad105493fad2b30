"""The cells of the tables among the passages: which of them a question means, by label, column and period."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from masis.language.periods import PERIOD
from masis.language.quantities import SCALES, Period, Quantity, period_of_cells, periods, quantities
from masis.language.table_headers import GROUP
from masis.language.words import content_stems, stem
from masis.reasoning.offline.question import ASKING, Question
from masis.reasoning.offline.selection import Candidate

MEANT = 0.6
"""Share of the question's own words that a cell's label, column and table must have for it to be the one meant."""
TOTAL = stem("total")
UNSAID = 0.05
"""What a label loses for each of its words that the question does not have: “total sales” is not “sales”."""
FIGURE = re.compile(r"[-−–+]?\s?[($€£¥]*\s?[-−–]?[\d.,]*\d[\d.,]*\)?\s?[%)]*")
FOOTNOTE = re.compile(r"\s*\(\w\)$|(?<=[a-z])\d$|\s*[*†‡]+$")
CHANGES = re.compile(r"\b(?:change|increase|decrease|growth|variance|difference)\b|%", re.IGNORECASE)


@dataclass(frozen=True)
class Cell:
    source: Candidate
    label: str
    """The row's own name, without the mark of a footnote."""
    column: str
    group: str
    value: str
    quantity: Quantity

    @cached_property
    def periods(self) -> list[Period]:
        return period_of_cells([self.column]) or periods(self.group) or periods(self.label)

    @property
    def amount(self) -> float:
        is_negative = self.value.lstrip(" $€£").startswith(("(", "-", "−", "–"))
        return -abs(self.quantity.value) if is_negative else self.quantity.value

    @property
    def table(self) -> tuple[str, str]:
        return self.source.passage.chunk_id, self.source.statement.above

    @cached_property
    def named(self) -> frozenset[str]:
        return frozenset(content_stems(f"{self.label} {self.column} {self.group}"))

    @property
    def is_change(self) -> bool:
        return bool(CHANGES.search(self.column)) and not is_share(self)


def cells_of(candidates: Iterable[Candidate]) -> list[Cell]:
    return [cell for candidate in candidates if candidate.statement.is_row for cell in _cells(candidate)]


def _cells(candidate: Candidate) -> list[Cell]:
    (first, label), *others = candidate.statement.cells
    group = next((value for column, value in others if column == GROUP), "")
    if quantities(label) and not periods(label) and not content_stems(re.sub(r"\d", "", label)):
        others, label = [(first, label), *others], ""
    return [
        Cell(candidate, FOOTNOTE.sub("", label), FOOTNOTE.sub("", column), group, value, found[0])
        for column, value in others
        if column != GROUP and FIGURE.fullmatch(value.strip()) and len(found := quantities(value)) == 1
    ]


def meant_cells(part: Question, cells: Sequence[Cell], at_least: float = MEANT) -> list[Cell]:
    """The cells of one table whose label, column and group answer best to the question's words, whatever their time."""
    wanted = _subject(part, cells)
    if not wanted:
        return []
    scores = {id(cell): _closeness(wanted, cell) for cell in cells}
    best = max(scores.values(), default=0.0)
    if best < at_least:
        return []
    first = next(cell for cell in cells if scores[id(cell)] == best)
    return [cell for cell in cells if scores[id(cell)] > best - UNSAID / 2 and cell.table == first.table]


def _subject(part: Question, cells: Sequence[Cell]) -> frozenset[str]:
    """Names that no table has stand for the company that all of them are about."""
    said = {word for cell in cells for word in (cell.named | _around(cell))}
    asked = {t for t in part.terms if t not in ASKING or t == TOTAL}
    elsewhere = {t for t in asked if t in part.named and t not in said}
    return frozenset(asked - elsewhere) if 2 * len(elsewhere) <= len(asked) else frozenset()


def _around(cell: Cell) -> frozenset[str]:
    return frozenset(content_stems(f"{cell.source.statement.above} {cell.source.passage.file_name}"))


def _closeness(wanted: frozenset[str], cell: Cell) -> float:
    own = frozenset(content_stems(cell.label))
    around = _around(cell) - cell.named
    found = len(wanted & cell.named) + 0.5 * len((wanted - cell.named) & around)
    if not wanted & (own | frozenset(content_stems(cell.column))) or len(own - wanted) > len(own & wanted):
        # A label that says much more than was asked is another row.
        return 0.0
    unsaid = {word for word in cell.named - wanted if not word[0].isdigit() and word not in DATES}
    return found / len(wanted) - UNSAID * len(unsaid)


DATES = frozenset(
    content_stems(
        """year years ended ending months three six nine twelve fiscal quarter january february march april may june
        july august september october november december"""
    )
)


def when(cell: Cell) -> str:
    """The cell's time as one would say it."""
    said = next((text for text in (cell.column, cell.group, cell.label) if periods(text)), "")
    match = next((m for m in PERIOD.finditer(said)), None)
    if match is None:
        return ""
    if months := re.search(r"\b(three|six|nine|twelve|\d+) months\b", said, re.IGNORECASE):
        return f"for the {months[1].lower()} months ended {match[0]}"
    if cell.periods[0].is_day:
        return f"in {cell.periods[0].year}" if re.search(r"\byears?\b", said, re.IGNORECASE) else f"at {match[0]}"
    return f"in {match[0].lower() if match[0].startswith('Fiscal') else match[0]}"


MONTHS = {"three": 3, "six": 6, "nine": 9, "twelve": 12}


def months_of(cell: Cell) -> int:
    """How long a time its column speaks of; 0 where that is not said in months."""
    found = re.search(r"\b(three|six|nine|twelve) months\b", cell.column, re.IGNORECASE)
    return MONTHS[found[1].lower()] if found else 0


def when_sorted(cell: Cell) -> tuple[int, str]:
    period = cell.periods[0] if cell.periods else Period()
    return period.year or 0, period.part or ""


def at(period: Period, cells: Sequence[Cell]) -> Cell | None:
    """The cell for a time: the one whose column, group or label says so."""
    fitting = [c for c in cells if c.periods and any(not period.excludes(p) for p in c.periods) and not c.is_change]
    briefest = min((months_of(c) for c in fitting), default=0)
    fitting = [c for c in fitting if months_of(c) == briefest] if period.part else fitting
    return fitting[0] if fitting and (len(fitting) == 1 or _agree(fitting)) else None


def _agree(cells: Sequence[Cell]) -> bool:
    return len({cell.amount for cell in cells}) == 1


GENERIC = re.compile(r"\W*(?:sub)?(?:total|other|others|net|gross|all other|balance)\W*", re.IGNORECASE)
"""Labels that say nothing without the line that heads their group."""


def name_of(cell: Cell) -> str:
    """The row; its column too, where that is more than a date."""
    column = _besides_dates(cell.column)
    label = "" if periods(cell.label) else cell.label.rstrip(":. ")
    over = cell.group if GENERIC.fullmatch(label) and not periods(cell.group) else ""
    return ", ".join(part for part in (over, label, column) if part) or cell.group


def _besides_dates(column: str) -> str:
    rest = UNIT.sub("", PERIOD.sub("", column)).strip(" ,.:-–()$€£")
    return rest if set(content_stems(rest)) - DATES else ""


def is_share(cell: Cell) -> bool:
    return cell.value.rstrip(" )").endswith("%")


def listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def cited_cells(text: str, cells: Sequence[Cell]) -> str:
    marks = dict.fromkeys(f"[{cell.source.passage.chunk_id}]" for cell in cells)
    return f"{text} {' '.join(marks)}"


def unit_of(cell: Cell) -> str:
    """“(in thousands of euros)”, where the table says so and the cell does not."""
    if is_share(cell) or UNSCALED.search(f"{cell.label} {cell.column}"):
        return ""
    for line in (cell.column, *reversed(cell.source.statement.above.splitlines())):
        for found in UNIT.finditer(line):
            factor = SCALES[(found["word"] or found["letter"]).lower()]
            return next((f" (in {word}{_currency(line, found)})" for word, size in WORDS.items() if size == factor), "")
    return ""


def _currency(line: str, unit: re.Match[str]) -> str:
    """“in million US dollars” says both."""
    named = CURRENCY.match(line, unit.end())
    return f" of {named[1]}" if named else ""


UNIT = re.compile(
    r"(?:\bin\s+(?:[A-Z]{2,3}\$?\s|U\.?S\.?\s|[$€£]\s?)?|[(,]\s*(?:[$€£]\s?)?|[$€£]\s?|[A-Z]{3}\W)"
    r"(?:(?P<word>thousands?|millions?|billions?)\b|(?P<letter>(?<=[$€£])(?:mn|bn|[mkb]))\b)",
    re.IGNORECASE,
)
CURRENCY = re.compile(
    r"\s+(?:of\s+)?((?:U\.?S\.? )?dollars|euros|pounds|Swiss francs|USD|EUR|GBP|CHF)\b", re.IGNORECASE
)
UNSCALED = re.compile(r"\bper\b|\b(?:ratio|rate|margin|percent\w*)\b|%", re.IGNORECASE)
"""What no table counts in millions."""
WORDS = {"thousands": 1e3, "millions": 1e6, "billions": 1e9}

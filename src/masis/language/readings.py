"""Reads every number of a statement with what it is for: its clause or column, its period and its names."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from masis.language.periods import Period, period_of_cells, period_spans, periods
from masis.language.quantities import Quantity, quantities, with_percent_inside
from masis.language.sentences import clause_at, clauses, is_compared
from masis.language.statements import CELL_BREAK, Statement
from masis.language.unit_captions import caption_of
from masis.language.words import DOWNWARDS, UPWARDS, capitalised

Spans = Sequence[tuple[Period, tuple[int, int]]]

_TURN = "|".join(sorted(UPWARDS | DOWNWARDS, key=len, reverse=True))
_ROUGHLY = r"(?:(?:about|around|roughly|nearly|almost|over|some|approximately|more than|at least)\s+)?"
CHANGES_BEFORE = re.compile(
    rf"\b(?:(?:{_TURN})\s+(?:by\s+)?|by\s+|(?:change|increase|decrease|growth|decline|drop|gain|rise|fall|reduction|"
    rf"improvement)\s+of\s+){_ROUGHLY}(?:[A-Z]{{3}}\s*|[$€£]\s*)?[-−+]?$",
    re.IGNORECASE,
)
CHANGES_AFTER = re.compile(
    r"\s(?:higher|lower|more|less|fewer|increase|decrease|growth|decline|rise|drop|below|above|short\sof|ahead\sof|behind)\b",
    re.IGNORECASE,
)
CHANGE = re.compile(r"\b(?:change|growth|increase|decrease|yoy|qoq|cagr)\b", re.IGNORECASE)
LIMITS = re.compile(r"\b(?:above|below|under|exceed\w*|more|less)\s+$", re.IGNORECASE)
YEAR_BEFORE = re.compile(
    r"\b(?:year (?:earlier|before|ago)|(?:previous|prior|preceding) (?:fiscal )?year|year-earlier|last year)\b",
    re.IGNORECASE,
)
RESPECTIVELY = re.compile(r"\brespectively\b", re.IGNORECASE)
IN_BRACKETS = re.compile(r"[$€£]?\s*\(\s?[$€£]?\s?[\d,.]+\s?\)?\s?%?\)?")
JOINED = re.compile(r"\s?(?:million|billion|%|thousand)?\s+and\s+[$€£(]*")
FOLLOWS = re.compile(
    r"[)\s]*(?:million|billion|thousand)?\s*(?:in|for|at|during|as of|on)\s(?:the\s)?(?:fiscal\s)?(?:years?\s)?"
)
PARENTHESIS = re.compile(r"\([^()\d]*\)|,\s(?:stated\s|expressed\s)?in\s[^,()\d]{1,30},")


@dataclass(frozen=True, slots=True)
class Reading:
    quantity: Quantity
    clause: str
    periods: tuple[Period, ...] = ()
    """The periods the number is for, if its own sentence or column names them."""
    not_for: tuple[Period, ...] = ()
    """Periods of the sentence that belong to other numbers."""
    is_clear: bool = True
    """False if several numbers and periods occur together and code cannot tell which belong together."""
    is_earlier: bool = False
    """“Up from 381.0”: for an unnamed period before that of the sentence."""
    names: frozenset[str] = frozenset()
    other_names: frozenset[str] = frozenset()
    """Names that belong to other numbers of the sentence."""
    is_change: bool = False
    """The number says by how much something changed, not its level."""
    is_in_a_row: bool = False

    @property
    def year(self) -> int | None:
        return next((p.year for p in self.periods if p.year), None)


@lru_cache(maxsize=8192)
def readings(statement: Statement) -> tuple[Reading, ...]:
    return tuple(_of_a_row(statement) if statement.is_row else read_prose(statement.text))


def read_prose(text: str) -> list[Reading]:
    numbers = quantities(text)
    dates = period_spans(text)
    clause_of = {n.start: clause_at(text, n.start, n.end) for n in numbers}
    named = {span: capitalised(text[slice(*span)]) for span in set(clause_of.values())}
    return [
        _with_period(
            text,
            number,
            numbers,
            dates,
            names=named[clause_of[number.start]],
            other_names=frozenset(n for span, found in named.items() if span != clause_of[number.start] for n in found),
        )
        for number in numbers
    ]


def _with_period(
    text: str,
    number: Quantity,
    numbers: list[Quantity],
    dates: Spans,
    names: frozenset[str],
    other_names: frozenset[str],
) -> Reading:
    span = clause_at(text, number.start, number.end)
    when, clear, earlier = _when(text, number, numbers, dates, span)
    caption = caption_of(reversed(PARENTHESIS.findall(text[: number.start])))
    elsewhere = _of_compared(text, dates, span) if not when else ()
    return Reading(
        caption.applied_to(number) if not caption.percent else number,
        text[slice(*span)],
        when,
        elsewhere,
        clear,
        earlier,
        names,
        other_names,
        _is_change(text, number, text[slice(*span)]),
    )


def _when(
    text: str, number: Quantity, numbers: list[Quantity], dates: Spans, span: tuple[int, int]
) -> tuple[tuple[Period, ...], bool, bool]:
    """The periods, whether they are clear, and whether the number is for an earlier period that is not named."""
    if RESPECTIVELY.search(text) and len(numbers) > 1:
        return _one_each(number, numbers, dates)
    if paired := _paired(text, number, numbers, dates):
        return (paired,), True, False
    inside = [d for d in dates if span[0] <= d[1][0] < span[1]]
    beside = [n for n in numbers if span[0] <= n.start < span[1]]
    if len(inside) > 1:
        return _one_each(number, beside, inside) if len(beside) > 1 else (tuple(p for p, _ in inside), True, False)
    compared = is_compared(text, span[0], number.start)
    if inside:
        after = [n.start for n in beside if n.start > number.start]
        own = not compared or number.end <= inside[0][1][0] <= min(after, default=len(text))
        return ((inside[0][0],), True, False) if own else ((), True, True)
    if compared:
        before = _year_before(text, numbers, dates, span)
        return before, True, not before
    return _inherited(text, numbers, dates, span), True, False


def _one_each(number: Quantity, numbers: list[Quantity], dates: Spans) -> tuple[tuple[Period, ...], bool, bool]:
    if len(numbers) != len(dates):
        return (), False, False
    return (dates[numbers.index(number)][0],), True, False


def _paired(text: str, number: Quantity, numbers: list[Quantity], dates: Spans) -> Period | None:
    """“$13.1 billion and $10.9 billion in 2022 and 2023”: one each, in order, even without “respectively”."""
    at = numbers.index(number)
    for first, second in ((at - 1, at), (at, at + 1)):
        if first < 0 or second >= len(numbers) or not JOINED.fullmatch(text, numbers[first].end, numbers[second].start):
            continue
        behind = [d for d in dates if d[1][0] >= numbers[second].end][:2]
        follow = len(behind) == 2 and FOLLOWS.fullmatch(text, numbers[second].end, behind[0][1][0])
        if follow and JOINED.fullmatch(text, behind[0][1][1], behind[1][1][0]):
            return behind[at - first][0]
    return None


def _inherited(text: str, numbers: list[Quantity], dates: Spans, span: tuple[int, int]) -> tuple[Period, ...]:
    """The period of the clause before, or of the next one that is not a comparison."""
    around = clauses(text)
    before = [c for c in around if c[0] < span[0]][::-1]
    behind = [c for c in around if c[0] > span[0]]
    for clause in [*before, *behind]:
        found = [p for p, (a, _) in dates if clause[0] <= a < clause[1]]
        if found and not _is_comparison(text, numbers, clause):
            return tuple(found)
    return ()


def _year_before(text: str, numbers: list[Quantity], dates: Spans, span: tuple[int, int]) -> tuple[Period, ...]:
    """“Up from 171.7 a year earlier”, in a sentence about 2025, is for 2024."""
    if not YEAR_BEFORE.search(text[slice(*span)]):
        return ()
    return tuple(Period(p.year - 1, p.part) for p in _inherited(text, numbers, dates, span) if p.year)


def _is_comparison(text: str, numbers: list[Quantity], clause: tuple[int, int]) -> bool:
    return any(is_compared(text, clause[0], n.start) for n in numbers if clause[0] <= n.start < clause[1])


def _of_compared(text: str, dates: Spans, span: tuple[int, int]) -> tuple[Period, ...]:
    """If the number's own period is not given, it is none of the periods in other clauses."""
    others = [c for c in clauses(text) if c[0] != span[0]]
    return tuple(p for p, (a, _) in dates for c in others if c[0] <= a < c[1])


def _of_a_row(row: Statement) -> list[Reading]:
    """The cells without numbers say what all the numbers of the row are about."""
    labels = [cell for _, cell in row.cells if not quantities(cell)]
    # The header names single columns, while a caption applies to all of them.
    captions = [line for line in row.above.splitlines() if CELL_BREAK not in line][::-1]
    columns = tuple(p for column, _ in row.cells for p in periods(column))
    found = []
    for column, printed in row.cells:
        cell = with_percent_inside(printed)
        about = " ".join([column.replace("_", " "), *labels])
        when = tuple(period_of_cells([column.replace("_", " "), *labels]))
        caption = caption_of([column, *labels, *captions])
        found += [
            Reading(
                caption.applied_to(number),
                about,
                when,
                tuple(p for p in columns if p not in when) if when else (),
                names=capitalised(" ".join(labels)),
                is_change=bool(CHANGE.search(about)),
                is_in_a_row=True,
            )
            for number in map(partial(_of_a_cell, cell), quantities(cell))
        ]
    return found


def _of_a_cell(cell: str, number: Quantity) -> Quantity:
    """A figure in brackets is negative in a table, and only there."""
    value = -abs(number.value) if IN_BRACKETS.fullmatch(cell.strip()) else number.value
    return replace(number, value=value, is_cell=not number.scaled and not number.measure)


def _is_change(text: str, number: Quantity, clause: str) -> bool:
    before = text[: number.start]
    if CHANGES_BEFORE.search(before) and not LIMITS.search(before):
        return True
    return bool(CHANGES_AFTER.match(text, number.end)) or (number.unit == "percent" and bool(CHANGE.search(clause)))

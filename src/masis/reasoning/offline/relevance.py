"""Does a statement match what was asked in type, subject, office and period? Used by the writer and the auditor."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from masis.language.quantities import Period, period_of_cells, periods, quantities
from masis.language.question import Question
from masis.language.statements import Statement
from masis.language.words import content_stems, names

_OFFICE = re.compile(
    r"\bchief (?P<field>[a-z]+)(?: (?:and|&) [a-z]+)?(?: officers?)?\b|\bC(?P<initial>[A-Z])Os?\b", re.IGNORECASE
)
_TELLING = 4
"""Letters that tell fields apart: technical and technology are one field, marketing and medical are two."""
_WITHOUT_OFFICER = frozenset({"executive", "executives"})
"""“Chief executive” is short for the officer; a chief engineer is an engineer."""


@dataclass(frozen=True, slots=True)
class Office:
    initial: str
    field: str | None
    """None if the office is written with its initials only."""

    def may_be(self, other: "Office") -> bool:
        if self.field and other.field:
            return self.field == other.field
        return self.initial == other.initial


def offices(text: str) -> list[Office]:
    found = []
    for match in _OFFICE.finditer(text):
        field = (match["field"] or "").lower()
        if field and not match[0].lower().endswith(("officer", "officers")) and field not in _WITHOUT_OFFICER:
            continue
        if match["initial"] and not match[0][:3].isupper():
            continue
        found.append(Office((field or match["initial"].lower())[0], field[:_TELLING] or None))
    return found


def is_of_another_office(asked: str, said: str) -> bool:
    """Whether the question asks who holds an office and the sentence mentions only other offices."""
    wanted, held = offices(asked), offices(said)
    return bool(wanted and held) and not any(ours.may_be(theirs) for ours in wanted for theirs in held)


LAPSE = re.compile(
    r"\b(?:\d+|a|an|one|two|three|four|five|six|seven|eight|nine|ten|twelve|[a-z]+teen|[a-z]+(?:st|nd|rd|th))\s+"
    r"(?:(?:business|working|calendar)\s+)?(?:minute|hour|day|week|month|quarter|year|decade)s?\b",
    re.IGNORECASE,
)
"""“24 months after entry into force” also says when."""
HEADED = 0.6
"""Share of the question's own words that a heading must have for its section to be the one asked for."""


def shortfall(part: Question, statement: Statement) -> float:
    """How many things speak against it: another type, period or office than asked for, or another thing counted."""
    against = [
        lacks_the_type(part, statement.text),
        _another_period(part.periods, statement),
        is_of_another_office(part.text, statement.text) or _names_no_office(part, statement),
        bool(part.counted) and not part.counted & set(content_stems(statement.in_context)),
        statement.is_row and not _names_the_row(part, statement),
        statement.is_row and _is_of_one_year(part.periods, statement),
    ]
    return float(sum(against))


def lacks_the_type(part: Question, text: str) -> bool:
    """Whether the number, date or office-holder's name asked for is missing. “Who” without an office may be answered by
    “couriers”."""
    return (
        ("number" in part.kinds and not quantities(text))
        or ("time" in part.kinds and not (periods(text) or LAPSE.search(text)))
        or ("person" in part.kinds and bool(offices(part.text)) and not names(f"x {text}"))
    )


def headed(part: Question, statement: Statement) -> bool:
    """Whether the statement is under a heading that says what was asked: “Actions”, “Why we are closing the store”."""
    lines = [line for line in re.split(r"\n| > ", statement.above) if line.strip() and not line.rstrip().endswith(":")]
    over = set(content_stems(lines[-1])) if lines else set()
    if not over or statement.is_row:
        return False
    # A name alone may head half a document.
    wanted = part.subject - part.named
    names_it = over <= set(part.terms) and bool(over & wanted)
    return names_it or (bool(wanted) and len(wanted & over) >= HEADED * len(wanted))


SOME_MONTHS = re.compile(r"\b(?:three|six|nine|3|6|9) months\b", re.IGNORECASE)
WHOLE_YEAR = re.compile(
    r"\b(?:full[\s-]year|(?:for|in|over) the (?:(?:whole|full|fiscal|entire)\s)?year)\b", re.IGNORECASE
)
OF_A_MESSAGE = re.compile(
    r"\W*(?:-+ ?original message\b|(?:from|to|cc|bcc|sent|date|subject|attachments?):)", re.IGNORECASE
)
"""Header lines of an e-mail message."""
ON_A_MESSAGE = re.compile(
    r"\b(?:wr(?:i|o)t\w+|sen[dt]\w*|e-?mail\w*|mail\w*|message\w*|recipients?|address\w*|copied|cc|attach\w*|subject|author)\b",
    re.IGNORECASE,
)


def could_be_about(part: Question, statement: Statement, file_name: str) -> bool:
    """Excludes statements that cannot be meant: those with other years than asked for in and around them, those in a
    document named after another quarter, rows for some months if a whole year is asked for, and header lines of a
    message unless the question is about the message."""
    if OF_A_MESSAGE.match(statement.text) and not ON_A_MESSAGE.search(part.for_reading):
        return False
    if part.is_for_a_whole_year and _is_for_months(statement):
        return False
    wanted = {p.year for p in part.periods if p.year}
    if _is_of_another_quarter(part.periods, statement, file_name):
        return False
    columns = " ".join(f"{column} {value}" for column, value in statement.cells)
    around = f"{statement.text}\n{columns}\n{statement.above}\n{file_name}"
    said = {p.year for p in periods(re.sub(r"[_-]", " ", around)) if p.year}
    return not (wanted and said) or bool(wanted & said)


def _is_for_months(statement: Statement) -> bool:
    """Whether all its figures are for a quarter or some months, and none for a year."""
    said = [column for column, _ in statement.cells] or [statement.text]
    timed = [(text, found) for text in said if (found := periods(text)) and not WHOLE_YEAR.search(text)]
    return bool(timed) and all(SOME_MONTHS.search(t) or all(p.is_part_of_a_year for p in found) for t, found in timed)


def _is_of_another_quarter(asked: Sequence[Period], statement: Statement, file_name: str) -> bool:
    quarters = [p for p in asked if p.year and p.is_part_of_a_year]
    named = [p for p in period_of_cells([re.sub(r"[_.-]", " ", file_name)]) if p.year and p.is_part_of_a_year]
    # Only like units compare: a report for the second quarter also gives the first half, and which months it covers
    # depends on when the fiscal year begins.
    alike = [(p, q) for p in named for q in quarters if _unit(p) == _unit(q)]
    if not alike or not all(p.excludes(q) for p, q in alike):
        return False
    said = periods(f"{statement.text}\n{' '.join(column for column, _ in statement.cells)}")
    return not any(p.part and p.year and not p.is_day and not p.excludes(q) for p in said for q in quarters)


def _unit(period: Period) -> str:
    first = (period.part or "")[:1]
    return "month" if first.isdigit() else first


def _names_no_office(part: Question, statement: Statement) -> bool:
    """For a question about who holds an office, only a statement that mentions an office counts."""
    return "person" in part.kinds and bool(offices(part.text)) and not offices(statement.text)


def _names_the_row(part: Question, row: Statement) -> bool:
    """Whether the question has a word of the row's text cells. Rows share their header, and numbers do not identify
    them."""
    said = {stem for _, cell in row.cells if not quantities(cell) for stem in content_stems(cell)}
    return not said or bool(said & set(part.terms)) or bool(periods(row.text) and part.periods)


def _is_of_one_year(asked: Sequence[Period], row: Statement) -> bool:
    """Two years are asked for and the row names neither, so it cannot show what changed between them."""
    wanted = {p.year for p in asked if p.year}
    said = {p.year for column, cell in row.cells for p in periods(f"{column} {cell}")}
    return len(wanted) > 1 and not wanted & said


def _another_period(asked: Sequence[Period], statement: Statement) -> bool:
    found = period_of_cells([cell for _, cell in statement.cells]) if statement.is_row else periods(statement.text)
    if statement.is_row:
        found = found + [p for column, _ in statement.cells for p in periods(column)]
    if not any(p.is_day for p in asked):
        # A day says when something happened, not which period a figure is for.
        found = [p for p in found if not p.is_day]
    return bool(asked and found) and all(p.differs_from(q) for p in found for q in asked)

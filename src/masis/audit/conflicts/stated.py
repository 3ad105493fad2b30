"""The figures a document states: each with its subject, its items and what qualifies it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from masis.audit.conflicts.qualifiers import QUALIFYING, definition_marks, stage_marks, stems_of
from masis.language.clauses import clauses
from masis.language.periods import Period, periods
from masis.language.quantities import Quantity, quantities
from masis.language.readings import Reading, readings
from masis.language.statements import Statement, statements
from masis.language.words import DOWNWARDS, UPWARDS, content_stems, could_name, names, stem, words
from masis.types import EvidenceChunk

_TURNS = frozenset(stem(word) for word in UPWARDS | DOWNWARDS)
_NOT_A_SUBJECT = (
    QUALIFYING
    | _TURNS
    | stems_of(
        "million millions billion thousand thousands percent percentage year quarter fiscal total amounted stood "
        "reached january february march april june july august september october november december usd eur dollar "
        "rate figure much fy value agree disagree differ consistent match memo report compare develop end start "
        "beginning company"
    )
)
ITEM = re.compile(
    r"\b(?:product|plant|site|phase|line|unit|model|series|version|option|lot|block|building|store|zone|segment|"
    r"scenario|tier|class|group|team|project|batch|type|customer|supplier|region)s?\s+(?P<item>[A-Z]|\d{1,3})\b(?![.,]\d)",
    re.IGNORECASE,
)
"""“Product A” and “product B” are told apart by what no list of content words holds."""
SITE = re.compile(
    r"\b(?P<site>[A-Z][\w-]+) (?:plant|site|factory|mill|office|store|branch|warehouse|facility|subsidiary|hospital)\b"
)
"""A heading says of which one its table is: the Brno plant is not the Lyon plant."""
LEANS_ON_THE_OPENING = re.compile(r"\b(?:its|their|his|her)\b", re.IGNORECASE)
SPEAKS_FOR_ALL = frozenset("board group company management".split())


Thing = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """One number a document gives, with what it is about."""

    quantity: Quantity
    subject: frozenset[str]
    periods: tuple[Period, ...]
    marks: frozenset[str]
    """Words that qualify it: preliminary, target, net …"""
    items: frozenset[str]
    named: frozenset[str]
    is_change: bool
    statement: Statement
    chunk: EvidenceChunk

    counted: frozenset[str]
    """The nouns after a bare number: 412 employees are not 38 sites."""

    @property
    def thing(self) -> Thing:
        """All that decides what it can be set against, without its value: most rows of a table share it."""
        q = self.quantity
        unit = (q.unit, q.currency, q.measure)
        return (*unit, self.is_change, self.statement.is_row, self.subject, self.items, self.named, self.counted)


def figures_of(chunk: EvidenceChunk) -> Iterator[Figure]:
    for statement in statements(chunk["text"], chunk.get("heading")):
        for reading in readings(statement):
            # “Up from 381.0” is for a time that nobody names: it can be set against nothing.
            if not reading.is_earlier and not _is_a_span_of_time(reading.quantity, statement.text):
                yield _figure(reading, statement, chunk)


SPAN_BEFORE = re.compile(r"\b(?:first|last|past|trailing|preceding|prior|previous|next|each)\s*$", re.IGNORECASE)
SPAN_AFTER = re.compile(
    r"\s*-?(?:months?|weeks?|quarters?|years?|days?)[\s-](?:ended|ending|period|of|to)\b", re.IGNORECASE
)


def _is_a_span_of_time(number: Quantity, text: str) -> bool:
    """“The first six months of 2023” says when, not how long."""
    before, after = text[: number.start], text[number.end :]
    return number.measure is not None and bool(SPAN_BEFORE.search(before) or SPAN_AFTER.match(after))


def _figure(reading: Reading, statement: Statement, chunk: EvidenceChunk) -> Figure:
    opening = re.split(r"[,;:]", statement.text, maxsplit=1)[0]
    # “Asia-Pacific grew fastest: its revenue rose to …” is about Asia-Pacific.
    about = f"{opening} {reading.clause}" if LEANS_ON_THE_OPENING.search(reading.clause) else reading.clause
    return Figure(
        reading.quantity,
        subject_of(about) or subject_of(opening),
        _when(reading, statement),
        _marks(reading, statement),
        frozenset(m["item"].lower() for m in ITEM.finditer(reading.clause)),
        (frozenset(name.lower() for name in names(about)) | _sites(statement.above)) - SPEAKS_FOR_ALL,
        reading.is_change,
        statement,
        chunk,
        _counted(reading.quantity, statement),
    )


def _sites(above: str) -> frozenset[str]:
    return frozenset(found["site"].lower() for found in SITE.finditer(above) if could_name(found["site"]))


def _counted(number: Quantity, statement: Statement) -> frozenset[str]:
    if statement.is_row or number.unit != "number":
        return frozenset()
    return frozenset(content_stems(" ".join(words(statement.text[number.end :])[:3])))


def _when(reading: Reading, statement: Statement) -> tuple[Period, ...]:
    said = reading.periods or (() if reading.not_for else tuple(periods(statement.text)))
    return said or tuple(periods(statement.above))


def _marks(reading: Reading, statement: Statement) -> frozenset[str]:
    """A heading makes all its figures preliminary or final; it does not make them a plan, or define them."""
    near = reading.clause if statement.is_row else around_figure(statement.text, reading.quantity)
    stage = stage_marks(near) or (frozenset() if statement.is_row else stage_marks(statement.text))
    return definition_marks(near) | stage | (stage_marks(statement.above) - {"planned"})


def around_figure(text: str, figure: Quantity) -> str:
    """Its clause, with the clauses beside it that give no figure of their own: “412 people, excluding contractors”."""
    spans = clauses(text)
    own = next((i for i, (a, b) in enumerate(spans) if a <= figure.start < b), 0)
    bare = [not quantities(text[a:b]) for a, b in spans]
    first = last = own
    while first and bare[first - 1]:
        first -= 1
    while last + 1 < len(spans) and bare[last + 1]:
        last += 1
    return text[spans[first][0] : spans[last][1]]


def subject_of(text: str) -> frozenset[str]:
    spoken = re.sub(r"\d[\d.,]*", " ", text.replace("_", " "))
    return frozenset(content_stems(spoken)) - _NOT_A_SUBJECT

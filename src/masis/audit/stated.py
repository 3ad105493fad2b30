"""The figures a document states: each with its subject, its items and what qualifies it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from masis.audit.periods import Period, periods
from masis.audit.quantities import Quantity
from masis.audit.readings import Reading, readings
from masis.audit.statements import Statement, statements
from masis.audit.words import DOWNWARDS, UPWARDS, content_stems, names, stem, words
from masis.types import EvidenceChunk


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in text.split())


PRELIMINARY = _stems("preliminary unaudited provisional flash estimate estimated initial interim draft")
FINAL = _stems("final audited actual restated revised confirmed corrected")
PLANNED = _stems("target targets goal plan planned budget budgeted forecast guidance expects expected aims outlook")
DEFINITIONS = _stems(
    "gross net adjusted organic underlying recurring diluted basic average median gaap excluding including excludes "
    "includes contractors consolidated standalone nominal real contracted recognised recognized billed constant "
    "permanent fulltime logo seasonal"
)
QUALIFIERS = PRELIMINARY | PLANNED | DEFINITIONS
_TURNS = frozenset(stem(word) for word in UPWARDS | DOWNWARDS)
_NOT_A_SUBJECT = (
    QUALIFIERS
    | FINAL
    | _TURNS
    | _stems(
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
LEANS_ON_THE_OPENING = re.compile(r"\b(?:its|their|his|her)\b", re.IGNORECASE)
SPEAKS_FOR_ALL = frozenset("board group company management".split())


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

    @property
    def counted(self) -> frozenset[str]:
        """The nouns after a bare number: 412 employees are not 38 sites."""
        if self.statement.is_row or self.quantity.unit != "number":
            return frozenset()
        return frozenset(content_stems(" ".join(words(self.statement.text[self.quantity.end :])[:3])))


def figures_of(chunk: EvidenceChunk) -> Iterator[Figure]:
    for statement in statements(chunk["text"], chunk.get("heading")):
        for reading in readings(statement):
            # “Up from 381.0” is for a time that nobody names: it can be set against nothing.
            if not reading.is_earlier:
                yield _figure(reading, statement, chunk)


def _figure(reading: Reading, statement: Statement, chunk: EvidenceChunk) -> Figure:
    opening = re.split(r"[,;:]", statement.text, maxsplit=1)[0]
    # “Asia-Pacific grew fastest: its revenue rose to …” is about Asia-Pacific.
    about = f"{opening} {reading.clause}" if LEANS_ON_THE_OPENING.search(reading.clause) else reading.clause
    return Figure(
        reading.quantity,
        subject_of(about) or subject_of(opening),
        _when(reading, statement),
        _marks(reading.clause if statement.is_row else statement.text, statement.above),
        frozenset(m["item"].lower() for m in ITEM.finditer(reading.clause)),
        frozenset(name.lower() for name in names(about)) - SPEAKS_FOR_ALL,
        reading.is_change,
        statement,
        chunk,
    )


def _when(reading: Reading, statement: Statement) -> tuple[Period, ...]:
    said = reading.periods or (() if reading.not_for else tuple(periods(statement.text)))
    return said or tuple(periods(statement.above))


def _marks(text: str, above: str) -> frozenset[str]:
    """A heading makes all its figures preliminary; it does not make them a plan, or define them."""
    return frozenset(content_stems(text)) & QUALIFIERS | frozenset(content_stems(above)) & PRELIMINARY


def subject_of(text: str) -> frozenset[str]:
    spoken = re.sub(r"\d[\d.,]*", " ", text.replace("_", " "))
    return frozenset(content_stems(spoken)) - _NOT_A_SUBJECT

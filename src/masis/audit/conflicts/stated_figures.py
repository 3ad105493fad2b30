"""Collects the figures that documents state, each with its subject, and decides which of them are for the same
thing."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from masis.audit.conflicts.agreement import compatible
from masis.audit.conflicts.explanations import ITEM, QUALIFYING, around_figure, definition_marks, stage_marks, stems_of
from masis.language.periods import Period, periods
from masis.language.quantities import Quantity, comparable
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
SITE = re.compile(
    r"\b(?P<site>[A-Z][\w-]+) (?:plant|site|factory|mill|office|store|branch|warehouse|facility|subsidiary|hospital"
    r"|works|yard|depot|terminal|mine|campus|centre|center|division|segment|region)\b"
)
"""A heading says which site its table is about: the Brno plant is not the Lyon plant."""
LEANS_ON_THE_OPENING = re.compile(r"\b(?:its|their|his|her)\b", re.IGNORECASE)
SPEAKS_FOR_ALL = frozenset("board group company management".split())


Thing = tuple[object, ...]
"""What a figure is for, without its value."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One number that a document gives, with its subject."""

    quantity: Quantity
    subject: frozenset[str]
    periods: tuple[Period, ...]
    marks: frozenset[str]
    """Its qualifications: preliminary, target, net …"""
    items: frozenset[str]
    """Letters and numbers that distinguish items: the A of “product A”."""
    named: frozenset[str]
    """Names in its clause, and sites in its heading."""
    is_change: bool
    statement: Statement
    chunk: EvidenceChunk

    counted: frozenset[str]
    """The nouns after a bare number: 412 employees are not 38 sites."""

    @property
    def thing(self) -> Thing:
        """Everything that decides which figures it can be compared with, except its value. Many rows of a table share
        it."""
        q = self.quantity
        unit = (q.unit, q.currency, q.measure)
        return (*unit, self.is_change, self.statement.is_row, self.subject, self.items, self.named, self.counted)


def figures_of(chunk: EvidenceChunk) -> Iterator[Figure]:
    for statement in statements(chunk["text"], chunk.get("heading")):
        for reading in readings(statement):
            # “Up from 381.0” is for a period that nobody names, so it cannot be compared with anything.
            if not reading.is_earlier and not _is_a_span_of_time(reading.quantity, statement.text):
                yield _figure(reading, statement, chunk)


SPAN_BEFORE = re.compile(r"\b(?:first|last|past|trailing|preceding|prior|previous|next|each)\s*$", re.IGNORECASE)
SPAN_AFTER = re.compile(
    r"\s*-?(?:months?|weeks?|quarters?|years?|days?)[\s-](?:ended|ending|period|of|to)\b", re.IGNORECASE
)


def _is_a_span_of_time(number: Quantity, text: str) -> bool:
    """“The first six months of 2023” is a period, not a duration."""
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
        (frozenset(name.lower() for name in names(about)) | sites_in(statement.above)) - SPEAKS_FOR_ALL,
        reading.is_change,
        statement,
        chunk,
        _counted(reading.quantity, statement),
    )


def sites_in(above: str) -> frozenset[str]:
    return frozenset(found["site"].lower() for found in SITE.finditer(above) if could_name(found["site"]))


def _counted(number: Quantity, statement: Statement) -> frozenset[str]:
    if statement.is_row or number.unit != "number":
        return frozenset()
    return frozenset(content_stems(" ".join(words(statement.text[number.end :])[:3])))


def _when(reading: Reading, statement: Statement) -> tuple[Period, ...]:
    said = reading.periods or (() if reading.not_for else tuple(periods(statement.text)))
    return said or tuple(periods(statement.above))


def _marks(reading: Reading, statement: Statement) -> frozenset[str]:
    """A heading can make all its figures preliminary or final, but it neither makes them a plan nor defines them. A
    whole sentence qualifies a figure only if it has no other: in “£39.8 million, which was £1.4 million below the flash
    estimate”, the first figure is final."""
    near = reading.clause if statement.is_row else around_figure(statement.text, reading.quantity)
    is_alone = not statement.is_row and len(readings(statement)) == 1
    stage = stage_marks(near) or (stage_marks(statement.text) if is_alone else frozenset())
    return definition_marks(near) | stage | (stage_marks(statement.above) - {"planned"})


def subject_of(text: str) -> frozenset[str]:
    spoken = re.sub(r"\d[\d.,]*", " ", text.replace("_", " "))
    return frozenset(content_stems(spoken)) - _NOT_A_SUBJECT


SAME_SUBJECT = 0.60
"""Share of all their words that the subjects of two figures must have in common: revenue is not revenue in Europe."""
HANDING_OVER = stems_of("product item customer buyer come comes carry carries give gives offer offers provide provides")
"""“The product comes with a three-year warranty” gives the length of the warranty and nothing else."""


class Given:
    """The figures of every document, grouped by thing, because tables have many rows but few things."""

    def __init__(self, stated: Sequence[Figure]) -> None:
        self._places: dict[tuple[str, Thing], list[Figure]] = defaultdict(list)
        self._examples: dict[Thing, Figure] = {}
        for figure in stated:
            thing = figure.thing
            self._places[figure.chunk["document_id"], thing].append(figure)
            self._examples.setdefault(thing, figure)
        self._alike: dict[Thing, list[Thing]] = {}
        self._confirmed: dict[tuple[Thing, Quantity, str], bool] = {}

    def is_confirmed(self, a: Figure, b: Figure) -> bool:
        """A document that also gives the other's figure, in another row or sentence, does not contradict it."""
        return self._gives(b.chunk["document_id"], a) or self._gives(a.chunk["document_id"], b)

    def _gives(self, document_id: str, figure: Figure) -> bool:
        key = (figure.thing, figure.quantity, document_id)
        if key not in self._confirmed:
            self._confirmed[key] = any(
                compatible(other.quantity, figure.quantity)
                for thing in self._things_like(figure)
                for other in self._places.get((document_id, thing), ())
            )
        return self._confirmed[key]

    def _things_like(self, figure: Figure) -> list[Thing]:
        thing = figure.thing
        if thing not in self._alike:
            self._alike[thing] = [other for other, example in self._examples.items() if same_thing(figure, example)]
        return self._alike[thing]

    def pairs(self, figures: Sequence[Figure]) -> Iterator[tuple[Figure, Figure]]:
        """Pairs of figures from two documents for the same thing, in the order of the evidence."""
        clear = _told_apart(figures)
        at: dict[Thing, list[int]] = defaultdict(list)
        for index, figure in enumerate(clear):
            at[figure.thing].append(index)
        for index, a in enumerate(clear):
            later = sorted(i for thing in self._things_like(a) for i in at.get(thing, ()) if i > index)
            yield from ((a, clear[i]) for i in later if clear[i].chunk["document_id"] != a.chunk["document_id"])


def _told_apart(figures: Sequence[Figure]) -> list[Figure]:
    """Leaves out rows of one document that give several values for one thing. Something that code cannot read
    distinguishes them, such as an order number, and nothing says which of them is meant."""
    rows: dict[tuple[object, ...], list[Figure]] = defaultdict(list)
    for figure in figures:
        if figure.statement.is_row:
            rows[_place(figure)].append(figure)
    unclear = {place for place, alike in rows.items() if _differ(alike)}
    return [f for f in figures if not (f.statement.is_row and _place(f) in unclear)]


def _place(figure: Figure) -> tuple[object, ...]:
    return figure.chunk["document_id"], figure.thing, figure.periods, figure.marks


def _differ(rows: Sequence[Figure]) -> bool:
    first = rows[0]
    return any(
        row.statement.text != first.statement.text and not compatible(row.quantity, first.quantity) for row in rows
    )


def same_thing(a: Figure, b: Figure) -> bool:
    if not comparable(a.quantity, b.quantity) or a.is_change != b.is_change or not _same_items(a, b):
        return False
    if a.quantity.unit == "number" and b.quantity.unit == "number" and not _same_noun(a, b):
        return False
    ours, theirs = a.subject, b.subject
    if a.quantity.measure and b.quantity.measure:
        ours, theirs = _measured(a), _measured(b)
    return len(ours & theirs) >= SAME_SUBJECT * len(ours | theirs) > 0


def _measured(figure: Figure) -> frozenset[str]:
    """Its subject without the number itself, because “three-year” and “24 months” share no word."""
    number = frozenset(content_stems(figure.quantity.in_words))
    return figure.subject - number - HANDING_OVER


def _same_items(a: Figure, b: Figure) -> bool:
    """Product A is not product B, and Lyon is not Brno; a figure without a name may be for either."""
    return a.items == b.items and (a.named <= b.named or b.named <= a.named)


def _same_noun(a: Figure, b: Figure) -> bool:
    if a.quantity.measure and b.quantity.measure:
        return True
    return measured_alike(a, b) and (not (a.counted and b.counted) or bool(a.counted & b.counted))


def measured_alike(a: Figure, b: Figure) -> bool:
    """Square kilometres are not people, nor are euros. A table may leave out its measure."""
    one, other = a.quantity, b.quantity
    in_prose = not (a.statement.is_row or b.statement.is_row)
    return not in_prose or (one.unit == other.unit and bool(one.measure) == bool(other.measure))

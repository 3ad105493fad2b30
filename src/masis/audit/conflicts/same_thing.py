"""Which figures are for the same thing, and which documents give a figure: looked up, not searched pair by pair."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from masis.audit.conflicts.qualifiers import stems_of
from masis.audit.conflicts.stated import Figure, Thing
from masis.language.quantities import Quantity, comparable
from masis.language.words import content_stems

SAME_SUBJECT = 0.60
"""Share of all their words that the subjects of two figures must have in common: revenue is not revenue in Europe."""
HANDING_OVER = stems_of("product item customer buyer come comes carry carries give gives offer offers provide provides")
"""“The product comes with a three-year warranty” says of the warranty how long it is, and no more."""


class Given:
    """What every document gives, by thing: tables have many rows, and few things."""

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
        """A document that gives the other's figure too, in another row or sentence, does not contradict it."""
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
        """Figures of two documents for the same thing, in the order they stand."""
        clear = _told_apart(figures)
        at: dict[Thing, list[int]] = defaultdict(list)
        for index, figure in enumerate(clear):
            at[figure.thing].append(index)
        for index, a in enumerate(clear):
            later = sorted(i for thing in self._things_like(a) for i in at.get(thing, ()) if i > index)
            yield from ((a, clear[i]) for i in later if clear[i].chunk["document_id"] != a.chunk["document_id"])


def _told_apart(figures: Sequence[Figure]) -> list[Figure]:
    """Without the rows of a document that give one thing several values: something parts them that code cannot read,
    such as the number of an order, and nothing says which of them is meant."""
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
    """Its subject without the number itself: “three-year” and “24 months” share no word."""
    number = frozenset(content_stems(figure.quantity.in_words))
    return figure.subject - number - HANDING_OVER


def _same_items(a: Figure, b: Figure) -> bool:
    """Product A is not product B, and Lyon is not Brno; one that names nothing may speak of either."""
    return a.items == b.items and (a.named <= b.named or b.named <= a.named)


def _same_noun(a: Figure, b: Figure) -> bool:
    if a.quantity.measure and b.quantity.measure:
        return True
    in_prose = not (a.statement.is_row or b.statement.is_row)
    if in_prose and bool(a.quantity.measure) != bool(b.quantity.measure):
        return False
    return not (a.counted and b.counted) or bool(a.counted & b.counted)


def compatible(a: Quantity, b: Quantity) -> bool:
    return a.is_met_by(b) or b.is_met_by(a)

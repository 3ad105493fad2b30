"""A figure the source does not print, but gives the numbers of: a difference, a change, a sum, an average, a share.

The claim must say that it was computed (“rose by”, “on average”, “in total”), and the numbers must belong together:
of one row or sentence, or of one column. Recomputed from any two numbers of a page, chance would bear out anything.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from masis.audit.checks.signs import compares_as_said
from masis.language.periods import Period, periods
from masis.language.quantities import Quantity
from masis.language.readings import Reading
from masis.language.words import directions

COMPARED = re.compile(
    r"\b(?:differ\w*|gap|spread|change\w*|points?|higher|lower|more|less|fewer|by|between|than|growth|grow)\b",
    re.IGNORECASE,
)
ADDED = re.compile(r"\b(?:total\w*|together|combined|sum|altogether|overall|jointly|both|aggregate)\b", re.IGNORECASE)
AVERAGED = re.compile(r"\b(?:average\w*|mean)\b", re.IGNORECASE)
SHARED_OUT = re.compile(
    r"\b(?:proportion|ratio|shares?|percentage|percent|per|fraction|margin|times|account\w*|represent\w*)\b|%",
    re.IGNORECASE,
)
SUBTRACTED = re.compile(r"\b(?:differences?|gap|spread)\b", re.IGNORECASE)
EARLIER = re.compile(
    r"\b(?:year|quarter|month)s? (?:earlier|before|ago)\b|\b(?:previous|prior|preceding|last) (?:year|quarter|month)\b"
    r"|\b(?:from|against|compared (?:with|to))\b",
    re.IGNORECASE,
)
WIDER = re.compile(r"\bwiden\w*\b", re.IGNORECASE)
NARROWER = re.compile(r"\bnarrow\w*\b", re.IGNORECASE)
COMPUTED = re.compile(
    r"(?<!weighted[ -])\baverage\b|\b(?:differences?|changes?|sum|ratio|proportion|combined|together)\b"
    r"|\bpercentage (?:change|increase|decrease|difference|growth)\b|\bas a percentage of\b"
    r"|\b(?:increase|decrease)s? ?/",
    re.IGNORECASE,
)
"""Words by which a claim says itself that its figure may stand nowhere in the source."""
MOST_OPERANDS = 40
Made = tuple[float, str]


def derivation(claim: str, number: Quantity, given: Sequence[Sequence[Reading]]) -> str | None:
    """The sum in words (“the difference of 412.6 million and 381.0 million”), where the numbers make this one."""
    asked = periods(claim)
    for group in (_asked_for(asked, group) for group in given):
        scaled = any(r.quantity.scaled or not r.quantity.is_cell for r in group)
        for made, how in _everything_made(claim, number, [group]):
            if _is_made(number, made, scaled):
                return how
    return None


def could_be_computed(claim: str, number: Quantity, given: Sequence[Sequence[Reading]]) -> bool:
    """Whether code can compute the kind of figure the claim gives: then another result is another figure."""
    asked = periods(claim)
    return any(True for _ in _everything_made(claim, number, [_asked_for(asked, group) for group in given]))


def _is_made(number: Quantity, made: float, operands_are_scaled: bool) -> bool:
    allowed = number.tolerance * 1.0001 + 1e-9
    # A table gives its figures bare where the scale is said somewhere else.
    factors = (1.0, 1e3, 1e6, 1e9) if number.scaled and not operands_are_scaled else (1.0,)
    return any(abs(abs(made) * factor - abs(number.value)) <= allowed for factor in factors)


def _asked_for(asked: Sequence[Period], group: Sequence[Reading]) -> list[Reading]:
    """Of a row the columns of the claim's own years, where it names two or more; one year is compared with others."""
    years = {p.year for p in asked if p.year}
    kept = [r for r in group if len(years) < 2 or _year(r) is None or _year(r) in years]
    return kept[:MOST_OPERANDS]


def _everything_made(claim: str, number: Quantity, groups: Sequence[Sequence[Reading]]) -> Iterator[Made]:
    for group in groups:
        for a, b in combinations(group, 2):
            if _alike(a.quantity, b.quantity):
                yield from _made_of_two(claim, number, a, b)
            if number.unit == "percent" and EARLIER.search(claim):
                yield from _before_its_turn(a, b)
        yield from _made_of_many(claim, number, group)


def _alike(a: Quantity, b: Quantity) -> bool:
    same_currency = a.currency == b.currency or {a.unit, b.unit} == {"money", "number"}
    same_unit = a.unit == b.unit or {a.unit, b.unit} == {"money", "number"}
    return same_unit and same_currency and (a.measure, a.scaled) == (b.measure, b.scaled)


def _made_of_two(claim: str, number: Quantity, a: Reading, b: Reading) -> Iterator[Made]:
    old, new = _in_order(a, b)
    x, y = old.quantity, new.quantity
    turns = bool(directions(claim) or COMPARED.search(claim)) and _turns_as_said(claim, number, old, new)
    turns = turns and compares_as_said(claim, number, old, new)
    # From 3.2 % to 2.1 % is a fall by 1.1 percentage points, and by 34 %.
    is_difference = number.unit != "percent" or SUBTRACTED.search(claim)
    if turns and is_difference and _same_unit(number, x) and x.value != y.value:
        yield y.value - x.value, f"the difference of {y.text} and {x.text}"
    if number.unit == "percent" and x.unit in ("money", "number", "percent") and turns and x.value:
        yield (y.value / x.value - 1) * 100, f"the change from {x.text} to {y.text}"
    if _same_unit(number, x) and number.unit != "points" and ADDED.search(claim):
        yield x.value + y.value, f"the sum of {x.text} and {y.text}"
    if SHARED_OUT.search(claim) and number.unit in ("percent", "number") and not number.scaled:
        yield from _shares(number, x, y)


def _before_its_turn(a: Reading, b: Reading) -> Iterator[Made]:
    """“18.5 %, widened by 150 basis points”: it was 17.0 % before."""
    level, turn = (a, b) if b.quantity.unit == "points" else (b, a)
    if (level.quantity.unit, turn.quantity.unit) != ("percent", "points"):
        return
    said = directions(turn.clause) | ({"up"} if WIDER.search(turn.clause) else set())
    said |= {"down"} if NARROWER.search(turn.clause) else set()
    if len(said) == 1:
        by = abs(turn.quantity.value) * (1 if said == {"up"} else -1)
        yield level.quantity.value - by, f"{level.quantity.text} before it turned by {turn.quantity.text}"


def _shares(number: Quantity, x: Quantity, y: Quantity) -> Iterator[Made]:
    factor = 100 if number.unit == "percent" else 1
    for part, whole in ((x, y), (y, x)):
        if whole.value and part.unit != "percent":
            yield part.value / whole.value * factor, f"the share of {part.text} in {whole.text}"


def _made_of_many(claim: str, number: Quantity, group: Sequence[Reading]) -> Iterator[Made]:
    alike = [r.quantity for r in group if _alike(r.quantity, group[0].quantity)]
    if len(alike) < 2 or not _same_unit(number, alike[0]):
        return
    listed, total = ", ".join(q.text for q in alike), sum(q.value for q in alike)
    if AVERAGED.search(claim):
        yield total / len(alike), f"the average of {listed}"
        for a, b in combinations(alike, 2):
            yield (a.value + b.value) / 2, f"the average of {a.text} and {b.text}"
    if len(alike) > 2 and ADDED.search(claim):
        yield total, f"the sum of {listed}"


def _same_unit(number: Quantity, given: Quantity) -> bool:
    if number.currency and given.currency and number.currency != given.currency:
        return False
    as_points = (number.unit, given.unit) == ("points", "percent")
    return as_points or number.unit == given.unit or {number.unit, given.unit} == {"money", "number"}


def _in_order(a: Reading, b: Reading) -> tuple[Reading, Reading]:
    """Earlier first; a change is counted from there."""
    first, second = _year(a), _year(b)
    is_later = a.is_earlier < b.is_earlier or (first is not None and second is not None and first > second)
    return (b, a) if is_later else (a, b)


def _year(reading: Reading) -> int | None:
    return next((p.year for p in reading.periods if p.year), None)


def _turns_as_said(claim: str, number: Quantity, old: Reading, new: Reading) -> bool:
    """A rise must rise, where the source says which number came first."""
    known = old.is_earlier or (_year(old) is not None and _year(old) != _year(new))
    if not known or abs(new.quantity.value) == abs(old.quantity.value):
        return True
    rises = new.quantity.value > old.quantity.value
    said = directions(claim)
    if number.value < 0 and not said:
        return not rises
    return len(said) != 1 or said == ({"up"} if rises else {"down"})

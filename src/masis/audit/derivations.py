"""A figure the source does not print, but gives the two numbers of: their difference, sum or change."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from masis.audit.quantities import Quantity
from masis.audit.readings import Reading
from masis.audit.words import directions

COMPARED = re.compile(
    r"\b(?:differ\w*|gap|spread|change\w*|points?|higher|lower|more|less|fewer|by|between|than)\b", re.IGNORECASE
)
ADDED = re.compile(r"\b(?:total\w*|together|combined|sum|altogether|overall|jointly|both)\b", re.IGNORECASE)


def derivation(claim: str, number: Quantity, given: Sequence[Reading]) -> str | None:
    """The sum in words (“412.6 million - 381.0 million”), where exactly two of the given numbers make this one."""
    for a, b in combinations(given, 2):
        if _alike(a.quantity, b.quantity) and a.quantity.value != b.quantity.value:
            for made, how in _made_of(claim, number, a, b):
                if abs(made - abs(number.value)) <= number.tolerance * 1.0001 + 1e-9:
                    return how
    return None


def _alike(a: Quantity, b: Quantity) -> bool:
    return (a.unit, a.currency, a.measure, a.scaled) == (b.unit, b.currency, b.measure, b.scaled)


def _made_of(claim: str, number: Quantity, a: Reading, b: Reading) -> Iterator[tuple[float, str]]:
    old, new = _in_order(a, b)
    if not _turns_as_said(claim, old, new):
        return
    x, y = old.quantity, new.quantity
    turns = bool(directions(claim) or COMPARED.search(claim))
    same_unit = number.unit == x.unit or (number.unit, x.unit) == ("points", "percent")
    if turns and same_unit:
        yield abs(y.value - x.value), f"the difference of {y.text} and {x.text}"
    if number.unit == "percent" and x.unit in ("money", "number") and turns and x.value:
        yield abs(y.value / x.value - 1) * 100, f"the change from {x.text} to {y.text}"
    if number.unit == x.unit and number.unit != "points" and ADDED.search(claim):
        yield x.value + y.value, f"the sum of {x.text} and {y.text}"


def _in_order(a: Reading, b: Reading) -> tuple[Reading, Reading]:
    """Earlier first; a change is counted from there."""
    first, second = _year(a), _year(b)
    is_later = a.is_earlier < b.is_earlier or (first is not None and second is not None and first > second)
    return (b, a) if is_later else (a, b)


def _year(reading: Reading) -> int | None:
    return next((p.year for p in reading.periods if p.year), None)


def _turns_as_said(claim: str, old: Reading, new: Reading) -> bool:
    """A rise must rise, where the source says which number came first."""
    known = old.is_earlier or (_year(old) is not None and _year(old) != _year(new))
    said = directions(claim)
    if not known or len(said) != 1:
        return True
    return said == ({"up"} if new.quantity.value > old.quantity.value else {"down"})

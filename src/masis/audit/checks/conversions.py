"""“165 °F (74 °C)”: a figure in brackets that only repeats the one before it in another measure."""

import re

from masis.language.measures import MEASURES
from masis.language.quantities import Quantity, quantities

_PER_BASE = {
    ("mile", "metre"): 1609.344, ("foot", "metre"): 0.3048, ("inch", "metre"): 0.0254,
    ("pound", "gram"): 453.592, ("gallon", "litre"): 3.785,
}  # fmt: skip
"""How many base units of the second one of the first holds."""
CLOSE_ENOUGH = 0.02
_OPENS = re.compile(r"\s?[(/\[]\s?(?:or\s|about\s|~)?")


def is_converted(claim: str, number: Quantity) -> bool:
    before = [q for q in quantities(claim) if q.end <= number.start]
    if not before or not number.measure or not before[-1].measure:
        return False
    given = before[-1]
    start = given.end + len(claim[given.end :]) - len(_after_the_measure(claim, given))
    return _OPENS.fullmatch(claim, start, number.start) is not None and _is_the_same(given, number)


def _after_the_measure(claim: str, number: Quantity) -> str:
    behind = claim[number.end :]
    return re.sub(rf"^[\s-]?{re.escape(number.measure or '')}\.?", "", behind, flags=re.IGNORECASE)


def _is_the_same(a: Quantity, b: Quantity) -> bool:
    (one, x), (other, y) = (_in_base(q) for q in (a, b))
    if {one, other} == {"fahrenheit", "celsius"}:
        fahrenheit, celsius = (x, y) if one == "fahrenheit" else (y, x)
        return abs((fahrenheit - 32) * 5 / 9 - celsius) <= 1
    if (one, other) in _PER_BASE:
        return abs(x * _PER_BASE[one, other] - y) <= CLOSE_ENOUGH * y + b.tolerance
    return (other, one) in _PER_BASE and abs(y * _PER_BASE[other, one] - x) <= CLOSE_ENOUGH * x + a.tolerance


def _in_base(quantity: Quantity) -> tuple[str, float]:
    measure, factor = MEASURES[quantity.measure or ""]
    return measure, quantity.value * factor

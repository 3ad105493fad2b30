"""A loss is no profit, and what is 150 less is not 150 more: figures that agree but for their sign."""

import re

from masis.language.quantities import Quantity
from masis.language.readings import Reading
from masis.language.words import directions

BELOW_ZERO = re.compile(
    r"\b(?:loss(?:es)?|negative|minus|deficits?|outflows?|shortfalls?|used|burn\w*|below zero|sub-zero|absorbed)\b",
    re.IGNORECASE,
)
CAN_BE_EITHER = re.compile(
    r"\b(?:(?:net|operating|pre-?tax|comprehensive) income|net result|profits?|earnings"
    r"|EBITD?A?|EPS|(?:free|operating) cash flow|margins?)\b",
    re.IGNORECASE,
)
"""What a table prints as (5) only where it is negative; costs stand in brackets as a habit."""
_LARGER = "more|higher|greater|larger|bigger|longer|above|over"
_SMALLER = "less|fewer|lower|smaller|shorter|below|under"
COMPARES = re.compile(
    rf"\s+(?:\S+\s+){{0,2}}?(?:(?P<larger>{_LARGER})|(?P<smaller>{_SMALLER}))\b(?:.{{0,30}}?\bthan\b)?", re.IGNORECASE
)


def has_other_sign(ours: Reading, theirs: Reading) -> bool:
    """One is below zero and the other is not, and no word of either makes up for the minus."""
    a, b = ours.quantity, theirs.quantity
    if (a.value < 0) == (b.value < 0) or not a.value or a.unit == "points":
        return False
    if any(r.is_change or BELOW_ZERO.search(r.clause) or directions(r.clause) for r in (ours, theirs)):
        return False
    is_plain = a.unit != "percent" and not theirs.is_in_a_row
    return is_plain or bool(CAN_BE_EITHER.search(ours.clause))


def compares_as_said(claim: str, number: Quantity, one: Reading, other: Reading) -> bool:
    """“B makes 150 more than A”: where the words tell which figure is whose, the larger one must be B's."""
    said = COMPARES.match(claim, number.end)
    if said is None:
        return True
    before, behind = _tokens(claim[: number.start]), _tokens(claim[said.end() :])
    own = {id(r): _tokens(r.clause) - _tokens(s.clause) for r, s in ((one, other), (other, one))}
    for subject, object_ in ((one, other), (other, one)):
        is_subject = own[id(subject)] & (before - behind)
        if is_subject and own[id(object_)] & (behind - before):
            is_larger = subject.quantity.value > object_.quantity.value
            return is_larger == bool(said["larger"])
    return True


def _tokens(text: str) -> set[str]:
    """“A” is a name and “a” an article, so single letters keep their case."""
    return {word if len(word) == 1 else word.lower() for word in re.findall(r"\w+", text)}

"""“Over 1,000” is no other figure than 1,012: words that make a number a limit."""

import re
from typing import Literal

Bound = Literal["over", "at_least", "under", "at_most", "nearly", "about", "between"]
AT_LEAST: frozenset[Bound] = frozenset({"over", "at_least"})
AT_MOST: frozenset[Bound] = frozenset({"under", "at_most"})

_PHRASES: dict[Bound, str] = {
    "over": "over|more than|greater than|above|exceed|exceeds|exceeded|exceeding|in excess of|surpassed|topped|"
    "mehr als|plus de",
    "at_least": "at least|no less than|no fewer than|not less than|upwards of|a minimum of|mindestens",
    "under": "under|below|less than|fewer than|weniger als|moins de",
    "at_most": "at most|up to|no more than|not more than|a maximum of|höchstens",
    "nearly": "nearly|almost|close to|just under|just below|fast|knapp|près de",
    "about": "about|around|roughly|approximately|approx.|some|circa|ca.|~|≈|rund|etwa|environ",
}
_KINDS = {phrase: kind for kind, phrases in _PHRASES.items() for phrase in phrases.split("|")}
_PHRASE = "|".join(re.escape(phrase) for phrase in sorted(_KINDS, key=len, reverse=True))
_COMPARED = re.compile(
    r"\d[^.;:]*(?:,|\d%?)\s+(?:well\s|far\s|slightly\s)?(?:above|below|over|under|exceeding|(?:more|less) than)\s*$",
    re.IGNORECASE,
)
_COMPARES = ("above", "below", "over", "under", "exceeding", "than")
_BEFORE_A_NUMBER = re.compile(rf"(?<!\w)(?P<phrase>{_PHRASE})\s*$", re.IGNORECASE)

NEARBY = 120
"""How many characters before a number are read for what they say of it; without an end, many numbers take long."""
NEAR = 0.10
"""How far below its number “nearly” reaches …"""
ROUGH = 0.05
"""… and how far “about” reaches to both sides."""


def bound_before(text: str, position: int) -> Bound | None:
    match = _BEFORE_A_NUMBER.search(text[max(0, position - 30) : position])
    return _KINDS[match["phrase"].lower()] if match else None


def is_a_comparison(text: str, position: int) -> bool:
    """“Inflation was 4.0%, above 3.2% in April”: the second figure may be a figure itself, and no limit."""
    before = text[max(0, position - NEARBY) : position].rstrip()
    # Few numbers stand behind such a word, and looking for what it compares with takes long.
    return before.lower().endswith(_COMPARES) and bool(_COMPARED.search(before))


def reaches(bound: Bound, limit: float, value: float) -> bool:
    """Whether a figure of this value is what the bound speaks of."""
    if bound in AT_LEAST:
        return value > limit if bound == "over" else value >= limit
    if bound in AT_MOST:
        return value < limit if bound == "under" else value <= limit
    share = NEAR if bound == "nearly" else ROUGH
    return limit * (1 - share) <= value <= (limit if bound == "nearly" else limit * (1 + share))

"""“Over 1,000” is no other figure than 1,012: words that make a number a limit."""

import re
from typing import Literal

Bound = Literal["at_least", "at_most", "nearly", "about"]

_PHRASES: dict[Bound, str] = {
    "at_least": "over|more than|greater than|above|at least|exceed|exceeds|exceeded|exceeding|in excess of|"
    "no less than|no fewer than|not less than|upwards of|a minimum of|surpassed|topped|mehr als|mindestens|plus de",
    "at_most": "under|below|less than|fewer than|at most|up to|no more than|not more than|a maximum of|weniger als|"
    "höchstens|moins de",
    "nearly": "nearly|almost|close to|just under|just below|fast|knapp|près de",
    "about": "about|around|roughly|approximately|approx.|some|circa|ca.|~|≈|rund|etwa|environ",
}
_KINDS = {phrase: kind for kind, phrases in _PHRASES.items() for phrase in phrases.split("|")}
_PHRASE = "|".join(re.escape(phrase) for phrase in sorted(_KINDS, key=len, reverse=True))
_BEFORE_A_NUMBER = re.compile(rf"(?<!\w)(?P<phrase>{_PHRASE})\s*$", re.IGNORECASE)

NEAR = 0.10
"""How far below its number “nearly” reaches …"""
ROUGH = 0.05
"""… and how far “about” reaches to both sides."""


def bound_before(text: str, position: int) -> Bound | None:
    match = _BEFORE_A_NUMBER.search(text[max(0, position - 30) : position])
    return _KINDS[match["phrase"].lower()] if match else None


def reaches(bound: Bound, limit: float, value: float) -> bool:
    """Whether a figure of this value is what the bound speaks of."""
    if bound == "at_least":
        return value >= limit
    if bound == "at_most":
        return value <= limit
    share = NEAR if bound == "nearly" else ROUGH
    return limit * (1 - share) <= value <= (limit if bound == "nearly" else limit * (1 + share))

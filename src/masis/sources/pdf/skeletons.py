"""What stays of a text whatever cleaning did to it: its visible characters, by which a place is found again."""

import unicodedata
from dataclasses import dataclass

_INVISIBLE = frozenset(("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"))


@dataclass(frozen=True, slots=True)
class Skeleton:
    text: str
    origins: list[int]
    """Where in the original each character of `text` stood."""


def skeleton_of(text: str) -> Skeleton:
    """Decomposed, without spaces, line ends, invisible characters, and the # that marks a heading: a space or an accent
    more or less on one side does not matter."""
    kept: list[str] = []
    origins: list[int] = []
    for place, character in enumerate(text):
        for part in unicodedata.normalize("NFD", character):
            if part != "#" and unicodedata.category(part) not in _INVISIBLE:
                kept.append(part)
                origins.append(place)
    return Skeleton("".join(kept), origins)


def nearest(wanted: str, text: str, expected: int) -> int | None:
    """Where `wanted` begins in `text`: of several places, the one nearest to `expected`."""
    if not wanted:
        return None
    after = text.find(wanted, expected)
    before = text.rfind(wanted, 0, max(0, expected) + len(wanted) - 1)
    found = [place for place in (before, after) if place >= 0]
    return min(found, key=lambda place: abs(place - expected)) if found else None

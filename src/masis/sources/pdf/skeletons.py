"""What stays of a text whatever cleaning and layout did to it: its letters and digits, by which a place is found."""

import unicodedata
from dataclasses import dataclass

_VISIBLE = frozenset("LMN")


@dataclass(frozen=True, slots=True)
class Skeleton:
    text: str
    origins: list[int]
    """Where in the original each character of `text` stood."""


def skeleton_of(text: str) -> Skeleton:
    """Letters and digits, decomposed: a space, a hyphen at a line's end, or the marks of a heading, an item or a row do
    not matter."""
    kept: list[str] = []
    origins: list[int] = []
    for place, character in enumerate(text):
        for part in unicodedata.normalize("NFD", character):
            if unicodedata.category(part)[0] in _VISIBLE:
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


def longest_end(wanted: str, text: str, expected: int) -> tuple[int, int] | None:
    """Where the longest end of `wanted` that is in `text` begins, and its length.

    The header of a table that began on the page before is in the text of this page, and not on it.
    """
    low, high = 0, len(wanted)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if wanted[middle:] in text else (middle + 1, high)
    start = nearest(wanted[low:], text, expected)
    return None if start is None else (start, len(wanted) - low)

"""The nearest spelling in the documents for a word that none of them has."""

from collections.abc import Iterable

from masis.knowledge.search.keywords import folded
from masis.language.words import words

_SHORTEST = 5
_TWO_SLIPS = 9
"""A word this long may have two slips; a shorter one with two is another word."""
_MIDDLE = 12


def vocabulary_of(text: str) -> str:
    """Every word of a text that can be misspelt, once, with a space between."""
    return " ".join(sorted({word for word in words(folded(text)) if len(word) >= _SHORTEST - 1 and word.isalpha()}))


def nearest(word: str, vocabulary: Iterable[str]) -> str | None:
    """The word with the fewest slips (a letter too many, too few, wrong, or two exchanged), None where none is near;
    of equals the one that begins alike, then the first."""
    word = folded(word).lower()
    if len(word) < _SHORTEST or not word.isalpha():
        return None
    most = 2 if len(word) >= _TWO_SLIPS else 1
    letters = set(word)
    best: tuple[int, bool, str] | None = None
    for known in vocabulary:
        is_alike = abs(len(known) - len(word)) <= most and len(letters.symmetric_difference(known)) <= 2 * most
        if is_alike and known != word:
            slips = _slips(word, known, most)
            if slips <= most:
                found = (slips, known[0] != word[0], known)
                best = found if best is None else min(best, found)
    return best[2] if best else None


def _slips(one: str, other: str, most: int) -> int:
    """How many, counted up to one more than `most`: letters that both begin or end with are not looked at."""
    start = 0
    shorter = min(len(one), len(other))
    while start < shorter and one[start] == other[start]:
        start += 1
    end = 0
    while end < shorter - start and one[-1 - end] == other[-1 - end]:
        end += 1
    a, b = one[start : len(one) - end], other[start : len(other) - end]
    return _distance(a, b) if max(len(a), len(b)) <= _MIDDLE else most + 1


def _distance(a: str, b: str) -> int:
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, start=1):
        before, last, row = row, before, [i]
        for j, right in enumerate(b, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right))
            if last and j > 1 and left == b[j - 2] and a[i - 2] == right:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]

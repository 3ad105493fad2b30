"""Which texts are one voice: the same text in two files, a quotation of it, a copy with small edits."""

from functools import lru_cache

from masis.language.words import words

RUN = 4
"""Words in a row: that long, two writers seldom choose the same by chance."""
COPIED = 0.6
"""Share of the shorter text's runs of words that the longer one has too."""


def is_copy(a: str, b: str) -> bool:
    ours, theirs = _runs(a), _runs(b)
    fewer = min(len(ours), len(theirs))
    return bool(fewer) and len(ours & theirs) >= COPIED * fewer


@lru_cache(maxsize=4096)
def _runs(text: str) -> frozenset[tuple[str, ...]]:
    said = words(text)
    return frozenset(tuple(said[i : i + RUN]) for i in range(max(1, len(said) - RUN + 1))) if said else frozenset()

"""One voice, heard once: a passage that only repeats a better one takes no place among the evidence.

Strict on purpose. Two passages that differ in a number, a date, a name, a negation or any other word that carries
meaning may be a conflict that a person must see; what is dropped here is only ever the same words again.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from masis.language.words import plain
from masis.types import EvidenceChunk

# A sign, a bracket or a currency is part of the number: (5) is not 5.
_WORD = re.compile(r"[-(]?[$€£¥]?\d+(?:[.,:/]\d+)*%?|[^\W\d_]+(?:['’][^\W\d_]+)*", re.UNICODE)
_FILLERS = frozenset("a an and as at by for in is it its of on that the this to was were which with".split())
"""Words that may come or go without changing what is said."""


@dataclass(frozen=True, slots=True)
class _Said:
    words: str
    """In order, each between spaces."""
    stands_under: str
    """The headings, which name the period or the region of a table."""
    date: str | None


def without_near_duplicates(hits: Sequence[EvidenceChunk]) -> list[EvidenceChunk]:
    """Best first, as they came, without those that say in the same words what a better one says."""
    kept: list[EvidenceChunk] = []
    heard: list[_Said] = []
    for hit in hits:
        said = _said(hit)
        if not any(_repeats(said, better) for better in heard):
            kept.append(hit)
            heard.append(said)
    return kept


def _said(hit: EvidenceChunk) -> _Said:
    return _Said(_words(hit["text"]), _words(hit.get("heading") or ""), hit.get("date"))


def _words(text: str) -> str:
    found = (match.group().lower() for match in _WORD.finditer(plain(text)))
    return f" {' '.join(word for word in found if word not in _FILLERS)} "


def _repeats(said: _Said, better: _Said) -> bool:
    if said.words not in better.words:
        return False
    # The same row in the reports of two quarters is two facts.
    other_period = None not in (said.date, better.date) and said.date != better.date
    return not other_period and said.stands_under == better.stands_under

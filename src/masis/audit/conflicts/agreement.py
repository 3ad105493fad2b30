"""Decides whether two answers say the same, whether a text gives an answer, and whether a text is a copy of another."""

import re
import unicodedata
from difflib import SequenceMatcher
from functools import lru_cache

from masis.language.periods import periods
from masis.language.quantities import Quantity, quantities
from masis.language.words import content_stems, words

SPELLED_ALIKE = 0.86
"""Similarity from which two spellings are one name: Alla Rakha and Allah Rakha."""
EMPTY = frozenset("about approximately around circa ca early late mid nearly roughly some former formerly".split())
"""Words that make no difference to an answer."""


INITIAL = re.compile(r"[A-Z]\.?\s+[A-Z]")
YEAR = re.compile(r"(?<![\w.,])[12]\d{3}(?:s|(?=[-–/]))?(?![\w,]|\.\d)")


def same_answer(a: str, b: str) -> bool:
    if YEAR.search(a) and YEAR.search(b) and not _years(a) & _years(b):
        return False
    if periods(a) and periods(b):
        return _same_dates(a, b)
    ours, theirs = quantities(a), quantities(b)
    if ours and theirs:
        return any(compatible(p, q) for p in ours for q in theirs)
    if INITIAL.match(a) or INITIAL.match(b):
        return _same_initials(a, b)
    return _same_words(a, b) or _is_short_for(a, b) or _is_short_for(b, a)


def _years(text: str) -> frozenset[str]:
    return frozenset(match.group() for match in YEAR.finditer(text))


def _same_dates(a: str, b: str) -> bool:
    """Some date of one text can be a date of the other; a part that one leaves out does not count as a difference."""
    return any(not p.excludes(q) for p in periods(a) for q in periods(b))


def compatible(a: Quantity, b: Quantity) -> bool:
    return a.is_met_by(b) or b.is_met_by(a)


def _same_words(a: str, b: str) -> bool:
    ours, theirs = _meaning(a), _meaning(b)
    if not ours or not theirs:
        return folded(a) == folded(b)
    if ours <= theirs or theirs <= ours:
        return True
    return SequenceMatcher(None, folded(a), folded(b)).ratio() >= SPELLED_ALIKE and not _numbered(a, b)


def _numbered(a: str, b: str) -> bool:
    """“Series 3” and “series 4” are spelled alike but differ in their number."""
    return re.findall(r"\d+", a) != re.findall(r"\d+", b)


def _meaning(text: str) -> frozenset[str]:
    return frozenset(content_stems(folded(text))) - EMPTY


def folded(text: str) -> str:
    """The text without case, accents and punctuation."""
    bare = unicodedata.normalize("NFKD", text)
    return " ".join(words("".join(c for c in bare if not unicodedata.combining(c)).replace(".", "")))


def _same_initials(a: str, b: str) -> bool:
    """“J. Smith” may be John Smith, but not Mary Smith."""
    ours, theirs = folded(a).split(), folded(b).split()
    return ours[-1] == theirs[-1] and (ours[0][0] == theirs[0][0] or 1 in (len(ours), len(theirs)))


def _is_short_for(short: str, long: str) -> bool:
    """“UNDP” is short for United Nations Development Programme."""
    spelled = re.findall(r"[^\W\d_]+", long)
    letters = re.sub(r"[^A-Za-z]", "", short)
    if not (2 <= len(letters) <= 6 and letters.isupper() and len(spelled) >= 2):
        return False
    return letters in ("".join(w[0] for w in spelled).upper(), "".join(w[0] for w in spelled if w[0].isupper()))


MOST_WORDS = 0.75
"""Share of a value's words that must be in the passage, if the value is neither a number nor a date."""


def gives(text: str, value: str) -> bool:
    if not value.strip():
        return False
    if folded(value) and f" {folded(value)} " in f" {folded(text)} ":
        return True
    if wanted := quantities(value):
        given = quantities(text)
        return all(any(q.is_met_by(g) or g.is_met_by(q) for g in given) for q in wanted)
    if dates := periods(value):
        return all(any(not p.excludes(q) and p.part == q.part for q in periods(text)) for p in dates)
    meant, said = set(content_stems(folded(value))), set(content_stems(folded(text)))
    return bool(meant) and len(meant & said) >= MOST_WORDS * len(meant)


RUN = 4
"""Length of a run of words that two writers seldom choose alike by chance."""
COPIED = 0.6
"""Share of the shorter text's runs that the longer text must contain to be a copy."""


def is_copy(a: str, b: str) -> bool:
    ours, theirs = _runs(a), _runs(b)
    fewer = min(len(ours), len(theirs))
    return bool(fewer) and len(ours & theirs) >= COPIED * fewer


@lru_cache(maxsize=4096)
def _runs(text: str) -> frozenset[tuple[str, ...]]:
    said = words(text)
    return frozenset(tuple(said[i : i + RUN]) for i in range(max(1, len(said) - RUN + 1))) if said else frozenset()

"""Classes of characters and building blocks of patterns that sentences, citations and hedges share."""

import re
import unicodedata

# Words that a pattern may skip. The gap is bounded so that no pattern takes more than linear time.
GAP = r"[^.;]{0,80}?"
SHORT_GAP = r"[^.;]{0,40}?"
BRACKETED = re.compile(r"\s*\[[^\[\]]*\]")
"""A citation, in text where square brackets can hold nothing else (`citation_marks` decides otherwise)."""


def word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def one_of(words: str, *phrases: str) -> str:
    """A group that matches any of the words (separated by spaces) or phrases."""
    return f"(?:{'|'.join([*words.split(), *phrases])})"


INVISIBLE = (
    "\u00ad\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\ufe0e\ufe0f\ufeff"
)
"""Joiners, direction marks and variation selectors: they change how text looks, never what it says."""

BREAKING_INVISIBLE = "\u200b\ufeff"
"""Invisible characters that separate words, as a space does."""

CLOSERS = "\"'”’“»›)]}*_~」』）］】〉》＂" + INVISIBLE
"""Characters allowed between the end of a sentence and the space after it; “ closes a German quotation."""

LINE_BREAK = re.compile("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")

_INVISIBLE_TO_NOTHING = dict.fromkeys(map(ord, INVISIBLE))
_TYPOGRAPHY_TO_ASCII = str.maketrans(
    {**dict.fromkeys("‘’‚‛ʼ′", "'"), **dict.fromkeys("“”„‟″", '"'), **dict.fromkeys("‐‑‒–—−", "-")}
)


def is_gap(character: str) -> bool:
    return character.isspace() or character in BREAKING_INVISIBLE


def without_invisible(text: str) -> str:
    return text.translate(_INVISIBLE_TO_NOTHING)


def plain_typography(text: str) -> str:
    """Replaces quotes, dashes and compatibility forms by their ASCII equivalents, so that one pattern fits all
    spellings."""
    return unicodedata.normalize("NFKC", without_invisible(text)).translate(_TYPOGRAPHY_TO_ASCII)

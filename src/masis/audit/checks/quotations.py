"""What a claim puts in quotation marks must stand in the source word for word."""

import re
from collections.abc import Sequence

from masis.language.spans import code_spans, paired_spans
from masis.language.words import plain

FEWEST_WORDS = 4
"""Shorter quotations are names, titles and terms, which may be marked without being quoted."""
_LEFT_OUT = re.compile(r"\[?\(?(?:\.\.\.|…|\. \. \.)\)?\]?|\[[^\]]*\]")
"""What the writer left out, or put in for the reader."""
_NOT_WORDS = re.compile(r"[\W_]+")


def misquoted(claim: str, passages: Sequence[str]) -> str | None:
    """The first quotation that no passage has, as it is written."""
    _, quotes = paired_spans(claim, 0, len(claim), code_spans(claim, 0, len(claim)))
    where = [_words_of(passage) for passage in passages]
    for start, end in quotes:
        quotation = claim[start + 1 : end - 1].strip()
        # A question in quotation marks is the one that was asked.
        is_short = len(quotation.split()) < FEWEST_WORDS or quotation.endswith("?")
        if not is_short and not any(_is_quoted(quotation, words) for words in where):
            return quotation
    return None


def _is_quoted(quotation: str, passage: str) -> bool:
    at = 0
    for piece in map(_words_of, _LEFT_OUT.split(quotation)):
        found = passage.find(piece.rstrip(), at)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def _words_of(text: str) -> str:
    return f" {_NOT_WORDS.sub(' ', plain(text).lower()).strip()} "

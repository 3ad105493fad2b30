"""Which lines are titles although no `#` says so: bold lines, "Title:" lines, short unpunctuated lines.

A line that states a hard figure or holds a bracket is never a title: a claim must not escape the audit by its
dress.
"""

import re

from masis.language.characters import CLOSERS
from masis.language.figures import states_a_hard_figure

_SENTENCE_END = tuple(".!?…。！？｡؟۔।॥։።")
_COLONS = (":", "：")
_WORD = re.compile(r"[^\W_][\w'’-]*")


def ends_like_a_sentence(line: str) -> bool:
    return line.rstrip().rstrip(CLOSERS).endswith(_SENTENCE_END)


def is_bold_title(line: str) -> bool:
    bare = line.strip().rstrip(":：")
    for mark in ("**", "__"):
        inner = bare[len(mark) : -len(mark)]
        if bare.startswith(mark) and bare.endswith(mark) and inner.strip() and mark not in inner:
            return may_be_title(inner)
    return False


def is_colon_title(line: str) -> bool:
    """ "Key findings:", "Revenue by Region:"; a clause ("The main drivers were:") is an introduction."""
    bare = line.strip().strip("*_")
    return bare.endswith(_COLONS) and may_be_title(bare) and _reads_as_title(bare, few_words=3)


def is_bare_title(line: str) -> bool:
    return (
        may_be_title(line) and not line.rstrip().endswith((",", ";", *_COLONS)) and _reads_as_title(line, few_words=2)
    )


def is_list_title(line: str) -> bool:
    """An item that only names what the items under it say."""
    return may_be_title(line) and len(_WORD.findall(line)) <= 6


def may_be_title(line: str) -> bool:
    return (
        len(line) <= 120
        and not set("[【［") & set(line)
        and not ends_like_a_sentence(line)
        and not states_a_hard_figure(line)
    )


def _reads_as_title(line: str, few_words: int) -> bool:
    words = _WORD.findall(line)
    if len(words) <= few_words:
        return bool(words)
    return len(words) <= 12 and all(not word[0].islower() for word in words if len(word) > 3)

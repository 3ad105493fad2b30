"""Recognises unmarked titles and list items: bold lines, “Title:” lines, short unpunctuated lines and questions as
titles; lines that semicolons, labels or a colon above them hold together as items.

A line that states a hard figure or contains a bracket is never a title, unless it is a question: a claim must not
escape the audit by looking like a heading.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from masis.language.characters import CLOSERS
from masis.language.measures import states_a_hard_figure

_SENTENCE_END = tuple(".!?…。！？｡؟۔।॥։።")
_COLONS = (":", "：")
_WORD = re.compile(r"[^\W_][\w'’-]*")
_ASKED = re.compile(r"[A-Z“\"'‘¿][^.!?\[\]\n]{8,140}\?[\"”’']?")
_GOES_ON = re.compile(r";(?:\s(?:and|or|and/or))?\s*$")
_LABELLED = re.compile(r"[A-Z][^.:;?!|\n]{1,48}:\s+\S.{20}")
_BARE_ITEM = re.compile(r"[A-Z0-9“\"'][^|\n]{2,98}[^\s.,;:!?|-]\s*")


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
    """“Key findings:”, “Revenue by Region:”. A clause (“The main drivers were:”) is an introduction instead."""
    bare = line.strip().strip("*_")
    return bare.endswith(_COLONS) and may_be_title(bare) and _reads_as_title(bare, few_words=3)


def is_bare_title(line: str) -> bool:
    return (
        may_be_title(line) and not line.rstrip().endswith((",", ";", *_COLONS)) and _reads_as_title(line, few_words=2)
    )


def is_asked_title(line: str) -> bool:
    """A single question on its own line, as a heading for the answer below it."""
    return _ASKED.fullmatch(line.strip()) is not None


def unmarked_items(lines: Sequence[str]) -> set[int]:
    """Numbers of the lines that form a list by the semicolons between them, by their labels, or by the colon above
    them."""
    filled = [number for number, line in enumerate(lines) if line.strip()]
    found: set[int] = set()
    for run in _runs(lines, filled, lambda line: bool(_GOES_ON.search(line))):
        under_a_colon = run[0] > 0 and lines[filled[run[0] - 1]].rstrip().endswith(":")
        if len(run) + under_a_colon >= 2:
            # Includes the last item, which ends in a full stop.
            found.update(filled[run[0] : run[-1] + 2])
    for run in _runs(lines, filled, lambda line: _LABELLED.match(line) is not None):
        found.update(filled[n] for n in run if len(run) > 2)
    for run in _runs(lines, filled, lambda line: _BARE_ITEM.fullmatch(line) is not None):
        found.update(_below_a_colon(lines, [filled[n] for n in run]))
    return found


def _runs(lines: Sequence[str], filled: Sequence[int], holds: Callable[[str], bool]) -> Iterator[list[int]]:
    """Maximal runs of indices into `filled` whose lines satisfy `holds`."""
    run: list[int] = []
    for place, number in enumerate(filled):
        if holds(lines[number]):
            run.append(place)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _below_a_colon(lines: Sequence[str], run: Sequence[int]) -> list[int]:
    """Two or more short lines right under one that ends in a colon, unless a wrapped sentence continues below them."""
    above, below = run[0] - 1, run[-1] + 1
    goes_on = below < len(lines) and lines[below].lstrip()[:1].islower()
    together = run[-1] - run[0] == len(run) - 1
    introduced = above >= 0 and lines[above].rstrip().endswith(":")
    return list(run) if len(run) > 1 and together and introduced and not goes_on else []


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

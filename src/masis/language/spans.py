"""Finds spans inside a block that belong together: inline code, brackets, quotations."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator

Span = tuple[int, int]

_BACKTICKS = re.compile("`+")
_BRACKETS = {
    ")": "(",
    "]": "[",
    "）": "（",
    "］": "［",
    "】": "【",
    "」": "「",
    "』": "『",
    "”": "“",
    "»": "«",
}
_QUOTATION_MARKS = frozenset("“”„«»「」『』")
_PAIR = re.compile('["()（）［］【】「」『』“”„«»\\[\\]]')
_LONGEST_PAIR = 400
"""Longest bracketed or quoted span; a pair further apart is more likely a typing error."""


class Spans:
    """Sorted spans without overlap, with a lookup of the span that covers a position."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._spans = _outermost(spans)
        self._starts = [start for start, _ in self._spans]

    def covering(self, position: int) -> Span | None:
        at = bisect_right(self._starts, position) - 1
        return self._spans[at] if at >= 0 and position < self._spans[at][1] else None

    def __contains__(self, position: int) -> bool:
        return self.covering(position) is not None

    def __iter__(self) -> Iterator[Span]:
        return iter(self._spans)


def _outermost(spans: Iterable[Span]) -> list[Span]:
    kept: list[Span] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def code_spans(text: str, start: int, end: int) -> Spans:
    """The inline code of a block: a run of backticks opens code if a run of the same length closes it in the same
    block."""
    runs = [match.span() for match in _BACKTICKS.finditer(text, start, end)]
    by_length: dict[int, list[int]] = defaultdict(list)
    for at, (first, last) in enumerate(runs):
        by_length[last - first].append(at)
    spans: list[Span] = []
    at = 0
    while at < len(runs):
        same = by_length[runs[at][1] - runs[at][0]]
        following = bisect_right(same, at)
        if following < len(same):
            spans.append((runs[at][0], runs[same[following]][1]))
            at = same[following]
        at += 1
    return Spans(spans)


def paired_spans(text: str, start: int, end: int, code: Spans) -> tuple[Spans, Spans]:
    """The bracketed and the quoted spans of a block for which both ends are present."""
    brackets: list[Span] = []
    quotes: list[Span] = []
    waiting: dict[str, list[int]] = defaultdict(list)
    straight: int | None = None
    for match in _PAIR.finditer(text, start, end):
        mark, at = match.group(), match.start()
        if at in code:
            continue
        if mark == '"':
            straight = _straight_quote(text, at, straight, start, end, quotes)
        elif mark == "“" and waiting["„"]:
            quotes.append((waiting["„"].pop(), at + 1))
        elif opener := _BRACKETS.get(mark):
            if waiting[opener]:
                (quotes if mark in _QUOTATION_MARKS else brackets).append((waiting[opener].pop(), at + 1))
        else:
            waiting[mark].append(at)
    return Spans(filter(_is_short, brackets)), Spans(filter(_is_short, quotes))


def _straight_quote(text: str, at: int, opened: int | None, start: int, end: int, quotes: list[Span]) -> int | None:
    """The start of the quotation that is open after this mark. An inch sign (5") neither opens nor closes one."""
    follows_a_word = at > start and not text[at - 1].isspace() and text[at - 1] not in "([{—–"
    if opened is None:
        return at if not follows_a_word and at + 1 < end and not text[at + 1].isspace() else None
    if not follows_a_word:
        return at
    quotes.append((opened, at + 1))
    return None


def _is_short(span: Span) -> bool:
    return span[1] - span[0] <= _LONGEST_PAIR

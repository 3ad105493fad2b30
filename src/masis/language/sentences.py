"""Splits a text into sentences with exact spans, `text[start:end] == sentence.text`, and a sentence into clauses."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from masis.language.abbreviations import is_exclamatory_name, stops_a_word_only
from masis.language.characters import CLOSERS, is_gap
from masis.language.citation_ids import IdLexicon
from masis.language.citation_marks import CitationMark, attached_groups, find_marks
from masis.language.markdown_blocks import Block, BlockKind, parse_blocks
from masis.language.periods import BETWEEN, period_spans
from masis.language.spans import Span, Spans, code_spans, paired_spans

# “(2024: 590)” is a clause of its own, and its colon does not break it.
CLAUSE_BREAK = re.compile(
    r";|(?<!\d):|,\s|\s(?:while|whereas|compared|versus|but|and|from|against|after)\s"
    r"|\s\((?=(?:FY|fiscal|Q\d|H\d|(?:19|20)\d\d))",
    re.IGNORECASE,
)
COMPARES = re.compile(
    r"\W*(?:from|compared(?:\s(?:with|to))?|versus|against|after)\s+"
    r"(?:(?:about|around|a|the|some|nearly|over|just|roughly)\s+)?(?:[A-Z]{3}\s*|[$€£]\s*)?",
    re.IGNORECASE,
)
"""“… up from”: the number that follows is for another period than the sentence."""

_UNSPACED = frozenset("。！？｡؟۔।॥։።။។")
"""Marks that end a sentence whether or not a space follows."""
_CANDIDATE = re.compile("[.!?…‼⁇⁈⁉\u037e．。！？｡؟۔।॥։።။។]+|\r\n|[\n\r\u2028]")
_MORE_MARKS = re.compile("[.!?。]+")
_QUOTES_THAT_GO_ON = frozenset("」』”’）》")
_SPACED_GUILLEMET = re.compile("[ \u00a0\u202f]»")
_ELLIPSIS = re.compile(r"\.{2,}|…+")
_START = re.compile(r"[^\W_]{1,2}|[¿¡]")
_LOOK_BEHIND = 48
_LOOK_AHEAD = 48


@lru_cache(maxsize=1024)
def clauses(text: str) -> tuple[tuple[int, int], ...]:
    """The spans of the clauses, in order. Nothing breaks inside a date or between two years."""
    dates = [*(span for _, span in period_spans(text)), *(m.span() for m in BETWEEN.finditer(text))]
    breaks = [m.start() for m in CLAUSE_BREAK.finditer(text) if not any(a <= m.start() < b for a, b in dates)]
    edges = [0, *(b for b in breaks if b), len(text)]
    return tuple(pairwise(edges))


def clause_at(text: str, start: int, end: int) -> tuple[int, int]:
    """The clause around a number; a thousands separator does not break it."""
    around = clauses(text)
    first = max((a for a, _ in around if a <= start), default=0)
    return first, min((b for _, b in around if b >= end), default=len(text))


def is_compared(text: str, clause_start: int, number_start: int) -> bool:
    return bool(COMPARES.fullmatch(text[clause_start:number_start]))


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str
    start: int
    end: int
    block: BlockKind


def split_sentences(text: str, known_ids: Collection[str] = ()) -> list[Sentence]:
    """The sentences of a text. Headings, table rows and code blocks are one sentence each, and a citation after a full
    stop stays with its sentence.

    Without `known_ids`, citations are recognised by form alone.
    """
    blocks = parse_blocks(text)
    marks = find_marks(text, blocks, IdLexicon(known_ids))
    return [
        Sentence(text[start:end], start, end, block.kind) for block, start, end in split_blocks(text, blocks, marks)
    ]


def split_blocks(text: str, blocks: Sequence[Block], marks: Sequence[CitationMark]) -> Iterator[tuple[Block, int, int]]:
    starts = [mark.start for mark in marks]
    for block in blocks:
        if block.kind in ("prose", "bullet"):
            inside = marks[bisect_left(starts, block.start) : bisect_left(starts, block.end)]
            attached = attached_groups(text, block, inside)
            for start, end in BlockSplitter(text, block.start, block.end, attached).spans():
                yield block, *_trimmed(text, start, end)
        else:
            yield block, *_trimmed(text, block.start, block.end)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without white space of any kind at its ends, including no-break spaces."""
    span = text[start:end]
    return start + len(span) - len(span.lstrip()), start + len(span.rstrip())


class BlockSplitter:
    """Finds where the sentences of one block begin and end.

    A sentence ends at an end mark, together with the closing quotes and brackets after it and the citations that
    follow: a citation right after the full stop belongs to the sentence before it.
    """

    def __init__(self, text: str, start: int, end: int, attached: Sequence[Span]) -> None:
        self.text, self.start, self.end = text, start, end
        self.attached = dict(attached)
        """Groups of citations: start → end."""
        self.attached_ends = set(self.attached.values())
        self.code = code_spans(text, start, end)
        self.brackets, self.quotes = paired_spans(text, start, end, self.code)
        self.notes = Spans(attached)
        self.leads_with_citation = start in self.attached

    def spans(self) -> Iterator[Span]:
        begin = examined = self.start
        for match in _CANDIDATE.finditer(self.text, self.start, self.end):
            if match.start() < examined or match.start() in self.code or match.start() in self.notes:
                continue
            examined, is_end = self._examine(match, begin)
            if is_end and examined < self.end:
                yield begin, examined
                begin = examined = self._next_begin(examined)
        if begin < self.end:
            yield begin, self.end

    def _examine(self, match: re.Match[str], begin: int) -> tuple[int, bool]:
        """Where the sentence would end, including what follows the mark, and whether it does end there."""
        if match.group().isspace():
            return self._end_of_line(match)
        after_closers = self._skip_closers(match.end())
        cut = self._absorb_citations(after_closers)
        return cut, self._ends_sentence(match, begin, after_closers, cut)

    def _end_of_line(self, line_break: re.Match[str]) -> tuple[int, bool]:
        """A line that ends in a citation or a hard break is a sentence, with or without a full stop."""
        at = line_break.start()
        while at > self.start and self.text[at - 1] in " \t":
            at -= 1
        is_hard = line_break.start() - at >= 2 or self.text[at - 1] == "\\"
        ends = (is_hard or at in self.attached_ends) and _is_capital(self._next_start(line_break.end()))
        return at, ends and not self._is_enclosed(at, begin=-1)

    def _ends_sentence(self, match: re.Match[str], begin: int, after_closers: int, cut: int) -> bool:
        mark, is_cited = match.group(), cut > after_closers
        if self._is_omission(match) or (not is_cited and self._is_enclosed(match.start(), begin, after_closers)):
            return False
        is_spaced = cut >= self.end or is_gap(self.text[cut]) or is_gap(self.text[cut - 1])
        if _UNSPACED & set(mark):
            return is_spaced or is_cited or self.text[after_closers - 1] not in _QUOTES_THAT_GO_ON
        following = self._next_start(cut)
        if not is_spaced:
            return is_cited and _is_capital(following)
        if following is None or (_goes_on(following) and not is_cited):
            return False
        return not self._belongs_to_word(match, begin, cut, is_cited)

    def _belongs_to_word(self, match: re.Match[str], begin: int, cut: int, is_cited: bool) -> bool:
        before = self.text[max(begin, match.start() - _LOOK_BEHIND) : match.start()]
        after = self.text[cut : min(self.end, cut + _LOOK_AHEAD)]
        if match.group() == ".":
            goes_on = _goes_on(self._next_start(cut))
            return stops_a_word_only(before, after, is_cited and not goes_on)
        return match.group() == "!" and is_exclamatory_name(before)

    def _is_omission(self, match: re.Match[str]) -> bool:
        """“[…]” and “(...)” mark words left out."""
        start, end = match.span()
        return (
            _ELLIPSIS.fullmatch(match.group()) is not None
            and self.text[max(self.start, start - 1) : start] in ("[", "(")
            and self.text[end : end + 1] in ("]", ")")
        )

    def _is_enclosed(self, at: int, begin: int, after_closers: int = 0) -> bool:
        """A mark inside brackets opened mid-sentence, or inside a quotation, does not end the sentence."""
        bracket = self.brackets.covering(at)
        quote = self.quotes.covering(at)
        return (bracket is not None and bracket[0] > begin and bracket[1] > after_closers) or (
            quote is not None and quote[1] > after_closers
        )

    def _skip_closers(self, at: int) -> int:
        while at < self.end:
            if self.text[at] in CLOSERS:
                at += 1
            elif _SPACED_GUILLEMET.match(self.text, at, self.end):
                at += 2
            else:
                break
        return at

    def _absorb_citations(self, at: int) -> int:
        while True:
            note = self._skip_space(at)
            if note not in self.attached or self._starts_next_line(at, note):
                return at
            at = self._skip_closers(self.attached[note])
            more = _MORE_MARKS.match(self.text, at, self.end)
            at = self._skip_closers(more.end()) if more else at

    def _starts_next_line(self, at: int, note: int) -> bool:
        """If each line of a list begins with a citation, the next line's citation belongs to that line."""
        return self.leads_with_citation and any(c in "\n\r" for c in self.text[at:note])

    def _skip_space(self, at: int) -> int:
        while at < self.end and self.text[at].isspace():
            at += 1
        return at

    def _next_begin(self, at: int) -> int:
        """The start of the next sentence, after a block-quote mark that begins its line."""
        begin = self._skip_space(at)
        while self.text[begin : begin + 1] == ">" and any(c in "\n\r" for c in self.text[at:begin]):
            begin = self._skip_space(begin + 1)
        return begin

    def _next_start(self, at: int) -> str | None:
        """The first one or two characters of what follows, after quotes, brackets and citations."""
        note = self._skip_space(at)
        at = self.attached.get(note, at)
        start = _START.search(self.text, at, min(self.end, at + _LOOK_AHEAD))
        return start.group() if start else None


def _goes_on(start: str | None) -> bool:
    """A lower-case letter continues a sentence, unless it begins a name such as iPad or eBay."""
    return start is not None and start[0].islower() and not start[-1].isupper()


def _is_capital(start: str | None) -> bool:
    """Also true for a letter of a script without capitals."""
    return start is not None and start[0].isalpha() and not _goes_on(start)

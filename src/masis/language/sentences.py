"""Splits a text into sentences with exact spans, `text[start:end] == sentence.text`, and a sentence into clauses."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from masis.language.boundaries import BlockSplitter
from masis.language.citation_ids import IdLexicon
from masis.language.citation_marks import CitationMark, attached_groups, find_marks
from masis.language.markdown_blocks import Block, BlockKind, parse_blocks
from masis.language.periods import BETWEEN, period_spans

# “(2024: 590)” is a clause of its own, and its colon breaks nothing.
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
"""“… up from”: the number that follows is for another time than the sentence."""


@lru_cache(maxsize=1024)
def clauses(text: str) -> tuple[tuple[int, int], ...]:
    """Spans, in order; what stands inside a date or between two years breaks nothing."""
    dates = [*(span for _, span in period_spans(text)), *(m.span() for m in BETWEEN.finditer(text))]
    breaks = [m.start() for m in CLAUSE_BREAK.finditer(text) if not any(a <= m.start() < b for a, b in dates)]
    edges = [0, *(b for b in breaks if b), len(text)]
    return tuple(pairwise(edges))


def clause_at(text: str, start: int, end: int) -> tuple[int, int]:
    """The clause around a number; a thousands separator inside it does not cut it."""
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
    """Headings, table rows and code blocks are one sentence each; what follows a full stop as its citation
    stays with it.

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
    """Without white space at the ends, of whatever kind: a no-break space is one too."""
    span = text[start:end]
    return start + len(span) - len(span.lstrip()), start + len(span.rstrip())

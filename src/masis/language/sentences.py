"""Splits a text into sentences with exact spans: `text[start:end] == sentence.text`."""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from masis.language.blocks import Block, BlockKind, parse_blocks
from masis.language.boundaries import BlockSplitter
from masis.language.citation_ids import IdLexicon
from masis.language.citation_marks import CitationMark, attached_groups, find_marks


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str
    start: int
    end: int
    block: BlockKind


def split_sentences(text: str, known_ids: Collection[str] = ()) -> list[Sentence]:
    """Headings, table rows and code blocks are one sentence each; what follows a full stop as its citation
    stays with it.

    Without `known_ids`, citations are told by their looks alone.
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

"""The blocks of a page: headings, paragraphs, list items, tables and notes, each with its offsets in the text.

Every format's text has the same marks (`# `, `- `, rows between bars), so one reader serves all. Only the PDF parser,
which also sees boxes, running headers and continued tables, provides its own blocks.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from masis.language.unit_captions import is_unit_line
from masis.sources.table_grid import is_row, is_rule
from masis.types import Block, Page

_HEADING = re.compile(r"(#{1,6}) \S")
_ITEM = re.compile(r"([ \t]*)([-*•◦▪‣●○■–]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)]|\(?[ivx]{2,5}\))[ \t]+\S")
_NUMBERED = re.compile(r"\d{1,2}(?:\.\d{1,2}){0,3}\.? [^\W\d_][^\n]{1,70}[^\s.,;:!?]")
_PARAGRAPH_CHARS = 60
_NOTE = re.compile(r"(?:Note|Comment|Notes)(?: by [^:\n]{1,80})?: \S")
_FENCE = re.compile(r"\s{0,3}(```|~~~)")
_CAPTION_CHARS = 200
_INDENT = 2


@dataclass(frozen=True, slots=True)
class Table:
    caption: str
    unit: str
    """“(in thousands)”, if a line states it for the whole table."""
    header: tuple[str, ...]
    """One name per column; empty if there is no header."""
    rows: tuple[tuple[tuple[int, int], ...], ...]
    """The cells of each row, label first, as start and end in the page's text."""


def blocks_of(page: Page) -> Sequence[Block]:
    return page.blocks or read_blocks(page.text)


def read_blocks(text: str) -> list[Block]:
    return list(_Reader(text).blocks())


def read_table(text: str, block: Block) -> Table:
    """Reads a table's block; `text` is the page's text."""
    above: list[str] = []
    header: tuple[str, ...] = ()
    rows: list[tuple[tuple[int, int], ...]] = []
    for start, end in _line_spans(text, block.start, block.end):
        line = text[start:end]
        if is_rule(line) and rows:
            header = tuple(text[a:b] for a, b in rows[-1])
            rows.clear()
        elif is_row(line):
            rows.append(tuple(_cell_spans(line, start)))
        elif not rows:
            above.append(line.strip())
    units = [line for line in above if is_unit_line(line)]
    return Table(" ".join(line for line in above if line not in units), " ".join(units), header, tuple(rows))


def _cell_spans(line: str, start: int) -> Iterator[tuple[int, int]]:
    place = start + 1
    for cell in re.split(r"(?<!\\)\|", line[1:-1]):
        inner = cell.strip()
        first = place + (len(cell) - len(cell.lstrip()) if inner else 0)
        yield first, first + len(inner)
        place += len(cell) + 1


def _line_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start <= end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        yield start, stop
        start = stop + 1


class _Reader:
    """Reads line by line; the lines of a paragraph or item are collected until another block begins."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._open: Block | None = None
        self._in_code = False

    def blocks(self) -> Iterator[Block]:
        for start, end in _line_spans(self._text, 0, len(self._text)):
            line = self._text[start:end]
            fence = bool(_FENCE.match(line))
            begun = None if self._in_code else self._begun(line, start, end)
            self._in_code ^= fence
            if begun is None and (line.strip() or self._in_code):
                self._open = Block("paragraph", start, end) if self._open is None else _longer(self._open, end)
                continue
            if begun is not None and begun.kind == "table" and self._open is not None:
                if self._open.kind == "table":
                    self._open = _longer(self._open, end)
                    continue
                if self._names_table(self._open):
                    self._open = Block("table", self._open.start, end)
                    continue
            if self._open is not None:
                yield self._open
            self._open = begun
        if self._open is not None:
            yield self._open

    def _begun(self, line: str, start: int, end: int) -> Block | None:
        """The block that this line opens, whatever was above it."""
        if is_row(line):
            return Block("table", start, end)
        if heading := _HEADING.match(line):
            return Block("heading", start, end, level=len(heading[1]))
        if _NUMBERED.fullmatch(line) and self._heads_a_paragraph(start, end):
            return Block("heading", start, end, level=min(2 + line.split(maxsplit=1)[0].strip(".").count("."), 6))
        if item := _ITEM.match(line):
            return Block("item", start, end, level=1 + len(item[1].expandtabs()) // _INDENT, marker=item[2])
        is_after_table = self._open is not None and self._open.kind in ("table", "heading")
        if _NOTE.match(line):
            return Block("note", start, end)
        return Block("paragraph", start, end) if is_after_table and line.strip() else None

    def _heads_a_paragraph(self, start: int, end: int) -> bool:
        """Whether the line is alone between empty lines with running text below it, so that it is not a list item."""
        is_alone = self._text[max(start - 2, 0) : start].strip("\n") == "" and self._text[end : end + 2] == "\n\n"
        below = self._text[end + 2 : end + 2 + _PARAGRAPH_CHARS]
        return is_alone and len(below) == _PARAGRAPH_CHARS and below[0].isalpha() and "\n" not in below

    def _names_table(self, above: Block) -> bool:
        """Whether the block above the rows is short enough to be the table's caption and unit."""
        if above.kind != "paragraph" or above.end - above.start > _CAPTION_CHARS:
            return False
        return not self._text[above.start : above.end].rstrip().endswith((".", ";", ","))


def _longer(block: Block, end: int) -> Block:
    return Block(block.kind, block.start, end, block.level, block.marker)

"""Cuts a document into passages: whole sentences, items and rows, never across a page, every character once.

A section that fits is one passage. A table or a list that must be split repeats its context in every part: its
captions, its unit and its header, or the sentence that introduces it.
"""

import hashlib
import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import IntEnum
from itertools import count, pairwise

from masis.knowledge.ingestion.layout import (
    HeadingPath,
    Line,
    Listing,
    Table,
    find_lists,
    find_tables,
    read_lines,
    unit_in,
)
from masis.settings import Settings
from masis.types import PAGE_BREAK, Chunk, Page, ParsedDocument

_CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
_LENGTH = 10


def chunk_id(document_id: str, start: int, end: int, text: str) -> str:
    """`c` and ten characters, at least one of them a digit, so that no id reads like a word."""
    content = f"{document_id}\n{start}\n{end}\n{text}"
    for attempt in count():
        # The first attempt hashes the content alone; 1 in 42 needs another.
        digest = hashlib.sha256((content + f"\n{attempt}" if attempt else content).encode()).digest()
        name = _base32(digest)
        if any(character.isdigit() for character in name):
            return "c" + name
    raise AssertionError("count() does not end")


def _base32(digest: bytes) -> str:
    bits = int.from_bytes(digest[:8], "big") >> (64 - 5 * _LENGTH)
    return "".join(_CROCKFORD[bits >> 5 * place & 31] for place in reversed(range(_LENGTH)))


# A wrong guess only moves a cut to another sensible place, so this stays simple; claims are split elsewhere. “… in
# Ukraine.[60][61] He said”: note marks belong to the sentence before them.
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]{0,3}(?:\[\w{1,5}\]){0,5}\s+(?=[^\sa-z])|(?<=[。！？])")
_NO_END = re.compile(
    r"(?:^|[\s(.])(?:[A-Za-z]|Inc|Corp|Ltd|Co|Mr|Mrs|Ms|Dr|St|No|vs|cf|al|approx|Fig|e\.g|i\.e)\.$"
    r"|^\s*\d{1,3}\.$",
    re.MULTILINE,
)

_HEADING_FILL = 0.15
"""A heading begins a new chunk if the current one is at least this full."""
_SECTION = 1.25
"""A section up to this much longer than a chunk still is one chunk."""
_TABLE = 2.0
"""A table with bars may be this much longer: its figures are not embedded, and its rows need each other."""
_BLOCK_FILL = 0.1
"""A table or list that fits into one chunk moves there as a whole if the current chunk is at least this full."""
_REST_FILL = 0.35
_GOOD_FILL = 0.5
_LEAST_FILL = 0.25
_PART_CHARS = 1000
"""The most characters of a heading or a table header. A shorter limit would put names above the wrong columns."""


class Strength(IntEnum):
    """How good a place is to begin a chunk."""

    LINE = 1
    SENTENCE = 2
    PARAGRAPH = 3
    HEADING = 4


Cut = tuple[int, Strength]
Block = Table | Listing


def chunk_document(parsed: ParsedDocument, document_id: str, file_name: str, settings: Settings) -> list[Chunk]:
    chunks: list[Chunk] = []
    path = HeadingPath()
    open_table: Table | None = None
    unit = ""
    offset = 0
    layouts = [_Page(page) for page in parsed.pages]
    has_text = any(layout.has_text for layout in layouts)
    for page, layout in zip(parsed.pages, layouts, strict=True):
        layout.continue_table(open_table, unit)
        open_table, unit = layout.table_at_the_end, layout.unit_at_the_end
        # A title alone on its page is a heading of what follows; it is a passage only if the document has nothing else.
        spans = [] if layout.is_a_title and has_text else list(layout.spans(settings.chunk_chars))
        if not spans:
            path.pass_over(layout.heading_lines)
        for start, end in spans:
            text = page.text[start:end]
            span = (offset + start, offset + end)
            chunks.append(
                Chunk(
                    chunk_id=chunk_id(document_id, *span, text),
                    document_id=document_id,
                    file_name=file_name,
                    text=text,
                    page=page.number,
                    start=span[0],
                    end=span[1],
                    heading=layout.heading(start, end, path),
                    date=parsed.date,
                    label=page.label,
                )
            )
        offset += len(page.text) + len(PAGE_BREAK)
    return chunks


def statements(text: str) -> list[tuple[int, int]]:
    """The spans of a passage that can be read on their own: its sentences, and each table as a whole with its
    header."""
    page = _Page(Page(1, text))
    inside = [(page.lines[table.first].start, page.lines[table.last].end) for table in page.tables]
    starts = [place for place, _ in page.cuts if not any(first < place < last for first, last in inside)]
    bounds = [0, *(place for place in starts if place > 0), len(text)]
    return list(pairwise(bounds))


class _Page:
    """Finds the places where one page may be cut, and cuts it."""

    def __init__(self, page: Page) -> None:
        self.text = text = _without_furniture(page)
        self._is_continued = any(block.is_continued and block.kind == "table" for block in page.blocks)
        self.lines = read_lines(text)
        self.tables = find_tables(self.lines)
        blocks: list[Block] = [*self.tables, *_outside(find_lists(self.lines), self.tables)]
        self.blocks = sorted(blocks, key=lambda block: block.first)
        """Tables and lists, which stay whole if they fit."""
        self.heading_lines = [line for line in self.lines if line.kind == "heading"]
        bodies = [line for line in self.lines if line.kind not in ("heading", "blank")]
        self.has_text = bool(bodies)
        self.is_a_title = len(self.heading_lines) == 1 and not bodies
        body_end = bodies[-1].end if bodies else 0
        cuts = sorted(_cuts(text, self.lines, self.blocks).items())
        # Headings at the end of a page have their text on the next page and do not make a passage by themselves.
        self.cuts: list[Cut] = [cut for cut in cuts if cut[0] < body_end]
        self.headings = [position for position, strength in self.cuts if strength is Strength.HEADING]

    @property
    def table_at_the_end(self) -> Table | None:
        last = next((i for i in range(len(self.lines) - 1, -1, -1) if self.lines[i].kind != "blank"), 0)
        return self.tables[-1] if self.tables and self.tables[-1].last == last else None

    @property
    def unit_at_the_end(self) -> str:
        """The unit in a sentence that introduces tables, whether or not the first of them follows it on this page."""
        if table := self.table_at_the_end:
            return table.unit
        last = next((line for line in reversed(self.lines) if line.kind != "blank"), None)
        return unit_in(last.text) if last and last.kind == "text" and last.text.endswith(":") else ""

    def continue_table(self, begun: Table | None, unit: str) -> None:
        """Completes the first table of this page if it began on the page before, where its header is, or if the
        sentence with its unit is there."""
        if not self.tables:
            return
        own = continued = self.tables[0]
        if begun and self._is_continued:
            continued = replace(own, body=own.first + 1, names=begun.names, is_continued=True)
        if not own.unit and all(line.kind in ("blank", "heading") for line in self.lines[: own.first]):
            continued = replace(continued, unit=unit)
        self.tables[0] = continued
        self.blocks = [continued if block is own else block for block in self.blocks]

    def spans(self, limit: int) -> Iterator[tuple[int, int]]:
        end = len(self.text.rstrip())
        start = self._skip_space(0)
        while start < end:
            cut = min(self._cut(start, end, limit), end)
            yield start, start + len(self.text[start:cut].rstrip())
            start = self._skip_space(cut)

    def heading(self, start: int, end: int, path: HeadingPath) -> str | None:
        """The headings above the passage, without those that are its own first lines."""
        lines = self.lines[self._line_at(start) : self._line_at(end - 1) + 1]
        headings = [line for line in lines if line.kind == "heading" and line.start >= start]
        first_text = next((line.start for line in lines if line.kind not in ("heading", "blank")), end)
        above = path.above([line for line in headings if line.start < first_text])
        path.pass_over(headings)
        block = self._block_near(start)
        is_continued = isinstance(block, Table) and block.is_continued
        if block and self._start_of(block) < start + is_continued and start <= self.lines[block.last].end:
            above += block.names
        inside = [t for t in self.tables if self._start_of(t) < end and start <= self.lines[t.last].end]
        units = {table.unit for table in inside if table.unit and table.unit not in self.text[start:end]}
        above += units if len(units) == 1 else ()
        return " > ".join(part[:_PART_CHARS] for part in above if part) or None

    def _cut(self, start: int, end: int, limit: int) -> int:
        """Where the passage that begins at `start` ends."""
        window = self._window(start + 1, start + limit)
        for position, strength in window:
            if strength is Strength.HEADING and position >= start + _HEADING_FILL * limit:
                return position
        if end - start <= limit:
            return end
        section = self._section_end(start + round(_HEADING_FILL * limit), end)
        if section - start <= _SECTION * limit:
            return section
        if moved := self._block_to_move(start, limit) or self._table_through(start, limit):
            return moved
        # The rest of the section should make a passage too, not a stray line.
        rest = self._section_end(start + limit, end) - _REST_FILL * limit
        latest = min(start + limit, max(start + _GOOD_FILL * limit, rest))
        for fill in (_GOOD_FILL, _LEAST_FILL):
            usable = [cut for cut in window if start + fill * limit <= cut[0] <= latest]
            if usable:
                return max(usable, key=lambda cut: (cut[1], cut[0]))[0]
        return self._word_end(start, start + limit)

    def _window(self, first: int, last: int) -> list[Cut]:
        return self.cuts[bisect_left(self.cuts, first, key=_position) : bisect_right(self.cuts, last, key=_position)]

    def _section_end(self, position: int, end: int) -> int:
        index = bisect_right(self.headings, position)
        return self.headings[index] if index < len(self.headings) else end

    def _block_to_move(self, start: int, limit: int) -> int | None:
        """The start of the table or list that the limit would cut although it fits into a passage of its own."""
        block = self._block_near(start + limit)
        if block is None:
            return None
        first, last = self._start_of(block), self.lines[block.last].end
        is_cut = self._leads_to(block, start, limit) and start + limit < last
        return first if is_cut and last - first <= (_TABLE * limit if self._has_bars(block) else limit) else None

    def _table_through(self, start: int, limit: int) -> int | None:
        """Where to cut the table that the passage begins with: at its end, or into parts of about equal length."""
        block = self._block_near(start + limit)
        if block is None or not self._has_bars(block) or self._leads_to(block, start, limit):
            return None
        first, last = max(start, self._start_of(block)), self.lines[block.last].end
        parts = math.ceil((last - first) / (_TABLE * limit))
        if parts < 2:
            return last if last > start + limit else None
        latest = first + min(_TABLE * limit, 1.1 * (last - first) / parts)
        rows = [position for position, _ in self._window(start + 1, round(latest))]
        return rows[-1] if rows and rows[-1] > start + _GOOD_FILL * limit else None

    def _leads_to(self, block: Block, start: int, limit: int) -> bool:
        """Whether there is enough text before the block for a passage of its own; headings alone do not count."""
        first = self._start_of(block)
        lines = map(self.lines.__getitem__, range(self._line_at(start), block.first + 1))
        is_text = any(line.kind not in ("heading", "blank") and line.start < first for line in lines)
        return is_text and start + _BLOCK_FILL * limit <= first

    def _has_bars(self, block: Block) -> bool:
        return isinstance(block, Table) and self.lines[block.last].text.startswith("|")

    def _start_of(self, block: Block) -> int:
        """A list begins with the sentence that introduces it, which may be the end of a paragraph."""
        line = self.lines[block.first]
        introduction = len(block.introduction) if isinstance(block, Listing) else 0
        return line.start + len(line.text.rstrip()) - introduction if introduction else line.start

    def _block_near(self, position: int) -> Block | None:
        """The last table or list that begins at or before the position."""
        index = bisect_right(self.blocks, position, key=self._start_of)
        return self.blocks[index - 1] if index else None

    def _line_at(self, position: int) -> int:
        return bisect_right(self.lines, position, key=lambda line: line.start) - 1

    def _word_end(self, start: int, stop: int) -> int:
        for position in range(stop, start, -1):
            if self.text[position - 1].isspace():
                return position
        return stop

    def _skip_space(self, start: int) -> int:
        while start < len(self.text) and self.text[start].isspace():
            start += 1
        return start


def _without_furniture(page: Page) -> str:
    """Replaces running headers, footers and page numbers by spaces: they belong to no passage."""
    pieces: list[str] = []
    reached = 0
    for block in sorted(page.blocks, key=lambda block: block.start):
        if block.kind == "furniture" and block.start >= reached:
            pieces += page.text[reached : block.start], re.sub(r"[^\n]", " ", page.text[block.start : block.end])
            reached = block.end
    return "".join([*pieces, page.text[reached:]])


def _position(cut: Cut) -> int:
    return cut[0]


def _outside(lists: Sequence[Listing], tables: Sequence[Table]) -> list[Listing]:
    """Drops lists inside tables, as a printed table may number its rows."""
    taken = {index for table in tables for index in range(table.first, table.last + 1)}
    return [found for found in lists if taken.isdisjoint(range(found.first, found.last + 1))]


def _cuts(text: str, lines: Sequence[Line], blocks: Sequence[Block]) -> dict[int, Strength]:
    table_of = {i: block for block in blocks if isinstance(block, Table) for i in range(block.first, block.last + 1)}
    introduced = {_first_item(block, lines) for block in blocks if isinstance(block, Listing) and block.introduction}
    sentences = {match.end() for match in _SENTENCE_END.finditer(text) if _ends_sentence(text, match)}
    cuts: dict[int, Strength] = {}
    above: Line | None = None
    for index, line in enumerate(lines):
        if line.kind == "blank":
            continue
        table = table_of.get(index)
        if above is not None and above.kind != "heading":
            follows_blank = lines[index - 1].kind == "blank"
            strength = _strength(line, above, follows_blank, line.start in sentences)
            if table and index > table.first:
                strength = Strength.LINE if index >= table.body and line.kind != "rule" else None
            if index in introduced:
                strength = None
            if strength:
                cuts[line.start] = strength
        if not table and line.kind != "heading":
            inside = (line.start + match.end() for match in _SENTENCE_END.finditer(line.text))
            cuts.update((position, Strength.SENTENCE) for position in inside if position in sentences)
        above = line
    return cuts


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    return not _NO_END.search(text, max(0, match.start() - 12), match.start())


def _strength(line: Line, above: Line, follows_blank: bool, follows_sentence: bool) -> Strength | None:
    if line.kind == "heading":
        return Strength.HEADING
    # What a line with a colon announces should be in the same passage.
    if above.text.endswith(":"):
        return Strength.LINE
    if follows_blank:
        return Strength.PARAGRAPH
    return Strength.SENTENCE if follows_sentence or line.kind == "item" else Strength.LINE


def _first_item(listing: Listing, lines: Sequence[Line]) -> int:
    return next(i for i in range(listing.first, listing.last + 1) if lines[i].kind == "item")

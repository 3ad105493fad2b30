"""Cuts a document into passages: whole sentences and rows, never across a page, every character once."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from enum import IntEnum
from itertools import pairwise

from masis.knowledge.ingestion.chunk_ids import chunk_id
from masis.knowledge.ingestion.headings import HeadingPath, join_headings
from masis.knowledge.ingestion.layout import Line, Table, find_tables, read_lines
from masis.settings import Settings
from masis.types import PAGE_BREAK, Chunk, ParsedDocument

# A wrong guess only moves a cut to another sensible place, so this stays simple; claims are split elsewhere.
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]{0,3}\s+(?=[^\sa-z])|(?<=[。！？])")
_NO_END = re.compile(
    r"(?:^|[\s(.])(?:[A-Za-z]|Inc|Corp|Ltd|Co|Mr|Mrs|Ms|Dr|St|No|vs|cf|al|approx|Fig|e\.g|i\.e)\.$"
    r"|^\s*\d{1,3}\.$",
    re.MULTILINE,
)
_BULLETS = ("- ", "* ", "• ")

_HEADING_FILL = 0.35
"""A heading opens a new chunk when the current one is this full."""
_TABLE_FILL = 0.1
"""A table that fits into one chunk moves there whole when the current one is this full."""
_GOOD_FILL = 0.5
_LEAST_FILL = 0.25


class Strength(IntEnum):
    """How good a place is to begin a chunk."""

    LINE = 1
    SENTENCE = 2
    PARAGRAPH = 3
    HEADING = 4


Cut = tuple[int, Strength]


def chunk_document(parsed: ParsedDocument, document_id: str, file_name: str, settings: Settings) -> list[Chunk]:
    chunks: list[Chunk] = []
    path = HeadingPath()
    offset = 0
    for page in parsed.pages:
        layout = _Page(page.text)
        for start, end in layout.spans(settings.chunk_chars):
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
    """The spans of a passage that can be read on their own: its sentences, and each table whole with its header."""
    page = _Page(text)
    inside = [(page.lines[table.first].start, page.lines[table.last].end) for table in page.tables]
    starts = [place for place, _ in page.cuts if not any(first < place < last for first, last in inside)]
    bounds = [0, *(place for place in starts if place > 0), len(text)]
    return list(pairwise(bounds))


class _Page:
    """The places where one page may be cut, and the cutting."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = read_lines(text)
        self.tables = find_tables(self.lines)
        self.cuts: list[Cut] = sorted(_cuts(text, self.lines, self.tables).items())
        self.headings = [position for position, strength in self.cuts if strength is Strength.HEADING]

    def spans(self, limit: int) -> Iterator[tuple[int, int]]:
        end = len(self.text.rstrip())
        start = self._skip_space(0)
        while start < end:
            cut = min(self._cut(start, end, limit), end)
            yield start, start + len(self.text[start:cut].rstrip())
            start = self._skip_space(cut)

    def heading(self, start: int, end: int, path: HeadingPath) -> str | None:
        """The headings above the passage; those that are its own first lines are in its text already."""
        lines = self.lines[self._line_at(start) : self._line_at(end - 1) + 1]
        headings = [line for line in lines if line.kind == "heading" and line.start >= start]
        first_text = next((line.start for line in lines if line.kind not in ("heading", "blank")), end)
        above = path.above([line for line in headings if line.start < first_text])
        path.pass_over(headings)
        table = self._table_near(start)
        if table and self.lines[table.first].start < start <= self.lines[table.last].end:
            above.append(table.header)
        return join_headings(above)

    def _cut(self, start: int, end: int, limit: int) -> int:
        """Where the passage that begins at `start` ends."""
        window = self._window(start + 1, start + limit)
        for position, strength in window:
            if strength is Strength.HEADING and position >= start + _HEADING_FILL * limit:
                return position
        if end - start <= limit:
            return end
        if moved := self._table_to_move(start, limit):
            return moved
        # What is left of the section should be a passage too, not a stray line.
        rest = self._section_end(start + limit, end) - _HEADING_FILL * limit
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

    def _table_to_move(self, start: int, limit: int) -> int | None:
        """The table that the limit would cut though it fits into a passage of its own."""
        table = self._table_near(start + limit)
        if table is None:
            return None
        first, last = self.lines[table.first].start, self.lines[table.last].end
        is_cut = start + _TABLE_FILL * limit <= first and start + limit < last
        return first if is_cut and last - first <= limit else None

    def _table_near(self, position: int) -> Table | None:
        """The last table that begins at or before the position."""
        index = bisect_right(self.tables, position, key=lambda table: self.lines[table.first].start)
        return self.tables[index - 1] if index else None

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


def _position(cut: Cut) -> int:
    return cut[0]


def _cuts(text: str, lines: Sequence[Line], tables: Sequence[Table]) -> dict[int, Strength]:
    table_of = {index: table for table in tables for index in range(table.first, table.last + 1)}
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
                strength = Strength.LINE if index >= table.body else None
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
    # What a line with a colon announces should come in the same passage.
    if above.text.endswith(":"):
        return Strength.LINE
    if follows_blank:
        return Strength.PARAGRAPH
    is_item = line.text.lstrip().startswith(_BULLETS)
    return Strength.SENTENCE if follows_sentence or is_item else Strength.LINE

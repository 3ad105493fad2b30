"""A single page: its lines and tables in reading order. What only the whole document shows comes later."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise

from masis.sources.pdf.forms import parted_by_forms, written_out
from masis.sources.pdf.lines import (
    BULLETS,
    FIGURE,
    Line,
    fragments_of,
    in_reading_order,
    joined,
    levelled,
    lines_as_written,
    lines_of,
)
from masis.sources.pdf.page_words import PageContent, Word
from masis.sources.pdf.reading_order import Region, regions_of
from masis.sources.pdf.ruled import FoundTable, ruled_tables, texts
from masis.sources.pdf.unruled import unruled_tables

_SLICE = 9.0
_MOST_WORDS = 15_000
_LEAST_TITLES = 3
_PAGE = re.compile(r"page|seite|página|pagina|№|no\.?", re.IGNORECASE)
_PAGE_NUMBER = re.compile(r"\d{1,3}")
_CONTENTS = frozenset(("contents", "inhalt", "inhaltsverzeichnis", "sommaire", "índice", "indice", "contenido"))
_NUMBERED_TITLE = re.compile(r"(\d{1,3}) \W?[^\W\d_a-z]")
_NAMES = 3
_LEAST_NUMBERED, _OF_PIECES = 6, 0.2


@dataclass(slots=True)
class DraftLine:
    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float
    is_bold: bool
    is_item: bool
    region: int
    edges: tuple[float, float]
    """Left and right edge of the column of text it is set in."""
    first_width: float
    """Width of its first word, to see whether that would have fitted into the line above."""
    is_joined: bool = False
    is_pair: bool = False
    words: Sequence[Word] = ()
    cells: Sequence[tuple[float, float, str]] = ()
    """If the line has gaps: left edge, right edge and text of each piece."""


@dataclass(slots=True)
class DraftTable:
    rows: list[list[str]]
    header_rows: int | None
    left: float
    top: float
    right: float
    bottom: float
    columns: tuple[tuple[float, float], ...]
    notes: tuple[str, ...] = ()
    words: Sequence[Word] = ()
    size: float = 0.0
    is_set_off: bool = False
    """Whether its header is more than its first row."""
    is_continued: bool = False
    """Whether it continues a table from the page before."""
    is_unnamed: bool = False
    """Whether its columns may be those of the table on the page before but cannot be matched."""


Draft = DraftLine | DraftTable


@dataclass(eq=False, slots=True)
class _Slice(Word):
    """A strip of a table found by its rules, which marks the table's place among the lines."""

    table: FoundTable | None = field(default=None)


def draft_page(content: PageContent) -> list[Draft]:
    if len(content.words) > _MOST_WORDS:
        # No page of text has that many words: it is a map, or a file made to cost time.
        region = Region(lines_as_written(content.words), 0.0, content.width)
        return [_draft_line(line, region, 0) for line in region.lines]
    if pieces := _numbered_contents(content):
        return list(_contents_drafts(pieces, content.width))
    ruled = ruled_tables(content.words, content.shapes)
    taken = {word for table in ruled for word in table.words}
    words = [word for word in content.words if id(word) not in taken] if taken else content.words
    slices = [piece for table in ruled for piece in _slices(table)]
    drafts: list[Draft] = []
    for number, region in enumerate(regions_of([*words, *slices])):
        drafts += _region_drafts(region, number, content)
    return drafts


def _numbered_contents(content: PageContent) -> list[Line]:
    """The pieces of a contents page with the numbers before its titles, in columns whose lines are not level."""
    if not any(word.text.lower() in _CONTENTS for word in content.words):
        return []
    pieces = lines_as_written(content.words)
    columns: dict[int, list[tuple[float, int]]] = {}
    for piece in pieces:
        if found := _NUMBERED_TITLE.match(piece.text):
            columns.setdefault(round(piece.left), []).append((piece.top, int(found[1])))
    steps = [below - above for column in columns.values() for (_, above), (_, below) in pairwise(sorted(column))]
    is_enough = sum(map(len, columns.values())) >= max(_LEAST_NUMBERED, _OF_PIECES * len(pieces))
    # A list or a ranking counts by one.
    return pieces if is_enough and min(steps, default=0) > 0 and max(steps) > 1 else []


def _contents_drafts(pieces: Sequence[Line], width: float) -> Iterator[DraftLine]:
    ends: dict[int, float] = {}
    for piece in pieces:
        ends[round(piece.left)] = max(piece.right, ends.get(round(piece.left), 0.0))
    title: DraftLine | None = None
    for piece in pieces:
        is_title = bool(_NUMBERED_TITLE.match(piece.text))
        if title and not is_title and _is_indented_under(title, piece):
            title.text, title.words = f"{title.text} {piece.text}", [*title.words, *piece.words]
            title.right, title.bottom = max(title.right, piece.right), piece.bottom
            continue
        if title:
            yield title
        column = Region([piece], piece.left, ends[round(piece.left)] + (width if is_title else 0.0))
        draft = _draft_line(piece, column, 0)
        title = replace(draft, is_pair=True) if is_title else None
        if not title:
            yield draft
    if title:
        yield title


def _is_indented_under(title: DraftLine, piece: Line) -> bool:
    is_below = 0 < piece.top - title.bottom + piece.size < 1.5 * piece.size
    return is_below and title.size < piece.left - title.left < 3 * title.size and abs(title.size - piece.size) < 0.3


def shown_words(draft: Draft) -> Sequence[Word]:
    """The words without a list mark, which the text has in another form."""
    is_marked = isinstance(draft, DraftLine) and draft.is_item and draft.words[0].text in BULLETS
    return draft.words[1:] if is_marked else draft.words


def _slices(table: FoundTable) -> Iterator[_Slice]:
    count = max(1, int((table.bottom - table.top) / _SLICE))
    height = (table.bottom - table.top) / count
    for index in range(count):
        top = table.top + index * height
        yield _Slice("", table.left, top, table.right, top + height, height, False, table=table)


def _region_drafts(region: Region, number: int, content: PageContent) -> Iterator[Draft]:
    shown: set[int] = set()
    for table, run in groupby(region.lines, key=_table_of):
        lines = list(run)
        if table is None:
            yield from _line_drafts(lines, region, number, content)
            continue
        beside = [word for line in lines for word in line.words if not isinstance(word, _Slice)]
        if id(table) not in shown:
            shown.add(id(table))
            yield _draft_of(table)
        yield from (_draft_line(line, region, number) for line in lines_of(beside))


def _table_of(line: Line) -> FoundTable | None:
    return next((word.table for word in line.words if isinstance(word, _Slice)), None)


def _line_drafts(lines: list[Line], region: Region, number: int, content: PageContent) -> Iterator[Draft]:
    for is_form, run in parted_by_forms(levelled(lines)):
        if is_form:
            # As wide as needed, because a pair never continues on the next line.
            wide = Region(run, region.left, region.right + content.width)
            yield from (_draft_line(line, wide, number) for line in written_out(run))
        else:
            yield from _table_drafts(run, region, number, content)


def _table_drafts(lines: list[Line], region: Region, number: int, content: PageContent) -> Iterator[Draft]:
    index = 0
    for first, last, table in unruled_tables(lines, content.shapes):
        yield from (_draft_line(line, region, number) for line in _readable(lines[index:first]))
        if _is_contents(table):
            wide = Region(region.lines, region.left, region.right + content.width)
            yield from (replace(_draft_line(line, wide, number), is_pair=True) for line in lines[first : last + 1])
        else:
            yield _draft_of(table)
        index = last + 1
    yield from (_draft_line(line, region, number) for line in _readable(lines[index:]))


def _is_contents(table: FoundTable) -> bool:
    """Whether the table is titles and their pages: the last column has rising numbers, and no name but “Page”."""
    rows = texts(table.rows)
    header, body = rows[: table.header_rows or 0], rows[table.header_rows or 0 :]
    pages = [row[-1] for row in body if row[-1]]
    is_named = any(row[-1] not in ("", row[-2]) and not _PAGE.fullmatch(row[-1]) for row in header)
    if is_named or len(pages) < max(_LEAST_TITLES, len(body) / 2) or not all(map(_PAGE_NUMBER.fullmatch, pages)):
        return False
    numbers = [int(page) for page in pages]
    has_other_figures = any(FIGURE.fullmatch(cell) for row in body for cell in row[1:-1] if cell)
    return numbers == sorted(numbers) and numbers[0] < numbers[-1] and not has_other_figures


def _readable(lines: Sequence[Line]) -> Iterator[Line]:
    """Reads several lines with gaps that do not form a table in the order of the file, not across the gaps."""
    for has_gaps, run in groupby(lines, key=lambda line: len(line.fragments) > 1 and not line.is_item):
        found = list(run)
        has_boxes = any(not any(map(str.isalnum, f.text)) for line in found for f in line.fragments)
        if has_gaps and len(found) > 2 and not has_boxes:
            pieces = lines_as_written(word for line in found for word in line.words)
            for piece in pieces:
                # What is beside other text is not a heading.
                piece.is_bold = False
            yield from pieces
        else:
            yield from found


def _draft_line(line: Line, region: Region, number: int) -> DraftLine:
    has_gaps = len(line.fragments) > 1 and not line.is_item
    return DraftLine(
        text=line.text,
        left=line.left,
        top=line.top,
        right=line.right,
        bottom=line.bottom,
        size=line.size,
        # Column names are not a heading of a section.
        is_bold=line.is_bold and len(line.fragments) < _NAMES,
        is_item=line.is_item,
        region=number,
        edges=(region.left, region.right),
        first_width=line.words[0].right - line.words[0].left,
        is_joined=line.words[-1].is_joined,
        is_pair=line.is_pair,
        words=in_reading_order(line.words),
        cells=[(f.inner, f.right, f.text) for f in fragments_of(line.words, is_close=True)] if has_gaps else (),
    )


def _draft_of(table: FoundTable) -> DraftTable:
    words = [word for row in table.rows for cell in row for word in in_reading_order(cell)]
    return DraftTable(
        texts(table.rows),
        table.header_rows,
        table.left,
        table.top,
        table.right,
        table.bottom,
        table.columns,
        tuple(joined(note) for note in table.notes),
        [word for note in table.notes for word in note] + words,
        words[-1].size,
        table.is_set_off,
    )

"""Word 97 to 2003 (DOC): the pieces of text in order, tables row by row, without field codes."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from struct import unpack

from masis.errors import UnreadableFile
from masis.sources.dates import find_date
from masis.sources.office.package import CompoundFile, encrypted
from masis.sources.plain import clean, one_line, title_line
from masis.sources.table_grid import table_row, with_rules
from masis.types import Page, ParsedDocument

_TABLE, _TABLE_SIZE = 0x102, 0x106
_PAGE_BYTES = 512
_PLACE_BYTES = 13
_IN_TABLE, _ENDS_ROW, _LIST, _OUTLINE = 0x2416, 0x2417, 0x460B, 0x2640
# Length of a property's value by the three highest bits of its code; the seventh kind states its own length.
_VALUE_BYTES = (1, 1, 2, 4, 2, 2, 0, 3)
_HEADING_STYLES = range(1, 10)
_BODY_LEVEL = 9


def long_at(data: bytes, position: int) -> int:
    return int.from_bytes(data[position : position + 4], "little")


@dataclass(frozen=True, slots=True)
class Paragraph:
    level: int = 0
    """Level of a heading; 0 for any other paragraph."""
    is_item: bool = False
    is_in_table: bool = False
    ends_row: bool = False
    is_unknown: bool = False


_UNKNOWN = Paragraph(is_unknown=True)


class ParagraphTable:
    """Paragraphs by byte position."""

    def __init__(self, header: bytes, table: bytes) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._paragraphs: list[Paragraph] = []
        for start, end, paragraph in sorted(_runs(header, table), key=lambda run: run[0]):
            self._starts.append(start)
            self._ends.append(end)
            self._paragraphs.append(paragraph)

    def at(self, place: int) -> Paragraph:
        index = bisect_right(self._starts, place) - 1
        return self._paragraphs[index] if index >= 0 and place < self._ends[index] else _UNKNOWN


def _runs(header: bytes, table: bytes) -> Iterator[tuple[int, int, Paragraph]]:
    start = long_at(header, _TABLE)
    entries = table[start : start + long_at(header, _TABLE_SIZE)]
    count = max(0, (len(entries) - 4) // 8)
    for index in range(count):
        page_number = long_at(entries, 4 * (count + 1) + 4 * index) & 0x3FFFFF
        page = header[page_number * _PAGE_BYTES : (page_number + 1) * _PAGE_BYTES]
        if len(page) == _PAGE_BYTES:
            yield from _page_runs(page)


def _page_runs(page: bytes) -> Iterator[tuple[int, int, Paragraph]]:
    count = page[-1]
    for index in range(count):
        where = 4 * (count + 1) + _PLACE_BYTES * index
        position = 2 * page[where] if where < _PAGE_BYTES else 0
        if position:
            yield long_at(page, 4 * index), long_at(page, 4 * (index + 1)), _paragraph(_properties(page, position))


def _properties(page: bytes, position: int) -> bytes:
    """A style and a list of properties. The length is in words, and in the second byte if the first is zero."""
    if page[position]:
        return page[position + 1 : position + 2 * page[position]]
    size = page[position + 1] if position + 1 < len(page) else 0
    return page[position + 2 : position + 2 + 2 * size]


def _paragraph(properties: bytes) -> Paragraph:
    style = int.from_bytes(properties[:2], "little")
    own = dict(_single(properties[2:]))
    outline = own.get(_OUTLINE, _BODY_LEVEL)
    level = outline + 1 if outline < _BODY_LEVEL else style if style in _HEADING_STYLES else 0
    return Paragraph(
        level=level,
        is_item=own.get(_LIST, 0) not in (0, 0xF801),
        is_in_table=bool(own.get(_IN_TABLE)),
        ends_row=bool(own.get(_ENDS_ROW)),
    )


def _single(data: bytes) -> Iterator[tuple[int, int]]:
    position = 0
    while position + 2 < len(data):
        code = int.from_bytes(data[position : position + 2], "little")
        position += 2
        size = _VALUE_BYTES[code >> 13] or data[position] + 1
        yield code, int.from_bytes(data[position : position + size], "little")
        position += size


_WORD_97 = 0x00C1
_FIRST_SIZE, _PIECES, _PIECES_SIZE, _HEADER_BYTES = 0x4C, 0x1A2, 0x1A6, 0x1AA
_PIECE_BYTES = 8
_FIELD = re.compile(r"\x13[^\x13\x14\x15]*(?:\x14([^\x13\x14\x15]*))?\x15")
_OPEN_FIELD = re.compile(r"\x13[^\x14]*\x14?")
_PARAGRAPH = re.compile(r"([^\r\x07\x0c]*)([\r\x07\x0c]|$)")
_MARKS = str.maketrans({"\x0b": "\n", "\x1e": "-", **dict.fromkeys(map(chr, [*range(9), *range(12, 30), 31]))})


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    place: int
    """Byte position, by which the file identifies its paragraphs."""
    width: int


def parse_legacy_word(data: bytes, file_name: str) -> ParsedDocument:
    with CompoundFile(data, file_name, "a Word document") as file:
        header = file.required("WordDocument")
        _refuse(header, file_name)
        table = file.required("1Table" if header[0x0B] & 2 else "0Table")
    paragraphs = ParagraphTable(header, table)
    text = with_rules(clean("\n".join(_lines(_wanted(header, list(_pieces(header, table))), paragraphs))))
    heading = re.search(r"^#+ (.+)$", text, re.MULTILINE)
    return ParsedDocument([Page(1, text)], title=heading[1] if heading else title_line(text), date=find_date(text))


def _refuse(header: bytes, file_name: str) -> None:
    if len(header) < _HEADER_BYTES or int.from_bytes(header[2:4], "little") < _WORD_97:
        raise UnreadableFile(
            f"{file_name} is damaged, or was written by a Word older than 97.",
            advice="Open it in Word or LibreOffice and save it as .docx.",
        )
    if header[0x0B] & 1:
        raise encrypted(file_name)


def _pieces(header: bytes, table: bytes) -> Iterator[_Piece]:
    """The piece table: positions in the text, then where and how each piece is stored."""
    start = long_at(header, _PIECES)
    pieces = _piece_table(table[start : start + long_at(header, _PIECES_SIZE)])
    count = max(0, (len(pieces) - 4) // (4 + _PIECE_BYTES))
    for index in range(count):
        length = long_at(pieces, 4 * (index + 1)) - long_at(pieces, 4 * index)
        kept = long_at(pieces, 4 * (count + 1) + _PIECE_BYTES * index + 2)
        place = kept & 0x3FFFFFFF
        # The second highest bit means one byte per character.
        if length > 0 and kept & 0x40000000:
            place //= 2
            yield _Piece(header[place : place + length].decode("cp1252", "replace"), place, 1)
        elif length > 0:
            yield _Piece(_units(header[place : place + 2 * length]), place, 2)


def _units(data: bytes) -> str:
    """One character per pair of bytes, even for rare characters that take two pairs, because the file counts pairs."""
    return "".join(map(chr, unpack(f"<{len(data) // 2}H", data[: len(data) // 2 * 2])))


def _piece_table(entries: bytes) -> bytes:
    position = 0
    # It is preceded by the properties that pieces refer to, each marked 1 and with its length.
    while position < len(entries) and entries[position] == 1:
        position += 3 + int.from_bytes(entries[position + 1 : position + 3], "little")
    if entries[position : position + 1] != b"\x02":
        return b""
    return entries[position + 5 : position + 5 + long_at(entries, position + 1)]


def _wanted(header: bytes, pieces: list[_Piece]) -> Iterator[_Piece]:
    """The body, footnotes, endnotes and text boxes, but not page headers, macros and comments."""
    start = 0
    for index in range(8):
        end = start + long_at(header, _FIRST_SIZE + 4 * index)
        if index in (0, 1, 5, 6):
            yield from _between(pieces, start, end)
        start = end


def _between(pieces: list[_Piece], start: int, end: int) -> Iterator[_Piece]:
    position = 0
    for piece in pieces:
        first, last = max(start - position, 0), min(end - position, len(piece.text))
        if first < last:
            yield _Piece(piece.text[first:last], piece.place + first * piece.width, piece.width)
        position += len(piece.text)


def _lines(pieces: Iterator[_Piece], paragraphs: ParagraphTable) -> Iterator[str]:
    cells: list[str] = []
    begun = ""
    for text, mark, about in _paragraphs(pieces, paragraphs):
        if about.ends_row or (about.is_unknown and mark == "\x07" and not text and cells):
            yield table_row(cells)
            cells = []
        elif mark == "\x07":
            cells.append(begun + text)
            begun = ""
        elif about.is_in_table:
            # A cell may hold several paragraphs.
            begun += f"{text} "
        else:
            yield from _paragraph_lines(text, about)


def _paragraphs(pieces: Iterator[_Piece], paragraphs: ParagraphTable) -> Iterator[tuple[str, str, Paragraph]]:
    """Each paragraph with the mark that ends it; a paragraph may span several pieces."""
    begun = ""
    for piece in pieces:
        for match in _PARAGRAPH.finditer(piece.text):
            begun += match[1]
            if match[2]:
                yield _readable(begun), match[2], paragraphs.at(piece.place + match.start(2) * piece.width)
                begun = ""
    yield _readable(begun), "\r", Paragraph()


def _paragraph_lines(text: str, about: Paragraph) -> tuple[str, ...]:
    if about.level and text.strip():
        return ("", f"{'#' * about.level} {one_line(text)}", "")
    return (f"- {one_line(text)}",) if about.is_item and text.strip() else ("", text, "")


def _readable(text: str) -> str:
    while (shorter := _FIELD.sub(r"\1", text)) != text:
        text = shorter
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _OPEN_FIELD.sub("", text).translate(_MARKS)

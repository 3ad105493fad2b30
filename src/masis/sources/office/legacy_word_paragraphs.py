"""What a Word 97 file says of its paragraphs: heading, list item, inside a table, end of a row."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

_TABLE, _TABLE_SIZE = 0x102, 0x106
_PAGE_BYTES = 512
_PLACE_BYTES = 13
_IN_TABLE, _ENDS_ROW, _LIST, _OUTLINE = 0x2416, 0x2417, 0x460B, 0x2640
# How long a property's value is, by the three highest bits of its code; the seventh kind says so itself.
_VALUE_BYTES = (1, 1, 2, 4, 2, 2, 0, 3)
_HEADING_STYLES = range(1, 10)
_BODY_LEVEL = 9


def long_at(data: bytes, position: int) -> int:
    return int.from_bytes(data[position : position + 4], "little")


@dataclass(frozen=True, slots=True)
class Paragraph:
    level: int = 0
    """Of a heading; 0 for any other paragraph."""
    is_item: bool = False
    is_in_table: bool = False
    ends_row: bool = False
    is_unknown: bool = False


_UNKNOWN = Paragraph(is_unknown=True)


class ParagraphTable:
    """Paragraphs by the place of their bytes."""

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
    """A style and a list of properties; the length is in words, and in the second byte when the first is zero."""
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

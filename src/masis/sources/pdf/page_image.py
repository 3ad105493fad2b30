"""Draws a page of a PDF as an image, with the words of a passage marked. Runs inside the sandbox."""

import ctypes
import struct
import unicodedata
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import Any

from masis.errors import UnreadableFile
from masis.sources.pdf.drafts import draft_page, shown_words
from masis.sources.pdf.page_words import Word, read_content
from masis.sources.pdf.text import opened_pdf
from masis.types import Box

_VISIBLE = frozenset("LMN")


@dataclass(frozen=True, slots=True)
class Skeleton:
    text: str
    origins: list[int]
    """For each character of `text`, its position in the original."""


def skeleton_of(text: str) -> Skeleton:
    """Letters and digits, decomposed, so that spaces, hyphens at the end of a line, and the marks of headings, items
    and rows do not matter."""
    kept: list[str] = []
    origins: list[int] = []
    for place, character in enumerate(text):
        for part in unicodedata.normalize("NFD", character):
            if unicodedata.category(part)[0] in _VISIBLE:
                kept.append(part)
                origins.append(place)
    return Skeleton("".join(kept), origins)


def nearest(wanted: str, text: str, expected: int) -> int | None:
    """Where `wanted` begins in `text`; of several places, the one nearest to `expected`."""
    if not wanted:
        return None
    after = text.find(wanted, expected)
    before = text.rfind(wanted, 0, max(0, expected) + len(wanted) - 1)
    found = [place for place in (before, after) if place >= 0]
    return min(found, key=lambda place: abs(place - expected)) if found else None


def longest_end(wanted: str, text: str, expected: int) -> tuple[int, int] | None:
    """Where the longest end of `wanted` that is in `text` begins, and its length.

    The header of a table that began on the page before is in the text of this page but not on the page itself.
    """
    low, high = 0, len(wanted)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if wanted[middle:] in text else (middle + 1, high)
    start = nearest(wanted[low:], text, expected)
    return None if start is None else (start, len(wanted) - low)


WIDTHS = range(200, 2001)
MOST_PIXELS = 8_000_000
MOST_QUOTED = 20_000
"""Characters of a passage that are searched for; more than that is a whole page anyway."""
_MARK = (255, 225, 90)
"""Multiplied with the picture like a marker pen, so that dark letters stay dark."""
_MARGIN = 1.5
"""Points beside the letters."""
_INSET = 0.07
_MOST_BOXES = 5000
_SAME_LINE = 2.0
_LEAST_FOUND = 12
"""In characters: a shorter piece of a passage may be anywhere."""


@dataclass(frozen=True, slots=True)
class Wanted:
    page: int
    width: int
    quote: str = ""
    """The visible characters of the words to mark; empty for none."""
    expected: int = 0
    """How many visible characters of the page come before them."""


@dataclass(frozen=True, slots=True)
class PageImage:
    png: bytes
    width: int
    height: int
    boxes: tuple[Box, ...]
    """One box per line of the marked words; empty if they were not found."""


@dataclass(frozen=True, slots=True)
class _Canvas:
    pixels: bytearray
    width: int
    height: int


def draw_page(data: bytes, file_name: str, wanted: Wanted) -> PageImage:
    import pypdfium2

    document = opened_pdf(data, file_name)
    if not 1 <= wanted.page <= len(document):
        raise UnreadableFile(f"{file_name} has no page {wanted.page}.", advice=f"It has {len(document)} pages.")
    try:
        page = document[wanted.page - 1]
        canvas = _drawn(page, wanted.width)
        boxes = tuple(_boxes(page, wanted, canvas))
    except pypdfium2.PdfiumError as error:
        raise UnreadableFile(f"Page {wanted.page} of {file_name} cannot be drawn: it is damaged.") from error
    for box in boxes:
        _mark(canvas, box)
    return PageImage(_png(canvas), canvas.width, canvas.height, boxes)


def _drawn(page: Any, width: int) -> _Canvas:
    across, down = page.get_size()
    if across <= 0 or down <= 0:
        raise UnreadableFile("The page has no size.")
    # A strip of paper may be a hundred times as long as it is wide.
    scale = min(width / across, (MOST_PIXELS / (across * down)) ** 0.5)
    bitmap = page.render(scale=scale, rev_byteorder=True, prefer_bgrx=False, maybe_alpha=False)
    row_bytes = bitmap.width * 3
    source = memoryview(bitmap.buffer).cast("B")
    pixels = bytearray(row_bytes * bitmap.height)
    for row in range(bitmap.height):
        start = row * bitmap.stride
        pixels[row * row_bytes : (row + 1) * row_bytes] = source[start : start + row_bytes]
    return _Canvas(pixels, bitmap.width, bitmap.height)


def _boxes(page: Any, wanted: Wanted, canvas: _Canvas) -> Iterator[Box]:
    if not wanted.quote:
        return
    # In reading order, because the order of the file may go across columns and cells.
    words = [word for draft in draft_page(read_content(page)) for word in shown_words(draft)]
    letters = [skeleton_of(word.text).text for word in words]
    found = longest_end(wanted.quote, "".join(letters), wanted.expected)
    if found is None or found[1] < min(_LEAST_FOUND, len(wanted.quote)):
        return
    ends = list(accumulate(map(len, letters)))
    first, last = bisect_right(ends, found[0]), bisect_left(ends, found[0] + found[1])
    for left, top, right, bottom in islice(_lines(words[first : last + 1]), _MOST_BOXES):
        # The full height of a line reaches into its neighbours if they are set close.
        inset = _INSET * (top - bottom)
        yield _on_canvas(page, canvas, (left - _MARGIN, top - inset, right + _MARGIN, bottom + inset))


def _lines(words: Sequence[Word]) -> Iterator[Box]:
    """One box for adjacent words on a line."""
    box: Box | None = None
    for word in words:
        left, top, right, bottom = word.place
        if box and abs(box[1] - top) < _SAME_LINE and abs(box[3] - bottom) < _SAME_LINE and left >= box[2] - 1:
            box = (box[0], max(box[1], top), right, min(box[3], bottom))
            continue
        if box:
            yield box
        box = word.place
    if box:
        yield box


def _on_canvas(page: Any, canvas: _Canvas, box: Box) -> Box:
    """From points on the paper, which may be rotated or cropped, to fractions of the picture."""
    from pypdfium2 import raw

    left, top, right, bottom = box
    corners = []
    for x, y in ((left, top), (right, bottom)):
        across, down = ctypes.c_int(), ctypes.c_int()
        size = (canvas.width, canvas.height)
        raw.FPDF_PageToDevice(page, 0, 0, *size, 0, x, y, ctypes.byref(across), ctypes.byref(down))
        corners.append((_fraction(across.value, canvas.width), _fraction(down.value, canvas.height)))
    (x1, y1), (x2, y2) = corners
    return min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)


def _fraction(value: int, size: int) -> float:
    return min(max(value / size, 0.0), 1.0)


def _mark(canvas: _Canvas, box: Box) -> None:
    left, right = round(box[0] * canvas.width) * 3, round(box[2] * canvas.width) * 3
    tables = [bytes(value * shade // 255 for value in range(256)) for shade in _MARK]
    for row in range(round(box[1] * canvas.height), min(round(box[3] * canvas.height), canvas.height)):
        start, end = row * canvas.width * 3 + left, row * canvas.width * 3 + right
        for channel, table in enumerate(tables):
            canvas.pixels[start + channel : end : 3] = canvas.pixels[start + channel : end : 3].translate(table)


def _png(canvas: _Canvas) -> bytes:
    row_bytes = canvas.width * 3
    rows = b"".join(
        b"\x00" + canvas.pixels[start : start + row_bytes] for start in range(0, len(canvas.pixels), row_bytes)
    )
    head = struct.pack(">IIBBBBB", canvas.width, canvas.height, 8, 2, 0, 0, 0)
    parts = (_part(b"IHDR", head), _part(b"IDAT", zlib.compress(rows, 6)), _part(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _part(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

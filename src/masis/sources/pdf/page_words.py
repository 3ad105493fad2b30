"""The words of a PDF page with their boxes, and the rules and shaded bands drawn around them."""

import ctypes
import itertools
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from masis.sources.plain import clean

_BOLD_WEIGHT = 600
_THIN = 2.5
"""In points: a shape this thin is a rule."""
_DOT, _MOST_DOTS = (2.0, 6.5), 200
"""Size in points of a list mark that is drawn rather than written; a page with more of them shows a chart."""
_MOST_SHAPES = 5_000
_MOST_SEGMENTS = 400
_DEEPEST_FORM = 4
_WORD = re.compile(r"\S+")
RIGHT_TO_LEFT = re.compile(r"[\u0590-\u060b\u0610-\u061a\u0620-\u065f\u066e-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+")
"""Letters of Hebrew, Arabic and related scripts."""
_HYPHEN_AT_END = ("\x02", "\ufffe")
"""pdfium's marks for a hyphen that ends a line inside a word."""


@dataclass(slots=True, eq=False)
class Word:
    text: str
    left: float
    top: float
    right: float
    bottom: float
    """Measured from the top of the page downwards."""
    size: float
    is_bold: bool
    is_joined: bool = False
    """Whether it ends with a hyphen that only breaks the line."""
    order: int = 0
    """Its position in the file, which shows what was written together."""
    place: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """Left, top, right and bottom in the page's own points, however it is rotated."""

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2

    @property
    def centre(self) -> float:
        return (self.left + self.right) / 2


@dataclass(frozen=True, slots=True)
class Shape:
    """A drawn rule, or a filled rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def is_flat(self) -> bool:
        return self.bottom - self.top <= _THIN and self.right - self.left > _THIN

    @property
    def is_upright(self) -> bool:
        return self.right - self.left <= _THIN and self.bottom - self.top > _THIN

    @property
    def is_dot(self) -> bool:
        width, height = self.right - self.left, self.bottom - self.top
        return _DOT[0] <= min(width, height) and max(width, height) <= _DOT[1] and abs(width - height) < 1


@dataclass(frozen=True, slots=True)
class PageContent:
    words: list[Word]
    shapes: list[Shape]
    width: float
    height: float
    has_drawings: bool = False


def read_content(page: Any) -> PageContent:
    left, bottom, right, top = page.get_bbox()
    textpage = page.get_textpage()
    try:
        words = list(_words(textpage.raw, left, top))
        for number, (word, _) in enumerate(words):
            word.order = number
    finally:
        textpage.close()
    # What lies outside the page, like the other half of a spread, is invisible to its reader.
    words = [each for each in words if _is_on_page(each[0], right - left, top - bottom)] or words
    shapes, has_drawings = _shapes(page.raw, left, top)
    if _turned(words):
        return _upright(PageContent([w for w, _ in words], shapes, right - left, top - bottom, has_drawings))
    written = _with_drawn_marks([word for word, _ in words], shapes)
    return PageContent(written, shapes, right - left, top - bottom, has_drawings)


def _with_drawn_marks(words: list[Word], shapes: list[Shape]) -> list[Word]:
    """Browsers draw the dot before a list item; it becomes the word that other programs write."""
    dots = [shape for shape in shapes if shape.is_dot]
    marks: dict[int, Word] = {}
    for dot in dots if len(dots) <= _MOST_DOTS else ():
        middle = (dot.top + dot.bottom) / 2
        level = [word for word in words if word.top < middle < word.bottom and dot.left - word.right < 3 * word.size]
        item = min(level, key=lambda word: word.left, default=None)
        if item and 0.2 * item.size < item.left - dot.right < 2 * item.size and dot.bottom - dot.top < 0.6 * item.size:
            shift = (item.left - item.place[0], item.top + item.place[1])
            place = (dot.left - shift[0], shift[1] - dot.top, dot.right - shift[0], shift[1] - dot.bottom)
            marks[id(item)] = replace(item, text="•", left=dot.left, right=dot.right, is_joined=False, place=place)
    return [each for word in words for each in (marks.get(id(word)), word) if each] if marks else words


def _is_on_page(word: Word, width: float, height: float) -> bool:
    return -1 <= word.centre <= width + 1 and -1 <= word.middle <= height + 1


def _words(textpage: Any, page_left: float, page_top: float) -> Iterator[tuple[Word, bool]]:
    """Each word with whether it is written upwards or downwards."""
    from pypdfium2 import raw

    reader = _CharacterReader(raw, textpage)
    for match in _WORD.finditer(reader.text()):
        yield from reader.words(match.start(), match[0], page_left, page_top)


class _Calls:
    """The functions called for each word and object of a page, with plain addresses instead of wrapper objects."""

    def __init__(self, raw: Any) -> None:
        pointer, number = ctypes.c_void_p, ctypes.c_int
        self.object_at = _by_address(raw.FPDFPage_GetObject, pointer, pointer, number)
        self.kind_of = _by_address(raw.FPDFPageObj_GetType, number, pointer)
        self.box_of = _by_address(raw.FPDFText_GetLooseCharBox, number, pointer, number, pointer)
        self.object_of = _by_address(raw.FPDFText_GetTextObject, pointer, pointer, number)
        self.font_of = _by_address(raw.FPDFTextObj_GetFont, pointer, pointer)


def _by_address(function: Any, *types: Any) -> Any:
    return ctypes.PYFUNCTYPE(*types)(_address(function))


@cache
def _calls() -> _Calls:
    from pypdfium2 import raw

    return _Calls(raw)


def _address(pointer: Any) -> int:
    return ctypes.cast(pointer, ctypes.c_void_p).value or 0


class _CharacterReader:
    def __init__(self, raw: Any, textpage: Any) -> None:
        self._raw = raw
        self._textpage = textpage
        self._calls, self._at = _calls(), _address(textpage)
        self.count = raw.FPDFText_CountChars(textpage)
        self._box = raw.FS_RECTF()
        self._to_box = ctypes.byref(self._box)
        self._fonts: dict[int, bool] = {}

    def text(self) -> str:
        """One character for each of pdfium's places."""
        raw, count = self._raw, self.count
        buffer = (ctypes.c_ushort * (count + 1))()
        if raw.FPDFText_GetText(self._textpage, 0, count, buffer) == count + 1:
            text = bytes(buffer)[: 2 * count].decode("utf-16-le", "replace")
            if len(text) == count:
                return text.replace("\0", " ")
        # Some places have no character, or one beyond 16 bits, so each is read by itself.
        codes = [raw.FPDFText_GetUnicode(self._textpage, index) for index in range(count)]
        return "".join(chr(code) if 0 < code <= 0x10FFFF else " " for code in codes)

    def words(self, start: int, letters: str, page_left: float, page_top: float) -> Iterator[tuple[Word, bool]]:
        text, is_joined = letters, False
        # Most words need no cleaning, and there are very many.
        if not (text.isascii() and text.isprintable()):
            if text[-1] in _HYPHEN_AT_END:
                text, is_joined = text[:-1] + "-", True
            elif any(mark in text for mark in _HYPHEN_AT_END):
                cut = min(text.index(mark) for mark in _HYPHEN_AT_END if mark in text) + 1
                yield from self.words(start, letters[:cut], page_left, page_top)
                yield from self.words(start + cut, letters[cut:], page_left, page_top)
                return
            text = clean(text)
            if RIGHT_TO_LEFT.search(text):
                text = clean(RIGHT_TO_LEFT.sub(lambda run: self._from_the_right(start + run.start(), run[0]), letters))
        first, last = self._edges(start), self._edges(start + len(letters) - 1)
        if not text or first is None or last is None:
            return
        is_turned = len(letters) > 1 and abs(last[0] - first[0]) < abs(last[1] - first[1])
        left, right = min(first[0], last[0]), max(first[2], last[2])
        low, high = min(first[3], last[3]), max(first[1], last[1])
        height = (first[2] - first[0]) if is_turned else (first[1] - first[3])
        word = Word(text, left - page_left, page_top - high, right - page_left, page_top - low, round(height, 1), False)
        word.is_bold = self._is_bold(start)
        word.is_joined = is_joined
        word.place = (left, high, right, low)
        yield word, is_turned

    def _from_the_right(self, start: int, letters: str) -> str:
        """Orders letters from the right: some files have them, or those of a ligature, in visual order."""
        edges = [self._edges(start + index) for index in range(len(letters))]
        lefts = [edge[0] if edge else 0.0 for edge in edges]
        if any(map(unicodedata.combining, letters)):
            return letters[::-1] if lefts[0] <= lefts[-1] else letters
        order = sorted(range(len(letters)), key=lambda index: (lefts[index], index), reverse=True)
        return "".join(letters[index] for index in order)

    def _edges(self, index: int) -> tuple[float, float, float, float] | None:
        """Left, top, right and bottom of the character's place in its line, whatever its shape."""
        box = self._box
        if not self._calls.box_of(self._at, index, self._to_box):
            return None
        return box.left, box.top, box.right, box.bottom

    def _is_bold(self, index: int) -> bool:
        font = self._calls.font_of(self._calls.object_of(self._at, index))
        if font not in self._fonts:
            self._fonts[font] = bool(font) and self._font_is_bold(ctypes.cast(font, self._raw.FPDF_FONT))
        return self._fonts[font]

    def _font_is_bold(self, font: Any) -> bool:
        raw = self._raw
        size = raw.FPDFFont_GetBaseFontName(font, None, 0)
        buffer = ctypes.create_string_buffer(max(int(size), 1))
        raw.FPDFFont_GetBaseFontName(font, buffer, size)
        name = buffer.value.decode("utf-8", "replace").lower()
        # TeX calls its bold types “CMBX10” and “NimbusRomNo9L-Medi”.
        is_named = any(part in name for part in ("bold", "black", "heavy", "demi", "cmbx", "sfbx"))
        return is_named or name.endswith("-medi") or raw.FPDFFont_GetWeight(font) >= _BOLD_WEIGHT


def _turned(words: list[tuple[Word, bool]]) -> bool:
    """Whether the page's text runs up or down, as wide tables are printed."""
    lengths = [(len(word.text), turned) for word, turned in words if len(word.text) > 1]
    total = sum(length for length, _ in lengths)
    return total > 0 and sum(length for length, turned in lengths if turned) > 0.6 * total


def _upright(content: PageContent) -> PageContent:
    """Rotates the page by a quarter turn, so that its lines are level."""
    words = content.words
    # In the order of the file, the letters of a line go up the page if it is rotated to the left.
    rising = sum(a.top > b.top for a, b in itertools.pairwise(words) if abs(a.left - b.left) < 1)
    falling = sum(a.top < b.top for a, b in itertools.pairwise(words) if abs(a.left - b.left) < 1)
    goes_up = rising >= falling

    def turned(left: float, top: float, right: float, bottom: float) -> tuple[float, float, float, float]:
        if goes_up:
            return content.height - bottom, left, content.height - top, right
        return top, content.width - right, bottom, content.width - left

    for word in words:
        word.left, word.top, word.right, word.bottom = turned(word.left, word.top, word.right, word.bottom)
    shapes = [Shape(*turned(s.left, s.top, s.right, s.bottom)) for s in content.shapes]
    return PageContent(words, shapes, content.height, content.width, content.has_drawings)


def _shapes(page: Any, page_left: float, page_top: float) -> tuple[list[Shape], bool]:
    from pypdfium2 import raw

    found: list[Shape] = []
    has_drawings = False
    # Most objects of a page are text: there are thousands.
    numbers = range(raw.FPDFPage_CountObjects(page))
    kinds = map(_calls().kind_of, map(_calls().object_at, itertools.repeat(_address(page)), numbers))
    for index, kind in enumerate(kinds):
        if kind == raw.FPDF_PAGEOBJ_TEXT:
            continue
        has_drawings = True
        if len(found) < _MOST_SHAPES:
            item = raw.FPDFPage_GetObject(page, index)
            found += (
                Shape(left - page_left, page_top - top, right - page_left, page_top - bottom)
                for left, bottom, right, top in _boxes(raw, item, kind, None, 0)
            )
    return found, has_drawings


_Matrix = tuple[float, float, float, float, float, float]
_Rectangle = tuple[float, float, float, float]


def _boxes(raw: Any, item: Any, kind: int, matrix: _Matrix | None, depth: int) -> Iterator[_Rectangle]:
    """The rules and rectangles of a path, also inside forms, as left, bottom, right, top."""
    if kind == raw.FPDF_PAGEOBJ_FORM and depth < _DEEPEST_FORM:
        inner = _combined(_matrix_of(raw, item), matrix)
        for index in range(min(raw.FPDFFormObj_CountObjects(item), _MOST_SHAPES)):
            child = raw.FPDFFormObj_GetObject(item, index)
            yield from _boxes(raw, child, raw.FPDFPageObj_GetType(child), inner, depth + 1)
    if kind != raw.FPDF_PAGEOBJ_PATH:
        return
    edges = [ctypes.c_float() for _ in range(4)]
    if not raw.FPDFPageObj_GetBounds(item, *map(ctypes.byref, edges)):
        return
    left, bottom, right, top = _moved(tuple(edge.value for edge in edges), matrix)
    count = raw.FPDFPath_CountSegments(item)
    if (
        max(right - left, top - bottom) <= _DOT[1]
        or right - left <= _THIN
        or top - bottom <= _THIN
        or count <= 2
        or (count <= 5 and not _is_stroked(raw, item))
    ):
        yield left, bottom, right, top
        return
    yield from _segments(raw, item, matrix)


def _is_stroked(raw: Any, item: Any) -> bool:
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(item, ctypes.byref(fill), ctypes.byref(stroke))
    return bool(stroke.value)


def _segments(raw: Any, item: Any, matrix: _Matrix | None) -> Iterator[_Rectangle]:
    """Yields filled rectangles whole and strokes one by one."""
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(item, ctypes.byref(fill), ctypes.byref(stroke))
    whole = _combined(_matrix_of(raw, item), matrix)
    count = min(raw.FPDFPath_CountSegments(item), _MOST_SEGMENTS)
    x, y = ctypes.c_float(), ctypes.c_float()
    outline: list[tuple[float, float]] = []
    outlines: list[list[tuple[float, float]]] = []
    for index in range(count):
        segment = raw.FPDFPath_GetPathSegment(item, index)
        if not raw.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y)):
            continue
        if raw.FPDFPathSegment_GetType(segment) == raw.FPDF_SEGMENT_MOVETO:
            outline = []
            outlines.append(outline)
        outline.append(_point(x.value, y.value, whole))
        if raw.FPDFPathSegment_GetClose(segment):
            outline.append(outline[0])
    for points in outlines:
        xs, ys = [point[0] for point in points], [point[1] for point in points]
        thin = min(max(xs) - min(xs), max(ys) - min(ys)) <= _THIN
        if fill.value or thin:
            yield min(xs), min(ys), max(xs), max(ys)
        if stroke.value and not thin:
            for (x1, y1), (x2, y2) in itertools.pairwise(points):
                if abs(x1 - x2) <= _THIN or abs(y1 - y2) <= _THIN:
                    yield min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)


def _matrix_of(raw: Any, item: Any) -> _Matrix:
    matrix = raw.FS_MATRIX()
    if not raw.FPDFPageObj_GetMatrix(item, ctypes.byref(matrix)):
        return 1, 0, 0, 1, 0, 0
    return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f


def _combined(inner: _Matrix, outer: _Matrix | None) -> _Matrix:
    if outer is None:
        return inner
    a, b, c, d, e, f = inner
    A, B, C, D, E, F = outer
    return a * A + b * C, a * B + b * D, c * A + d * C, c * B + d * D, e * A + f * C + E, e * B + f * D + F


def _point(x: float, y: float, matrix: _Matrix) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _moved(box: tuple[float, ...], matrix: _Matrix | None) -> _Rectangle:
    left, bottom, right, top = box
    if matrix is None:
        return left, bottom, right, top
    (x1, y1), (x2, y2) = _point(left, bottom, matrix), _point(right, top, matrix)
    return min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)

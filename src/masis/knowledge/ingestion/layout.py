"""The layout of a page of text: its lines, headings, lists, tables and sections."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from masis.language.unit_captions import CAPTION, is_unit_line
from masis.types import PAGE_BREAK, Chunk, Page, ParsedDocument

LineKind = Literal["blank", "heading", "row", "rule", "item", "text"]

_HEADING = re.compile(r"#{1,6} \S")
_RULE = re.compile(r"\s*\|(?:\s*:?-+:?\s*\|)+\s*")
_ITEM = re.compile(r"\s*(?:[-*•–▪◦‣]|\d{1,3}[.)]|\(?[a-zA-Z]\)|\((?:\d{1,2}|[ivx]{1,5})\))\s+\S")
_FENCE = re.compile(r"\s{0,3}(```|~~~)")
_PERIOD = re.compile(r"(?:FY|Q|H)?\d{1,4}|(?:19|20)\d\d|%|\$|€|£")
_NUMBER = re.compile(r"[^\w\s]*[A-Za-z]{0,2}\d[\d.,:/]*[A-Za-z%]{0,2}[^\w\s]*|[-–—$€£¥]|n/a", re.IGNORECASE)

_UNIT = re.compile(r"\([^()]{4,200}\)")
_SEVERAL = re.compile(r"\btables\b", re.IGNORECASE)
_REMARK = re.compile(r"\(?(?:un)?audited\)?", re.IGNORECASE)
"""Found below or above the unit of a financial statement."""

_MIN_NUMERIC_ROWS = 3
_LABEL_CHARS = 100
_HEADER_LINES = 12
_HEADER_CHARS = 300
_MOST_CAPTIONS = 3
_UNIT_REACH = 80
"""How many lines below a sentence that introduces several tables its unit still applies."""
_MOST_HEADER_ROWS = 4
_INTRODUCTION_CHARS = 400


@dataclass(frozen=True, slots=True)
class Line:
    start: int
    end: int
    text: str
    kind: LineKind

    @property
    def level(self) -> int:
        """The level of a heading."""
        return len(self.text) - len(self.text.lstrip("#"))

    @property
    def title(self) -> str:
        return self.text.lstrip("#").strip()


@dataclass(frozen=True, slots=True)
class Table:
    """A table as a range of line indices."""

    first: int
    """The first line, captions included."""
    body: int
    """The first line before which it may be cut: header and first row stay together."""
    last: int
    names: tuple[str, ...]
    """The context of every part: captions, unit, header rows."""
    is_continued: bool = False
    """Whether it began on the page before, where its names are."""
    unit: str = ""
    """The unit, if only the sentence above states it and no line of the table."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A list as a range of line indices, with the sentence that introduces it."""

    first: int
    """The line of the introduction, or the first item if there is none."""
    body: int
    """The first line before which it may be cut: the second item."""
    last: int
    introduction: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return (self.introduction[-_INTRODUCTION_CHARS:],) if self.introduction else ()


def read_lines(text: str) -> list[Line]:
    lines: list[Line] = []
    position, in_fence = 0, False
    for raw in text.split("\n"):
        is_fence = bool(_FENCE.match(raw))
        lines.append(Line(position, position + len(raw), raw, _kind(raw, in_fence or is_fence)))
        in_fence ^= is_fence
        position += len(raw) + 1
    return lines


def _kind(line: str, is_code: bool) -> LineKind:
    if not line.strip():
        return "blank"
    if is_code:
        return "text"
    if _HEADING.match(line):
        return "heading"
    if _RULE.fullmatch(line):
        return "rule"
    if _has_bars(line) or _is_numeric_row(line):
        return "row"
    return "item" if _ITEM.match(line) else "text"


def _has_bars(line: str) -> bool:
    return " | " in line or (line.startswith("|") and line.rstrip().endswith("|") and len(line) > 2)


def _is_numeric_row(line: str) -> bool:
    words = line.split()
    numbers = sum(bool(_NUMBER.fullmatch(word)) for word in words)
    return numbers >= 2 and numbers >= 0.3 * len(words) and not line.endswith((".", ":"))


def find_tables(lines: Sequence[Line]) -> list[Table]:
    tables: list[Table] = []
    index = 0
    while index < len(lines):
        if lines[index].kind != "row":
            index += 1
            continue
        last = _last_row(lines, index)
        if table := _table(lines, index, last):
            tables.append(table)
        index = last + 1
    return tables


def _last_row(lines: Sequence[Line], first: int) -> int:
    """Rows are consecutive; in a table of figures, a short label may come between them (“Cost of sales:”)."""
    last = first
    has_bars = _has_bars(lines[first].text)
    for index in range(first + 1, len(lines)):
        line = lines[index]
        is_rule = line.kind == "rule" and has_bars
        if is_rule or (line.kind == "row" and _has_bars(line.text) == has_bars):
            last = index
        elif has_bars or not _is_label(line) or index - last > 2:
            break
    return last


def _is_label(line: Line) -> bool:
    is_text = line.kind in ("text", "item")
    return is_text and len(line.text) <= _LABEL_CHARS and not line.text.endswith((".", ";", ","))


def _table(lines: Sequence[Line], first: int, last: int) -> Table | None:
    if _has_bars(lines[first].text):
        if last == first:
            return None
        captions = _captions(lines, first)
        rule = next(
            (i for i in range(first, min(last, first + _MOST_HEADER_ROWS) + 1) if lines[i].kind == "rule"), first
        )
        header = [line.text for line in lines[first : max(rule, first + 1)]]
        names = [lines[index].text.strip("*_ ") for index in captions] + header
        unit = "" if any(unit_in(lines[index].text) for index in captions) else _unit_above(lines, first)
        return Table(min([first, *captions]), rule + 2, last, tuple(names), unit=unit)
    if last - first + 1 < _MIN_NUMERIC_ROWS:
        return None
    return _numeric_table(lines, first, last)


def _unit_above(lines: Sequence[Line], first: int) -> str:
    """“(dollars in millions)” at the end of the sentence that introduces this table, or several tables with headings
    and names of their own."""
    is_next = True
    for line in reversed(lines[max(first - _UNIT_REACH, 0) : first]):
        if line.kind == "text" and line.text.endswith(":") and (is_next or _SEVERAL.search(line.text)):
            return unit_in(line.text)
        if line.kind == "item" or (line.kind == "text" and not _is_label(line)):
            return ""
        is_next = is_next and line.kind == "blank"
    return ""


def unit_in(text: str) -> str:
    found = _UNIT.findall(text[-_INTRODUCTION_CHARS:])
    return found[-1] if found and CAPTION.search(found[-1]) else text if is_unit_line(text) else ""


def _captions(lines: Sequence[Line], first: int) -> list[int]:
    """Short lines above the table that name it and its unit, in order; blank lines may come between."""
    found: list[int] = []
    above = first - 1
    while above >= 0 and len(found) < _MOST_CAPTIONS:
        if lines[above].kind == "blank" and above >= 1:
            above -= 1
        text = lines[above].text
        if lines[above].kind != "text" or len(text) > _LABEL_CHARS:
            break
        found.insert(0, above)
        if not (is_unit_line(text) or _REMARK.fullmatch(text.strip())):
            break  # a unit has the table's name above it; a name has the text before the table
        above -= 1
    return found


def _numeric_table(lines: Sequence[Line], first: int, last: int) -> Table:
    """A printed table has its header in the short lines above the figures: names, units, periods."""
    top, length = first, 0
    while top > 0 and first - top < _HEADER_LINES and lines[top - 1].kind in ("text", "row"):
        length += len(lines[top - 1].text)
        if length > _HEADER_CHARS or len(lines[top - 1].text) > _LABEL_CHARS or lines[top - 1].text.endswith("."):
            break
        top -= 1
    body = first + 1 if _names_periods(lines[first].text) or top == first else first
    return Table(top, body, last, (" ".join(line.text.strip() for line in lines[top:body]),))


def _names_periods(row: str) -> bool:
    """“Region FY2024 FY2025”: figures that are all years or quarters are column names."""
    return all(_PERIOD.fullmatch(word) for word in row.split() if _NUMBER.fullmatch(word))


def find_lists(lines: Sequence[Line]) -> list[Listing]:
    lists: list[Listing] = []
    index = 0
    while index < len(lines):
        if lines[index].kind != "item":
            index += 1
            continue
        last = _last_item(lines, index)
        lists.append(_listing(lines, index, last))
        index = last + 1
    return lists


def _last_item(lines: Sequence[Line], first: int) -> int:
    """Items are consecutive; a blank line may come between. Lines directly below an item belong to it."""
    last = first
    for index in range(first + 1, len(lines)):
        kind = lines[index].kind
        if kind == "item" or (kind == "text" and index == last + 1):
            last = index
        elif kind != "blank" or index > last + 1:
            break
    return last


def _listing(lines: Sequence[Line], first: int, last: int) -> Listing:
    second = next((index for index in range(first + 1, last + 1) if lines[index].kind == "item"), last + 1)
    above = first - 1
    if above >= 1 and lines[above].kind == "blank":
        above -= 1
    if above < 0 or lines[above].kind != "text":
        return Listing(first, second, last)
    sentence = re.split(r"(?<=[.!?]) +", lines[above].text.rstrip())[-1]
    is_near = sentence.endswith(":") or above == first - 1
    return Listing(above, second, last, sentence) if is_near else Listing(first, second, last)


class HeadingPath:
    """Tracks the headings above a passage through the document."""

    def __init__(self) -> None:
        self._open: list[Line] = []

    def above(self, leading: Sequence[Line]) -> list[str]:
        """The open headings, without those that the passage's own first headings will close."""
        level = min((line.level for line in leading), default=7)
        return [line.title for line in self._open if line.level < level]

    def pass_over(self, headings: Sequence[Line]) -> None:
        for line in headings:
            while self._open and self._open[-1].level >= line.level:
                self._open.pop()
            self._open.append(line)


class _Placed(NamedTuple):
    page: Page
    start: int
    """Offset in the text of the document."""
    lines: list[Line]


@dataclass(frozen=True, slots=True)
class Section:
    document_id: str
    file_name: str
    heading: str | None
    """The path of headings, its own last; None before the first heading."""
    text: str
    start: int
    end: int
    page: int
    last_page: int


def section_of(parsed: ParsedDocument, chunk: Chunk) -> Section:
    """The section of a passage. Before the first heading, and in a document without headings, the page is the
    section."""
    pages = _placed(parsed)
    headings = [_moved(line, each.start) for each in pages for line in each.lines if line.kind == "heading"]
    position = _first_words(pages, chunk)
    opened = bisect_right(headings, position, key=lambda line: line.start) - 1
    if opened < 0:
        own = next(each for each in reversed(pages) if each.start <= position)
        end = min([own.start + len(own.page.text), *(line.start for line in headings[:1])])
        return _section(parsed, pages, (own.start, end), None, chunk)
    own_level = headings[opened].level
    after = (line.start for line in headings[opened + 1 :] if line.level <= own_level)
    path = HeadingPath()
    path.pass_over(headings[: opened + 1])
    span = (headings[opened].start, next(after, len(parsed.text)))
    return _section(parsed, pages, span, " > ".join(path.above([])), chunk)


def _placed(parsed: ParsedDocument) -> list[_Placed]:
    pages: list[_Placed] = []
    start = 0
    for page in parsed.pages:
        pages.append(_Placed(page, start, read_lines(page.text)))
        start += len(page.text) + len(PAGE_BREAK)
    return pages


def _moved(line: Line, offset: int) -> Line:
    return replace(line, start=offset + line.start, end=offset + line.end)


def _first_words(pages: list[_Placed], chunk: Chunk) -> int:
    """The first words after the headings that a passage may open with: these are inside its section."""
    for each in pages:
        for line in each.lines:
            if each.start + line.end > chunk.start and line.kind not in ("heading", "blank"):
                return max(chunk.start, each.start + line.start)
    return chunk.start


def _section(
    parsed: ParsedDocument, pages: list[_Placed], span: tuple[int, int], heading: str | None, chunk: Chunk
) -> Section:
    start = span[0]
    text = parsed.text[start : span[1]].rstrip()
    on = [
        each.page.number
        for each in pages
        if each.start < start + len(text) and start < each.start + len(each.page.text)
    ]
    first, last = (on[0], on[-1]) if on else (chunk.page, chunk.page)
    return Section(chunk.document_id, chunk.file_name, heading, text, start, start + len(text), first, last)

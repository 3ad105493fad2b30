"""How a page of text is laid out: its lines, headings and tables."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

LineKind = Literal["blank", "heading", "row", "text"]

_HEADING = re.compile(r"#{1,6} \S")
_FENCE = re.compile(r"\s{0,3}(```|~~~)")
_RULE = re.compile(r"\|(?:-+\|)+")
_PERIOD = re.compile(r"(?:FY|Q|H)?\d{1,4}|(?:19|20)\d\d|%|\$|€|£")
_NUMBER = re.compile(r"[^\w\s]*[A-Za-z]{0,2}\d[\d.,:/]*[A-Za-z%]{0,2}[^\w\s]*|[-–—$€£¥]|n/a", re.IGNORECASE)

_MIN_NUMERIC_ROWS = 3
_LABEL_CHARS = 100
_HEADER_LINES = 12
_HEADER_CHARS = 300


@dataclass(frozen=True, slots=True)
class Line:
    start: int
    end: int
    text: str
    kind: LineKind

    @property
    def level(self) -> int:
        """Of a heading."""
        return len(self.text) - len(self.text.lstrip("#"))

    @property
    def title(self) -> str:
        return self.text.lstrip("#").strip()


@dataclass(frozen=True, slots=True)
class Table:
    """A run of lines, by their indexes."""

    first: int
    """Its caption included."""
    body: int
    """The first line before which it may be cut: header and first row stay together."""
    last: int
    header: str


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
    return "row" if " | " in line or _RULE.fullmatch(line) or _is_numeric_row(line) else "text"


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
    """Rows follow each other; in a table of figures a short label may stand between ("Cost of sales:")."""
    last = first
    has_bars = _has_bars(lines[first])
    for index in range(first + 1, len(lines)):
        line = lines[index]
        if line.kind == "row" and _has_bars(line) == has_bars:
            last = index
        elif has_bars or not _is_label(line) or index - last > 2:
            break
    return last


def _has_bars(line: Line) -> bool:
    return " | " in line.text or bool(_RULE.fullmatch(line.text))


def _is_label(line: Line) -> bool:
    return line.kind == "text" and len(line.text) <= _LABEL_CHARS and not line.text.endswith((".", ";", ","))


def _table(lines: Sequence[Line], first: int, last: int) -> Table | None:
    if _has_bars(lines[first]):
        if last == first:
            return None
        has_rule = bool(_RULE.fullmatch(lines[first + 1].text))
        return Table(_caption(lines, first), min(first + 2 + has_rule, last), last, lines[first].text)
    if last - first + 1 < _MIN_NUMERIC_ROWS:
        return None
    return _numeric_table(lines, first, last)


def _caption(lines: Sequence[Line], first: int) -> int:
    """A short line above, blank line or not, names the table and stays with it."""
    above = first - 1
    if above >= 1 and lines[above].kind == "blank":
        above -= 1
    if above >= 0 and lines[above].kind == "text" and len(lines[above].text) <= _LABEL_CHARS:
        return above
    return first


def _numeric_table(lines: Sequence[Line], first: int, last: int) -> Table:
    """Printed tables have their header in the short lines above the figures: names, units, periods."""
    top, length = first, 0
    while top > 0 and first - top < _HEADER_LINES and lines[top - 1].kind in ("text", "row"):
        length += len(lines[top - 1].text)
        if length > _HEADER_CHARS or len(lines[top - 1].text) > _LABEL_CHARS or lines[top - 1].text.endswith("."):
            break
        top -= 1
    body = first + 1 if _names_periods(lines[first].text) or top == first else first
    return Table(top, body, last, " ".join(line.text.strip() for line in lines[top:body]))


def _names_periods(row: str) -> bool:
    """ "Region FY2024 FY2025": figures that are all years or quarters are column names."""
    return all(_PERIOD.fullmatch(word) for word in row.split() if _NUMBER.fullmatch(word))

"""A sheet's cells as text: numbers as displayed, separate tables, no empty rows and columns."""

import re
from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from masis.sources.plain import clean, one_line
from masis.sources.table_grid import table_lines

_FRACTION = re.compile(r"-?\d+\.\d{6,}(?:[eE][-+]?\d+)?|-?\d+(?:\.\d+)?[eE][-+]?\d+")
_EXACT = 1e15
_MOST_DECIMALS = 15

BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: '"$"#,##0', 6: '"$"#,##0', 7: '"$"#,##0.00', 8: '"$"#,##0.00',
    9: "0%", 10: "0.00%", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)", 39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;(#,##0.00)", 41: "#,##0;(#,##0)", 42: '"$"#,##0;("$"#,##0)', 43: "#,##0.00;(#,##0.00)",
    44: '"$"#,##0.00;("$"#,##0.00)',
}  # fmt: skip
"""The formats that every workbook knows by number alone."""

# A quoted or escaped text; a colour, condition or currency in brackets; padding and filling; else one character.
_PIECE = re.compile(r'"([^"]*)"|\\(.)|\[([^\]]*)\]|[_*].|(.)', re.DOTALL)
_DIGITS = "0#?"


class _Section(NamedTuple):
    before: str
    after: str
    decimals: int
    least_decimals: int
    groups: bool
    shows_zero: bool
    scale: float
    """Divisor of the value: trailing commas show thousands or millions, a per cent sign hundredths."""


def readable_float(value: float) -> str:
    """12.0 becomes 12, and 0.1 + 0.2 becomes 0.3; files store 15 digits."""
    if value.is_integer() and abs(value) < _EXACT:
        return str(int(value))
    return f"{value:.15g}"


def readable_number(text: str) -> str:
    """The same for a number in text form; any other text stays as it is."""
    return readable_float(float(text)) if len(text) < 40 and _FRACTION.fullmatch(text) else text


def displayed(value: float, code: str) -> str:
    """The value as the sheet shows it; with a format for dates, fractions or text, the number stays as stored."""
    sections = _sections(code)
    if not sections or abs(value) >= _EXACT:
        return readable_float(float(value))
    is_negative = value < 0
    own = sections[1] if is_negative and len(sections) > 1 else sections[0]
    if value == 0 and len(sections) > 2:
        own = sections[2]
    if own is None:
        return readable_float(float(value))
    shown = _digits(abs(value), own)
    sign = "-" if is_negative and len(sections) == 1 and shown.strip("0.,") else ""
    return f"{sign}{own.before}{shown}{own.after}".strip()


def _digits(value: float, section: _Section) -> str:
    if section.decimals < 0:
        return ""
    exact = Decimal(repr(float(value))) / Decimal(section.scale)
    rounded = exact.quantize(Decimal(1).scaleb(-section.decimals), ROUND_HALF_UP)
    whole, point, part = f"{rounded:{',' if section.groups else ''}f}".partition(".")
    whole = "" if whole == "0" and not section.shows_zero else whole
    part = part[: section.least_decimals] + part[section.least_decimals :].rstrip("0")
    return f"{whole}{point}{part}" if part else whole


@lru_cache(maxsize=1024)
def _sections(code: str) -> tuple[_Section | None, ...]:
    """The sections for positive, negative and zero values; empty if the format is not for plain numbers."""
    if len(code) > 255 or code.strip().lower() in ("", "general", "@"):
        return ()
    parts = [_section(part) for part in _split(code)[:3]]
    return tuple(parts) if parts and parts[0] is not None else ()


def _split(code: str) -> list[str]:
    """Splits at semicolons outside quotes."""
    parts = [""]
    for match in _PIECE.finditer(code):
        if match[4] == ";":
            parts.append("")
        else:
            parts[-1] += match[0]
    return parts


def _section(code: str) -> _Section | None:
    before, after, pattern = "", "", ""
    for match in _PIECE.finditer(code):
        quoted, escaped, bracketed, plain = match.groups()
        if plain is not None and (plain in _DIGITS or (plain in ".," and pattern)):
            if after.strip():
                return None  # two numbers in one cell: a fraction, a telephone number
            pattern += plain
            continue
        if plain is not None and (plain.isalpha() or plain in "/@:"):
            return None
        text = quoted if quoted is not None else escaped if escaped is not None else plain or ""
        if bracketed is not None:
            text = bracketed[1:].split("-")[0] if bracketed.startswith("$") else ""
            if bracketed.lower() in ("h", "hh", "m", "mm", "s", "ss"):
                return None
        if pattern:
            after += text
        else:
            before += text
    return _of(pattern, before, after)


def _of(pattern: str, before: str, after: str) -> _Section | None:
    bare = pattern.rstrip(",")
    whole, _, part = bare.partition(".")
    if "," in part or "." in part:
        return None
    scale = 1000.0 ** (len(pattern) - len(bare))
    scale /= 100.0 if "%" in before + after else 1.0
    decimals = min(len(part), _MOST_DECIMALS) if pattern else -1
    return _Section(before.lstrip(), after.rstrip(), decimals, part.count("0"), "," in whole, "0" in whole, scale)


Row = Sequence[str]
_FIGURE = re.compile(r"[-+(]?\W?\d[\d.,\s]*\W{0,2}|[-–—]")
_UNNAMED = re.compile(r"(?:sheet|tabelle|feuil\w*|hoja|foglio|blad|ark|arkusz|planilha|лист)\s*\d*", re.IGNORECASE)


def sheet_text(name: str, grid: Sequence[Row]) -> str:
    """The text of a sheet, with its name as heading unless that is a default name such as “Sheet1”. Empty if there are
    no cells."""
    width = max(map(len, grid), default=0)
    rows = [[*row, *[""] * (width - len(row))] for row in grid]
    blocks = _joined_headers([list(block) for has_cells, block in groupby(rows, key=any) if has_cells])
    apart = (part for block in blocks for part in _side_by_side(block))
    return under_name(name, "\n\n".join("\n".join(_block_lines(part)) for part in apart))


def under_name(name: str, text: str) -> str:
    return clean(f"# {one_line(name)}\n\n{text}" if text and not _UNNAMED.fullmatch(name.strip()) else text)


def _side_by_side(block: list[list[str]]) -> list[list[list[str]]]:
    """Splits tables with an empty column between them. Columns without labels of their own belong to the table on their
    left."""
    used = [any(column) for column in zip(*block, strict=True)]
    runs = [
        [place for place, _ in run] for is_used, run in groupby(enumerate(used), key=lambda each: each[1]) if is_used
    ]
    parts: list[list[int]] = []
    for run in runs:
        if parts and not (len(parts[-1]) > 1 and _has_labels(block, run)):
            parts[-1] += run
        else:
            parts.append(list(run))
    cut = [[[row[column] for column in part] for row in block] for part in parts]
    return [[row for row in part if any(row)] for part in cut]


def _has_labels(block: list[list[str]], columns: Sequence[int]) -> bool:
    labels = [row[columns[0]] for row in block if any(row[column] for column in columns)][1:]
    named = sum(bool(label) and not _FIGURE.fullmatch(label) for label in labels)
    return len(columns) > 1 and named > 1 and named * 2 > len(labels)


def _joined_headers(blocks: list[list[list[str]]]) -> list[list[list[str]]]:
    """Financial statements leave a row empty under their header; this joins header and figures."""
    joined: list[list[list[str]]] = []
    for block in blocks:
        if joined and _is_header_of(joined[-1][-1], block[0]):
            joined[-1] += block
        else:
            joined.append(block)
    return joined


def _is_header_of(row: Row, below: Row) -> bool:
    named = {column for column, cell in enumerate(row) if cell and not _FIGURE.fullmatch(cell)}
    figures = {column for column, cell in enumerate(below) if _FIGURE.fullmatch(cell)}
    return len(named) > 1 and len(named) == sum(map(bool, row)) and bool(figures) and figures <= named


def _block_lines(block: list[list[str]]) -> Iterator[str]:
    """Titles above the table become lines; a single cell inside it is a heading for the rows below."""
    first = next((index for index, row in enumerate(block) if sum(map(bool, row)) > 1), len(block))
    yield from (one_line(cell) for row in block[:first] for cell in row if cell)
    # A single row may be the header of the block below, so its columns must keep their places.
    indent = min(map(_indent, block)) if len(block) > 1 else 0
    yield from table_lines([row[indent:] for row in block[first:]])


def _indent(row: Row) -> int:
    return next((column for column, cell in enumerate(row) if cell), len(row))

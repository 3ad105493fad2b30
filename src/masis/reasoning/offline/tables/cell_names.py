"""What a cell is called: its row, its column, its time, and the unit that its table gives once for all."""

import re
from collections.abc import Sequence

from masis.language.periods import PERIOD, periods
from masis.language.quantities import SCALES
from masis.language.words import content_stems
from masis.reasoning.offline.tables.grid import Cell, Table

FOOTNOTE = re.compile(r"\s*\(\w\)$|(?<=[a-z])\d$|\s*[*†‡]+$|\[[^\[\]]{1,12}\]")
GENERIC = re.compile(r"\W*(?:sub)?(?:total|other|others|net|gross|all other|balance)\W*", re.IGNORECASE)
"""Labels that say nothing without the line that heads their group."""
DATES = frozenset(
    content_stems(
        """year years ended ending months three six nine twelve fiscal quarter january february march april may june
        july august september october november december"""
    )
)
UNIT = re.compile(
    r"(?:\bin\s+(?:[A-Z]{2,3}\$?\s|U\.?S\.?\s|[$€£]\s?)?|[(,]\s*(?:[$€£]\s?)?|[$€£]\s?|\b(?:USD|EUR|GBP|CHF|JPY|CAD|AUD|INR)\W)"
    r"(?:(?P<word>thousands?|millions?|billions?)\b|(?P<letter>(?<=[$€£])(?:mn|bn|[mkb]))\b)",
    re.IGNORECASE,
)
CURRENCY = re.compile(
    r"\s+(?:of\s+)?((?:U\.?S\.? )?dollars|euros|pounds|Swiss francs|USD|EUR|GBP|CHF)\b", re.IGNORECASE
)
UNSCALED = re.compile(r"\bper\b|\b(?:ratio|rate|margin|percent\w*)\b|%", re.IGNORECASE)
"""What no table counts in millions."""
EXCEPT_SHARES = re.compile(r"\bexcept\b[^()\n]{0,80}\bshare", re.IGNORECASE)
WORDS = {1e3: "thousand", 1e6: "million", 1e9: "billion"}


def label_of(table: Table, row: int) -> str:
    """The row's own name; that of its group too, where it says nothing alone."""
    label = FOOTNOTE.sub("", table.cell(row, table.label_column).text).rstrip(":. ")
    group = table.rows[row].group
    return ", ".join(part for part in (group if GENERIC.fullmatch(label) or not label else "", label) if part)


def column_of(table: Table, column: int) -> str:
    return FOOTNOTE.sub("", table.columns[column].replace("_", " ")).strip(" :")


def name_of(table: Table, cell: Cell) -> str:
    """The row; its column too, where that is more than a date."""
    column = _besides_dates(column_of(table, cell.column))
    full = label_of(table, cell.row)
    label = "" if periods(full) and not _besides_dates(full) else full
    name = ", ".join(part for part in (label, column) if part)
    return name or table.rows[cell.row].group or full or column_of(table, cell.column)


def _besides_dates(column: str) -> str:
    rest = UNIT.sub("", PERIOD.sub("", column)).strip(" ,.:-–()$€£")
    return rest if set(content_stems(rest)) - DATES else ""


def when(table: Table, cell: Cell) -> str:
    """The cell's time as one would say it."""
    places = (table.columns[cell.column], table.cell(cell.row, 0).text, table.rows[cell.row].group)
    said = next((text for text in places if periods(text)), "")
    match = next((m for m in PERIOD.finditer(said)), None)
    if match is None or cell.text == said:
        return ""
    if months := re.search(r"\b(three|six|nine|twelve|\d+) months\b", said, re.IGNORECASE):
        return f"for the {months[1].lower()} months ended {match[0]}"
    if periods(said)[0].is_day:
        is_year = re.search(r"\byears?\b", said, re.IGNORECASE)
        return f"in {periods(said)[0].year}" if is_year and periods(said)[0].year else f"at {match[0]}"
    return f"in {match[0].lower() if match[0].startswith('Fiscal') else match[0]}"


def is_share(cell: Cell) -> bool:
    return cell.text.rstrip(" )").endswith("%")


def value_of(table: Table, cell: Cell) -> str:
    """The cell with the unit that its table gives once for all: “$19,881 million”."""
    scale, currency = unit_of(table, cell)
    return in_unit(cell.text, scale, currency)


def in_unit(figure: str, scale: float, currency: str = "") -> str:
    word = WORDS.get(scale, "")
    return " ".join(part for part in (figure, word, currency if word else "") if part)


def unit_of(table: Table, cell: Cell) -> tuple[float, str]:
    """The factor, and the currency where it is said in words: “(in thousands of euros)”."""
    lines = [table.columns[cell.column], table.columns[0], *reversed(table.above.splitlines())]
    label = f"{label_of(table, cell.row)} {table.columns[cell.column]} {table.rows[cell.row].group}"
    if is_share(cell) or cell.amount is None or UNSCALED.search(label):
        return 1.0, ""
    for line in lines:
        for found in UNIT.finditer(line):
            if EXCEPT_SHARES.search(line, found.end()) and "share" in label.lower():
                return 1.0, ""
            named = CURRENCY.match(line, found.end())
            return SCALES[(found["word"] or found["letter"]).lower()], named[1] if named else ""
    return 1.0, ""


def listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"

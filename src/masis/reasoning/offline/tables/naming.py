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
WORDS = {"thousands": 1e3, "millions": 1e6, "billions": 1e9}


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


def unit_of(table: Table, cell: Cell) -> str:
    """“(in thousands of euros)”, where the table says so and the cell does not."""
    lines = [table.columns[cell.column], table.columns[0], *reversed(table.above.splitlines())]
    if is_share(cell) or UNSCALED.search(f"{label_of(table, cell.row)} {table.columns[cell.column]}"):
        return ""
    for line in lines:
        for found in UNIT.finditer(line):
            factor = SCALES[(found["word"] or found["letter"]).lower()]
            return next((f" (in {word}{_currency(line, found)})" for word, size in WORDS.items() if size == factor), "")
    return ""


def _currency(line: str, unit: re.Match[str]) -> str:
    """“in million US dollars” says both."""
    named = CURRENCY.match(line, unit.end())
    return f" of {named[1]}" if named else ""


def scale_of(table: Table, cell: Cell) -> float:
    return WORDS.get(unit_of(table, cell).strip(" ()").removeprefix("in ").split(" ")[0], 1.0)


def listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"

"""Names a cell: its row, its column, its period, and the unit that the table states only once."""

import re
from collections.abc import Sequence

from masis.language.periods import PERIOD, periods
from masis.language.quantities import SCALES
from masis.language.words import content_stems
from masis.reasoning.offline.tables.grid import Cell, Table

FOOTNOTE = re.compile(r"\s*\(\w\)$|(?<=[a-z])\d$|\s*[*†‡]+$|\[[^\[\]]{1,12}\]")
GENERIC = re.compile(r"\W*(?:sub)?(?:total|other|others|net|gross|all other|balance)\W*", re.IGNORECASE)
"""Labels that mean nothing without the heading of their group."""
DATES = frozenset(
    content_stems(
        """year years ended ending months three six nine twelve fiscal quarter january february march april may june
        july august september october november december"""
    )
)
_CODE = (
    r"(?:US\$|[A-Z]{2,3}\$|[$€£¥₹]|\b(?:USD|EUR|GBP|CHF|JPY|CAD|AUD|INR|NOK|SEK|DKK|PLN|CZK|HUF|SGD|HKD|NZD|ZAR|BRL|MXN"
    r"|KRW|CNY|RMB)\b)"
)
UNIT = re.compile(
    rf"(?:(?P<code>{_CODE})\s?(?:in\s+)?|\bin\s+|[(,]\s*)"
    r"(?:(?P<word>thousands?|millions?|billions?)\b|(?P<letter>(?<=[$€£DKPFRYK\s])(?:mn|bn|[mkb]))\b|(?P<thousands>['’‘]000s?\b|(?<=[$€£])000s?\b(?![,.\d])))",
    re.IGNORECASE,
)
CURRENCY = re.compile(rf"\s+(?:of\s+)?((?:U\.?S\.? )?dollars|euros|pounds|Swiss francs|{_CODE})(?!\w)", re.IGNORECASE)
ONLY_CURRENCY = re.compile(rf"[(\[]\s*(?:in\s+)?(?P<code>{_CODE})\s*[)\]]|^\W*(?P<whole>{_CODE})\W*$")
"""“Price (EUR)”: a currency without a scale."""
UNSCALED = re.compile(
    r"\bper\b|\b(?:ratio|rate|margin|percent\w*|number of|headcount|employees|days|FTEs?)\b|%", re.IGNORECASE
)
"""Words for what no table states in millions."""
A_HUNDRED = 100.0
EXCEPT_SHARES = re.compile(r"\bexcept\b[^()\n]{0,80}\bshare", re.IGNORECASE)
WORDS = {1e3: "thousand", 1e6: "million", 1e9: "billion"}


def label_of(table: Table, row: int) -> str:
    """The row's label; with the heading of its group if the label alone says nothing."""
    label = FOOTNOTE.sub("", table.cell(row, table.label_column).text).rstrip(":. ")
    group = table.rows[row].group
    return ", ".join(part for part in (group if GENERIC.fullmatch(label) or not label else "", label) if part)


def column_of(table: Table, column: int) -> str:
    return FOOTNOTE.sub("", table.columns[column].replace("_", " ")).strip(" :")


def name_of(table: Table, cell: Cell) -> str:
    """The row's label, and the column's name if that is more than a date."""
    column = besides_dates(column_of(table, cell.column))
    full = label_of(table, cell.row)
    label = "" if periods(full) and not besides_dates(full) else full
    name = ", ".join(part for part in (label, column) if part)
    return name or table.rows[cell.row].group or full or column_of(table, cell.column)


def besides_dates(column: str) -> str:
    rest = UNIT.sub("", PERIOD.sub("", column)).strip(" ,.:-–()$€£")
    closed = f"{rest})" if rest.count("(") > rest.count(")") else rest
    return closed if set(content_stems(rest)) - DATES else ""


def when(table: Table, cell: Cell) -> str:
    """The cell's period, worded for a sentence."""
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
    """The cell with the unit that the table states only once: “$19,881 million”."""
    scale, currency = unit_of(table, cell)
    return in_unit(cell.text, scale, currency)


def in_unit(figure: str, scale: float, currency: str = "") -> str:
    """“1,742” in millions becomes “£1,742 million” with “£”, and “EUR 1,742 million” with “EUR”."""
    is_word = currency[-1:].islower()
    before = "" if is_word or not currency or re.search(r"[$€£¥₹]|[A-Z]{3}", figure) else currency
    if before:
        space = " " if before[-1:].isalpha() else ""
        sign = "-" if figure.startswith("-") else ""
        figure = f"{sign}{before}{space}{figure.removeprefix('-')}"
    word = WORDS.get(scale, "")
    return " ".join(part for part in (figure, word, currency if is_word and word else "") if part)


def unit_of(table: Table, cell: Cell) -> tuple[float, str]:
    """The scale and the currency: “(in thousands of euros)”, “£m”, “USD k” in a column of units."""
    beside = [c.text for c in table.rows[cell.row].cells if c.text and c.amount is None and c.column > 0]
    lines = [table.columns[cell.column], *beside, table.columns[0], *reversed(table.above.splitlines())]
    label = f"{label_of(table, cell.row)} {table.columns[cell.column]} {table.rows[cell.row].group}"
    if is_share(cell) or cell.amount is None or _is_unscaled(label, cell.amount) or _has_own_unit(table, cell):
        return 1.0, ""
    for line in lines:
        for found in UNIT.finditer(line):
            if EXCEPT_SHARES.search(line, found.end()) and "share" in label.lower():
                return 1.0, ""
            named = CURRENCY.match(line, found.end())
            scale = "thousand" if found["thousands"] else (found["word"] or found["letter"]).lower()
            return SCALES[scale], found["code"] or (named[1] if named else _sign_of(table, cell, label))
        if alone := ONLY_CURRENCY.search(line):
            return 1.0, alone["code"] or alone["whole"]
    return 1.0, _sign_of(table, cell, label)


def _is_unscaled(label: str, amount: float) -> bool:
    """Whether the label is of something not counted in millions. A “margin” above a hundred is an amount of money."""
    found = UNSCALED.search(label)
    return found is not None and (found.group().lower() != "margin" or abs(amount) <= A_HUNDRED)


def _has_own_unit(table: Table, cell: Cell) -> bool:
    """“Units” or “tonnes” in a column of units override the unit above the table."""
    said = [
        c.text for c in table.rows[cell.row].cells if table.columns[c.column].lower() in ("unit", "units") and c.text
    ]
    return any(not UNIT.search(text) and not ONLY_CURRENCY.search(text) for text in said)


def _sign_of(table: Table, cell: Cell, label: str) -> str:
    """Financial statements print the currency sign only on the first and the last amount of a column."""
    if re.search(r"\b(?:shares?|number|count|units?)\b", label, re.IGNORECASE):
        return ""
    signs = {sign for other in table.column_cells(cell.column) for sign in "$€£" if sign in other.text}
    return signs.pop() if len(signs) == 1 else ""


def listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"

"""Reads what is above the cells of a table: a header of several lines, notes on its unit, and lines that head a
group."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from masis.language.periods import PERIOD
from masis.language.unit_captions import CAPTION

GROUP = "under"
"""Column name of a cell that is not in the row itself but heads its group (“December 31, 2018”, “Americas:”)."""

NOTE = re.compile(
    r"[(\[].*[)\]]|[%$€£]|US\$|unaudited|notes?|(?:[A-Z]{1,3})?[$€£]?\s?['’‘]?000s?|[A-Z]{0,3}[$€£]\s?(?:m|mn|million|bn)",
    re.IGNORECASE,
)
"""A note on the whole table rather than on one column: “(in millions)”."""
LEADS_TO_A_DATE = re.compile(r"\b(?:years?|months?|quarters?|weeks?|periods?|ended|ending|as (?:of|at)|fiscal)\b", re.I)
FOOTNOTE = re.compile(r"\s*[(\[]?\d{1,2}[)\]]?\s*$|[*†‡]+$")

Cells = Sequence[str]


@dataclass(frozen=True, slots=True)
class Header:
    names: list[str]
    lines: int
    """How many lines of the table the header takes up."""
    notes: str = ""


def read_header(rows: Sequence[Cells]) -> Header:
    """The header of a table. `rows` are all its rows, of which the first is known to be a header."""
    depth = header_depth(rows)
    lines = [list(row) for row in rows[:depth]]
    notes = [cell for line in lines[1:] or lines for cell in line if NOTE.fullmatch(cell) and len(cell) > 2]
    if depth == 1:
        return Header(lines[0], 1, " ".join(dict.fromkeys(notes)) if _is_bare(lines[0][0]) else "")
    return Header(spread_names(lines, is_named=False), depth, " ".join(dict.fromkeys(notes)))


def header_depth(rows: Sequence[Cells]) -> int:
    """How many rows belong to the header; the first one is known to."""
    depth = 1
    while depth < len(rows) - 1 and _continues(rows[depth], rows[0]):
        depth += 1
    return depth


def spread_names(lines: Sequence[Cells], *, is_spread: bool = False, is_named: bool = True) -> list[str]:
    """One name per column from a header of several rows. `is_spread`: names that span columns are already in each of
    them. `is_named`: notes on the unit are part of the name."""
    width = max(len(line) for line in lines)
    above = [_padded(line, width) if is_spread else _spread(line, width) for line in lines[:-1]]
    spread = [*above, _padded(lines[-1], width)]
    kept = _joined if is_named else _named
    return [kept([line[column] for line in spread]) for column in range(width)]


def spans_years(rows: Sequence[Cells]) -> bool:
    """Whether the years of the columns are in a row of their own, below a name that spans them."""
    if len(rows) < 3 or all(rows[0][1:]):
        return False
    others = [cell for cell in rows[1][1:] if cell]
    return len(others) > 1 and all(map(_is_period, others))


def groups(rows: Sequence[Cells]) -> list[str | None]:
    """For each row, the line that heads its group; None for those lines themselves."""
    if not any(len(row) > 1 and any(row[1:]) for row in rows):
        return ["" for _ in rows]
    found: list[str | None] = []
    current = ""
    for index, row in enumerate(rows):
        heads = len(row) > 1 and bool(row[0]) and not any(row[1:]) and any(any(r[1:]) for r in rows[index + 1 :])
        if heads:
            current = row[0].strip(" :")
        found.append(None if heads else current)
    return found


def _continues(row: Cells, first: Cells) -> bool:
    """The row continues the header: it has no label, and no figures other than years."""
    others = [cell for cell in row[1:] if cell]
    if not row or not others:
        return False
    if len(others) > 1 and len([cell for cell in first[1:] if cell]) < len(others) and all(map(_is_period, others)):
        # Years below a name that spans them, beside the table's own name.
        return True
    if not (_is_bare(row[0]) or row[0] == first[0]):
        return False
    if all(_is_period(cell) or NOTE.fullmatch(cell) for cell in others):
        return True
    return _is_bare(first[0]) and not any(re.search(r"\d", PERIOD.sub("", cell)) for cell in others)


def _is_bare(label: str) -> bool:
    return not label or bool(NOTE.fullmatch(label)) or bool(CAPTION.fullmatch(label))


def _is_period(cell: str) -> bool:
    return bool(PERIOD.fullmatch(FOOTNOTE.sub("", cell).strip()) or PERIOD.fullmatch(cell.strip()))


def _spread(line: Cells, width: int) -> list[str]:
    """Repeats a name that spans columns in each of them. The name is in the first of its columns, or anywhere if it
    spans all; a period may also be in the last."""
    cells = _padded(line, width)[1:]
    filled = [cell for cell in cells if cell]
    if len(filled) == 1 and (LEADS_TO_A_DATE.search(filled[0]) or PERIOD.search(filled[0])):
        return [line[0], *[filled[0]] * (width - 1)]
    if filled and not cells[0] and cells[-1] and all(map(PERIOD.search, filled)):
        return [line[0], *reversed(_repeated(cells[::-1]))]
    return [line[0], *_repeated(cells)]


def _repeated(cells: Cells) -> list[str]:
    spread, last = [], ""
    for cell in cells:
        last = cell or last
        spread.append(last)
    return spread


def _padded(line: Cells, width: int) -> list[str]:
    return [*line, *[""] * (width - len(line))]


def _joined(parts: Sequence[str]) -> str:
    return " ".join(dict.fromkeys(part for part in parts if part))


def _named(parts: Sequence[str]) -> str:
    return " ".join(dict.fromkeys(part for part in parts if part and (part == "%" or not NOTE.fullmatch(part))))


YEARS = re.compile(r"(?:(?:19|20)\d\d\s+)+(?:19|20)\d\d")
SHORT_LINE = 60
"""Longest line of a stacked header, in characters."""
MOST_LINES = 10
"""Most lines above a table that are searched for its header."""
SPANNING = re.compile(
    r"\b(?:(?:three|six|nine|twelve|\d+) months|(?:fiscal )?(?:years?|quarters?)|\d+ weeks) ended\b|\bas (?:of|at)\b",
    re.I,
)


def stacked_header(lines: Sequence[str], widths: Sequence[int]) -> Header:
    """The header of a printed table, which is on separate lines above its rows. `widths` are the numbers of cells in
    the rows."""
    columns = max(set(widths), key=list(widths).count, default=1) - 1
    found: list[str] = []
    above: list[str] = []
    for line in [line.strip() for line in lines if line.strip()][: -MOST_LINES - 1 : -1]:
        if len(line) > SHORT_LINE and above:
            break
        # A line of years gives each column its year; the day above it applies to all of them.
        above.insert(0, f"| {line}" if YEARS.fullmatch(line) else line[-4 * SHORT_LINE :])
        named = _dated(" ".join(above), columns)
        if found and not named:
            break
        found = named or found
    return Header(["", *found], 0) if found else Header([], 0)


def _dated(text: str, columns: int) -> list[str]:
    """“Three Months Ended Nine Months Ended July 1, 2023 June 25, 2022 July 1, 2023 June 25, 2022” has four columns."""
    dates = [(match[0], match["year2"] or match["year"] or match["year3"]) for match in PERIOD.finditer(text)]
    full = [written for written, year in dates if year]
    days = [written for written, year in dates if not year]
    if columns < 1 or len(full) != columns or (days and columns % len(days)):
        return []
    if days:
        full = [f"{days[index * len(days) // columns]}, {year}" for index, year in enumerate(full)]
    spanning = [match[0] for match in SPANNING.finditer(text)]
    if spanning and columns % len(spanning) == 0:
        full = [f"{spanning[index * len(spanning) // columns]} {date}" for index, date in enumerate(full)]
    return full

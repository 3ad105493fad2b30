"""Tables in the one form that every format's text has: a row a line between bars, one header row with a rule under it.

A header of several rows is joined into one (“Years ended December 31, 2025”), and what spans several rows or columns
stands in each of them, so that every row can be read alone.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from masis.language.periods import PERIOD
from masis.language.table_headers import NOTE, header_depth, spread_names
from masis.sources.plain import one_line

MAX_SPAN = 100
RULE = re.compile(r"\|(?:\s*:?-+:?\s*\|)+")
_BAR = re.compile(r"(?<!\\)\|")
_WRITTEN_AMOUNT = re.compile(
    r"[-−–(]?\s?[$€£¥]?\s?[-−(]?\d+(?:[.,]\d+)+\)?\s?%?|[-−–(]?[$€£¥]\s?\d+\)?|[-−(]?\d+\)?\s?%"
)
NO_AMOUNT = re.compile(r"\(?[0-3]?\d([./-])[01]?\d\1(?:19|20)?\d\d\)?[*†]?|(?:[A-Z]{1,3})?[$€£¥]\s?000s?")
"""“31.12.2019” and “£000” name a column, whatever figures they are made of."""

_SET_APART = re.compile(r"\S+(?: \S+)*")
_TYPED_FIGURE = re.compile(r"[-−–+($€£¥ ]{0,4}\d[\d.,]*[)% ]{0,3}(?:[kmb]n?)?|[-–—]", re.IGNORECASE)
_RULED = re.compile(r"[\s=_+-]+")
_FEWEST_ROWS, _MOST_ROWS, _WIDEST_ROW = 3, 200, 300

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Cell:
    text: str
    width: int = 1
    height: int = 1


def grid(rows: Iterable[list[Cell]], *, is_header: bool = False) -> list[list[str]]:
    """A cell that spans rows stands in each of them; one that spans columns in its first, in a header in each."""
    spanning: dict[int, tuple[str, int]] = {}
    laid_out = []
    for cells in rows:
        line: list[str] = []
        left = list(reversed(cells))
        while left or len(line) in spanning:
            if len(line) in spanning:
                line.append(_take_spanning(spanning, len(line)))
                continue
            cell = left.pop()
            for part in [cell.text] + [cell.text if is_header else ""] * (cell.width - 1):
                if cell.height > 1:
                    spanning[len(line)] = (part, cell.height - 1)
                line.append(part)
        laid_out.append(line)
    return laid_out


def span(value: str | None) -> int:
    """A number of columns or rows as files give it."""
    text = value or ""
    return max(1, min(int(text), MAX_SPAN)) if text.isascii() and text.isdigit() and len(text) < 10 else 1


def _take_spanning(spanning: dict[int, tuple[str, int]], column: int) -> str:
    text, left = spanning.pop(column)
    if left > 1:
        spanning[column] = (text, left - 1)
    return text


def table_row(cells: Iterable[str]) -> str:
    """One row, one line; a bar inside a cell would look like another column."""
    return "| " + " | ".join(one_line(cell).replace("|", "/") for cell in cells) + " |"


def table_lines(rows: Iterable[Sequence[str]], header_rows: int | None = None) -> list[str]:
    """The lines of a table; where the file does not say how many rows are its header, their content does."""
    filled = [[one_line(cell) for cell in row] for row in rows]
    filled = [row for row in filled if any(row)]
    width = max(map(len, filled), default=0)
    if width < 2:
        return [cell for row in filled for cell in row if cell]
    if len(filled) == 1:
        return [table_row(filled[0])]
    padded = _without_empty_columns([[*row, *[""] * (width - len(row))] for row in filled])
    width = len(padded[0])
    depth = depth_of(padded) if header_rows is None else min(header_rows, len(padded) - 1)
    names, unit = joined_header(padded[:depth], is_spread=header_rows is not None) if depth else ([""] * width, "")
    body = [table_row(row) for row in padded[depth:]]
    return [*([unit] if unit else []), table_row(names), f"|{'---|' * width}", *body]


def _without_empty_columns(rows: list[list[str]]) -> list[list[str]]:
    used = [any(column) for column in zip(*rows, strict=True)]
    return rows if all(used) else [[cell for cell, is_used in zip(row, used, strict=True) if is_used] for row in rows]


def with_tables(text: str) -> str:
    """Columns that somebody typed with spaces, as a table; what does not line up stays as it was typed."""
    return "\n\n".join(_typed_table(part.split("\n")) or part for part in text.split("\n\n"))


def _typed_table(lines: Sequence[str]) -> str | None:
    """A line of names, which may leave out that of the first column, and rows of as many cells; one column of figures
    at least."""
    if not _FEWEST_ROWS <= len(lines) <= _MOST_ROWS or max(map(len, lines)) > _WIDEST_ROW:
        return None
    typed = [list(_SET_APART.finditer(line)) for line in lines if not _RULED.fullmatch(line)]
    rows, width = typed[1:], len(typed[-1]) if typed else 0
    if len(rows) < 2 or width < 2 or {len(row) for row in rows} != {width} or not 0 <= width - len(typed[0]) <= 1:
        return None
    columns = list(zip(*rows, strict=True))
    named = zip(reversed(columns), reversed(typed[0]), strict=False)
    if not all(map(_are_in_line, [*columns, *([*column, name] for column, name in named)])):
        return None
    of_figures = [
        n for n, column in enumerate(columns) if n and all(_TYPED_FIGURE.fullmatch(cell[0]) for cell in column)
    ]
    names = [""] * (width - len(typed[0])) + [cell[0] for cell in typed[0]]
    is_named = not any(_TYPED_FIGURE.fullmatch(names[n]) and not PERIOD.fullmatch(names[n]) for n in of_figures)
    written = [names, *([cell[0] for cell in row] for row in rows)]
    return "\n".join(table_lines(written, int(is_named))) if of_figures else None


def _are_in_line(cells: Sequence[re.Match[str]]) -> bool:
    return max(cell.start() for cell in cells) < min(cell.end() for cell in cells)


def with_rules(text: str) -> str:
    """For parsers that read a table line by line: each run of rows becomes a table with its header."""
    return "\n".join(_with_rules(text.split("\n")))


def _with_rules(lines: Iterable[str]) -> Iterator[str]:
    for is_table, run in groupby(lines, key=is_row):
        rows = list(run)
        if is_table and not any(map(is_rule, rows)):
            yield from table_lines(map(row_cells, rows))
        else:
            yield from rows


def is_row(line: str) -> bool:
    return line.startswith("|") and line.endswith("|") and len(line) > 2


def is_rule(line: str) -> bool:
    return line.startswith("|") and bool(RULE.fullmatch(line))


def row_cells(line: str) -> list[str]:
    return [cell.strip() for cell in _BAR.split(line[1:-1])]


def joined_header(rows: Rows, *, is_spread: bool) -> tuple[list[str], str]:
    """One name a column, and the unit that all columns share (“(in millions)”)."""
    names, unit = _without_unit(rows)
    return spread_names(names, is_spread=is_spread), unit


def _without_unit(rows: Rows) -> tuple[Rows, str]:
    """A note that stands alone in its row of a deeper header is of the whole table."""
    if len(rows) < 2:
        return rows, ""
    notes = [{cell for cell in row[1:] if cell} for row in rows]
    is_unit = [
        len(found) == 1 and bool(NOTE.fullmatch(next(iter(found)))) and not row[0]
        for found, row in zip(notes, rows, strict=True)
    ]
    if all(is_unit):
        return rows, ""
    units = dict.fromkeys(next(iter(found)) for found, is_one in zip(notes, is_unit, strict=True) if is_one)
    return [row for row, is_one in zip(rows, is_unit, strict=True) if not is_one], " ".join(units)


def is_pairs(rows: Rows) -> bool:
    """Labels with values of many kinds, as a form has them: its first row names no column."""
    pairs = [[cell for cell in row if cell] for row in rows if any(row)]
    if len(pairs) < 2 or any(len(pair) > 2 for pair in pairs):
        return False
    if 2 * sum(pair[0].endswith(":") for pair in pairs) > len(pairs) or re.search(r"\d", PERIOD.sub("", pairs[0][-1])):
        return True
    has_figure = [bool(re.search(r"\d", pair[-1])) for pair in pairs[1:] if len(pair) > 1]
    return any(has_figure) and not all(has_figure)


def _is_figure(cell: str) -> bool:
    return bool(re.fullmatch(r"[-+(]?[\d.,\s]+[)%]?", cell)) and not PERIOD.fullmatch(cell)


def depth_of(rows: Rows) -> int:
    """How many rows are the header; none where the first has amounts already, or heads the rows below it."""
    if len(rows) > 1 and not any(rows[0][1:]) and any(re.search(r"\d", cell) for cell in rows[1][1:]):
        return 0
    if all(_is_figure(cell) for cell in rows[0] if cell):
        return 0
    if any(_WRITTEN_AMOUNT.fullmatch(cell) and not NO_AMOUNT.fullmatch(cell) for cell in rows[0][1:]):
        return 0
    return header_depth(rows)

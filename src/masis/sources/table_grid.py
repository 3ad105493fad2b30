"""Tables in the form shared by all formats: one line per row, cells between bars, one header row with a rule under it.

A header of several rows is joined into one (“Years ended December 31, 2025”), and a cell that spans rows or columns is
repeated in each of them, so that every row can be read alone.
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
"""“31.12.2019” and “£000” name a column, although they consist of figures."""

_SET_APART = re.compile(r"\S+(?: \S+)*")
_TYPED_FIGURE = re.compile(r"[-−–+($€£¥ ]{0,4}\d[\d.,]*[)% ]{0,3}(?:[kmb]n?)?|[-–—]", re.IGNORECASE)
_SIGN, _CLOSES = re.compile(r"\(?[$€£¥]"), re.compile(r"[)%]+")
_SPANS = re.compile(r"\b(?:ended|ending|as of|at)\b", re.IGNORECASE)
_RULED = re.compile(r"[\s=_+-]+")
_FEWEST_ROWS, _MOST_ROWS, _WIDEST_ROW = 3, 200, 300
_DEEPEST_HEADER = 30
"""In lines, if each of its cells is broken over several."""

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Cell:
    text: str
    width: int = 1
    height: int = 1


def grid(rows: Iterable[list[Cell]], *, is_header: bool = False) -> list[list[str]]:
    """Repeats a cell that spans rows in each of them. One that spans columns is put in the first, or in a header in
    each."""
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
    """A number of columns or rows as written in files."""
    text = value or ""
    return max(1, min(int(text), MAX_SPAN)) if text.isascii() and text.isdigit() and len(text) < 10 else 1


def _take_spanning(spanning: dict[int, tuple[str, int]], column: int) -> str:
    text, left = spanning.pop(column)
    if left > 1:
        spanning[column] = (text, left - 1)
    return text


def table_row(cells: Iterable[str]) -> str:
    """One row on one line; a bar inside a cell would look like another column."""
    return "| " + " | ".join(one_line(cell).replace("|", "/") for cell in cells) + " |"


def table_lines(rows: Iterable[Sequence[str]], header_rows: int | None = None) -> list[str]:
    """The lines of a table; if the file does not say how many rows are the header, their content decides."""
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
    """Converts columns typed with spaces or pasted with tabs to tables; what does not line up stays as it was."""
    return "\n\n".join(_table_in(part.split("\n")) or part for part in text.split("\n\n"))


def _table_in(lines: Sequence[str]) -> str | None:
    return _pasted_table(lines) if sum("\t" in line for line in lines) >= _FEWEST_ROWS - 1 else _typed_table(lines)


def _pasted_table(lines: Sequence[str]) -> str | None:
    """Rows copied from a spreadsheet, or from a page, whose cells may be broken over lines and separated by empty
    ones."""
    first = next(n for n, line in enumerate(lines) if "\t" in line)
    last = max(n for n, line in enumerate(lines) if "\t" in line)
    before, rows, after = lines[:first], lines[first : last + 1], lines[last + 1 :]
    table = _of_a_sheet(rows)
    if table is None and (found := _of_a_page(lines[: last + 1])):
        before, table = found
    return "\n".join([*before, *table, *after]) if table else None


def _of_a_sheet(lines: Sequence[str]) -> list[str] | None:
    """A row of names, then rows with no more cells. Two columns are a table only if one has figures, because prose uses
    tabs too."""
    rows = [[cell.strip() for cell in line.split("\t")] for line in lines]
    names, body = rows[0], rows[1:]
    is_named = all(names[1:]) and not any(re.search(r"\d", PERIOD.sub("", name)) for name in names)
    fits = len(body) > 1 and all(row[0] and 1 < len(row) <= len(names) for row in body)
    if not (is_named and fits):
        return None
    is_set = len(names) > 2 or all(_TYPED_FIGURE.fullmatch(row[-1]) for row in body)
    return table_lines(rows, 1) if is_set else None


def _of_a_page(lines: Sequence[str]) -> tuple[list[str], list[str]] | None:
    """The lines above, and the table: each row has as many figures as any other, or none and is a heading for what
    follows."""
    rows = [_without_spacers(line) for line in lines]
    filled = [n for n, row in enumerate(rows) if row[1:] and all(map(_TYPED_FIGURE.fullmatch, row[1:]))]
    is_year = bool(filled) and all(PERIOD.fullmatch(cell) for cell in rows[filled[0]][1:])
    body = filled[1:] if is_year else filled
    labelled = [n for n in body if not _TYPED_FIGURE.fullmatch(rows[n][0])]
    if len(labelled) < _FEWEST_ROWS - 1:
        return None
    width, top = len(rows[labelled[0]]) - 1, body[0]
    if top and _TYPED_FIGURE.fullmatch(rows[top][0]):
        top -= 1
    while top and "\t" not in lines[top - 1] and lines[top - 1].endswith(":"):
        top -= 1
    held: list[list[str]] = []
    for cells in rows[top:]:
        is_rest = len(cells) == width and bool(held) and len(held[-1]) == 1 and bool(_TYPED_FIGURE.fullmatch(cells[0]))
        row = [*held.pop(), *cells] if is_rest else cells
        if len(row) not in (1, width + 1):
            return None
        held.append(row)
    above, names = _names_of_a_page(lines[:top], width)
    return above, table_lines([*names, *held], len(names))


def _without_spacers(line: str) -> list[str]:
    """The cells of a line, with signs joined to their figures and without cells that only separate columns."""
    cells: list[str] = []
    for cell in map(str.strip, line.split("\t")):
        if cells and (_SIGN.fullmatch(cells[-1]) or _CLOSES.fullmatch(cell)):
            cells[-1] += cell
        elif cell:
            cells.append(cell)
    return cells or [""]


def _names_of_a_page(lines: Sequence[str], width: int) -> tuple[list[str], list[list[str]]]:
    """The column names, which may be broken over lines (“March 30,”, “2024”), and above them names that span
    several."""
    fitting = [
        n for n in range(max(0, len(lines) - _DEEPEST_HEADER), len(lines)) if len(_split_names(lines[n:])) == width
    ]
    if not fitting:
        return list(lines), []
    names = _split_names(lines[fitting[0] :])
    height = max((name.count("\n") for name in names[1:]), default=0) + 1
    own = names[0].split("\n")
    names[0] = "\n".join(own[-height:])
    above = [*lines[: fitting[0]], *own[:-height]]
    spanning = _split_names(above[-1:])
    if not spanning or width % len(spanning) or not _SPANS.search(spanning[0]):
        return above, [["", *names]]
    over = [name for name in spanning for _ in range(width // len(spanning))]
    return above[:-1], [["", *over], ["", *names]]


def _split_names(lines: Sequence[str]) -> list[str]:
    return [name for cell in "\n".join(lines).split("\t") if (name := cell.strip())]


def _typed_table(lines: Sequence[str]) -> str | None:
    """A line of names, which may omit that of the first column, and rows of as many cells, with at least one column of
    figures."""
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


def with_names(lines: Iterable[str]) -> Iterator[str]:
    """A table with an empty row of names, as some converters write it, gets its names from its first row, if that has
    any."""
    for is_table, run in groupby(lines, key=is_row):
        rows = list(run)
        is_unnamed = is_table and len(rows) > 3 and is_rule(rows[1]) and not any(row_cells(rows[0]))
        yield from table_lines(map(row_cells, rows[2:])) if is_unnamed else rows


def is_row(line: str) -> bool:
    return line.startswith("|") and line.endswith("|") and len(line) > 2


def is_rule(line: str) -> bool:
    return line.startswith("|") and bool(RULE.fullmatch(line))


def row_cells(line: str) -> list[str]:
    return [cell.strip() for cell in _BAR.split(line[1:-1])]


def joined_header(rows: Rows, *, is_spread: bool) -> tuple[list[str], str]:
    """One name per column, and the unit that all columns share (“(in millions)”)."""
    names, unit = _without_unit(rows)
    return spread_names(names, is_spread=is_spread), unit


def _without_unit(rows: Rows) -> tuple[Rows, str]:
    """A note that is alone in its row of a multi-row header applies to the whole table."""
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
    """Whether the rows are labels with values of many kinds, as in a form, so that the first row names no column."""
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
    """How many rows are the header; 0 if the first row has amounts or is a heading for the rows below it."""
    if len(rows) > 1 and not any(rows[0][1:]) and any(re.search(r"\d", cell) for cell in rows[1][1:]):
        return 0
    if all(_is_figure(cell) for cell in rows[0] if cell):
        return 0
    if any(_WRITTEN_AMOUNT.fullmatch(cell) and not NO_AMOUNT.fullmatch(cell) for cell in rows[0][1:]):
        return 0
    return header_depth(rows)

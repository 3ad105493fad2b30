"""A sheet's cells as text: tables apart from each other, no empty rows and columns."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from masis.sources.plain import clean, one_line
from masis.sources.table_grid import table_lines

Row = Sequence[str]
_FIGURE = re.compile(r"[-+(]?\W?\d[\d.,\s]*\W{0,2}|[-–—]")
_UNNAMED = re.compile(r"(?:sheet|tabelle|feuil\w*|hoja|foglio|blad|ark|arkusz|planilha|лист)\s*\d*", re.IGNORECASE)


def sheet_text(name: str, grid: Sequence[Row]) -> str:
    """The sheet's name is the heading of its tables, unless it is only a number. Empty when there are no cells."""
    width = max(map(len, grid), default=0)
    rows = [[*row, *[""] * (width - len(row))] for row in grid]
    blocks = _joined_headers([list(block) for has_cells, block in groupby(rows, key=any) if has_cells])
    apart = (part for block in blocks for part in _side_by_side(block))
    return under_name(name, "\n\n".join("\n".join(_block_lines(part)) for part in apart))


def under_name(name: str, text: str) -> str:
    return clean(f"# {one_line(name)}\n\n{text}" if text and not _UNNAMED.fullmatch(name.strip()) else text)


def _side_by_side(block: list[list[str]]) -> list[list[list[str]]]:
    """Tables with an empty column between them; what has no labels of its own belongs to the table on its left."""
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
    """Statements leave a row empty under their header; header and figures are one table."""
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
    """Titles above the table are lines; a lone cell inside it heads the rows below."""
    first = next((index for index, row in enumerate(block) if sum(map(bool, row)) > 1), len(block))
    yield from (one_line(cell) for row in block[:first] for cell in row if cell)
    # A single row may be the header of the block below: there the places count.
    indent = min(map(_indent, block)) if len(block) > 1 else 0
    yield from table_lines([row[indent:] for row in block[first:]])


def _indent(row: Row) -> int:
    return next((column for column, cell in enumerate(row) if cell), len(row))

"""HTML tables as lines: one row one line, the header first, columns kept apart."""

from selectolax.lexbor import LexborNode

from masis.sources.markup.html_nodes import children, inline_text, walk
from masis.sources.plain import table_row
from masis.sources.table_grid import Cell, grid, span

_CURRENCY = frozenset("$€£¥")
_SUFFIX = frozenset((")", "%", ")%"))


def table_lines(table: LexborNode) -> list[str]:
    """Empty for a table that only lays out a page: one column, or tables inside it."""
    rows, caption = [], []
    for node, opens in walk(table):
        if not opens or node.mem_id == table.mem_id:
            continue
        if node.tag == "table":
            return []
        if node.tag == "tr":
            rows.append(node)
        elif node.tag == "caption":
            caption.append(inline_text(node))
    table_grid = _without_empty_columns([_joined_signs(row) for row in grid(_cells(row) for row in rows)])
    if max((len(row) for row in table_grid), default=0) < 2:
        return []
    return caption + [table_row(row) for row in table_grid if any(row)]


def _cells(row: LexborNode) -> list[Cell]:
    return [
        Cell(inline_text(child), span(child.attributes.get("colspan")), span(child.attributes.get("rowspan")))
        for child in children(row)
        if child.tag in ("td", "th")
    ]


def _joined_signs(row: list[str]) -> list[str]:
    """Filings put "$" and ")" in columns of their own; a figure and its sign belong together."""
    joined = list(row)
    for index, cell in enumerate(row):
        if cell in _CURRENCY and index + 1 < len(row) and row[index + 1]:
            joined[index], joined[index + 1] = "", cell + row[index + 1]
        elif cell in _SUFFIX and index and joined[index - 1]:
            joined[index - 1], joined[index] = joined[index - 1] + cell, ""
    return joined


def _without_empty_columns(rows: list[list[str]]) -> list[list[str]]:
    width = max((len(row) for row in rows), default=0)
    padded = [row + [""] * (width - len(row)) for row in rows]
    kept = [column for column in range(width) if any(row[column] for row in padded)]
    return [[row[column] for column in kept] for row in padded]

"""HTML tables as lines: one row one line, the header first, columns kept apart."""

from selectolax.lexbor import LexborNode

from masis.sources.html_nodes import children, inline_text, walk
from masis.sources.plain import table_row

_MAX_SPAN = 100
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
    grid = _without_empty_columns([_joined_signs(row) for row in _grid(rows)])
    if max((len(row) for row in grid), default=0) < 2:
        return []
    return caption + [table_row(row) for row in grid if any(row)]


def _grid(rows: list[LexborNode]) -> list[list[str]]:
    """A cell that spans rows stands in each of them; one that spans columns stands in its first."""
    spanning: dict[int, tuple[str, int]] = {}
    grid = []
    for row in rows:
        line: list[str] = []
        cells = [child for child in children(row) if child.tag in ("td", "th")]
        while cells or len(line) in spanning:
            if len(line) in spanning:
                line.append(_take_spanning(spanning, len(line)))
                continue
            cell = cells.pop(0)
            text, width, height = inline_text(cell), _span(cell, "colspan"), _span(cell, "rowspan")
            for part in [text] + [""] * (width - 1):
                if height > 1:
                    spanning[len(line)] = (part, height - 1)
                line.append(part)
        grid.append(line)
    return grid


def _take_spanning(spanning: dict[int, tuple[str, int]], column: int) -> str:
    text, left = spanning.pop(column)
    if left > 1:
        spanning[column] = (text, left - 1)
    return text


def _span(cell: LexborNode, attribute: str) -> int:
    value = cell.attributes.get(attribute) or ""
    return max(1, min(int(value), _MAX_SPAN)) if value.isascii() and value.isdigit() else 1


def _joined_signs(row: list[str]) -> list[str]:
    """Filings put "$" and ")" in columns of their own; a figure and its sign belong together."""
    joined = list(row)
    for index, cell in enumerate(row):
        if cell in _CURRENCY and index + 1 < len(row) and row[index + 1]:
            joined[index], joined[index + 1] = "", cell + row[index + 1]
        elif cell in _SUFFIX and index and joined[index - 1]:
            joined[index - 1], joined[index] = joined[index - 1] + cell, ""
    return joined


def _without_empty_columns(grid: list[list[str]]) -> list[list[str]]:
    width = max((len(row) for row in grid), default=0)
    padded = [row + [""] * (width - len(row)) for row in grid]
    kept = [column for column in range(width) if any(row[column] for row in padded)]
    return [[row[column] for column in kept] for row in padded]

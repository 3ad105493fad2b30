"""HTML tables as the lines of a table; filings lay out a figure and its signs in cells of their own."""

from selectolax.lexbor import LexborNode

from masis.language.table_headers import header_depth
from masis.sources.markup.html_nodes import children, inline_text, walk
from masis.sources.table_grid import Cell, grid, is_row, span, table_lines

_CURRENCY = frozenset("$€£¥")
_SUFFIX = frozenset((")", "%", ")%"))


def html_table_lines(table: LexborNode) -> list[str]:
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
    cells = [_cells(row) for row in rows]
    # Only the names of columns are repeated over what they span.
    spread, plain = grid(cells, is_header=True), grid(cells)
    known = _header_rows(rows)
    known = max(known, header_depth(plain)) if known else 0
    lines = table_lines([_joined_signs(row) for row in [*spread[:known], *plain[known:]]], known or None)
    return caption + lines if any(map(is_row, lines)) else []


def _header_rows(rows: list[LexborNode]) -> int:
    """Rows of the head, or rows of nothing but header cells; 0 where the table does not say."""
    count = 0
    for row in rows:
        tags = {child.tag for child in children(row) if child.tag in ("td", "th")}
        in_head = row.parent is not None and row.parent.tag == "thead"
        if not in_head and tags != {"th"}:
            break
        count += 1
    return count


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

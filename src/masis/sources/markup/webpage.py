"""HTML: the text a reader sees. Headings become `# …`, list items `- …`, each table row one line."""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from masis.errors import UnreadableFile
from masis.language.characters import word_set
from masis.language.table_headers import header_depth
from masis.sources.dates import find_date
from masis.sources.plain import clean, decode, one_line
from masis.sources.table_grid import Cell, depth_of, grid, is_pairs, is_row, span, table_lines
from masis.types import Page, ParsedDocument

_DROPPED = word_set("script style noscript template nav head svg iframe object select button input textarea dialog")
_INLINE = word_set("a abbr b cite code em font i ins mark q s small span strong sub sup time u var")
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def children(node: LexborNode) -> list[LexborNode]:
    return [child for child in node.iter(include_text=True) if _is_visible(child)]


def _is_visible(node: LexborNode) -> bool:
    """What no reader sees is not evidence, and it is where instructions for models are planted."""
    if node.is_text_node:
        return True
    if not node.is_element_node or node.tag in _DROPPED:
        return False
    attributes = node.attributes
    return "hidden" not in attributes and not _HIDDEN_STYLE.search(attributes.get("style") or "")


def walk(root: LexborNode, without: str = "") -> Iterator[tuple[LexborNode, bool]]:
    """Yields each visible node as it opens (True) and closes. Not recursive, because pages nest deeply."""
    stack = [(root, True)]
    while stack:
        node, opens = stack.pop()
        if node.tag == without:
            continue
        yield node, opens
        if opens and node.is_element_node:
            stack.append((node, False))
            stack.extend((child, True) for child in reversed(children(node)))


def inline_text(root: LexborNode, without: str = "") -> str:
    """All visible text on one line."""
    parts = [
        (node.text_content or "") if node.is_text_node else "" if node.tag in _INLINE else " "
        for node, _ in walk(root, without)
    ]
    return one_line("".join(parts))


_CURRENCY = frozenset("$€£¥")
_SUFFIX = frozenset((")", "%", ")%"))


_SHORT_CELL, _LONG_CELL = 60, 300
_BULLETS = frozenset("•◦▪‣●○■–·*-o")
_LIST_MARK = re.compile(r"\(?(?:\d{1,2}|[a-zA-Z]|[ivx]{1,4})[.)]")


_Inner = list[tuple[LexborNode, str]]
"""Tables inside cells, each with the label of its row."""


def html_table_lines(table: LexborNode) -> tuple[list[str], _Inner]:
    """The lines of a table, empty if it only lays out a page; and the tables inside its cells, which come below it."""
    rows, inner, caption = _own_parts(table)
    cells = [_cells(row) for row in rows]
    filled = [[cell.text for cell in row if cell.text] for row in cells]
    filled = [texts for texts in filled if texts]
    known = _header_rows(rows)
    if not known and (listed := _list_lines(filled)):
        return listed, inner
    if not known and not caption and _is_layout(filled, len(inner)):
        return [], []
    # Only column names are repeated over the columns they span.
    spread, plain = grid(cells, is_header=True), grid(cells)
    known = max(known, header_depth(plain)) if known else 0
    is_form = not known and (_labels_rows(rows) or is_pairs([_joined_signs(row) for row in plain]))
    if not known and not is_form:
        known = _spanning_rows(cells, plain)
    read = [_joined_signs(row) for row in [*spread[:known], *plain[known:]]]
    read = _joined_columns(read, known, _spanned_together(cells[known:])) if known else read
    lines = table_lines(_without_spanned(read, known), 0 if is_form else known or None)
    return ([*caption, *lines], inner) if any(map(is_row, lines)) else ([], [])


def _spanning_rows(cells: list[list[Cell]], plain: list[list[str]]) -> int:
    """The number of rows at the top that name columns, if the table does not say so and one of them spans columns:
    filings put “Three months ended June 30,” over two years, and each year over a sign and its figure."""
    first = next((n for n, row in enumerate(plain) if any(row)), 0)
    width = max(map(len, plain), default=0)
    depth = first + depth_of([[*row, *[""] * (width - len(row))] for row in plain[first:]]) if width > 1 else 0
    return depth if any(cell.text and cell.width > 1 for row in cells[:depth] for cell in row) else 0


def _without_spanned(rows: list[list[str]], depth: int) -> list[list[str]]:
    """Removes columns that contain only names which other columns have too: gaps, and columns of signs that have been
    joined to their figures."""
    width = max(map(len, rows), default=0)
    padded = [[*row, *[""] * (width - len(row))] for row in rows]
    filled = [any(row[n] for row in padded[depth:]) for n in range(width)]
    named = [{cell for cell, has_body in zip(row, filled, strict=True) if has_body} for row in padded[:depth]]
    is_own = [
        filled[n] or any(row[n] and row[n] not in names for row, names in zip(padded, named, strict=False))
        for n in range(width)
    ]
    return [[cell for cell, keep in zip(row, is_own, strict=True) if keep] for row in padded]


def _spanned_together(rows: list[list[Cell]]) -> set[int]:
    """The columns that some figure shares with the column before."""
    together: set[int] = set()
    for row in rows:
        at = 0
        for cell in row:
            together |= set(range(at + 1, at + cell.width)) if cell.text else set()
            at += cell.width
    return together


def _joined_columns(rows: list[list[str]], depth: int, together: set[int]) -> list[list[str]]:
    """Joins neighbouring columns with the same name that are never both filled: filings put “$” and its figure in two
    cells, and a figure without a sign in one cell across both. Debit and credit under one name have no such cell."""
    width = max(map(len, rows), default=0)
    columns = [list(column) for column in zip(*([*row, *[""] * (width - len(row))] for row in rows), strict=True)]
    joined: list[list[str]] = []
    for number, column in enumerate(columns):
        before = joined[-1] if joined and number in together else None
        is_one = before is not None and any(column[:depth]) and column[:depth] == before[:depth]
        if before and is_one and not any(a and b for a, b in zip(before[depth:], column[depth:], strict=True)):
            joined[-1] = [*column[:depth], *(a or b for a, b in zip(before[depth:], column[depth:], strict=True))]
        else:
            joined.append(column)
    return [list(row) for row in zip(*joined, strict=True)]


def _own_parts(table: LexborNode) -> tuple[list[LexborNode], _Inner, list[str]]:
    rows: list[LexborNode] = []
    inner: _Inner = []
    caption: list[str] = []
    stack = list(reversed(children(table)))
    while stack:
        node = stack.pop()
        if node.tag == "table":
            label = next(iter(_cells(rows[-1])), Cell("")) if rows else Cell("")
            inner.append((node, label.text))
            continue
        if node.tag == "tr":
            rows.append(node)
        elif node.tag == "caption":
            caption.append(inline_text(node))
        if node.is_element_node:
            stack.extend(reversed(children(node)))
    return rows, inner, caption


def _list_lines(rows: list[list[str]]) -> list[str]:
    """Filings put lists and tick boxes in tables: a mark, and its text beside it."""
    if not rows or any(len(row) != 2 or not _is_mark(row[0]) or _is_mark(row[1]) for row in rows):
        return []
    return [f"{'-' if mark in _BULLETS else mark} {text}" for mark, text in rows]


def _is_mark(text: str) -> bool:
    return not any(map(str.isalnum, text)) or bool(_LIST_MARK.fullmatch(text))


def _is_layout(rows: list[list[str]], inner: int) -> bool:
    """Whether the table only lays out a page: one row of long text, mostly single cells, or tables and long text side
    by side."""
    alone = sum(len(row) < 2 for row in rows)
    longest = max((len(text) for row in rows for text in row), default=0)
    if len(rows) < 2 and (longest > _SHORT_CELL or inner):
        return True
    return 2 * alone > len(rows) or (inner > 0 and (longest > _LONG_CELL or 2 * inner > len(rows)))


def _labels_rows(rows: list[LexborNode]) -> bool:
    """Whether header cells begin the rows and name no column."""
    tags = [[child.tag for child in children(row) if child.tag in ("td", "th")] for row in rows]
    return bool(tags) and tags[0][:1] == ["th"] and "td" in tags[0]


def _header_rows(rows: list[LexborNode]) -> int:
    """The number of rows in the head, or of rows with only header cells; 0 if the table does not say."""
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
        Cell(
            inline_text(child, without="table"),
            span(child.attributes.get("colspan")),
            span(child.attributes.get("rowspan")),
        )
        for child in children(row)
        if child.tag in ("td", "th")
    ]


def _joined_signs(row: list[str]) -> list[str]:
    """Filings put “$” and “)” in columns of their own; this joins them to their figures."""
    joined = list(row)
    for index, cell in enumerate(row):
        if cell in _CURRENCY and index + 1 < len(row) and row[index + 1]:
            joined[index], joined[index + 1] = "", cell + row[index + 1]
        elif cell in _SUFFIX and index and joined[index - 1]:
            joined[index - 1], joined[index] = joined[index - 1] + cell, ""
    return joined


_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_PARAGRAPHS = word_set(
    "address article aside blockquote dl fieldset figure footer form header hr main ol p pre section ul"
) | frozenset(_HEADINGS)
_LINES = word_set("br caption dd details div dt figcaption li summary table tbody td tfoot th thead tr")
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w-]{2,40})", re.IGNORECASE)
_XML = re.compile(rb"^[\xef\xbb\xbf\s]*<\?xml[^>]{0,200}?(?:encoding\s*=\s*[\"']([\w-]{2,40})[\"'][^>]{0,100})?\?>")
_EMPTY_ELEMENT = re.compile(r"<([a-zA-Z][a-zA-Z0-9]{0,20})((?:\s[^<>]{0,1000})?)/>")
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]{0,20})")
_NEVER_CLOSED = word_set(
    "area base br col dd dt embed hr img input li link meta option p source tbody td tfoot th thead tr track wbr"
)
_VOID = word_set("area base br col embed hr img input link meta source track wbr")
_MAX_DEPTH = 3000


def parse_webpage(data: bytes, file_name: str) -> ParsedDocument:
    xml = _XML.match(data[:4096])
    declared = _CHARSET.search(data[:4096])
    charset = xml[1] if xml and xml[1] else declared[1] if declared else None
    html = decode(data, file_name, charset.decode("ascii") if charset else None)
    if xml:
        html = _EMPTY_ELEMENT.sub(_written_out, html)
    tree = _parsed(html, file_name)
    text = clean(_visible_text(tree.body)) if tree.body else ""
    title = tree.css_first("title")
    heading = re.search(r"^# (.+)$", text, re.MULTILINE)
    name = heading[1] if heading else one_line(title.text()) if title else ""
    return ParsedDocument([Page(1, text)], title=name or None, date=find_date(text))


def html_text(html: str, file_name: str) -> str:
    """What a reader sees of a piece of HTML inside another text."""
    body = _parsed(html, file_name).body
    return _visible_text(body) if body else ""


def _parsed(html: str, file_name: str) -> LexborHTMLParser:
    _refuse_deep_nesting(html, file_name)
    return LexborHTMLParser(html)


def _written_out(match: re.Match[str]) -> str:
    """In XML, `<title/>` is empty; in HTML, it would open a title that swallows the page."""
    return match[0] if match[1].lower() in _VOID else f"<{match[1]}{match[2]}></{match[1]}>"


def _refuse_deep_nesting(html: str, file_name: str) -> None:
    """The parser's time grows with the square of the depth: 400,000 levels took nine minutes."""
    depth = 0
    for match in _TAG.finditer(html):
        if match[2].lower() not in _NEVER_CLOSED:
            depth = max(0, depth - 1) if match[1] else depth + 1
        if depth > _MAX_DEPTH:
            raise UnreadableFile(
                f"{file_name} nests its elements more than {_MAX_DEPTH} deep, more than any real page."
            )


def _visible_text(body: LexborNode) -> str:
    """Not recursive: pages nest deeper than Python's stack."""
    lines = _Lines()
    stack: list[tuple[LexborNode, bool]] = [(body, True)]
    labels: dict[int, str] = {}
    while stack:
        node, opens = stack.pop()
        tag = node.tag or ""
        if node.is_text_node:
            lines.add(node.text_content or "", is_preformatted=node.parent is not None and node.parent.tag == "pre")
            continue
        lines.break_at(tag, opens)
        rows, inner = html_table_lines(node) if opens and tag == "table" else ([], [])
        if rows:
            lines.add_rows([*filter(None, [labels.get(node.mem_id, "")]), *rows])
            labels |= {each.mem_id: label for each, label in inner}
            stack.extend((each, True) for each, _ in reversed(inner))
        elif opens:
            stack.append((node, False))
            stack.extend((child, True) for child in reversed(children(node)))
    return lines.text()


class _Lines:
    """Collects lines: inline text is gathered until a block begins or ends."""

    def __init__(self) -> None:
        self._done: list[str] = []
        self._inline: list[str] = []
        self._prefix = ""

    def add(self, text: str, *, is_preformatted: bool) -> None:
        if is_preformatted:
            self._end_line()
            self._done.extend(text.split("\n"))
        else:
            self._inline.append(text)

    def add_rows(self, rows: list[str]) -> None:
        self._done += ["", *rows, ""]

    def break_at(self, tag: str, opens: bool) -> None:
        if tag not in _PARAGRAPHS and tag not in _LINES:
            return
        self._end_line()
        if tag in _PARAGRAPHS and not self._prefix:
            self._done.append("")
        if tag in _HEADINGS or tag == "li":
            self._prefix = _HEADINGS.get(tag, "- ") if opens else ""

    def _end_line(self) -> None:
        if text := one_line("".join(self._inline)):
            self._done.append(self._prefix + text)
            # Every line of a heading is a heading; only the first line of an item has the dash.
            self._prefix = self._prefix if self._prefix.startswith("#") else ""
        self._inline.clear()

    def text(self) -> str:
        self._end_line()
        return "\n".join(self._done)

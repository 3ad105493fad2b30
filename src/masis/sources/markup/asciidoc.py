"""AsciiDoc: headings, list items, tables row by row, links as their words."""

import re
from collections.abc import Iterator

from masis.sources.table_grid import table_row

_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(.+?)(?:[ \t]+=+)?")
_ITEM = re.compile(r"\s*(?:[*\-]{1,6}|\.{1,6}|\d{1,4}\.)[ \t]+(?:\[[ x*]\] )?(\S.*)")
_DROPPED = re.compile(
    r":!?[\w-]+!?:.*|//(?!/).*|\[[^\[\]]*\]|(?:-{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|\.{4,}|\+|'{3,}|<<<)|(?:image|include|toc)::.*"
)
_COMMENT = re.compile(r"^/{4,}$.*?^/{4,}$", re.MULTILINE | re.DOTALL)
_TABLE_EDGE = re.compile(r"[|!,:]={3,}\s*")
_CAPTION = re.compile(r"\.(?![.\s])(.+)")
_COLUMNS = re.compile(r"\[.*?\bcols\s*=\s*\"([^\"]+)\"")
_CELL = re.compile(r"(?<!\\)(?:(?:^|(?<=\s))(?:\d{1,2}\*|\d{0,2}(?:\.\d{1,2})?\+)?[\^<>.]{0,2}[a-z]?)?\|")
_LINK = re.compile(r"(?:link:|xref:|mailto:|https?://)[^\s\[\]]{1,2000}\[([^\[\]]{1,500}?)(?:,[^\[\]]{0,200})?\]")
_REFERENCE = re.compile(r"<<[^<>,]{1,200},\s*([^<>]{1,300})>>")
_STRONG = re.compile(r"(?<![\w*])(\*{1,2}|`{1,2}|_{1,2})(?=\S)([^*`_\n]{1,300}?)(?<=\S)\1(?![\w*])")


def asciidoc_lines(text: str) -> Iterator[str]:
    table: list[str] | None = None
    columns = 0
    for line in _COMMENT.sub("", text).split("\n"):
        if not _TABLE_EDGE.fullmatch(line):
            if table is None:
                # The number of columns stands just above the table, perhaps with its caption between.
                columns = _column_count(line) or (columns if _CAPTION.fullmatch(line) else 0)
                yield from _line(line)
            else:
                table.append(line)
        elif table is None:
            table = []
        else:
            yield from ("", *_table_rows(table, columns), "")
            table, columns = None, 0
    yield from _table_rows(table or [], columns)


def _column_count(line: str) -> int:
    match = _COLUMNS.match(line)
    if match is None:
        return 0
    counts = (re.match(r"\s*(\d{1,2})\*", part) for part in match[1].split(","))
    return min(sum(int(count[1]) if count else 1 for count in counts), 200)


def _line(line: str) -> Iterator[str]:
    heading, item, caption = _HEADING.fullmatch(line), _ITEM.fullmatch(line), _CAPTION.fullmatch(line)
    if heading:
        yield f"\n{'#' * len(heading[1])} {_words(heading[2])}\n"
    elif _DROPPED.fullmatch(line.strip()):
        return
    elif line.startswith("|") and line.count("|") > 1:
        yield table_row([_words(cell) for cell in line.strip().strip("|").split("|")])
    elif item:
        yield f"- {_words(item[1])}"
    else:
        yield _words(caption[1] if caption else line)


def _table_rows(lines: list[str], columns: int) -> Iterator[str]:
    """A row on one line, or one cell on each line until the row is full."""
    row: list[str] = []
    for line in lines:
        cells = _CELL.split(line.rstrip())
        if len(cells) == 1:
            row[-1:] = [f"{row[-1]} {line.strip()}"] if row and line.strip() else row[-1:]
            continue
        columns = columns or len(cells) - 1
        if row and len(row) + len(cells) - 1 > columns:
            yield table_row(row)
            row = []
        row += [_words(cell.strip()) for cell in cells[1:]]
        if len(row) >= columns and columns > 1 and len(cells) > 2:
            yield table_row(row)
            row = []
    if any(row):
        yield table_row(row)


def _words(text: str) -> str:
    return _STRONG.sub(r"\2", _REFERENCE.sub(r"\1", _LINK.sub(r"\1", text)))

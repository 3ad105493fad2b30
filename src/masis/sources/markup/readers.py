"""Reads plain text and text with marks (reStructuredText, AsciiDoc, Org, LaTeX, captions)."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator

from masis.sources.dates import find_date
from masis.sources.markup.latex import latex_lines
from masis.sources.plain import clean, decode, extension, title_line
from masis.sources.table_grid import table_row, with_rules, with_tables
from masis.types import Page, ParsedDocument

_ORG_MODE_HEADING = re.compile(
    r"(\*{1,9}) +(?:(?:TODO|DONE|NEXT|WAITING|CANCELLED) +)?(?:\[#[A-Z]\] +)?(.*?)(?:[ \t]+:[\w@:]+:)?"
)
_SETTING = re.compile(r"\s*#\+(\w+):?\s*(.*)", re.IGNORECASE)
_ORG_MODE_ITEM = re.compile(r"\s*(?:[-+]|\d{1,4}[.)]) +(?:\[[ X-]\] )?(.*)")
_DRAWER = re.compile(r"\s*:(?!END:)[A-Z_]+:\s*")
_DRAWER_END = re.compile(r"\s*:END:\s*")
_ORG_MODE_TABLE_RULE = re.compile(r"\s*\|[-+]+\|?")
_PLANNING = re.compile(r"\s*(?:CLOSED|DEADLINE|SCHEDULED):.*")
_ORG_MODE_LINK = re.compile(r"\[\[(?:[^\[\]]{1,2000}\]\[)?([^\[\]]{1,500})\]\]")
_MARKED = re.compile(r"(?<![\w~=*/+])([~=*/+])(?=\S)([^~=*\n]{1,300}?)(?<=\S)\1(?![\w~=*/+])")
_TEXT_SETTINGS = ("caption", "subtitle", "author", "date")


def parse_plain(data: bytes, file_name: str) -> ParsedDocument:
    """A form feed ends a page, as it does for printers."""
    texts = [with_tables(clean(part)) for part in decode(data, file_name).split("\f")]
    pages = [Page(number, text) for number, text in enumerate(texts, start=1)]
    first = next((text for text in texts if text), "")
    return ParsedDocument(pages, title=title_line(first), date=find_date(first))


def org_lines(text: str) -> Iterator[str]:
    for line in _without_drawers(text.split("\n")):
        heading, setting, item = (
            _ORG_MODE_HEADING.fullmatch(line),
            _SETTING.fullmatch(line),
            _ORG_MODE_ITEM.fullmatch(line),
        )
        if heading:
            yield f"\n{'#' * min(len(heading[1]), 6)} {_org_mode_words(heading[2])}\n"
        elif setting:
            yield from _setting_lines(setting[1].lower(), setting[2].strip())
        elif _ORG_MODE_TABLE_RULE.fullmatch(line) or _PLANNING.fullmatch(line) or line.startswith("# "):
            continue
        elif line.lstrip().startswith("|"):
            yield table_row([_org_mode_words(cell) for cell in line.strip().strip("|").split("|")])
        else:
            yield f"- {_org_mode_words(item[1])}" if item else _org_mode_words(line)


def _without_drawers(lines: list[str]) -> Iterator[str]:
    ends = [index for index, line in enumerate(lines) if _DRAWER_END.fullmatch(line)]
    index = 0
    while index < len(lines):
        end = bisect_right(ends, index) if _DRAWER.fullmatch(lines[index]) else len(ends)
        if end < len(ends):
            index = ends[end]
        else:
            yield lines[index]
        index += 1


def _setting_lines(name: str, value: str) -> Iterator[str]:
    if name == "title" and value:
        yield f"# {_org_mode_words(value)}\n"
    elif name in _TEXT_SETTINGS and value:
        yield f"Date: {value}" if name == "date" else _org_mode_words(value)


def _org_mode_words(text: str) -> str:
    return _MARKED.sub(r"\2", _ORG_MODE_LINK.sub(r"\1", text))


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
_ASCIIDOC_LINK = re.compile(
    r"(?:link:|xref:|mailto:|https?://)[^\s\[\]]{1,2000}\[([^\[\]]{1,500}?)(?:,[^\[\]]{0,200})?\]"
)
_REFERENCE = re.compile(r"<<[^<>,]{1,200},\s*([^<>]{1,300})>>")
_ASCIIDOC_STRONG = re.compile(r"(?<![\w*])(\*{1,2}|`{1,2}|_{1,2})(?=\S)([^*`_\n]{1,300}?)(?<=\S)\1(?![\w*])")


def asciidoc_lines(text: str) -> Iterator[str]:
    table: list[str] | None = None
    columns = 0
    for line in _COMMENT.sub("", text).split("\n"):
        if not _TABLE_EDGE.fullmatch(line):
            if table is None:
                # The number of columns is just above the table, perhaps with the caption in between.
                columns = _column_count(line) or (columns if _CAPTION.fullmatch(line) else 0)
                yield from _asciidoc_line(line)
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


def _asciidoc_line(line: str) -> Iterator[str]:
    heading, item, caption = _HEADING.fullmatch(line), _ITEM.fullmatch(line), _CAPTION.fullmatch(line)
    if heading:
        yield f"\n{'#' * len(heading[1])} {_asciidoc_words(heading[2])}\n"
    elif _DROPPED.fullmatch(line.strip()):
        return
    elif line.startswith("|") and line.count("|") > 1:
        yield table_row([_asciidoc_words(cell) for cell in line.strip().strip("|").split("|")])
    elif item:
        yield f"- {_asciidoc_words(item[1])}"
    else:
        yield _asciidoc_words(caption[1] if caption else line)


def _table_rows(lines: list[str], columns: int) -> Iterator[str]:
    """A row is on one line, or has one cell per line until it is full."""
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
        row += [_asciidoc_words(cell.strip()) for cell in cells[1:]]
        if len(row) >= columns and columns > 1 and len(cells) > 2:
            yield table_row(row)
            row = []
    if any(row):
        yield table_row(row)


def _asciidoc_words(text: str) -> str:
    return _ASCIIDOC_STRONG.sub(r"\2", _REFERENCE.sub(r"\1", _ASCIIDOC_LINK.sub(r"\1", text)))


_RULE = re.compile(r"([=\-`:'\"~^_*+#<>.!$%&,;@])\1{2,}")
_SHORT_RULE = re.compile(r"([=\-`:'\"~^_*+#<>.!$%&,;@])\1*")
_TABLE_RULE = re.compile(r"=+(?: +=+)+")
_GRID_RULE = re.compile(r"\+(?:[-=]+\+)+")
_DIRECTIVE = re.compile(r"\.\. (?:[\w:-]+:: ?|_[^:]+: ?|\|[^|]+\| [\w-]+:: ?)(.*)")
_TITLED = re.compile(
    r"\.\. (?:note|warning|tip|important|caution|danger|hint|attention|admonition|topic|rubric|table|math)::"
)
_OPTION = re.compile(r"\s+:[\w-]+:(?: .*)?")
_LINK = re.compile(r"`([^`<]{1,300}?)\s*<[^`<>]{1,2000}>`__?")
_ROLE = re.compile(r":[\w:+.-]{1,40}:`([^`<]{1,300}?)(?:\s*<[^`<>]{1,300}>)?`")
_CODE = re.compile(r"``([^`\n]{1,500})``")
_STRONG = re.compile(r"\*\*(\S(?:[^*\n]{0,300}\S)?)\*\*")


def restructured_lines(text: str) -> Iterator[str]:
    lines = text.split("\n")
    table_ends = [index for index, line in enumerate(lines) if _ends_a_table(line, lines[index + 1 : index + 2])]
    levels: dict[str, int] = {}
    index = 0
    while index < len(lines):
        line = lines[index]
        after = lines[index + 1] if index + 1 < len(lines) else ""
        below = lines[index + 2] if index + 2 < len(lines) else ""
        if _RULE.fullmatch(line) and line == below.rstrip() and after.strip():
            yield _heading(after, line * 2, levels)
            index += 3
        elif _is_underlined(line, after, lines[index - 1] if index else ""):
            yield _heading(line, after[0], levels)
            index += 2
        elif _TABLE_RULE.fullmatch(line.strip()):
            # Up to the rule that is followed by a blank line or the end.
            later = bisect_right(table_ends, index)
            end = table_ends[later] + 1 if later < len(table_ends) else index + 1
            yield from _simple_table(lines[index:end])
            index = end
        else:
            yield from _line(line)
            index += 1


def _is_underlined(line: str, after: str, before: str) -> bool:
    if not line.strip() or line[0] == " " or before.strip() or _RULE.fullmatch(line):
        return False
    return bool(_SHORT_RULE.fullmatch(after)) and len(after) >= len(line.rstrip())


def _heading(text: str, mark: str, levels: dict[str, int]) -> str:
    kind = mark[0] if len(mark) == 1 else mark[:1] * 2
    level = levels.setdefault(kind, len(levels) + 1)
    return f"\n{'#' * min(level, 6)} {_words(text.strip())}\n"


def _line(line: str) -> Iterator[str]:
    if _GRID_RULE.fullmatch(line.strip()) or _OPTION.fullmatch(line):
        return
    stripped = line.strip()
    directive = _DIRECTIVE.fullmatch(stripped)
    if stripped.startswith("|") and stripped.endswith("|") and stripped.count("|") > 2:
        yield table_row([_words(cell) for cell in stripped.strip("|").split("|")])
    elif directive:
        # A file to include or a colour for code is not text; the title of a box is.
        yield from [_words(directive[1])] if _TITLED.match(stripped) and directive[1] else []
    else:
        yield _words(line)


def _ends_a_table(line: str, below: list[str]) -> bool:
    return line.lstrip().startswith("=") and bool(_TABLE_RULE.fullmatch(line.strip())) and not "".join(below).strip()


def _simple_table(lines: list[str]) -> Iterator[str]:
    """Columns are where the rule has marks; a row without a first cell continues the row above."""
    starts = [match.start() for match in re.finditer(r"=+", lines[0])]
    ends = [*starts[1:], None]
    rows: list[list[str]] = []
    for line in lines[1:]:
        if not line.strip() or _TABLE_RULE.fullmatch(line.strip()) or re.fullmatch(r"[-\s]+", line):
            continue
        cells = [_words(line[start:end].strip()) for start, end in zip(starts, ends, strict=True)]
        if rows and not cells[0]:
            rows[-1] = [f"{old} {new}".strip() for old, new in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
    yield from ("", *(table_row(row) for row in rows), "")


def _words(text: str) -> str:
    return _STRONG.sub(r"\1", _CODE.sub(r"\1", _ROLE.sub(r"\1", _LINK.sub(r"\1", text))))


_TIMES = re.compile(r"\s*(?:\d+:)?\d\d?:\d\d[.,]\d{1,3}\s*-->\s*(?:\d+:)?\d\d?:\d\d[.,]\d{1,3}.*")
_NOT_SPOKEN = re.compile(r"(?:WEBVTT|NOTE|STYLE|REGION)\b")
_VOICE = re.compile(r"<v(?:\.[^\s>]{1,100})?\s+([^<>]{1,200})>")
_TAG = re.compile(r"</?[^<>\n]{0,200}>|\{\\[^{}\n]{1,50}\}")


def caption_lines(text: str) -> Iterator[str]:
    """What is said and by whom (WebVTT, SRT), without times and numbers."""
    last = ""
    for block in re.split(r"\n\s*\n", text):
        lines = block.split("\n")
        if _NOT_SPOKEN.match(block) and not any(_TIMES.fullmatch(line) for line in lines):
            continue
        start = next((index + 1 for index, line in enumerate(lines) if _TIMES.fullmatch(line)), 0)
        for line in lines[start:]:
            spoken = " ".join(_TAG.sub("", _VOICE.sub(r"\1: ", line)).split())
            # Rolling captions repeat their last line.
            if spoken and spoken != last:
                yield spoken
                last = spoken


_READERS: dict[str, Callable[[str], Iterable[str]]] = {
    ".rst": restructured_lines,
    ".rest": restructured_lines,
    ".adoc": asciidoc_lines,
    ".asciidoc": asciidoc_lines,
    ".asc": asciidoc_lines,
    ".org": org_lines,
    ".tex": latex_lines,
    ".latex": latex_lines,
    ".ltx": latex_lines,
    ".vtt": caption_lines,
    ".srt": caption_lines,
}
MARKUP_EXTENSIONS = tuple(_READERS)


def parse_markup(data: bytes, file_name: str) -> ParsedDocument:
    """The extension says which marks are used; with an unknown one, the text stays as it is."""
    source = clean(decode(data, file_name))
    reader = _READERS.get(extension(file_name))
    text = with_rules(clean("\n".join(reader(source)))) if reader else source
    heading = re.search(r"^#+ (.+)$", text, re.MULTILINE)
    first = None if reader is caption_lines else title_line(text)
    return ParsedDocument([Page(1, text)], title=heading[1] if heading else first, date=find_date(text))

"""Markdown: headings stay `# …`, tables become rows between bars, links and emphasis become their text."""

import re
from collections.abc import Iterator
from html import unescape
from itertools import groupby

from masis.errors import UnreadableFile
from masis.sources.dates import find_date
from masis.sources.markup.webpage import html_text
from masis.sources.plain import clean, decode
from masis.sources.table_grid import table_row, with_names
from masis.types import Page, ParsedDocument

_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n(?:---|\.\.\.)(?:\n|\Z)", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
_CODE_BLOCK = re.compile(r"^ {0,3}(```|~~~).*?(?:^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL)
_RAW_HTML = re.compile(r"^ {0,3}(```+|~~~+)\s*\{?=html\}?\s*$")
"""A fence whose content is not shown as code but belongs to the page (Pandoc, Quarto, Zine)."""
_HTML_BLOCK = re.compile(
    r"^ {0,3}<(?:(?P<whole>table|script|style)|address|article|aside|blockquote|center|details|dir|div|dl|fieldset"
    r"|figure|footer|form|h[1-6]|header|hr|iframe|link|main|nav|noscript|ol|p|section|summary|ul)\b",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"(?P<code>`[^`\n]*`)|</?(?P<name>a|abbr|b|br|center|cite|code|del|details|div|em|font|h[1-6]|hr|i|img|ins|kbd|li"
    r"|mark|ol|p|q|s|small|span|strong|sub|summary|sup|u|ul|wbr)\b[^<>]{0,2000}>",
    re.IGNORECASE,
)
_UNDERLINE = re.compile(r"^ {0,3}(=+|-{2,})$")
_TABLE_RULE = re.compile(r"^\s*\|?(?:\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?\s*$")
_CELL_BAR = re.compile(r"(?<!\\)\|")
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?$")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\((?:<[^<>]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"]*\")?\)")
# Bounded, so that a line of nothing but unmatched stars costs no more than its length.
_STRONG = re.compile(r"\*\*(?=\S)(.{0,400}?\S)\*\*")
_STRONG_OVER_LINES = re.compile(r"(?:^|(?<=\s))\*\*(?=\S)|(?<=\S)\*\*(?=[\s.,;:)]|$)")
"""What is left of strong text that begins on one line and ends on another."""
_EMPHASIS = re.compile(r"(?<![\w*\\])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])")


def parse_markdown(data: bytes, file_name: str) -> ParsedDocument:
    text = clean(decode(data, file_name))
    front = _FRONT_MATTER.match(text)
    header = front[1] if front else ""
    shown = _without_html(_COMMENT.sub("", text[front.end() if front else 0 :]).split("\n"), file_name)
    body = clean("\n".join(_readable_lines(list(shown))))
    title = _front_title(header) or _first_heading(body)
    return ParsedDocument([Page(1, body)], title=title, date=find_date(header) or find_date(body))


def _without_html(lines: list[str], file_name: str) -> Iterator[str]:
    """Replaces blocks of HTML by what a reader of the page sees; their tables become rows."""
    index, fence = 0, ""
    while index < len(lines):
        line = lines[index]
        if not fence and (raw := _RAW_HTML.match(line)):
            end = _end_of_fence(lines, index, raw[1])
            yield from _shown(lines[index + 1 : end], file_name)
            index = end + 1
        elif not fence and (block := _HTML_BLOCK.match(line)):
            end = _end_of_block(lines, index, block["whole"] or "")
            yield from _shown(lines[index:end], file_name)
            index = end
        else:
            mark = _FENCE.match(line)
            fence = _next_fence(fence, mark[1]) if mark else fence
            yield line
            index += 1


def _shown(html: list[str], file_name: str) -> list[str]:
    try:
        return ["", *html_text("\n".join(html), file_name).split("\n"), ""]
    except UnreadableFile:  # nested too deep for a page; the rest of the file can be read
        return html


def _end_of_fence(lines: list[str], start: int, mark: str) -> int:
    return next((n for n in range(start + 1, len(lines)) if lines[n].strip().startswith(mark)), len(lines))


def _end_of_block(lines: list[str], start: int, whole: str) -> int:
    """A table or script ends where it is closed, any other block at the next empty line."""
    closing = f"</{whole.lower()}>"
    ends = (n for n in range(start, len(lines)) if (closing in lines[n].lower() if whole else not lines[n].strip()))
    return next(ends, len(lines)) + bool(whole)


def _readable_lines(lines: list[str]) -> list[str]:
    table_lines = _table_lines(lines)
    out: list[str] = []
    fence = ""
    for index, line in enumerate(lines):
        mark = _FENCE.match(line)
        if fence or mark:
            fence = _next_fence(fence, mark[1] if mark else "")
            out.append(line)
        elif index in table_lines:
            is_rule = bool(_TABLE_RULE.match(line))
            cells = _cells(lines[index - 1] if is_rule else line)
            out.append(f"|{'---|' * len(cells)}" if is_rule else table_row([_words(cell) for cell in cells]))
        elif _UNDERLINE.match(line) and _is_heading_text(lines, index - 1) and out:
            out[-1] = ("# " if "=" in line else "## ") + out[-1].strip()
        else:
            out.append(_heading(line) or _words(line))
    return list(with_names(out))


def _next_fence(fence: str, mark: str) -> str:
    if not fence:
        return mark
    return "" if mark.startswith(fence) else fence


def _table_lines(lines: list[str]) -> set[int]:
    """A run of lines with bars is a table only if there is a rule under the first."""
    found: set[int] = set()
    start = 0
    for has_bar, run in groupby(lines, key=lambda line: "|" in line):
        size = len(rows := list(run))
        if has_bar and size > 1 and _TABLE_RULE.match(rows[1]):
            found.update(range(start, start + size))
        start += size
    return found


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.replace("\\|", "|") for cell in _CELL_BAR.split(inner)]


def _is_heading_text(lines: list[str], index: int) -> bool:
    """Text above an underline is a heading only if it is a line of its own, not the last line of a paragraph."""
    if index < 0 or not lines[index].strip() or re.match(r"\s*([-*+>#|]|\d+[.)])", lines[index]):
        return False
    return index == 0 or not lines[index - 1].strip()


def _heading(line: str) -> str | None:
    match = _HEADING.match(line)
    return f"{match[1]} {_words(match[2])}" if match else None


def _words(text: str) -> str:
    plain = unescape(_TAG.sub(_without_tag, text)) if "<" in text or "&" in text else text
    weak = _STRONG_OVER_LINES.sub("", _STRONG.sub(r"\1", _LINK.sub(r"\1", plain)))
    return _EMPHASIS.sub(r"\1", weak)


def _without_tag(match: re.Match[str]) -> str:
    return match["code"] or (" " if match["name"].lower() == "br" else "")


def _front_title(header: str) -> str | None:
    match = re.search(r"^title:\s*[\"']?(.+?)[\"']?\s*$", header, re.MULTILINE | re.IGNORECASE)
    return match[1] if match else None


def _first_heading(body: str) -> str | None:
    match = re.search(r"^#{1,6} (.+)$", _CODE_BLOCK.sub("", body), re.MULTILINE)
    return match[1].strip() if match else None

"""HTML: the text a reader sees. Headings as `# …`, lists as `- …`, a table row on one line."""

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from masis.errors import UnreadableFile
from masis.sources.dates import find_date
from masis.sources.markup.html_nodes import children, tags
from masis.sources.markup.html_tables import html_table_lines
from masis.sources.plain import clean, decode, one_line
from masis.types import Page, ParsedDocument

_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_PARAGRAPHS = tags(
    "address article aside blockquote dl fieldset figure footer form header hr main ol p pre section ul"
) | frozenset(_HEADINGS)
_LINES = tags("br caption dd details div dt figcaption li summary table tbody td tfoot th thead tr")
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w-]{2,40})", re.IGNORECASE)
_XML = re.compile(rb"^[\xef\xbb\xbf\s]*<\?xml[^>]{0,200}?(?:encoding\s*=\s*[\"']([\w-]{2,40})[\"'][^>]{0,100})?\?>")
_EMPTY_ELEMENT = re.compile(r"<([a-zA-Z][a-zA-Z0-9]{0,20})((?:\s[^<>]{0,1000})?)/>")
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]{0,20})")
_NEVER_CLOSED = tags(
    "area base br col dd dt embed hr img input li link meta option p source tbody td tfoot th thead tr track wbr"
)
_VOID = tags("area base br col embed hr img input link meta source track wbr")
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
    """What a reader sees of a piece of HTML that stands in another text."""
    body = _parsed(html, file_name).body
    return _visible_text(body) if body else ""


def _parsed(html: str, file_name: str) -> LexborHTMLParser:
    _refuse_deep_nesting(html, file_name)
    return LexborHTMLParser(html)


def _written_out(match: re.Match[str]) -> str:
    """In XML `<title/>` is empty; in HTML it would open a title that swallows the page."""
    return match[0] if match[1].lower() in _VOID else f"<{match[1]}{match[2]}></{match[1]}>"


def _refuse_deep_nesting(html: str, file_name: str) -> None:
    """The parser's time grows with the square of the depth: 400,000 levels took nine minutes."""
    depth = 0
    for match in _TAG.finditer(html):
        if match[2].lower() not in _NEVER_CLOSED:
            depth = max(0, depth - 1) if match[1] else depth + 1
        if depth > _MAX_DEPTH:
            raise UnreadableFile(
                f"{file_name} nests its elements more than {_MAX_DEPTH} deep, which no real page does."
            )


def _visible_text(body: LexborNode) -> str:
    """Walks without recursion: pages nest deeper than Python's stack."""
    lines = _Lines()
    stack: list[tuple[LexborNode, bool]] = [(body, True)]
    while stack:
        node, opens = stack.pop()
        tag = node.tag or ""
        if node.is_text_node:
            lines.add(node.text_content or "", is_preformatted=node.parent is not None and node.parent.tag == "pre")
            continue
        lines.break_at(tag, opens)
        if opens and tag == "table" and (rows := html_table_lines(node)):
            lines.add_rows(rows)
        elif opens:
            stack.append((node, False))
            stack.extend((child, True) for child in reversed(children(node)))
    return lines.text()


class _Lines:
    """Lines under construction: inline text gathers until a block begins or ends."""

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
            # A heading stays one on each of its lines; only the first line of an item has the dash.
            self._prefix = self._prefix if self._prefix.startswith("#") else ""
        self._inline.clear()

    def text(self) -> str:
        self._end_line()
        return "\n".join(self._done)

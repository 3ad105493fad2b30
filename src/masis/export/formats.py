"""The formats a run can be exported in; Markdown and HTML are rendered here."""

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import Literal, get_args

from masis.export.content import SOURCES, Block, Heading, Note, Pack, Paragraph, Report, Span, Table, as_json, report_of
from masis.export.docx import as_docx
from masis.export.pdf import as_pdf

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE = """
body { font: 16px/1.55 Georgia, "Times New Roman", serif; color: #1b1b1b; background: #fff;
  max-width: 44rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1, h2 { font-family: system-ui, sans-serif; line-height: 1.25; break-after: avoid; }
h2 { font-size: 1.15rem; margin-top: 2rem; border-bottom: 1px solid #ccc; }
.small { color: #555; font-size: .85rem; }
blockquote { margin: 0 0 1rem; padding-left: 1rem; border-left: 3px solid #ccc; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem; border-bottom: 1px solid #ddd; }
sup a { color: #0b4fa0; text-decoration: none; padding: 0 .1em; }
li { margin-bottom: .4rem; }
li, tr, blockquote { break-inside: avoid; }
@media print { body { margin: 0; max-width: none; font-size: 11pt; } a { color: inherit; } }
"""


def as_html(report: Report) -> bytes:
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(report.title)}</title><style>{_STYLE}</style></head><body>",
        f'<h1 dir="auto">{escape(report.title)}</h1>',
        *_blocks(report),
        *_notes(report),
        "</body></html>",
    ]
    return ("\n".join(parts) + "\n").encode()


def _blocks(report: Report) -> Iterator[str]:
    is_listing = False
    for block in report.blocks:
        is_item = isinstance(block, Paragraph) and block.style == "item"
        if is_item != is_listing:
            yield "<ul>" if is_item else "</ul>"
        is_listing = is_item
        yield _html_block(block)
    if is_listing:
        yield "</ul>"


def _html_block(block: Block) -> str:
    match block:
        case Heading():
            return f"<h2>{escape(block.text)}</h2>"
        case Paragraph():
            start, end = _TAGS[block.style]
            return f"{start}{''.join(map(_html_span, block.spans))}{end}"
        case Table():
            return _table(block)


_TAGS = {
    "plain": ('<p dir="auto">', "</p>"),
    "item": ('<li dir="auto">', "</li>"),
    "quote": ('<blockquote dir="auto">', "</blockquote>"),
    "small": ('<p class="small">', "</p>"),
}


def _html_span(span: Span) -> str:
    text = escape(span.text).replace("\n", "<br>")
    marks = "".join(f'<sup><a href="#note-{n}">[{n}]</a></sup>' for n in span.notes)
    return (f"<strong>{text}</strong>" if span.strong else text) + marks


def _table(table: Table) -> str:
    header, *rows = table.rows
    head = "".join(f'<th scope="col">{_html_cell(cell)}</th>' for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{_html_cell(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _html_cell(cell: Sequence[Span]) -> str:
    return "".join(map(_html_span, cell))


def _notes(report: Report) -> Iterator[str]:
    if report.notes:
        yield f"<h2>{SOURCES}</h2><ol>"
        yield from map(_note, report.notes)
        yield "</ol>"


def _note(note: Note) -> str:
    return f'<li id="note-{note.number}" value="{note.number}" dir="auto">{escape(note.text)}</li>'


_SPECIAL = re.compile(r"([\\`*_\[\]<>#|!~&$^])")
_AT_THE_START = re.compile(r"^(\s*)([-+=](?=[\s=-]|$)|\d+[.)](?=\s|$))")
_PREFIXES = {"plain": "", "item": "- ", "quote": "> ", "small": ""}


def as_markdown(report: Report) -> bytes:
    blocks = [f"# {_escaped(report.title)}", *_grouped(report)]
    notes = [f"[^{note.number}]: {_escaped(note.text)}" for note in report.notes]
    return ("\n\n".join([*blocks, *notes]) + "\n").encode()


def _grouped(report: Report) -> Iterator[str]:
    """Puts the items of a list together."""
    items: list[str] = []
    for block in report.blocks:
        if isinstance(block, Paragraph) and block.style == "item":
            items.append(_block(block))
            continue
        if items:
            yield "\n".join(items)
            items = []
        yield _block(block)
    if items:
        yield "\n".join(items)


def _block(block: Block) -> str:
    match block:
        case Heading():
            return f"## {_escaped(block.text)}"
        case Paragraph():
            return _PREFIXES[block.style] + "".join(map(_span, block.spans)).replace("\n", " ")
        case Table():
            header, *rows = (f"| {' | '.join(''.join(map(_span, cell)) for cell in row)} |" for row in block.rows)
            rule = "|" + " --- |" * len(block.rows[0])
            return "\n".join([header, rule, *rows])


def _span(span: Span) -> str:
    text, marks = _escaped(span.text), "".join(f"[^{number}]" for number in span.notes)
    bare = text.strip()
    if span.strong and bare:
        text = text.replace(bare, f"**{bare}**", 1)
    return text + marks


def _escaped(text: str) -> str:
    """Escapes text from documents, so that it does not become a link, picture, list or HTML."""
    text = _SPECIAL.sub(r"\\\1", text.replace("\n", " "))
    text = _AT_THE_START.sub(lambda found: f"{found[1]}{found[2][:-1]}\\{found[2][-1]}", text)
    # Text that looks like an address would become a link.
    return text.replace("://", "\\://").replace("www.", "www\\.")


Format = Literal["json", "md", "html", "docx", "pdf"]
FORMATS: tuple[Format, ...] = get_args(Format)

MEDIA_TYPES: dict[Format, str] = {
    "json": "application/json",
    "md": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pdf": "application/pdf",
}


def exported(pack: Pack, form: Format) -> bytes:
    match form:
        case "json":
            return as_json(pack)
        case "md":
            return as_markdown(report_of(pack))
        case "html":
            return as_html(report_of(pack))
        case "docx":
            return as_docx(report_of(pack))
        case "pdf":
            return as_pdf(report_of(pack))

"""A report as Markdown, with footnotes as GitHub, Pandoc and most others read them."""

import re
from collections.abc import Iterator

from masis.export.report import Block, Heading, Paragraph, Report, Span, Table

_SPECIAL = re.compile(r"([\\`*_\[\]<>#|!~&$^])")
_AT_THE_START = re.compile(r"^(\s*)([-+=](?=[\s=-]|$)|\d+[.)](?=\s|$))")
_PREFIXES = {"plain": "", "item": "- ", "quote": "> ", "small": ""}


def as_markdown(report: Report) -> bytes:
    blocks = [f"# {_escaped(report.title)}", *_grouped(report)]
    notes = [f"[^{note.number}]: {_escaped(note.text)}" for note in report.notes]
    return ("\n\n".join([*blocks, *notes]) + "\n").encode()


def _grouped(report: Report) -> Iterator[str]:
    """Items of one list stand together."""
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
            header, *rows = (f"| {' | '.join(map(_escaped, row))} |" for row in block.rows)
            rule = "|" + " --- |" * len(block.rows[0])
            return "\n".join([header, rule, *rows])


def _span(span: Span) -> str:
    text, marks = _escaped(span.text), "".join(f"[^{number}]" for number in span.notes)
    bare = text.strip()
    if span.strong and bare:
        text = text.replace(bare, f"**{bare}**", 1)
    return text + marks


def _escaped(text: str) -> str:
    """Foreign words stay words: no link, picture, list or HTML is made of them."""
    text = _SPECIAL.sub(r"\\\1", text.replace("\n", " "))
    text = _AT_THE_START.sub(lambda found: f"{found[1]}{found[2][:-1]}\\{found[2][-1]}", text)
    # What looks like an address would be made a link.
    return text.replace("://", "\\://").replace("www.", "www\\.")

"""Blocks to plain text and to HTML."""

import textwrap
from collections.abc import Sequence
from html import escape

from examples.generator.markup import Block, Heading, Items, PageBreak, Paragraph, Table, is_number

WIDTH = 88
UNDERLINES = {1: "=", 2: "-", 3: "."}

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ max-width: 44em; margin: 2em auto; font-family: sans-serif }}
td.n {{ text-align: right }}
</style>
</head>
<body>
{body}
</body>
</html>
"""


def write_text(blocks: Sequence[Block]) -> str:
    return "\n\n".join(_text(block) for block in blocks) + "\n"


def _text(block: Block) -> str:
    match block:
        case Heading(level, text):
            return f"{text}\n{UNDERLINES[level] * len(text)}"
        case Paragraph(text):
            return textwrap.fill(text, WIDTH, break_on_hyphens=False)
        case Items(texts, _):
            return "\n".join(textwrap.fill(f"- {text}", WIDTH, subsequent_indent="  ") for text in texts)
        case Table(rows):
            return "\n".join("   ".join(row) for row in rows)
        case PageBreak():
            return ""


def write_html(blocks: Sequence[Block]) -> str:
    title = next(block.text for block in blocks if isinstance(block, Heading))
    return PAGE.format(title=escape(title), body="\n".join(_html(block) for block in blocks))


def _html(block: Block) -> str:
    match block:
        case Heading(level, text):
            return f"<h{level}>{escape(text)}</h{level}>"
        case Paragraph(text):
            return f"<p>{escape(text, quote=False)}</p>"
        case Items(texts, numbered):
            tag = "ol" if numbered else "ul"
            return f"<{tag}>\n" + "".join(f"<li>{escape(text)}</li>\n" for text in texts) + f"</{tag}>"
        case Table(rows):
            return _html_table(rows)
        case PageBreak():
            return "<hr>"


def _html_table(rows: tuple[tuple[str, ...], ...]) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in rows[0])
    body = "".join(f"<tr>{''.join(_html_cell(cell) for cell in row)}</tr>\n" for row in rows[1:])
    return f"<table>\n<thead>\n<tr>{head}</tr>\n</thead>\n<tbody>\n{body}</tbody>\n</table>"


def _html_cell(cell: str) -> str:
    right = ' class="n"' if is_number(cell) else ""
    return f"<td{right}>{escape(cell)}</td>"

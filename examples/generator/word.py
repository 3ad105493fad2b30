"""Blocks to DOCX, the same bytes each time."""

import io
import zipfile
from collections.abc import Sequence
from datetime import datetime

from docx import Document
from docx.document import Document as WordDocument
from docx.enum.style import WD_STYLE_TYPE
from docx.opc.constants import RELATIONSHIP_TYPE

from examples.generator.markup import Block, Heading, Items, PageBreak, Paragraph, Table

TABLE_STYLE = "Table Grid"
EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The first time stamp that a zip file can hold."""


def write_docx(blocks: Sequence[Block], author: str, created: datetime) -> bytes:
    document = Document()
    _drop_unused(document)
    for block in blocks:
        _add(document, block)
    properties = document.core_properties
    properties.author = properties.last_modified_by = author
    properties.title = next(block.text for block in blocks if isinstance(block, Heading))
    properties.comments = ""
    properties.created = properties.modified = created
    out = io.BytesIO()
    document.save(out)
    return _with_fixed_archive(out.getvalue())


def _drop_unused(document: WordDocument) -> None:
    # The library's template brings a hundred table styles, twice: nine tenths of an uncompressed file.
    for style in list(document.styles):
        if style.type == WD_STYLE_TYPE.TABLE and style.name not in (TABLE_STYLE, "Normal Table"):
            style.delete()
    unused = "http://schemas.microsoft.com/office/2007/relationships/stylesWithEffects"
    for owner, kind in ((document.part, unused), (document.part.package, RELATIONSHIP_TYPE.THUMBNAIL)):
        for name in [name for name, link in owner.rels.items() if link.reltype == kind]:
            del owner.rels[name]


def _add(document: WordDocument, block: Block) -> None:
    match block:
        case Heading(level, text):
            document.add_heading(text, level)
        case Paragraph(text):
            document.add_paragraph(text)
        case Items(texts, numbered):
            for text in texts:
                document.add_paragraph(text, style="List Number" if numbered else "List Bullet")
        case Table(rows):
            _add_table(document, rows)
        case PageBreak():
            document.add_page_break()


def _add_table(document: WordDocument, rows: tuple[tuple[str, ...], ...]) -> None:
    table = document.add_table(len(rows), len(rows[0]), TABLE_STYLE)
    for row, texts in zip(table.rows, rows, strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    for cell in table.rows[0].cells:
        cell.paragraphs[0].runs[0].bold = True


def _with_fixed_archive(data: bytes) -> bytes:
    # Stored, not deflated: zlib builds differ in what they write, and the bytes must not.
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in sorted(old.namelist(), key=lambda name: (name != "[Content_Types].xml", name)):
            entry = zipfile.ZipInfo(name, EARLIEST)
            entry.create_system = 0
            new.writestr(entry, old.read(name))
    return out.getvalue()

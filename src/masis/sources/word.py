"""Word documents: paragraphs and tables in their order; accepted text only, wherever Word nests it."""

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

from masis.errors import UnreadableFile
from masis.sources.dates import find_date
from masis.sources.plain import clean, table_row, title_line
from masis.types import Page, ParsedDocument

_MAX_UNPACKED_BYTES = 500_000_000
_MAX_SPAN = 100
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_HEADING_STYLE = re.compile(r"heading (\d)")

Element = Any  # lxml's elements have no types


def parse_word(data: bytes, file_name: str) -> ParsedDocument:
    _refuse_bomb(data, file_name)
    try:
        from docx import Document

        document = Document(io.BytesIO(data))
        styles = {style.style_id: (style.name or "").lower() for style in document.styles}
        lines = list(_block_lines(document.element.body, styles))
    except Exception as error:  # python-docx lets through whatever breaks underneath: zip, XML, missing parts
        raise UnreadableFile(
            f"{file_name} is damaged: its parts cannot be read as a Word document.",
            advice="Open it in Word or LibreOffice and save it again as .docx.",
        ) from error
    text = clean("\n".join(lines))
    heading = re.search(r"^#+ (.+)$", text, re.MULTILINE)
    return ParsedDocument([Page(1, text)], title=heading[1] if heading else title_line(text), date=find_date(text))


def _refuse_bomb(data: bytes, file_name: str) -> None:
    parts = zipfile.ZipFile(io.BytesIO(data)).infolist()
    if sum(part.file_size for part in parts) > _MAX_UNPACKED_BYTES:
        raise UnreadableFile(
            f"{file_name} unpacks to more than {_MAX_UNPACKED_BYTES // 1_000_000} MB and was not opened.",
            advice="Remove large embedded objects, or save the text alone.",
        )
    if any(part.flag_bits & 1 for part in parts):
        raise UnreadableFile(f"{file_name} is password-protected.", advice="Save a copy without a password.")


def _block_lines(body: Element, styles: dict[str, str]) -> Iterator[str]:
    for block in _blocks(body):
        if block.tag == _W + "tbl":
            yield from ("", *_table_rows(block), "")
        else:
            yield from _paragraph_lines(block, styles)


def _blocks(parent: Element) -> Iterator[Element]:
    """Paragraphs and tables, also those inside content controls and tracked insertions."""
    for child in parent:
        if child.tag in (_W + "p", _W + "tbl"):
            yield child
        elif child.tag not in (_W + "del", _W + "sectPr", _FALLBACK) and isinstance(child.tag, str):
            yield from _blocks(child)


def _paragraph_lines(paragraph: Element, styles: dict[str, str]) -> Iterator[str]:
    text = _text(paragraph)
    if not text.strip():
        yield ""
        return
    style = styles.get(_property(paragraph, "pStyle") or "", "")
    heading = _HEADING_STYLE.match(style)
    if heading or style == "title":
        # The title stands above every heading.
        level = int(heading[1]) + 1 if heading else 1
        yield from ("", f"{'#' * level} {' '.join(text.split())}", "")
    elif style.startswith("list") or paragraph.find(f"{_W}pPr/{_W}numPr") is not None:
        yield f"- {text.strip()}"
    else:
        yield from (text, "")


def _property(paragraph: Element, name: str) -> str | None:
    element = paragraph.find(f"{_W}pPr/{_W}{name}")
    value: str | None = element.get(_W + "val") if element is not None else None
    return value


def _text(element: Element) -> str:
    return "".join(_pieces(element))


def _pieces(element: Element) -> Iterator[str]:
    for child in element:
        if child.tag == _W + "t":
            yield child.text or ""
        elif child.tag in (_W + "tab", _W + "ptab"):
            yield "\t"
        elif child.tag in (_W + "br", _W + "cr"):
            yield "\n"
        elif child.tag == _W + "noBreakHyphen":
            yield "-"
        elif child.tag == _W + "p":
            yield from ("\n", *_pieces(child), "\n")
        elif child.tag not in (_W + "del", _W + "pPr", _FALLBACK) and isinstance(child.tag, str):
            yield from _pieces(child)


def _table_rows(table: Element) -> Iterator[str]:
    for row in table.iter(_W + "tr"):
        # A table inside a cell is read as that cell's text.
        if next(row.iterancestors(_W + "tbl")) is table:
            own = (cell for cell in row.iter(_W + "tc") if next(cell.iterancestors(_W + "tr")) is row)
            cells = [text for cell in own for text in [_text(cell)] + [""] * (_width(cell) - 1)]
            if any(cell.strip() for cell in cells):
                yield table_row(cells)


def _width(cell: Element) -> int:
    """How many columns it spans."""
    span = cell.find(f"{_W}tcPr/{_W}gridSpan")
    value = span.get(_W + "val", "1") if span is not None else "1"
    return min(int(value), _MAX_SPAN) if value.isascii() and value.isdigit() else 1

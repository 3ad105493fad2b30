"""Real files in the formats MASIS reads, made in memory."""

import io
import re
from collections.abc import Callable, Sequence
from typing import Any

from docx import Document
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table

STYLES = getSampleStyleSheet()


def pdf_of(*parts: Any, password: str | StandardEncryption | None = None) -> bytes:
    """Strings are paragraphs, lists are tables, None is a page break; anything else is reportlab's own."""
    buffer = io.BytesIO()
    encryption = StandardEncryption(password) if isinstance(password, str) else password
    SimpleDocTemplate(buffer, encrypt=encryption).build([_flowable(part) for part in parts])
    return buffer.getvalue()


def _flowable(part: Any) -> Any:
    if part is None:
        return PageBreak()
    if isinstance(part, str):
        return Paragraph(part, STYLES["Normal"])
    return Table(part) if isinstance(part, list) else part


def heading(text: str, level: int = 1) -> Paragraph:
    return Paragraph(text, STYLES["Title" if level == 1 else f"Heading{level}"])


def scanned_pdf(pages: int = 2) -> bytes:
    """Drawings, and not a letter."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    for _ in range(pages):
        canvas.rect(100, 100, 200, 200, fill=1)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def docx_of(*build: Callable[[Any], object]) -> bytes:
    document = Document()
    for step in build:
        step(document)
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def docx_table(rows: Sequence[Sequence[str]]) -> Callable[[Any], object]:
    def build(document: Any) -> None:
        table = document.add_table(len(rows), len(rows[0]))
        for row, texts in zip(table.rows, rows, strict=True):
            for cell, text in zip(row.cells, texts, strict=True):
                cell.text = text

    return build


def bare(text: str) -> str:
    """Without the bars around the rows of a table and the rule under its header."""
    lines = (line for line in text.split("\n") if not re.fullmatch(r"\|(?:---\|)+", line))
    return "\n".join(re.sub(r"^\| ?| ?\|$", "", line) if line.startswith("|") else line for line in lines)

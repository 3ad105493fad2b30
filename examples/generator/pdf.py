"""Blocks to PDF, the same bytes each time."""

import io
from collections.abc import Sequence
from xml.sax.saxutils import escape

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import StyleSheet1, getSampleStyleSheet
from reportlab.lib.units import mm
from reportlab.platypus import Flowable, ListFlowable, SimpleDocTemplate
from reportlab.platypus import PageBreak as PdfPageBreak
from reportlab.platypus import Paragraph as PdfParagraph
from reportlab.platypus import Table as PdfTable

from examples.generator.markup import Block, Heading, Items, PageBreak, Paragraph, Table, is_number

HEADING_STYLES = {1: "Title", 2: "Heading2", 3: "Heading3"}


class _NumberedPages(SimpleDocTemplate):
    def afterPage(self) -> None:
        # After the text, so that a reader who takes the page from its start meets the title first.
        self.canv.setFont("Helvetica", 8)
        self.canv.drawCentredString(A4[0] / 2, 12 * mm, f"Page {self.page}")


def write_pdf(blocks: Sequence[Block], author: str) -> bytes:
    out = io.BytesIO()
    title = next(block.text for block in blocks if isinstance(block, Heading))
    # `invariant` fixes dates and ids. No compression: zlib builds differ in what they write.
    fixed = {"invariant": 1, "pageCompression": 0}
    document = _NumberedPages(out, pagesize=A4, title=title, author=author, **fixed)
    styles = getSampleStyleSheet()
    document.build([_flowable(block, styles) for block in blocks])
    return out.getvalue()


def _flowable(block: Block, styles: StyleSheet1) -> Flowable:
    match block:
        case Heading(level, text):
            return PdfParagraph(escape(text), styles[HEADING_STYLES[level]])
        case Paragraph(text):
            return PdfParagraph(escape(text), styles["BodyText"])
        case Items(texts, numbered):
            entries = [PdfParagraph(escape(text), styles["BodyText"]) for text in texts]
            return ListFlowable(entries, bulletType="1" if numbered else "bullet")
        case Table(rows):
            return _table(rows)
        case PageBreak():
            return PdfPageBreak()


def _table(rows: tuple[tuple[str, ...], ...]) -> PdfTable:
    table = PdfTable(rows, repeatRows=1, hAlign="LEFT", spaceBefore=2 * mm, spaceAfter=4 * mm)
    numbers = [("ALIGN", (i, 0), (i, -1), "RIGHT") for i, cell in enumerate(rows[-1]) if is_number(cell)]
    table.setStyle(
        [
            ("FONT", (0, 0), (-1, 0), "Helvetica-Bold", 9),
            ("FONT", (0, 1), (-1, -1), "Helvetica", 9),
            ("LINEBELOW", (0, 0), (-1, 0), 0.75, colors.black),
            ("LINEBELOW", (0, -1), (-1, -1), 0.25, colors.grey),
            *numbers,
        ]
    )
    return table

"""A report as PDF, with reportlab."""

import io
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from masis.export.content import SOURCES, Block, Heading, Paragraph, Report, Span, Table, said

_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "/Library/Fonts", "/System/Library/Fonts", "C:/Windows/Fonts")
_FAMILIES = (
    ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"),
    ("NotoSans-Regular.ttf", "NotoSans-Bold.ttf"),
    ("LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf"),
    ("Arial Unicode.ttf", "Arial Unicode.ttf"),
    ("arial.ttf", "arialbd.ttf"),
)
MISSING = "\u25af"
_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")


@dataclass(frozen=True)
class Fonts:
    regular: str
    bold: str
    has: frozenset[int]
    """The characters that both fonts have."""

    def shown(self, text: str) -> str:
        """Replaces characters that the font lacks by an empty box or a question mark."""
        box = MISSING if ord(MISSING) in self.has else "?"
        composed = unicodedata.normalize("NFC", text)
        return "".join(c if c in "\n\t" or ord(c) in self.has else box for c in composed)

    def shortcomings(self, text: str) -> str | None:
        """A warning for the reader if these fonts cannot show the text properly."""
        if _RIGHT_TO_LEFT.search(text):
            return "Right-to-left text is not laid out correctly in this PDF; the HTML and DOCX exports show it."
        if self.shown(text) != unicodedata.normalize("NFC", text):
            return "Characters missing from the font appear as empty boxes; the HTML and DOCX exports show them."
        return None


@cache
def fonts() -> Fonts:
    """Found and loaded once; the library keeps fonts for the life of the process anyway."""
    for regular, bold in _FAMILIES:
        for folder in _FOLDERS:
            found = next(Path(folder).rglob(regular), None) if Path(folder).is_dir() else None
            if found and (found.parent / bold).is_file():
                return _loaded(found, found.parent / bold)
    import reportlab

    own = Path(reportlab.__file__).parent / "fonts"
    return _loaded(own / "Vera.ttf", own / "VeraBd.ttf")


def _loaded(regular: Path, bold: Path) -> Fonts:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    faces: list[Any] = [TTFont("masis", str(regular)), TTFont("masis-bold", str(bold))]
    for face in faces:
        pdfmetrics.registerFont(face)
    pdfmetrics.registerFontFamily("masis", normal="masis", bold="masis-bold", italic="masis", boldItalic="masis-bold")
    shared = set.intersection(*(set(face.face.charToGlyph) for face in faces))
    return Fonts("masis", "masis-bold", frozenset(shared))


_INK = "#1b1b1b"
_RULE = "#bbbbbb"


def as_pdf(report: Report) -> bytes:
    return _Sheets(fonts()).written(report)


_WIDE = {"Score": (0.8, 0.2), "Attempt": (0.12, 0.18, 0.55, 0.15)}
"""Column widths by the first header, as shares; the columns of a table in the answer are equally wide."""


class _Sheets:
    def __init__(self, faces: Fonts) -> None:
        from reportlab.lib.styles import ParagraphStyle

        self._fonts = faces
        base: dict[str, Any] = {"fontName": faces.regular, "textColor": _INK, "splitLongWords": 1}
        make = ParagraphStyle
        self._styles = {
            "title": make("title", **base | {"fontName": faces.bold}, fontSize=17, leading=22, spaceAfter=8),
            "heading": make(
                "heading",
                **base | {"fontName": faces.bold},
                fontSize=12,
                leading=16,
                spaceBefore=12,
                spaceAfter=4,
                keepWithNext=1,
            ),
            "plain": make("plain", **base, fontSize=10, leading=14.5, spaceAfter=6),
            "item": make("item", **base, fontSize=10, leading=14.5, spaceAfter=4, leftIndent=14, bulletIndent=3),
            "quote": make("quote", **base, fontSize=10, leading=14, spaceAfter=6, leftIndent=18),
            "small": make("small", **base, fontSize=8.5, leading=12, spaceAfter=4),
        }

    def written(self, report: Report) -> bytes:
        from reportlab.lib.pagesizes import A4
        from reportlab.platypus import SimpleDocTemplate

        file = io.BytesIO()
        title = self._fonts.shown(report.title)
        margins = {"topMargin": 50, "bottomMargin": 55, "leftMargin": 55, "rightMargin": 55}
        sheets = SimpleDocTemplate(file, pagesize=A4, title=title, author="MASIS", lang="en", invariant=1, **margins)
        sheets.build(list(self._story(report)), onFirstPage=self._numbered, onLaterPages=self._numbered)
        return file.getvalue()

    def _story(self, report: Report) -> Iterator[Any]:
        yield self._paragraph("title", self._text(report.title))
        for block in report.blocks:
            yield self._block(block)
        if report.notes:
            yield self._block(Heading(SOURCES))
        for note in report.notes:
            yield self._paragraph("small", f'<a name="note-{note.number}"/>[{note.number}] {self._text(note.text)}')
        if shortcomings := self._fonts.shortcomings(_all_text(report)):
            yield self._block(said(shortcomings, "small"))

    def _block(self, block: Block) -> Any:
        match block:
            case Heading():
                return self._paragraph("heading", self._text(block.text))
            case Paragraph():
                text = "".join(map(self._span, block.spans))
                return self._paragraph(block.style, text, "•" if block.style == "item" else None)
            case Table():
                return self._table(block)

    def _paragraph(self, style: str, markup: str, bullet: str | None = None) -> Any:
        from reportlab.platypus import Paragraph as Flowing

        return Flowing(markup, self._styles[style], bulletText=bullet)

    def _span(self, span: Span) -> str:
        text = self._text(span.text)
        marks = "".join(f'<super><a href="#note-{n}" color="#0b4fa0">[{n}]</a></super>' for n in span.notes)
        return (f"<b>{text}</b>" if span.strong else text) + marks

    def _table(self, table: Table) -> Any:
        from reportlab.platypus import Table as Grid

        columns = max(map(len, table.rows))
        cells = [
            [self._paragraph("small", self._cell(cell, number == 0)) for cell in [*row, *[()] * (columns - len(row))]]
            for number, row in enumerate(table.rows)
        ]
        width = 485.0
        wide = _WIDE.get("".join(span.text for span in table.rows[0][0]), ())
        wide = wide if len(wide) == columns else (1 / columns,) * columns
        rules = [("LINEBELOW", (0, 0), (-1, -1), 0.4, _RULE), ("VALIGN", (0, 0), (-1, -1), "TOP")]
        return Grid(cells, colWidths=[width * part for part in wide], style=rules, repeatRows=1, spaceAfter=6)

    def _cell(self, cell: Sequence[Span], is_header: bool) -> str:
        return "".join(self._span(replace(span, strong=is_header)) for span in cell)

    def _text(self, text: str) -> str:
        return escape(self._fonts.shown(text)).replace("\n", "<br/>")

    def _numbered(self, canvas: Any, sheet: Any) -> None:
        canvas.setFont(self._fonts.regular, 8)
        canvas.drawCentredString(sheet.pagesize[0] / 2, 30, str(sheet.page))


def _all_text(report: Report) -> str:
    spans = [span for block in report.blocks if isinstance(block, Paragraph) for span in block.spans]
    cells = [cell for block in report.blocks if isinstance(block, Table) for row in block.rows for cell in row]
    spans += [span for cell in cells for span in cell]
    return "\n".join([report.title, *(span.text for span in spans), *(note.text for note in report.notes)])

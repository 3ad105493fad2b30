"""A report as a Word file (DOCX) with real footnotes. The format is a ZIP of a few XML parts, so no library is
needed."""

import io
import re
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from xml.sax.saxutils import escape, quoteattr

from masis.export.content import Block, Heading, Note, Paragraph, Report, Span, Table

_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_WORD = f'xmlns:w="{_MAIN}"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_PARTS = {"styles": "styles", "numbering": "numbering", "footnotes": "footnotes"}
_STYLES_OF = {"plain": "Normal", "item": "ListBullet", "quote": "Quote", "small": "Small"}
_CALL = re.compile(r'<w:footnoteReference w:id="(\d+)"/>')
_MOMENT = (1980, 1, 1, 0, 0, 0)
"""Date of every part, fixed so that the same run gives the same bytes."""


def as_docx(report: Report) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in _files(report).items():
            package.writestr(zipfile.ZipInfo(name, _MOMENT), _XML + content, zipfile.ZIP_DEFLATED)
    return written.getvalue()


def _files(report: Report) -> dict[str, str]:
    return {
        "[Content_Types].xml": _content_types(),
        "_rels/.rels": _relations(
            (f"{_OFFICE}/officeDocument", "word/document.xml"),
            (f"{_PACKAGE}/relationships/metadata/core-properties", "docProps/core.xml"),
        ),
        "docProps/core.xml": _properties(report.title),
        "word/_rels/document.xml.rels": _relations(*((f"{_OFFICE}/{kind}", f"{kind}.xml") for kind in _PARTS)),
        "word/document.xml": _document(report),
        "word/footnotes.xml": _footnotes(report.notes),
        "word/styles.xml": _styles(),
        "word/numbering.xml": _NUMBERING,
    }


def _document(report: Report) -> str:
    title = _paragraph("Title", (Span(report.title),))
    body = title + _each_called_once("".join(map(_block, report.blocks)))
    page = '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1134" w:right="1134" w:bottom="1134" '
    margins = 'w:left="1134" w:header="567" w:footer="567" w:gutter="0"/></w:sectPr>'
    return f"<w:document {_WORD}><w:body>{body}{page}{margins}</w:body></w:document>"


def _each_called_once(body: str) -> str:
    """Word numbers references, not footnotes: a second reference to the same footnote is plain text."""
    called: set[str] = set()

    def one(call: re.Match[str]) -> str:
        if call[1] in called:
            return f"<w:t>{call[1]}</w:t>"
        called.add(call[1])
        return call[0]

    return _CALL.sub(one, body)


def _block(block: Block) -> str:
    match block:
        case Heading():
            return _paragraph("Heading1", (Span(block.text),))
        case Paragraph():
            return _paragraph(_STYLES_OF[block.style], block.spans)
        case Table():
            return _table(block)


def _paragraph(style: str, spans: Iterable[Span]) -> str:
    return f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr>{"".join(map(_span, spans))}</w:p>'


def _span(span: Span) -> str:
    strong = "<w:rPr><w:b/></w:rPr>" if span.strong else ""
    lines = "<w:br/>".join(_text(line) for line in span.text.split("\n"))
    calls = (
        f'<w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:footnoteReference w:id="{number}"/></w:r>'
        for number in span.notes
    )
    return f"<w:r>{strong}{lines}</w:r>{_text_between_calls(calls)}"


def _text_between_calls(calls: Iterable[str]) -> str:
    """Separates adjacent numbers, which would read as one."""
    comma = '<w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:t>, </w:t></w:r>'
    return comma.join(calls)


def _text(text: str) -> str:
    return f'<w:t xml:space="preserve">{escape(text)}</w:t>'


def _table(table: Table) -> str:
    edges = "".join(f'<w:{edge} w:val="single" w:sz="4" w:color="BBBBBB"/>' for edge in ("top", "bottom", "insideH"))
    grid = "<w:gridCol/>" * max(map(len, table.rows))
    rows = "".join(_row(row, is_header=number == 0) for number, row in enumerate(table.rows))
    return (
        f'<w:tbl><w:tblPr><w:tblW w:w="5000" w:type="pct"/><w:tblBorders>{edges}</w:tblBorders></w:tblPr>'
        f"<w:tblGrid>{grid}</w:tblGrid>{rows}</w:tbl>"
    )


def _row(cells: Iterable[Sequence[Span]], *, is_header: bool) -> str:
    repeated = "<w:trPr><w:tblHeader/></w:trPr>" if is_header else ""
    spans = ([replace(span, strong=is_header) for span in cell] for cell in cells)
    written = (f"<w:tc><w:tcPr/>{_paragraph('Small', cell)}</w:tc>" for cell in spans)
    return f"<w:tr>{repeated}{''.join(written)}</w:tr>"


def _footnotes(notes: Iterable[Note]) -> str:
    # Word requires these two before the first footnote.
    lines = (("separator", -1, "separator"), ("continuationSeparator", 0, "continuationSeparator"))
    rules = (
        f'<w:footnote w:type="{kind}" w:id="{number}"><w:p><w:r><w:{mark}/></w:r></w:p></w:footnote>'
        for kind, number, mark in lines
    )
    return f"<w:footnotes {_WORD}>{''.join(rules)}{''.join(map(_footnote, notes))}</w:footnotes>"


def _footnote(note: Note) -> str:
    number = '<w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:footnoteRef/></w:r>'
    style = '<w:pPr><w:pStyle w:val="FootnoteText"/></w:pPr>'
    return (
        f'<w:footnote w:id="{note.number}"><w:p>{style}{number}<w:r>{_text(f" {note.text}")}</w:r></w:p></w:footnote>'
    )


def _styles() -> str:
    return (
        f'<w:styles {_WORD}><w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" '
        'w:cs="Calibri"/><w:sz w:val="22"/></w:rPr></w:rPrDefault><w:pPrDefault><w:pPr><w:spacing w:after="120"/>'
        "</w:pPr></w:pPrDefault></w:docDefaults>"
        '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>'
        + _style("Title", "Title", '<w:b/><w:sz w:val="36"/>')
        + _style("Heading1", "heading 1", '<w:b/><w:sz w:val="26"/>', '<w:keepNext/><w:outlineLvl w:val="0"/>')
        + _style("ListBullet", "List Bullet", "", '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>')
        + _style("Quote", "Quote", "<w:i/>", '<w:ind w:left="567"/>')
        + _style("Small", "Small", '<w:sz w:val="18"/>', '<w:spacing w:after="40"/>')
        + _style("FootnoteText", "footnote text", '<w:sz w:val="18"/>', '<w:spacing w:after="40"/>')
        + '<w:style w:type="character" w:styleId="FootnoteReference"><w:name w:val="footnote reference"/>'
        '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style></w:styles>'
    )


def _style(identifier: str, name: str, letters: str, paragraph: str = "") -> str:
    return (
        f'<w:style w:type="paragraph" w:styleId="{identifier}"><w:name w:val="{name}"/><w:basedOn w:val="Normal"/>'
        f"<w:pPr>{paragraph}</w:pPr><w:rPr>{letters}</w:rPr></w:style>"
    )


_NUMBERING = (
    f'<w:numbering {_WORD}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/>'
    '<w:numFmt w:val="bullet"/><w:lvlText w:val="•"/><w:lvlJc w:val="left"/>'
    '<w:pPr><w:ind w:left="426" w:hanging="284"/></w:pPr></w:lvl></w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
)


def _content_types() -> str:
    parts = {"document": "document.main", **_PARTS}
    overrides = "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="{_TYPE}.{kind}+xml"/>' for name, kind in parts.items()
    )
    return (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        f'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}'
        '<Override PartName="/docProps/core.xml" '
        'ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>'
    )


def _relations(*targets: tuple[str, str]) -> str:
    rows = (
        f'<Relationship Id="rId{number}" Type={quoteattr(kind)} Target={quoteattr(target)}/>'
        for number, (kind, target) in enumerate(targets, start=1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{"".join(rows)}</Relationships>'


def _properties(title: str) -> str:
    return (
        f'<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{escape(title)}</dc:title>'
        "<dc:creator>MASIS</dc:creator></cp:coreProperties>"
    )

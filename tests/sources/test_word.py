import io
import zipfile
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from masis.errors import UnreadableFile
from masis.sources.office.word import parse_word
from tests.sources.files import bare, docx_of, docx_table
from tests.sources.packages import relations, zip_of


def add_xml(xml: str) -> Callable[[Any], object]:
    """Before the section properties, which must stay last."""
    declared = xml.replace(">", f" {nsdecls('w')}>", 1)
    return lambda document: document.element.body.insert(-1, parse_xml(declared))


def test_paragraphs_and_tables_in_their_order() -> None:
    data = docx_of(
        lambda d: d.add_heading("Board Memo", 0),
        lambda d: d.add_paragraph("Date: 24 February 2026"),
        lambda d: d.add_heading("Budget", 1),
        lambda d: d.add_paragraph("The budget in million dollars:"),
        docx_table([["Item", "2025", "2026"], ["Laboratory", "3.9", "2.9"]]),
        lambda d: d.add_paragraph("Approved.", style="List Bullet"),
        lambda d: d.add_paragraph("Signed.", style="List Number"),
        lambda d: d.add_heading("Detail", 2),
    )
    document = parse_word(data, "a.docx")
    assert bare(document.text) == (
        "# Board Memo\n\nDate: 24 February 2026\n\n## Budget\n\nThe budget in million dollars:\n\n"
        "Item | 2025 | 2026\nLaboratory | 3.9 | 2.9\n\n- Approved.\n1. Signed.\n\n### Detail"
    )
    assert (document.title, document.date) == ("Board Memo", "2026-02-24")


def test_the_files_own_dates_are_not_the_documents() -> None:
    data = docx_of(lambda d: d.add_paragraph("No date is stated here."))
    assert parse_word(data, "a.docx").date is None


def test_merged_cells_keep_the_columns() -> None:
    def merged(document: Any) -> None:
        table = document.add_table(2, 3)
        for index, cell in enumerate(table._cells):
            cell.text = str(index)
        table.cell(0, 0).merge(table.cell(0, 1)).text = "wide"

    assert bare(parse_word(docx_of(merged), "a.docx").text) == "wide |  | 2\n3 | 4 | 5"


def test_a_table_in_a_cell_comes_below_the_one_that_holds_it() -> None:
    def nested(document: Any) -> None:
        table = document.add_table(1, 2)
        table.cell(0, 1).text = "right"
        inner = table.cell(0, 0).add_table(1, 2)
        inner.cell(0, 0).text, inner.cell(0, 1).text = "in", "ner"

    assert bare(parse_word(docx_of(nested), "a.docx").text) == " | right\n\nin | ner"


def test_tracked_changes_and_content_controls_read_as_accepted() -> None:
    data = docx_of(
        add_xml("<w:p><w:r><w:t>Kept</w:t></w:r><w:ins><w:r><w:t> and added</w:t></w:r></w:ins></w:p>"),
        add_xml("<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:r><w:t>stays</w:t></w:r></w:p>"),
        add_xml("<w:sdt><w:sdtContent><w:p><w:r><w:t>in a control</w:t></w:r></w:p></w:sdtContent></w:sdt>"),
        add_xml("<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/></w:r></w:p>"),
    )
    assert parse_word(data, "a.docx").text == "Kept and added\n\nstays\n\nin a control\n\na\tb\nc-"


def _rewritten(data: bytes, name: str, content: bytes) -> bytes:
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as source,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for item in source.namelist():
            target.writestr(item, content if item == name else source.read(item))
    return buffer.getvalue()


def test_a_damaged_part() -> None:
    data = _rewritten(docx_of(lambda d: d.add_paragraph("x")), "word/document.xml", b"<w:document><unclosed")
    with pytest.raises(UnreadableFile, match="damaged") as error:
        parse_word(data, "a.docx")
    assert "save it again" in error.value.advice


def test_an_external_entity_is_not_fetched() -> None:
    xml = (
        b'<?xml version="1.0"?><!DOCTYPE w [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
        b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
        b"<w:p><w:r><w:t>before &x; after</w:t></w:r></w:p></w:body></w:document>"
    )
    data = _rewritten(docx_of(lambda d: d.add_paragraph("x")), "word/document.xml", xml)
    assert parse_word(data, "a.docx").text.startswith("before")
    assert "\n" not in parse_word(data, "a.docx").text


def test_a_bomb_is_not_unpacked() -> None:
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("word/document.xml", "w", force_zip64=True) as part,
    ):
        for _ in range(520):
            part.write(b" " * 1_000_000)
    assert len(buffer.getvalue()) < 2_000_000
    with pytest.raises(UnreadableFile, match="unpacks to more than 500 MB"):
        parse_word(buffer.getvalue(), "a.docx")


MAIN = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def word_parts(body: str, **others: str) -> bytes:
    parts = {
        "_rels/.rels": relations(("r", "officeDocument", "word/main.xml")),
        "word/main.xml": f'<w:document xmlns:w="{MAIN}"><w:body>{body}</w:body></w:document>',
        "word/_rels/main.xml.rels": relations(
            ("s", "styles", "styles.xml"), ("n", "numbering", "numbering.xml"), ("f", "footnotes", "footnotes.xml"),
            ("c", "comments", "comments.xml"),
        ),
    }  # fmt: skip
    return zip_of(parts | {f"word/{name}.xml": part for name, part in others.items()})


def paragraph(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def test_headings_carry_the_numbers_word_writes() -> None:
    level = '<w:lvl w:ilvl="{0}"><w:numFmt w:val="decimal"/><w:lvlText w:val="{1}"/></w:lvl>'
    numbering = (
        f'<w:numbering xmlns:w="{MAIN}"><w:abstractNum w:abstractNumId="7">{level.format(0, "%1")}'
        f"{level.format(1, '%1.%2')}</w:abstractNum>"
        '<w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num></w:numbering>'
    )
    styles = "".join(
        f'<w:style w:styleId="H{index}"><w:name w:val="heading {index}"/><w:pPr><w:numPr>'
        f'<w:ilvl w:val="{index - 1}"/><w:numId w:val="3"/></w:numPr></w:pPr></w:style>'
        for index in (1, 2)
    )
    body = "".join(
        paragraph(text, f'<w:pStyle w:val="{style}"/>')
        for text, style in (("One", "H1"), ("A", "H2"), ("B", "H2"), ("Two", "H1"), ("C", "H2"))
    )
    data = word_parts(body, numbering=numbering, styles=f'<w:styles xmlns:w="{MAIN}">{styles}</w:styles>')
    assert parse_word(data, "a.docx").text == ("## 1 One\n\n### 1.1 A\n\n### 1.2 B\n\n## 2 Two\n\n### 2.1 C")


def test_clauses_and_lists_carry_their_numbers() -> None:
    def numbering(kind: int, *levels: tuple[str, str]) -> str:
        listed = "".join(
            f'<w:lvl w:ilvl="{index}"><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
            for index, (form, text) in enumerate(levels)
        )
        return f'<w:abstractNum w:abstractNumId="{kind}">{listed}</w:abstractNum>'

    clauses = numbering(1, ("decimal", "%1."), ("decimal", "%1.%2"), ("lowerLetter", "(%3)"), ("lowerRoman", "(%4)"))
    used = "".join(f'<w:num w:numId="{each}"><w:abstractNumId w:val="{each}"/></w:num>' for each in (1, 2))
    part = f'<w:numbering xmlns:w="{MAIN}">{clauses}{numbering(2, ("decimal", "%1."))}{used}</w:numbering>'
    body = "".join(
        paragraph(text, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{kind}"/></w:numPr>')
        for text, level, kind in (
            ("Term", 0, 1),
            ("Start", 1, 1),
            ("End", 1, 1),
            ("notice", 2, 1),
            ("in writing", 3, 1),
            ("breach", 2, 1),
            ("Fees", 0, 1),
            ("milk", 0, 2),
        )
    )
    assert parse_word(word_parts(body, numbering=part), "a.docx").text == (
        "1. Term\n  - 1.1 Start\n  - 1.2 End\n    (a) notice\n      (i) in writing\n    (b) breach\n2. Fees\n1. milk"
    )


def test_notes_and_comments_follow_the_text() -> None:
    notes = (
        f'<w:footnotes xmlns:w="{MAIN}"><w:footnote w:type="separator">{paragraph("---")}</w:footnote>'
        f"<w:footnote>{paragraph('Audited.')}</w:footnote></w:footnotes>"
    )
    comments = f'<w:comments xmlns:w="{MAIN}"><w:comment w:author="Ann">{paragraph("Check.")}</w:comment></w:comments>'
    data = word_parts(paragraph("Sales rose."), footnotes=notes, comments=comments)
    assert parse_word(data, "a.docx").text == "Sales rose.\n\nNote: Audited.\nComment by Ann: Check."


def test_a_cell_merged_over_rows_stands_in_each() -> None:
    def cell(text: str, merge: str = "") -> str:
        return f"<w:tc><w:tcPr>{merge}</w:tcPr>{paragraph(text)}</w:tc>"

    first = cell("Europe", '<w:vMerge w:val="restart"/>') + cell("Bonn")
    second = cell("", "<w:vMerge/>") + cell("Rome")
    data = word_parts(f"<w:tbl><w:tr>{first}</w:tr><w:tr>{second}</w:tr></w:tbl>")
    assert bare(parse_word(data, "a.docx").text) == "Europe | Bonn\nEurope | Rome"


def test_a_fraction_keeps_its_line() -> None:
    formula = (
        "<m:oMath xmlns:m='m'><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:t>b</m:t></m:den></m:f></m:oMath>"
    )
    assert parse_word(word_parts(f"<w:p>{formula}</w:p>"), "a.docx").text == "a/b"


@pytest.mark.parametrize("data", [b"PK cut", zip_of({"word/document.xml": ""}), zip_of({"x": "y"})])
def test_a_package_without_a_document(data: bytes) -> None:
    with pytest.raises(UnreadableFile, match="damaged"):
        parse_word(data, "a.docx")


def test_who_made_it_and_when_is_told_apart_from_what_it_says() -> None:
    def signed(document: Any) -> None:
        document.add_paragraph("Minutes of the board.")
        document.core_properties.author = "Ann"
        document.core_properties.created = datetime(2024, 5, 6, 7, 8)

    document = parse_word(docx_of(signed), "a.docx")
    assert (document.author, document.made, document.date) == ("Ann", "2024-05-06", None)


def test_headings_that_are_typed_in_bold() -> None:
    def typed(document: Any) -> None:
        for text, is_bold in [
            ("Travel policy", True),
            ("1. Purpose", True),
            ("It says who may travel, how far, and who pays for it in the end. " * 3, False),
            ("1.2 Scope", True),
            ("Date: 3 March 2024", True),
            ("All of this holds.", True),
            ("It holds for everybody who travels for the company or in its name, wherever they go.", False),
        ]:
            document.add_paragraph().add_run(text).bold = is_bold

    text = parse_word(docx_of(typed), "a.docx").text
    assert [line for line in text.split("\n") if line.startswith("#")] == [
        "## Travel policy",
        "## 1. Purpose",
        "### 1.2 Scope",
    ]

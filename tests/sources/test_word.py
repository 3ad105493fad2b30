import io
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from masis.errors import UnreadableFile
from masis.sources.word import parse_word
from tests.sources.files import docx_of, docx_table


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
    assert document.text == (
        "# Board Memo\n\nDate: 24 February 2026\n\n## Budget\n\nThe budget in million dollars:\n\n"
        "Item | 2025 | 2026\nLaboratory | 3.9 | 2.9\n\n- Approved.\n- Signed.\n\n### Detail"
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

    assert parse_word(docx_of(merged), "a.docx").text == "wide |  | 2\n3 | 4 | 5"


def test_a_table_in_a_cell_is_that_cells_text() -> None:
    def nested(document: Any) -> None:
        table = document.add_table(1, 2)
        table.cell(0, 1).text = "right"
        inner = table.cell(0, 0).add_table(1, 2)
        inner.cell(0, 0).text, inner.cell(0, 1).text = "in", "ner"

    assert parse_word(docx_of(nested), "a.docx").text == "in ner | right"


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

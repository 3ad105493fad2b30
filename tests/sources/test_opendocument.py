import pytest

from masis.errors import UnreadableFile
from masis.sources.office.opendocument import parse_opendocument_presentation, parse_opendocument_text
from masis.sources.office.workbook import parse_workbook
from tests.sources.files import bare
from tests.sources.packages import zip_of

NAMES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "text", "table", "draw", "presentation", "style")
)
ODS = "application/vnd.oasis.opendocument.spreadsheet"


def odf_of(kind: str, body: str, *, styles: str = "", mimetype: str = "x", **others: str) -> bytes:
    content = (
        f"<office:document-content {NAMES}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    return zip_of({"mimetype": mimetype, "content.xml": content} | others)


def text_of(body: str, styles: str = "") -> str:
    return parse_opendocument_text(odf_of("text", body, styles=styles), "a.odt").text


def test_headings_stand_below_the_title() -> None:
    body = (
        '<text:p text:style-name="P1">Board Memo</text:p><text:p>Date: 24 February 2026</text:p>'
        '<text:h text:outline-level="1">Budget</text:h><text:p>It grew.</text:p>'
    )
    styles = '<style:style style:name="P1" style:parent-style-name="Title"/>'
    document = parse_opendocument_text(odf_of("text", body, styles=styles), "a.odt")
    assert document.text == "# Board Memo\n\nDate: 24 February 2026\n\n## Budget\n\nIt grew."
    assert (document.title, document.date) == ("Board Memo", "2026-02-24")


def test_lists_also_in_lists() -> None:
    inner = "<text:list><text:list-item><text:p>two</text:p></text:list-item></text:list>"
    body = f"<text:list><text:list-item><text:p>one</text:p>{inner}</text:list-item></text:list><text:p>after</text:p>"
    assert text_of(body) == "- one\n- two\n\nafter"


def test_blanks_tabs_and_line_ends() -> None:
    assert text_of('<text:p>a<text:s text:c="2"/>b<text:tab/>c<text:line-break/>d</text:p>') == "a  b\tc\nd"


def test_deleted_text_and_remarks_are_left_out() -> None:
    body = (
        "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>"
        "<text:p>kept<office:annotation><text:p>remark</text:p></office:annotation> here</text:p>"
    )
    assert text_of(body) == "kept here"


def test_a_footnote_follows_its_paragraph() -> None:
    body = "<text:note-body><text:p>Audited.</text:p></text:note-body>"
    note = f"<text:note><text:note-citation>1</text:note-citation>{body}</text:note>"
    assert text_of(f"<text:p>Sales rose{note} again.</text:p>") == "Sales rose[1] again.\n\nNote 1: Audited."


def test_a_text_box_is_read() -> None:
    box = "<draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box></draw:frame>"
    assert text_of(f"<text:p>{box}around</text:p>") == "around\n\nboxed"


def test_a_table_with_merged_cells() -> None:
    def row(*cells: str) -> str:
        return f"<table:table-row>{''.join(cells)}</table:table-row>"

    def cell(text: str, attributes: str = "") -> str:
        return f"<table:table-cell {attributes}><text:p>{text}</text:p></table:table-cell>"

    covered = "<table:covered-table-cell/>"
    body = "<table:table>{}{}{}</table:table>".format(
        f"<table:table-header-rows>{row(cell('Region'), cell('City'))}</table:table-header-rows>",
        row(cell("Europe", 'table:number-rows-spanned="2"'), cell("Bonn")),
        row(covered, cell("Rome")),
    )
    assert bare(text_of(body)) == "Region | City\nEurope | Bonn\nEurope | Rome"


def test_slides_with_notes() -> None:
    def frame(kind: str, text: str) -> str:
        box = f"<draw:text-box><text:p>{text}</text:p></draw:text-box>"
        return f'<draw:frame presentation:class="{kind}">{box}</draw:frame>'

    notes = f"<presentation:notes>{frame('notes', 'Say it slowly.')}</presentation:notes>"
    body = f"<draw:page>{frame('outline', 'Body')}{frame('title', 'Plan')}{notes}</draw:page><draw:page/>"
    document = parse_opendocument_presentation(odf_of("presentation", body), "a.odp")
    assert [(page.label, page.text) for page in document.pages] == [
        ("slide 1", "# Plan\n\nBody\n\nNotes: Say it slowly."),
        ("slide 2", ""),
    ]
    assert document.title == "Plan"


def test_a_spreadsheet_shows_what_the_reader_sees() -> None:
    def cell(text: str, attributes: str = "") -> str:
        return f"<table:table-cell {attributes}><text:p>{text}</text:p></table:table-cell>"

    date = cell("24.02.26", 'office:value-type="date" office:date-value="2026-02-24"')
    share = cell("25 %", 'office:value-type="percentage" office:value="0.25"')
    rows = (
        f"<table:table-row>{cell('Day')}{cell('Share')}</table:table-row>"
        f"<table:table-row>{date}{share}"
        '<table:table-cell table:number-columns-repeated="16382"/></table:table-row>'
        '<table:table-row table:number-rows-repeated="1048574"><table:table-cell/></table:table-row>'
    )
    body = f'<table:table table:name="Shares">{rows}</table:table>'
    document = parse_workbook(odf_of("spreadsheet", body, mimetype=ODS), "a.ods")
    assert [(page.label, bare(page.text)) for page in document.pages] == [
        ("sheet Shares", "# Shares\n\nDay | Share\n2026-02-24 | 25 %")
    ]


def test_a_spreadsheet_that_repeats_a_cell_for_ever_ends() -> None:
    cell = '<table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell>'
    rows = f'<table:table-row table:number-rows-repeated="1048576">{cell}</table:table-row>' * 30
    document = parse_workbook(
        odf_of("spreadsheet", f'<table:table table:name="S">{rows}</table:table>', mimetype=ODS), "a"
    )
    assert not document.pages
    assert "million times" in document.notes[0]


def test_an_encrypted_document() -> None:
    manifest = "<manifest><file-entry><encryption-data/></file-entry></manifest>"
    with pytest.raises(UnreadableFile, match="encrypted or password-protected"):
        parse_opendocument_text(odf_of("text", "", **{"META-INF/manifest.xml": manifest}), "a.odt")


@pytest.mark.parametrize("data", [b"not a zip", zip_of({"mimetype": "x"}), zip_of({"content.xml": ""})])
def test_damaged_documents(data: bytes) -> None:
    with pytest.raises(UnreadableFile, match="damaged"):
        parse_opendocument_text(data, "a.odt")


def test_a_document_of_another_kind() -> None:
    with pytest.raises(UnreadableFile, match="not an OpenDocument presentation"):
        parse_opendocument_presentation(odf_of("text", "<text:p>x</text:p>"), "a.odp")


def test_what_follows_an_error_in_the_xml_is_kept() -> None:
    assert text_of("<text:p>before</text:p><text:p>a &amp; b &broken; c</text:p>").startswith("before\n\na & b")

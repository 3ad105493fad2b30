import pytest

from masis.errors import UnreadableFile
from masis.sources.office.workbook import parse_workbook
from tests.sources.compound_files import compound_of, workbook_of
from tests.sources.files import bare
from tests.sources.packages import MAIN, relations, sheet_rows, text_cell, xlsx_parts, zip_of


def number_cell(place: str, value: str, style: int = 0) -> str:
    return f'<c r="{place}" s="{style}"><v>{value}</v></c>'


TABLE = sheet_rows(
    text_cell("B1", "Year") + text_cell("C1", "Sales"),
    number_cell("B2", "2024") + number_cell("C2", "0.30000000000000004"),
    number_cell("B3", "2025") + number_cell("C3", "12.0"),
)


def test_a_page_for_each_sheet_under_its_name() -> None:
    document = parse_workbook(zip_of(xlsx_parts({"Revenue": TABLE, "Sheet2": TABLE})), "a.xlsx")
    assert [(page.number, page.label) for page in document.pages] == [(1, "sheet Revenue"), (2, "sheet Sheet2")]
    assert bare(document.pages[0].text) == "# Revenue\n\nYear | Sales\n2024 | 0.3\n2025 | 12"
    assert bare(document.pages[1].text) == "Year | Sales\n2024 | 0.3\n2025 | 12"


def test_a_date_is_written_as_iso() -> None:
    rows = sheet_rows(number_cell("A1", "45292", 1) + number_cell("B1", "45292.5", 1) + number_cell("C1", "45292"))
    assert bare(parse_workbook(zip_of(xlsx_parts({"Sheet1": rows})), "a.xlsx").text) == (
        "2024-01-01 | 2024-01-01 12:00:00 | 45292"
    )


def test_a_share_is_written_in_per_cent() -> None:
    rows = sheet_rows("", number_cell("B2", "0.07", 2) + number_cell("C2", "0.12345", 3) + number_cell("D2", "0.5"))
    assert bare(parse_workbook(zip_of(xlsx_parts({"Sheet1": rows})), "a.xlsx").text) == "7% | 12.3% | 0.5"


def test_tables_on_one_sheet_are_kept_apart_and_a_header_with_its_figures() -> None:
    rows = sheet_rows(
        text_cell("A1", "Zones"),
        "",
        text_cell("A3", "Zone") + text_cell("D3", "Sales"),
        "",
        text_cell("A5", "North") + number_cell("D5", "12"),
        "",
        text_cell("C7", "Key") + text_cell("D7", "Meaning"),
        text_cell("C8", "n") + text_cell("D8", "none"),
    )
    assert bare(parse_workbook(zip_of(xlsx_parts({"Sheet1": rows})), "a.xlsx").text) == (
        "Zones\n\nZone | Sales\nNorth | 12\n\nKey | Meaning\nn | none"
    )


def test_a_cell_merged_over_rows_stands_in_each() -> None:
    rows = sheet_rows(text_cell("A1", "Europe") + text_cell("B1", "Bonn"), text_cell("B2", "Rome"))
    rows += '<mergeCells count="1"><mergeCell ref="A1:A2"/></mergeCells>'
    assert bare(parse_workbook(zip_of(xlsx_parts({"Sheet1": rows})), "a.xlsx").text) == "Europe | Bonn\nEurope | Rome"


def test_a_header_merged_over_columns_names_each_of_them() -> None:
    rows = sheet_rows(
        text_cell("A1", "Item") + text_cell("B1", "Year ended"),
        number_cell("B2", "2024") + number_cell("C2", "2025"),
        text_cell("A3", "Sales") + number_cell("B3", "1.5") + number_cell("C3", "2.5"),
        text_cell("A4", "A note over all"),
    )
    rows += '<mergeCells count="2"><mergeCell ref="B1:C1"/><mergeCell ref="A4:C4"/></mergeCells>'
    text = parse_workbook(zip_of(xlsx_parts({"Sheet1": rows})), "a.xlsx").text
    assert "| Item | Year ended 2024 | Year ended 2025 |\n|---|---|---|\n| Sales | 1.5 | 2.5 |" in text
    assert text.count("A note over all") == 1


def test_tables_side_by_side_are_two_and_a_gap_inside_one_is_none() -> None:
    def row(number: int, *cells: str) -> str:
        return "".join(
            text_cell(f"{column}{number}", cell) for column, cell in zip("ABCDEF", cells, strict=False) if cell
        )

    rows = sheet_rows(
        row(1, "City", "Sales", "", "Product", "Price"),
        row(2, "Bonn", "1", "", "Cup", "7"),
        row(3, "Rome", "2", "", "Pan", "8"),
        "",
        row(5, "Item", "2024", "", "2025"),
        row(6, "Rent", "3", "", "4"),
        row(7, "Wages", "5", "", "6"),
    )
    assert bare(parse_workbook(zip_of(xlsx_parts({"Sheet1": rows})), "a.xlsx").text) == (
        "City | Sales\nBonn | 1\nRome | 2\n\nProduct | Price\nCup | 7\nPan | 8\n\n"
        "Item | 2024 | 2025\nRent | 3 | 4\nWages | 5 | 6"
    )


def test_a_chart_is_a_table_below_the_cells() -> None:
    point = '<c:pt idx="0"><c:v>{}</c:v></c:pt>'
    series = "".join(
        f"<c:{part}>{point.format(value)}</c:{part}>" for part, value in (("tx", "Cups"), ("cat", "2024"), ("val", "7"))
    )
    name = 'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
    parts = xlsx_parts({"Sheet1": TABLE}) | {
        "xl/worksheets/_rels/sheet1.xml.rels": relations(("d", "drawing", "../drawings/drawing1.xml")),
        "xl/drawings/drawing1.xml": "<x/>",
        "xl/drawings/_rels/drawing1.xml.rels": relations(("c", "chart", "../charts/chart1.xml")),
        "xl/charts/chart1.xml": f"<c:chartSpace {name}><c:ser>{series}</c:ser></c:chartSpace>",
    }
    text = bare(parse_workbook(zip_of(parts), "a.xlsx").text)
    assert text == "Year | Sales\n2024 | 0.3\n2025 | 12\n\n | Cups\n2024 | 7"


def test_a_conversation_says_who_wrote_and_when() -> None:
    said = (
        '<ThreadedComments><threadedComment ref="B2" dT="2026-06-18T17:12:37.41" personId="{1}" id="{a}">'
        "<text>Low?</text>"
        '</threadedComment><threadedComment ref="B2" personId="{2}" parentId="{a}"><text>Yes</text></threadedComment>'
        "</ThreadedComments>"
    )
    repeated = (
        f'<comments xmlns="{MAIN}"><commentList><comment ref="B2" authorId="0"><text><t>[Threaded comment]\n'
        "Comment:\n  Low?</t></text></comment></commentList></comments>"
    )
    parts = xlsx_parts({"Sheet1": TABLE}) | {
        "xl/comments1.xml": repeated,
        "xl/threadedComments/t.xml": said,
        "xl/persons/person.xml": '<personList><person displayName="Ann" id="{1}"/></personList>',
        "xl/worksheets/_rels/sheet1.xml.rels": relations(
            ("c", "comments", "../comments1.xml"), ("t", "threadedComment", "../threadedComments/t.xml")
        ),
    }
    assert parse_workbook(zip_of(parts), "a.xlsx").text.endswith(
        "\n\nComment on B2 by Ann, 2026-06-18 17:12: Low?\nReply on B2: Yes"
    )


def test_comments_follow_the_cells() -> None:
    comments = (
        f'<comments xmlns="{MAIN}"><authors><author>Ann</author><author>tc={{1}}</author></authors><commentList>'
        '<comment ref="B2" authorId="0"><text><r><t>Restated </t></r><r><t>twice</t></r></text></comment>'
        '<comment ref="C2" authorId="1"><text><t>[Threaded comment]\nOld.\nComment:\n  Why?</t></text></comment>'
        "</commentList></comments>"
    )
    parts = xlsx_parts({"Sheet1": TABLE}) | {
        "xl/comments1.xml": comments,
        "xl/worksheets/_rels/sheet1.xml.rels": relations(("c", "comments", "../comments1.xml")),
    }
    assert parse_workbook(zip_of(parts), "a.xlsx").text.endswith(
        "\n\nComment on B2 by Ann: Restated twice\nComment on C2: Why?"
    )


def test_a_sheet_as_large_as_excel_allows_is_left_out_and_named() -> None:
    vast = sheet_rows(text_cell("A1", "x")).replace(
        "</sheetData>", f'<row r="1048576">{text_cell("XFD1048576", "y")}</row></sheetData>'
    )
    document = parse_workbook(zip_of(xlsx_parts({"Vast": vast, "Small": TABLE})), "a.xlsx")
    assert [page.label for page in document.pages] == ["sheet Small"]
    assert "Vast" in document.notes[0]
    with pytest.raises(UnreadableFile, match="20 million cells"):
        parse_workbook(zip_of(xlsx_parts({"Vast": vast})), "a.xlsx")


def test_an_empty_workbook_has_no_pages() -> None:
    assert not parse_workbook(zip_of(xlsx_parts({"Sheet1": "<sheetData/>"})), "a.xlsx").pages


def test_old_excel() -> None:
    cells = [(0, 0, "Jahr"), (0, 1, "Größe"), (1, 0, 2024.0), (1, 1, 12.5)]
    document = parse_workbook(workbook_of("Umsätze", cells), "a.xls")
    assert bare(document.text) == "# Umsätze\n\nJahr | Größe\n2024 | 12.5"
    assert document.pages[0].label == "sheet Umsätze"


@pytest.mark.parametrize(
    "data", [workbook_of("S", [(0, 0, "x")], password=True), compound_of({"EncryptedPackage": b"x" * 5000})]
)
def test_a_password(data: bytes) -> None:
    with pytest.raises(UnreadableFile, match="password") as error:
        parse_workbook(data, "a.xls")
    assert "without a password" in error.value.advice


@pytest.mark.parametrize(
    "data",
    [
        b"PK\x03\x04 cut off",
        zip_of({"xl/workbook.xml": "<workbook"}),
        zip_of({"other": "x"}),
        compound_of({"WordDocument": b"x"}),
        workbook_of("S", [(0, 0, "x")])[:1500],
    ],
)
def test_damaged_workbooks(data: bytes) -> None:
    with pytest.raises(UnreadableFile, match="damaged"):
        parse_workbook(data, "a.xlsx")


def test_one_damaged_sheet_does_not_lose_the_others() -> None:
    parts = xlsx_parts({"Good": TABLE, "Bad": TABLE}) | {"xl/worksheets/sheet2.xml": "<worksheet><sheetData><row"}
    document = parse_workbook(zip_of(parts), "a.xlsx")
    assert [page.label for page in document.pages] == ["sheet Good"]
    assert document.notes == ["Sheet Bad is damaged and was left out."]

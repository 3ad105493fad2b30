"""Documents as people made them: reports, filings, office files and mails, read as a person reads them.

Our own files are always here; those of the public data sets where these lie beside the repository.
"""

from pathlib import Path

import pytest

from evals.tables import shared_data
from masis.knowledge.ingestion.chunking import chunk_document
from masis.language.statements import statements
from masis.settings import Settings
from masis.sources import parse
from masis.sources.blocks import blocks_of, read_table
from masis.sources.dates import dated
from masis.types import Chunk, ParsedDocument

OWN = Path(__file__).parents[2] / "examples" / "tolmerick"
FORMATS, FILINGS = shared_data("formats"), shared_data("kgrag_sec10q")
REAL = sorted(path for path in OWN.iterdir() if path.is_file()) + (
    sorted((FORMATS / "good").iterdir()) if FORMATS else []
)
needs_formats = pytest.mark.skipif(FORMATS is None, reason="the data set is not at ../shared/data/formats")
needs_filings = pytest.mark.skipif(FILINGS is None, reason="the data set is not at ../shared/data/kgrag_sec10q")


def real(name: str) -> ParsedDocument:
    assert FORMATS
    return parse((FORMATS / "good" / name).read_bytes(), name)


@pytest.fixture(scope="module")
def filing() -> ParsedDocument:
    assert FILINGS
    name = "2022 Q3 AAPL.pdf"
    return dated(parse((FILINGS / "docs" / name).read_bytes(), name), name)


@pytest.fixture(scope="module")
def passages(filing: ParsedDocument) -> list[Chunk]:
    return chunk_document(filing, "filing", "2022 Q3 AAPL.pdf", Settings())


@pytest.mark.parametrize("path", REAL, ids=[path.name for path in REAL])
def test_blocks_follow_each_other_and_cells_are_exact(path: Path) -> None:
    for page in parse(path.read_bytes(), path.name).pages:
        end = 0
        for block in blocks_of(page):
            assert end <= block.start < block.end <= len(page.text)
            assert not page.text[end : block.start].strip()
            end = block.end
            for row in read_table(page.text, block).rows if block.kind == "table" else ():
                assert all("|" not in page.text[first:last].replace("\\|", "") for first, last in row)
        assert not page.text[end:].strip()


def test_tables_of_the_sample_are_tables() -> None:
    report = parse((OWN / "annual-report-2025.pdf").read_bytes(), "annual-report-2025.pdf")
    page = report.pages[2]
    statement = next(block for block in page.blocks if "Income statement" in page.text[block.start : block.end])
    table = read_table(page.text, statement)
    assert table.caption == "Table 4: Income statement (in million US dollars)"
    assert table.header == ("Item", "Fiscal 2024", "Fiscal 2025")
    rows = [[page.text[first:last] for first, last in row] for row in table.rows]
    assert ["Research and development expense", "19.8", "22.7"] in rows


@needs_formats
def test_figures_alone_are_no_header() -> None:
    assert real("unstructured__all-number-table.pdf").text.startswith("|  |  |\n|---|---|\n| 200.01 | 1 |")


@needs_formats
def test_columns_in_a_script_without_small_letters() -> None:
    page = real("unstructured__korean-text-with-tables.pdf").pages[0]
    left, right = page.text.index("기프트/선불카드"), page.text.index("커피전문점·제과점·편의점")
    assert page.text.index("할인점·주유·온라인쇼핑몰") < left < right < page.text.index("삼성카드의 포인트는")


@needs_formats
def test_letters_that_are_read_from_the_right() -> None:
    assert "حَبيبي" in real("sample-files__habibi.pdf").text


@needs_formats
def test_a_report_behind_a_picture_is_dated_by_its_year() -> None:
    name = "unstructured__reliance.pdf"
    report = dated(real(name), name)
    assert (report.date, report.period, report.made) == ("2022-03-31", "year ended 2022-03-31", "2023-06-21")


@needs_formats
def test_a_designed_page_is_read_column_by_column() -> None:
    page = real("unstructured__reliance.pdf").pages[1].text
    assert "Big achievements follow if you dream big. Reliance is a proof of the power of dreams." in page
    assert "told in that book which has no final chapter and one which is continually updated" in page
    assert page.index("Shri Mukesh D. Ambani") < page.index("BY MARKET CAPITALISATION") < page.index("`17,81,841 crore")


@needs_formats
def test_lines_beside_a_large_heading_stay_lines() -> None:
    cover = real("unstructured__reliance.pdf").pages[0].text
    assert "For an inclusive ecosystem" in cover
    assert "For digital transformation" in cover


@needs_formats
def test_columns_and_a_table_without_rules() -> None:
    assert real("sample-files__multicolumn.pdf").title == "Two-Column Document with Lorem Ipsum"
    page = real("markitdown__SPARSE-2024-INV-1234_borderless_table.pdf").pages[0]
    table = read_table(page.text, next(block for block in page.blocks if block.kind == "table"))
    assert table.header[:3] == ("Product Code", "Location", "Expected")


@needs_filings
def test_running_lines_of_a_filing_are_in_no_passage(filing: ParsedDocument, passages: list[Chunk]) -> None:
    page = filing.pages[4]
    running = [page.text[block.start : block.end] for block in page.blocks if block.kind == "furniture"]
    assert "Apple Inc. | Q3 2022 Form 10-Q | 2" in running
    assert not any("Form 10-Q | 2" in chunk.text for chunk in passages)


@needs_filings
def test_passages_of_a_filing_stand_under_their_headings(filing: ParsedDocument, passages: list[Chunk]) -> None:
    products = next(chunk for chunk in passages if "Products and Services Performance" in (chunk.heading or chunk.text))
    assert "Item 2" in (products.heading or "")
    assert not [chunk for chunk in passages if chunk.text.startswith("#") and "\n" not in chunk.text]
    assert all(filing.text[chunk.start : chunk.end] == chunk.text for chunk in passages)


@needs_filings
def test_every_part_of_a_statement_has_its_header_and_unit(passages: list[Chunk]) -> None:
    tables = [chunk for chunk in passages if "| Total net sales" in chunk.text]
    assert tables
    for chunk in tables:
        shown = f"{chunk.heading} {chunk.text}"
        assert "June 25, 2022" in shown
        assert "millions" in shown


@needs_filings
def test_a_passage_has_one_id_however_often_the_file_is_read(filing: ParsedDocument, passages: list[Chunk]) -> None:
    again = chunk_document(filing, "filing", "2022 Q3 AAPL.pdf", Settings())
    assert [chunk.chunk_id for chunk in again] == [chunk.chunk_id for chunk in passages]


@needs_filings
def test_a_filing_is_called_and_dated_by_its_cover(filing: ParsedDocument) -> None:
    assert filing.title == "Apple Inc., FORM 10-Q"
    assert (filing.date, filing.period) == ("2022-06-25", "quarter ended 2022-06-25")


@needs_filings
def test_a_cover_and_a_signature_stay_lines(filing: ParsedDocument) -> None:
    cover, *_, signed = (page for page in filing.pages if page.number == 1 or "SIGNATURE" in page.text)
    tables = [cover.text[block.start : block.end] for block in blocks_of(cover) if block.kind == "table"]
    assert [table for table in tables if "Title of each class" in table] == tables
    assert "Large accelerated filer ☒ Accelerated filer ☐" in cover.text
    assert not [block for block in blocks_of(signed) if block.kind == "table"]
    assert not any(statement.is_row for statement in statements(signed.text))


@needs_formats
def test_a_form_is_read_in_pairs_and_its_totals_as_a_table() -> None:
    page = real("markitdown__REPAIR-2022-INV-001_multipage.pdf").pages[0]
    assert "Insured name: Gabriel Diaz\n\nClaim #: SF-1008" in page.text
    assert "Estimate Totals\n|  | Hours | Rate | Cost |" in page.text
    assert "| Sales Tax |  | 10.20% | 278.46 |" in page.text
    headings = [page.text[block.start : block.end] for block in page.blocks if block.kind == "heading"]
    assert not [heading for heading in headings if "Gabriel" in heading or "Color" in heading]


@needs_formats
def test_periods_over_the_columns_of_a_workbook() -> None:
    page = real("unstructured__2023-half-year-analyses-by-segment.xlsx").pages[1].text
    names = next(line for line in page.split("\n") if line.startswith("| In millions of CHF"))
    assert [cell.strip()[:17] for cell in names.split("|")[2:-1]] == ["January–June 2023"] * 2 + [
        "January–June 2022"
    ] * 2
    assert "| Zone NA | — | (9) | — | (285) |" in page


@needs_formats
def test_tables_of_a_presentation_and_what_is_said_to_it() -> None:
    first, second, *_ = real("docling__powerpoint_sample.pptx").pages
    assert "| R1 | True | False |" in first.text
    assert [block.kind for block in blocks_of(second)][-1] == "note"
    assert second.text.endswith("Notes: Some notes on the second slide.")


@needs_formats
def test_tables_beside_each_other_on_one_sheet() -> None:
    (page,) = real("docling__xlsx_07_gap_tolerance_.xlsx").pages
    assert [block.kind for block in blocks_of(page)].count("table") == 3


@needs_formats
def test_a_list_of_a_word_file_stays_with_the_sentence_above_it() -> None:
    name = "docling__word_sample.docx"
    passage = next(
        chunk for chunk in chunk_document(real(name), "a", name, Settings()) if "To get started" in chunk.text
    )
    assert "try not to drown:\n\n- You can relax and look around\n- Paddle about" in passage.text
    assert "1. Wear sunglasses\n2. Don’t forget to drink water" in passage.text
    levels = [(b.level, b.marker) for b in blocks_of(real("docling__unit_test_headers_numbered.docx").pages[0])]
    assert {level for level, marker in levels if marker} >= {1, 2, 3}


@needs_formats
def test_a_table_in_a_table_of_a_word_file() -> None:
    text = real("unstructured__docx-tables.docx").text
    assert "| d |  | i |" in text
    assert "| e | f |\n|---|---|\n| g&t | h |" in text


@needs_formats
def test_a_row_of_a_word_table_that_begins_late() -> None:
    text = real("docling__word_tables.docx").text
    assert "| Header 0.0 | Header 0.1 |\n|  | Cell 1.1 |" in text
    assert "| Header 0.0 | Header 0.1 | Merged Cell 0.2 1.2 |\n|---|---|---|\n|  |  | Merged Cell 0.2 1.2 |" in text


@needs_formats
def test_tables_inside_the_cells_of_a_web_page() -> None:
    text = real("docling__table_06.html").text
    assert "| A1 | B1 | C1 |\n|---|---|---|\n| D1 |  | F1 |" in text
    assert "| III | IV |\n| V |  |\n| VII | VIII |\n\nV\n" in text


@needs_formats
def test_tables_of_a_web_page_apart_from_its_layout() -> None:
    text = real("unstructured__example-10k-1p.html").text
    assert "| Title of each class | Trading symbol | Name of exchange on which registered |" in text
    assert "\nGalaxy Gaming, Inc.\n" in text
    assert text.startswith("☐ TRANSITION REPORT")
    assert "\nNevada\n" in text


@needs_formats
@pytest.mark.parametrize(
    ("name", "author", "day", "attached"),
    [
        ("unstructured__fake-email-attachment.eml", "Mallori Harrell", "2022-12-23", ["fake-attachment.txt"]),
        ("docling__msg_with_attachment.msg", "Alice Example", "2026-05-20", ["test.txt", "report.pdf"]),
    ],
)
def test_the_fields_of_a_mail_are_apart_from_its_body(name: str, author: str, day: str, attached: list[str]) -> None:
    mail = real(name)
    assert (mail.author or "").startswith(author)
    assert mail.date == day
    assert [member.name for member in mail.members] == attached
    fields, *body = blocks_of(mail.pages[0])
    text = mail.pages[0].text
    assert fields.kind == "note"
    assert text[fields.start : fields.end].endswith(f"Attachments: {', '.join(attached)}")
    assert not any("Subject:" in text[block.start : block.end] for block in body)

"""Documents as people made them: reports, filings, office files and mails, read as a person reads them.

Our own files are always here; those of the public data sets where these lie beside the repository.
"""

import io
import re
from functools import cache
from itertools import pairwise
from pathlib import Path

import pypdfium2
import pytest

from evals.tables import shared_data
from masis.knowledge.ingestion.chunking import chunk_document
from masis.knowledge.ingestion.layout import section_of
from masis.language.statements import statements
from masis.settings import Settings
from masis.sources import parse
from masis.sources.blocks import blocks_of, read_table
from masis.sources.dates import dated
from masis.types import PAGE_BREAK, Chunk, Page, ParsedDocument

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


@cache
def parsed(path: Path) -> ParsedDocument:
    return parse(path.read_bytes(), path.name)


def pages_of(name: str, *numbers: int) -> pypdfium2.PdfDocument:
    """Those of a filing, as a file of their own."""
    assert FILINGS
    pages = pypdfium2.PdfDocument.new()
    pages.import_pages(pypdfium2.PdfDocument(FILINGS / "docs" / name), list(numbers))
    return pages


def read(document: pypdfium2.PdfDocument) -> list[Page]:
    buffer = io.BytesIO()
    document.save(buffer)
    return parse(buffer.getvalue(), "a.pdf").pages


def rows_of(page: Page) -> list[list[str]]:
    tables = [read_table(page.text, block) for block in page.blocks if block.kind == "table"]
    return [[page.text[first:last] for first, last in row] for table in tables for row in table.rows]


def headings_of(page: Page) -> list[str]:
    return [page.text[block.start : block.end].lstrip("# ") for block in page.blocks if block.kind == "heading"]


@pytest.fixture(scope="module")
def filing() -> ParsedDocument:
    assert FILINGS
    name = "2022 Q3 AAPL.pdf"
    return dated(parse((FILINGS / "docs" / name).read_bytes(), name), name)


@pytest.fixture(scope="module")
def amazon() -> ParsedDocument:
    assert FILINGS
    return parse((FILINGS / "docs" / "2022 Q3 AMZN.pdf").read_bytes(), "2022 Q3 AMZN.pdf")


@pytest.fixture(scope="module")
def passages(filing: ParsedDocument) -> list[Chunk]:
    return chunk_document(filing, "filing", "2022 Q3 AAPL.pdf", Settings())


@pytest.mark.parametrize("path", REAL, ids=[path.name for path in REAL])
def test_blocks_follow_each_other_and_cells_are_exact(path: Path) -> None:
    for page in parsed(path).pages:
        end = 0
        for block in blocks_of(page):
            assert end <= block.start < block.end <= len(page.text)
            assert not page.text[end : block.start].strip()
            end = block.end
            if path.suffix == ".pdf":
                assert block.box is not None
                assert 0 <= block.box[0] < block.box[2] <= 1
                assert 0 <= block.box[1] < block.box[3] <= 1
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

    tables = [page.text[block.start : block.end] for block in page.blocks if block.kind == "table"]
    assert [table.split("\n")[0] for table in tables] == ["| 업종 | 적립 대상 |"] * 2
    assert "| 주유 | 모든 주유소 |" in tables[0]
    assert "| 제과점 | 파리바게뜨, 뚜레쥬르 |" in tables[1]


@needs_formats
def test_a_bold_numbered_line_of_the_texts_own_size_is_a_heading() -> None:
    paper = real("markitdown__test.pdf").pages[0]
    headings = [paper.text[block.start : block.end] for block in paper.blocks if block.kind == "heading"]
    assert headings == ["## 1 Introduction"]


@needs_filings
def test_a_report_set_smaller_than_its_exhibits_has_its_headings() -> None:
    assert FILINGS
    filing = parse((FILINGS / "docs" / "2023 Q1 AAPL.pdf").read_bytes(), "a.pdf")
    found = [
        page.text[b.start : b.end].lstrip("# ") for page in filing.pages for b in page.blocks if b.kind == "heading"
    ]
    wanted = ["Note 2 – Revenue", "Segment Operating Performance", "Products and Services Performance", "Gross Margin"]
    assert [heading for heading in found if heading in wanted] == wanted


@needs_formats
def test_letters_that_are_read_from_the_right() -> None:
    assert "حَبيبي" in real("sample-files__habibi.pdf").text


@needs_formats
def test_a_report_behind_a_picture_is_dated_by_its_year() -> None:
    name = "unstructured__reliance.pdf"
    report = dated(real(name), name)
    assert (report.date, report.period, report.made) == ("2022-03-31", "year ended 2022-03-31", "2023-06-21")


@needs_formats
@pytest.mark.parametrize(
    ("name", "day"),
    [
        # Begun in 2011 and filled in again every half-year.
        ("unstructured__2023-half-year-analyses-by-segment.xlsx", "2023"),
        # Only the empty file that Excel, python-docx or python-pptx began with says 2015 and 2013.
        ("markitdown__test.xlsx", "2024-03-15"),
        ("unstructured__fake.docx", None),
        ("docling__powerpoint_malformed_pictures.pptx", None),
        ("docling__word_sample.docx", "2024-10-15"),
    ],
)
def test_an_office_file_is_not_dated_by_the_one_it_began_as(name: str, day: str | None) -> None:
    assert dated(real(name), name.partition("__")[2]).date == day


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


@pytest.mark.parametrize("path", REAL, ids=[path.name for path in REAL])
def test_a_heading_is_never_a_passage_of_its_own(path: Path) -> None:
    chunks = chunk_document(parsed(path), "a", path.name, Settings())
    bodies = [
        [line for line in chunk.text.split("\n") if line.strip() and not line.startswith("#")] for chunk in chunks
    ]
    assert all(bodies) or not any(bodies), "a document may be nothing but titles"


@needs_filings
def test_the_whole_section_of_a_passage_of_a_filing(filing: ParsedDocument, passages: list[Chunk]) -> None:
    passage = next(chunk for chunk in passages if "| iPhone (1)" in chunk.text)
    section = section_of(filing, passage)
    assert (section.heading or "").endswith("Results of Operations > Products and Services Performance")
    assert section.text == filing.text[section.start : section.end]
    assert section.text.lstrip("# ").startswith("Products and Services Performance")
    own = [chunk for chunk in passages if section.start <= chunk.start < section.end]
    assert passage in own


@needs_filings
def test_a_name_that_begins_small_may_be_a_heading(filing: ParsedDocument) -> None:
    text = filing.pages[17].text
    assert "\n###### iPhone\n\niPhone net sales increased during the third quarter" in text
    assert "\n###### iPad\n\niPad net sales decreased" in text


@needs_filings
def test_a_statement_is_not_cut_by_the_line_that_heads_its_lower_half(
    filing: ParsedDocument, passages: list[Chunk]
) -> None:
    sheet = filing.pages[5]
    assert [block.kind for block in sheet.blocks].count("table") == 1
    assert "# LIABILITIES AND SHAREHOLDERS" not in sheet.text
    cuts = [chunk for chunk in passages if "| Total liabilities " in chunk.text]
    assert cuts
    assert all("millions" in f"{chunk.heading} {chunk.text}" for chunk in cuts)


@needs_filings
def test_tables_under_one_sentence_have_its_unit(passages: list[Chunk]) -> None:
    """“The following tables show … (in millions):”, and each has a heading of its own."""
    details = [c for c in passages if "| Gross property, plant" in c.text or "| Long-term taxes payable" in c.text]
    assert details
    assert all("(in millions)" in f"{chunk.heading} {chunk.text}" for chunk in details)


@needs_filings
@pytest.mark.parametrize(("name", "number"), [("2022 Q3 AMZN.pdf", 30), ("2023 Q2 AAPL.pdf", 11)])
def test_a_table_has_the_unit_that_the_page_before_gives(name: str, number: int) -> None:
    pages = read(pages_of(name, *range(number)))
    chunks = chunk_document(ParsedDocument(pages), "f", name, Settings())
    first = next(chunk for chunk in chunks if chunk.page == number and chunk.text.startswith("|"))
    assert "million" not in first.text
    assert "(in millions" in (first.heading or "")


@needs_filings
@pytest.mark.parametrize(("name", "pages"), [("2022 Q3 AMZN.pdf", (23, 25)), ("2023 Q2 AMZN.pdf", (25,))])
def test_no_cell_of_a_filing_has_two_amounts(name: str, pages: tuple[int, ...]) -> None:
    two = re.compile(r"\|\s*\$?[\d,]{5,}\s+\$?[\d,]{5,}\s*\|")
    rows = [row for page in read(pages_of(name, *pages)) for row in page.text.splitlines() if row.startswith("|")]
    assert rows
    assert not [row for row in rows if two.search(row)]


@needs_filings
def test_a_short_section_of_a_filing_is_one_passage(filing: ParsedDocument, passages: list[Chunk]) -> None:
    offset, sections = 0, []
    for page in filing.pages:
        starts = [offset + block.start for block in page.blocks if block.kind == "heading"]
        sections += list(pairwise(starts))
        offset += len(page.text) + len(PAGE_BREAK)
    short = [(a, b) for a, b in sections if 100 < b - a < Settings().chunk_chars]
    cut = [(a, b) for a, b in short if sum(chunk.start < b - 3 and a < chunk.end for chunk in passages) > 1]
    assert len(short) > 20
    assert [filing.text[a:b] for a, b in cut] == []


@needs_filings
def test_a_statement_with_headings_inside_and_labels_over_two_lines(amazon: ParsedDocument) -> None:
    page = amazon.pages[2]
    table = read_table(page.text, next(block for block in page.blocks if block.kind == "table"))
    assert table.unit.startswith("(in millions)")
    assert table.header[1:3] == ("Three Months Ended September 30, 2021", "Three Months Ended September 30, 2022")
    rows = {page.text[slice(*row[0])]: [page.text[a:b] for a, b in row[1:]] for row in table.rows}
    assert rows["INVESTING ACTIVITIES:"] == [""] * 6
    assert rows["Net income (loss)"][:4] == ["3,156", "2,872", "19,041", "(3,000)"]
    wrapped = next(label for label in rows if label.startswith("Depreciation and amortization"))
    assert wrapped.endswith("equipment and capitalized content costs, operating lease assets, and other")
    assert rows[wrapped][0] == "8,948"


@needs_filings
@pytest.mark.parametrize("share", [0.35, 0.5, 0.65])
def test_a_statement_continued_on_the_next_page(share: float) -> None:
    """No filing here has one: a page of a real one is cut across."""
    (whole,) = read(pages_of("2022 Q3 AMZN.pdf", 2))
    cut = pages_of("2022 Q3 AMZN.pdf", 2, 2)
    width, height = cut[0].get_size()
    cut[0].set_cropbox(0, share * height, width, height)
    cut[1].set_cropbox(0, 0, width, share * height)
    above, below = read(cut)

    tables = [next(block for block in page.blocks if block.kind == "table") for page in (above, below)]
    assert [table.is_continued for table in tables] == [False, True]
    headers = [read_table(page.text, table).header for page, table in zip((above, below), tables, strict=True)]
    assert headers[0] == headers[1]
    assert headers[0][1] == "Three Months Ended September 30, 2021"
    assert rows_of(above) + rows_of(below) == rows_of(whole)
    assert len(rows_of(whole)) > 30


@needs_filings
def test_footnote_marks_of_a_statement_belong_to_their_rows_and_names(filing: ParsedDocument) -> None:
    page = next(page for page in filing.pages if "Wearables, Home and Accessories (1)(2)" in page.text)
    rows = {label: values for label, *values in rows_of(page)}
    assert rows["Wearables, Home and Accessories (1)(2)"] == ["8,084", "8,775", "31,591", "29,582"]
    assert rows["Services (3)"] == ["19,604", "17,486", "58,941", "50,148"]
    notes = [page.text[block.start : block.end] for block in page.blocks if block.kind == "note"]
    assert [note[:12] for note in notes[:4]] == ["(1) Products", "(2) Wearable", "(3) Services", "(4) Includes"]


@needs_filings
def test_footnote_marks_in_the_names_of_columns(amazon: ParsedDocument) -> None:
    page = next(page for page in amazon.pages if "| Maturities (1) |" in page.text)
    table = next(b for b in page.blocks if "| Maturities (1) |" in page.text[b.start : b.end])
    assert read_table(page.text, table).header[1:3] == ("Maturities (1)", "Stated Interest Rates")
    notes = [page.text[block.start : block.end] for block in page.blocks if block.kind == "note"]
    assert [note[:39] for note in notes] == ["(1) The weighted-average remaining lives"[:39]]


@needs_filings
@pytest.mark.parametrize("angle", [90, 270])
@pytest.mark.parametrize("number", [3, 8])
def test_statements_printed_sideways(number: int, angle: int) -> None:
    """No file here has one: a page of a real filing is printed so."""
    upright = pages_of("2022 Q3 AAPL.pdf", number)
    width, height = upright[0].get_size()
    sideways = pypdfium2.PdfDocument.new()
    printed = upright.page_as_xobject(0, sideways).as_pageobject()
    moved = (0, width) if angle == 90 else (height, 0)
    printed.set_matrix(pypdfium2.PdfMatrix().rotate(angle).translate(*moved))
    page = sideways.new_page(height, width)
    page.insert_obj(printed)
    page.gen_content()
    assert read(sideways)[0].text == read(upright)[0].text
    assert len(rows_of(read(sideways)[0])) > 5
    # As the program that made it shows it upright.
    page.set_rotation(360 - angle)
    assert read(sideways)[0].text == read(upright)[0].text


@needs_filings
def test_bold_lines_of_a_cover_that_head_nothing(filing: ParsedDocument, amazon: ParsedDocument) -> None:
    government = ["UNITED STATES", "SECURITIES AND EXCHANGE COMMISSION", "FORM 10-Q"]
    assert headings_of(filing.pages[0]) == [*government, "Apple Inc."]
    assert headings_of(amazon.pages[0]) == [*government, "AMAZON.COM, INC."]
    assert "\n\nOne Apple Park Way\n\nCupertino, California 95014\n\n" in filing.pages[0].text
    assert "\n\nFor the quarterly period ended September 30, 2022 or\n\n" in amazon.pages[0].text
    assert "\n\nCommission File No. 000-22513\n\n" in amazon.pages[0].text


@needs_filings
def test_names_of_columns_head_no_section() -> None:
    """Of a table of one row, which stays lines; the bold names are as large as the text of these pages."""
    cover = read(pages_of("2022 Q3 NVDA.pdf", *range(6)))[0]
    assert "Title of each class Trading Symbol(s) Name of each exchange on which registered" in cover.text
    assert not [heading for heading in headings_of(cover) if "Trading Symbol" in heading or heading == "OR"]


@needs_filings
def test_a_sentence_of_a_filing_goes_on_over_the_page(amazon: ParsedDocument) -> None:
    before, page = amazon.pages[7:9]
    first, second = (block for block in page.blocks[:2])
    assert (first.kind, second.kind, second.is_continued) == ("furniture", "paragraph", True)
    last = [block for block in before.blocks if block.kind == "paragraph"][-1]
    whole = f"{before.text[last.start : last.end]} {page.text[second.start : second.end]}"
    assert "We elected the fair value option to account for our equity investment in Rivian" in whole


@needs_formats
def test_words_broken_at_the_end_of_a_line_are_whole() -> None:
    text = real("sample-files__multicolumn.pdf").text
    assert not re.findall(r"\w-\s\w", text)
    assert "Curabitur dictum gravida mauris" in text


@needs_filings
def test_lists_of_a_filing_stay_with_the_sentence_that_introduces_them(amazon: ParsedDocument) -> None:
    chunks = chunk_document(amazon, "a", "2022 Q3 AMZN.pdf", Settings())
    introduced = 0
    offset = 0
    for page in amazon.pages:
        for above, item in pairwise(blocks_of(page)):
            if above.kind == "paragraph" and item.kind == "item" and page.text[above.start : above.end].endswith(":"):
                introduced += 1
                words = page.text[above.start : above.end][-40:]
                passage = next(chunk for chunk in chunks if chunk.start <= offset + item.start < chunk.end)
                assert words in passage.text or words in (passage.heading or "")
        offset += len(page.text) + len(PAGE_BREAK)
    assert introduced


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
def test_a_contents_page_stays_lines(filing: ParsedDocument) -> None:
    contents = next(page for page in filing.pages if "TABLE OF CONTENTS" in page.text)
    assert not [block for block in blocks_of(contents) if block.kind == "table"]
    assert "\nItem 4. Controls and Procedures 19\n" in contents.text


@needs_formats
def test_a_contents_page_in_columns_with_the_numbers_first_stays_lines() -> None:
    page = real("unstructured__reliance.pdf").pages[2]
    blocks = {page.text[block.start : block.end]: block.kind for block in page.blocks}
    assert "table" not in blocks.values()
    titles = [
        "2 Reliance at a Glance",
        "8 Chairman and Managing Director's Statement",
        "44 Financial Performance and Review",
    ]
    assert [blocks.get(title) for title in [*titles, "266 Board’s Report"]] == ["paragraph"] * 4
    assert "The Reliance Integrated Annual Report has been prepared in alignment with" in page.text


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
    assert second.text.startswith("# Second slide title\n\nLet’s introduce a list\n- With foo\n- Bar")
    assert second.text.endswith("with this text inside.\n\nNotes: Some notes on the second slide.")


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
def test_headings_of_a_word_file_that_are_only_bold() -> None:
    (page,) = real("unstructured__handbook-1p.docx").pages
    headings = [page.text[block.start : block.end] for block in blocks_of(page) if block.kind == "heading"]
    assert headings == ["## CHAPTER 1", "## INTRODUCTION"]


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

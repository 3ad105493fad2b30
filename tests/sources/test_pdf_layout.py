"""What a page's layout says: columns, lists, headings, running lines, and tables with and without rules."""

import io
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BalancedColumns, ListFlowable, ListItem, PageBreak, Paragraph, SimpleDocTemplate, Table

from evals.eval_layout import lost_words
from evals.layout_prints import Chromium
from evals.tables import shared_data
from masis.sources.blocks import read_table
from masis.sources.pdf.text import parse_pdf
from masis.types import Block, Page
from tests.sources.files import STYLES, heading, pdf_of
from tests.support.browser import program

FILINGS = shared_data("kgrag_sec10q")
FORMATS = shared_data("formats")
PROSE = "The company reports its results by region and reviews them every quarter with its managers. "


def drawn(draw: Callable[[Canvas], object]) -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4)
    draw(canvas)
    canvas.save()
    return buffer.getvalue()


def rows_at(
    canvas: Canvas, top: float, rows: list[tuple[str, ...]], edges: tuple[float, ...], step: float = 14
) -> None:
    """The first cell from the margin, the others ending at their edges."""
    canvas.setFont("Helvetica", 9)
    for number, (label, *values) in enumerate(rows):
        canvas.drawString(60, top - step * number, label)
        for edge, value in zip(edges, values, strict=False):
            sign, _, figure = value.rpartition(" ")
            canvas.drawString(edge - 55, top - step * number, sign)
            canvas.drawRightString(edge, top - step * number, figure)


def blocks(data: bytes, page: int = 0) -> tuple[Page, list[Block]]:
    found = parse_pdf(data, "a.pdf").pages[page]
    return found, list(found.blocks)


def kinds(page: Page, *wanted: str) -> list[str]:
    return [page.text[block.start : block.end] for block in page.blocks if block.kind in wanted]


def test_a_statement_without_rules() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 9)
        canvas.drawCentredString(440, 700, "Years ended December 31,")
        canvas.drawRightString(400, 686, "2025")
        canvas.drawRightString(500, 686, "2024")
        body = [
            ("Net sales:",),
            ("Products", "$ 1,200", "$ 1,100"),
            ("Services and other income from", "", ""),
            ("contracts with customers", "(45)", "—"),
            ("Total (1)", "$ 1,155", "$ 1,100"),
            ("Share of products", "96%", "100%"),
        ]
        rows_at(canvas, 668, body[:2], (400, 500))
        rows_at(canvas, 640, body[2:4], (400, 500), step=10)
        rows_at(canvas, 616, body[4:], (400, 500))

    page, found = blocks(drawn(draw))
    assert [block.kind for block in found] == ["table"]
    assert page.text.split("\n") == [
        "|  | Years ended December 31, 2025 | Years ended December 31, 2024 |",
        "|---|---|---|",
        "| Net sales: |  |  |",
        "| Products | $1,200 | $1,100 |",
        "| Services and other income from contracts with customers | (45) | — |",
        "| Total (1) | $1,155 | $1,100 |",
        "| Share of products | 96% | 100% |",
    ]


def test_a_ruled_table_with_merged_cells() -> None:
    rows = [["Region", "Sales", "", "Staff"], ["", "2024", "2025", "2025"], ["Europe", "1", "", "3"]]
    spans = [("SPAN", (1, 0), (2, 0)), ("SPAN", (0, 0), (0, 1)), ("GRID", (0, 0), (-1, -1), 0.5, colors.black)]
    page, found = blocks(pdf_of(Table([*rows, ["Asia", "4", "5", "6"]], style=spans)))
    table = read_table(page.text, found[0])
    assert table.header == ("Region", "Sales 2024", "Sales 2025", "Staff 2025")
    assert [[page.text[a:b] for a, b in row] for row in table.rows] == [
        ["Europe", "1", "", "3"],
        ["Asia", "4", "5", "6"],
    ]
    assert found[0].box is not None
    assert 0 < found[0].box[0] < found[0].box[2] < 1


def test_a_box_around_text_is_no_table() -> None:
    boxed = Table([[Paragraph(PROSE * 3, STYLES["Normal"])]], style=[("BOX", (0, 0), (-1, -1), 1, colors.black)])
    page, _ = blocks(pdf_of("Before.", boxed))
    assert kinds(page, "table") == []
    assert (PROSE * 3).strip() in page.text


def test_caption_and_unit_belong_to_the_table() -> None:
    rows = [["Region", "2024", "2025"], ["Europe", "1,200", "1,300"], ["Asia", "80", "90"]]
    page, found = blocks(pdf_of(PROSE, "Table 2: Sales by region", "(in thousands)", rows, PROSE))
    (block,) = (block for block in found if block.kind == "table")
    table = read_table(page.text, block)
    assert (table.caption, table.unit) == ("Table 2: Sales by region", "(in thousands)")


def test_two_columns_are_read_one_after_the_other() -> None:
    texts = [" ".join(f"{word} number{n} follows{n}" for n in range(60)) for word in ("left", "right")]
    columns = BalancedColumns([Paragraph(text, STYLES["Normal"]) for text in texts], nCols=2)
    page, _ = blocks(pdf_of(columns))
    assert kinds(page, "table") == []
    assert page.text.replace("\n", " ").replace("  ", " ") == " ".join(texts)


def test_lists_with_their_levels() -> None:
    inner = ListFlowable([ListItem(Paragraph("inner", STYLES["Normal"]))], bulletType="bullet", start="•")
    items = [
        ListItem(Paragraph("one " + PROSE, STYLES["Normal"])),
        ListItem([Paragraph("two", STYLES["Normal"]), inner]),
    ]
    page, found = blocks(pdf_of("These count:", ListFlowable(items, bulletType="bullet", start="•")))
    listed = [(block.level, block.marker) for block in found if block.kind == "item"]
    assert listed == [(1, "-"), (1, "-"), (2, "-")]
    assert kinds(page, "item") == [f"- one {PROSE}".strip(), "- two", "  - inner"]


@pytest.mark.parametrize(
    ("line", "is_heading"),
    [
        ("<b>Results of operations</b>", True),
        ("<b>2.1 Results of operations</b>", True),
        ("<b>• Results of operations</b>", False),
        ("<b>12 Main Street, Redmond, WA 98052</b>", False),
        ("<b>This whole sentence is set in bold type.</b>", False),
        ("Results of operations", False),
    ],
)
def test_a_bold_line_is_a_heading_or_not(line: str, is_heading: bool) -> None:
    _, found = blocks(pdf_of(PROSE * 3, line, PROSE * 3))
    assert ("heading" in {block.kind for block in found}) is is_heading


PRINTED = """<body style="font:11pt Arial"><h1>Procurement policy</h1>
<p><b>1. Purpose</b></p><p>PROSE PROSE</p><p><b>1.2 Scope</b></p><p>PROSE</p><p>These are needed:</p>
<ul><li><b>Requests</b><ul><li>in writing</li></ul></li><li><b>Approvals</b> of the board</li></ul>
<p><b>12 Main Street, Redmond, WA 98052</b></p><p>PROSE</p>
<table border=1><tr><th>Limit</th><th>Signs</th></tr><tr><td>5,000</td><td>Manager</td></tr></table></body>"""


def test_headings_and_lists_as_a_browser_prints_them() -> None:
    """It draws the dots of a list, and sets the type of bold headings no larger than the text."""
    if not program():
        pytest.skip("no Chromium")
    with Chromium() as browser:
        page, _ = blocks(browser.printed_page(PRINTED.replace("PROSE", PROSE)))
    assert kinds(page, "heading") == ["# Procurement policy", "### 1. Purpose", "#### 1.2 Scope"]
    assert kinds(page, "item") == ["- Requests", "  - in writing", "- Approvals of the board"]
    assert kinds(page, "table") == ["| Limit | Signs |\n|---|---|\n| 5,000 | Manager |"]


def test_small_squares_that_are_no_marks_of_items() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(100, 700, "Sales")
        canvas.rect(60, 702, 4, 4, fill=1)  # too far from the word
        canvas.drawString(60, 680, "Costs")
        canvas.rect(100, 682, 4, 4, fill=1)  # behind it

    page, _ = blocks(drawn(draw))
    assert page.text.split() == ["Sales", "Costs"]


def test_a_table_with_open_sides() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 9)
        for number, (kind, covered) in enumerate((("Kind", "Covered"), ("Fuel", "every station"), ("Shops", "some"))):
            canvas.drawString(64, 700 - 18 * number, kind)
            canvas.drawString(164, 700 - 18 * number, covered)
        for number in range(4):
            canvas.line(60, 712 - 18 * number, 400, 712 - 18 * number)
        canvas.line(160, 712, 160, 658)

    page, _ = blocks(drawn(draw))
    assert page.text == "| Kind | Covered |\n|---|---|\n| Fuel | every station |\n| Shops | some |"


@pytest.mark.parametrize(("pages", "is_table"), [(("3", "14", "27"), False), (("3", "27", "14"), True)])
def test_titles_with_their_pages_are_lines(pages: tuple[str, ...], is_table: bool) -> None:
    def draw(canvas: Canvas) -> None:
        titles = ("Introduction", "Results of operations", "Outlook")
        rows_at(canvas, 700, list(zip(titles, pages, strict=True)), (500,))

    page, found = blocks(drawn(draw))
    assert any(block.kind == "table" for block in found) is is_table
    assert ("Results of operations 14" in page.text) is not is_table


def test_a_table_under_another_header_does_not_continue_the_one_before() -> None:
    rows = [["Item", "2024", "2025"]] + [[f"Line item {n}", f"{n}.5", f"({n},000)"] for n in range(1, 37)]
    other = [["Region", "2022", "2023"], ["Europe", "5", "6"], ["Asia", "7", "8"]]
    second = parse_pdf(pdf_of(rows, PageBreak(), other), "a.pdf").pages[1]
    assert read_table(second.text, second.blocks[0]).header == ("Region", "2022", "2023")
    assert not second.blocks[0].is_continued


def test_running_lines_are_in_no_block_of_text_and_a_sentence_goes_on() -> None:
    def on_page(canvas: Canvas, document: Any) -> None:
        canvas.drawString(70, 800, "Annual Report of the Company")
        canvas.drawString(290, 30, f"Page {document.page}")

    buffer = io.BytesIO()
    text = " ".join(
        f"In {chr(97 + n % 26) * (n % 7 + 2)} sales rose by {n} units, as {chr(65 + n % 23)} said." for n in range(500)
    )
    story = [Paragraph(text, STYLES["Normal"])]
    SimpleDocTemplate(buffer).build(story, onFirstPage=on_page, onLaterPages=on_page)
    pages = parse_pdf(buffer.getvalue(), "a.pdf").pages
    assert len(pages) > 2
    for page in pages:
        assert kinds(page, "furniture") == ["Annual Report of the Company", f"Page {page.number}"]
    body = [block for block in pages[1].blocks if block.kind == "paragraph"]
    assert body[0].is_continued is not pages[1].text[body[0].start].isupper()
    whole = " ".join(text for page in pages for text in kinds(page, "paragraph"))
    assert whole == text


def test_a_table_goes_on_over_the_page_with_its_header() -> None:
    rows = [["Item", "2024", "2025"]] + [[f"Line item {n}", f"{n}.5", f"({n},000)"] for n in range(1, 60)]
    pages = parse_pdf(pdf_of(rows), "a.pdf").pages
    first, second = (page.blocks[0] for page in pages[:2])
    assert (first.is_continued, second.is_continued) == (False, True)
    assert read_table(pages[1].text, second).header == ("Item", "2024", "2025")


def test_hyphens_at_the_end_of_lines() -> None:
    def draw(canvas: Canvas) -> None:
        lines = [
            "The information on long-term debt was checked, and all of this infor-",
            "mation and the long-",
            "term debt were right, as other information showed in every case we saw.",
        ]
        for number, line in enumerate(lines):
            canvas.drawString(60, 700 - 14 * number, line)

    page, _ = blocks(drawn(draw))
    assert "all of this information and the long-term debt" in page.text


def test_a_hyphen_at_the_end_of_a_line_that_is_not_filled_is_the_words_own() -> None:
    def draw(canvas: Canvas) -> None:
        for number, line in enumerate(
            ["The loss includes a write-", "down of inventory and a provi-", "sion for claims."]
        ):
            canvas.drawString(60, 700 - 14 * number, line)

    page, _ = blocks(drawn(draw))
    assert page.text == "The loss includes a write-down of inventory and a provision for claims."


@pytest.mark.parametrize("angle", [90, 270])
def test_a_turned_page_is_read_upright(angle: int) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.translate(*((500, 100) if angle == 90 else (100, 700)))
        canvas.rotate(angle)
        rows_at(
            canvas, 0, [("Region", "2024", "2025"), ("Europe", "1,200", "1,300"), ("Asia", "(45)", "60")], (300, 400)
        )

    page, _ = blocks(drawn(draw))
    assert page.text.split("\n")[2:] == ["| Europe | 1,200 | 1,300 |", "| Asia | (45) | 60 |"]


def test_a_form_is_its_pairs_one_group_after_the_other() -> None:
    rows = [("Insured", "Gabriel Diaz", "Year", "2022"), ("Policy", "POL-555", "Make", "Jeep")]

    def draw(canvas: Canvas) -> None:
        for number, row in enumerate([("Customer", "", "Vehicle", ""), *rows]):
            for column, (left, text) in enumerate(zip((60, 140, 320, 400), row, strict=True)):
                canvas.setFont("Helvetica" if column % 2 else "Helvetica-Bold", 10)
                canvas.drawString(left, 700 - 14 * number, text)
        canvas.setFont("Helvetica", 8)
        for line in range(6):
            canvas.drawString(60, 600 - 10 * line, PROSE)

    page, found = blocks(drawn(draw))
    assert kinds(page, "heading") == ["# Customer", "# Vehicle"]
    assert kinds(page, "paragraph")[:4] == ["Insured: Gabriel Diaz", "Policy: POL-555", "Year: 2022", "Make: Jeep"]
    assert page.text.index("POL-555") < page.text.index("Vehicle") < page.text.index("Year")
    assert not any(block.kind == "table" for block in found)


def test_cells_centred_beside_longer_ones_are_one_row() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 9)
        for left, name in zip((60, 250, 350), ("Item", "2025", "2024"), strict=True):
            canvas.drawString(left, 700, name)
        canvas.setFont("Helvetica", 9)
        for top, label, values in (
            (680, ("Accounts", "receivable"), "1,200 1,100"),
            (640, ("Deferred", "tax"), "45 40"),
        ):
            canvas.drawString(60, top, label[0])
            canvas.drawString(60, top - 10, label[1])
            for left, value in zip((250, 350), values.split(), strict=True):
                canvas.drawString(left, top - 5, value)

    page, _ = blocks(drawn(draw))
    assert page.text == (
        "| Item | 2025 | 2024 |\n|---|---|---|\n| Accounts receivable | 1,200 | 1,100 |\n| Deferred tax | 45 | 40 |"
    )


def test_notes_under_a_table_and_numbers_inside_a_sentence_are_no_list() -> None:
    def draw(canvas: Canvas) -> None:
        rows_at(
            canvas, 700, [("", "2025", "2024"), ("Stores (1)", "1,155", "1,100"), ("Services", "96", "90")], (400, 500)
        )
        canvas.drawString(60, 655, "_____________")
        canvas.drawString(60, 641, "(1) Includes product sales and digital content.")
        for number, line in enumerate((f"{PROSE}It sells goods,", "(2) media.")):
            canvas.drawString(60, 560 - 11 * number, line)

    page, _ = blocks(drawn(draw))
    assert kinds(page, "note") == ["(1) Includes product sales and digital content."]
    assert kinds(page, "item") == []


def test_blocks_of_a_cover_are_no_table() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 9)
        pairs = [("Delaware", "91-1646860"), ("(State of incorporation)", "(Employer No.)"), ("Seattle", "98109")]
        for number, pair in enumerate([*pairs, ("(Address of offices)", "(Zip Code)")]):
            for middle, text in zip((150, 400), pair, strict=True):
                canvas.drawCentredString(middle, 700 - 12 * number, text)

    page, found = blocks(drawn(draw))
    assert not any(block.kind == "table" for block in found)
    assert "98109" in page.text


def test_a_name_over_several_lines_and_a_column_with_hardly_a_cell() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 9)
        canvas.drawCentredString(300, 710, "Enrollment")
        for middle, name in zip((80, 190, 300, 420), ("School", "Town", "(2011)", "Charter"), strict=True):
            canvas.drawCentredString(middle, 700, name)
        canvas.setFont("Helvetica", 9)
        for number in range(14):
            row = (f"School {number}", "Honolulu", f"{number + 1},958", "yes" if number == 3 else "")
            for left, text in zip((60, 170, 290, 405), row, strict=True):
                canvas.drawString(left, 684 - 12 * number, text)

    page, _ = blocks(drawn(draw))
    assert page.text.startswith("| School | Town | Enrollment (2011) | Charter |")
    assert "| School 3 | Honolulu | 4,958 | yes |" in page.text


def test_sentences_with_gaps_are_no_table() -> None:
    text = '<para align="justify">' + "An extraordinarily incomprehensible responsibility. " * 30 + "</para>"
    page, _ = blocks(pdf_of(heading("Gaps"), text))
    assert kinds(page, "table") == []


@pytest.mark.skipif(FORMATS is None, reason="the data set is not at ../shared/data/formats")
def test_no_word_of_real_files_is_lost() -> None:
    assert FORMATS
    paths = sorted((FORMATS / "good").glob("*.pdf"))
    if FILINGS:
        paths.append(FILINGS / "docs" / "2023 Q2 AAPL.pdf")
    assert [path.name for path in paths if lost_words(path.read_bytes())[1]] == []


@pytest.mark.skipif(FILINGS is None, reason="the data set is not at ../shared/data/kgrag_sec10q")
def test_a_real_statement_of_operations() -> None:
    assert FILINGS
    page = parse_pdf((FILINGS / "docs" / "2022 Q3 AAPL.pdf").read_bytes(), "a.pdf").pages[3]
    (block,) = (block for block in page.blocks if block.kind == "table")
    table = read_table(page.text, block)
    assert table.unit.startswith("(In millions, except number of shares")
    assert table.header == (
        "",
        *(f"{months} Months Ended June {day}" for months in ("Three", "Nine") for day in ("25, 2022", "26, 2021")),
    )
    rows = [[page.text[a:b] for a, b in row] for row in table.rows]
    assert ["Products", "$63,355", "$63,948", "$245,241", "$232,309"] in rows
    assert ["Other income/(expense), net", "(10)", "243", "(97)", "796"] in rows
    assert ["Shares used in computing earnings per share:", "", "", "", ""] in rows
    assert Counter(map(len, rows)) == {5: 24}
    assert kinds(page, "furniture")[-1] == "Apple Inc. | Q3 2022 Form 10-Q | 1"

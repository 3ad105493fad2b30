"""Reports as they are printed: text in two and three columns, with headings, tables and notes around and inside it."""

import io
from collections.abc import Callable

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import simpleSplit
from reportlab.pdfgen.canvas import Canvas

from masis.sources.pdf.text import parse_pdf
from masis.types import Page

LEFT, RIGHT, WIDTH = 60.0, 310.0, 230.0
FOUNDED = (
    "The company was founded in Bergen in 1961 by the brothers Nils and Torleif Aune, has its office in Bergen, and "
    "has sites in Bergen and Horten (Norway), Gdynia (Poland) and Busan (South Korea). The share has been listed on "
    "Oslo Stock Exchange since 2007."
)
SPENT = (
    "The Group spent NOK 389 million on research, of which NOK 121 million was capitalised. The main programmes were "
    "the thruster Aurelia and the platform SeaPulse. Aurelia completed its trials on the ferry Tustna in September "
    "2023, and will be sold from the first half of 2025."
)
COSTS = (
    "Energy costs were NOK 11 million, which is explained by lower prices in the first half, by the solar field at "
    "Horten, and by a contract with Windpark Krammer that took effect on the first day of July and runs for ten years."
)


class Sheet:
    """Sets text between a left edge and a width, downwards."""

    def __init__(self) -> None:
        self._buffer = io.BytesIO()
        self.canvas = Canvas(self._buffer, pagesize=A4)

    def text(
        self, text: str, left: float, top: float, width: float = WIDTH, *, size: float = 9, bold: bool = False
    ) -> float:
        font = "Helvetica-Bold" if bold else "Helvetica"
        self.canvas.setFont(font, size)
        for line in simpleSplit(text, font, size, width):
            self.canvas.drawString(left, top, line)
            top -= 1.4 * size
        return top

    def rows(
        self, rows: list[tuple[str, ...]], left: float, top: float, edges: tuple[float, ...], bold: str = ""
    ) -> float:
        """Values end at their edges; the numbers in `bold` are those of rows in bold type."""
        for number, (label, *values) in enumerate(rows):
            self.canvas.setFont("Helvetica-Bold" if str(number) in bold else "Helvetica", 8)
            self.canvas.drawString(left, top, label)
            for edge, value in zip(edges, values, strict=True):
                self.canvas.drawRightString(edge, top, value)
            top -= 13
        return top

    def rule(self, top: float, left: float = LEFT, right: float = 540.0) -> None:
        self.canvas.line(left, top, right, top)

    def pages(self) -> list[Page]:
        self.canvas.save()
        return parse_pdf(self._buffer.getvalue(), "a.pdf").pages


def page_of(draw: Callable[[Sheet], object]) -> list[str]:
    sheet = Sheet()
    draw(sheet)
    (page,) = sheet.pages()
    return page.text.split("\n\n")


def test_a_line_that_begins_with_a_capital_continues_its_paragraph() -> None:
    def draw(sheet: Sheet) -> None:
        sheet.text(SPENT, RIGHT, sheet.text("2.1 The business", LEFT, 700, size=12, bold=True) + 2)
        sheet.text(FOUNDED, LEFT, 678)

    heading, *paragraphs = page_of(draw)
    assert heading.endswith("2.1 The business")
    assert paragraphs == [FOUNDED, SPENT]


def test_a_note_above_two_columns_does_not_belong_to_them() -> None:
    first = "1 A measure of our own that others define in another way, see section 8 below."
    second = "2 As proposed by the Board of Directors to the Meeting."

    def draw(sheet: Sheet) -> None:
        sheet.canvas.setFont("Helvetica", 7)
        sheet.canvas.drawString(LEFT, 730, first)
        assert sheet.canvas.stringWidth(first) > WIDTH, "it reaches into the gutter"
        sheet.canvas.drawString(RIGHT + 1, 730, second)
        sheet.text("2. Report of the directors", LEFT, 705, size=14, bold=True)
        sheet.text(FOUNDED, LEFT, 680)
        sheet.text(SPENT, RIGHT, 684)

    blocks = page_of(draw)
    assert blocks[-2:] == [FOUNDED, SPENT]
    assert " ".join(blocks[:-3]) == f"{first} {second}"


def test_a_heading_at_the_end_of_the_left_column_stands_over_the_right_one() -> None:
    def draw(sheet: Sheet) -> None:
        below = sheet.text(FOUNDED, LEFT, 700)
        sheet.text("2.2 Research", LEFT, below - 4, size=11, bold=True)
        sheet.text(SPENT, RIGHT, sheet.text(COSTS.replace("Energy", "Other"), RIGHT, 760) - 8)

    blocks = [block.lstrip("# ") for block in page_of(draw)]
    assert blocks.index("2.2 Research") == 1
    assert blocks[-1] == SPENT


def test_lines_of_three_columns_need_not_be_level() -> None:
    def draw(sheet: Sheet) -> None:
        for number, text in enumerate((FOUNDED, SPENT, COSTS)):
            sheet.text(text, LEFT + 165 * number, 700 - 4 * number, 145)

    assert page_of(draw) == [FOUNDED, SPENT, COSTS]


def test_a_table_inside_a_column_is_read_with_it() -> None:
    rows = [
        ("", "2024", "2023"),
        ("Net cash from operations", "85.1", "92.3"),
        ("Purchase of equipment", "(33.6)", "(28.7)"),
    ]

    def draw(sheet: Sheet) -> None:
        top = sheet.rows(rows, LEFT, sheet.text(FOUNDED, LEFT, 700) - 6, (230, 285))
        sheet.text(COSTS, LEFT, top - 4)
        sheet.text(SPENT, RIGHT, sheet.text(COSTS.replace("Energy", "Other"), RIGHT, 695) - 8)

    blocks = page_of(draw)
    assert [blocks[0], blocks[2], blocks[4]] == [FOUNDED, COSTS, SPENT]
    assert blocks[1].split("\n")[0] == "|  | 2024 | 2023 |"
    assert blocks[1].endswith("| Purchase of equipment | (33.6) | (28.7) |")


def test_a_paragraph_goes_on_over_the_page_with_a_capital() -> None:
    lines = simpleSplit(FOUNDED, "Helvetica", 9, 190)
    number = next(n for n, line in enumerate(lines) if n and line[0].isupper() and not lines[n - 1].endswith("."))
    sheet = Sheet()
    sheet.text(" ".join(lines[:number]), LEFT, 400, 190)
    sheet.canvas.showPage()
    sheet.text(" ".join(lines[number:]), LEFT, 780, 190)
    sheet.text(SPENT, LEFT, 600)
    sheet.canvas.showPage()
    sheet.text(COSTS, LEFT, 780)
    assert [page.blocks[0].is_continued for page in sheet.pages()] == [False, True, False]


@pytest.mark.parametrize("names", [("", "2024", "2023", "2022"), ("", "FY2024", "FY2023", "FY2022")])
def test_a_bold_row_under_a_bold_header_is_a_row(names: tuple[str, ...]) -> None:
    body = [
        ("Revenue", "6,482", "5,914", "5,127"),
        ("EBITDA", "843", "692", "574"),
        ("Profit", "351", "281", "221"),
    ]
    (table,) = page_of(lambda sheet: sheet.rows([names, *body], LEFT, 700, (360, 440, 520), bold="013"))
    assert table.split("\n")[0] == f"| {' | '.join(names)} |"
    assert "| Revenue | 6,482 | 5,914 | 5,127 |" in table


def test_a_header_that_comes_again_begins_another_table() -> None:
    rows = [("Net sales", "2024", "2023"), ("Valves", "412.6", "388.1"), ("Total", "649.5", "629.8")]
    again = [("Operating income", "2024", "2023"), ("Valves", "58.3", "47.9"), ("Filters", "19.4", "29.8")]
    tables = page_of(lambda sheet: sheet.rows([*rows, *again], LEFT, 700, (400, 500), bold="023"))
    assert [table.split("\n")[0] for table in tables] == [
        "| Net sales | 2024 | 2023 |",
        "| Operating income | 2024 | 2023 |",
    ]


def test_a_caption_and_a_note_between_two_tables_are_rows_of_neither() -> None:
    first = [("", "Warranties", "Total"), ("Charged", "4.0", "4.6"), ("Used", "(3.3)", "(5.2)")]
    second = [("", "FY2025", "FY2024"), ("Revenue", "1,204.6", "1,131.2"), ("Profit", "118.7", "109.0")]

    def draw(sheet: Sheet) -> None:
        top = sheet.rows(first, LEFT, sheet.text(SPENT, LEFT, 760, 440) - 8, (400, 500))
        top = sheet.text("(a) Excludes those employed by others.", LEFT, top, size=6.5)
        sheet.rows(second, LEFT, sheet.text("Table 2: Two years", LEFT, top, size=8), (400, 500))

    text = "\n\n".join(page_of(draw))
    assert "| Used | (3.3) | (5.2) |\n\n(a) Excludes those employed by others." in text
    assert "Table 2: Two years\n|  | FY2025 | FY2024 |" in text


def test_rules_around_totals_part_no_other_rows() -> None:
    rows = [
        ("", "2024", "2023"),
        ("Operating activities", "", ""),
        ("Profit before tax", "71.4", "66.0"),
        ("Net cash from operations", "85.1", "92.3"),
        ("Investing activities", "", ""),
        ("Purchase of equipment", "(33.6)", "(28.7)"),
        ("Net cash used for investments in equipment", "(32.4)", "(28.7)"),
    ]

    def draw(sheet: Sheet) -> None:
        sheet.rows(rows, LEFT, 700, (400, 500))
        for number in (3, 4, 6, 7):
            sheet.rule(710 - 13 * number, LEFT, 500)

    (table,) = page_of(draw)
    assert "| Operating activities |  |  |\n| Profit before tax | 71.4 | 66.0 |" in table


def test_words_spread_over_a_line_are_one_piece() -> None:
    words = ["In", "Japan", "and", "Korea", "manufacturers", "took", "licences"]

    def draw(sheet: Sheet) -> None:
        for number in range(5):
            left = LEFT
            sheet.canvas.setFont("Helvetica", 9)
            for word in words[number:] + words[:number]:
                sheet.canvas.drawString(left, 700 - 13 * number, word)
                left += sheet.canvas.stringWidth(word) + 18
        sheet.text(SPENT, LEFT, 600, 300)

    text, spent = page_of(draw)
    assert text.split() == [word for number in range(5) for word in words[number:] + words[:number]]
    assert spent == SPENT


def test_short_paragraphs_are_parted_by_their_distance() -> None:
    lines = [
        "The company reports its results by region and reviews them",
        "with all managers, and the managers do so with the board.",
    ]

    def draw(sheet: Sheet) -> None:
        sheet.canvas.setFont("Helvetica", 9)
        for number in range(6):
            for place, line in enumerate(lines):
                sheet.canvas.drawString(LEFT, 700 - 32 * number - 13 * place, line)

    assert page_of(draw) == [" ".join(lines)] * 6

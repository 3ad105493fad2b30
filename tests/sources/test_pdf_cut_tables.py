"""Tables cut by the end of a page: what follows on the next one stands under the header of the page before."""

import io
from collections.abc import Callable, Sequence

import pytest
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Spacer, Table

from masis.sources.blocks import read_table
from masis.sources.pdf.text import parse_pdf
from masis.types import Page
from tests.sources.files import pdf_of

Rows = Sequence[Sequence[str]]
NAMES = ("Segment", "Revenue 2024", "Revenue 2023", "Adjusted operating profit 2024", "Adjusted operating profit 2023")
FIRST = (("Cold Storage", "214.6", "183.9", "33.9", "25.6"), ("Haulage", "12.0", "11.5", "1.9", "1.6"))
SECOND = (
    ("Road Freight", "221.8", "232.5", "5.1", "9.7"),
    ("Contract Packing", "80.9", "70.7", "6.2", "3.8"),
    ("Central costs", "–", "–", "(5.4)", "(4.9)"),
)
RIGHTS = (190.0, 260.0, 380.0, 500.0)
LEFTS = (180.0, 300.0, 420.0)
PEOPLE = (("Ann Reid", "Chair", "Leeds", "Audit"), ("Jo Park", "Director", "Hull", "Risk"))
MORE_PEOPLE = (("Max Bell", "Secretary", "York", "None"), ("Una Dee", "Director", "Ripon", "Audit"))


class Sheets:
    """Pages drawn row by row."""

    def __init__(self) -> None:
        self._buffer = io.BytesIO()
        self.canvas = Canvas(self._buffer, pagesize=A4)
        self.top = 160.0

    def rows(
        self, rows: Rows, edges: Sequence[float] = RIGHTS, *, bold: int = 0, shift: float = 0, left: bool = False
    ) -> None:
        """The first `bold` in bold type; their values end, or begin, at the edges."""
        for number, (label, *values) in enumerate(rows):
            self.canvas.setFont("Helvetica-Bold" if number < bold else "Helvetica", 7)
            self.canvas.drawString(50 + shift, self.top, label)
            for edge, value in zip(edges, values, strict=True):
                (self.canvas.drawString if left else self.canvas.drawRightString)(edge + shift, self.top, value)
            self.top -= 14

    def line(self, text: str, bold: bool = False) -> None:
        self.canvas.setFont("Helvetica-Bold" if bold else "Helvetica", 7)
        self.canvas.drawString(50, self.top, text)
        self.top -= 14

    def turn(self) -> None:
        self.canvas.showPage()
        self.top = 780.0

    def second_page(self) -> Page:
        self.canvas.save()
        return parse_pdf(self._buffer.getvalue(), "a.pdf").pages[1]


def cut(draw: Callable[[Sheets], object], first: Rows = (NAMES, *FIRST), bold: int = 1) -> Page:
    """The page after one that ends with the segments."""
    sheets = Sheets()
    sheets.rows(first, bold=bold)
    sheets.turn()
    draw(sheets)
    return sheets.second_page()


def tables(page: Page) -> list[tuple[tuple[str, ...], list[tuple[str, ...]], bool]]:
    """The header and rows of each table, and whether it is continued."""
    blocks = [(block, read_table(page.text, block)) for block in page.blocks if block.kind == "table"]
    return [
        (read.header, [tuple(page.text[a:b] for a, b in row) for row in read.rows], block.is_continued)
        for block, read in blocks
    ]


@pytest.mark.parametrize("rows_before", [1, 2])
@pytest.mark.parametrize("bold", [0, 1])
def test_figures_set_right_stand_under_the_names_of_the_page_before(rows_before: int, bold: int) -> None:
    page = cut(lambda sheets: sheets.rows(SECOND), (NAMES, *FIRST[:rows_before]), bold)
    assert tables(page) == [(NAMES, list(SECOND), True)]


@pytest.mark.parametrize("repeated", [0, 1])
@pytest.mark.parametrize("style", [[], [("GRID", (0, 0), (-1, -1), 0.5, colors.grey)]])
def test_each_page_of_a_long_table_has_the_header_once(repeated: int, style: list[tuple[object, ...]]) -> None:
    figures = [[f"Depot {n}", f"{n}.5", f"({n},000)", f"{n * 37 % 91}"] for n in range(1, 110)]
    rows = [["Depot", "Revenue of the year in thousands", "Result", "Staff"], *figures]
    right = [("ALIGN", (1, 0), (-1, -1), "RIGHT"), ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")]
    pages = parse_pdf(pdf_of(Table(rows, repeatRows=repeated, style=[*right, *style])), "a.pdf").pages
    read = [table for page in pages for table in tables(page)]
    assert [header for header, _, _ in read] == [tuple(rows[0])] * len(pages)
    assert [row for _, body, _ in read for row in body] == [tuple(row) for row in figures]
    assert [is_continued for _, _, is_continued in read] == [False, *[True] * (len(pages) - 1)]


@pytest.mark.parametrize("style", [[], [("GRID", (0, 0), (-1, -1), 0.5, colors.grey)]])
def test_a_last_row_alone_on_its_page(style: list[tuple[object, ...]]) -> None:
    rows = [list(NAMES), *map(list, FIRST), ["Group", "517.3", "487.1", "39.8", "34.2"]]
    bold = [("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold"), ("FONTSIZE", (0, 0), (-1, -1), 6)]
    table = Table(rows, style=[("ALIGN", (1, 0), (-1, -1), "RIGHT"), *bold, *style], rowHeights=18)
    pages = parse_pdf(pdf_of(Spacer(0, 625), table), "a.pdf").pages
    assert tables(pages[1]) == [(NAMES, [tuple(rows[-1])], True)]


@pytest.mark.parametrize(
    "names", [("Region", "2024", "2023", "2022", "2021"), ("Site", "Pallets", "Staff", "Vans", "Docks")]
)
@pytest.mark.parametrize("bold", [0, 1])
def test_another_table_at_the_top_of_the_next_page_stays_apart(names: tuple[str, ...], bold: int) -> None:
    page = cut(lambda sheets: sheets.rows((names, *SECOND), bold=bold))
    assert tables(page) == [(names, list(SECOND), False)]


def test_a_paragraph_between_parts_two_tables() -> None:
    def draw(sheets: Sheets) -> None:
        sheets.line(
            "The figures below are those of the depots that the company sold in the year, in the order of sale."
        )
        sheets.top -= 20
        sheets.rows(SECOND)

    page = cut(draw)
    assert [(any(header), is_continued) for header, _, is_continued in tables(page)] == [(False, False)]
    assert "Revenue" not in page.text


def test_what_stands_under_no_column_of_the_page_before_is_lines() -> None:
    page = cut(lambda sheets: sheets.rows(SECOND, (225, 320, 440, 560)))
    assert not tables(page)
    assert page.text.split("\n") == [" ".join(row) for row in SECOND]


def test_a_column_may_be_empty_on_the_second_page() -> None:
    page = cut(lambda sheets: sheets.rows([(row[0], row[1], *row[3:]) for row in SECOND], (190, 380, 500)))
    assert tables(page) == [(NAMES, [(row[0], row[1], "", *row[3:]) for row in SECOND], True)]


def test_margins_of_facing_pages_differ() -> None:
    page = cut(lambda sheets: sheets.rows(SECOND, shift=40))
    assert tables(page) == [(NAMES, list(SECOND), True)]


def test_a_total_in_bold_type_at_the_top_of_a_page_is_a_row() -> None:
    page = cut(lambda sheets: sheets.rows(SECOND, bold=1))
    assert tables(page) == [(NAMES, list(SECOND), True)]


@pytest.mark.parametrize("label", ["Sold in the year", "Changes in assets:"])
def test_a_line_that_heads_rows_and_a_mark_of_continuation(label: str) -> None:
    def draw(sheets: Sheets) -> None:
        sheets.line("Segment results (continued)")
        sheets.top -= 8
        sheets.line(label)
        sheets.rows(SECOND)

    page = cut(draw)
    assert tables(page) == [(NAMES, [(label, "", "", "", ""), *SECOND], True)]


def test_a_note_under_the_first_part_of_a_table() -> None:
    sheets = Sheets()
    sheets.rows((NAMES, *FIRST), bold=1)
    sheets.line("* Restated")
    sheets.turn()
    sheets.rows(SECOND)
    assert tables(sheets.second_page()) == [(NAMES, list(SECOND), True)]


@pytest.mark.parametrize(
    ("edges", "bold", "is_continued"), [(LEFTS, 0, True), (LEFTS, 1, False), ((150.0, 280.0, 450.0), 0, False)]
)
def test_a_row_of_words_continues_where_its_columns_do(edges: tuple[float, ...], bold: int, is_continued: bool) -> None:
    names = ("Name", "Office", "Town", "Committee")
    sheets = Sheets()
    sheets.rows((names, *PEOPLE), LEFTS, bold=1, left=True)
    sheets.turn()
    sheets.rows((*MORE_PEOPLE, *PEOPLE), edges, bold=bold, left=True)
    ((header, rows, was_continued),) = tables(sheets.second_page())
    assert was_continued is is_continued
    assert (header == names and rows == [*MORE_PEOPLE, *PEOPLE]) is is_continued


def test_rows_with_gaps_stand_in_the_columns_of_the_page_before() -> None:
    names = ("State", "Passed", "Referendum", "Vote")
    rows = [
        ("Alabama", "January 11, 1861", "", ""),
        ("Texas", "February 1, 1861", "February 23", "46,153"),
        ("Virginia", "April 17, 1861", "", ""),
    ]
    sheets = Sheets()
    sheets.rows((names, ("Florida", "January 10, 1861", "none", "–"), *rows), LEFTS, bold=1, left=True)
    sheets.turn()
    sheets.rows(rows, LEFTS, left=True)
    sheets.line("The votes of the other states were not counted, or are not known to the authors of this report.")
    page = sheets.second_page()
    assert tables(page) == [(names, rows, True)]
    assert page.text.endswith(
        "The votes of the other states were not counted, or are not known to the authors of this report."
    )


def test_lines_in_cells_of_the_next_page_that_cannot_be_told_from_rows_stay_lines() -> None:
    names = ("Name", "Office", "Town", "Committee")
    sheets = Sheets()
    sheets.rows((names, *PEOPLE), LEFTS, bold=1, left=True)
    sheets.turn()
    sheets.rows([("Max Bell", "Secretary to the", "York", ""), ("", "board of directors", "", "")], LEFTS, left=True)
    page = sheets.second_page()
    assert not tables(page)
    assert not {"Max", "Bell", "Secretary", "York", "directors"} - set(page.text.split())


def test_a_header_alone_at_the_end_of_its_page() -> None:
    page = cut(lambda sheets: sheets.rows(SECOND), (NAMES,))
    assert tables(page) == [(NAMES, list(SECOND), False)]


def test_a_last_line_with_gaps_names_no_columns_it_does_not_stand_over() -> None:
    page = cut(
        lambda sheets: sheets.rows(SECOND, (225, 320, 440, 560)), (("Halden", "Annual", "report", "of the", "year"),)
    )
    assert [any(header) for header, _, _ in tables(page)] == [False]


def test_the_end_of_a_cut_row_is_no_part_of_the_repeated_header() -> None:
    def draw(sheets: Sheets) -> None:
        sheets.rows((NAMES,), bold=1)
        sheets.canvas.setFont("Helvetica", 7)
        sheets.canvas.drawString(430, sheets.top, "& 78)")
        sheets.top -= 14
        sheets.rows(SECOND)

    ((header, rows, is_continued),) = tables(cut(draw))
    assert (header, rows[-3:], is_continued) == (NAMES, list(SECOND), True)

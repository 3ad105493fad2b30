import pytest
from hypothesis import given
from hypothesis import strategies as st

from masis.errors import UnreadableFile
from masis.sources.markup.readers import parse_plain
from masis.sources.plain import clean, title_line
from masis.sources.table_grid import table_row, with_tables

TEXT = "Umsatz – “Müller & Söhne” stieg auf 5 €."


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_common_encodings(encoding: str) -> None:
    assert parse_plain(TEXT.encode(encoding), "a.txt").text == TEXT


def test_big_endian_with_a_mark() -> None:
    assert parse_plain(b"\xfe\xff" + TEXT.encode("utf-16-be"), "a.txt").text == TEXT


@pytest.mark.parametrize(
    "data",
    [
        b"Report\x00\x01\x02 of binary",
        b"\xff\xfe\x00",
        b"\xef\xbb\xbf\xff\xfe bad after its mark",
        b"a\x81b\x9d",
        bytes(range(1, 32)) * 20,
    ],
)
def test_what_is_in_no_encoding(data: bytes) -> None:
    with pytest.raises(UnreadableFile, match="binary data") as error:
        parse_plain(data, "a.txt")
    assert "UTF-8" in error.value.advice


def test_a_stray_control_character_is_dropped_and_the_text_kept() -> None:
    assert parse_plain(b"Revenue\x0e rose in every single region.", "a.txt").text == (
        "Revenue rose in every single region."
    )


def test_a_form_feed_ends_a_page() -> None:
    document = parse_plain(b"First page.\n\fSecond page.\n\f\fFourth.", "a.txt")
    assert [(page.number, page.text) for page in document.pages] == [
        (1, "First page."),
        (2, "Second page."),
        (3, ""),
        (4, "Fourth."),
    ]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r", "\u2028", "\x85"])
def test_every_line_end_is_one(line_end: str) -> None:
    assert clean(f"one{line_end}two") == "one\ntwo"


def test_cleaning() -> None:
    assert clean("soft\u00adhyphen zero\u200bwidth \ufeffmark") == "softhyphen zerowidth mark"
    assert clean("cafe\u0301") == "café"
    assert clean("a  \n\n\n\n\nb\t \n") == "a\n\nb"
    assert clean("lone \ud800 surrogate") == "lone \ufffd surrogate"
    assert clean("1\u00a0234 €") == "1\u00a0234 €"


@given(st.text())
def test_cleaning_is_done_once(text: str) -> None:
    assert clean(clean(text)) == clean(text)


def test_a_bar_in_a_cell_makes_no_column() -> None:
    assert table_row(["a | b", " two\nlines ", ""]) == "| a / b | two lines |  |"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Annual Report 2025\nRevenue rose.", "Annual Report 2025"),
        ("\n\n## Notes on a call ", "Notes on a call"),
        ("Revenue rose by five percent.", None),
        ("Dear all,\nhere is", None),
        ("2024 2025 12.5 13.9", None),
        ("a | b", None),
        ("x" * 200, None),
        ("", None),
    ],
)
def test_the_first_line_may_be_a_title(text: str, title: str | None) -> None:
    assert title_line(text) == title


@pytest.mark.parametrize(
    ("typed", "rows"),
    [
        (
            "           2024   2025\nSales       5.1    6.2\n----------------------\nCosts       (4)     5%",
            ["|  | 2024 | 2025 |", "|---|---|---|", "| Sales | 5.1 | 6.2 |", "| Costs | (4) | 5% |"],
        ),
        (
            "Name    Country   EUR/kg\nBrzez   Poland    2.24\nVal dA  Italy     -",
            [
                "| Name | Country | EUR/kg |",
                "|---|---|---|",
                "| Brzez | Poland | 2.24 |",
                "| Val dA | Italy | - |",
            ],
        ),
        (
            "Sales   12.4   13.1\nCosts    9.0    9.9\nProfit   3.4    3.2",
            [
                "|  |  |  |",
                "|---|---|---|",
                "| Sales | 12.4 | 13.1 |",
                "| Costs | 9.0 | 9.9 |",
                "| Profit | 3.4 | 3.2 |",
            ],
        ),
    ],
)
def test_columns_set_with_spaces_are_a_table(typed: str, rows: list[str]) -> None:
    assert with_tables(f"Above.\n\n{typed}\n\nBelow.") == "\n\n".join(["Above.", "\n".join(rows), "Below."])


@pytest.mark.parametrize(
    "typed",
    [
        "def f(x):\n    a  = 1\n    b  = 2",
        "Dear all,\nthis  is 5\nand  is 6",
        "---\n===\n---",
        "Title\n=====\n-----",
        "1  one\n2  two\n3  three",
        "Name   Age\nAnn    31\nBo  7  8",
        "One line  5\nOther   6",
        "Left side   5\nx  6\nThe longer one here   7",
    ],
)
def test_what_does_not_line_up_stays_as_it_was_typed(typed: str) -> None:
    assert with_tables(typed) == typed


def test_rows_pasted_from_a_sheet_are_a_table() -> None:
    text = "Sales by region\nRegion\tQ1\tQ2\nNorth\t12\t14\nSouth\t\t9\nAll figures are drafts."
    assert with_tables(text).split("\n") == [
        "Sales by region",
        "| Region | Q1 | Q2 |",
        "|---|---|---|",
        "| North | 12 | 14 |",
        "| South |  | 9 |",
        "All figures are drafts.",
    ]


def test_a_statement_pasted_from_a_page_has_its_columns_named() -> None:
    """Cells broken over lines, a sign beside its figure, columns set apart by empty cells, a label on its own line."""
    text = (
        "(In millions)\nThree Months Ended\t\tSix Months Ended\nMarch 30,\n2024\t\tApril 1,\n2023\t\tMarch 30,\n2024"
        "\t\tApril 1,\n2023\nNet sales:\nProducts\t$\t66 \t\t\t$\t73 \t\t\t$\t163 \t\t\t$\t170\n"
        "Services\t23 \t\t\t(20\t)\t\t46 \t\t\t41\nCash, beginning balances\n$\t1 \t\t\t—\t\t\t3\t\t\t4"
    )
    assert with_tables(text).split("\n") == [
        "(In millions)",
        "|  | Three Months Ended March 30, 2024 | Three Months Ended April 1, 2023 "
        "| Six Months Ended March 30, 2024 | Six Months Ended April 1, 2023 |",
        "|---|---|---|---|---|",
        "| Net sales: |  |  |  |  |",
        "| Products | $66 | $73 | $163 | $170 |",
        "| Services | 23 | (20) | 46 | 41 |",
        "| Cash, beginning balances | $1 | — | 3 | 4 |",
    ]


def test_one_name_spans_all_columns_of_a_pasted_statement() -> None:
    text = (
        "Six Months Ended\nMarch 30,\n2024\t\tApril 1,\n2023\nOpening cash\n$\t30\t\t$\t24\nNet income\t57\t\t54\n"
        "Other\t1\t\t2"
    )
    names, _, opening, *_ = with_tables(text).split("\n")
    assert names == "|  | Six Months Ended March 30, 2024 | Six Months Ended April 1, 2023 |"
    assert opening == "| Opening cash | $30 | $24 |"


@pytest.mark.parametrize(
    "text",
    [
        "\tA paragraph that is set in,\n\tline by line, with tabs,\n\tis still a paragraph.",
        "Present:\tAda, Ben\nApologies:\tCleo\nIn the chair:\tAda",
        "2024-03-01 09:00\tstart\tworker 1\n2024-03-01 09:05\tstop\tworker 1\n2024-03-01 09:09\tstart\tworker 2",
        "Region\t\t2024\t\t2023\nNorth\t1\t\t2\nSouth\t3\nEast\t4\t\t5",
    ],
    ids=["set in", "labels", "log", "a cell is missing"],
)
def test_tabs_that_set_no_table_stay(text: str) -> None:
    assert with_tables(text) == text

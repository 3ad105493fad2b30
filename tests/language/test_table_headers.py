"""Headers of several lines, notes on units and lines that head a group: each cell knows what it is for."""

from masis.language.statements import statements
from masis.language.table_headers import GROUP, groups, read_header, stacked_header


def cells(text: str, label: str) -> dict[str, str]:
    row = next(s for s in statements(text) if s.is_row and s.cells[0][1] == label)
    return dict(row.cells[1:])


def test_a_name_over_all_columns_joins_the_years_below_it() -> None:
    table = " |  | Years Ended December 31, |\n | 2019 | 2018\nOperating activities | $(426) | $(2,694)"
    assert cells(table, "Operating activities") == {
        "Years Ended December 31, 2019": "$(426)",
        "Years Ended December 31, 2018": "$(2,694)",
    }


def test_names_over_some_columns_reach_to_the_next_name() -> None:
    table = " | Revenues |  | Income |\n(in thousands) | 2019 | 2018 | 2019 | 2018\nTankers | 943 | 776 | 123 | 7"
    assert cells(table, "Tankers") == {
        "Revenues 2019": "943",
        "Revenues 2018": "776",
        "Income 2019": "123",
        "Income 2018": "7",
    }


def test_a_unit_in_a_line_of_its_own_is_said_of_the_table() -> None:
    table = " | 2020 | 2018\n |  | (in millions)\nState taxes | 22 | 10"
    row = statements(table)[-1]
    assert "(in millions)" in row.above
    assert dict(row.cells)["2020"] == "22"


def test_a_row_without_figures_heads_those_below_it() -> None:
    table = " | Gross | Net\n2019 |  |\nTotal | 19 | 18\n2018 |  |\nTotal | 15 | 14"
    assert [dict(s.cells)[GROUP] for s in statements(table)] == ["2019", "2018"]


def test_a_plain_table_is_read_as_before() -> None:
    rows = [["Bread", "Price"], ["Rye", "4.80"], ["Wheat", "3.90"]]
    assert read_header(rows).names == ["Bread", "Price"]
    assert read_header(rows).lines == 1
    assert groups(rows[1:]) == ["", ""]


def test_a_row_without_a_label_is_no_header() -> None:
    assert read_header([["Name", "Note"], ["", "more"], ["B", "y"]]).lines == 1
    assert read_header([["", "2019"], ["", "$1,614"], ["B", "2"]]).lines == 1


def test_the_header_of_a_printed_table_stands_in_lines_above_it() -> None:
    above = [
        "Three Months Ended Nine Months Ended",
        "July 1,",
        "2023",
        "June 25,",
        "2022",
        "July 1,",
        "2023",
        "June 25,",
    ]
    assert stacked_header([*above, "2022"], [5, 5]).names == [
        "",
        "Three Months Ended July 1, 2023",
        "Three Months Ended June 25, 2022",
        "Nine Months Ended July 1, 2023",
        "Nine Months Ended June 25, 2022",
    ]


def test_a_day_above_a_line_of_years_belongs_to_all_of_them() -> None:
    above = ["Three Months Ended", "September 30,", "Nine Months Ended", "September 30,", "2021 2022 2021 2022"]
    assert stacked_header(above, [5]).names[1:3] == [
        "Three Months Ended September 30, 2021",
        "Three Months Ended September 30, 2022",
    ]


def test_lines_with_more_or_fewer_dates_than_columns_name_none() -> None:
    assert stacked_header(["As of March 31, 2023", "and December 31, 2022"], [4]).names == []
    assert stacked_header([], [3]).names == []


def test_currency_and_per_cent_set_apart_belong_to_their_number() -> None:
    text = "2022 2021\nResearch and development $ 7,709 $ 6,306\nShare of sales 7 % 5 %\nOther $ (12) $ (3)"
    assert [value for s in statements(text) for _, value in s.cells[1:]] == [
        "$7,709", "$6,306", "7%", "5%", "$(12)", "$(3)",
    ]  # fmt: skip

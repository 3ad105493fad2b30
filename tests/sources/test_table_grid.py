import pytest

from masis.sources.table_grid import MAX_SPAN, Cell, grid, span, table_lines, with_rules


def test_spans_over_rows_repeat_and_over_columns_do_not() -> None:
    rows = [[Cell("a", height=3), Cell("b", width=2)], [Cell("c"), Cell("d", height=2)], [Cell("e")]]
    assert grid(rows) == [["a", "b", ""], ["a", "c", "d"], ["a", "e", "d"]]


def test_a_cell_that_spans_both_ways_stands_once_in_each_row() -> None:
    assert grid([[Cell("x", 2, 2), Cell("y")], [Cell("z")]]) == [["x", "", "y"], ["x", "", "z"]]


@pytest.mark.parametrize(
    ("value", "expected"), [("3", 3), ("0", 1), ("", 1), (None, 1), ("-2", 1), ("9999999", MAX_SPAN)]
)
def test_a_span_is_bounded(value: str | None, expected: int) -> None:
    assert span(value) == expected


def test_a_header_of_several_rows_is_one_row_and_the_unit_a_line_above() -> None:
    rows = [
        ["", "Years ended December 31,", ""],
        ["", "2025", "2024"],
        ["", "(in millions)", ""],
        ["Sales", "$1,200", "$1,100"],
        ["Costs:", "", ""],
        ["Staff", "(300)", "(280)"],
    ]
    assert table_lines(rows) == [
        "(in millions)",
        "|  | Years ended December 31, 2025 | Years ended December 31, 2024 |",
        "|---|---|---|",
        "| Sales | $1,200 | $1,100 |",
        "| Costs: |  |  |",
        "| Staff | (300) | (280) |",
    ]


def test_a_table_that_begins_with_amounts_has_no_header() -> None:
    assert table_lines([["Sales", "$5"], ["Costs", "$4"]])[:3] == ["|  |  |", "|---|---|", "| Sales | $5 |"]


def test_one_column_is_lines_and_empty_columns_are_left_out() -> None:
    assert table_lines([["a"], ["b"], [""]]) == ["a", "b"]
    assert table_lines([["a", "", "b"], ["c", "", "d"]]) == ["| a | b |", "|---|---|", "| c | d |"]


def test_rows_read_line_by_line_get_their_rule() -> None:
    ruled = "Text\n| a | b |\n|---|---|\n| c | d |\nAfter"
    assert with_rules("Text\n| a | b |\n| c | d |\nAfter") == with_rules(ruled) == ruled

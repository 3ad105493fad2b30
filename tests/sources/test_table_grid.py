import pytest

from masis.sources.table_grid import MAX_SPAN, Cell, grid, span


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

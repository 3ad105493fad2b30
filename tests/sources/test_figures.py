import pytest
from hypothesis import given
from hypothesis import strategies as st

from masis.sources.office.sheets import displayed, readable_float, readable_number


@pytest.mark.parametrize(
    ("value", "text"),
    [(12.0, "12"), (0.1 + 0.2, "0.3"), (-3.5, "-3.5"), (1234567.891, "1234567.891"), (1e20, "1e+20"), (0.0, "0")],
)
def test_a_figure_as_a_person_writes_it(value: float, text: str) -> None:
    assert readable_float(value) == text


@pytest.mark.parametrize(
    ("text", "readable"),
    [
        ("6.3000000000000007", "6.3"),
        ("1.5E3", "1500"),
        ("2024", "2024"),
        ("007", "007"),
        ("1.50", "1.50"),
        ("x1e5", "x1e5"),
    ],
)
def test_only_figures_in_writing_are_changed(text: str, readable: str) -> None:
    assert readable_number(text) == readable


ACCOUNTING = '_($* #,##0_);_($* (#,##0);_($* "-"??_);_(@_)'


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (1234567.891, "#,##0", "1,234,568"),
        (1234.5, "#,##0", "1,235"),
        (-1234.5, "#,##0.00;(#,##0.00)", "(1,234.50)"),
        (0.1234, "0.0%", "12.3%"),
        (1234567, '$#,##0.0,,"M"', "$1.2M"),
        (12.5, "[$€-407] #,##0.00", "€ 12.50"),
        (-1234, ACCOUNTING, "$(1,234)"),
        (0, ACCOUNTING, "$-"),
        (0, "#,##0", "0"),
        (-5, "0", "-5"),
        (-0.2, "0", "0"),
        (1234.5, '#,##0.0 "kg"', "1,234.5 kg"),
        (3.14159, "0.00##", "3.1416"),
        (7, "General", "7"),
        (45000, "yyyy-mm-dd", "45000"),
        (1.5, "# ?/?", "1.5"),
        (5550123, "000-0000", "5550123"),
        (0.3, "[h]:mm", "0.3"),
        (1e20, "#,##0", "1e+20"),
    ],
)
def test_a_figure_as_its_cell_shows_it(value: float, code: str, text: str) -> None:
    assert displayed(value, code) == text


@given(st.floats(allow_nan=False, allow_infinity=False), st.text('0#?.,;%$-+()_*"\\\\[] xE@', max_size=40))
def test_any_format_shows_a_finite_figure_as_text_or_not_at_all(value: float, code: str) -> None:
    shown = displayed(value, code)
    assert shown == shown.strip()
    assert not {"nan", "inf"} & {shown.lower().strip("-")}

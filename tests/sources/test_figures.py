import pytest

from masis.sources.office.number_format import readable_float, readable_number


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

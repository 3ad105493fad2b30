import pytest

from masis.language.quantities import quantities


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("400 units a day", "day"),
        ("400 units daily", "day"),
        ("€1,200 per year", "year"),
        ("€1,200 per annum", "year"),
        ("5 mg/day", "day"),
        ("17.0% a year earlier", None),
        ("400 units a year after launch", None),
        ("400 units", None),
    ],
)
def test_how_often_is_read_with_its_number(text: str, rate: str | None) -> None:
    assert quantities(text)[0].rate == rate

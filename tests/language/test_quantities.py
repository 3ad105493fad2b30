import pytest
from hypothesis import given
from hypothesis import strategies as st

from masis.language.quantities import Period, periods, quantities


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("$184.1 million", 184.1e6, "money"),
        ("$171.3M", 171.3e6, "money"),
        ("US$ 5bn", 5e9, "money"),
        ("EUR 4.2bn", 4.2e9, "money"),
        ("4,200 million dollars", 4.2e9, "money"),
        ("€1,250", 1250, "money"),
        ("7.4 %", 7.4, "percent"),
        ("7.4 per cent", 7.4, "percent"),
        ("9 percent", 9, "percent"),
        ("0.5 percentage points", 0.5, "points"),
        ("25 basis points", 0.25, "points"),
        ("4,213 employees", 4213, "number"),
        ("1.5m people", 1.5e6, "number"),
        ("eleven weeks", 11, "number"),
        ("-3.5%", -3.5, "percent"),
        ("412,6 Mio. EUR", 412.6e6, "money"),
        ("3 Milliarden Euro", 3e9, "money"),
        ("2,5 Mrd. EUR", 2.5e9, "money"),
        ("412,6 millions d'euros", 412.6e6, "money"),
        ("3 milliards d’euros", 3e9, "money"),
        ("7,4 Prozent", 7.4, "percent"),
        ("7,4 pour cent", 7.4, "percent"),
        ("1,7 Prozentpunkte", 1.7, "points"),
        ("1.412,9", 1412.9, "number"),
        ("1 200 000", 1.2e6, "number"),
        ("1\u202f200\u202f000", 1.2e6, "number"),
        ("1\u00a0200 sensors", 1200, "number"),
        ("1 200 sensors", 1200, "number"),
        ("twenty-five million", 25e6, "number"),
        ("1,200", 1200, "number"),
        ("3,25", 3.25, "number"),
        ("₹2,54,970 crore", 2_549_700_000_000, "money"),
        ("Rs. 12.5 lakh", 1_250_000, "money"),
    ],
)
def test_value_and_unit(text: str, value: float, unit: str) -> None:
    (found,) = quantities(text)
    assert found.value == pytest.approx(value)
    assert found.unit == unit


@pytest.mark.parametrize(
    "text",
    [
        "fiscal 2025",
        "Q3 2025",
        "14 March 2026",
        "ISO 27001",
        "Section 3",
        "CO2",
        "the 3rd attempt",
        "2025-03-14",
        "v1.2.3",
    ],
)
def test_labels_and_dates_are_not_quantities(text: str) -> None:
    assert quantities(text) == []


@pytest.mark.parametrize(
    ("a", "b", "agree"),
    [
        ("$4.2bn", "4,213 million dollars", True),
        ("$4.2bn", "$4.3bn", False),
        ("7.4 %", "7.4 percent", True),
        ("7.4 %", "7.5 %", False),
        ("7 %", "7.4 %", True),
        ("24", "23.6", True),
        ("24", "25", False),
        ("$12 million", "€12 million", False),
        ("12 %", "12", False),
        ("184.1", "$184.1 million", True),
        ("18.41", "$184.1 million", False),
        ("24 months", "two years", True),
        ("36 months", "two years", False),
        ("14 days", "two weeks", True),
        ("60 °C", "60 °F", False),
        ("10 km", "10 miles", False),
        ("5 kg", "5 lb", False),
        ("5 km", "5000 metres", True),
    ],
)
def test_values_are_compared_as_far_as_they_are_given(a: str, b: str, agree: bool) -> None:
    ours, theirs = quantities(a)[0], quantities(b)[0]
    assert ours.agrees_with(theirs) is agree
    assert theirs.agrees_with(ours) is agree


@pytest.mark.parametrize(
    ("bound", "value", "met"),
    [
        ("over 1,000 customers", "1,012 customers", True),
        ("over 1,000 customers", "912 customers", False),
        ("at least $5 million", "$6 million", True),
        ("up to 40 people", "38 people", True),
        ("up to 40 people", "41 people", False),
        ("nearly 1,000 customers", "985 customers", True),
        ("nearly 1,000 customers", "500 customers", False),
        ("about 410 people", "412 people", True),
        ("about 410 people", "460 people", False),
        ("no less than 10 people", "12 people", True),
        ("1,000+ customers", "1,012 customers", True),
        ("over 300 people", "$412 million", False),
        ("spread over 3 years", "5 years", False),
        ("over 1,000 customers", "over 2,000 customers", False),
    ],
)
def test_a_bound_is_met_by_its_own_kind(bound: str, value: str, met: bool) -> None:
    assert quantities(bound)[0].is_met_by(quantities(value)[0]) is met


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("in fiscal 2025", Period(2025)),
        ("FY24", Period(2024)),
        ("FY2024", Period(2024)),
        ("Q3 2025", Period(2025, "Q3")),
        ("the third quarter of 2026", Period(2026, "Q3")),
        ("H1 2025", Period(2025, "H1")),
        ("14 March 2026", Period(2026, "03-14")),
        ("March 14, 2026", Period(2026, "03-14")),
        ("March 2026", Period(2026, "03")),
        ("2026-03-14", Period(2026, "03-14")),
        ("Oct-24", Period(2024, "10")),
        ("Jan '25", Period(2025, "01")),
    ],
)
def test_periods(text: str, expected: Period) -> None:
    assert periods(text) == [expected]


@pytest.mark.parametrize("text", ["Dec-31", "Jun-30", "Feb-28", "Oct-24 2025"])
def test_a_day_is_not_a_year(text: str) -> None:
    assert all(period.year in (None, 2025) for period in periods(text))


def test_may_is_a_month_only_where_it_is_written_as_one() -> None:
    assert periods("it may 5 times") == []
    assert periods("on May 5") == [Period(None, "05-05")]


@pytest.mark.parametrize(
    ("a", "b", "excludes"),
    [
        (Period(2025), Period(2024), True),
        (Period(2025), Period(2025, "Q3"), False),
        (Period(2025, "Q2"), Period(2025, "Q3"), True),
        (Period(None, "Q3"), Period(2025), False),
        (Period(2026, "03"), Period(2026, "03-14"), False),
    ],
)
def test_periods_exclude_each_other_only_where_both_say_so(a: Period, b: Period, excludes: bool) -> None:
    assert a.excludes(b) is b.excludes(a) is excludes


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    for found in quantities(text):
        assert 0 <= found.start < found.end <= len(text)
    periods(text)


@given(st.floats(0.1, 9999, allow_nan=False).map(lambda v: round(v, 1)))
def test_scale_words_and_plain_digits_agree(value: float) -> None:
    assert quantities(f"${value} million")[0].agrees_with(quantities(f"${value * 1e6:,.0f}")[0])


@pytest.mark.parametrize("text", ["Deficit 2023/24", "in 2021-22 and 2022–23", "1999/00", "funds in FY 10-11"])
def test_the_second_half_of_a_split_year_counts_nothing(text: str) -> None:
    assert quantities(text) == []


def test_what_follows_a_year_and_is_not_the_next_one_counts() -> None:
    assert [q.value for q in quantities("in 2023/24 24 beds, 2020/50")] == [24, 50]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("January–June 2023", "H1"),
        ("July to December 2023", "H2"),
        ("Oct-Dec 2023", "Q4"),
        ("May–June 2023", "06"),
        ("January – December 2023", None),
    ],
)
def test_a_span_of_months_is_a_half_or_a_quarter(text: str, part: str | None) -> None:
    assert periods(text) == [Period(2023, part)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("4 812", [4812]),
        ("| Power sales | 4 812 | 5 977 |", [4812, 5977]),
        ("more than in 2024 (4 812)", [4812]),
        ("rows 4 812, 5 977", [4, 812, 5, 977]),
    ],
)
def test_a_space_between_thousands_is_read_where_nothing_else_can_be_meant(text: str, values: list[float]) -> None:
    assert [quantity.value for quantity in quantities(text)] == values

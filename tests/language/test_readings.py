from hypothesis import given
from hypothesis import strategies as st

from masis.language.periods import Period
from masis.language.readings import read_prose, readings
from masis.language.statements import statements


def when(text: str) -> list[tuple[str, list[int | None]]]:
    return [(r.quantity.text, [p.year for p in r.periods]) for r in read_prose(text)]


def test_a_number_takes_the_period_of_its_clause() -> None:
    assert when("In 2025, sales were 412 units, up from 381 units in 2024.") == [("412", [2025]), ("381", [2024])]
    assert when("Sales rose from 381 in 2024 to 412 in 2025.") == [("381", [2024]), ("412", [2025])]
    assert when("There were 612 people in 2025 (2024: 590).") == [("612", [2025]), ("590", [2024])]
    assert when("Sales grew 7% between 2024 and 2025.") == [("7%", [2024, 2025])]
    assert when("On March 14, 2025 the board approved 5 million.") == [("5 million", [2025])]


def test_a_compared_number_without_a_period_is_for_an_earlier_time() -> None:
    old, new = read_prose("Sales rose from 381 to 412 in 2025.")
    assert (old.is_earlier, old.periods) == (True, ())
    assert (new.is_earlier, new.periods) == (False, (Period(2025),))


def test_numbers_and_periods_that_cannot_be_paired_are_unclear() -> None:
    assert not any(r.is_clear for r in read_prose("They were 4, 5 and 6 in 2024 and 2025, respectively."))


def test_a_cell_takes_the_period_of_its_column_and_the_scale_of_its_caption() -> None:
    *_, row = statements("Sales (in $ millions)\n|Region|2024|2025|Change|\n|---|---|---|---|\n|Europe|56.6|62.8|11%|")
    assert [(r.quantity.value, r.periods) for r in readings(row)] == [
        (56.6e6, (Period(2024),)),
        (62.8e6, (Period(2025),)),
        (11, ()),
    ]
    assert [r.is_change for r in readings(row)] == [False, False, True]


def test_only_a_caption_speaks_for_other_numbers() -> None:
    assert [r.quantity.unit for r in read_prose("Revenue (EUR 5 million) and 612 employees")] == ["money", "number"]
    *_, row = statements("Revenue grew 5% in 2025.\n|Region|Staff|\n|---|---|\n|Europe|62|")
    assert [r.quantity.unit for r in readings(row)] == ["number"]


@given(st.text(alphabet=st.sampled_from("a 1,2.0-;:|from and in 2025respectively%$"), max_size=120))
def test_any_text_can_be_read(text: str) -> None:
    assert all(r.quantity.text for r in read_prose(text))

"""Figures that the source does not print, but gives the numbers of; and tables as reports print them."""

import pytest

from masis.audit.checks.support import check_support
from tests.support.engines import chunk

REPORT = chunk(
    "c1",
    "Net sales by region were as follows (dollars in thousands):\n\n"
    " | Years ended December 31, | \n | 2019 | 2018 | 2017\n"
    "Americas | $259,105 | $224,056 | $210,000\nEurope | 120,000 | 100,000 | (2,500)\n"
    "Total net sales | 379,105 | 324,056 | 207,500",
)


@pytest.mark.parametrize(
    "claim",
    [
        "Net sales in Americas were $259.1 million in 2019.",
        "The change in net sales in Europe between 2018 and 2019 was $20,000 thousand.",
        "The percentage change in net sales in Europe from 2018 to 2019 was 20%.",
        "The average net sales in Europe for 2018 and 2019 were $110,000 thousand.",
        "The sum of net sales in Europe for 2018 and 2019 is $220,000 thousand.",
        "Europe's proportion of total net sales in 2019 was 31.65%.",
        "Net sales in Europe rose by 20% in 2019.",
    ],
)
def test_what_follows_from_the_table_is_supported(claim: str) -> None:
    assert check_support(claim, [REPORT]).verdict == "supported"


@pytest.mark.parametrize(
    "claim",
    [
        "Net sales in Americas were $259.1 billion in 2019.",
        "Net sales in Americas were €259.1 million in 2019.",
        "Net sales in Americas were $224.1 million in 2019.",
        "Net sales in Americas were $259.1 million in 2015.",
        "The percentage change in net sales in Europe from 2018 to 2019 was 25%.",
        "The average net sales in Europe for 2018 and 2019 were $130,000 thousand.",
        "Net sales in Europe fell by 20% in 2019.",
    ],
)
def test_what_does_not_follow_differs(claim: str) -> None:
    assert check_support(claim, [REPORT]).verdict == "numbers_differ"


def test_a_denied_cell_is_contradicted() -> None:
    assert check_support("Net sales in Americas were not $259.1 million in 2019.", [REPORT]).verdict == "contradicted"


@pytest.mark.parametrize(("figure", "verdict"), [("$9 million", "numbers_differ"), ("$7.4 million", "unverified")])
def test_a_result_that_some_figures_come_to_is_left_open(figure: str, verdict: str) -> None:
    source = chunk(
        "c1", "Assets were $4 million and debts $3 million.\n\nIn the notes are $2.2 million and $5.2 million."
    )
    assert check_support(f"Leases and the notes together are {figure}.", [source]).verdict == verdict


def test_a_figure_of_no_calculation_must_stand_in_the_source() -> None:
    source = chunk("c1", "Diluted EPS leaves out 1.1 million shares; 3.3 million were granted and 5.5 million vested.")
    assert check_support("Diluted EPS leaves out 4.4 million shares.", [source]).verdict == "numbers_differ"


@pytest.mark.parametrize(
    ("source", "claim", "verdict"),
    [
        ("Growth is expected to be 4% to 6%.", "Growth of between 4 and 6% is expected.", "supported"),
        ("Growth is expected to be 4% to 6%.", "Growth of between 4 and 8% is expected.", "numbers_differ"),
        ("Capital spending will be $4 to 6 million.", "Capital spending of $4 million to $6 million.", "supported"),
        ("The margin rose 50 basis points.", "The margin rose 0.5 percentage points.", "supported"),
        ("The margin rose 50 basis points.", "The margin rose 50 percentage points.", "numbers_differ"),
        ("The margin rose to 7.4%.", "The margin rose to 7.4 percentage points.", "numbers_differ"),
        ("Fewer than 300 people work there.", "More than 300 people work there.", "numbers_differ"),
        ("The war ended in 1648.", "In 1645 the war ended.", "numbers_differ"),
        ("Sales in the third quarter of 2025 were weak.", "Sales in the first quarter of 2025 were weak.",
         "numbers_differ"),
        ("The figures are for 2017-2019.", "The figures for 2017 and 2019.", "supported"),
    ],
)  # fmt: skip
def test_ranges_units_and_times(source: str, claim: str, verdict: str) -> None:
    assert check_support(claim, [chunk("c1", source)]).verdict == verdict

"""Verbs that undo each other, and shares that are not the same."""

import pytest

from masis.audit.checks.support import check_support
from tests.support.engines import chunk

STAFF = "The policy covers all staff except contractors."


def verdict(claim: str, source: str) -> str:
    return check_support(claim, [chunk("c1", source)]).verdict


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Anna Lee joined the board in May.", "Anna Lee left the board in May."),
        ("The board appointed Anna Lee.", "The board dismissed Anna Lee."),
        ("The regulator approved the drug in March.", "The regulator refused the drug in March."),
        ("The regulator approved the drug in March.", "The regulator rejected the drug in March."),
        ("The company hired 40 engineers.", "The company fired 40 engineers."),
        ("Acme opened the plant in Brno.", "Acme closed the plant in Brno."),
        ("Acme won the case in Lyon.", "Acme lost the case in Lyon."),
        ("The board accepted the offer.", "The board declined the offer."),
        ("The city allowed scooters in parks.", "The city banned scooters in parks."),
        ("Aspirin is recommended in pregnancy.", "Aspirin is contraindicated in pregnancy."),
        (STAFF, "The policy covers all staff including contractors."),
    ],
)
def test_an_opposite_verb_contradicts(source: str, claim: str) -> None:
    assert verdict(claim, source) == "contradicted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Anna Lee joined the board in May and left the bank.", "Anna Lee left the bank."),
        ("The board accepted the offer as sales declined.", "Sales declined."),
        ("Scooters are banned in parks.", "Scooters are not allowed in parks."),
        ("The board did not accept the offer.", "The board declined the offer."),
        ("The regulator approved the drug in March.", "In March the drug was approved by the regulator."),
        (STAFF, "The policy excludes contractors but covers all staff."),
        ("Aspirin is contraindicated in children under 16.", "Children younger than 16 should not take aspirin."),
        (
            "Aspirin is contraindicated in children under 16; adults may take it.",
            "Children under 16 should not take it.",
        ),
        ("Children under 16 should not take aspirin.", "Aspirin is contraindicated in children under 16."),
    ],
)
def test_the_same_or_something_else_does_not(source: str, claim: str) -> None:
    assert verdict(claim, source) != "contradicted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Revenue rose 98% in 2024.", "Revenue doubled in 2024."),
        ("Revenue rose 12% in Asia and doubled in Europe.", "Revenue doubled in Europe."),
        ("Costs rose 12%, and revenue grew from $2 million to $4 million.", "Revenue doubled."),
        ("Costs rose 12% in 2024.", "Revenue doubled in 2024."),
    ],
)
def test_a_multiple_that_may_be_right_is_no_other_figure(source: str, claim: str) -> None:
    assert verdict(claim, source) != "numbers_differ"

"""A verb that the source lacks leaves a claim to a reader of meaning."""

import pytest

from masis.audit.checks.support import check_support
from tests.support.engines import chunk


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Acme audited the plant in Brno in May.", "Acme bought the plant in Brno in May."),
        (
            "The committee discussed the merger with Borex on Monday.",
            "The committee signed the merger with Borex on Monday.",
        ),
        ("The Lyon laboratory was inspected by the agency.", "The Lyon laboratory was fined by the agency."),
    ],
)
def test_another_verb_is_left_open(source: str, claim: str) -> None:
    found = check_support(claim, [chunk("c1", source)])
    assert found.verdict == "unverified"
    assert found.is_open


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Acme acquired the plant in Brno in May.", "Acme bought the plant in Brno in May."),
        ("Revenue in fiscal 2025 was $184.1 million.", "Revenue in fiscal 2025 reached $184.1 million."),
        (
            "The board took the decision to close the Lyon laboratory.",
            "The board decided to close the Lyon laboratory.",
        ),
        ("Production in the Lyon plant began in May 2024.", "Production in the Lyon plant started in May 2024."),
        (
            "Expense | 2025\nResearch and development | 22.7",
            "Research and development expense was valued at 22.7 in 2025.",
        ),
    ],
)
def test_a_verb_that_says_the_same_is_not(source: str, claim: str) -> None:
    assert check_support(claim, [chunk("c1", source)]).verdict in ("supported", "verbatim")

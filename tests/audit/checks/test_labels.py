"""“Site 3” and “Site 1” are two sites."""

import pytest

from masis.audit.checks.labels import labels
from masis.audit.checks.support import check_support
from tests.support.engines import chunk

SITES = "Output by site\nSite | 2023 | 2024\nSite 1 | 242 | 37\nSite 2 | 250 | 44\nSite 3 | 300 | 81"
PHASES = "Phase 2 enrolled 242 patients. Phase 3 enrolled 300 patients."
PRICES = "Name | Price\nItem 0 | 17\nItem 3 | 21\nProduct 7 | 33\nProduct 9 | 35"


def verdict(claim: str, source: str) -> str:
    return check_support(claim, [chunk("c1", source)]).verdict


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (SITES, "Site 3 had 37 in 2024."),
        (SITES, "In 2023, Site 1 had 300."),
        (PHASES, "Phase 3 enrolled 242 patients."),
        (PHASES, "Phase 2 enrolled 300 patients."),
        (PRICES, "Item 3 has a price of 17."),
        (PRICES, "The price of Product 9 is 33."),
    ],
)
def test_the_figure_of_another_label_is_no_support(source: str, claim: str) -> None:
    assert verdict(claim, source) == "numbers_differ"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (SITES, "Site 3 had 81 in 2024."),
        (SITES, "Site 1 had 37 and Site 3 had 81 in 2024."),
        (SITES, "In 2024, Sites 1 and 3 had 37 and 81."),
        (SITES, "Site 3 had 44 more than Site 1 in 2024."),
        (PHASES, "242 patients were enrolled in Phase 2."),
        (PRICES, "The price of Product 9 is 35."),
        (PRICES, "Item 0 has a price of 17."),
    ],
)
def test_its_own_figure_is(source: str, claim: str) -> None:
    assert verdict(claim, source) in ("supported", "verbatim")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Site 3 and Phase 2", {("site", 3), ("phase", 2)}),
        ("Sites 1, 2 and 4", {("site", 1), ("site", 2), ("site", 4)}),
        ("Sites 1-3", {("site", 1), ("site", 2), ("site", 3)}),
        ("Revenue in Q3 of Fiscal 24, on May 3 and in March 2024", set()),
        ("Europe 3.5, Asia 12% and Africa 4 million", set()),
        ("About 40 staff; Page 3, Table 4", set()),
    ],
)
def test_what_is_a_label(text: str, found: set[tuple[str, int]]) -> None:
    assert labels(text) == found

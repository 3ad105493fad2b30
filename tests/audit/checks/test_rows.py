"""What a table, or a claim's own figures, prove wrong; and what they do not."""

import pytest

from masis.audit.checks.support import REFUTED, check_support
from tests.support.engines import chunk

STAFF = chunk(
    "c1",
    "| Average number of employees | 2020 | 2019 |\n|---|---|---|\n| Research and development | 1,983 | 1,898 |\n"
    "| Sales and marketing | 1,031 | 934 |\n| Administration | 398 | 412 |\n| Total | 3,412 | 3,244 |",
    heading="Note 6. Employees",
)
SEGMENTS = chunk(
    "c1",
    "Segment results (in millions):\n|  | Q1 2022 | Q1 2023 | Change |\n|---|---|---|---|\n| North America |  |  |  |\n"
    "| Net sales | $69,244 | $76,881 | 11% |\n| Operating income | 568 | 898 | 58% |\n| AWS |  |  |  |\n"
    "| Net sales | $18,441 | $21,354 | 16% |\n| Operating income | 6,518 | 5,123 | (21)% |",
)
NOTICE = chunk("c1", "We erase your data 24 months after your last order. The tunnel was completed in 1958.")


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Sales and marketing had 1,983 employees.", STAFF),
        ("Administration was the only function to grow, from 412 to 398 people.", STAFF),
        ("Administration grew in 2020.", STAFF),
        ("Research and development had 1,983 people, up from 2,898.", STAFF),
        ("AWS earned $898 million of operating income on $21.4 billion of net sales.", SEGMENTS),
        ("AWS operating income rose 21% to $5.1 billion.", SEGMENTS),
        ("Your data is erased 24 months before your last order.", NOTICE),
        (
            "It costs £0.5m for IT and £0.8m for redundancy.",
            chunk("c1", "Costs: fit-out £1.9m, IT £0.8m, redundancy £0.5m."),
        ),
        (
            "They healed in 23 days, four days sooner than the others (19 days).",
            chunk("c1", "It took 19 days, the others 23."),
        ),
        (
            "The rate was 15.8%, 5.2 percentage points above the statutory 21%.",
            chunk("c1", "Rate: 15.8%. Statutory: 21%."),
        ),
    ],
)
def test_what_is_proved_wrong(claim: str, source: dict[str, object]) -> None:
    assert check_support(claim, [source]).verdict in REFUTED  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Sales and marketing brought 1,031 of the 3,412 people.", STAFF),
        ("Research and development, with 1,983 employees, was well over half of the workforce (58%) in 2020.", STAFF),
        ("Sales and marketing added 97 people, Administration lost 14.", STAFF),
        (
            "AWS earned $5.1 billion of operating income on $21.4 billion of net sales, a margin of roughly 24%.",
            SEGMENTS,
        ),
        ("AWS operating income fell 21%, while North America's rose by 58% to $898 million.", SEGMENTS),
        ("The share of AWS in operating income fell although its net sales grew.", SEGMENTS),
        ("Your data is erased two years after your last order.", NOTICE),
        (
            "The pressure must never exceed 6 bar (600 kPa).",
            chunk("c1", "| Max. pressure | 6 bar |\n|---|---|\n| Flow | 45 |"),
        ),
        ("It costs $40,000 a month.", chunk("c1", "Rent is $480,000 per annum, due in monthly installments.")),
        ("It was 40% over budget.", chunk("c1", "It cost two fifths more than the budget.")),
        ("It is due by Friday, 4 October.", chunk("c1", "Minutes of 30 September 2024. Action: due by Friday.")),
    ],
)
def test_what_is_right_is_not_refuted(claim: str, source: dict[str, object]) -> None:
    assert check_support(claim, [source]).verdict not in REFUTED  # type: ignore[list-item]

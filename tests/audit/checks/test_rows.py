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
        ("Sales and marketing 1,031 and 412; administration 398 and 412.", STAFF),
        ("R&D had 934 people in 2019.", STAFF),
        ("Administration shrank from 412 people in 2019 to 398 in 2020, a change of 11%.", STAFF),
        ("Administration was the only function to grow, from 412 to 398 people.", STAFF),
        ("Administration grew in 2020.", STAFF),
        ("Research and development had 1,983 people, up from 2,898.", STAFF),
        ("AWS earned $898 million of operating income on $21.4 billion of net sales.", SEGMENTS),
        ("AWS operating income rose 21% to $5.1 billion.", SEGMENTS),
        ("Your data is erased 24 months before your last order.", NOTICE),
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


SEATS = chunk(
    "c0",
    "| Hall | City | Seats | Rows |\n|---|---|---|---|\n| Minster | York | 950 | 40 |\n| Docks | Hull | 1,210 | 31 |\n"
    "| Forge | Leeds | 780 | 22 |\n| Quay | Dover | 640 | 20 |\n| Mill | Bury | 505 | 18 |\n| Barn | Ripon | 90 | 9 |",
)


@pytest.mark.parametrize(
    ("claim", "is_so"),
    [
        ("Docks: Seats 1,210, more than Minster (950), Forge (780), Quay (640) and Mill (505).", True),
        ("Barn: Seats 90, less than Mill (505), Quay (640), Forge (780) and Minster (950).", True),
        ("Forge: Seats 780, more than Minster (950), Docks (1,210), Quay (640) and Mill (505).", False),
        ("Docks: Rows 31, more than Forge (780), Quay (640), Mill (505) and Barn (90).", False),
    ],
)
def test_an_order_of_rows_is_proved_by_their_figures_in_one_column(claim: str, is_so: bool) -> None:
    assert (check_support(claim, [SEATS]).verdict == "supported") is is_so


@pytest.mark.parametrize(("first", "second", "is_wrong"), [("7,442", "5,973", False), ("5,973", "7,442", True)])
def test_what_was_spent_on_a_thing_stands_in_its_row(first: str, second: str, is_wrong: bool) -> None:
    table = "| (in millions) | Q3 2023 | Q3 2022 |\n|---|---|---|\n| Research and development | $7,442 | $6,797 |\n"
    table += "| Selling, general and administrative | $5,973 | $6,012 |"
    claim = f"Apple spent ${first} million on research and development and ${second} million on selling, general and "
    found = check_support(f"{claim}administrative expenses in Q3 2023.", [chunk("c1", table)])
    assert (found.verdict == "numbers_differ") is is_wrong

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masis.sources.dates import find_date


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Date: 14 March 2026", "2026-03-14"),
        ("date: 2026-03-14", "2026-03-14"),
        ("**Date:** March 14, 2026", "2026-03-14"),
        ("Date | 14 March 2026", "2026-03-14"),
        ("Date – 14th of March, 2026", "2026-03-14"),
        ("Published: Saturday, 14 March 2026", "2026-03-14"),
        ("Published 14 March 2026 by the board", "2026-03-14"),
        ("Published on 3 Sept. 2025", "2025-09-03"),
        ("Issued: 14.03.2026", "2026-03-14"),
        ("Last updated: 2026/3/4", "2026-03-04"),
        ("Dated 1st January 2025", "2025-01-01"),
        ("Release date: Dec 31, 2025", "2025-12-31"),
        ("Date of publication: 5 May 2024", "2024-05-05"),
        ("As of 31 December 2025", "2025-12-31"),
        ("(as of December 31, 2025)", "2025-12-31"),
        ("Date: March 2026", "2026-03"),
        ("Date: 2026-03", "2026-03"),
        ("Date: 2026", "2026"),
        ("Date: 25/12/2025", "2025-12-25"),
        ("Date: 12/25/2025", "2025-12-25"),
        ("Date: 05/05/2025", "2025-05-05"),
        ("Date: 03/04/2026", "2026"),
        ("Date: 29 February 2024", "2024-02-29"),
    ],
)
def test_a_line_that_dates_the_document(line: str, expected: str) -> None:
    assert find_date(f"Annual Report\n{line}\nRevenue rose.") == expected


@pytest.mark.parametrize(
    "line",
    [
        "As of 31 December 2025 the company had 612 employees.",
        "Issued 2000 new shares to the bank.",
        "Update: nothing new",
        "Date of birth: 5 May 1980",
        "Dates to remember: 5 May 2026",
        "The date: 5 May 2026",
        "On 5 May 2026 the board met.",
        "Date: 31 February 2026",
        "Date: 99.99.2026",
        "Date: to be announced",
        "Revenue: 2026",
        "Dated",
    ],
)
def test_a_line_that_does_not(line: str) -> None:
    assert find_date(line) is None


def test_the_first_usable_line_near_the_top_counts() -> None:
    assert find_date("Date: soon\nPublished: 2 May 2025\nDate: 3 May 2025") == "2025-05-02"
    assert find_date("Filler.\n" * 1000 + "Date: 2 May 2025") is None


@given(st.dates(min_value=date(1900, 1, 1), max_value=date(2099, 12, 31)))
def test_every_day_in_every_unambiguous_form(day: date) -> None:
    for form in ("%d %B %Y", "%B %d, %Y", "%Y-%m-%d", "%d.%m.%Y", "%d %b %Y", "%A, %d %B %Y"):
        assert find_date(f"Date: {day.strftime(form)}") == day.isoformat()


@given(st.text())
def test_never_fails(text: str) -> None:
    find_date(f"Date: {text}")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# Minutes\n\n15 January 2026\n\nThe board met.", "2026-01-15"),
        ("# Report\n\nQuality and Safety Committee, 2 April 2026\n\nText.", "2026-04-02"),
        ("# Report\n\nThe hospital opened on 2 April 2026 and has grown since.", None),
        ("# Report\n\nIt opened, we are told, on 2 April 2026.", None),
    ],
)
def test_a_date_that_stands_alone_or_closes_a_byline(text: str, found: str | None) -> None:
    assert find_date(text) == found

import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masis.sources.dates import date_in_name, dated, find_date, period_ended, period_in_name
from masis.types import Page, ParsedDocument


def is_of_the_calendar(found: str | None) -> bool:
    """None, or a year, month or day that exists."""
    return found is None or bool(date.fromisoformat(found + "-01-01"[len(found) - 4 :]))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Date: 14 March 2026", "2026-03-14"),
        ("Invoice date: 14 March 2026", "2026-03-14"),
        ("Held on 14 March 2026 in the Guildhall, Wexcombe", "2026-03-14"),
        ("Version 3.1, effective 14 March 2026. Owner: People Operations.", "2026-03-14"),
        ("*Approved by the Executive Committee on 14 March 2026. Applies to all.*", "2026-03-14"),
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
        ("LONDON, 3 March 2022 – The board met.", "2022-03-03"),
        ("Minutes of the meeting held on 14 June 2024", "2024-06-14"),
        ("Effective date: May 5, 2024", "2024-05-05"),
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
        "The merger became effective 3 May 2019.",
        "The plan was approved by the council on 3 May 2019.",
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
def test_any_text_gives_a_date_of_the_calendar_or_none(text: str) -> None:
    assert is_of_the_calendar(find_date(f"Date: {text}"))


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


# The period it covers, and dates from elsewhere


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("FORM 10-Q\nFor the quarterly period ended June 25, 2022\nor", ("quarter", "2022-06-25")),
        ("ANNUAL REPORT\nFor the fiscal year ended\nDecember 31, 2023", ("year", "2023-12-31")),
        ("Interim report for the six months ended 30 June 2024", ("six months", "2024-06-30")),
        ("Results for the half-year ended 30 June 2024", ("half-year", "2024-06-30")),
        ("For the transition period from to .", None),
        ("The year ended well. June 2024 did not.", None),
    ],
)
def test_the_period_on_a_first_page(page: str, expected: tuple[str, str] | None) -> None:
    assert period_ended(page) == expected


@pytest.mark.parametrize(
    ("name", "day", "period"),
    [
        ("policy-dated-2021-03-09", "2021-03-09", None),
        ("2021Q3", None, "Q3 2021"),
        ("2023 Q3 AAPL", None, "Q3 2023"),
        ("acme_q2-2024_results", None, "Q2 2024"),
        ("Annual Report FY22", None, "FY2022"),
        ("H1-2024", None, "H1 2024"),
        ("Board Minutes 9 March 2021", "2021-03-09", None),
        ("March-2021-newsletter", "2021-03", None),
        ("20240115_invoice", "2024-01-15", None),
        ("annual-report-2022", None, "2022"),
        ("report-2021-2022", None, None),
        ("invoice 120210309", None, None),
        ("ISO 9001 handbook", None, None),
        ("acme-q2-2024-10q", None, "Q2 2024"),
    ],
)
def test_what_a_file_name_says(name: str, day: str | None, period: str | None) -> None:
    assert (date_in_name(name), period_in_name(name)) == (day, period)


def test_what_a_document_says_comes_before_its_name_and_its_properties() -> None:
    def of(text: str, name: str, **known: str) -> tuple[str | None, str | None]:
        found = dated(ParsedDocument([Page(1, text)], **known), name)
        return found.date, found.period

    ended = "For the quarterly period ended June 25, 2022"
    assert of(ended, "2022 Q3 AAPL.pdf", made="2024-01-01") == ("2022-06-25", "quarter ended 2022-06-25")
    assert of(ended, "10q-2022-07-29.pdf") == ("2022-07-29", "quarter ended 2022-06-25")
    assert of(ended, "x.pdf", date="2022-08-01") == ("2022-08-01", "quarter ended 2022-06-25")
    assert of("Text.", "2021Q3.pdf", made="2024-01-01") == ("2021", "Q3 2021")
    assert of("Text.", "notes.pdf", made="2024-01-01") == ("2024-01-01", None)
    assert of("Text.", "Report 2021-22.pdf", made="2024-01-01") == ("2022", "FY2022")
    assert of("Text.", "Strategy 2030.pdf", made="2024-01-01") == ("2024-01-01", "2030")
    assert of("Text.", "notes.pdf") == (None, None)


@given(st.text("0123456789 -_.QFYHq", max_size=300))
def test_any_file_name_gives_a_date_of_the_calendar_or_none(name: str) -> None:
    assert is_of_the_calendar(date_in_name(name))
    period = period_in_name(name)
    assert period is None or re.fullmatch(r"FY\d{4}|[QH]\d \d{4}|\d{4}", period)

import pytest

from masis.audit.conflicts.issues import are_issues_of_one_series
from tests.support.engines import chunk


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("2023 Q1 AMZN.pdf", "2023 Q3 AMZN.pdf", True),
        ("annual-report-2023.pdf", "annual-report-2024.pdf", True),
        ("2023 Q1 AMZN.pdf", "2023 Q1 AAPL.pdf", False),
        ("document-1.txt", "document-2.txt", False),
        ("annual-report-2025.pdf", "board-memo-2026.docx", False),
    ],
)
def test_a_series_is_named_alike_but_for_the_period(first: str, second: str, expected: bool) -> None:
    assert are_issues_of_one_series(chunk(file_name=first), chunk(file_name=second)) is expected

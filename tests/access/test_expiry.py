from datetime import UTC, datetime

import pytest

from masis.access.api_key import end_of_validity
from masis.errors import InvalidInput

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("12h", "2026-03-02T00:00:00+00:00"),
        ("30d", "2026-03-31T12:00:00+00:00"),
        (" 2 W ", "2026-03-15T12:00:00+00:00"),
        ("2026-12-31", "2027-01-01T00:00:00+00:00"),  # good on that day
        ("2026-03-01", "2026-03-02T00:00:00+00:00"),
        ("2026-12-31T18:00", "2026-12-31T18:00:00+00:00"),
        ("2026-12-31T18:00:00+02:00", "2026-12-31T16:00:00+00:00"),
        ("2026-12-31T18:00:00Z", "2026-12-31T18:00:00+00:00"),
    ],
)
def test_moments_dates_and_spans(text: str, end: str) -> None:
    assert end_of_validity(text, NOW) == end


@pytest.mark.parametrize(
    "text", ["", "soon", "0d", "-3d", "3", "90y", "999999w", "٣d", "2026-02-30", "9999-12-31", "2026-01-01", "1.5d"]
)
def test_what_is_no_moment_to_come_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        end_of_validity(text, NOW)

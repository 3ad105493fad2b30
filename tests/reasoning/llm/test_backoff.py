from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from masis.reasoning.llm.failures import LONGEST_WAIT_SECONDS, full_jitter, retry_after


@pytest.mark.parametrize(("failures", "ceiling"), [(1, 0.5), (2, 1.0), (4, 4.0), (50, LONGEST_WAIT_SECONDS)])
def test_jitter_is_anywhere_below_a_ceiling_that_doubles(failures: int, ceiling: float) -> None:
    waits = [full_jitter(failures) for _ in range(400)]
    assert 0 <= min(waits) < ceiling * 0.2
    assert ceiling * 0.8 < max(waits) <= ceiling


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "12"}, 12.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": ""}, None),
    ],
)
def test_the_forms_of_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


@pytest.mark.parametrize("in_gmt", [True, False])
def test_a_date_is_a_wait_until_then(in_gmt: bool) -> None:
    then = datetime.now(UTC) + timedelta(seconds=600)
    date = format_datetime(then, usegmt=True) if in_gmt else format_datetime(then.replace(tzinfo=None))
    wait = retry_after({"retry-after": date})
    assert wait is not None
    assert 500 < wait <= 600


def test_a_date_in_the_past_is_no_wait() -> None:
    assert retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0.0

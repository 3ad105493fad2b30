"""How long to wait before a request is tried again."""

import random
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 8.0


def full_jitter(failures: int) -> float:
    """Any time up to a ceiling that doubles with each failure: clients that failed together spread out."""
    return random.uniform(0, min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** min(failures - 1, 10)))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds the provider asks for, in any of the three forms in use; None when it asks for none."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    asked = headers.get("retry-after")
    seconds = _number(asked)
    return seconds if seconds is not None else _until(asked)


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if number >= 0 else None


def _until(date: str | None) -> float | None:
    try:
        moment = parsedate_to_datetime(date or "")
    except ValueError:
        return None
    if moment.tzinfo is None:  # "-0000" says that the zone is unknown; HTTP dates are in UTC
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())

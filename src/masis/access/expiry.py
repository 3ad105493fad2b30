"""When a key ends: a moment, a date or a span, as people write them."""

import re
from datetime import UTC, date, datetime, time, timedelta

from masis.errors import InvalidInput

EXPIRY_RULE = "use a span like 12h, 30d or 8w, a date (2027-01-31) or a date and time, in UTC unless it says otherwise"
_SPAN = re.compile(r"(\d{1,6})\s*([hdw])", re.ASCII | re.IGNORECASE)
_HOURS = {"h": 1, "d": 24, "w": 24 * 7}


def iso(moment: datetime) -> str:
    """One form for all moments that are stored, so that their order is that of the strings."""
    return moment.astimezone(UTC).isoformat(timespec="seconds")


def utc_now() -> datetime:
    return datetime.now(UTC)


def end_of_validity(text: str, now: datetime) -> str:
    try:
        moment = _moment(text.strip(), now)
        written = iso(moment)
    except (ValueError, OverflowError):
        raise InvalidInput(f"“{text[:40]}” cannot be an expiry: {EXPIRY_RULE}.") from None
    if moment <= now:
        raise InvalidInput(f"The expiry {written} has passed already.")
    return written


def _moment(text: str, now: datetime) -> datetime:
    if span := _SPAN.fullmatch(text):
        return now + timedelta(hours=int(span[1]) * _HOURS[span[2].lower()])
    if len(text) <= len("2027-01-31"):
        # A key that ends on a day is good on that day.
        return datetime.combine(date.fromisoformat(text) + timedelta(days=1), time(), UTC)
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)

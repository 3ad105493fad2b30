"""The time as it is written down."""

from datetime import UTC, datetime, timedelta


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def days_ago(days: float) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="milliseconds")

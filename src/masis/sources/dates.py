"""The date a document gives itself. File time stamps are not asked: they tell of copying and printing."""

import re
from datetime import date

_HEAD_CHARS = 2000
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})[a-z]*\.?"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_LINE_END = r"(?=[\s.*_|)]*$)"

_DAYS = (
    rf"{_YEAR}-(?P<month>[01]\d)-(?P<day>[0-3]\d)",
    rf"{_YEAR}/(?P<month>[01]?\d)/(?P<day>[0-3]?\d)",
    rf"{_DAY}\.?\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}",
    rf"{_MONTH}\s+{_DAY},?\s+{_YEAR}",
)
_FORMS = [
    re.compile(pattern + r"(?!\d)", re.IGNORECASE)
    for pattern in (
        *_DAYS,
        rf"(?P<day>[0-3]?\d)\.(?P<month>[01]?\d)\.{_YEAR}",
        rf"(?P<first>[0-3]?\d)/(?P<second>[0-3]?\d)/{_YEAR}",
        rf"{_MONTH},?\s+{_YEAR}",
        # Alone on the line only: "Issued 2000 shares" states no year.
        rf"{_YEAR}-(?P<month>[01]\d){_LINE_END}",
        rf"{_YEAR}{_LINE_END}",
    )
]
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+)?"
_LABEL = re.compile(
    r"^[\W_]*(?:(?P<as_of>as\s+of)|published|released|issued|(?:last\s+)?(?:updated|revised)|"
    r"(?:publication\s+|release\s+|document\s+|issue\s+|report\s+)?date(?:d|\s+of\s+(?:issue|publication|release))?)\b"
    rf"(?:\s+on\b)?[\s*_:|–—-]*{_WEEKDAY}",
    re.IGNORECASE,
)

_CLOSING = [re.compile(rf"(?:^[\W_]*|[,–—|·]\s+){_WEEKDAY}{day}{_LINE_END}", re.IGNORECASE) for day in _DAYS]
_BYLINES, _LONGEST_BYLINE = 6, 100


def find_date(text: str) -> str | None:
    """ISO 8601, as precise as the line near the top that states it."""
    for line in text[:_HEAD_CHARS].split("\n"):
        label = _LABEL.match(line)
        if label is None:
            continue
        found, rest = _read_date(line[label.end() :])
        # "As of 31 December 2025 the company had …" dates a figure, not the document.
        if found and not (label["as_of"] and rest.strip(" .*_|)")):
            return found
    return _closing_date(text)


def _closing_date(text: str) -> str | None:
    """“15 January 2026” alone on a line near the top, or “Quality Committee, 2 April 2026” at the end of one."""
    lines = [line for line in text[:_HEAD_CHARS].split("\n") if line.strip()][:_BYLINES]
    for line in lines:
        for form in _CLOSING:
            if len(line) <= _LONGEST_BYLINE and (match := form.search(line)):
                return _iso(match.groupdict())
    return None


def _read_date(text: str) -> tuple[str | None, str]:
    for form in _FORMS:
        if match := form.match(text):
            return _iso(match.groupdict()), text[match.end() :]
    return None, text


def _iso(parts: dict[str, str | None]) -> str | None:
    year = int(parts["year"] or 0)
    if parts.get("first"):
        return _iso_ambiguous(year, int(parts["first"] or 0), int(parts["second"] or 0))
    word = parts.get("month")
    if not word:
        return f"{year}"
    month = int(word) if word.isdigit() else _MONTHS.index(word[:3].lower()) + 1
    if not parts.get("day"):
        return f"{year}-{month:02d}" if 1 <= month <= 12 else None
    return _valid(year, month, int(parts["day"] or 0))


def _iso_ambiguous(year: int, first: int, second: int) -> str | None:
    """03/04/2026 is a different day on each side of the ocean: only what both read alike is taken."""
    if first > 12:
        return _valid(year, second, first)
    if second > 12 or first == second:
        return _valid(year, first, second)
    return f"{year}"


def _valid(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None

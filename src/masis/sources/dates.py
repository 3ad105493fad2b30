"""The date of a document and the period it covers: from its first page, then its name, and last its properties, which
also record copying and printing."""

import re
from dataclasses import replace
from datetime import date
from pathlib import PurePosixPath

from masis.types import ParsedDocument

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
        # Only alone on the line: "Issued 2000 shares" states no year.
        rf"{_YEAR}-(?P<month>[01]\d){_LINE_END}",
        rf"{_YEAR}{_LINE_END}",
    )
]
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+)?"
_LABEL = re.compile(
    r"^[\W_]*(?:(?P<as_of>as\s+of)|published|released|issued|(?:last\s+)?(?:updated|revised)|"
    r"(?:(?:publication|release|document|issue|report|effective|invoice|bill|statement|order|meeting)\s+)?date(?:d|\s+of\s+(?:issue|publication|release))?)\b"
    rf"(?:\s+on\b)?[\s*_:|–—-]*{_WEEKDAY}",
    re.IGNORECASE,
)

_OPENS = r"^[\W_]*|[,–—|·]\s+|\b(?:minutes|meeting|held|report)\s+(?:of|on)\s+"
_CLOSING = [
    # A press release continues after its date: "LONDON, 3 March 2022 – The board …".
    re.compile(rf"(?:{_OPENS}){_WEEKDAY}{day}(?:{_LINE_END}|\s+[–—-]+\s)", re.IGNORECASE)
    for day in _DAYS
]
_STATED = [
    re.compile(
        rf"(?:^[\W_]*(?:approved|adopted)\b[^.\n]{{0,60}}?\bon|(?:^[\W_]*|\bmeeting\s+)held\s+on"
        rf"|(?:^[\W_]*|[,;|(·]\s*)(?:effective(?:\s+(?:from|as\s+of))?|in\s+force\s+(?:from|since)))\s+{_WEEKDAY}{day}",
        re.IGNORECASE,
    )
    for day in _DAYS
]
"""“Version 3.1, effective 1 January 2025”, “Held on 18 June 2025 in the Guildhall”."""
_BYLINES, _LONGEST_BYLINE = 6, 100


_ENDED = re.compile(
    r"\b(?P<length>quarter(?:ly\s+period)?|(?:three|six|nine|twelve|3|6|9|12)\s+months|half[\s-]year|(?:fiscal\s+|"
    r"financial\s+)?year|period)\s+(?:ended|ending)\s*:?\s+",
    re.IGNORECASE,
)
_LENGTHS = {"quarter": "quarter", "three": "quarter", "3": "quarter", "half": "half-year", "period": "period"}
_COVER_CHARS, _OPENING_PAGES = 4000, 3
_IN_A_NAME = (
    re.compile(rf"(?<!\d){_YEAR}[ ._-]?(?P<month>0[1-9]|1[0-2])[ ._-]?(?P<day>0[1-9]|[12]\d|3[01])(?!\d)"),
    *(re.compile(rf"(?<![^\W_]){form}(?!\d)", re.IGNORECASE) for form in (*_DAYS[2:], rf"{_MONTH},?\s+{_YEAR}")),
    re.compile(rf"(?<!\d)(?P<first>[0-3]\d) (?P<second>[0-3]\d) {_YEAR}(?!\d)"),
    # “2024-10q” is a quarterly report, not October.
    re.compile(rf"(?<!\d){_YEAR}[ ._-]?(?P<month>0[1-9]|1[0-2])(?![^\W_])"),
)
_PERIOD_IN_A_NAME = re.compile(
    rf"(?<!\d){_YEAR}[ ._-]?(?P<part>[QH][1-4])(?!\d)"
    r"|(?<![^\W_])(?P<part2>[QH][1-4])[ ._-]?(?P<year2>(?:19|20)\d\d)(?!\d)"
    r"|(?<![^\W_])FY[ ._-]?(?P<fiscal>(?:19|20)?\d\d)(?!\d)",
    re.IGNORECASE,
)
_FISCAL_YEARS = re.compile(r"(?<!\d)((?:19|20)\d\d)[-–/](1[3-9]|[2-9]\d)(?!\d)")
"""“2021-22”; up to 12 it would be a month."""
_YEAR_IN_A_NAME = re.compile(rf"(?<!\d){_YEAR}(?!\d)")


def dated(parsed: ParsedDocument, file_name: str) -> ParsedDocument:
    """Adds the period the document covers and, if it states no date itself, a date: the day in its file name, the end
    of that period, the year in its name or title, or else when the file was made."""
    texts = [page.text for page in parsed.pages[:_OPENING_PAGES]] or [""]
    name = PurePosixPath(file_name).stem
    # A report may have a picture as its first page.
    ended = period_ended(texts[0]) or next(filter(None, map(period_ended, texts[1:])), None)
    titled = None if parsed.date else period_in_name(parsed.title or "")
    covered = f"{ended[0]} ended {ended[1]}" if ended else period_in_name(name) or titled
    day = parsed.date or date_in_name(name) or (ended[1] if ended else None) or _year_of(covered, parsed.made)
    return replace(parsed, date=day, period=parsed.period or covered)


def period_ended(text: str) -> tuple[str, str] | None:
    """“For the quarterly period ended June 25, 2022” on a first page: the length of the period and its last day."""
    for match in _ENDED.finditer(text[:_COVER_CHARS]):
        ended, _ = _read_date(text[match.end() : match.end() + 40])
        if ended and len(ended) == len("2022-06-25"):
            length = re.split(r"[\s-]|ly\b", match["length"].lower())[0]
            months = f"{length} months" if length in ("six", "nine", "6", "9") else "year"
            return _LENGTHS.get(length, months), ended
    return None


def date_in_name(name: str) -> str | None:
    """“minutes-dated-2021-03-09”, “Board 9 March 2021”, “report_202103”."""
    spaced = re.sub(r"[_.-]+", " ", name)
    for form in _IN_A_NAME:
        if (match := form.search(spaced)) and (found := _iso(match.groupdict())):
            return found
    return None


def period_in_name(name: str) -> str | None:
    """“2021Q3”, “H1-2024”, “FY22”; or a year, if there is only one and no day or month with it."""
    if match := _PERIOD_IN_A_NAME.search(name):
        if fiscal := match["fiscal"]:
            return f"FY{fiscal if len(fiscal) == 4 else f'20{fiscal}'}"
        return f"{(match['part'] or match['part2']).upper()} {match['year'] or match['year2']}"
    if (match := _FISCAL_YEARS.search(name)) and int(match[2]) == (int(match[1]) + 1) % 100:
        return f"FY{match[1][:2]}{match[2]}"
    years = {match["year"] for match in _YEAR_IN_A_NAME.finditer(name)}
    return years.pop() if len(years) == 1 and not date_in_name(name) else None


def _year_of(covered: str | None, made: str | None) -> str | None:
    """“Strategy 2030” was not written in 2030."""
    return covered[-4:] if covered and not (made and made[:4] < covered[-4:]) else made


def find_date(text: str) -> str | None:
    """The date in a line near the top, in ISO 8601 and as precise as stated there."""
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
        for form in (*_CLOSING, *_STATED):
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
    """03/04/2026 is a different day in Europe and America: only the part that both read alike is used."""
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

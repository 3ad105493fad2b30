"""Finds the periods that a text names: years, quarters, halves, months and days."""

import calendar
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

MONTHS = {
    name: number
    for number, names in enumerate(
        [
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sept sep", "october oct", "november nov", "december dec",
        ],
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_YEAR = r"(?:19|20)\d\d"
_ANY_YEAR = r"(?:1\d|20)\d\d"
"""Beside a day or a month, or after “in”, 1789 is a year too; alone it may be a count."""
_FISCAL = r"(?:(?:FY|fiscal(?:\s+year)?)[\s-]*)?"

PERIOD = re.compile(
    rf"""
      \b(?P<iso>{_YEAR}-\d\d-\d\d)\b
    | \b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month1>{_MONTH})\b\.?(?:\s?,?\s+(?P<year1>{_ANY_YEAR})\b)?
    | \b(?P<month2>{_MONTH})\b\.?\s+(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\s*%)(?:\s?,?\s+(?P<year2>{_ANY_YEAR})\b)?
    | \b(?P<first>{_MONTH})\s?(?:-|–|to)\s?(?P<last>{_MONTH})\s+(?P<span>{_YEAR})\b
    | \b(?P<month3>{_MONTH})\b\.?,?(?:\s+(?:of\s+)?|\s?-\s?)(?P<year3>{_ANY_YEAR})\b
    | \b(?P<month4>{_MONTH})\b\s?[-'](?P<year4>\d\d)\b(?![-/.]\d|,?\s+{_YEAR}\b)
    | \b(?:Q(?P<q1>[1-4])|(?P<q2>first|second|third|fourth)[\s-]quarter)
        (?:(?:\s+of)?[\s-]*{_FISCAL}(?P<qyear>{_YEAR})|[\s-]*(?:FY|')(?P<qshort>\d\d)\b)?
    | \b(?:H(?P<h1>[12])|(?P<h2>first|second)[\s-]half)(?:(?:\s+of)?[\s-]*{_FISCAL}(?P<hyear>{_YEAR}))?
    | \b(?:FY|fiscal(?:\s+year)?)[\s-]?'?(?P<fy>{_YEAR}|\d\d)\b
    | (?:(?<![\w.,$€£-])|(?<=(?:19|20)\d\d[-–/,])|(?<=\bmid-)|(?<=\blate-)|(?<=\bearly-)|(?<=\bend-))
        (?P<year>{_YEAR})(?![\w%]|[.,](?!{_YEAR})\d)
    | (?:(?<=\bin\s)|(?<=\bsince\s)|(?<=\buntil\s)|(?<=\bcirca\s)|(?<=\byear\s))
        (?P<old>1[0-8]\d\d)(?![\w%]|[.,]\d|\s[a-z]+s\b)
    """,
    re.VERBOSE | re.IGNORECASE,
)

Basis = Literal["fiscal", "calendar", "trailing"]
_BASES: tuple[tuple[Basis, re.Pattern[str]], ...] = (
    ("fiscal", re.compile(r"\b(?:FY|fiscal(?:\s+year)?)[\s'-]*$", re.IGNORECASE)),
    ("calendar", re.compile(r"\b(?:CY|calendar(?:\s+year)?)[\s'-]*$", re.IGNORECASE)),
    (
        "trailing",
        re.compile(
            r"\b(?:TTM|LTM|(?:trailing|rolling|last|past)\s(?:twelve|12)[\s-]months?)"
            r"(?:\s(?:period|ended|ending|to|through|up|on|of)){0,2}\s+$",
            re.IGNORECASE,
        ),
    ),
)
AT_ITS_END = re.compile(r"\bend(?:\sof\s|-|\s)$", re.IGNORECASE)

ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4}


@dataclass(frozen=True, slots=True)
class Period:
    """A year or a part of one; what the text leaves open is None."""

    year: int | None = None
    part: str | None = None
    """Q3, H1, 03 (a month) or 03-14 (a day)."""
    basis: Basis | None = field(default=None, compare=False)
    """The kind of year, if the text says so: a fiscal year need not be a calendar year."""

    @property
    def is_day(self) -> bool:
        return self.part is not None and "-" in self.part

    @property
    def is_part_of_a_year(self) -> bool:
        """A quarter, a half or a month. A day is a point in time."""
        return self.part is not None and not self.is_day

    def differs_from(self, other: "Period") -> bool:
        """Whether figures for the two are for different periods: a quarter is not its year."""
        is_other_year = bool(self.basis and other.basis and self.basis != other.basis)
        return is_other_year or self.excludes(other) or self.is_part_of_a_year != other.is_part_of_a_year

    def excludes(self, other: "Period") -> bool:
        """What both say cannot be the same time."""
        if self.year and other.year and self.year != other.year:
            return True
        if self.part and other.part:
            return not (self.part.startswith(other.part) or other.part.startswith(self.part))
        return False


def periods(text: str) -> list[Period]:
    return [period for period, _ in period_spans(text)]


def period_of_cells(cells: Iterable[str]) -> list[Period]:
    """A row may give its year in one cell and its quarter in another; together they are one period."""
    found = [period for cell in cells for period in periods(cell)]
    years = [p.year for p in found if p.year and not p.part]
    parts = [p.part for p in found if p.part and not p.year]
    return [Period(years[0], parts[0])] if len(years) == len(parts) == len(found) - 1 == 1 else found


OPEN_ENDED = re.compile(
    rf"\b(?:since|as of|starting in|from)\s+(?:fiscal\s+)?({_YEAR})(?!\s*(?:to|-|–|until))", re.IGNORECASE
)
BETWEEN = re.compile(rf"\b({_YEAR})\s*(?:to|until|through|and|-|–)\s*(?:fiscal\s+)?({_YEAR})\b", re.IGNORECASE)


def lies_within_a_range(period: Period, text: str) -> bool:
    """“Every year since 2020” includes 2022 without naming it."""
    if not period.year:
        return False
    since = any(int(m[1]) <= period.year for m in OPEN_ENDED.finditer(text))
    return since or any(int(m[1]) <= period.year <= int(m[2]) for m in BETWEEN.finditer(text))


def period_spans(text: str) -> list[tuple[Period, tuple[int, int]]]:
    return list(_period_spans(text))


@lru_cache(maxsize=16_384)
def _period_spans(text: str) -> tuple[tuple[Period, tuple[int, int]], ...]:
    found = [match for match in PERIOD.finditer(text) if _is_period(match)]
    return tuple((replace(_period(match), basis=_basis(match)), match.span()) for match in found)


def _basis(match: re.Match[str]) -> Basis | None:
    """The word for the kind of year, inside the match (“FY25”) or before it (“calendar 2025”)."""
    written = re.sub(r"\d+\Z", "", match.group())
    before = match.string[max(0, match.start() - 60) : match.start()]
    return next((basis for basis, said in _BASES for part in (written, before) if said.search(part)), None)


def _is_period(match: re.Match[str]) -> bool:
    if match["month4"] and calendar.monthrange(2000, MONTHS[match["month4"].lower()])[1] - int(match["year4"]) in (
        0,
        1,
    ):
        # “Dec-31” is a day, and “Sep-30” may be one.
        return False
    # “may 5” is a month only if it is capitalised.
    month = match["month1"] or match["month2"] or match["month3"] or match["month4"] or match["first"]
    return not month or month[0].isupper()


def _period(match: re.Match[str]) -> Period:
    if match["iso"]:
        year, _, rest = match["iso"].partition("-")
        return Period(int(year), rest)
    if match["month1"]:
        return Period(_year(match["year1"]), f"{MONTHS[match['month1'].lower()]:02d}-{int(match['day']):02d}")
    if match["month2"]:
        return Period(_year(match["year2"]), f"{MONTHS[match['month2'].lower()]:02d}-{int(match['day2']):02d}")
    if match["first"]:
        return _months(match)
    if match["month3"] or match["month4"]:
        return _month(match)
    if match["q1"] or match["q2"]:
        return Period(_year(match["qyear"] or match["qshort"]), f"Q{match['q1'] or ORDINALS[match['q2'].lower()]}")
    if match["h1"] or match["h2"]:
        return Period(_year(match["hyear"]), f"H{match['h1'] or ORDINALS[match['h2'].lower()]}")
    return Period(_year(match["fy"] or match["year"] or match["old"]))


def _months(match: re.Match[str]) -> Period:
    """“January–June 2023” is a half. A span that is neither a half nor a quarter is read as its last month."""
    first, last = (MONTHS[match[name].lower()] for name in ("first", "last"))
    if last - first == 11:
        return Period(int(match["span"]))
    months = {5: ("H", 6), 2: ("Q", 3)}.get(last - first)
    if months is None or last % months[1]:
        return Period(int(match["span"]), f"{last:02d}")
    return Period(int(match["span"]), f"{months[0]}{last // months[1]}")


def _month(match: re.Match[str]) -> Period:
    """“The end of June 2025” is its last day; “Oct-24” is a common column heading in workbooks."""
    year = _year(match["year3"] or match["year4"]) or 0
    month = MONTHS[(match["month3"] or match["month4"]).lower()]
    if AT_ITS_END.search(match.string[: match.start()]):
        return Period(year, f"{month:02d}-{calendar.monthrange(year, month)[1]:02d}")
    return Period(year, f"{month:02d}")


def _year(digits: str | None) -> int | None:
    if not digits:
        return None
    return int(digits) + (2000 if len(digits) == 2 else 0)

"""Numbers with their unit, scale and currency, and the periods a text speaks of: compared by value, not by spelling."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Unit = Literal["number", "percent", "points", "money"]

SCALES = {
    "thousand": 1e3, "k": 1e3, "tsd": 1e3,
    "million": 1e6, "millions": 1e6, "mn": 1e6, "m": 1e6, "mm": 1e6, "mio": 1e6,
    "billion": 1e9, "billions": 1e9, "bn": 1e9, "b": 1e9,
    "trillion": 1e12, "trillions": 1e12, "tn": 1e12, "t": 1e12,
}  # fmt: skip

CURRENCIES = {
    "$": "USD", "us$": "USD", "usd": "USD", "dollar": "USD", "dollars": "USD",
    "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR",
    "£": "GBP", "gbp": "GBP", "pounds": "GBP",
    "¥": "JPY", "jpy": "JPY", "yen": "JPY", "chf": "CHF", "francs": "CHF", "₹": "INR", "inr": "INR",
}  # fmt: skip

NUMBER_WORDS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
} | {
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
    "hundred": 100,
}

_SCALE = "|".join(sorted(SCALES, key=len, reverse=True))
_WORDS = "|".join(sorted(set(NUMBER_WORDS) - {"zero", "one"}, key=len, reverse=True))
QUANTITY = re.compile(
    rf"""
    (?P<before>US\$|[$€£¥₹]|\b(?:USD|EUR|GBP|CHF|JPY|INR)\s)?\s?
    (?P<open>\()?(?P<sign>(?<![\w)])[-−–])?
    (?P<number>(?<![\w.,])\d{{1,3}}(?:[,\u202f\u00a0]\d{{3}})+(?:\.\d+)?|(?<![\w.,])\d+(?:\.\d+)?|(?<![\w.])\.\d+|\b(?:{_WORDS})\b)
    (?:\s?-?(?P<scale>{_SCALE})\b(?!\.\w))?
    (?P<after>\s?% | \s(?:percent|per\ cent|percentage\ points?|basis\ points?|bps|pp)\b
      | \s?(?:dollars|euros?|pounds|francs|yen)\b | \s?(?:USD|EUR|GBP|CHF|JPY)\b | \s?€)?
    """,
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    value: float
    unit: Unit
    tolerance: float
    """Half of the last digit given: 4.2 billion stands for 4.15 to 4.25."""
    text: str
    start: int
    end: int
    currency: str | None = None
    scaled: bool = False

    def agrees_with(self, other: "Quantity") -> bool:
        """The same value as far as the coarser of the two is given."""
        if not comparable(self, other):
            return False
        return any(_close(self, other, factor) for factor in _factors(self, other))


def _close(a: Quantity, b: Quantity, factor: float) -> bool:
    # A hair more than half a digit, for what binary fractions add.
    allowed = max(a.tolerance, b.tolerance * factor) * 1.0001 + 1e-9
    return abs(a.value - b.value * factor) <= allowed


def _factors(a: Quantity, b: Quantity) -> tuple[float, ...]:
    """A table gives its figures bare, “in millions” being said once above it."""
    if a.scaled == b.scaled or "percent" in (a.unit, b.unit):
        return (1.0,)
    return (1.0, 1e3, 1e6, 1e9) if a.scaled else (1.0, 1e-3, 1e-6, 1e-9)


def comparable(a: Quantity, b: Quantity) -> bool:
    """Whether the two could be the same thing: a bare number may be money in a table, a percentage may not."""
    if a.unit == b.unit:
        return a.currency is None or b.currency is None or a.currency == b.currency
    return {a.unit, b.unit} == {"number", "money"}


def quantities(text: str) -> list[Quantity]:
    """Every number but years, days of a month and ordinal names such as Q3: those are periods."""
    taken = [span for _, span in _period_spans(text)]
    found = []
    for match in QUANTITY.finditer(text):
        number = match.start("number")
        if any(start <= number < end for start, end in taken) or _part_of_a_name(text, match):
            continue
        found.append(_quantity(match))
    return found


def _part_of_a_name(text: str, match: re.Match[str]) -> bool:
    """The 2 of “CO2”, the 27001 of “ISO 27001”, the 3 of “Section 3” or “[c3]”."""
    if match["scale"] or match["after"] or match["before"]:
        return False
    before = text[: match.start("number")]
    if re.search(
        r"(?:\b(?:ISO|IEC|No\.|Section|Table|Figure|Fig\.|Appendix|Note|page|p\.|Phase|Level|Tier|Version|v)\s?)$",
        before,
    ):
        return True
    after = text[match.end("number") : match.end("number") + 3]
    return bool(re.match(r"(?:st|nd|rd|th)\b", after)) or (bool(re.match(r"[A-Za-z]", after)) and not match["scale"])


def _quantity(match: re.Match[str]) -> Quantity:
    raw = match["number"].lower()
    digits = re.sub(r"[,\u202f\u00a0]", "", raw)
    value = float(NUMBER_WORDS.get(raw, 0)) if raw in NUMBER_WORDS else float(digits)
    decimals = len(digits.partition(".")[2]) if "." in digits else 0
    factor = SCALES[match["scale"].lower()] if match["scale"] else 1.0
    unit, currency = _unit(match)
    if unit == "points" and re.search(r"basis|bps", match["after"] or "", re.IGNORECASE):
        factor /= 100
    sign = -1.0 if match["sign"] and not match["before"] else 1.0
    return Quantity(
        value * factor * sign,
        unit,
        0.5 * 10**-decimals * factor,
        match.group().strip(" ("),
        match.start("number"),
        match.end(),
        currency,
        bool(match["scale"]),
    )


def _unit(match: re.Match[str]) -> tuple[Unit, str | None]:
    after = (match["after"] or "").strip().lower()
    before = (match["before"] or "").strip().lower()
    if after in ("%", "percent", "per cent"):
        return "percent", None
    if after.startswith(("percentage", "basis", "bps", "pp")):
        return "points", None
    currency = CURRENCIES.get(before) or CURRENCIES.get(after)
    return ("money", currency) if currency else ("number", None)


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
_FISCAL = r"(?:(?:FY|fiscal(?:\s+year)?)[\s-]*)?"

PERIOD = re.compile(
    rf"""
      \b(?P<iso>{_YEAR}-\d\d-\d\d)\b
    | \b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month1>{_MONTH})\b\.?(?:,?\s+(?P<year1>{_YEAR})\b)?
    | \b(?P<month2>{_MONTH})\b\.?\s+(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\s*%)(?:,?\s+(?P<year2>{_YEAR})\b)?
    | \b(?P<month3>{_MONTH})\b\.?,?\s+(?P<year3>{_YEAR})\b
    | \b(?:Q(?P<q1>[1-4])|(?P<q2>first|second|third|fourth)[\s-]quarter)
        (?:(?:\s+of)?[\s-]*{_FISCAL}(?P<qyear>{_YEAR})|[\s-]*(?:FY|')(?P<qshort>\d\d)\b)?
    | \b(?:H(?P<h1>[12])|(?P<h2>first|second)[\s-]half)(?:(?:\s+of)?[\s-]*{_FISCAL}(?P<hyear>{_YEAR}))?
    | \b(?:FY|fiscal(?:\s+year)?)[\s-]?'?(?P<fy>{_YEAR}|\d\d)\b
    | (?<![\w.,$€£-])(?P<year>{_YEAR})(?![\w%]|[.,]\d)
    """,
    re.VERBOSE | re.IGNORECASE,
)

ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4}


@dataclass(frozen=True, slots=True)
class Period:
    """A year, or a part of one; what the text leaves open is None."""

    year: int | None = None
    part: str | None = None
    """Q3, H1, 03 (a month) or 03-14 (a day)."""

    @property
    def is_day(self) -> bool:
        return self.part is not None and "-" in self.part

    @property
    def is_part_of_a_year(self) -> bool:
        """A quarter, a half or a month; a day is a point in time."""
        return self.part is not None and not self.is_day

    def differs_from(self, other: "Period") -> bool:
        """Whether figures for the two are figures for different times: a quarter is not its year."""
        return self.excludes(other) or self.is_part_of_a_year != other.is_part_of_a_year

    def excludes(self, other: "Period") -> bool:
        """Both say something, and it cannot be the same time."""
        if self.year and other.year and self.year != other.year:
            return True
        if self.part and other.part:
            return not (self.part.startswith(other.part) or other.part.startswith(self.part))
        return False


def periods(text: str) -> list[Period]:
    return [period for period, _ in _period_spans(text)]


def period_of_cells(cells: Iterable[str]) -> list[Period]:
    """A row may give its year in one cell and its quarter in another: they are one period."""
    found = [period for cell in cells for period in periods(cell)]
    years = [p.year for p in found if p.year and not p.part]
    parts = [p.part for p in found if p.part and not p.year]
    return [Period(years[0], parts[0])] if len(years) == len(parts) == len(found) - 1 == 1 else found


def _period_spans(text: str) -> list[tuple[Period, tuple[int, int]]]:
    return [(_period(match), match.span()) for match in PERIOD.finditer(text) if _is_period(match)]


def _is_period(match: re.Match[str]) -> bool:
    # “may 5” is a month only where it is written as one.
    month = match["month1"] or match["month2"] or match["month3"]
    return not month or month[0].isupper()


def _period(match: re.Match[str]) -> Period:
    if match["iso"]:
        year, _, rest = match["iso"].partition("-")
        return Period(int(year), rest)
    if match["month1"]:
        return Period(_year(match["year1"]), f"{MONTHS[match['month1'].lower()]:02d}-{int(match['day']):02d}")
    if match["month2"]:
        return Period(_year(match["year2"]), f"{MONTHS[match['month2'].lower()]:02d}-{int(match['day2']):02d}")
    if match["month3"]:
        return Period(_year(match["year3"]), f"{MONTHS[match['month3'].lower()]:02d}")
    if match["q1"] or match["q2"]:
        return Period(_year(match["qyear"] or match["qshort"]), f"Q{match['q1'] or ORDINALS[match['q2'].lower()]}")
    if match["h1"] or match["h2"]:
        return Period(_year(match["hyear"]), f"H{match['h1'] or ORDINALS[match['h2'].lower()]}")
    return Period(_year(match["fy"] or match["year"]))


def _year(digits: str | None) -> int | None:
    if not digits:
        return None
    return int(digits) + (2000 if len(digits) == 2 else 0)

"""Numbers with their unit, scale, currency and measure: compared by value, not by spelling."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from masis.audit.text.bounds import Bound, bound_before, reaches
from masis.audit.text.measures import IS_TIME, MEASURES, measure_after
from masis.audit.text.numerals import IN_DIGITS, IN_WORDS, read_numeral
from masis.audit.text.periods import PERIOD, Period, period_of_cells, period_spans, periods

__all__ = ["PERIOD", "SCALES", "Period", "Quantity", "Unit", "comparable", "period_of_cells", "periods", "quantities"]

Unit = Literal["number", "percent", "points", "money"]

SCALES = {
    "thousand": 1e3, "thousands": 1e3, "k": 1e3, "tsd": 1e3, "tausend": 1e3,
    "million": 1e6, "millions": 1e6, "mn": 1e6, "m": 1e6, "mm": 1e6, "mio": 1e6, "millionen": 1e6,
    "billion": 1e9, "billions": 1e9, "bn": 1e9, "b": 1e9, "mrd": 1e9,
    "milliarde": 1e9, "milliarden": 1e9, "milliard": 1e9, "milliards": 1e9,
    "trillion": 1e12, "trillions": 1e12, "tn": 1e12, "t": 1e12,
}  # fmt: skip

CURRENCIES = {
    "$": "USD", "us$": "USD", "usd": "USD", "dollar": "USD", "dollars": "USD",
    "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR",
    "£": "GBP", "gbp": "GBP", "pounds": "GBP",
    "¥": "JPY", "jpy": "JPY", "yen": "JPY", "chf": "CHF", "francs": "CHF", "franken": "CHF", "₹": "INR", "inr": "INR",
}  # fmt: skip

_SCALE = "|".join(sorted(SCALES, key=len, reverse=True))
QUANTITY = re.compile(
    rf"""
    (?P<before>US\$|[$€£¥₹]|\b(?:USD|EUR|GBP|CHF|JPY|INR)\s)?\s?
    (?P<open>\()?(?P<sign>(?<![\w)])[-−–])?
    (?P<number>(?<![\w.,]){IN_DIGITS}|(?<![\w.])\.\d+|{IN_WORDS})
    (?:\s?-?(?P<scale>{_SCALE})\b(?!\.\w)(?:(?<=mio|mrd|tsd)\.)?)?
    (?P<after>\s?% | \s(?:percentage\ points?|percent|per\ cent|basis\ points?|bps|pp)\b
      | \s(?:Prozentpunkte?|Prozent|pour\ cent)\b
      | \s?(?:d['’]|de\s|of\s)?(?:US[\s-])?(?:dollars?|euros?|pounds|francs|Franken|yen)\b
      | \s?(?:USD|EUR|GBP|CHF|JPY)\b | \s?€)?
    """,
    re.VERBOSE | re.IGNORECASE,
)

_LABELS = (
    "ISO|IEC|No\\.|Sections?|Tables?|Figures?|Fig\\.|Appendix|Notes?|pages?|p\\.|Phase|Level|Tier|Version|v|Passages?|"
    "Documents?|Sources?|Chunks?|Steps?|Chapters?|Items?|Questions?|Options?|Tip"
)
LABELLED = re.compile(rf"\b(?:{_LABELS})\s?#?(?:\d+(?:\s?(?:,|and|&|-|–|to)\s?)+)*$", re.IGNORECASE)
"""“Passages 2 and 3” names passages and counts nothing."""
CLOCK = re.compile(r"\d:\0\d\d|\0\d{1,2}:\d\d")
RANGE = re.compile(r"\s?(?:[-–]|to|(?P<and>and))\s?(?:US\$|[$€£¥₹]|[A-Z]{3}\s)?\s?")


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
    measure: str | None = None
    """The word a bare number is measured in: years, km, °c …"""
    bound: Bound | None = None

    def agrees_with(self, other: "Quantity") -> bool:
        """The same value as far as the coarser of the two is given."""
        if not comparable(self, other):
            return False
        return any(_close(self, other, factor) for factor in _factors(self, other))

    def is_met_by(self, other: "Quantity") -> bool:
        """It agrees, or is a bound that the other satisfies: “over 1,000” is met by 1,012."""
        if self.agrees_with(other):
            return {self.bound, other.bound} != {"at_least", "at_most"}
        if not self.bound or other.bound or not _alike(self, other):
            return False
        return reaches(self.bound, _in_base(self), _in_base(other))

    @property
    def in_words(self) -> str:
        return f"{self.text} {self.measure}" if self.measure else self.text

    @property
    def is_small_count(self) -> bool:
        """The three of “three priorities”: counted by the writer as often as taken from a source."""
        spelled = self.text[:1].isalpha() and self.value <= 10
        return spelled and self.unit == "number" and not self.scaled and not self.measure


def _close(a: Quantity, b: Quantity, factor: float) -> bool:
    # A hair more than half a digit, for what binary fractions add.
    allowed = max(a.tolerance, b.tolerance * factor) * 1.0001 + 1e-9
    # “Down 3.5 %” is -3.5 % in a table: which way it points is compared as a direction.
    return abs(abs(_in_base(a)) - abs(_in_base(b)) * factor) <= allowed


def _in_base(quantity: Quantity) -> float:
    """Two years are 24 months."""
    return quantity.value * (MEASURES[quantity.measure][1] if quantity.measure else 1)


def _factors(a: Quantity, b: Quantity) -> tuple[float, ...]:
    """A table gives its figures bare, “in millions” being said once above it."""
    if a.scaled == b.scaled or "percent" in (a.unit, b.unit):
        return (1.0,)
    return (1.0, 1e3, 1e6, 1e9) if a.scaled else (1.0, 1e-3, 1e-6, 1e-9)


def comparable(a: Quantity, b: Quantity) -> bool:
    """Whether the two could be the same thing: a bare number may be money in a table, a percentage may not."""
    if a.unit == b.unit:
        same_currency = a.currency is None or b.currency is None or a.currency == b.currency
        return same_currency and _same_measure(a, b)
    return {a.unit, b.unit} == {"number", "money"}


def _same_measure(a: Quantity, b: Quantity) -> bool:
    return not (a.measure and b.measure) or MEASURES[a.measure][0] == MEASURES[b.measure][0]


def _alike(a: Quantity, b: Quantity) -> bool:
    """A bound is met by its own kind only: any sum of money is over 300."""
    return a.unit == b.unit and comparable(a, b) and bool(a.measure) == bool(b.measure)


def quantities(text: str) -> list[Quantity]:
    """Every number but years, days of a month and ordinal names such as Q3: those are periods."""
    return list(_quantities(text))


@lru_cache(maxsize=16_384)
def _quantities(text: str) -> tuple[Quantity, ...]:
    """Every claim is held against every statement it cites, so kept."""
    taken = [span for _, span in period_spans(text)]
    found = []
    for match in QUANTITY.finditer(text):
        number = match.start("number")
        if any(start <= number < end for start, end in taken) or _part_of_a_name(text, match):
            continue
        if match["number"].lower() != "one" or match["scale"] or match["after"]:
            found.append(_quantity(text, match))
    return tuple(_shared_units(text, found))


def _shared_units(text: str, found: list[Quantity]) -> list[Quantity]:
    """“Between 4 and 6 %”, “$4 to 6 million”: both ends have the unit that only one is written with."""
    for at, (low, high) in enumerate(pairwise(found)):
        if _is_range(text, low, high):
            found[at], found[at + 1] = _as_given(low, high), _as_given(high, low)
    return found


def _is_range(text: str, low: Quantity, high: Quantity) -> bool:
    between = RANGE.fullmatch(text, low.end, high.start)
    if between is None or low.value >= high.value * (1 if low.scaled == high.scaled else 1e12):
        return False
    return between["and"] is None or bool(re.search(r"\bbetween\s+\S{0,4}$", text[: low.start], re.IGNORECASE))


def _as_given(bare: Quantity, full: Quantity) -> Quantity:
    if full.scaled and not bare.scaled:
        scale = re.search(rf"(?:{_SCALE})\b", full.text, re.IGNORECASE)
        factor = SCALES[scale.group().lower()] if scale else 1.0
        bare = replace(bare, value=bare.value * factor, tolerance=bare.tolerance * factor, scaled=True)
    if bare.unit == "number" and full.unit != "number":
        bare = replace(bare, unit=full.unit, currency=full.currency)
    return bare


def _part_of_a_name(text: str, match: re.Match[str]) -> bool:
    """The 2 of “CO2”, the 27001 of “ISO 27001”, the 3 of “Section 3” or “[c3]”."""
    if match["scale"] or match["after"] or match["before"]:
        return False
    before = text[: match.start("number")]
    if LABELLED.search(before[-60:]) or CLOCK.search(before[-4:] + "\0" + text[match.start("number") :][:6]):
        return True
    after = text[match.end("number") : match.end("number") + 3]
    if re.match(r"(?:st|nd|rd|th)\b", after):
        return True
    return bool(re.match(r"[A-Za-z]", after)) and not measure_after(text, match.end("number"))


def _quantity(text: str, match: re.Match[str]) -> Quantity:
    value, decimals = read_numeral(match["number"])
    factor = SCALES[match["scale"].lower()] if match["scale"] else 1.0
    unit, currency = _unit(match)
    if unit == "points" and re.search(r"basis|bps", match["after"] or "", re.IGNORECASE):
        factor /= 100
    sign = -1.0 if match["sign"] and not match["before"] else 1.0
    measure = measure_after(text, match.end()) if unit == "number" else None
    return Quantity(
        value * factor * sign,
        unit,
        0.5 * 10**-decimals * factor,
        match.group().strip(" ("),
        match.start("number"),
        match.end(),
        currency,
        bool(match["scale"]),
        measure,
        _bound(text, match, measure),
    )


def _bound(text: str, match: re.Match[str], measure: str | None) -> Bound | None:
    bound = bound_before(text, match.start())
    if text[match.end() :].startswith("+"):
        return "at_least"
    # “Spread over 3 years” sets no limit.
    is_time = measure is not None and MEASURES[measure][0] in IS_TIME
    return None if is_time and re.search(r"\bover\s*$", text[: match.start()], re.IGNORECASE) else bound


def _unit(match: re.Match[str]) -> tuple[Unit, str | None]:
    after = (match["after"] or "").strip().lower()
    before = (match["before"] or "").strip().lower()
    if after in ("%", "percent", "per cent", "prozent", "pour cent"):
        return "percent", None
    if after.startswith(("percentage", "basis", "bps", "pp", "prozentpunkt")):
        return "points", None
    currency = CURRENCIES.get(before) or CURRENCIES.get(re.split(r"[\s'’-]", after)[-1])
    return ("money", currency) if currency else ("number", None)

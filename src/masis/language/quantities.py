"""Reads numbers with their unit, scale, currency and measure, and compares them by value rather than spelling."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from masis.language.measures import (
    AT_LEAST,
    AT_MOST,
    IN_DIGITS,
    IN_WORDS,
    IS_TIME,
    MEASURES,
    NEARBY,
    Bound,
    bound_before,
    is_a_comparison,
    measure_after,
    rate_after,
    reaches,
    read_numeral,
)
from masis.language.periods import PERIOD, Period, period_of_cells, period_spans, periods
from masis.language.words import DOWNWARDS, UPWARDS

__all__ = ["PERIOD", "SCALES", "Period", "Quantity", "Unit", "comparable", "period_of_cells", "periods", "quantities"]

Unit = Literal["number", "percent", "points", "money"]

SCALES = {
    "thousand": 1e3, "thousands": 1e3, "k": 1e3, "tsd": 1e3, "tausend": 1e3,
    "million": 1e6, "millions": 1e6, "mn": 1e6, "mln": 1e6, "m": 1e6, "mm": 1e6, "mio": 1e6, "millionen": 1e6,
    "billion": 1e9, "billions": 1e9, "bn": 1e9, "bln": 1e9, "b": 1e9, "mrd": 1e9,
    "milliarde": 1e9, "milliarden": 1e9, "milliard": 1e9, "milliards": 1e9,
    "lakh": 1e5, "lakhs": 1e5, "crore": 1e7, "crores": 1e7,
    "trillion": 1e12, "trillions": 1e12, "tn": 1e12, "t": 1e12,
}  # fmt: skip

CURRENCIES = {
    "$": "USD", "us$": "USD", "usd": "USD", "dollar": "USD", "dollars": "USD",
    "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR",
    "£": "GBP", "gbp": "GBP", "pounds": "GBP",
    "¥": "JPY", "jpy": "JPY", "yen": "JPY", "chf": "CHF", "francs": "CHF", "franken": "CHF", "₹": "INR", "inr": "INR",
    "rs": "INR", "rs.": "INR", "rupees": "INR",
}  # fmt: skip

_SCALE = "|".join(sorted(SCALES, key=len, reverse=True))
QUANTITY = re.compile(
    rf"""
    (?P<before>US\$|[$€£¥₹]|\b(?:USD|EUR|GBP|CHF|JPY|INR|Rs\.?)\s)?\s?
    (?P<open>\()?(?P<sign>(?<![\w)])[-−–])?
    (?P<number>(?<![\w.,]){IN_DIGITS}|(?<![\w.])\.\d+|{IN_WORDS})
    (?:\s?-?(?P<scale>{_SCALE})\b(?!\.\w)(?:(?<=mio|mrd|tsd)\.)?)?
    (?P<after>\s?% | \s(?:percentage\ points?|percent|per\ cent|basis\ points?|bps?|pp)\b
      | \s(?:Prozentpunkte?|Prozent|pour\ cent)\b
      | [\s-](?:(?:US|euro)\s)?(?:cents?|pence)\b | \s?¢ | (?<=\d)p\b
      | \s?(?:d['’]|de\s|of\s)?(?:US[\s-])?(?:dollars?|euros?|pounds|francs|Franken|yen)\b
      | \s?(?:USD|EUR|GBP|CHF|JPY)\b | \s?€)?
    """,
    re.VERBOSE | re.IGNORECASE,
)

_LABELS = (
    "ISO|IEC|No\\.|Sections?|Tables?|Figures?|Fig\\.|Appendix|Notes?|pages?|p\\.|Phase|Level|Tier|Version|v|Passages?|"
    "Documents?|Sources?|Chunks?|Steps?|Chapters?|Items?|Questions?|Options?|Tip|ASC|ASU|IFRS|IAS|Topic|Form|Rule|Article|"
    "Year|Month|Week|Day|Quarter|Lot|Class|Series|Stage|Round|Part|Annex|Schedule|Exhibit|Clause|Paragraph"
)
LABELLED = re.compile(rf"\b(?:{_LABELS})\s?#?(?:\d+(?:\s?(?:,|and|&|-|–|to)\s?)+)*$", re.IGNORECASE)
"""“Passages 2 and 3” names passages and counts nothing."""
HYPHENATED_BEFORE = re.compile(r"[A-Za-z][A-Z]-$")
HYPHENATED_AFTER = re.compile(r"-[A-Z](?![A-Za-z])")
"""“COVID-19”, “10-Q” and “8-K” are names."""
CLOCK = re.compile(r"\d:\0\d\d|\0\d{1,2}:\d\d")
MINUS = re.compile(r"(?:^|[^\d\s]\s*[\s(]|[(])[-−–]$")
MINUS_IN_WORDS = re.compile(r"\b(?:minus|negative)\s*$", re.IGNORECASE)
A_NOUN = re.compile(r"\s(?!across\b)(?:people|[a-z]{3,}s)\b")
BESIDE_A_CELL = re.compile(r"\s*\)?\s*(?:\||\s[$€£(]?\s?\d[\d,.]*(?:\s|$))")
BESIDE_A_CELL_BEFORE = re.compile(r"(?:\||(?:^|\s)[$€£(]?\d[\d,.]*\)?\s)\s*[($€£]?\s?$")
NOTHING_BEHIND = re.compile(r"[ )]*\Z")
SAVINGS_PLAN = re.compile(r"40[13]\s?(?:\([kb]\)|[kb]\b)", re.IGNORECASE)
"""A 401(k) is named after its paragraph."""
SPLIT_YEAR = re.compile(r"(?:(?<!\d)(?:19|20)|\b(?:FY|fiscal(?:\s+year)?)[\s']{0,2})(\d\d)[/–-]$", re.IGNORECASE)
"""Matches before the 24 of “2023/24” and “FY 23-24”, which is part of the year."""
LENGTH_OF_A_PERIOD = re.compile(r"\w{1,6}[\s-](?:months?|weeks?)\s(?:period\s)?(?:ended|ending)\b", re.IGNORECASE)
"""“For the three months ended July 1” is a period and counts nothing."""
_NEGATIVE_PERCENT = re.compile(rf"\((\d[\d.,]*)\)(\s?%|\s(?:{_SCALE})\b)", re.IGNORECASE)
BETWEEN = re.compile(r"\bbetween\s+\S{0,4}$", re.IGNORECASE)
TURNED = re.compile(rf"\b(?:from|by|{'|'.join(UPWARDS | DOWNWARDS)})\s+\S{{0,4}}$", re.IGNORECASE)
"""“From 45 to 55”, “rose 10 to 55”: a change, not a range."""
HUNDREDTHS = re.compile(r"basis|bps?\b|cents?\b|pence\b|¢|(?:^|(?<=\d))p$", re.IGNORECASE)
"""Units of which a hundred make a percentage point, a pound or a dollar."""
RANGE = re.compile(r"\s?(?:[-–]|to|(?P<and>and))\s?(?:US\$|[$€£¥₹]|[A-Z]{3}\s)?\s?")


@dataclass(frozen=True, slots=True)
class Quantity:
    value: float
    unit: Unit
    tolerance: float
    """Half a unit of the last digit given: 4.2 billion means 4.15 to 4.25."""
    text: str
    start: int
    end: int
    currency: str | None = None
    scaled: bool = False
    measure: str | None = None
    """The unit word of a bare number: years, km, °c …"""
    bound: Bound | None = None
    is_loose: bool = False
    """The bound may not be one: “…, above 3.2 % in April”, “over 18 years”."""
    rate: str | None = None
    """“day” for “400 units a day”."""
    is_cell: bool = False
    """Given bare, as in a table, with its scale stated elsewhere or nowhere."""
    span: tuple[float, float] | None = None
    """Both ends of the range that it is one end of."""

    def agrees_with(self, other: "Quantity", *, exact: bool = False) -> bool:
        """The same value, to the precision of the coarser of the two. `exact`: the other is exact to its last digit."""
        if not comparable(self, other):
            return False
        return any(_close(self, other, factor, exact) for factor in _factors(self, other))

    def is_met_by(self, other: "Quantity", *, exact: bool = False) -> bool:
        """The two agree, or this is a bound that the other satisfies: 1,012 meets “over 1,000”."""
        agreeing = comparable(self, other) and [f for f in _factors(self, other) if _close(self, other, f, exact)]
        is_limit = self.bound in AT_LEAST | AT_MOST and not self.is_loose
        if is_limit and not other.bound and not other.is_loose:
            # Rounding does not excuse crossing a limit: 4.2 is not “less than 4”.
            return any(_reached(self, other, f) for f in agreeing or ([1.0] if _alike(self, other) else []))
        if agreeing:
            return not _are_opposed(self.bound, other.bound)
        if not _alike(self, other):
            return False
        if self.bound == "between":
            return not other.span and self.span is not None and self.span[0] <= other.value <= self.span[1]
        if self.bound == "about" and other.span and other.span[0] <= self.value <= other.span[1]:
            return True
        return other.bound not in AT_LEAST | AT_MOST and _reached(self, other, 1.0)

    @property
    def in_words(self) -> str:
        return f"{self.text} {self.measure}" if self.measure else self.text

    @property
    def is_small_count(self) -> bool:
        """The “three” of “three priorities”: as often counted by the writer as taken from a source."""
        spelled = self.text[:1].isalpha() and self.value <= 10
        return spelled and self.unit == "number" and not self.scaled and not self.measure


def _close(a: Quantity, b: Quantity, factor: float, exact: bool) -> bool:
    # Slightly more than half a digit, to allow for binary fractions.
    allowed = (_tolerance(a) if exact else max(_tolerance(a), _tolerance(b) * factor)) * 1.0001 + 1e-12
    # “Down 3.5 %” is -3.5 % in a table; signs are compared separately, as directions.
    return abs(abs(_in_base(a)) - abs(_in_base(b)) * factor) <= allowed


def _reached(limit: Quantity, other: Quantity, factor: float) -> bool:
    """-5.4 % meets “fell by more than 5 %”: signs count only if both numbers are negative."""
    a, b = _in_base(limit), _in_base(other) * factor
    if not (a < 0 and b < 0):
        a, b = abs(a), abs(b)
    return limit.bound is not None and reaches(limit.bound, a, b)


def _are_opposed(a: Bound | None, b: Bound | None) -> bool:
    return (a in AT_LEAST and b in AT_MOST) or (a in AT_MOST and b in AT_LEAST)


def _in_base(quantity: Quantity) -> float:
    """The value in base units: two years are 24 months."""
    return quantity.value * (MEASURES[quantity.measure][1] if quantity.measure else 1)


def _tolerance(quantity: Quantity) -> float:
    """The tolerance in base units; it is not enlarged for time, so that two years are not 20 months."""
    kind, base = MEASURES[quantity.measure] if quantity.measure else ("", 1)
    return quantity.tolerance * (min(1, base) if kind in IS_TIME else base)


def _factors(a: Quantity, b: Quantity) -> tuple[float, ...]:
    """Scales by which the two may differ. A table gives bare figures and says “in millions” or “pence” once above them;
    a sentence says what it means."""
    if {a.unit, b.unit} == {"number", "money"} and ((_is_in_cents(a) and b.is_cell) or (_is_in_cents(b) and a.is_cell)):
        return (1.0, 0.01) if _is_in_cents(a) else (1.0, 100.0)
    if a.scaled == b.scaled or "percent" in (a.unit, b.unit) or not (a.is_cell or b.is_cell):
        return (1.0,)
    return (1.0, 1e3, 1e6, 1e9) if a.scaled else (1.0, 1e-3, 1e-6, 1e-9)


def _is_in_cents(quantity: Quantity) -> bool:
    return quantity.unit == "money" and HUNDREDTHS.search(quantity.text) is not None


def comparable(a: Quantity, b: Quantity) -> bool:
    """Whether the two could be the same thing: a bare number in a table may be money, but not a percentage."""
    if a.rate and b.rate and a.rate != b.rate:
        return False
    if a.unit == b.unit:
        same_currency = a.currency is None or b.currency is None or a.currency == b.currency
        return same_currency and _same_measure(a, b)
    return {a.unit, b.unit} == {"number", "money"}


def _same_measure(a: Quantity, b: Quantity) -> bool:
    return not (a.measure and b.measure) or MEASURES[a.measure][0] == MEASURES[b.measure][0]


def _alike(a: Quantity, b: Quantity) -> bool:
    """Only a figure of the same kind can meet a bound, since almost any sum of money is over 300."""
    return a.unit == b.unit and comparable(a, b) and bool(a.measure) == bool(b.measure)


def with_percent_inside(text: str) -> str:
    """Moves “%” or a scale into the brackets: tables print a fall of 10 % as “(10)%” and a loss as “$(4.9) billion”."""
    return _NEGATIVE_PERCENT.sub(r"(\1\2)", text)


def quantities(text: str) -> list[Quantity]:
    """Every number except those of periods: years, days of a month, and names such as Q3."""
    return list(_quantities(text))


@lru_cache(maxsize=16_384)
def _quantities(text: str) -> tuple[Quantity, ...]:
    """Cached, because every claim is compared with every statement it cites."""
    taken = {place for _, (start, end) in period_spans(text) for place in range(start, end)}
    found = []
    for match in QUANTITY.finditer(text):
        if match.start("number") in taken or _part_of_a_name(text, match):
            continue
        if match["number"].lower() != "one" or match["scale"] or match["after"]:
            found.append(_quantity(text, match))
    return tuple(_shared_units(text, found))


def _before(text: str, position: int) -> str:
    return text[max(0, position - NEARBY) : position]


def _shared_units(text: str, found: list[Quantity]) -> list[Quantity]:
    """“Between 4 and 6 %”, “$4 to 6 million”: both ends share the unit that is written only once."""
    for at, (low, high) in enumerate(pairwise(found)):
        if _is_range(text, low, high):
            ends = _as_given(low, high), _as_given(high, low)
            before = _before(text, low.start)
            span = None if TURNED.search(before) else (ends[0].value, ends[1].value)
            bound: Bound | None = "between" if BETWEEN.search(before) and span else None
            found[at], found[at + 1] = (replace(end, span=span, bound=end.bound or bound) for end in ends)
    return found


def _is_range(text: str, low: Quantity, high: Quantity) -> bool:
    between = RANGE.fullmatch(text, low.end, high.start)
    if between is None or low.value >= high.value * (1 if low.scaled == high.scaled else 1e12):
        return False
    # “Rose by 12% to €3.5 billion” and “by 7.5% to 6,082” are not ranges.
    if low.unit != high.unit and ("number" not in (low.unit, high.unit) or low.unit in ("percent", "points")):
        return False
    return between["and"] is None or bool(BETWEEN.search(_before(text, low.start)))


def _as_given(bare: Quantity, full: Quantity) -> Quantity:
    if full.scaled and not bare.scaled:
        scale = re.search(rf"(?:{_SCALE})\b", full.text, re.IGNORECASE)
        factor = SCALES[scale.group().lower()] if scale else 1.0
        bare = replace(bare, value=bare.value * factor, tolerance=bare.tolerance * factor, scaled=True)
    if bare.unit == "number" and full.unit != "number":
        bare = replace(bare, unit=full.unit, currency=full.currency)
    return replace(bare, measure=full.measure) if bare.unit == "number" and not bare.measure else bare


def _part_of_a_name(text: str, match: re.Match[str]) -> bool:
    """The 2 of “CO2”, the 27001 of “ISO 27001”, the 3 of “Section 3” or “[c3]”, the 24 of “2023/24”."""
    is_plan = SAVINGS_PLAN.match(text, match.start("number")) is not None
    if (is_plan or HYPHENATED_AFTER.match(text, match.end("number"))) and not match["before"]:
        return True
    if LENGTH_OF_A_PERIOD.match(text, match.start("number")):
        return True
    if match["scale"] or match["after"] or match["before"]:
        return False
    start = match.start("number")
    before = _before(text, start)
    if LABELLED.search(before[-60:]) or CLOCK.search(f"{before[-4:]}\0{text[start : start + 6]}"):
        return True
    after = text[match.end("number") : match.end("number") + 3]
    year = SPLIT_YEAR.search(before)
    if year and match["number"] == f"{(int(year[1]) + 1) % 100:02d}":
        return True
    if HYPHENATED_BEFORE.search(before[-3:]):
        return True
    if re.match(r"(?:st|nd|rd|th)\b", after):
        return True
    return bool(re.match(r"[A-Za-z]", after)) and not measure_after(text, match.end("number"))


def _quantity(text: str, match: re.Match[str]) -> Quantity:
    value, decimals = read_numeral(match["number"])
    unit, currency = _unit(match)
    is_length = unit == "number" and _is_length(text, match)
    scale = None if is_length else match["scale"]
    factor = SCALES[scale.lower()] if scale else 1.0
    if HUNDREDTHS.search(match["after"] or "") and unit in ("points", "money"):
        factor /= 100
    sign = -1.0 if match["sign"] or _has_a_minus(text, match) else 1.0
    measured_from = match.end("number") if is_length else match.end()
    measure = measure_after(text, measured_from) if unit == "number" else None
    return Quantity(
        value * factor * sign,
        unit,
        0.5 * 10**-decimals * factor,
        (text[match.start() : measured_from] if is_length else match.group()).strip(" ("),
        match.start("number"),
        measured_from,
        currency,
        bool(scale),
        measure,
        _bound(text, match, measure),
        is_a_comparison(text, match.start()) or _spans_time(text, match, measure),
        rate_after(text, match.end()),
        not scale and not measure and _stands_bare(text, match),
    )


def _has_a_minus(text: str, match: re.Match[str]) -> bool:
    """“-$5 million”, “minus 5 °C”; but not the dash in “Knee bends – 3 sets” or “$4 – $6 million”."""
    before = _before(text, match.start())
    return bool(MINUS_IN_WORDS.search(before) or (match["before"] and MINUS.search(before)))


def _is_length(text: str, match: re.Match[str]) -> bool:
    """“5 m high”, “a 10 mm bolt”; but “1.5m people” and “12 m shares” are millions."""
    scale = match["scale"] or ""
    if scale not in ("m", "mm"):
        return False
    is_apart = text[match.end("number")].isspace()
    return scale == "mm" or (is_apart and not A_NOUN.match(text, match.end("scale")))


def _stands_bare(text: str, match: re.Match[str]) -> bool:
    """In a cell, beside another number, or alone after a label: “Revenue 184.1 171.7”, “Revenue: 184.1”."""
    before = _before(text, match.start())
    if BESIDE_A_CELL_BEFORE.search(before) or BESIDE_A_CELL.match(text, match.end()):
        return True
    is_last = NOTHING_BEHIND.match(text, match.end()) is not None
    return is_last and (not before.strip(" (") or before.rstrip().endswith(":"))


def _bound(text: str, match: re.Match[str], measure: str | None) -> Bound | None:
    bound = bound_before(text, match.start())
    if text.startswith("+", match.end()):
        return "at_least"
    return None if _spans_time(text, match, measure) else bound


def _spans_time(text: str, match: re.Match[str], measure: str | None) -> bool:
    """“Spread over 3 years” sets no limit."""
    is_time = measure is not None and MEASURES[measure][0] in IS_TIME
    return is_time and bool(re.search(r"\bover\s*$", _before(text, match.start()), re.IGNORECASE))


def _unit(match: re.Match[str]) -> tuple[Unit, str | None]:
    after = (match["after"] or "").strip().lower()
    before = (match["before"] or "").strip().lower()
    if after in ("%", "percent", "per cent", "prozent", "pour cent"):
        return "percent", None
    if after.startswith(("percentage", "basis", "bp", "pp", "prozentpunkt")):
        return "points", None
    if HUNDREDTHS.search(after) and not before:
        return "money", "GBP" if after in ("pence", "p") else "EUR" if after.startswith("euro") else None
    currency = CURRENCIES.get(before) or CURRENCIES.get(re.split(r"[\s'’-]", after)[-1])
    return ("money", currency) if currency else ("number", None)

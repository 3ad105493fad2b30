"""Reads units such as “in million US dollars”, stated once in a caption, column or label for numbers given bare."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from masis.language.measures import measure_in_label
from masis.language.quantities import CURRENCIES, SCALES, Quantity

_CURRENCY = r"US\$|US[\s-]dollars?|USD|EUR|GBP|CHF|JPY|dollars?|euros?|[$€£]"
_WORDS = "|".join(sorted((s for s in SCALES if len(s) > 1), key=len, reverse=True))
CAPTION = re.compile(
    rf"""(?:\bin\s+|[(\[]\s*|_|,\s)(?:in\s)?
    (?:(?P<first>{_CURRENCY})[\s_]*(?:(?P<scale1>{_WORDS}|[kmb])(?![a-z]))? | (?P<scale2>{_WORDS})(?![a-z]))
    \.?[\s_]*(?:of\s|d['’])?(?P<second>{_CURRENCY})?""",
    re.VERBOSE | re.IGNORECASE,
)

# “Revenue grew 5%” above a table says nothing about its cells.
PERCENT = re.compile(r"(?<!\d)(?<!\d\s)(?:%|\b(?:percent|per cent|percentage)\b)", re.IGNORECASE)

THOUSANDS = re.compile(r"(?P<sign>[$€£])?\s?['’‘]?000s?(?![\d,.])(?<![\d,.]000)", re.IGNORECASE)
"""“$’000” above a column."""

FEWEST_OF_AN_AMOUNT = 1000
"""A bare cell from this value upwards is an amount, even if the caption also mentions a percentage."""


UNIT_LINE_CHARS = 120
"""Longest line, in characters, that can be a line of units."""


@dataclass(frozen=True, slots=True)
class Caption:
    factor: float = 1.0
    currency: str | None = None
    percent: bool = False
    measure: str | None = None

    def applied_to(self, number: Quantity) -> Quantity:
        """Fills in only what the number leaves open."""
        if number.unit not in ("number", "money") or number.scaled:
            return number
        if self.percent:
            is_share = number.unit == "number" and abs(number.value) < FEWEST_OF_AN_AMOUNT
            return replace(number, unit="percent") if is_share else number
        return replace(
            number,
            value=number.value * self.factor,
            tolerance=number.tolerance * self.factor,
            scaled=self.factor != 1.0,
            is_cell=number.is_cell or self.factor != 1.0,
            unit="money" if self.currency else number.unit,
            currency=number.currency or self.currency,
            measure=number.measure or (None if self.currency or number.unit == "money" else self.measure),
        )


def caption_of(labels: Iterable[str]) -> Caption:
    """What the nearest label says; a label without a unit defers to the next."""
    for label in labels:
        if found := _read(label):
            return found
    return Caption()


def is_unit_line(line: str) -> bool:
    """“(in millions, except per share amounts)”: a short line that opens with a scale or a currency, or is in brackets
    and names one."""
    bare = line.strip("()[] .:")
    found = CAPTION.search(f"({bare}") or THOUSANDS.search(bare)
    return len(line) <= UNIT_LINE_CHARS and found is not None and (found.start() <= 1 or line.strip().startswith("("))


def _read(label: str) -> Caption | None:
    if PERCENT.search(label.replace("_", " ")):
        return Caption(percent=True)
    if thousands := THOUSANDS.search(label):
        return Caption(1e3, CURRENCIES.get(thousands["sign"] or ""))
    # “(Dollars in thousands)” is found in two pieces, the currency and the scale.
    found = list(CAPTION.finditer(label))
    scale = next((s for match in found if (s := match["scale1"] or match["scale2"])), "")
    currency = next((c for match in found if (c := match["first"] or match["second"])), None)
    if found:
        return Caption(SCALES.get(scale.lower(), 1.0), _currency(currency))
    measure = measure_in_label(label)
    return Caption(measure=measure) if measure else None


def _currency(written: str | None) -> str | None:
    return CURRENCIES.get(re.split(r"[\s-]", written.lower())[-1]) if written else None

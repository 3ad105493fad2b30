"""Reads what a cell holds: words, an amount or a date. Results are cached."""

import re
import unicodedata
from functools import lru_cache

from masis.language.periods import MONTHS
from masis.language.words import stem

TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+")
FOOTNOTE = re.compile(r"\[[^\[\]]{1,12}\]|[*†‡§#]+|(?<=[\w)%])\s*\((?:\d{1,2}|[a-z])\)\s*$")
NOTHING = re.compile(r"[-–—−]+")
"""A dash means zero in a table of amounts."""
AMOUNT = re.compile(
    r"(?P<before>[^\d]{0,6}?)(?P<number>\d{1,3}(?:[,  ]\d{3})+(?:\.\d+)?|\d*\.\d+|\d+)(?P<after>\s?[^\d]*)(?P<rest>.*)",
    re.DOTALL,
)
CURRENCY = re.compile(r"\W*(?:(?:US|USD|EUR|GBP|CHF|JPY|INR|HK|NZ|AU|CA|RM|Rs|[ACS])\W*)?", re.IGNORECASE)
"""The only text allowed before a figure: “Q3” is a name, not an amount."""
CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,2}):(\d\d(?:\.\d+)?)")
NEGATIVE = re.compile(r"^\s*[A-Z$€£]{0,4}\s*(?:\(|[-−–](?=\s?[$€£]?\s?\d))")
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_YEAR = r"(?P<year>1\d{3}|20\d\d)"
DAYS = [
    re.compile(rf"{_YEAR}-(?P<month>\d\d)-(?P<day>\d\d)"),
    re.compile(rf"(?P<named>{_MONTH})\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+{_YEAR}", re.IGNORECASE),
    re.compile(rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?P<named>{_MONTH})\.?,?\s+{_YEAR}", re.IGNORECASE),
    re.compile(rf"\b(?P<named>{_MONTH})\b\.?,?\s+{_YEAR}", re.IGNORECASE),
    re.compile(rf"\b(?P<named>{_MONTH})\b\.?\s+(?P<day>\d{{1,2}})\b(?!\d)", re.IGNORECASE),
    re.compile(rf"(?P<day>\d{{1,2}})\s+(?P<named>{_MONTH})\b", re.IGNORECASE),
    re.compile(rf"(?P<month>\d{{1,2}})/(?P<day>\d{{1,2}})/{_YEAR}"),
    re.compile(rf"(?<![\d,.]){_YEAR}(?![\d,]|\.\d)"),
]
NAMED_MONTH = re.compile(rf"\s*(?:{_MONTH})\b", re.IGNORECASE)
LONGEST_CELL = 300
"""Characters of a cell that are read; longer cells are prose."""


@lru_cache(maxsize=65_536)
def folded(text: str) -> str:
    """Lower case, without accents and footnote marks."""
    bare = FOOTNOTE.sub(" ", text[:LONGEST_CELL])
    plain = unicodedata.normalize("NFKD", bare.replace("’", "'"))
    return "".join(c for c in plain if not unicodedata.combining(c)).lower()


@lru_cache(maxsize=65_536)
def tokens(text: str) -> tuple[str, ...]:
    return tuple(TOKEN.findall(folded(text)))


@lru_cache(maxsize=65_536)
def stems(text: str) -> tuple[str, ...]:
    return tuple(token.replace(",", "") if token[0].isdigit() else stem(token) for token in tokens(text))


@lru_cache(maxsize=65_536)
def amount(text: str) -> float | None:
    """The amount in a cell that holds one number and little else: “$ (1,234)”, “56 m”, “3rd”, “12.5 %”, “1:36.2”."""
    bare = FOOTNOTE.sub("", unicodedata.normalize("NFKC", text[:LONGEST_CELL])).strip()
    if NOTHING.fullmatch(bare):
        return 0.0
    if clock := CLOCK.fullmatch(bare):
        return 3600 * float(clock[1] or 0) + 60 * float(clock[2]) + float(clock[3])
    found = AMOUNT.fullmatch(bare)
    if found is None or (re.search(r"\d", found["rest"]) and "(" not in found["after"]):
        return None
    if not CURRENCY.fullmatch(found["before"]) or NAMED_MONTH.match(found["after"]):
        return None
    value = float(re.sub(r"[,  ]", "", found["number"]))
    return -value if NEGATIVE.match(bare) else value


@lru_cache(maxsize=65_536)
def day(text: str) -> float | None:
    """The date as a number of years, for sorting only; a day without a year counts from year 0."""
    for pattern in DAYS:
        if found := pattern.search(text[:LONGEST_CELL]):
            parts = found.groupdict()
            named = parts.get("named")
            month = MONTHS[named.lower()] if named else int(parts.get("month") or 0)
            return int(parts.get("year") or 0) + month / 12.5 + int(parts.get("day") or 0) / 400
    return None

"""Reads what goes with a number: number words (“three”), bounds (“over”), rates (“a day”) and measures, so that only
comparable figures are compared. Also decides whether a text states a figure at all."""

import re
from math import floor
from typing import Literal

_MAGNITUDE = (
    r"(?:million|billion|trillion|thousand|bn|mn|mm|tn|[mbk]|mio|mrd|tsd|millionen|milliarden|millions?"
    r"|milliards?|millones|miles|milioni|miliardi|milhões|milhoes|bilhões|bilhoes|miljoen|miljard|mln|mld"
    r"|млн|млрд)"
)
_HARD_FIGURE = re.compile(
    r"[$€£¥₹₽₩]\s?\d|\b(?:usd|eur|gbp|chf|jpy|cny|inr)\s?\d|\d\s?[%‰€£¥₹％]|\d\s?(?:percent|per cent"
    r"|prozent|pour cent|por ciento|per cento|por cento|procent|bps|basis points|percentage points|usd|eur"
    r"|gbp|chf|dollars?|euros?)\b"
    rf"|\d\s?{_MAGNITUDE}\b|\d\s?[万億亿兆]",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.,])\d[\d.,]*")
_LABEL_BEFORE = re.compile(
    r"(?:\b(?:pages?|pp?|documents?|docs?|chunks?|sections?|sources?|forms?|figures?|tables?|notes?|no|nr"
    r"|items?|exhibits?|appendix|chapters?|passages?|seiten?|página|pagina|questions?|step|phase|part"
    r"|quarter|quartal)\.?|[#§])\s?$",
    re.IGNORECASE,
)
_LABEL_AFTER = re.compile(
    r"-[a-z]\b|\s?(?:documents?|sources?|passages?|chunks?|excerpts?|files?|reports?|filings?)\b|(?:st|nd"
    r"|rd|th)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d[.,]*")


def states_a_hard_figure(text: str) -> bool:
    """The text has money, a percentage or a magnitude, which is never a mere label."""
    return _HARD_FIGURE.search(text) is not None


def states_a_figure(text: str) -> bool:
    """The text has a hard figure, or any number other than a year, period, page or document number."""
    return states_a_hard_figure(text) or any(_is_quantity(text, m) for m in _NUMBER.finditer(text))


def _is_quantity(text: str, number: re.Match[str]) -> bool:
    return not (
        _YEAR.fullmatch(number.group())
        or _LABEL_BEFORE.search(text[max(0, number.start() - 14) : number.start()])
        or _LABEL_AFTER.match(text, number.end())
    )


_ONES = "one two three four five six seven eight nine".split()
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
NUMBER_WORDS = (
    {word: value for value, word in enumerate(_ONES, start=1)}
    | {word: value for value, word in enumerate(_TEENS, start=10)}
    | dict(zip(_TENS, range(20, 100, 10), strict=True))
)

_SMALL = rf"(?:(?:{'|'.join(_TENS)})(?:-(?:{'|'.join(_ONES)}))?|{'|'.join(_TEENS)}|{'|'.join(_ONES)})"
IN_WORDS = rf"\b(?:(?:{_SMALL}\s)?hundred(?:\s(?:and\s)?{_SMALL})?|{_SMALL})\b"

# “1 200” is one number where it fills a cell or brackets; “1,200” is English, “2,54,970” Indian; a comma before one or
# two digits, or after a zero, is a decimal comma.
IN_DIGITS = r"""(?:
      \d{1,3}(?:\.\d{3})+,\d+ | \d{1,3}(?:\.\d{3}){2,}(?![\d.])
    | \d{1,3}(?:[\u202f\u00a0\u2009'’]\d{3})+(?:[.,]\d+)?(?!\d) | \d{1,3}(?:\ \d{3}){2,}(?:[.,]\d+)?(?!\d)
    | [1-9]\d{0,2}\ \d{3}(?=\s[a-z€$£%]) | (?:(?<=\|\ )|(?<=\()|(?<![\s\S]))[1-9]\d{0,2}\ \d{3}(?=\ \||\)|(?![\s\S]))
    | [1-9]\d?(?:,\d\d)+,\d{3}(?:\.\d+)?(?![\d,])
    | 0,\d+(?![\d,]) | \d+,\d{1,2}(?![\d.]|,\d) | \d{4,},\d+(?![\d,])
    | \d{1,3}(?:,\d{3})+(?:\.\d+)?
    | \d+(?:\.\d+)?
)"""


def read_numeral(raw: str) -> tuple[float, int]:
    """The value, and the number of decimals given."""
    if raw[0].isalpha():
        return float(_in_words(raw.lower())), 0
    digits = _with_a_point(raw)
    return float(digits), len(digits.partition(".")[2])


def _in_words(spelled: str) -> int:
    before, hundred, after = spelled.partition("hundred")
    small = sum(NUMBER_WORDS.get(word, 0) for word in re.findall(r"[a-z]+", after if hundred else before))
    return small + (100 * (NUMBER_WORDS.get(before.strip(), 0) or _in_words(before) or 1) if hundred else 0)


def _with_a_point(raw: str) -> str:
    joined = re.sub(r"[\s\u202f\u00a0\u2009'’]", "", raw)
    if "," in joined and "." in joined:
        group, point = (",", ".") if joined.rindex(".") > joined.rindex(",") else (".", ",")
        return joined.replace(group, "").replace(point, ".")
    if joined.count(".") > 1:
        return joined.replace(".", "")
    is_english = joined == raw and re.fullmatch(r"[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d?(?:,\d\d)+,\d{3}", joined)
    return joined.replace(",", "" if is_english else ".")


_ADVERBS = {
    "hourly": "hour", "daily": "day", "nightly": "night", "weekly": "week", "monthly": "month", "quarterly": "quarter",
    "annually": "year", "yearly": "year",
}  # fmt: skip
_UNITS = {form: form for form in "second minute hour day night week month quarter year".split()} | {"annum": "year"}
_EACH = (
    rf"(?:(?:an?|per|each|every)\s|/\s?)(?P<unit>{'|'.join(_UNITS)})\b"
    r"(?!-|\s+(?:earlier|ago|later|before|after|from|into|prior|previously|on))"
)
"""“17 % a year earlier” is not a rate."""
_OFTEN = rf"(?:{_EACH}|(?P<adverb>{'|'.join(_ADVERBS)})\b)"
RATE_AFTER_A_NUMBER = re.compile(rf"(?:\s?[a-zµμ]{{1,30}}){{0,2}}?\s?{_OFTEN}", re.IGNORECASE)


def rate_after(text: str, position: int) -> str | None:
    match = RATE_AFTER_A_NUMBER.match(text, position)
    return _unit(match) if match else None


def _unit(match: re.Match[str]) -> str:
    return _ADVERBS[match["adverb"].lower()] if match["adverb"] else _UNITS[match["unit"].lower()]


Bound = Literal["over", "at_least", "under", "at_most", "nearly", "about", "between"]
AT_LEAST: frozenset[Bound] = frozenset({"over", "at_least"})
AT_MOST: frozenset[Bound] = frozenset({"under", "at_most"})

_PHRASES: dict[Bound, str] = {
    "over": "over|more than|greater than|above|exceed|exceeds|exceeded|exceeding|in excess of|surpassed|topped|"
    "mehr als|plus de",
    "at_least": "at least|no less than|no fewer than|not less than|upwards of|a minimum of|mindestens",
    "under": "under|below|less than|fewer than|weniger als|moins de",
    "at_most": "at most|up to|no more than|not more than|a maximum of|höchstens",
    "nearly": "nearly|almost|close to|just under|just below|fast|knapp|près de",
    "about": "about|around|roughly|approximately|approx.|some|circa|ca.|~|≈|rund|etwa|environ",
}
_KINDS = {phrase: kind for kind, phrases in _PHRASES.items() for phrase in phrases.split("|")}
_PHRASE = "|".join(re.escape(phrase) for phrase in sorted(_KINDS, key=len, reverse=True))
_COMPARED = re.compile(
    r"\d[^.;:]*(?:,|\d%?)\s+(?:well\s|far\s|slightly\s)?(?:above|below|over|under|exceeding|(?:more|less) than)\s*$",
    re.IGNORECASE,
)
_COMPARES = ("above", "below", "over", "under", "exceeding", "than")
_BEFORE_A_NUMBER = re.compile(rf"(?<!\w)(?P<phrase>{_PHRASE})\s*$", re.IGNORECASE)

NEARBY = 120
"""How many characters before a number are searched for words about it. Without a limit, many numbers take too long."""
NEAR = 0.10
"""How far below its number “nearly” extends, as a share of it."""
ROUGH = 0.05
"""How far “about” extends on both sides, as a share of the number."""


def bound_before(text: str, position: int) -> Bound | None:
    match = _BEFORE_A_NUMBER.search(text[max(0, position - 30) : position])
    return _KINDS[match["phrase"].lower()] if match else None


def is_a_comparison(text: str, position: int) -> bool:
    """“Inflation was 4.0%, above 3.2% in April”: the second number may be a figure of its own rather than a limit."""
    before = text[max(0, position - NEARBY) : position].rstrip()
    # Few numbers follow such a word, and looking for what it compares with is slow.
    return before.lower().endswith(_COMPARES) and bool(_COMPARED.search(before))


def reaches(bound: Bound, limit: float, value: float) -> bool:
    """Whether a figure of this value satisfies the bound."""
    if bound in AT_LEAST:
        return value > limit if bound == "over" else value >= limit
    if bound in AT_MOST:
        return value < limit if bound == "under" else value <= limit
    share = NEAR if bound == "nearly" else ROUGH
    return limit * (1 - share) <= value <= (limit if bound == "nearly" else limit * (1 + share))


_FORMS = {
    ("month", 1): "month months", ("month", 12): "year years yr yrs",
    ("day", 1): "day days", ("day", 7): "week weeks",
    ("minute", 1): "minute minutes min", ("minute", 60): "hour hours hr hrs h",
    ("minute", 1 / 60): "second seconds sec secs",
    ("celsius", 1): "°c celsius", ("fahrenheit", 1): "°f fahrenheit", ("kelvin", 1): "kelvin",
    ("metre", 1): "metre metres meter meters m", ("metre", 0.01): "cm centimetre centimetres centimeter centimeters",
    ("metre", 0.001): "mm millimetre millimetres millimeter millimeters",
    ("metre", 1000): "km kilometre kilometres kilometer kilometers",
    ("mile", 1): "mile miles mi", ("foot", 1): "foot feet ft", ("inch", 1): "inch inches",
    ("gram", 1000): "kg kilogram kilograms", ("gram", 1): "gram grams g", ("gram", 1e6): "tonne tonnes",
    ("gram", 1e-3): "mg milligram milligrams", ("gram", 1e-6): "µg μg mcg microgram micrograms",
    ("pound", 1): "lb lbs", ("litre", 1): "litre litres liter liters l",
    ("litre", 0.001): "ml millilitre millilitres milliliter milliliters", ("gallon", 1): "gallon gallons",
    ("kwh", 1): "kwh", ("kwh", 1000): "mwh", ("kw", 1): "kw", ("kw", 1000): "mw",
}  # fmt: skip
MEASURES = {form: kind for kind, forms in _FORMS.items() for form in forms.split()}
"""Each unit word, with the measure it belongs to and how many of its base units it holds."""

IS_TIME = frozenset({"month", "day", "minute"})
_FORM = "|".join(re.escape(form) for form in sorted(MEASURES, key=len, reverse=True))
AFTER_A_NUMBER = re.compile(rf"(?:\s|-)?(?P<form>{_FORM})(?!\w)", re.IGNORECASE)
IN_A_LABEL = re.compile(rf"[(\[_]\s*(?:in\s)?(?P<form>{_FORM})\s*(?:[)\]_]|$)", re.IGNORECASE)


A_NAME = re.compile(r"-?[GM]")
"""“A 5G network”, “the 3M plant”: grams and metres are written in lower case."""


def measure_after(text: str, position: int) -> str | None:
    match = AFTER_A_NUMBER.match(text, position)
    return match["form"].lower() if match and not A_NAME.fullmatch(match.group().strip()) else None


def measure_in_label(label: str) -> str | None:
    match = IN_A_LABEL.search(label)
    return match["form"].lower() if match else None


def percent(share: float) -> str:
    return f"{whole_percent(share)}%"


def whole_percent(share: float) -> int:
    """Rounds halves up, as the page does."""
    return floor(share * 100 + 0.5)

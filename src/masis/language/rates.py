"""“400 units a day”, “once weekly”: how often, compared only where both sides say it."""

import re

from masis.language.numerals import NUMBER_WORDS

_ADVERBS = {
    "hourly": "hour", "daily": "day", "nightly": "night", "weekly": "week", "monthly": "month", "quarterly": "quarter",
    "annually": "year", "yearly": "year",
}  # fmt: skip
_UNITS = {form: form for form in "second minute hour day night week month quarter year".split()} | {"annum": "year"}
_EACH = (
    rf"(?:(?:an?|per|each|every)\s|/\s?)(?P<unit>{'|'.join(_UNITS)})\b"
    r"(?!-|\s+(?:earlier|ago|later|before|after|from|into|prior|previously|on))"
)
"""“17 % a year earlier” is no rate."""
_OFTEN = rf"(?:{_EACH}|(?P<adverb>{'|'.join(_ADVERBS)})\b)"
AFTER_A_NUMBER = re.compile(rf"(?:\s?[a-zµμ]+){{0,2}}?\s?{_OFTEN}", re.IGNORECASE)
_TIMES = {"once": 1, "twice": 2}
FREQUENCY = re.compile(
    rf"\b(?:(?P<word>once|twice)|(?P<count>\d+|{'|'.join(NUMBER_WORDS)})\stimes?)\s{_OFTEN}", re.IGNORECASE
)

Frequency = tuple[int, str]


def rate_after(text: str, position: int) -> str | None:
    match = AFTER_A_NUMBER.match(text, position)
    return _unit(match) if match else None


def frequencies(text: str) -> dict[Frequency, str]:
    """Each “twice a day” of the text, with the words for it."""
    return {(_count(match), _unit(match)): match.group() for match in FREQUENCY.finditer(text)}


def _unit(match: re.Match[str]) -> str:
    return _ADVERBS[match["adverb"].lower()] if match["adverb"] else _UNITS[match["unit"].lower()]


def _count(match: re.Match[str]) -> int:
    if match["word"]:
        return _TIMES[match["word"].lower()]
    spelled = match["count"].lower()
    return int(spelled) if spelled.isdigit() else NUMBER_WORDS[spelled]

"""Does a text state a figure? The test that tells a smuggled claim from a title or a stated limit.

Years, fiscal periods, page numbers and form names are labels, not figures.
"""

import re

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
    """Money, a percentage or a magnitude: never a mere label."""
    return _HARD_FIGURE.search(text) is not None


def states_a_figure(text: str) -> bool:
    """A hard figure, or any number but a year, period, page or document number."""
    return states_a_hard_figure(text) or any(_is_quantity(text, m) for m in _NUMBER.finditer(text))


def _is_quantity(text: str, number: re.Match[str]) -> bool:
    return not (
        _YEAR.fullmatch(number.group())
        or _LABEL_BEFORE.search(text[max(0, number.start() - 14) : number.start()])
        or _LABEL_AFTER.match(text, number.end())
    )

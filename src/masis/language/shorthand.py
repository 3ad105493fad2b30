"""Bracketed tokens of letters and digits that an editor writes and no store hands out as an id."""

import re

from masis.language.patterns import one_of, word_set

_SOURCE_WORDS = word_set(
    "doc docs document chunk source src ref reference id ev evid evidence passage cit cite citation snippet para"
)
"""Words that name a source: `[DOC3]` and `[ref-12]` are ids however they are written."""

_YEAR = r"(?:(?:19|20)\d\d|\d\d)"
_MONTH = one_of("jan feb mar apr may jun jul aug sept? oct nov dec mai okt dez june july march april")
_PERIOD = one_of("fy cy ltm ttm ytd q[1-4] [1-4]q h[12] [12]h [369]m 12m")
_UNIT = one_of(
    """st nd rd th pp bps? [a-z] mn mm bn tn kg km kwh? mwh? gwh? [kmgt]b [mg]?hz nm cm ft hrs? yrs? am pm
    usd eur gbp million billion percent"""
)
_LABEL = one_of(
    """table tab figure fig note exhibit item section sec appendix annex part page pp? chapter ch phase stage
    tier level type class series grade step year month week day top covid web windows form article art
    line row slide eq vol no nr mid pre post early late since non ex round gen group zone unit model cop
    euro"""
)
_SHORTHAND = re.compile(
    "|".join(
        (
            # Q3, FY2024, 1H24, FY24/25, 2024Q3
            rf"{_PERIOD}(?:[-/']?(?:fy|cy)?{_YEAR}(?:[-/]{_YEAR})?)?[eafp]?|{_YEAR}[-/]?(?:q[1-4]"
            r"|h[12])[eafp]?",
            # Mar-24, 31Dec2024
            rf"{_MONTH}[-/']?{_YEAR}|\d{{1,2}}[-/]?{_MONTH}(?:[-/]?{_YEAR})?",
            # 5bn, USD3.5m, 12th, 1990s, 2024E, 2x4
            rf"(?:usd|eur|gbp|chf|jpy|us)?\d[\d.,]*{_UNIT}?|\d+x\d+",
            # 10-K, 3-year, 1st-half
            r"\d{1,4}(?:st|nd|rd|th)?-[a-z]{1,12}(?:-[a-z]{1,12})*(?:/a)?",
            # Table2, mid-2024, v1.2.3
            rf"{_LABEL}[-.]?\d{{1,4}}[a-z]?|v\d+(?:\.\d+)*",
        )
    ),
    re.IGNORECASE,
)
# A4, CO2, B2B; GPT-4o; NYSE:IBM
_CAPITALS = re.compile(r"(?=.{2,6}$)[A-Z0-9]+(?:-[A-Z0-9]+)*|[A-Z]{2,6}-\d[\w.]{0,3}|[A-Z]{2,8}:[A-Z]{1,6}(?:\.[A-Z])?")
_LETTERS = re.compile(r"[A-Za-z]*")


def is_shorthand(token: str) -> bool:
    letters = _LETTERS.match(token)
    if letters and letters.group().lower() in _SOURCE_WORDS:
        return False
    return _SHORTHAND.fullmatch(token) is not None or _CAPITALS.fullmatch(token) is not None

"""Checks whether the source mentions the periods, names and quotations that a claim gives."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from masis.audit.checks.numbers import gives
from masis.audit.checks.places import spoken
from masis.audit.checks.signature import LIKELY, NOT_RULED_OUT, Claim, Finding, Sources
from masis.language.periods import MONTHS, Period, lies_within_a_range, periods
from masis.language.readings import readings
from masis.language.sentences import clauses
from masis.language.spans import code_spans, paired_spans
from masis.language.words import is_negated, names, plain

ALIGNED = 0.7
"""Share of the claim's words that a statement must contain for its period to be the one the claim is about."""
RELATIVE = re.compile(
    r"\b(?:prior|previous|preceding|last|next|following|coming|earlier|later|ago|year-over-year|year over year)\b",
    re.IGNORECASE,
)
_DAY_OF_A_WEEK = re.compile(
    r"\b(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|the \d{1,2}(?:st|nd|rd|th)|tomorrow|(?:next|this|two) weeks?)\b",
    re.IGNORECASE,
)
"""A source that counts in days of the week leaves the dates to its reader."""
_NOT_COVERED = re.compile(
    r"\bnot (?:\w+ )?(?:cover|includ|show|give|report|list|contain|reach|extend|disclos|part\b|in the\b)", re.IGNORECASE
)
_LABELLED = re.compile(r"\b[A-Z][a-z]+ \d+\b")
"""“Passage 2”, “Phase 3”: a thing identified by its number."""
_NOBODY = re.compile(r"\[[^\]]*\]|\b(?:Fahrenheit|Celsius)\b")
"""Placeholders such as “[Your Name]”, and temperature scales."""
_SHORT = re.compile(r"\b[A-Z]{2,6}\b")
_RUN = re.compile(r"[A-Z][\w'’]+(?: [A-Z][\w'’]+){0,5}")
_POSSESSIVE = re.compile(r"['’]s\b")
_NUMBERED = re.compile(r"-\d+$")
_OF_A_COUNTRY = re.compile(r"(?P<root>[a-z]{4,})(?:i?an|ese|ish|ic|i)")
OF_A_NAME = ("the source does not name ", "the source names ")
"""Opening words of findings that rest on a capital letter."""
_LAST_DAYS = {"Q1": "03-31", "Q2": "06-30", "Q3": "09-30", "Q4": "12-31", "H1": "06-30", "H2": "12-31"}
FEWEST_QUOTED_WORDS = 4
"""Shorter quotations are names, titles and terms, which may be in quotation marks without being quoted."""
_LEFT_OUT = re.compile(r"\[?\(?(?:\.\.\.|…|\. \. \.)\)?\]?|\[[^\]]*\]")
"""Marks what the writer left out, or inserted for the reader."""
_NOT_WORDS = re.compile(r"[\W_]+")


def foreign_period(claim: Claim, sources: Sources) -> Finding | None:
    """The claim gives a year, quarter or day that appears nowhere in the cited passages, or one that differs from the
    period of the statement it rests on."""
    years = {p.year for p in sources.periods if p.year}
    for period in claim.periods:
        if period.year and period.year not in years:
            return _unmentioned(period, years, claim, sources)
        alike = [p for p in sources.periods if p.part and _kind(p) == _kind(period)]
        # A printed table may put the day and the year of a column in different places.
        is_named = any(
            p.part and (p.part == period.part or _holds(period, p) or _ends(p, period)) for p in sources.periods
        )
        if period.part and alike and not is_named and not _is_named_alone(period, sources.text):
            said = f"the source speaks of {spoken(alike)}, not of {spoken([period])}"
            is_reckoned = _kind(period) == "day" and _DAY_OF_A_WEEK.search(sources.text)
            return Finding("unverified" if is_reckoned else "numbers_differ", said)
    return _of_another_statement(claim, sources)


def _holds(month: Period, day: Period) -> bool:
    """“By September 2023” where the source has September 30, 2023."""
    return _kind(month) == "month" and bool(day.part) and str(day.part).startswith(f"{month.part}-")


def _is_named_alone(month: Period, text: str) -> bool:
    """“In August 2024” where a paper of that year has “in August”."""
    names = [name for name, number in MONTHS.items() if _kind(month) == "month" and f"{number:02d}" == month.part]
    return bool(names) and re.search(rf"\b(?:{'|'.join(names)})\b", text, re.IGNORECASE) is not None


def _ends(part: Period, day: Period) -> bool:
    """“At 30 September 2024” in a report on the third quarter."""
    return day.part == _LAST_DAYS.get(str(part.part)) and day.year in (part.year, None)


def _kind(period: Period) -> str:
    """A quarter, a half, a month or a day. Only periods of one kind are compared: a month does not contradict its
    quarter."""
    part = period.part or ""
    return "day" if "-" in part else "month" if part[:1].isdigit() else part[:1]


def _unmentioned(period: Period, years: set[int], claim: Claim, sources: Sources) -> Finding:
    is_relative = len(years) == 1 and RELATIVE.search(sources.text)
    is_fiscal = period.basis == "fiscal" and period.year and period.year - 1 in years
    # “The table begins with 2020, so 2019 is not covered.”
    is_denied = any(
        _NOT_COVERED.search(claim.text, a, b) and period in periods(claim.text[a:b]) for a, b in clauses(claim.text)
    )
    if not years or is_relative or is_fiscal or is_denied or lies_within_a_range(period, sources.text):
        return Finding("unverified", f"the source does not name {period.year}: code alone cannot tell")
    known = ", ".join(map(str, sorted(years)))
    return Finding("numbers_differ", f"the source speaks of {known}, not of {period.year}")


def _of_another_statement(claim: Claim, sources: Sources) -> Finding | None:
    window = sources.window(claim)
    if window is None or window.coverage < ALIGNED or is_negated(claim.text):
        # A report gives no period for something it says it does not have.
        return None
    figures = [r.quantity for r in claim.figures]
    if figures and not any(gives(r.quantity, q) for part in window.parts for r in readings(part) for q in figures):
        # The claim takes its figure from another statement, which has its own period.
        return None
    here = [*periods(window.said), *(p for part in window.parts for r in readings(part) for p in r.periods)]
    around = [p for p in sources.periods if p not in periods(sources.text)]
    for period in claim.periods if len({p.year for p in claim.periods}) < 2 else ():
        if here and all(_is_another(period, p) for p in here) and not any(period == p for p in around):
            said = f"the source speaks of {spoken(here)} here, not of {spoken([period])}"
            return Finding("numbers_differ", said, withdrawn_at=LIKELY)
    return None


def _is_another(one: Period, other: Period) -> bool:
    """A fiscal quarter may contain any day, so a day never contradicts a quarter or half of the same year."""
    kinds = {_kind(one), _kind(other)}
    may_hold = "day" in kinds and bool(kinds & {"Q", "H"}) and one.year in (None, other.year)
    return one.excludes(other) and not may_hold


def foreign_name(claim: Claim, sources: Sources) -> Finding | None:
    elsewhere = "\n".join(chunk.get("elsewhere", "") for chunk in sources.chunks)
    where = _letters(f"{sources.around}\n{sources.text}\n{elsewhere}")
    told = names(_LABELLED.sub(" ", _NOBODY.sub(" ", claim.text)))
    missing = [n for n in dict.fromkeys(told) if not _is_acronym(n) and not _is_named(n, where)]
    if not missing or _are_abbreviated(missing, claim.text, f"{sources.around}\n{sources.text}"):
        return None
    reason = f"{OF_A_NAME[0]}{', '.join(missing)}"
    others = _letters("\n".join(chunk.get("other_names", "") for chunk in sources.chunks))
    if all(_is_named(name, others) for name in missing):
        # The slides say only “the Cooperative”, but other documents name it as “Kestrel Flats”.
        return Finding("unverified", f"{reason}; other documents do")
    return Finding("not_in_source", reason, withdrawn_at=NOT_RULED_OUT)


def _are_abbreviated(missing: Sequence[str], claim: str, where: str) -> bool:
    """“North America” counts as named if the source has NA, “Europe” if it has EUR, “Latin America” if LATAM."""
    short = dict.fromkeys(_SHORT.findall(where))
    runs = [[word.upper() for word in _POSSESSIVE.sub("", run).split()] for run in _RUN.findall(claim)]
    spelled = {
        word
        for run in runs
        for first in range(len(run))
        for last in range(first + 1, len(run) + 1)
        if any(_is_short_for(token, run[first:last]) for token in short if len(token) > 2 or last - first > 1)
        for word in run[first:last]
    }
    return all(_POSSESSIVE.sub("", name).upper() in spelled for name in missing)


def _is_short_for(token: str, names: Sequence[str]) -> bool:
    """The token consists of the first letters of every name, in order."""
    if not names:
        return not token
    longest = next((n for n, (a, b) in enumerate(zip(token, names[0], strict=False)) if a != b), len(token))
    return any(_is_short_for(token[size:], names[1:]) for size in range(min(longest, len(names[0])), 0, -1))


def _is_named(name: str, where: str) -> bool:
    """“Libyan” counts as named if the source has “Libya”."""
    letters = _letters(_NUMBERED.sub("", name))
    country = _OF_A_COUNTRY.fullmatch(letters)
    first = _letters(name.partition("-")[0])
    # “Hopper-based” counts as named if the source has “Hopper”.
    return letters in where or (len(first) > 2 and first in where) or bool(country and country["root"] in where)


@lru_cache(maxsize=4096)
def _letters(text: str) -> str:
    """Reduces a text to plain letters, so that “Khloé’s” matches “Khloe” and “Southeast” matches “South East”."""
    folded = unicodedata.normalize("NFKD", plain(text)).lower()
    return re.sub(r"[\W_]+", "", re.sub(r"'s\b|[\u0300-\u036f]", "", folded))


def _is_acronym(name: str) -> bool:
    # “CEO” may stand for words that the source spells out.
    return name.rstrip("s").isupper() and len(name) <= 6


def misquoted(claim: Claim, sources: Sources) -> Finding | None:
    """Text that a claim puts in quotation marks must appear in the source word for word."""
    _, quotes = paired_spans(claim.text, 0, len(claim.text), code_spans(claim.text, 0, len(claim.text)))
    where = _words_of(f"{sources.around}\n{sources.text}")
    for start, end in quotes:
        quotation = claim.text[start + 1 : end - 1].strip()
        # A question in quotation marks is the one the user asked.
        is_short = len(quotation.split()) < FEWEST_QUOTED_WORDS or quotation.endswith("?")
        if not is_short and not _is_quoted(quotation, where):
            return Finding("not_in_source", f"the source does not say “{quotation}”", withdrawn_at=NOT_RULED_OUT)
    return None


def _is_quoted(quotation: str, where: str) -> bool:
    at = 0
    for piece in map(_words_of, _LEFT_OUT.split(quotation)):
        found = where.find(piece.rstrip(), at)
        if found < 0:
            return False
        at = found + len(piece)
    return True


@lru_cache(maxsize=4096)
def _words_of(text: str) -> str:
    return f" {_NOT_WORDS.sub(' ', plain(text).lower()).strip()} "

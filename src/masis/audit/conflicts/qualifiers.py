"""What qualifies a figure: preliminary or final, planned, and by which definition it is counted."""

import re
from collections.abc import Mapping

from masis.language.words import stem
from masis.types import ConflictKind


def stems_of(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in text.split())


PRELIMINARY = re.compile(
    r"\b(?:preliminary|unaudited|provisional|flash|estimate[sd]?|interim|draft|first reading"
    r"|(?:initial|advance) (?:estimates?|figures?|counts?|results?|reports?|numbers?|readings?|release)"
    r"|(?:as )?(?:previously|originally|initially|earlier) (?:reported|stated|announced|published|released))\b",
    re.IGNORECASE,
)
RESTATED = re.compile(
    r"\b(?:restated|revised|corrected|corrects|as (?:restated|revised|corrected|adjusted)|erratum|corrigendum"
    r"|rescheduled|postponed|brought forward|instead of|replaces|supersedes)\b",
    re.IGNORECASE,
)
"""What says that something else was given before. A final figure without a preliminary one revises nothing."""
PLANNED = re.compile(
    r"\b(?:targets?|targeted|goals?|plan|planned|plans|budget|budgeted|forecasts?|guidance|expects|expected|aims?"
    r"|outlook|projected|projections?|intends?)\b",
    re.IGNORECASE,
)
DEFINITIONS: Mapping[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "non-GAAP": r"\bnon[-\s]?(?:GAAP|IFRS)\b",
        "GAAP": r"(?<!non-)(?<!non )(?<!non)\b(?:GAAP|IFRS|as reported)\b(?!\s+measure)",
        "adjusted": r"\b(?<!as )(?<!seasonally )adjusted\b",
        "underlying": r"\b(?:underlying|recurring|normali[sz]ed)\b",
        "organic": r"\b(?:organic(?:ally)?|like[- ]for[- ]like|comparable[- ]store|same[- ]store)\b",
        "gross": r"\bgross\b",
        "net": r"\bnet\b",
        "pre-tax": r"\b(?:pre-?tax|before (?:income )?tax(?:es)?)\b",
        "after tax": r"\b(?:after-?tax|after (?:income )?tax(?:es)?)\b",
        "including": r"\b(?:includ(?:ing|es|ed)|inclusive of|with contractors)\b",
        "excluding": r"\b(?:exclud(?:ing|es|ed)|exclusive of|net of|before (?:special|exceptional|one-off)"
        r"|without (?:contractors|the effects?))\b",
        "full-time equivalents": r"\b(?:FTEs?|full[- ]time[- ]equivalents?)\b",
        "full-time only": r"\b(?:full[- ]time(?![- ]equivalent)|permanent)\b",
        "diluted": r"\bdiluted\b",
        "basic": r"\bbasic\b",
        "constant currency": r"\b(?:constant[- ](?:currency|currencies|exchange)|currency[- ](?:neutral|adjusted))\b",
        "seasonally adjusted": r"\bseasonally[- ]adjusted\b",
        "consolidated": r"\b(?:consolidated|group-?wide|company-?wide|total company)\b",
        "one part": r"\b(?:stand-?alone|segment|divisional|parent company only|unconsolidated)\b",
        "average": r"\b(?:average|the mean|weighted)\b",
        "median": r"\bmedian\b",
        "nominal": r"\bnominal\b",
        "real": r"\b(?:in real terms|real terms|inflation[- ]adjusted)\b",
        "contracted": r"\b(?:contracted (?:revenue|sales|value|volume|backlog)|bookings?|booked|backlog)\b",
        "recognised": r"\b(?:recogni[sz]ed|billed|billings|invoiced)\b",
        "from continuing operations": r"\bcontinuing operations\b",
        "by number of customers": r"\blogo\b",
        "seasonal": r"\bseasonal\b",
        "annualised": r"\b(?:annuali[sz]ed|run[- ]rate)\b",
        "trailing twelve months": r"\b(?:(?:trailing|last|past|preceding|rolling) (?:twelve|12)[- ]months?|TTM|LTM)\b",
        "calendar year": r"\bcalendar(?:[- ]years?\b| (?:19|20)\d\d\b)",
        "at the end": r"\b(?:year|period|quarter)-end\b",
    }.items()
}
QUALIFYING = stems_of(
    "preliminary unaudited provisional flash estimate estimated initial initially interim draft advance previously "
    "originally final audited actual restated revised confirmed corrected target targeted goal plan planned budget "
    "budgeted forecast guidance expects expected aims outlook projected projection intends non gaap ifrs adjusted "
    "underlying recurring normalised normalized organic organically gross net pretax including includes included "
    "excluding excludes excluded fte full time equivalent permanent diluted basic constant seasonally consolidated "
    "groupwide standalone segment divisional unconsolidated average mean weighted median nominal real inflation "
    "contracted bookings booked backlog recognised recognized billed billings invoiced continuing logo seasonal "
    "annualised annualized contractors currency"
)
"""Words of qualifying, which are not what a figure is about."""
STAGES: Mapping[str, re.Pattern[str]] = {"preliminary": PRELIMINARY, "restated": RESTATED, "planned": PLANNED}


def stage_marks(text: str) -> frozenset[str]:
    """How far a figure has come: announced, or put right; a plan is neither."""
    return frozenset(name for name, pattern in STAGES.items() if pattern.search(text))


def definition_marks(text: str) -> frozenset[str]:
    return frozenset(name for name, pattern in DEFINITIONS.items() if pattern.search(text))


def kind_by_marks(ours: frozenset[str], theirs: frozenset[str]) -> ConflictKind:
    """Why two values for the same thing and time differ, as far as their own words say."""
    if (ours ^ theirs) & {"preliminary", "restated"}:
        return "revision"
    return "different_definition" if (ours ^ theirs) & DEFINITIONS.keys() else "contradiction"

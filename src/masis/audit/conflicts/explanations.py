"""Explains why two values can both be right: another stage, definition, period, part, or thing of the same name."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from masis.audit.conflicts.agreement import folded
from masis.language.periods import Period, periods
from masis.language.quantities import Quantity, comparable, quantities
from masis.language.question import read_question
from masis.language.sentences import clauses
from masis.language.words import content_stems, could_name, stem
from masis.types import ConflictKind, EvidenceChunk


def stems_of(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in text.split())


PRELIMINARY = re.compile(
    r"\b(?:preliminary|unaudited|provisional|flash|estimate[sd]?|draft|first reading"
    r"|interim(?! (?:report|financial|condensed|consolidated|statement))"
    r"|(?:initial|advance) (?:estimates?|figures?|counts?|results?|reports?|numbers?|readings?|release)"
    r"|(?:as )?(?:previously|originally|initially|earlier) (?:reported|stated|announced|published|released))\b",
    re.IGNORECASE,
)
RESTATED = re.compile(
    r"\b(?:restated|revised|corrected|corrects|as (?:restated|revised|corrected|adjusted)|erratum|corrigendum"
    r"|rescheduled|postponed|brought forward|instead of|replaces|supersedes)\b",
    re.IGNORECASE,
)
"""Words that show that another value was given before. A final figure without a preliminary one revises nothing."""
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
"""Words that say how a figure is defined, by the name that the explanation uses."""
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
"""Stems that qualify a figure but are not its subject."""
STAGES: Mapping[str, re.Pattern[str]] = {"preliminary": PRELIMINARY, "restated": RESTATED, "planned": PLANNED}


def stage_marks(text: str) -> frozenset[str]:
    """The stages that the text gives its figure: preliminary, restated, planned."""
    return frozenset(name for name, pattern in STAGES.items() if pattern.search(text))


def definition_marks(text: str) -> frozenset[str]:
    return frozenset(name for name, pattern in DEFINITIONS.items() if pattern.search(text))


def kind_by_marks(ours: frozenset[str], theirs: frozenset[str]) -> ConflictKind:
    """Why two values for the same thing and period differ, judged by their own words."""
    if (ours ^ theirs) & {"preliminary", "restated"}:
        return "revision"
    return "different_definition" if (ours ^ theirs) & DEFINITIONS.keys() else "contradiction"


def are_issues_of_one_series(a: EvidenceChunk, b: EvidenceChunk) -> bool:
    """The file names differ only in the period: “2023 Q1 AMZN.pdf” and “2023 Q3 AMZN.pdf”."""
    ours, theirs = (re.sub(r"[_.-]+", " ", chunk["file_name"]) for chunk in (a, b))
    named_alike = _but_for_digits(ours) == _but_for_digits(theirs)
    return named_alike and bool(periods(ours)) and periods(ours) != periods(theirs)


def _but_for_digits(name: str) -> str:
    return re.sub(r"\d+", "#", name.lower())


EXPLICIT = re.compile(r"\s*(?:\((?P<bracket>[^()]{2,60})\)|,\s(?P<place>[A-Z][\w'’-]+(?:,?\s[A-Z][\w'’-]+)*))")
IS_A = re.compile(r"[^.;]{0,80}?\b(?:is|was|are|were)\s+(?:an?|the)\s+(?P<what>[^.;,]{3,80})")


def are_namesakes(question: str, a: str, b: str) -> bool:
    """Both texts say which bearer of the name they mean, and these differ."""
    return any(_told_apart(name, a, b) for name in read_question(question).called)


def _told_apart(name: str, a: str, b: str) -> bool:
    named = (_explicit(name, a), _explicit(name, b))
    if all(named):
        return bool(named[0] - named[1]) and bool(named[1] - named[0])
    described = (_explicit(name, a) | _described(name, a), _explicit(name, b) | _described(name, b))
    return all(described) and not described[0] & described[1]


def _explicit(name: str, text: str) -> frozenset[str]:
    """“(1979 film)” or “, Nebraska” after the name."""
    found = (EXPLICIT.match(text, m.end()) for m in re.finditer(rf"\b{re.escape(name.strip(' .?'))}\b", text))
    return _own(name, " ".join(m["bracket"] or m["place"] for m in found if m))


def _described(name: str, text: str) -> frozenset[str]:
    """“… is a golfer”."""
    is_a = re.search(rf"\b{re.escape(name.strip(' .?'))}\b{IS_A.pattern}", text)
    return _own(name, is_a["what"]) if is_a else frozenset()


def _own(name: str, said: str) -> frozenset[str]:
    return frozenset(content_stems(said)) - frozenset(content_stems(folded(name)))


def at_other_times(ours: Sequence[Period], theirs: Sequence[Period]) -> bool:
    """Both name their periods, and none of one can be the same as any of the other."""
    return bool(ours and theirs) and all(p.differs_from(q) for p in ours for q in theirs)


def around_figure(text: str, figure: Quantity) -> str:
    """The figure's clause, with the adjacent clauses that have no figure: “412 people, excluding contractors”."""
    spans = clauses(text)
    own = next((i for i, (a, b) in enumerate(spans) if a <= figure.start < b), 0)
    bare = [not quantities(text[a:b]) for a, b in spans]
    first = last = own
    while first and bare[first - 1]:
        first -= 1
    while last + 1 < len(spans) and bare[last + 1]:
        last += 1
    return text[spans[first][0] : spans[last][1]]


ITEM = re.compile(
    r"\b(?:product|plant|site|phase|line|unit|model|series|version|option|lot|block|building|store|zone|segment|"
    r"scenario|tier|class|group|team|project|batch|type|customer|supplier|region)s?\s+(?P<item>[A-Z]|\d{1,3})\b(?![.,]\d)",
    re.IGNORECASE,
)
"""“Product A” and “product B” differ in a single letter, which is never a content word."""
PEOPLE = stems_of("people persons employees staff workers colleagues inhabitants residents headcount")
"""Words for employees and other people. Two such words count the same thing; customers are not among them."""
WAS = re.compile(r"\b(?:was|were)\s+(?:(?:in|at|the|an?)\s+)*$", re.IGNORECASE)
WAS_THE = re.compile(r"\s+(?:was|were)\s+(?:the|its|an?)\b", re.IGNORECASE)
"""Applies right beside the answer only: “was founded by” reports an event, which remains true at any later time."""
IS_NOW = re.compile(r"\b(?:is|are)\b", re.IGNORECASE)
WITHIN = re.compile(r"\b(?:in|across|throughout|within|from)\s+(?:the\s+)?(?P<name>[A-Z][\w-]+)")


@dataclass(frozen=True, slots=True)
class Worded:
    """An answer that a document gives in words."""

    value: str
    quote: str
    text: str
    """The whole passage."""

    @property
    def figure(self) -> Quantity | None:
        """The quoted number that the answer gives, with a currency that the answer may have left out."""
        start = self.quote.find(self.value)
        end = start + len(self.value)
        return next((q for q in quantities(self.quote) if start >= 0 and q.start < end and q.end > start), None)

    @property
    def marks(self) -> frozenset[str]:
        return stage_marks(self.quote) | definition_marks(self.quote)

    @property
    def is_planned(self) -> bool:
        figure = self.figure
        return figure is not None and "planned" in stage_marks(around_figure(self.quote, figure))

    @property
    def items(self) -> frozenset[str]:
        return frozenset(found["item"].lower() for found in ITEM.finditer(self.quote))

    @property
    def is_past(self) -> bool:
        before, found, after = self.quote.partition(self.value)
        return bool(found and periods(self.quote)) and bool(WAS.search(before) or WAS_THE.match(after))

    @property
    def is_present(self) -> bool:
        return bool(IS_NOW.search(self.quote)) and not periods(self.quote)


def are_comparable(question: str, a: Worded, b: Worded) -> bool:
    """Dollars are not euros, a plan is not a result, phase 2 is not phase 3, and customers are not employees."""
    if a.is_planned != b.is_planned or (a.items and b.items and a.items != b.items):
        return False
    ours, theirs = a.figure, b.figure
    if ours is None or theirs is None:
        return True
    return comparable(ours, theirs) and not _count_other_things(question, _counted(a), _counted(b))


def _counted(answer: Worded) -> str | None:
    """The noun after a bare number."""
    figure = answer.figure
    if figure is None or figure.unit != "number" or figure.measure:
        return None
    said = re.match(r"\s+(?P<noun>[a-z][a-z-]+)", answer.quote[figure.end :])
    return next(iter(content_stems(said["noun"])), None) if said else None


def _count_other_things(question: str, ours: str | None, theirs: str | None) -> bool:
    """One counts what the question asks for, and the other counts something else."""
    if ours is None or theirs is None or ours == theirs:
        return False
    asked = frozenset(content_stems(question))
    wanted = asked | PEOPLE if asked & PEOPLE else asked
    return (ours in wanted) != (theirs in wanted)


def kind_by_words(question: str, a: Worded, b: Worded) -> ConflictKind:
    if not any(periods(each.value) for each in (a, b)) and _at_other_times(a, b):
        return "different_period"
    if a.figure and b.figure and _part(question, a, b) != _part(question, b, a):
        return "different_definition"
    return kind_by_marks(a.marks, b.marks)


def _at_other_times(a: Worded, b: Worded) -> bool:
    if at_other_times(tuple(periods(a.quote)), tuple(periods(b.quote))):
        return True
    return then_and_now(a, b)


def then_and_now(a: Worded, b: Worded) -> bool:
    """“In 2012 the chief executive was …” does not say who it is now."""
    return (a.is_past and b.is_present) or (b.is_past and a.is_present)


def _part(question: str, answer: Worded, other: Worded) -> frozenset[str]:
    """The region a figure is for, if neither the question nor the other passage mentions it."""
    named = (found["name"] for found in WITHIN.finditer(answer.quote))
    return frozenset(n for n in named if could_name(n) and n not in question and n not in other.text)

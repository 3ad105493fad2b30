"""Two answers in the words of their documents: whether they are for one thing, and what parts them if not."""

import re
from dataclasses import dataclass

from masis.audit.conflicts.asked import at_other_times
from masis.audit.conflicts.qualifiers import definition_marks, kind_by_marks, stage_marks, stems_of
from masis.audit.conflicts.stated import ITEM, around_figure
from masis.language.periods import periods
from masis.language.quantities import Quantity, comparable, quantities
from masis.language.words import content_stems, could_name
from masis.types import ConflictKind

PEOPLE = stems_of("people persons employees staff workers colleagues inhabitants residents headcount")
"""Counted under many names; customers are others."""
WAS = re.compile(r"\b(?:was|were)\s+(?:(?:in|at|the|an?)\s+)*$", re.IGNORECASE)
WAS_THE = re.compile(r"\s+(?:was|were)\s+(?:the|its|an?)\b", re.IGNORECASE)
"""Beside the answer itself: “was founded by” tells of an event, which no later time undoes."""
IS_NOW = re.compile(r"\b(?:is|are)\b", re.IGNORECASE)
WITHIN = re.compile(r"\b(?:in|across|throughout|within|from)\s+(?:the\s+)?(?P<name>[A-Z][\w-]+)")


@dataclass(frozen=True, slots=True)
class Worded:
    value: str
    quote: str
    text: str
    """The whole passage."""

    @property
    def figure(self) -> Quantity | None:
        """The number of the quotation that the answer gives, with the currency it may have left out."""
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
    """Dollars are not euros, a plan is not a result, phase 2 is not phase 3, and customers are not employed."""
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
    """One counts what is asked for and the other does not."""
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
    """“In 2012 the chief executive was …” leaves open who it is now."""
    return (a.is_past and b.is_present) or (b.is_past and a.is_present)


def _part(question: str, answer: Worded, other: Worded) -> frozenset[str]:
    """The region a figure is for, where neither the question nor the other passage speaks of it."""
    named = (found["name"] for found in WITHIN.finditer(answer.quote))
    return frozenset(n for n in named if could_name(n) and n not in question and n not in other.text)

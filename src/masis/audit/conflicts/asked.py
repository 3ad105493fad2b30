"""Which figures a question asks for: about what, in which unit, for when."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from masis.audit.conflicts.stated import Figure, subject_of
from masis.language.periods import Period, periods
from masis.language.quantities import Unit
from masis.language.words import content_stems, names, stem, words
from masis.types import EvidenceChunk

ABOUT_THE_QUESTION = 0.60
"""Share of the question's words that a figure's sentence must hold to matter for it …"""
OWN_SUBJECT = 0.30
"""… and that the figure's own clause must hold: a sentence may give more figures than the one asked for."""
IN_PASSING = 0.40

COUNTS = re.compile(r"\bhow many\b(?!\s+(?:percent|dollars|euros|million|billion))", re.IGNORECASE)
SHARES = re.compile(
    r"\b(?:what|which)\s+(?:(?:is|was|were|are)\s+)?(?:the\s+)?(?:\w+\s+)?(?:share|percentage|percent|proportion|rate)\b",
    re.IGNORECASE,
)
HOW = re.compile(r"\bhow (?:long|far|old|large|big|high|low|often|fast|heavy|deep|wide)\b", re.IGNORECASE)
EXPLAINS = re.compile(r"\W*(?:why|who|whom|whose|where|when)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asked:
    subject: frozenset[str]
    periods: tuple[Period, ...]
    units: frozenset[Unit]
    """Empty where the question leaves the unit open."""
    counts: bool
    items: frozenset[str]
    """Names that tell one figure from another: a region, a product, and not the company all documents are about."""
    explains: bool
    """Why, who, where, when: no figure answers it, unless it asks about that very figure."""

    def wants(self, figure: Figure) -> bool:
        if not self.items <= frozenset(content_stems(figure.statement.in_context)):
            return False
        return self._is_about(figure) and self._fits(figure) and not at_other_times(figure.periods, self.periods)

    def might_want(self, figure: Figure) -> bool:
        """Where something else shows what two figures are for, a part of the question's words is enough."""
        meant = self.subject | self.items
        around = frozenset(content_stems(figure.statement.in_context))
        own = meant & frozenset(content_stems(figure.statement.text))
        if self.explains or not own or len(meant & around) < IN_PASSING * len(meant):
            return False
        return self._fits(figure) and not at_other_times(figure.periods, self.periods)

    def _is_about(self, figure: Figure) -> bool:
        around = len(self.subject & subject_of(figure.statement.in_context))
        # A row is about what its label names, where its table is about the rest.
        own = len((self.subject | self.items if figure.statement.is_row else self.subject) & figure.subject)
        if not own or around < ABOUT_THE_QUESTION * len(self.subject) or own < OWN_SUBJECT * len(self.subject):
            return False
        return not self.explains or figure.subject <= self.subject

    def _fits(self, figure: Figure) -> bool:
        if self.units and figure.quantity.unit not in self.units:
            return False
        return not (self.counts and figure.counted) or bool(figure.counted & self.subject)


def read_asked(question: str, evidence: Sequence[EvidenceChunk]) -> Asked:
    sources = " ".join(re.sub(r"\W|_", " ", chunk["file_name"]) for chunk in evidence)
    # “Do the annual report and the memo agree on churn?” asks about churn.
    subject = subject_of(HOW.sub(" ", question)) - frozenset(content_stems(sources))
    # A name alone does not say what is asked about it.
    named = frozenset(stem(w) for name in names(question) for w in words(name))
    titles = frozenset(content_stems(" ".join(chunk.get("heading") or "" for chunk in evidence)))
    counts = bool(COUNTS.search(question))
    return Asked(
        subject - named or subject,
        tuple(periods(question)),
        _units(question, counts),
        counts,
        (named & subject) - titles,
        bool(EXPLAINS.match(question)),
    )


def _units(question: str, counts: bool) -> frozenset[Unit]:
    found: set[Unit] = {"number"} if counts else set()
    return frozenset(found | ({"percent", "points"} if SHARES.search(question) else set()))


def at_other_times(ours: Sequence[Period], theirs: Sequence[Period]) -> bool:
    """Both say when, and no two of their periods can be the same."""
    return bool(ours and theirs) and all(p.differs_from(q) for p in ours for q in theirs)

"""What a question asks for: about what, in which unit, for when, whether for one thing, and what could be an answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from masis.audit.conflicts.explanations import at_other_times
from masis.audit.conflicts.figures import Figure, subject_of
from masis.language.periods import Period, periods
from masis.language.quantities import Unit, quantities
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


WHEN = re.compile(
    r"\bwhen\b|\b(?:what|which)\s+(?:\w+\s+)?(?:date|year|month|day|century|decade)\b|\bdate of\b", re.IGNORECASE
)
HOW_MANY = re.compile(
    r"\bhow\s+(?:many|much|long|old|far|tall|high|large|big|deep|wide|heavy|fast)\b"
    r"|\b(?:population|number|amount|percentage|share|total|median age|price|cost|revenue|headcount)\s+(?:of|in|for)\b",
    re.IGNORECASE,
)
WHO_OR_WHERE = re.compile(
    r"\bwho(?:m|se)?\b|\bwhere\b|\b(?:what|which)\s+(?:city|country|state|county|company|firm|bank|person|team|club|town)\b",
    re.IGNORECASE,
)
YEAR = re.compile(r"\b[12]\d{3}s?\b|\b\d{1,2}(?:st|nd|rd|th) century\b")


def could_answer(question: str, words: str) -> bool:
    if WHEN.search(question):
        return bool(periods(words) or YEAR.search(words))
    if HOW_MANY.search(question):
        return bool(quantities(words) or re.search(r"\d", words))
    if WHO_OR_WHERE.search(question):
        return bool(re.search(r"[^\W\d_]", words)) and words != words.lower()
    return bool(re.search(r"\w", words))


SEVERAL = re.compile(
    r"""\b(?:list|lists|enumerate|examples?|compare|comparison|difference|differ|versus|vs|trend|summari[sz]e
      |describe|explain|overview|discuss|outline|some|various|respectively|each|every|all)\b
    | \b(?:who|what|which)\s+(?:are|were|have|do)\b
    | \bwhy\b | \bhow\s+(?!many\b|much\b|long\b|old\b|far\b|tall\b|high\b|large\b|big\b|deep\b|wide\b|heavy\b|fast\b)
    | \?\s*\S""",
    re.VERBOSE,
)
"""Lists, comparisons and explanations: several documents add to them without contradicting each other."""

ONE = re.compile(
    r"""\bwho(?:m|se)?\b | \bwhen\b | \bwhere\b
    | \bhow\s+(?:many|much|long|old|far|tall|high|large|big|deep|wide|heavy|fast)\b
    | \b(?:what|which)\s+(?:is|was|will\s+be)\s+(?:the|its|his|her|their|(?:\w+\s+){0,3}\w+['’]s)\s+
    | \b(?:what|which)\s+(?P<noun>(?!(?:is|was|were|are|did|does|do|has|have|will|would|can|could|should)\b)\w+)\b
    | \bwhat\s+(?:does|did)\b.*\b(?:refer\s+to|stand\s+for|mean)\b""",
    re.IGNORECASE | re.VERBOSE,
)
NOT_PLURAL = re.compile(r"(?:ss|us|is|ics|series|species|sports|news)$", re.IGNORECASE)
OPEN_ENDED = frozenset(
    "strategy approach view opinion plan outlook rationale reason purpose role impact effect risk challenge concern "
    "benefit relationship significance importance status situation position priority focus process procedure policy "
    "measure measures steps recommendation conclusion finding result".split()
)
"""What a document may speak of in many ways: two descriptions of a strategy are not two strategies."""
SUBJECT = re.compile(
    r"\b(?:what|which)\s+(?:is|was|will\s+be)\s+(?:the|its|his|her|their|(?:\w+\s+){0,3}\w+['’]s)\s+((?:[\w-]+\s+){0,2}?[\w-]+)"
    r"(?=\s+(?:of|for|in|at|by|on|that|which|to|from|with|behind|associated)\b|\s*[?\"“]|$)",
    re.IGNORECASE,
)


QUOTED = re.compile(r"[\"“][^\"”]*[\"”]|(?<!^)\b[A-Z]\S*")
"""Titles and names may hold any word: “Both Sides Now” asks for nothing."""


def asks_for_one(question: str) -> bool:
    question = question.strip()
    if SEVERAL.search(QUOTED.sub(" X ", question[:1].lower() + question[1:])):
        return False
    found = ONE.search(question)
    if found is None:
        return False
    noun = found["noun"]
    if noun and _is_plural(noun):
        return False
    wanted = SUBJECT.search(question)
    return wanted is None or not _is_open(wanted[1])


def _is_plural(noun: str) -> bool:
    return noun.lower().endswith("s") and not NOT_PLURAL.search(noun)


def _is_open(wanted: str) -> bool:
    last = wanted.rsplit(maxsplit=1)[-1].lower()
    return last in OPEN_ENDED or _is_plural(last)

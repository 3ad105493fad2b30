"""Determines which figures and words of the documents could answer a question."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from masis.audit.conflicts.explanations import at_other_times
from masis.audit.conflicts.stated_figures import Figure, subject_of
from masis.language.periods import Period, period_spans, periods
from masis.language.quantities import Unit, quantities
from masis.language.question import as_subject, parsed, read_question
from masis.language.words import content_stems, names, stem, words
from masis.types import EvidenceChunk

ABOUT_THE_QUESTION = 0.60
"""Share of the question's words that a figure's sentence must contain to be relevant."""
OWN_SUBJECT = 0.30
"""Share of the question's words that the figure's own clause must contain, because a sentence may give other figures
too."""
IN_PASSING = 0.40
"""Share of the question's words that is enough in a line of two copies of a text."""
YEAR = re.compile(r"\b[12]\d{3}s?\b|\b\d{1,2}(?:st|nd|rd|th) century\b")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a figure must be about, in which unit and for which period."""

    subject: frozenset[str]
    periods: tuple[Period, ...]
    units: frozenset[Unit]
    counts: bool
    """The question asks for a count."""
    items: frozenset[str]
    """Names that distinguish figures, such as a region or a product, but not the company that all documents are
    about."""
    no_figure: bool
    """The question asks for something other than a figure."""

    def wants(self, figure: Figure) -> bool:
        if not self.items <= frozenset(content_stems(figure.statement.in_context)):
            return False
        return self._is_about(figure) and self._fits(figure) and not at_other_times(figure.periods, self.periods)

    def might_want(self, figure: Figure) -> bool:
        """Part of the question's words is enough if something else shows that two figures are for the same thing."""
        meant = self.subject | self.items
        around = frozenset(content_stems(figure.statement.in_context))
        own = meant & frozenset(content_stems(figure.statement.text))
        if self.no_figure or not own or len(meant & around) < IN_PASSING * len(meant):
            return False
        return self._fits(figure) and not at_other_times(figure.periods, self.periods)

    def _is_about(self, figure: Figure) -> bool:
        around = len(self.subject & subject_of(figure.statement.in_context))
        # A row is about what its label names, and its table about the rest.
        own = len((self.subject | self.items if figure.statement.is_row else self.subject) & figure.subject)
        if not own or around < ABOUT_THE_QUESTION * len(self.subject) or own < OWN_SUBJECT * len(self.subject):
            return False
        return not self.no_figure or figure.subject <= self.subject

    def _fits(self, figure: Figure) -> bool:
        if self.units and figure.quantity.unit not in self.units:
            return False
        return not (self.counts and figure.counted) or bool(figure.counted & self.subject)


def wanted_figures(question: str, evidence: Sequence[EvidenceChunk]) -> Wanted:
    asked = read_question(question)
    question = " ".join(part.asked for part in parsed(question).parts)
    sources = " ".join(re.sub(r"\W|_", " ", chunk["file_name"]) for chunk in evidence)
    # “Do the annual report and the memo agree on churn?” asks about churn.
    subject = subject_of(as_subject(_timeless(question))) - frozenset(content_stems(sources))
    # A name alone does not say what is asked about it.
    named = frozenset(stem(w) for name in names(question) for w in words(name))
    titles = frozenset(content_stems(" ".join(chunk.get("heading") or "" for chunk in evidence)))
    return Wanted(
        subject - named or subject,
        tuple(periods(question)),
        asked.units,
        asked.is_count,
        (named & subject) - titles,
        asked.is_for_no_figure,
    )


def _timeless(question: str) -> str:
    """“The first half of 2025” says when, not what."""
    for _, (start, end) in period_spans(question):
        question = f"{question[:start]}{' ' * (end - start)}{question[end:]}"
    return question


def could_answer(question: str, words: str) -> bool:
    """The words are of the kind that the question seeks."""
    match read_question(question).seeks:
        case "time":
            return bool(periods(words) or YEAR.search(words))
        case "amount":
            return bool(quantities(words) or re.search(r"\d", words))
        case "name":
            return bool(re.search(r"[^\W\d_]", words)) and words != words.lower()
        case _:
            return bool(re.search(r"\w", words))

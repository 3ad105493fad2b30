"""Decides whether a passage says what a claim says: first what code can prove wrong, then how many words the two
share."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from masis.audit.checks.alignment import changed_word
from masis.audit.checks.denials import denied, denied_figure
from masis.audit.checks.mentions import foreign_name, foreign_period, misquoted
from masis.audit.checks.numbers import (
    foreign_currency,
    unfounded_figure,
    wrong_arithmetic,
    wrong_change,
    wrong_sign,
)
from masis.audit.checks.places import (
    figure_beside_another,
    figure_of_another_column,
    figure_of_another_time,
)
from masis.audit.checks.rows import figure_of_another_row, in_this_order, turned_the_other_way
from masis.audit.checks.signature import Check, Claim, Finding, Sources, Window
from masis.audit.checks.slots import misplaced
from masis.types import CheckedBy, EvidenceChunk, Verdict

CHECKS: tuple[Check, ...] = (
    unfounded_figure,
    foreign_currency,
    wrong_arithmetic,
    wrong_change,
    wrong_sign,
    figure_of_another_time,
    figure_of_another_row,
    figure_of_another_column,
    figure_beside_another,
    turned_the_other_way,
    foreign_period,
    foreign_name,
    misquoted,
    denied_figure,
    denied,
    changed_word,
    misplaced,
)
"""All are run. Of their findings a certain refutation decides, then one that rests on a reading, then a doubt; of equal
ones the first in this order."""

SUPPORTED_COVERAGE = 0.65
"""Share of a claim's content words that its passage must contain; below it, code alone cannot tell."""

MOST_CHARACTERS = 4000
"""Longest sentence that is checked, in characters without white space."""
MOST_NUMBERS = 120
"""Most numbers in a sentence that is checked."""
_NUMBER = re.compile(r"\d[\d.,]*+")
_GROUPED = re.compile(r"(?<!\d)\d{1,3}(?:[\u00a0\u202f ]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,']\d+)*")

SCORES: dict[Verdict, float] = {
    "verbatim": 1.0,
    "supported": 0.9,
    "unverified": 0.87,
    "numbers_differ": 0.1,
    "contradicted": 0.0,
    "not_in_source": 0.1,
    "uncited": 0.0,
    "fabricated_citation": 0.0,
}
"""How much each verdict counts towards a sentence's score, from 0 to 1. A doubt costs 3 % of what support is worth."""

REFUTED: frozenset[Verdict] = frozenset({"numbers_differ", "contradicted", "not_in_source", "fabricated_citation"})
"""Verdicts for claims that the source does not support. `unverified` is not among them: it means unknown."""


@dataclass(frozen=True, slots=True)
class Support:
    verdict: Verdict
    reason: str
    chunk: EvidenceChunk | None = None
    start: int = 0
    """Start of the supporting words in the chunk's text."""
    end: int = 0
    is_open: bool = False
    """The verdict rests on how many words the two share, so the verifier is asked."""
    withdrawn_at: float | None = None
    """The verdict rests on how code reads a sentence; the verifier withdraws it from this probability upwards."""
    checked_by: CheckedBy = "code"
    figures_hold: bool = False
    """The claim has figures, and code found or computed every one of them from the source."""
    is_row: bool = False
    """The verdict rests on a table row, which a reader of prose understands poorly."""
    words_there: float = 0.0
    """Share of the claim's words that occur anywhere in what it cites."""

    @property
    def quote(self) -> str | None:
        return self.chunk["text"][self.start : self.end] if self.chunk else None


def check_support(text: str, chunks: Sequence[EvidenceChunk]) -> Support:
    """The verdict on a claim against the chunks it cites. `text` has no citation marks."""
    if is_too_long(text):
        return Support("unverified", "the sentence is too long to be checked")
    for chunk in chunks:
        if found := find_verbatim(text, chunk["text"]):
            return Support("verbatim", "word for word in the source", chunk, *found)
    claim, sources = Claim(text), Sources(chunks)
    window = sources.window(claim)
    if window is None:
        return Support("unverified", "the cited passage holds no statement to compare with")
    start, end = window.parts[0].start, window.parts[-1].end
    if sources.are_foreign_to(claim):
        finding, is_open = _in_another_language(claim, sources), False
    else:
        found_wrong = first_refutation(claim, sources)
        finding = found_wrong or in_this_order(claim, sources) or _by_words(window)
        is_open = finding.verdict not in REFUTED
    # “Two customers” proves nothing, because small numbers in words occur everywhere.
    holds = finding.verdict in ("supported", "unverified") and any(
        c.isdigit() for r in claim.figures for c in r.quantity.text
    )
    at, is_row = finding.withdrawn_at, all(part.is_row for part in window.parts)
    there = sources.share_of(claim)
    return Support(finding.verdict, finding.reason, window.chunk, start, end, is_open, at, "code", holds, is_row, there)


def first_refutation(claim: Claim, sources: Sources, checks: Sequence[Check] = CHECKS) -> Finding | None:
    """The strongest finding: a certain refutation, then one that rests on a reading, then a doubt."""
    found = [finding for check in checks if (finding := check(claim, sources))]
    return min(found, key=lambda f: (f.verdict not in REFUTED, f.withdrawn_at is not None), default=None)


def closest_words(text: str, chunk: EvidenceChunk) -> tuple[int, int]:
    """The stretch of a chunk that contains most of the text's words."""
    verbatim = None if is_too_long(text) else find_verbatim(text, chunk["text"])
    window = None if verbatim or is_too_long(text) else Sources([chunk]).window(Claim(text))
    return verbatim or ((window.parts[0].start, window.parts[-1].end) if window else (0, len(chunk["text"])))


def is_too_long(sentence: str) -> bool:
    """Comparing takes more than linear time, and real sentences are short. Blanked citation marks do not count."""
    return sum(map(len, sentence.split())) > MOST_CHARACTERS or len(_NUMBER.findall(sentence)) > MOST_NUMBERS


def find_verbatim(claim: str, text: str) -> tuple[int, int] | None:
    """The place of the claim's words in the text, ignoring white space and closing punctuation."""
    tokens = claim.strip().rstrip(".!?;:").split()
    if len(tokens) < 3 or not all(token in text for token in tokens):
        return None
    match = re.search(r"(?<!\w)" + r"\s+".join(map(re.escape, tokens)) + r"(?!\w)", text)
    return match.span() if match else None


def _in_another_language(claim: Claim, sources: Sources) -> Finding:
    """Compares only numbers, since the two share no words. “184,1” and “184.1” are the same number: their digits
    agree."""
    missing = _digits(claim.text) - _digits(f"{sources.around}\n{sources.text}")
    if missing and not unfounded_figure(claim, sources):
        missing -= _digits(" ".join(r.quantity.text for r in claim.figures))
    if missing:
        return Finding("numbers_differ", f"the source, in another language, does not give {', '.join(sorted(missing))}")
    return Finding("unverified", "the source is in another language: code cannot compare words")


def _digits(text: str) -> set[str]:
    return {re.sub(r"\D", "", number) for number in _GROUPED.findall(text)}


def _by_words(window: Window) -> Finding:
    """Nothing refutes the claim, so the share of its words in the source decides."""
    if window.coverage < SUPPORTED_COVERAGE:
        reworded = f"it is reworded ({window.coverage:.0%} of its words are in the source): code alone cannot tell"
        return Finding("unverified", reworded)
    return Finding("supported", f"{window.coverage:.0%} of its words, and all its numbers and names, are in the source")

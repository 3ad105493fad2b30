"""Does this passage say that? Words, numbers, periods, names, negation and direction, compared by code alone."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from masis.audit.checks.contradictions import altered, denial
from masis.audit.checks.counts import miscounted
from masis.audit.checks.denials import denies_a_figure
from masis.audit.checks.labels import of_its_labels
from masis.audit.checks.lengths import is_too_long
from masis.audit.checks.main_verbs import unsaid_verb
from masis.audit.checks.multiples import misses_its_multiple
from masis.audit.checks.name_checks import missing_names
from masis.audit.checks.number_checks import NumberFinding, check_numbers
from masis.audit.checks.period_checks import check_periods
from masis.audit.checks.quantifiers import overstated
from masis.audit.checks.quotations import misquoted
from masis.audit.checks.roles import is_in_another_voice, reversed_roles
from masis.audit.checks.slots import misplaced
from masis.audit.checks.windows import Window, best_window, subject_of
from masis.language.quantities import quantities
from masis.language.statements import Statement, statements
from masis.types import CheckedBy, EvidenceChunk, Verdict

SUPPORTED_COVERAGE = 0.65
"""Share of a claim's content words that its passage must contain; below it code cannot tell …"""
FOREIGN_COVERAGE = 0.40
"""… and below this the passage speaks of something else."""

SCORES: dict[Verdict, float] = {
    "verbatim": 1.0,
    "supported": 0.9,
    "unverified": 0.5,
    "numbers_differ": 0.1,
    "contradicted": 0.0,
    "not_in_source": 0.1,
    "uncited": 0.0,
    "fabricated_citation": 0.0,
}
"""How far each verdict carries a sentence, 0 to 1."""

REFUTED: frozenset[Verdict] = frozenset({"numbers_differ", "contradicted", "not_in_source", "fabricated_citation"})
"""What the source does not bear out; `unverified` is not among them: nobody could tell."""


@dataclass(frozen=True, slots=True)
class Support:
    verdict: Verdict
    reason: str
    chunk: EvidenceChunk | None = None
    start: int = 0
    """In the chunk's text."""
    end: int = 0
    is_open: bool = False
    """It rests on how many words the two share, or on how code reads a negation: a reader of meaning may be asked."""
    checked_by: CheckedBy = "code"
    figures_hold: bool = False
    """It has figures, and code found or computed every one of them in the source."""

    @property
    def quote(self) -> str | None:
        return self.chunk["text"][self.start : self.end] if self.chunk else None


def check_support(claim: str, chunks: Sequence[EvidenceChunk]) -> Support:
    """The verdict on a claim against the chunks it cites; `claim` carries no citation marks."""
    if is_too_long(claim):
        return Support("unverified", "the sentence is too long to be checked")
    for chunk in chunks:
        if found := find_verbatim(claim, chunk["text"]):
            return Support("verbatim", "word for word in the source", chunk, *found)
    window = best_window(claim, chunks)
    if window is None:
        return Support("not_in_source", "the cited passage holds no statement to compare with")
    finding = _compare(claim, window, chunks)
    start, end = window.parts[0].start, window.parts[-1].end
    return Support(
        finding.verdict, finding.reason, window.chunk, start, end, finding.is_open, figures_hold=finding.figures_hold
    )


def find_verbatim(claim: str, text: str) -> tuple[int, int] | None:
    """Where the claim's words stand in the text, white space and closing punctuation aside."""
    tokens = claim.strip().rstrip(".!?;:").split()
    if len(tokens) < 3 or not all(token in text for token in tokens):
        return None
    match = re.search(r"(?<!\w)" + r"\s+".join(map(re.escape, tokens)) + r"(?!\w)", text)
    return match.span() if match else None


class Finding(NamedTuple):
    verdict: Verdict
    reason: str
    is_open: bool = False
    figures_hold: bool = False


def _compare(claim: str, window: Window, chunks: Sequence[EvidenceChunk]) -> Finding:
    """What is certain first: a paraphrase may use other words, but not other numbers, dates or names."""
    stated = [s for chunk in chunks for s in statements(chunk["text"], chunk.get("heading"))]
    sources = of_its_labels(claim, stated)
    numbers = check_numbers(claim, subject_of(claim), sources, window.parts)
    times = Finding(*check_periods(claim, window, sources))
    certain = _wrong_figure(claim, numbers, times, sources, window) or _contrary(claim, numbers, window)
    if certain := certain or _not_said(claim, chunks) or _exchanged(claim, numbers, sources, chunks):
        return certain
    doubt = times.reason or (numbers.verdict == "unverified" and numbers.reason)
    if not doubt and (beyond := _beyond(claim, window)):
        return beyond
    holds = numbers.verdict == "supported" and bool(quantities(claim))
    return _by_words(window.coverage, numbers.reason, doubt or "")._replace(figures_hold=holds)


def _wrong_figure(
    claim: str, numbers: NumberFinding, times: Finding, sources: Sequence[Statement], window: Window
) -> Finding | None:
    if numbers.verdict == "numbers_differ":
        return Finding(numbers.verdict, numbers.reason)
    if wrong := miscounted(claim, sources) or misses_its_multiple(claim, window):
        return Finding("numbers_differ", wrong)
    return times if times.verdict == "numbers_differ" else None


def _contrary(claim: str, numbers: NumberFinding, window: Window) -> Finding | None:
    if denied := denial(claim, window):
        return Finding(*denied, is_open=True)
    if denies_a_figure(claim) and numbers.verdict == "supported" and not denies_a_figure(window.text):
        return Finding("contradicted", "it denies a figure that the source gives")
    return None


def _not_said(claim: str, chunks: Sequence[EvidenceChunk]) -> Finding | None:
    if quotation := misquoted(claim, _texts(chunks)):
        return Finding("not_in_source", f"the source does not say “{quotation}”")
    if missing := missing_names(claim, chunks):
        return Finding("not_in_source", f"the source does not name {', '.join(missing)}")
    return None


def _exchanged(
    claim: str, numbers: NumberFinding, sources: Sequence[Statement], chunks: Sequence[EvidenceChunk]
) -> Finding | None:
    # A number that was computed stands in the place of those it was computed from.
    if numbers.verdict == "supported" and numbers.reason:
        return None
    passages = _texts(chunks)
    if exchanged := reversed_roles(claim, passages):
        return Finding("contradicted", exchanged)
    found = altered(claim, sources) or misplaced(claim, passages)
    if found and found[0] == "contradicted" and is_in_another_voice(claim, passages):
        return None
    return Finding(*found) if found else None


def _beyond(claim: str, window: Window) -> Finding | None:
    if more := overstated(claim, "\n".join(part.text for part in window.parts)):
        said = f"it says {more[0]} where the source says {more[1]}: code alone cannot tell"
        return Finding("unverified", said, is_open=True)
    verb = unsaid_verb(claim, window) if SUPPORTED_COVERAGE <= window.coverage < 1 else None
    return (
        Finding("unverified", f"the source does not say “{verb}”: code alone cannot tell", is_open=True)
        if verb
        else None
    )


def _by_words(coverage: float, computed: str, doubt: str) -> Finding:
    """Nothing speaks against the claim; does enough speak for it?"""
    if coverage < FOREIGN_COVERAGE:
        return Finding("not_in_source", f"only {coverage:.0%} of its words are in the source", is_open=True)
    if doubt:
        return Finding("unverified", doubt)
    if coverage < SUPPORTED_COVERAGE:
        few = f"only {coverage:.0%} of its words are in the source: code alone cannot tell"
        return Finding("unverified", few, is_open=True)
    return Finding("supported", _supported(coverage, computed), is_open=coverage < 1)


def _texts(chunks: Sequence[EvidenceChunk]) -> list[str]:
    return [chunk["text"] for chunk in chunks]


def _supported(coverage: float, computed: str) -> str:
    if computed:
        return f"{coverage:.0%} of its words are in the source, and its numbers follow from it: {computed}"
    return f"{coverage:.0%} of its words, and all its numbers and names, are in the source"

"""Does this passage say that? Words, numbers, periods, names, negation and direction, compared by code alone."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from masis.audit.measures import MEASURES
from masis.audit.number_checks import check_numbers, named
from masis.audit.numerals import NUMBER_WORDS
from masis.audit.opposites import flipped
from masis.audit.periods import Period, lies_within_a_range, periods
from masis.audit.quantities import SCALES, Quantity, quantities
from masis.audit.readings import readings
from masis.audit.statements import Statement, statements
from masis.audit.words import (
    DENYING_VERBS,
    DOWNWARDS,
    NEGATIONS,
    UPWARDS,
    content_stems,
    directions,
    is_negated,
    names,
    plain,
    stem,
)
from masis.types import EvidenceChunk, Verdict

SUPPORTED_COVERAGE = 0.65
"""Share of a claim's content words that its passage must contain; below it code cannot tell …"""
FOREIGN_COVERAGE = 0.40
"""… and below this the passage speaks of something else."""
SAME_SENTENCE_COVERAGE = 0.70
"""Two sentences that share this much and differ in a negation deny each other."""

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

_TURNS = frozenset(stem(word) for word in UPWARDS | DOWNWARDS | NEGATIONS | DENYING_VERBS)
_UNITS = "percent percentage points prozent dollars euros usd eur gbp chf fy yoy qoq".split()
_COMPARED_OTHERWISE = _TURNS | SCALES.keys() | {stem(word) for word in (*MEASURES, *NUMBER_WORDS, *_UNITS)}


@dataclass(frozen=True, slots=True)
class Support:
    verdict: Verdict
    reason: str
    chunk: EvidenceChunk | None = None
    start: int = 0
    """In the chunk's text."""
    end: int = 0

    @property
    def quote(self) -> str | None:
        return self.chunk["text"][self.start : self.end] if self.chunk else None


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of a passage: one statement, or two that follow each other."""

    chunk: EvidenceChunk
    parts: tuple[Statement, ...]
    coverage: float

    @property
    def text(self) -> str:
        return "\n".join(part.in_context for part in self.parts)


def check_support(claim: str, chunks: Sequence[EvidenceChunk]) -> Support:
    """The verdict on a claim against the chunks it cites; `claim` carries no citation marks."""
    for chunk in chunks:
        if found := find_verbatim(claim, chunk["text"]):
            return Support("verbatim", "word for word in the source", chunk, *found)
    window = best_window(claim, chunks)
    if window is None:
        return Support("not_in_source", "the cited passage holds no statement to compare with")
    verdict, reason = _compare(claim, window, chunks)
    return Support(verdict, reason, window.chunk, window.parts[0].start, window.parts[-1].end)


def find_verbatim(claim: str, text: str) -> tuple[int, int] | None:
    """Where the claim's words stand in the text, white space and closing punctuation aside."""
    tokens = claim.strip().rstrip(".!?;:").split()
    if len(tokens) < 3 or not all(token in text for token in tokens):
        return None
    match = re.search(r"(?<!\w)" + r"\s+".join(map(re.escape, tokens)) + r"(?!\w)", text)
    return match.span() if match else None


def best_window(claim: str, chunks: Sequence[EvidenceChunk]) -> Window | None:
    wanted = subject_of(claim)
    windows = [w for chunk in chunks for w in _windows(chunk, wanted)]
    most = max((round(w.coverage, 3) for w in windows), default=0.0)
    numbers = quantities(claim)
    # At equal coverage the stretch with the claim's own numbers, then the shorter one, is the better quotation.
    closest = [w for w in windows if round(w.coverage, 3) == most]
    return max(closest, key=lambda w: (_numbers_in(w, numbers), -len(w.parts)), default=None)


def _numbers_in(window: Window, numbers: Sequence[Quantity]) -> int:
    given = [q for part in window.parts for q in quantities(part.text)]
    return sum(any(number.agrees_with(q) for q in given) for number in numbers)


def subject_of(claim: str) -> set[str]:
    """The words of a claim but for its numbers, turns and denials, which are compared by what they mean."""
    said = {s for s in content_stems(claim) if not s[0].isdigit()}
    return said - _COMPARED_OTHERWISE or said


def _windows(chunk: EvidenceChunk, wanted: Collection[str]) -> list[Window]:
    parts = statements(chunk["text"], chunk.get("heading"))
    stretches: list[tuple[Statement, ...]] = [*((part,) for part in parts), *pairwise(parts)]
    return [Window(chunk, stretch, _coverage(wanted, stretch)) for stretch in stretches]


def _coverage(wanted: Collection[str], parts: tuple[Statement, ...]) -> float:
    have = {s for part in parts for s in content_stems(part.in_context)}
    return sum(s in have for s in wanted) / len(wanted) if wanted else 0.0


def _compare(claim: str, window: Window, chunks: Sequence[EvidenceChunk]) -> tuple[Verdict, str]:
    sources = [s for chunk in chunks for s in statements(chunk["text"], chunk.get("heading"))]
    numbers = check_numbers(claim, subject_of(claim), sources, window.parts)
    if numbers.verdict == "numbers_differ":
        return numbers.verdict, numbers.reason
    periods_verdict, difference = _check_periods(claim, window)
    if periods_verdict == "numbers_differ":
        return periods_verdict, difference
    if denial := _denial(claim, window):
        return denial
    if missing := _missing_names(claim, chunks):
        return "not_in_source", f"the source does not name {', '.join(missing)}"
    if window.coverage < FOREIGN_COVERAGE:
        return "not_in_source", f"only {window.coverage:.0%} of its words are in the source"
    if doubt := difference or (numbers.verdict == "unverified" and numbers.reason):
        return "unverified", doubt
    if window.coverage < SUPPORTED_COVERAGE:
        return "unverified", f"only {window.coverage:.0%} of its words are in the source: code alone cannot tell"
    return "supported", _supported(window.coverage, numbers.reason)


def _supported(coverage: float, computed: str) -> str:
    if computed:
        return f"{coverage:.0%} of its words are in the source, and its numbers follow from it: {computed}"
    return f"{coverage:.0%} of its words, and all its numbers and names, are in the source"


def _check_periods(claim: str, window: Window) -> tuple[Verdict, str]:
    meant = [p for part in window.parts for r in readings(part) for p in r.periods]
    here = periods(window.text) + meant + periods(window.chunk.get("date") or "")
    elsewhere = periods(window.chunk["text"]) + periods(window.chunk["file_name"].replace("_", " "))
    known = here or elsewhere
    for period in periods(claim):
        if _is_foreign(period, known):
            if lies_within_a_range(period, window.text):
                return "unverified", f"the source speaks of a span of years, not of {named([period])} itself"
            return "numbers_differ", f"the source speaks of {named(known)}, not of {named([period])}"
        if not known and period.year:
            return "numbers_differ", f"the source does not mention {period.year}"
    return "supported", ""


def _is_foreign(period: Period, known: list[Period]) -> bool:
    """Years are compared apart: a row may give its quarter in one cell and its year in another."""
    years = {other.year for other in known if other.year}
    if period.year and years and period.year not in years:
        return True
    return bool(known) and all(period.excludes(other) for other in known)


def _denial(claim: str, window: Window) -> tuple[Verdict, str] | None:
    said = "\n".join(part.text for part in window.parts)
    turned = flipped(claim, said)
    # The flipped word itself is not in the source, and must not count against how alike the two are.
    wanted = subject_of(claim) - {stem(ours) for ours, _ in turned}
    if not wanted or _coverage(wanted, window.parts) < SAME_SENTENCE_COVERAGE:
        return None
    if is_negated(claim) != is_negated(said):
        if turned:
            return "unverified", "it denies the contrary of what the source says: code alone cannot tell"
        return "contradicted", "one of the two denies what the other says"
    if len(turned) == 1:
        return "contradicted", f"the claim says {turned[0][0]}, the source {turned[0][1]}"
    ours, theirs = directions(claim), directions(said)
    if len(ours) == 1 and len(theirs) == 1 and ours != theirs:
        return "contradicted", f"the claim points {next(iter(ours))}, the source {next(iter(theirs))}"
    return None


def _missing_names(claim: str, chunks: Sequence[EvidenceChunk]) -> list[str]:
    where = plain("\n".join(f"{c['file_name']} {c.get('heading') or ''} {c['text']}" for c in chunks)).lower()
    return [name for name in dict.fromkeys(names(claim)) if plain(name).lower() not in where and not _is_acronym(name)]


def _is_acronym(name: str) -> bool:
    # “CEO” may stand for words the source spells out.
    return name.isupper() and len(name) <= 5

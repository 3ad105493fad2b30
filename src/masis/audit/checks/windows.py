"""Which stretch of a passage speaks of the same thing as a claim: the words that support it, if any do."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from masis.audit.checks.labels import of_its_labels
from masis.language.measures import MEASURES
from masis.language.numerals import NUMBER_WORDS
from masis.language.quantities import SCALES, Quantity, quantities
from masis.language.statements import Statement, statements, stems_of
from masis.language.words import DENYING_VERBS, DOWNWARDS, NEGATIONS, UPWARDS, content_stems, stem
from masis.types import EvidenceChunk

NUMBERS_WEIGH = 0.25
"""How much of a claim's words its numbers outweigh, where it is looked for which words support it."""

_TURNS = frozenset(stem(word) for word in UPWARDS | DOWNWARDS | NEGATIONS | DENYING_VERBS)
_UNITS = "percent percentage points prozent dollars euros usd eur gbp chf fy yoy qoq".split()
_GENERIC = "percentage average change difference sum ratio proportion amount value number".split()
"""Words that name a figure without saying of what."""
_COMPARED_OTHERWISE = _TURNS | SCALES.keys() | {stem(word) for word in (*MEASURES, *NUMBER_WORDS, *_UNITS, *_GENERIC)}


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of a passage: one statement, or two that follow each other."""

    chunk: EvidenceChunk
    parts: tuple[Statement, ...]
    coverage: float

    @property
    def text(self) -> str:
        return "\n".join(part.in_context for part in self.parts)


def best_window(claim: str, chunks: Sequence[EvidenceChunk]) -> Window | None:
    wanted = subject_of(claim)
    of_another = _of_another(claim, chunks)
    windows = [w for chunk in chunks for w in _windows(chunk, wanted) if of_another.isdisjoint(w.parts)]
    numbers = quantities(claim)
    # The stretch with the claim's own numbers, then the shorter one, is the better quotation.
    return max(windows, key=lambda w: (_closeness(w, numbers), -len(w.parts)), default=None)


def _of_another(claim: str, chunks: Sequence[EvidenceChunk]) -> set[Statement]:
    """Statements on Site 1, where the claim speaks of Site 3."""
    found = [s for chunk in chunks for s in statements(chunk["text"], chunk.get("heading"))]
    return set(found) - set(of_its_labels(claim, found))


def _closeness(window: Window, numbers: Sequence[Quantity]) -> float:
    given = _numbers_in(window, numbers) / len(numbers) if numbers else 0.0
    return round(window.coverage + NUMBERS_WEIGH * given, 3)


def _numbers_in(window: Window, numbers: Sequence[Quantity]) -> int:
    given = [q for part in window.parts for q in quantities(part.text)]
    return sum(any(number.agrees_with(q) for q in given) for number in numbers)


def subject_of(claim: str) -> set[str]:
    """The words of a claim but for its numbers, turns and denials, which are compared by what they mean."""
    said = {s for s in content_stems(claim) if not s[0].isdigit()}
    return said - _COMPARED_OTHERWISE or said


def _windows(chunk: EvidenceChunk, wanted: Collection[str]) -> list[Window]:
    # A passage of headings alone is one statement: there is nothing else to compare with.
    parts = statements(chunk["text"], chunk.get("heading")) or (Statement(chunk["text"], 0, len(chunk["text"])),)
    stretches: list[tuple[Statement, ...]] = [*((part,) for part in parts), *pairwise(parts)]
    return [Window(chunk, stretch, coverage_of(wanted, stretch)) for stretch in stretches]


def coverage_of(wanted: Collection[str], parts: tuple[Statement, ...]) -> float:
    have = frozenset[str]().union(*map(stems_of, parts))
    return sum(s in have for s in wanted) / len(wanted) if wanted else 0.0

"""The interface of every check: it receives a claim and the sources the claim cites, and returns what is wrong, if
anything.

A check refutes only what it can prove wrong and returns nothing when it cannot tell. What is left goes to the
verifier, which compares meaning (see `second_opinion`); doubt is `unverified`.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise

from masis.language.measures import MEASURES, NUMBER_WORDS
from masis.language.periods import Period, period_of_cells, periods
from masis.language.quantities import SCALES, Quantity, quantities, with_percent_inside
from masis.language.readings import Reading, read_prose, readings
from masis.language.statements import SCALE_OF_ALL, Statement, statements, stems_of
from masis.language.words import DENYING_VERBS, DOWNWARDS, NEGATIONS, UPWARDS, content_stems, differ, stem
from masis.types import EvidenceChunk, Verdict

NUMBERS_WEIGH = 0.25
"""Share of a claim's words that its numbers can outweigh in the search for the passage that supports it."""
_TURNS = frozenset(stem(word) for word in UPWARDS | DOWNWARDS | NEGATIONS | DENYING_VERBS)
_UNITS = "percent percentage points prozent dollars euros usd eur gbp chf fy yoy qoq".split()
_GENERIC = "percentage average change difference sum ratio proportion amount value number total".split()
"""Words that name a figure without saying of what."""
_COMPARED_OTHERWISE = _TURNS | SCALES.keys() | {stem(word) for word in (*MEASURES, *NUMBER_WORDS, *_UNITS, *_GENERIC)}
"""Stems left out of a claim's subject, because directions, denials, units and numbers are compared by their meaning."""


_SEPARATOR = re.compile(r"_|(?<=\d)-(?=[QqHh]\d)|(?<=[a-z]{3})(?=\d)")
_ABSENCE = re.compile(
    r"\b(?:show|report|list|give|mention|contain|disclose|record|name|include|state|describe|provide|present|note|break)"
    r"(?:s|ed|n)?(?: out| down)? (?:no|neither|none|nothing)\b",
    re.IGNORECASE,
)
_FOOTNOTE = re.compile(r"\(\d\)(?!\s?[%|])")


@dataclass(frozen=True)
class Claim:
    """A sentence, or a part of one that can be read alone, without its citation marks."""

    text: str

    @cached_property
    def figures(self) -> list[Reading]:
        return read_prose(with_percent_inside(self.text))

    @cached_property
    def periods(self) -> list[Period]:
        return periods(self.text)

    @property
    def tells_an_absence(self) -> bool:
        """“The filing reports no repurchases”: a source that is silent on them does not contradict this."""
        return _ABSENCE.search(self.text) is not None

    @cached_property
    def subject(self) -> frozenset[str]:
        """Its words without numbers, directions and denials, which are compared by their meaning."""
        return subject_of(self.text)


@dataclass(frozen=True)
class Window:
    """A stretch of a passage on the claim's subject: one statement, or two consecutive ones."""

    chunk: EvidenceChunk
    parts: tuple[Statement, ...]
    coverage: float

    @property
    def said(self) -> str:
        return "\n".join(part.text for part in self.parts)


@dataclass(frozen=True)
class Sources:
    """All passages that a claim cites. Headings, file names and dates count as evidence."""

    chunks: Sequence[EvidenceChunk]

    @cached_property
    def text(self) -> str:
        return "\n".join(chunk["text"] for chunk in self.chunks)

    @cached_property
    def around(self) -> str:
        """What a reader sees beside the passages: file name, title, heading, date and label."""
        seen = ((c["file_name"], c.get("title"), c.get("heading"), c.get("date"), c.get("label")) for c in self.chunks)
        return "\n".join(dict.fromkeys(_SEPARATOR.sub(" ", part) for parts in seen for part in parts if part))

    @cached_property
    def statements(self) -> list[Statement]:
        return [s for chunk in self.chunks for s in statements(chunk["text"], chunk.get("heading"))]

    @cached_property
    def quantities(self) -> list[Quantity]:
        """Every number in the passages as written, except footnote marks."""
        return [*quantities(_FOOTNOTE.sub(" ", with_percent_inside(self.text))), *quantities(self.around)]

    @cached_property
    def scales(self) -> frozenset[float]:
        """The scales that the passages state for bare figures: “(in millions)”."""
        return _scales(f"{self.around}\n{self.text}")

    @cached_property
    def printed(self) -> list[Quantity]:
        """Every number as written, and with the scale and unit that a caption or an aside gives it."""
        read = [r.quantity for s in self.statements for r in readings(s)]
        bare = [q for q in read if not (q.scaled or q.measure or q.unit == "percent")]
        elsewhere = () if self.scales else self.scales_of_the_document
        meant = (replace(q, value=q.value * n, tolerance=q.tolerance * n, scaled=True) for q in bare for n in elsewhere)
        return [*self.quantities, *read, *(replace(q, is_cell=True) for q in bare if self.scales), *meant]

    @property
    def scales_of_the_document(self) -> frozenset[float]:
        """Scales stated by other passages of the document, such as the head of the notes, which applies to all of
        them."""
        return _scales("\n".join(chunk.get("elsewhere", "") for chunk in self.chunks))

    @cached_property
    def periods(self) -> list[Period]:
        named = [p for line in self.around.splitlines() for p in period_of_cells(line.split())]
        read = [p for s in self.statements for r in readings(s) for p in r.periods]
        return [*periods(self.text), *periods(self.around), *named, *read]

    def are_foreign_to(self, claim: Claim) -> bool:
        """The sources are in another language, so words cannot be compared."""
        return differ(claim.text, self.text)

    def share_of(self, claim: Claim) -> float:
        """Share of the claim's words that occur anywhere in the sources."""
        have = _all_stems(f"{self.around}\n{self.text}")
        return len(claim.subject & have) / len(claim.subject) if claim.subject else 1.0

    def is_asked_with(self, number: Quantity) -> bool:
        """The question contains this number: “a load with 15 %” sets up a case, whatever the source says about 15 %."""
        return any(number.agrees_with(q) for chunk in self.chunks for q in quantities(chunk.get("elsewhere", "")))

    @cached_property
    def _windows(self) -> dict[str, Window | None]:
        return {}

    def window(self, claim: Claim) -> Window | None:
        """The stretch with most of the claim's words and numbers; of two equal ones the shorter, which is the better
        quotation."""
        if claim.text not in self._windows:
            self._windows[claim.text] = self._window(claim)
        return self._windows[claim.text]

    def _window(self, claim: Claim) -> Window | None:
        found = [w for chunk in self.chunks for w in _windows(chunk, claim.subject)]
        numbers = [reading.quantity for reading in claim.figures]
        most = max((w.coverage for w in found), default=0.0)
        # Numbers cannot make up for a larger gap in words than this.
        found = [w for w in found if w.coverage > most - NUMBERS_WEIGH - 0.002]
        return max(found, key=lambda w: (_closeness(w, numbers), -len(w.parts)), default=None)


@dataclass(frozen=True, slots=True)
class Finding:
    verdict: Verdict
    reason: str
    withdrawn_at: float | None = None
    """Set if the finding rests on how code reads a sentence (a negation, a name, a row): a verifier that gives the
    claim at least this probability withdraws it. None: nobody can withdraw it."""


HARDLY = 0.12
"""Probability that withdraws what code takes for a denial."""
NOT_RULED_OUT = 0.2
"""Probability that withdraws a finding about a name or a quotation."""
LIKELY = 0.8
"""Probability that withdraws a finding read from figures, periods, directions or a changed word."""
FOR_A_MODEL = 2.0
"""No verifier is this sure: the figure may be the writer's own arithmetic, and only a chat model's audit can tell."""

Check = Callable[[Claim, Sources], Finding | None]


def _scales(text: str) -> frozenset[float]:
    return frozenset(SCALES[match["scale"].lower()] for match in SCALE_OF_ALL.finditer(text))


@lru_cache(maxsize=64)
def _all_stems(text: str) -> frozenset[str]:
    """Cached, because many claims of an answer cite the same passages."""
    return frozenset(content_stems(text))


@lru_cache(maxsize=4096)
def telling_words(text: str) -> frozenset[str]:
    """The stems of a text without numbers, units, directions and denials."""
    return frozenset(s for s in content_stems(text) if not s[0].isdigit()) - _COMPARED_OTHERWISE


def subject_of(text: str) -> frozenset[str]:
    return telling_words(text) or frozenset(s for s in content_stems(text) if not s[0].isdigit())


def _windows(chunk: EvidenceChunk, wanted: frozenset[str]) -> list[Window]:
    # A passage of headings alone counts as one statement, because there is nothing else to compare with.
    parts = statements(chunk["text"], chunk.get("heading")) or (Statement(chunk["text"], 0, len(chunk["text"])),)
    stretches: list[tuple[Statement, ...]] = [*((part,) for part in parts), *pairwise(parts)]
    return [Window(chunk, stretch, coverage_of(wanted, stretch)) for stretch in stretches]


def _closeness(window: Window, numbers: Sequence[Quantity]) -> float:
    given = [q for part in window.parts for q in quantities(part.text)] if numbers else []
    found = sum(any(number.agrees_with(q) for q in given) for number in numbers)
    return round(window.coverage + (NUMBERS_WEIGH * found / len(numbers) if numbers else 0.0), 3)


def coverage_of(wanted: frozenset[str], parts: Sequence[Statement]) -> float:
    have = frozenset[str]().union(*map(stems_of, parts))
    return len(wanted & have) / len(wanted) if wanted else 0.0

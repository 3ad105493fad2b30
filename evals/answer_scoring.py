"""Scores an answer against a reference: facts, numbers with their scale, and citations that support it.

The citation check is not the product's own: it looks for the sentence's words and digits in the cited passage.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evals.answer_data import Posed
from masis import RunResult
from masis.language.characters import BRACKETED
from masis.language.words import content_stems
from masis.types import Citation, Claim, EvidenceChunk

BEARS_OUT = 0.75
"""Share of a sentence's words that a passage must contain to count as supporting it."""
FACT_WORDS = 0.60
"""Share of a textual reference that an answer must contain to count as right."""
RECKONING = frozenset(
    content_stems("increased decreased changed change higher lower above below more less total average")
)
"""Words with which a sentence may describe a calculation with numbers that it shows."""
SCALE = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
NUMBER = re.compile(
    r"(?<![\w.])[-−(]?[$€£]?\s?(\d[\d,]*(?:\.\d+)?|\.\d+)\)?\s?(thousand|million|billion|%|percent)?", re.IGNORECASE
)
MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
DAY = re.compile(rf"\b(?:{MONTHS})\s\d{{1,2}}\b(?![.,]?\d|\s?%|\spercent)|\b\d{{1,2}}\s(?:{MONTHS})\b")
IN_SCALE = re.compile(r"\(?\bin (thousand|million|billion)s?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Scored:
    kind: str
    answerable: bool
    answered: bool
    words: float = 0.0
    """Share of the reference's words that the answer contains."""
    numbers: tuple[bool, ...] = ()
    """For each number of the reference, whether the answer gives it in the right scale."""
    right: bool = False
    """Whether the answer has the whole reference: every number or, if it has none, most of its words."""
    resolve: tuple[bool, ...] = ()
    precise: tuple[bool, ...] = ()
    """For each citation, whether the passage supports the sentence."""
    supported: tuple[bool, ...] = ()
    """For each sentence that makes a claim, whether a passage it cites supports it."""
    audited: tuple[bool, ...] = ()
    """For each of these sentences, whether the product's own audit agrees."""


ANSWERED = ("answered", "answered_with_caveat", "conflict")
"""A conflict shows the person what both sides say."""


def scored(posed: Posed, result: RunResult) -> Scored:
    answered = result.outcome in ANSWERED
    claims = [c for c in result.claims if c["kind"] in ("claim", "recommendation")] if answered else []
    by_id = {chunk["chunk_id"]: chunk for chunk in result.evidence}
    pairs = [(claim, citation) for claim in claims for citation in claim["citations"]]
    return compared(
        posed,
        result.answer if answered else "",
        resolve=tuple(citation["chunk_id"] in by_id for _, citation in pairs),
        precise=tuple(_bears_out(claim, citation, by_id, posed.text) for claim, citation in pairs),
        supported=tuple(any(_bears_out(c, cited, by_id, posed.text) for cited in c["citations"]) for c in claims),
        audited=tuple(claim["verdict"] in ("verbatim", "supported") for claim in claims),
    )


def compared(
    posed: Posed,
    answer: str,
    resolve: tuple[bool, ...] = (),
    precise: tuple[bool, ...] = (),
    supported: tuple[bool, ...] = (),
    audited: tuple[bool, ...] = (),
) -> Scored:
    """An empty answer is a refusal."""
    said = BRACKETED.sub(" ", answer)
    words, numbers = _word_recall(posed.reference, said), tuple(_numbers_given(posed.reference, said))
    if posed.facts:
        found = [any(wording.lower() in " ".join(said.lower().split()) for wording in fact) for fact in posed.facts]
        words, right = sum(found) / len(found), all(found)
    else:
        right = all(numbers) if numbers else words >= FACT_WORDS
    return Scored(
        posed.kind,
        posed.answerable,
        bool(answer),
        words,
        numbers,
        right and bool(answer),
        resolve,
        precise,
        supported,
        audited,
    )


def _word_recall(reference: str, answer: str) -> float:
    wanted = {stem for stem in content_stems(reference) if not stem[0].isdigit()}
    return len(wanted & set(content_stems(answer))) / len(wanted) if wanted else 1.0


def _numbers_given(reference: str, answer: str) -> Iterator[bool]:
    given = set(_values(answer))
    for value, is_share in set(_values(reference)):
        yield any(is_share == other_share and _same(value, other) for other, other_share in given)


def _same(value: float, other: float) -> bool:
    return abs(value - other) <= 0.006 * abs(value)


def _values(text: str) -> Iterator[tuple[float, bool]]:
    """(value, whether it is a percentage), without dates and list numbers."""
    for line in text.splitlines():
        caption = IN_SCALE.search(line)
        for number in NUMBER.finditer(DAY.sub(" ", re.sub(r"^\s*\d+[.)]\s", " ", line))):
            digits = number[1].replace(",", "")
            if not re.search(r"\d", digits) or re.fullmatch(r"(?:19|20)\d\d", number[1].rstrip(",")):
                continue
            unit = (number[2] or (caption[1] if caption else "")).lower()
            yield float(digits) * SCALE.get(unit, 1.0), unit in ("%", "percent")


def _bears_out(claim: Claim, citation: Citation, by_id: Mapping[str, EvidenceChunk], question: str) -> bool:
    chunk = by_id.get(citation["chunk_id"])
    if chunk is None:
        return False
    source = f"{chunk['file_name']} {chunk.get('heading') or ''} {chunk.get('label') or ''} {chunk['text']}"
    said = BRACKETED.sub(" ", claim["text"])
    wanted = {stem for stem in content_stems(said) if not stem[0].isdigit()} - RECKONING
    have = set(content_stems(source))
    enough = len(wanted & have) >= BEARS_OUT * len(wanted)
    digits = re.findall(r"\d[\d,.]*\d|\d", said)
    given = [_number(d) for d in digits if d in source]
    return enough and all(d in source or d in question or _follows(_number(d), given) for d in digits)


def _number(digits: str) -> float:
    return float(digits.replace(",", "").rstrip(".") or 0) if digits.count(".") < 2 else 0.0


def _follows(made: float, given: Sequence[float]) -> bool:
    """A figure that the sentence computes from others it shows: their sum or mean, a difference, or a change in
    percent."""
    shown = [n for n in given if not 1990 <= n <= 2040]
    sums = [sum(shown), sum(shown) / len(shown)] if shown else []
    pairs = [(a, b) for a in shown for b in shown if a != b]
    changes = [x for a, b in pairs for x in (abs(a - b), 100 * abs(a - b) / b if b else 0.0)]
    return any(abs(made - x) <= 0.006 * abs(made) for x in [*sums, *changes])

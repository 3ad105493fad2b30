"""Errors planted in a finished answer: each function changes one thing, or returns None where it finds nothing."""

import re
from collections.abc import Callable, Sequence

from masis.audit.quantities import quantities
from masis.audit.words import names
from masis.types import EvidenceChunk

Plant = Callable[[str, Sequence[EvidenceChunk]], str | None]

CITATION = re.compile(r"\[(c[0-9a-z]{10})\]")


def _outside_citations(answer: str) -> str:
    """The answer with its citations blanked, so that positions stay the same."""
    return CITATION.sub(lambda m: " " * len(m[0]), answer)


def swapped_number(answer: str, evidence: Sequence[EvidenceChunk]) -> str | None:
    found = [q for q in quantities(_outside_citations(answer)) if answer[q.start].isdigit()]
    if not found:
        return None
    digits = re.match(r"[\d,.]*\d", answer[found[0].start :])
    assert digits
    old = digits.group()
    new = "".join(str((int(c) + 3) % 10) if c.isdigit() else c for c in old)
    return answer[: found[0].start] + new + answer[found[0].start + len(old) :]


def wrong_year(answer: str, evidence: Sequence[EvidenceChunk]) -> str | None:
    match = re.search(r"\b(20[12]\d)\b", _outside_citations(answer))
    return answer[: match.start()] + str(int(match[0]) - 7) + answer[match.end() :] if match else None


def swapped_name(answer: str, evidence: Sequence[EvidenceChunk]) -> str | None:
    found = [name for name in names(_outside_citations(answer)) if len(name) > 3]
    return answer.replace(found[0], "Vandermolen", 1) if found else None


def negation(answer: str, evidence: Sequence[EvidenceChunk]) -> str | None:
    if re.search(r"\b(?:did|does|do|is|was|were|are) not\b", answer):
        return re.sub(r"\b(did|does|do|is|was|were|are) not\b", r"\1", answer, count=1)
    changed = re.sub(r"\b(is|was|were|are|will)\b(?! not)", r"\1 not", answer, count=1)
    return changed if changed != answer else None


def wrong_citation(answer: str, evidence: Sequence[EvidenceChunk]) -> str | None:
    """The first sentence cites another passage of the evidence, the one least like its own."""
    match = CITATION.search(answer)
    others = [c for c in evidence if match and c["chunk_id"] not in answer]
    if not match or not others:
        return None
    return answer.replace(match[1], others[-1]["chunk_id"], 1)


def fabricated_citation(answer: str, evidence: Sequence[EvidenceChunk]) -> str | None:
    match = CITATION.search(answer)
    return answer.replace(match[1], "c0zzzzzzz99", 1) if match else None


def dropped_citation(answer: str, evidence: Sequence[EvidenceChunk]) -> str | None:
    return CITATION.sub("", answer, count=1) if CITATION.search(answer) else None


PLANTS: dict[str, Plant] = {
    "swapped number": swapped_number,
    "wrong year": wrong_year,
    "swapped name": swapped_name,
    "negation": negation,
    "wrong citation": wrong_citation,
    "fabricated citation": fabricated_citation,
}

"""Builds the record of a conflict: both sides with their words and places, and a sentence that explains the
difference."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from masis.audit.conflicts.agreement import is_copy, same_answer
from masis.audit.conflicts.explanations import DEFINITIONS
from masis.types import Conflict, ConflictKind, ConflictSide, EvidenceChunk

EXPLANATIONS: dict[ConflictKind, str] = {
    "contradiction": "{a} says {x} and {b} says {y} on {about}.",
    "revision": "{a} gives {x} on {about} and {b} gives {y}: one of them is preliminary or was changed later.",
    "different_definition": "{a} gives {x} on {about} and {b} gives {y}: they are defined differently.",
    "different_period": "{a} gives {x} on {about} and {b} gives {y}: they are for different periods.",
}
STRENGTH: tuple[ConflictKind, ...] = ("contradiction", "revision", "different_definition", "different_period")
"""Kinds of conflict, the most serious first."""
HANDFUL = 5
"""Most conflicts shown: as many as a reader can take in."""


@dataclass(frozen=True, slots=True)
class Said:
    """What one document says on the matter."""

    chunk: EvidenceChunk
    value: str
    quote: str
    """The statement that gives the value."""
    marks: frozenset[str] = frozenset()
    """Qualifications of the value: preliminary, restated, net …"""


def record(about: str, period: str | None, kind: ConflictKind, sides: Sequence[Said]) -> Conflict:
    a, b = sides
    explanation = EXPLANATIONS[kind].format(
        a=a.chunk["file_name"], b=b.chunk["file_name"], x=a.value, y=b.value, about=about
    )
    if kind == "different_definition" and (parted := _definitions_that_part(a.marks, b.marks)):
        explanation = f"{explanation[:-1]} ({parted})."
    return {
        "about": about,
        "period": period,
        "kind": kind,
        "sides": [side_of(a), side_of(b)],
        "explanation": explanation,
    }


def _definitions_that_part(ours: frozenset[str], theirs: frozenset[str]) -> str:
    only = [", ".join(m for m in DEFINITIONS if m in mine - other) for mine, other in ((ours, theirs), (theirs, ours))]
    return " against ".join(each or "not said" for each in only) if any(only) else ""


def side_of(said: Said) -> ConflictSide:
    chunk = said.chunk
    return {
        "value": " ".join(said.value.split()),
        "quote": said.quote,
        "chunk_id": chunk["chunk_id"],
        "document_id": chunk["document_id"],
        "file_name": chunk["file_name"],
        "date": chunk.get("date"),
        "page": chunk["page"],
        "label": chunk.get("label"),
    }


def without_copies(conflicts: Sequence[Conflict], evidence: Sequence[EvidenceChunk]) -> list[Conflict]:
    """Copies of a text count as one source: one of them is in the record, and the explanation names the others."""
    texts = {chunk["chunk_id"]: chunk["text"] for chunk in evidence}
    kept: list[Conflict] = []
    for conflict in conflicts:
        same = next((other for other in kept if _differ_by_copies(conflict, other, texts)), None)
        if same is None:
            kept.append(conflict)
        else:
            same["explanation"] += _named_copies(conflict, same)
    return kept


def _differ_by_copies(a: Conflict, b: Conflict, texts: dict[str, str]) -> bool:
    if a["kind"] != b["kind"]:
        return False
    return any(
        all(_is_one_voice(side, other, texts) for side, other in zip(a["sides"], order, strict=True))
        for order in (b["sides"], b["sides"][::-1])
    )


def _is_one_voice(a: ConflictSide, b: ConflictSide, texts: dict[str, str]) -> bool:
    if a["chunk_id"] == b["chunk_id"]:
        return True
    whole = texts.get(a["chunk_id"], ""), texts.get(b["chunk_id"], "")
    return same_answer(a["value"], b["value"]) and (is_copy(*whole) or is_copy(a["quote"], b["quote"]))


def _named_copies(conflict: Conflict, kept: Conflict) -> str:
    named = {side["file_name"] for side in kept["sides"]}
    more = [side["file_name"] for side in conflict["sides"] if side["file_name"] not in named]
    return "".join(
        f" {name} has the same words and is not a further source." for name in more if name not in kept["explanation"]
    )


def joined(first: Iterable[Conflict], more: Iterable[Conflict]) -> list[Conflict]:
    """Both lists without duplicates, which are conflicts of the same documents with the same values."""
    kept = list(first)
    for conflict in more:
        if not any(_is_same(conflict, other) for other in kept):
            kept.append(conflict)
    return kept


def _is_same(a: Conflict, b: Conflict) -> bool:
    return any(
        len(a["sides"]) == len(order) and all(map(_says_the_same, a["sides"], order))
        for order in (b["sides"], b["sides"][::-1])
    )


def _says_the_same(a: ConflictSide, b: ConflictSide) -> bool:
    return a["document_id"] == b["document_id"] and same_answer(a["value"], b["value"])


def strongest(conflicts: Iterable[Conflict]) -> list[Conflict]:
    """The most serious conflicts, at most `HANDFUL`, and one for each pair of values: repeating it adds nothing to
    decide."""
    kept: list[Conflict] = []
    for conflict in sorted(conflicts, key=lambda c: STRENGTH.index(c["kind"])):
        if not any(_has_the_same_values(conflict, other) for other in kept):
            kept.append(conflict)
        if len(kept) == HANDFUL:
            break
    return kept


def _has_the_same_values(a: Conflict, b: Conflict) -> bool:
    first, second = (sorted(side["value"].lower() for side in conflict["sides"]) for conflict in (a, b))
    return a["kind"] == b["kind"] and first == second

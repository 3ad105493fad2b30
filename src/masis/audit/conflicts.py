"""Two documents that give different figures for the same thing: found by code, told apart by kind."""

from collections.abc import Sequence
from itertools import combinations

from masis.audit.asked import at_other_times, read_asked
from masis.audit.quantities import Quantity, comparable
from masis.audit.readings import readings
from masis.audit.stated import DEFINITIONS, PLANNED, PRELIMINARY, Figure, figures_of
from masis.audit.words import stem, words
from masis.types import Conflict, ConflictKind, ConflictSide, EvidenceChunk

SAME_SUBJECT = 0.60
"""Share of all their words that the subjects of two figures must have in common: revenue is not revenue in Europe."""


def find_conflicts(question: str, evidence: Sequence[EvidenceChunk]) -> list[Conflict]:
    """Figures from different documents on the question's own subject that cannot both stand."""
    asked = read_asked(question, evidence)
    figures = [figure for chunk in evidence for figure in figures_of(chunk) if asked.wants(figure)]
    found: dict[tuple[str, ...], Conflict] = {}
    for a, b in combinations(figures, 2):
        if kind := _kind_of_disagreement(a, b):
            first, second = sorted((a, b), key=lambda f: (f.chunk.get("date") or "", f.chunk["file_name"]))
            key = (first.chunk["document_id"], second.chunk["document_id"], kind)
            found.setdefault(key, _record(first, second, kind))
    return list(found.values())


def _kind_of_disagreement(a: Figure, b: Figure) -> ConflictKind | None:
    if a.chunk["document_id"] == b.chunk["document_id"] or not _same_thing(a, b):
        return None
    if _agree_somewhere(a, b) or bool(a.marks & PLANNED) != bool(b.marks & PLANNED):
        return None
    if at_other_times(a.periods, b.periods):
        return "different_period"
    if bool(a.marks & PRELIMINARY) != bool(b.marks & PRELIMINARY):
        return "revision"
    if (a.marks ^ b.marks) & DEFINITIONS:
        return "different_definition"
    return "contradiction"


def _same_thing(a: Figure, b: Figure) -> bool:
    if not comparable(a.quantity, b.quantity) or a.is_change != b.is_change or not _same_items(a, b):
        return False
    if a.quantity.unit == "number" and b.quantity.unit == "number" and not _same_noun(a, b):
        return False
    return len(a.subject & b.subject) >= SAME_SUBJECT * len(a.subject | b.subject) > 0


def _same_items(a: Figure, b: Figure) -> bool:
    """Product A is not product B, and Lyon is not Brno; one that names nothing may speak of either."""
    return a.items == b.items and (a.named <= b.named or b.named <= a.named)


def _same_noun(a: Figure, b: Figure) -> bool:
    if a.quantity.measure and b.quantity.measure:
        return True
    in_prose = not (a.statement.is_row or b.statement.is_row)
    if in_prose and bool(a.quantity.measure) != bool(b.quantity.measure):
        return False
    return not (a.counted and b.counted) or bool(a.counted & b.counted)


def _agree_somewhere(a: Figure, b: Figure) -> bool:
    """A sentence that gives the other's figure too does not contradict it."""
    ours, theirs = ([r.quantity for r in readings(f.statement)] for f in (a, b))
    return any(_compatible(q, b.quantity) for q in [*ours, a.quantity]) or any(
        _compatible(q, a.quantity) for q in theirs
    )


def _compatible(a: Quantity, b: Quantity) -> bool:
    return a.is_met_by(b) or b.is_met_by(a)


EXPLANATIONS: dict[ConflictKind, str] = {
    "contradiction": "{a} says {x} and {b} says {y} on {about}.",
    "revision": "{a} gives {x} on {about} and {b} gives {y}: one of them is a preliminary figure.",
    "different_definition": "{a} gives {x} on {about} and {b} gives {y}: they are defined differently.",
    "different_period": "{a} gives {x} on {about} and {b} gives {y}: they are for different periods.",
}


def _record(a: Figure, b: Figure, kind: ConflictKind) -> Conflict:
    about = _in_words(a, b)
    when = [str(p.year) if not p.part else f"{p.part} {p.year or ''}".strip() for p in (*a.periods, *b.periods)]
    explanation = EXPLANATIONS[kind].format(
        a=a.chunk["file_name"], b=b.chunk["file_name"], x=a.quantity.text, y=b.quantity.text, about=about
    )
    return {
        "about": about,
        "period": next(iter(when), None),
        "kind": kind,
        "sides": [_side(a), _side(b)],
        "explanation": explanation,
    }


def _in_words(a: Figure, b: Figure) -> str:
    """The words both have in common, as the first one writes them."""
    shared = a.subject & b.subject
    source = b if a.statement.is_row else a
    before = source.statement.text if source.statement.is_row else source.statement.text[: source.quantity.start]
    for said in (before, source.statement.in_context):
        if spoken := [word for word in words(said) if stem(word) in shared]:
            return " ".join(list(dict.fromkeys(spoken))[:5])
    return "the same figure"


def _side(figure: Figure) -> ConflictSide:
    chunk = figure.chunk
    return {
        "value": figure.quantity.text,
        "quote": figure.statement.text,
        "chunk_id": chunk["chunk_id"],
        "document_id": chunk["document_id"],
        "file_name": chunk["file_name"],
        "date": chunk.get("date"),
        "page": chunk["page"],
        "label": chunk.get("label"),
    }

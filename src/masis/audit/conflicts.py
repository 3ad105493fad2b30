"""Two documents that give different figures for the same thing: found by code, told apart by kind."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from masis.audit.quantities import Period, Quantity, comparable, period_of_cells, periods, quantities
from masis.audit.statements import Statement, statements
from masis.audit.words import DOWNWARDS, UPWARDS, content_stems, names, stem, words
from masis.types import Conflict, ConflictKind, ConflictSide, EvidenceChunk

SAME_SUBJECT = 0.60
"""Share of all their words that the subjects of two figures must have in common: revenue is not revenue in Europe."""
ABOUT_THE_QUESTION = 0.60
"""Share of the question's words that a figure's sentence must hold to matter for it."""


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in text.split())


PRELIMINARY = _stems("preliminary unaudited provisional flash estimate estimated initial interim draft")
FINAL = _stems("final audited actual restated revised confirmed corrected")
PLANNED = _stems("target targets goal plan planned budget budgeted forecast guidance expects expected aims outlook")
DEFINITIONS = _stems(
    "gross net adjusted organic underlying recurring diluted basic average median gaap excluding including excludes "
    "includes contractors consolidated standalone nominal real contracted recognised recognized billed constant "
    "permanent fulltime logo seasonal"
)
QUALIFIERS = PRELIMINARY | PLANNED | DEFINITIONS
_TURNS = frozenset(stem(word) for word in UPWARDS | DOWNWARDS)
CLAUSE_BREAK = re.compile(r"[;:]|,\s|\s(?:while|whereas|compared|versus|but|and|from|against|after)\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Figure:
    """One number a document gives, with what it is about."""

    quantity: Quantity
    subject: frozenset[str]
    periods: tuple[Period, ...]
    marks: frozenset[str]
    """Words that qualify it: preliminary, target, net …"""
    statement: Statement
    chunk: EvidenceChunk


def find_conflicts(question: str, evidence: Sequence[EvidenceChunk]) -> list[Conflict]:
    """Figures from different documents on the question's own subject that cannot both stand."""
    sources = " ".join(re.sub(r"\W|_", " ", chunk["file_name"]) for chunk in evidence)
    # “Do the annual report and the memo agree on churn?” asks about churn.
    asked = _subject(question) - frozenset(content_stems(sources))
    # A name alone does not say what is asked about it.
    asked = asked - frozenset(stem(w) for name in names(question) for w in words(name)) or asked
    figures = [f for chunk in evidence for f in _figures(chunk) if _matters(f, asked, question)]
    found: dict[tuple[str, ...], Conflict] = {}
    for a, b in combinations(figures, 2):
        if kind := _kind_of_disagreement(a, b):
            first, second = sorted((a, b), key=lambda f: (f.chunk.get("date") or "", f.chunk["file_name"]))
            key = (first.chunk["document_id"], second.chunk["document_id"], kind)
            found.setdefault(key, _record(first, second, kind))
    return list(found.values())


def _figures(chunk: EvidenceChunk) -> Iterator[Figure]:
    for statement in statements(chunk["text"], chunk.get("heading")):
        yield from _row_figures(statement, chunk) if statement.is_row else _prose_figures(statement, chunk)


def _prose_figures(statement: Statement, chunk: EvidenceChunk) -> Iterator[Figure]:
    marks = _marks(statement.text, statement.above)
    opening = _subject(_clause(statement.text, 0, 0))
    for quantity in quantities(statement.text):
        clause = _clause(statement.text, quantity.start, quantity.end)
        when = next((tuple(p) for t in (clause, statement.text, statement.above) if (p := periods(t))), ())
        yield Figure(quantity, _subject(clause) or opening, when, marks, statement, chunk)


def _clause(text: str, start: int, end: int) -> str:
    """The part of a sentence around a number: “costs fell to $3 million” of a sentence that also gives revenue."""
    breaks = [0, *(m.start() for m in CLAUSE_BREAK.finditer(text)), len(text)]
    return text[max(b for b in breaks if b <= start) : min((b for b in breaks if b > end), default=len(text))]


def _row_figures(statement: Statement, chunk: EvidenceChunk) -> Iterator[Figure]:
    """One for every number of a row; the cells that are no numbers say what all of them are about."""
    dimensions = [cell for _, cell in statement.cells if not quantities(cell)]
    for column, cell in statement.cells:
        for quantity in quantities(cell)[:1]:
            about = " ".join([column.replace("_", " "), *dimensions])
            when = tuple(period_of_cells([column, *dimensions]) or periods(statement.above))
            yield Figure(quantity, _subject(about), when, _marks(about, statement.above), statement, chunk)


def _marks(text: str, above: str) -> frozenset[str]:
    """A heading makes all its figures preliminary; it does not make them a plan, or define them."""
    return frozenset(content_stems(text)) & QUALIFIERS | frozenset(content_stems(above)) & PRELIMINARY


def _subject(text: str) -> frozenset[str]:
    spoken = re.sub(r"\d[\d.,]*", " ", text)
    return frozenset(content_stems(spoken)) - _NOT_A_SUBJECT


_NOT_A_SUBJECT = (
    QUALIFIERS
    | FINAL
    | _TURNS
    | _stems(
        "million billion thousand percent percentage year quarter fiscal total amounted stood reached january february "
        "march april june july august september october november december usd eur dollar rate figure much fy value "
        "agree disagree differ consistent match memo report compare develop"
    )
)


def _matters(figure: Figure, asked: frozenset[str], question: str) -> bool:
    said = _subject(figure.statement.in_context)
    if not asked or len(asked & said) < ABOUT_THE_QUESTION * len(asked):
        return False
    return not _at_other_times(figure.periods, periods(question))


def _at_other_times(ours: Sequence[Period], theirs: Sequence[Period]) -> bool:
    """Both say when, and no two of their periods can be the same."""
    return bool(ours and theirs) and all(p.differs_from(q) for p in ours for q in theirs)


def _kind_of_disagreement(a: Figure, b: Figure) -> ConflictKind | None:
    if a.chunk["document_id"] == b.chunk["document_id"] or not _same_thing(a, b):
        return None
    if _agree_somewhere(a, b) or bool(a.marks & PLANNED) != bool(b.marks & PLANNED):
        return None
    if _at_other_times(a.periods, b.periods):
        return "different_period"
    if bool(a.marks & PRELIMINARY) != bool(b.marks & PRELIMINARY):
        return "revision"
    if (a.marks ^ b.marks) & DEFINITIONS:
        return "different_definition"
    return "contradiction"


def _same_thing(a: Figure, b: Figure) -> bool:
    if not comparable(a.quantity, b.quantity) or a.quantity.agrees_with(b.quantity):
        return False
    if a.quantity.unit == "number" and b.quantity.unit == "number" and not _same_noun(a, b):
        return False
    return len(a.subject & b.subject) >= SAME_SUBJECT * len(a.subject | b.subject) > 0


def _same_noun(a: Figure, b: Figure) -> bool:
    """Bare numbers count something: 412 employees are not 38 sites."""
    ours, theirs = _counted(a), _counted(b)
    return not (ours and theirs) or bool(ours & theirs)


def _counted(figure: Figure) -> set[str]:
    if figure.statement.is_row:
        return set()
    after = figure.statement.text[figure.quantity.end :]
    return set(content_stems(" ".join(words(after)[:3])))


def _agree_somewhere(a: Figure, b: Figure) -> bool:
    """A sentence that gives the other's figure too does not contradict it."""
    return any(q.agrees_with(b.quantity) for q in quantities(a.statement.text)) or any(
        q.agrees_with(a.quantity) for q in quantities(b.statement.text)
    )


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
    }

"""Finds dates, names and denials on which documents differ, where each of them is explicit."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from masis.audit.checks.turns import flipped
from masis.audit.conflicts.agreement import same_answer
from masis.audit.conflicts.conflict_records import Said, record, without_copies
from masis.audit.conflicts.explanations import (
    Worded,
    at_other_times,
    definition_marks,
    kind_by_marks,
    stage_marks,
    then_and_now,
)
from masis.audit.conflicts.stated_figures import subject_of
from masis.audit.conflicts.wanted import Wanted, wanted_figures
from masis.language.periods import Period, period_spans, periods
from masis.language.question import read_question
from masis.language.question_patterns import Disputable
from masis.language.sentences import clauses
from masis.language.statements import Statement, statements
from masis.language.words import FUNCTION_WORDS, content_stems, is_negated, names, stem, words
from masis.types import Conflict, ConflictKind, EvidenceChunk

SPEAKS_OF_IT = 0.6
"""Share of the question's words that a statement must contain to answer it."""
SAME_MATTER = 0.5
"""Share of all their words that two statements must have in common to be about the same matter."""

PERSON = re.compile(r"\b[A-Z][\w.'’-]*(?:\s+(?:de|van|von|der|del|la|al|bin|of)?\s?[A-Z][\w.'’-]+){1,3}")
LINKS = FUNCTION_WORDS | frozenset("serves served named appointed became becomes currently new mr ms mrs dr".split())
NO_LONGER = re.compile(
    r"\b(?:former(?:ly)?|previous(?:ly)?|until|ex-|succeeded by|resigned|stepped down|outgoing)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Fact:
    value: str
    subject: frozenset[str]
    statement: Statement
    chunk: EvidenceChunk
    when: tuple[Period, ...] = ()
    """For a name or a denial, the periods that the statement names. A date is its own value."""

    @property
    def marks(self) -> frozenset[str]:
        return stage_marks(self.statement.in_context) | definition_marks(self.statement.text)


Finder = Callable[[str, Statement, EvidenceChunk], Fact | None]
Parting = Callable[[Fact, Fact], bool]


def find_disputed_facts(question: str, evidence: Sequence[EvidenceChunk]) -> list[Conflict]:
    disputable = read_question(question).disputable
    if disputable is None:
        return []
    return without_copies(_disputes(question, evidence, *DISPUTES[disputable]), evidence)


def _disputes(question: str, evidence: Sequence[EvidenceChunk], find: Finder, parts: Parting) -> list[Conflict]:
    facts = list(_facts(question, evidence, find))
    found: dict[tuple[str, str], Conflict] = {}
    for a, b in combinations(facts, 2):
        if a.chunk["document_id"] == b.chunk["document_id"] or not _same_matter(a, b) or not parts(a, b):
            continue
        first, second = sorted((a, b), key=lambda f: (f.chunk.get("date") or "", f.chunk["file_name"]))
        key = (first.chunk["document_id"], second.chunk["document_id"])
        found.setdefault(key, _record(first, second))
    # A document that gives both values explains the difference itself.
    return [c for c in found.values() if not _says_both(c, facts)]


def _facts(question: str, evidence: Sequence[EvidenceChunk], find: Finder) -> Iterator[Fact]:
    asked = wanted_figures(question, evidence)
    for chunk in evidence:
        for statement in statements(chunk["text"], chunk.get("heading")):
            if _speaks_of_it(asked, statement) and (fact := find(question, statement, chunk)):
                yield fact


def _speaks_of_it(asked: Wanted, statement: Statement) -> bool:
    """The statement's own words decide: a heading that echoes the question does not make every sentence below it an
    answer."""
    around = frozenset(content_stems(statement.in_context))
    own = around if statement.needs_context else frozenset(content_stems(statement.text))
    return asked.items <= around and len(asked.subject & own) >= SPEAKS_OF_IT * len(asked.subject) > 0


def _date(question: str, statement: Statement, chunk: EvidenceChunk) -> Fact | None:
    """The only date in the clause closest to the question. Of several dates, code cannot tell which is meant."""
    wanted = frozenset(content_stems(question))
    spans = [statement.text[a:b] for a, b in clauses(statement.text)]
    clause = max(spans, key=lambda c: (len(wanted & set(content_stems(c))), bool(period_spans(c))))
    dates = period_spans(clause) or period_spans(statement.text)
    if len(dates) != 1:
        return None
    text = clause if period_spans(clause) else statement.text
    start, end = dates[0][1]
    return Fact(text[start:end], subject_of(text[:start] + text[end:]), statement, chunk)


def _name(question: str, statement: Statement, chunk: EvidenceChunk) -> Fact | None:
    """The only name, if it is right beside a word of the question: “chief executive Anna Ruiz”."""
    wanted = frozenset(content_stems(question))
    found = [
        m for m in PERSON.finditer(statement.text) if not wanted & set(content_stems(m[0])) and m[0] not in question
    ]
    if len(found) != 1 or not _stands_beside(statement.text, found[0].span(), wanted):
        return None
    start, end = found[0].span()
    rest = statement.text[:start] + " " + statement.text[end:]
    return Fact(found[0][0].rstrip(".,"), subject_of(rest), statement, chunk, tuple(periods(statement.text)))


def _stands_beside(text: str, span: tuple[int, int], wanted: frozenset[str]) -> bool:
    before, after = words(text[: span[0]])[::-1], words(text[span[1] :])
    return any(_first_of_weight(side) in wanted for side in (before, after))


def _first_of_weight(side: Sequence[str]) -> str | None:
    return next((stem(word) for word in side if word not in LINKS), None)


def _stand(question: str, statement: Statement, chunk: EvidenceChunk) -> Fact | None:
    if statement.is_row or statement.text.rstrip().endswith("?"):
        return None
    value = "no" if is_negated(statement.text) else "yes"
    return Fact(value, subject_of(statement.text), statement, chunk, tuple(periods(statement.text)))


def _same_matter(a: Fact, b: Fact) -> bool:
    return len(a.subject & b.subject) >= SAME_MATTER * len(a.subject | b.subject) > 0


def _differ(a: Fact, b: Fact) -> bool:
    return not same_answer(a.value, b.value)


def _deny(a: Fact, b: Fact) -> bool:
    """One statement denies what the other says or uses the opposite word. Doing both amounts to saying the same."""
    turned = bool(flipped(a.statement.text, b.statement.text))
    named_alike = set(names(f"x {a.statement.text}")) == set(names(f"x {b.statement.text}"))
    return named_alike and (a.value != b.value) != turned


def _says_both(conflict: Conflict, facts: Sequence[Fact]) -> bool:
    first, second = (side["value"] for side in conflict["sides"])
    if {first, second} <= {"yes", "no"}:
        return False
    return any(first in f.statement.text and second in f.statement.text for f in facts)


def _record(a: Fact, b: Fact) -> Conflict:
    sides = [Said(f.chunk, _worded(f, other), f.statement.text, f.marks) for f, other in ((a, b), (b, a))]
    return record(_about(a, b), None, _kind(a, b), sides)


def _worded(fact: Fact, other: Fact) -> str:
    """Opposite words tell the reader more than yes and no."""
    contrary = flipped(fact.statement.text, other.statement.text)
    return contrary[0][0] if fact.value == other.value and contrary else fact.value


def _kind(a: Fact, b: Fact) -> ConflictKind:
    gone = [bool(NO_LONGER.search(f.statement.text)) for f in (a, b)]
    ours, theirs = (Worded(f.value, f.statement.text, f.chunk["text"]) for f in (a, b))
    if (
        then_and_now(ours, theirs)
        or at_other_times(a.when, b.when)
        or ((a.when or b.when or not period_spans(a.value)) and gone[0] != gone[1])
    ):
        return "different_period"
    if ("planned" in a.marks) != ("planned" in b.marks):
        return "revision"
    return kind_by_marks(a.marks, b.marks)


def _about(a: Fact, b: Fact) -> str:
    shared = a.subject & b.subject
    spoken = [word for word in words(a.statement.text) if stem(word) in shared]
    return " ".join(list(dict.fromkeys(spoken))[:5]) or "the same thing"


DISPUTES: dict[Disputable, tuple[Finder, Parting]] = {
    "date": (_date, _differ),
    "name": (_name, _differ),
    "denial": (_stand, _deny),
}
"""For each kind: how to find it in a statement, and when two of them contradict each other."""

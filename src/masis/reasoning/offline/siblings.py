"""What belongs to a statement: a list is answered by all its items, and a pronoun needs the sentence before it."""

from collections.abc import Sequence

from masis.language.statements import LEANS_BACK
from masis.reasoning.offline.selection import Candidate


def with_siblings(candidate: Candidate, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The statement, and the items of its list: those under the same lines in the same passage."""
    passage, statement = candidate.passage, candidate.statement
    same_passage = [c for c in candidates if c.passage.chunk_id == passage.chunk_id]
    if statement.text.rstrip().endswith(":"):
        items = [c for c in same_passage if c.statement.above.endswith(statement.text)]
        return _with_strength(items, candidate.strength) or [candidate]
    if statement.above.rstrip().endswith(":"):
        items = [c for c in same_passage if c.statement.above == statement.above]
        return _with_strength(items, candidate.strength)
    return [candidate]


def with_antecedents(chosen: Sequence[Candidate], candidates: Sequence[Candidate]) -> list[Candidate]:
    """A sentence that opens with a pronoun follows the one that names what it speaks of."""
    told: list[Candidate] = []
    for candidate in chosen:
        before = _before(candidate, candidates) if LEANS_BACK.match(candidate.statement.text) else None
        told += [c for c in (before, candidate) if c and c.statement not in [t.statement for t in told]]
    return told


def _before(candidate: Candidate, candidates: Sequence[Candidate]) -> Candidate | None:
    same_passage = [c for c in candidates if c.passage.chunk_id == candidate.passage.chunk_id]
    earlier = [c for c in same_passage if c.statement.end <= candidate.statement.start and not c.statement.is_row]
    before = max(earlier, key=lambda c: c.statement.start, default=None)
    # Only a sentence that is part of what the pronoun leans on: another paragraph speaks of something else.
    return before if before and candidate.statement.above.endswith(before.statement.text) else None


def _with_strength(items: Sequence[Candidate], strength: float) -> list[Candidate]:
    return [Candidate(item.passage, item.statement, strength, item.closeness) for item in items]

"""A list is answered by all its items, not by the one that shares most words with the question."""

from collections.abc import Sequence

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


def _with_strength(items: Sequence[Candidate], strength: float) -> list[Candidate]:
    return [Candidate(item.passage, item.statement, strength) for item in items]

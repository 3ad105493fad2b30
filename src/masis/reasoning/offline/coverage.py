"""How much of a question an answer speaks of: the question's terms found in the sentences and their sources."""

from collections.abc import Iterable, Sequence

from masis.language.statements import statements
from masis.language.words import content_stems
from masis.language.question import Question, read_question
from masis.types import Claim, EvidenceChunk


def question_coverage(question: str, claims: Sequence[Claim], evidence: Sequence[EvidenceChunk]) -> float:
    """0 to 1. What a passage stands under counts with it: a row need not repeat its table's title."""
    cited = {citation["chunk_id"] for claim in claims for citation in claim["citations"]}
    above = [f"{c.get('heading') or ''} {c['file_name']}" for c in evidence if c["chunk_id"] in cited]
    above += [line for c in evidence if c["chunk_id"] in cited for line in _over_told_rows(claims, c)]
    return covered_share(read_question(question), [*(claim["text"] for claim in claims), *above])


def _over_told_rows(claims: Sequence[Claim], chunk: EvidenceChunk) -> list[str]:
    """The headers and captions of the tables whose rows the answer tells."""
    said = "\n".join(claim["text"] for claim in claims)
    rows = [s for s in statements(chunk["text"], chunk.get("heading")) if s.is_row]
    return [row.above for row in rows if row.cells[0][1] and row.cells[0][1] in said]


def covered_share(question: Question, texts: Iterable[str]) -> float:
    have = {stem for text in texts for stem in content_stems(text)}
    total = sum(question.weight(term) for term in question.terms)
    covered = sum(question.weight(term) for term in question.terms if term in have)
    return covered / total if total else 1.0

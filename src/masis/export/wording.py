"""What the words of programs mean to a reader."""

from masis.types import ClaimKind, ConflictKind, Outcome, Verdict

OUTCOMES: dict[Outcome, str] = {
    "answered": "answered",
    "answered_with_caveat": "answered, with a caveat",
    "conflict": "the documents disagree",
    "insufficient_evidence": "not covered by the documents",
    "out_of_scope": "not a question for documents",
    "unavailable": "unavailable",
}
VERDICTS: dict[Verdict, str] = {
    "verbatim": "word for word in the source",
    "supported": "supported by the source",
    "numbers_differ": "its numbers differ from the source",
    "contradicted": "the source says otherwise",
    "not_in_source": "not in the source",
    "uncited": "no source is cited",
    "fabricated_citation": "cites a passage that does not exist",
    "unverified": "could not be checked",
}
KINDS: dict[ClaimKind, str] = {
    "claim": "a claim, not judged",
    "limit": "says what the documents do not cover",
    "recommendation": "a recommendation",
    "heading": "no claim",
}
CONFLICTS: dict[ConflictKind, str] = {
    "different_period": "they speak of different periods",
    "different_definition": "they define it differently",
    "revision": "one revises the other",
    "contradiction": "they contradict each other",
}
SCORES = {
    "faithfulness": "Faithfulness: what it says is in the sources",
    "relevance": "Relevance: it answers the question",
    "completeness": "Completeness: it answers all of it",
    "reasoning_quality": "Reasoning: its conclusions follow",
    "overall_score": "Overall",
}
AGENTS = {"human_review": "person"}

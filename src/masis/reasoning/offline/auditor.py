"""The offline auditor: does each source bear out its sentence, is the question answered, do the documents agree."""

import asyncio
from collections.abc import Sequence

from masis.audit.checks.support import REFUTED, SCORES
from masis.reasoning.offline.coverage import question_coverage
from masis.reasoning.offline.disagreement import all_conflicts
from masis.reasoning.ports import AuditFinding, Guidance, Reply
from masis.settings import OFFLINE
from masis.types import Claim, Conflict, EvidenceChunk

OFF_TOPIC = 0.25
"""An answer that shares less than this with its question answers another one."""

DISPUTED = 0.7
"""Each sentence may be true to its source, but the sources contradict each other."""


class OfflineAuditor:
    name = OFFLINE

    async def audit(
        self,
        question: str,
        answer: str,
        evidence: Sequence[EvidenceChunk],
        guidance: Guidance,
        claims: Sequence[Claim],
    ) -> Reply[AuditFinding]:
        asserted = [c for c in claims if c["kind"] in ("claim", "recommendation")]
        refuted = [c for c in asserted if c["verdict"] in REFUTED]
        relevance = question_coverage(question, asserted, evidence) if asserted else 1.0
        conflicts = await asyncio.to_thread(all_conflicts, question, evidence)
        gaps = [] if relevance >= OFF_TOPIC else [f"The answer does not speak of what was asked: {question}"]
        return Reply(
            AuditFinding(
                confidence=_confidence(asserted, relevance, conflicts),
                hallucination_detected=bool(refuted),
                unsupported_claims=[f"{c['text']} ({c['reason']})" for c in refuted],
                logical_gaps=gaps,
                conflicts=conflicts,
                needs_retry=bool(refuted or gaps),
            )
        )


def _confidence(claims: Sequence[Claim], relevance: float, conflicts: Sequence[Conflict]) -> float:
    """As sure as the sentences are on average, pulled down by the worst one and by an answer beside the question."""
    scores = [SCORES[claim["verdict"]] for claim in claims if claim["verdict"]]
    if not scores:
        return 0.9
    support = 0.6 * sum(scores) / len(scores) + 0.4 * min(scores)
    confidence = support * (0.4 + 0.6 * min(1.0, relevance / 0.6))
    if any(conflict["kind"] == "contradiction" for conflict in conflicts):
        confidence = min(confidence, DISPUTED)
    return round(confidence, 4)

"""One finished answer, audited as the Critic does with the offline engine."""

import asyncio
from collections.abc import Sequence

from masis.audit.citations.extraction import audit_citations
from masis.audit.verdicts import judge_claims
from masis.orchestrator.critic import critique_of
from masis.reasoning.offline.auditor import OfflineAuditor
from masis.reasoning.offline.verifier import second_opinion
from masis.reasoning.ports import Guidance
from masis.settings import Settings
from masis.types import Critique, EvidenceChunk


def audited(question: str, answer: str, evidence: Sequence[EvidenceChunk]) -> Critique:
    claims = judge_claims(answer, evidence, second_opinion)
    finding = asyncio.run(OfflineAuditor().audit(question, answer, evidence, Guidance(), claims)).value
    citations = audit_citations(answer, [chunk["chunk_id"] for chunk in evidence])
    return critique_of(finding, citations, Settings())


def raises_alarm(critique: Critique) -> bool:
    """What sends an answer back: the Supervisor's quality issue."""
    low = critique["confidence"] < Settings().confidence_threshold
    return low or critique["hallucination_detected"] or critique["needs_retry"]

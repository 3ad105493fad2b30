"""The offline auditor: does each source support its claim, is the question answered, do the documents agree?"""

import asyncio
from collections.abc import Sequence

from masis.audit.checks.support import REFUTED
from masis.audit.verdicts import judge_claims
from masis.reasoning.offline.disagreement import all_conflicts
from masis.reasoning.offline.likelihood import Signs, likelihood, signs_of
from masis.reasoning.offline.writer import ENOUGH, as_evidence, written
from masis.reasoning.ports import AuditFinding, Guidance, Passage, Reply, WritingBrief
from masis.settings import OFFLINE, Settings
from masis.types import Chunk, Claim, Conflict, EvidenceChunk

DISPUTED = 0.7
"""Highest confidence if sources contradict each other, even if each claim is true to its source."""
OF_SILENCE = 0.9


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
        # In a thread: reading occupies a core for a while, and other runs must go on meanwhile.
        return Reply(await asyncio.to_thread(audited, question, evidence, claims, is_decided=bool(guidance)))


def audited(
    question: str, evidence: Sequence[EvidenceChunk], claims: Sequence[Claim], *, is_decided: bool = False
) -> AuditFinding:
    """`is_decided`: a person has decided which document to trust, so what it says counts as an answer."""
    asserted = [c for c in claims if c["kind"] in ("claim", "recommendation")]
    refuted = [c for c in asserted if c["verdict"] in REFUTED]
    conflicts = all_conflicts(question, evidence)
    signs = signs_of(question, claims, evidence)
    right = mean_likelihood(signs)
    if right is not None and any(conflict["kind"] == "contradiction" for conflict in conflicts):
        right = min(right, DISPUTED)
    if right is not None and (is_decided or any(_shows_both(asserted, conflict) for conflict in conflicts)):
        right = max(right, ENOUGH)
    gaps = [] if right is None or right >= ENOUGH else [f"It is not certain that this answers the question: {question}"]
    return AuditFinding(
        confidence=_confidence(right, conflicts),
        hallucination_detected=bool(refuted),
        unsupported_claims=[f"{c['text']} ({c['reason']})" for c in refuted],
        logical_gaps=gaps,
        conflicts=conflicts,
        needs_retry=bool(refuted or gaps),
        likelihood=right,
    )


def answered_offline(question: str, chunks: Sequence[Chunk]) -> str:
    """The engine's answer from these passages; empty if its own audit would ask for a retry."""
    passages = [Passage(c.chunk_id, c.file_name, c.page, c.text, c.heading, start=c.start) for c in chunks]
    # Real offsets are needed to join the parts of a table that was split.
    evidence: list[EvidenceChunk] = [
        {**as_evidence(passage), "start": c.start, "end": c.end} for passage, c in zip(passages, chunks, strict=True)
    ]
    answer = written(WritingBrief(question, passages))
    return "" if audited(question, evidence, judge_claims(answer, evidence)).needs_retry else answer


def _shows_both(claims: Sequence[Claim], conflict: Conflict) -> bool:
    """Whether the answer cites every side of the conflict: showing what each document says is an answer too."""
    cited = {citation["chunk_id"] for claim in claims for citation in claim["citations"]}
    return all(side["chunk_id"] in cited for side in conflict["sides"])


def mean_likelihood(signs: Sequence[Signs]) -> float | None:
    """The mean over the answered parts; None if no part is answered."""
    return round(sum(map(likelihood, signs)) / len(signs), 4) if signs else None


def _confidence(right: float | None, conflicts: Sequence[Conflict]) -> float:
    """The likelihood on the scale of the Supervisor's threshold; a fixed confidence if the answer claims nothing."""
    if right is None:
        return OF_SILENCE
    disputed = any(conflict["kind"] == "contradiction" for conflict in conflicts)
    return round(min(standing(right), DISPUTED if disputed else 1.0), 4)


def standing(right: float, threshold: float = Settings.model_fields["confidence_threshold"].default) -> float:
    """Maps a likelihood to a confidence so that `ENOUGH` falls exactly on the threshold."""
    if right < ENOUGH:
        return threshold * right / ENOUGH
    return threshold + (1 - threshold) * (right - ENOUGH) / (1 - ENOUGH)

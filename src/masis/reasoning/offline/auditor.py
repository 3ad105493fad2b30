"""The offline auditor: does each source support its sentence, is the question answered, do the documents agree."""

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
"""Each sentence may be true to its source, but the sources contradict each other."""
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
        # In a thread: reading takes a processor for a while, and other runs continue meanwhile.
        return Reply(await asyncio.to_thread(audited, question, evidence, claims, is_decided=bool(guidance)))


def audited(
    question: str, evidence: Sequence[EvidenceChunk], claims: Sequence[Claim], *, is_decided: bool = False
) -> AuditFinding:
    """`is_decided`: a person has said whose word counts, so that what it says is an answer."""
    asserted = [c for c in claims if c["kind"] in ("claim", "recommendation")]
    refuted = [c for c in asserted if c["verdict"] in REFUTED]
    conflicts = all_conflicts(question, evidence)
    signs = signs_of(question, claims, evidence)
    right = mean_likelihood(signs)
    if right is not None and any(conflict["kind"] == "contradiction" for conflict in conflicts):
        right = min(right, DISPUTED)
    if right is not None and (is_decided or any(_shows_both(asserted, conflict) for conflict in conflicts)):
        right = max(right, ENOUGH)
    gaps = [] if right is None or right >= ENOUGH else [f"The answer does not speak of what was asked: {question}"]
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
    """What the engine says of these passages, and stands by: empty where its own audit would ask again."""
    passages = [Passage(c.chunk_id, c.file_name, c.page, c.text, c.heading, start=c.start) for c in chunks]
    # At their places: the parts of a table that was cut are one table by them.
    evidence: list[EvidenceChunk] = [
        {**as_evidence(passage), "start": c.start, "end": c.end} for passage, c in zip(passages, chunks, strict=True)
    ]
    answer = written(WritingBrief(question, passages))
    return "" if audited(question, evidence, judge_claims(answer, evidence)).needs_retry else answer


def _shows_both(claims: Sequence[Claim], conflict: Conflict) -> bool:
    """What the documents say, one and the other, is on record: that is an answer too."""
    cited = {citation["chunk_id"] for claim in claims for citation in claim["citations"]}
    return all(side["chunk_id"] in cited for side in conflict["sides"])


def mean_likelihood(signs: Sequence[Signs]) -> float | None:
    """Of the parts that are answered; None where nothing is."""
    return round(sum(map(likelihood, signs)) / len(signs), 4) if signs else None


def _confidence(right: float | None, conflicts: Sequence[Conflict]) -> float:
    """The likelihood on the scale of the Supervisor's threshold; where nothing is claimed, that of a sound silence."""
    if right is None:
        return OF_SILENCE
    disputed = any(conflict["kind"] == "contradiction" for conflict in conflicts)
    return round(min(standing(right), DISPUTED if disputed else 1.0), 4)


def standing(right: float, threshold: float = Settings.model_fields["confidence_threshold"].default) -> float:
    """The likelihood on the scale of confidence: what is enough is just at the threshold."""
    if right < ENOUGH:
        return threshold * right / ENOUGH
    return threshold + (1 - threshold) * (right - ENOUGH) / (1 - ENOUGH)

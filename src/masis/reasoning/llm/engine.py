"""Writer, auditor and judge played by chat models."""

from collections.abc import Sequence

from masis.audit.conflicts.detection import find_conflicts, joined
from masis.errors import BadModelOutput, ModelRefused, ModelTruncated
from masis.reasoning.llm import prompts
from masis.reasoning.llm.client import ModelClient
from masis.reasoning.llm.reported_conflicts import bare_id, resolve
from masis.reasoning.llm.schemas import Audit, Scorecard, Summaries
from masis.reasoning.ports import AuditFinding, Guidance, Listener, Passage, Reply, Scores, WritingBrief
from masis.types import CitationAudit, Claim, Critique, EvidenceChunk


class LLMWriter:
    prompt = prompts.prompt_stamp("writer")
    summary_prompt = prompts.prompt_stamp("compressor")

    def __init__(self, client: ModelClient) -> None:
        self.name = client.name
        self._client = client

    async def write(self, brief: WritingBrief, on_token: Listener | None = None) -> Reply[str]:
        return await self._client.complete(prompts.writing(brief), on_token=on_token)

    async def summarize(self, question: str, passages: Sequence[Passage], limit: int) -> Reply[dict[str, str]]:
        try:
            reply = await self._client.structured(prompts.compressing(question, passages, limit), Summaries)
        except (BadModelOutput, ModelTruncated, ModelRefused) as error:
            # The model is there but made no summaries; the caller replaces those that did not come back.
            return Reply({}, error.usage)
        known = {passage.chunk_id for passage in passages}
        made = {bare_id(each.chunk_id): _shortened(each.summary, limit) for each in reply.value.summaries}
        return Reply({id_: text for id_, text in made.items() if id_ in known}, reply.usage)


class LLMAuditor:
    prompt = prompts.prompt_stamp("auditor")

    def __init__(self, client: ModelClient) -> None:
        self.name = client.name
        self._client = client

    async def audit(
        self,
        question: str,
        answer: str,
        evidence: Sequence[EvidenceChunk],
        guidance: Guidance,
        claims: Sequence[Claim],
    ) -> Reply[AuditFinding]:
        messages = prompts.auditing(question, answer, evidence, guidance)
        reply = await self._client.structured(messages, Audit)
        found = reply.value
        reported, sentences = resolve(found.conflicting_evidence, evidence)
        records = joined(reported, find_conflicts(question, evidence))
        finding = AuditFinding(
            confidence=found.confidence,
            hallucination_detected=found.hallucination_detected,
            unsupported_claims=found.unsupported_claims,
            logical_gaps=found.logical_gaps,
            conflicts=records,
            conflicting_evidence=sentences,
            # What a new draft should do better has to be named: without a finding it would be the same again.
            needs_retry=found.needs_retry and bool(found.unsupported_claims or found.logical_gaps or records),
        )
        return Reply(finding, reply.usage)


class LLMJudge:
    prompt = prompts.prompt_stamp("judge")

    def __init__(self, client: ModelClient) -> None:
        self.name = client.name
        self._client = client

    async def judge(
        self,
        question: str,
        answer: str,
        evidence: Sequence[EvidenceChunk],
        audit: CitationAudit,
        claims: Sequence[Claim],
        critique: Critique | None = None,
    ) -> Reply[Scores]:
        messages = prompts.judging(question, answer, evidence, audit, critique)
        reply = await self._client.structured(messages, Scorecard)
        return Reply(Scores(**reply.value.model_dump()), reply.usage)


def _shortened(text: str, limit: int) -> str:
    """At most `limit` characters, cut between words: half a number is another number."""
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    whole_words, _, _ = text[:limit].rpartition(" ")
    return (whole_words or text[: limit - 1]) + "…"

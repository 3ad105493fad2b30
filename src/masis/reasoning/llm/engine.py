"""Writer, auditor and judge played by chat models."""

from collections.abc import Sequence

from masis.audit.checks.second_opinion import is_doubted, settled_by_model
from masis.audit.conflicts.detection import find_conflicts, joined
from masis.errors import BadModelOutput, ModelRefused, ModelTruncated
from masis.language.follow_up import Turn
from masis.language.sentences import split_sentences
from masis.reasoning.llm import prompts
from masis.reasoning.llm.chat_model import ModelClient
from masis.reasoning.llm.prompts.messages import without_unknown_ids
from masis.reasoning.llm.reported_conflicts import bare_id, resolve
from masis.reasoning.llm.structured import Audit, Scorecard, Summaries
from masis.reasoning.llm.wire import without_thinking
from masis.reasoning.ports import AuditFinding, Auditor, Guidance, Listener, Passage, Reply, Scores, WritingBrief
from masis.types import CitationAudit, Claim, Critique, EvidenceChunk, Usage

MOST_ASKED = 3
UNSURE = (0.1, 0.6)
"""A probability of “yes” between these two settles nothing."""


class LLMWriter:
    prompt = prompts.prompt_stamp("writer")
    summary_prompt = prompts.prompt_stamp("compressor")

    def __init__(self, client: ModelClient) -> None:
        self.name = client.name
        self._client = client

    async def write(self, brief: WritingBrief, on_token: Listener | None = None) -> Reply[str]:
        return await self._client.complete(prompts.writing(brief), on_token=on_token)

    async def complete_question(self, question: str, turns: Sequence[Turn]) -> Reply[str]:
        """Rewrites a follow-up question so that it can be understood alone."""
        reply = await self._client.complete(prompts.completing(question, turns))
        return Reply(reply.value.strip().strip('"“”'), reply.usage)

    async def summarize(self, question: str, passages: Sequence[Passage], limit: int) -> Reply[dict[str, str]]:
        try:
            reply = await self._client.structured(prompts.compressing(question, passages, limit), Summaries)
        except (BadModelOutput, ModelTruncated, ModelRefused) as error:
            # The model is there but made no summaries; the caller replaces the missing ones.
            return Reply({}, error.usage)
        known = {passage.chunk_id for passage in passages}
        made = {bare_id(each.chunk_id): _shortened(each.summary, limit) for each in reply.value.summaries}
        return Reply({id_: text for id_, text in made.items() if id_ in known}, reply.usage)


class PlainWriter(LLMWriter):
    """For a small or slow model: a short prompt, little to read, and prose to which the Critic adds the citations."""

    prompt = prompts.prompt_stamp("plain_writer")
    reads_at_most = prompts.PLAIN_CONTEXT_CHARS
    writes_once = True
    """A small model seldom mends a draft, and each takes a minute on a laptop: the embedded engine writes the next."""

    async def write(self, brief: WritingBrief, on_token: Listener | None = None) -> Reply[str]:
        """Of an answer that is cut off, the complete sentences: a small model begins with the answer and may then
        go on about everything else it has read. A model that was cut off while thinking gets the usual room."""
        messages = prompts.writing_plainly(brief)
        try:
            return await self._client.complete(messages, max_tokens=prompts.PLAIN_OUTPUT_TOKENS, on_token=on_token)
        except ModelTruncated as error:
            said = without_thinking(error.said)
            if whole := _complete_sentences(said):
                return Reply(whole, error.usage)
            if said or not error.said:
                raise
            reply = await self._client.complete(messages, on_token=on_token)
            return Reply(reply.value, reply.usage + error.usage)


def _complete_sentences(text: str) -> str:
    """The text up to the sentence that was cut off, or to the first that says again what was said before."""
    sentences, seen, end = split_sentences(text), set[str](), 0
    for sentence in sentences[:-1]:
        said = text[sentence.start : sentence.end].strip()
        if said in seen:
            break
        seen.add(said)
        end = sentence.end
    return text[:end].strip()


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
        messages = prompts.auditing(question, answer, evidence, guidance, [c for c in claims if is_doubted(c)])
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
            # A retry needs a finding: without one, the next draft would be the same.
            answered=found.answered,
            needs_retry=found.needs_retry and bool(found.unsupported_claims or found.logical_gaps or records),
        )
        return Reply(finding, reply.usage)


class YesOrNoAuditor:
    """For a model that cannot fill in a schema: asks about one doubtful sentence at a time and reads the first token.
    The embedded auditor does the rest."""

    prompt = prompts.prompt_stamp("auditor")

    def __init__(self, client: ModelClient, embedded: Auditor) -> None:
        self.name = client.name
        self._client = client
        self._embedded = embedded

    async def audit(
        self,
        question: str,
        answer: str,
        evidence: Sequence[EvidenceChunk],
        guidance: Guidance,
        claims: Sequence[Claim],
    ) -> Reply[AuditFinding]:
        usage, settled, asked = Usage(), list(claims), 0
        for at, claim in enumerate(claims):
            if not is_doubted(claim) or asked == MOST_ASKED:
                continue
            asked += 1
            cited = [c for c in evidence if any(c["chunk_id"] == one["chunk_id"] for one in claim["citations"])]
            sentence = without_unknown_ids(claim["text"], [])
            reply = await self._client.chance_of_yes(prompts.asking(sentence, cited))
            usage += reply.usage
            if reply.value is not None and not UNSURE[0] < reply.value < UNSURE[1]:
                is_yes = reply.value >= UNSURE[1]
                settled[at] = settled_by_model([claim], [] if is_yes else [claim["text"]], is_yes)[0]
        found = await self._embedded.audit(question, answer, evidence, guidance, settled)
        return Reply(found.value, found.usage + usage)


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
    """At most `limit` characters, cut between words: half a number is a different number."""
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    whole_words, _, _ = text[:limit].rpartition(" ")
    return (whole_words or text[: limit - 1]) + "…"

"""Writer, auditor and judge played by chat models; the conflicts they report are checked against the evidence."""

import re
from collections.abc import Mapping, Sequence

from masis.audit.checks.second_opinion import is_doubted, settled_by_model
from masis.audit.conflicts.agreement import gives, same_answer
from masis.audit.conflicts.detection import find_conflicts, joined
from masis.audit.conflicts.explanations import Worded, are_comparable, at_other_times, kind_by_words
from masis.errors import BadModelOutput, ModelRefused, ModelTruncated
from masis.language.follow_up import Turn
from masis.language.instructions import readable
from masis.language.periods import periods
from masis.language.sentences import split_sentences
from masis.language.statements import statements
from masis.reasoning.llm import prompts
from masis.reasoning.llm.chat_model import ModelClient
from masis.reasoning.llm.prompts.messages import without_unknown_ids
from masis.reasoning.llm.structured import Audit, ReportedConflict, Scorecard, Summaries
from masis.reasoning.llm.wire import without_thinking
from masis.reasoning.ports import AuditFinding, Auditor, Guidance, Listener, Passage, Reply, Scores, WritingBrief
from masis.types import CitationAudit, Claim, Conflict, ConflictKind, ConflictSide, Critique, EvidenceChunk, Usage

_LONGEST_QUOTE = 300
MOST_ASKED = 3
UNSURE = (0.1, 0.6)
"""A probability of “yes” between these two settles nothing."""


def resolve(
    reported: Sequence[ReportedConflict], evidence: Sequence[EvidenceChunk]
) -> tuple[list[Conflict], list[str]]:
    """Returns records with both sides quoted from the evidence, and sentences for contradictions that code can neither
    confirm nor refute.

    Conflicts that the auditor explains itself or cannot name are dropped if there is no record of them: they are not
    worth a person's time.
    """
    # A value that only occurs in an instruction inside a document is not a statement of that document.
    honest = readable(evidence)
    chunks = {chunk["chunk_id"]: chunk for chunk in honest}
    records: list[Conflict] = []
    sentences: list[str] = []
    for each in reported:
        if _agree(each) or _is_made_up(each, honest):
            continue
        record = _record(each, chunks)
        if record is not None and not _both_say_both(record, chunks):
            records.append(record)
        elif record is None and each.kind == "contradiction" and (sentence := _sentence(each)):
            sentences.append(sentence)
    return records, sentences


def _agree(reported: ReportedConflict) -> bool:
    """$4.2bn and 4,200 million are the same value."""
    return bool(reported.value_a and reported.value_b) and same_answer(reported.value_a, reported.value_b)


def _is_made_up(reported: ReportedConflict, evidence: Sequence[EvidenceChunk]) -> bool:
    """Whether one of the values it names is in no passage at all."""
    return any(
        value and not any(gives(chunk["text"], value) for chunk in evidence)
        for value in (reported.value_a, reported.value_b)
    )


def _both_say_both(record: Conflict, chunks: Mapping[str, EvidenceChunk]) -> bool:
    """Copies of one text, or passages that each give both values, do not contradict each other."""
    texts = [chunks[side["chunk_id"]]["text"] for side in record["sides"]]
    values = [side["value"] for side in record["sides"]]
    return all(values) and all(gives(text, value) for text in texts for value in values)


def _record(reported: ReportedConflict, chunks: Mapping[str, EvidenceChunk]) -> Conflict | None:
    chunk_a, chunk_b = (chunks.get(bare_id(id_)) for id_ in (reported.chunk_a, reported.chunk_b))
    if chunk_a is None or chunk_b is None:
        return None
    # Models mix up which value belongs to which passage more often than they invent one.
    placed = ((chunk_a, chunk_b), (chunk_b, chunk_a))
    found = next((p for p in placed if _is_in(reported.value_a, p[0]) and _is_in(reported.value_b, p[1])), None)
    if found is None:
        return None
    sides = [_side(reported.value_a, found[0]), _side(reported.value_b, found[1])]
    return Conflict(
        about=reported.about or "the same fact",
        period=reported.period or None,
        kind=_kind(reported, sides, found),
        sides=sides,
        explanation=_sentence(reported),
    )


def _is_in(value: str, chunk: EvidenceChunk) -> bool:
    return not value or gives(chunk["text"], value)


def _kind(
    reported: ReportedConflict, sides: Sequence[ConflictSide], chunks: tuple[EvidenceChunk, EvidenceChunk]
) -> ConflictKind:
    """What both passages say explicitly outweighs the auditor's label."""
    ours, theirs = (_worded(side, chunk) for side, chunk in zip(sides, chunks, strict=True))
    kind = kind_by_words(reported.about, ours, theirs)
    first, second = (tuple(periods(side["quote"])) for side in sides)
    are_dates = any(periods(side["value"]) for side in sides)
    if kind == "different_period" or (not are_dates and at_other_times(first, second)):
        return "different_period"
    if reported.kind != "contradiction" and reported.kind != "unknown":
        return reported.kind
    return kind if are_comparable(reported.about, ours, theirs) else "different_definition"


def _worded(side: ConflictSide, chunk: EvidenceChunk) -> Worded:
    """Reads the value in its own sentence: the quoted line may be a paragraph with another sentence that is a plan."""
    saying_so = (s.text for s in statements(side["quote"]) if side["value"] and gives(s.text, side["value"]))
    return Worded(side["value"], next(saying_so, side["quote"]), chunk["text"])


def _side(value: str, chunk: EvidenceChunk) -> ConflictSide:
    return ConflictSide(
        value=value,
        quote=_quote(value, chunk["text"]),
        chunk_id=chunk["chunk_id"],
        document_id=chunk["document_id"],
        file_name=chunk["file_name"],
        date=chunk.get("date"),
        page=chunk["page"],
    )


def _quote(value: str, text: str) -> str:
    """The line of the passage with the value, verbatim, or its beginning if no line has it."""
    found = re.search(re.escape(value), text, re.IGNORECASE) if value else None
    if found is None:
        saying_so = (s.text for s in statements(text) if value and gives(s.text, value))
        return next(saying_so, text)[:_LONGEST_QUOTE].strip()
    start = text.rfind("\n", 0, found.start()) + 1
    end = text.find("\n", found.end())
    line = text[start : end if end >= 0 else len(text)]
    if len(line) <= _LONGEST_QUOTE:
        return line.strip()
    before = max(0, found.start() - start - (_LONGEST_QUOTE - len(value)) // 2)
    return line[before : before + _LONGEST_QUOTE].strip()


def _sentence(reported: ReportedConflict) -> str:
    values = [
        f"{value or 'another value'} [{bare_id(chunk)}]" if chunk else value
        for value, chunk in ((reported.value_a, reported.chunk_a), (reported.value_b, reported.chunk_b))
    ]
    against = " against ".join(filter(None, values))
    return ": ".join(filter(None, (reported.about, against)))


def bare_id(chunk_id: str) -> str:
    """The id without the brackets it is cited in."""
    return chunk_id.strip().removeprefix("[").removesuffix("]").strip()


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

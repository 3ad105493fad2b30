import json
from collections.abc import Callable

import pytest

from masis.errors import BadModelOutput, ModelUnavailable
from masis.reasoning.llm.chat_model import ModelClient
from masis.reasoning.llm.engine import LLMAuditor, LLMJudge, LLMWriter
from masis.reasoning.ports import Auditor, Guidance, Judge, Passage, Scores, Writer, WritingBrief
from masis.types import CitationAudit, EvidenceChunk
from tests.support.fake_openai import Fail, FakeOpenAI, Say

MakeClient = Callable[..., ModelClient]
PASSAGES = [
    Passage("a-1", "annual.pdf", 3, "Revenue was $199.6M."),
    Passage("b-2", "board.pdf", 1, "It grew."),
]
CLEAN: CitationAudit = {
    "invalid_citations": [],
    "uncited_claim_count": 0,
    "uncited_claim_sentences": [],
    "hallucination_detected": False,
    "unsupported_claims": [],
}


def test_the_engine_fits_its_ports(client: ModelClient) -> None:
    writer: Writer = LLMWriter(client)
    auditor: Auditor = LLMAuditor(client)
    judge: Judge = LLMJudge(client)
    assert {writer.name, auditor.name, judge.name} == {"fake-model"}


async def test_the_writer_answers_in_prose(client: ModelClient, fake_openai: FakeOpenAI) -> None:
    heard: list[str] = []
    fake_openai.script(Say("It was $199.6M [a-1]."), Say("It was $199.6M [a-1]."))
    writer, brief = LLMWriter(client), WritingBrief("How much?", PASSAGES)
    reply = await writer.write(brief)
    assert reply.value == "It was $199.6M [a-1]."
    assert "Revenue was $199.6M." in fake_openai.chats[0].prompt
    assert (await writer.write(brief, heard.append)).value == "".join(heard)


async def test_all_passages_are_summarized_in_one_call(client: ModelClient, fake_openai: FakeOpenAI) -> None:
    said = [{"chunk_id": "[a-1]", "summary": "Revenue $199.6M"}, {"chunk_id": "b-2", "summary": "grew"}]
    fake_openai.script(Say(json.dumps({"summaries": said})))
    reply = await LLMWriter(client).summarize("How much?", PASSAGES, 200)
    assert reply.value == {"a-1": "Revenue $199.6M", "b-2": "grew"}
    assert reply.usage.requests == 1


async def test_summaries_are_held_to_what_was_asked(client: ModelClient, fake_openai: FakeOpenAI) -> None:
    said = {
        "a-1": "Revenue of $199.6M " + "and more words " * 40,
        "b-2": "",
        "z-9": "of nothing that was asked",
    }
    fake_openai.script(Say(json.dumps({"summaries": said})))
    reply = await LLMWriter(client).summarize("How much?", PASSAGES, 50)
    assert list(reply.value) == ["a-1", "b-2"]
    assert reply.value["b-2"] == ""  # nothing in it bears on the question
    assert len(reply.value["a-1"]) <= 50
    assert reply.value["a-1"].startswith("Revenue of $199.6M and more words")
    assert reply.value["a-1"].endswith(("words…", "and…", "more…"))


@pytest.mark.parametrize("answer", [Say("no json"), Say(finish_reason="length"), Say(None, refusal="I can't.")])
async def test_no_summaries_are_no_reason_to_stop(client: ModelClient, fake_openai: FakeOpenAI, answer: Say) -> None:
    fake_openai.answer_with(lambda _: answer)
    reply = await LLMWriter(client).summarize("How much?", PASSAGES, 50)
    assert reply.value == {}
    assert reply.usage.requests == len(fake_openai.chats)
    assert reply.usage.input_tokens > 0


async def test_a_model_that_is_gone_is_a_reason_to_stop(make_client: MakeClient, fake_openai: FakeOpenAI) -> None:
    fake_openai.answer_with(lambda _: Fail(503))
    client = make_client(backoff=lambda _: 9.0)
    with pytest.raises(ModelUnavailable):
        await LLMWriter(client).summarize("How much?", PASSAGES, 50)


async def test_the_auditor_reports_findings(
    client: ModelClient, fake_openai: FakeOpenAI, evidence: list[EvidenceChunk]
) -> None:
    conflict = {
        "about": "revenue",
        "value_a": "199.6",
        "chunk_a": "a-1",
        "value_b": "187.2",
        "chunk_b": "b-2",
    }
    said = {
        "confidence": 85,
        "hallucination_detected": "yes",
        "unsupported_claims": "Margins doubled.",
        "logical_gaps": None,
        "conflicting_evidence": [conflict, "Also the dates differ."],
        "needs_retry": True,
        "comment": "thorough",
    }
    fake_openai.script(Say(json.dumps(said)))
    reply = await LLMAuditor(client).audit("How much?", "It was.", evidence, Guidance(), [])
    finding = reply.value
    assert finding.confidence == pytest.approx(0.85)
    assert finding.hallucination_detected
    assert finding.needs_retry
    assert finding.unsupported_claims == ["Margins doubled."]
    assert finding.logical_gaps == []
    assert [side["file_name"] for side in finding.conflicts[0]["sides"]] == ["annual.pdf", "board.pdf"]
    assert finding.conflicting_evidence == ["Also the dates differ."]
    assert "$187.2M" in fake_openai.chats[0].prompt


async def test_an_audit_that_cannot_be_read_is_an_error_never_a_pass(
    client: ModelClient, fake_openai: FakeOpenAI, evidence: list[EvidenceChunk]
) -> None:
    fake_openai.answer_with(lambda _: Say('{"confidence": "NaN", "hallucination_detected": false}'))
    with pytest.raises(BadModelOutput, match="confidence"):
        await LLMAuditor(client).audit("How much?", "It was.", evidence, Guidance(), [])


async def test_the_judge_scores(client: ModelClient, fake_openai: FakeOpenAI, evidence: list[EvidenceChunk]) -> None:
    said = {"faithfulness": "90%", "relevance": 0.8, "completeness": 70, "reasoning_quality": 1}
    fake_openai.script(Say(json.dumps({**said, "improvement_suggestions": "Name the period."})))
    reply = await LLMJudge(client).judge("How much?", "It was.", evidence, CLEAN, [])
    assert reply.value == Scores(0.9, 0.8, 0.7, 1.0, ["Name the period."])
    assert '"uncited_claim_count": 0' in fake_openai.chats[0].prompt

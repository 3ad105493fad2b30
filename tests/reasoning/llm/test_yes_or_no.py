"""A small model that fills in no form is heard by its first token, if that tells right from wrong."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from masis.audit.verdicts import judge_claims
from masis.reasoning.engines import engines_for
from masis.reasoning.llm import fitness
from masis.reasoning.llm.chat_model import ModelClient
from masis.reasoning.llm.engine import MOST_ASKED, YesOrNoAuditor
from masis.reasoning.llm.prompts import asking
from masis.reasoning.offline.auditor import OfflineAuditor
from masis.reasoning.ports import AuditFinding, Guidance, Reply
from masis.settings import Settings
from masis.types import Claim, EvidenceChunk
from tests.support.fake_openai import Fail, FakeOpenAI, Recorded, Say

MakeClient = Callable[..., ModelClient]
YES = {"Yes": -0.05, "No": -3.2, " yes": -7.0, "The": -9.0}
NO = {"No": -0.02, "Yes": -4.1, "no": -6.5}
TEXT = "The mill was sold to Harlow in 2019."
CHUNK: EvidenceChunk = {
    "chunk_id": "cabc1234567", "file_name": "mill.txt", "text": TEXT, "score": 1.0, "document_id": "k", "page": 1,
    "start": 0, "end": len(TEXT),
}  # fmt: skip
QUESTION = asking("It changed hands.", [CHUNK])


@pytest.mark.parametrize(
    ("first", "least", "most"), [(YES, 0.95, 0.98), (NO, 0.01, 0.03), ({"<think>": -0.01, "Yes": -5.0}, None, None)]
)
async def test_the_first_token_says_how_likely_yes_is(
    make_client: MakeClient, fake_openai: FakeOpenAI, first: dict[str, float], least: float | None, most: float | None
) -> None:
    fake_openai.script(Say("Yes", "length", first_tokens=first))
    found = (await make_client("auditor").chance_of_yes(QUESTION)).value
    assert found is None if least is None or most is None else found is not None and least < found < most
    body = fake_openai.chats[0].body
    assert (body["logprobs"], body["max_tokens"], body.get("stream")) == (True, 1, None)


@pytest.mark.parametrize(
    ("reply", "requests"), [(Say("Yes", "length"), 1), (Fail(400, "logprobs is not supported"), 2)]
)
async def test_a_server_that_does_not_tell_is_not_asked_again(
    make_client: MakeClient, fake_openai: FakeOpenAI, reply: Say | Fail, requests: int
) -> None:
    fake_openai.script(reply)
    client = make_client("auditor")
    assert (await client.chance_of_yes(QUESTION)).value is None
    assert (await client.chance_of_yes(QUESTION)).value is None
    assert len(fake_openai.chats) == requests


def doubted(*texts: str) -> list[Claim]:
    claims = judge_claims(" ".join(f"{text} [cabc1234567]." for text in texts), [CHUNK])
    assert {claim["verdict"] for claim in claims} == {"unverified"}
    return claims


async def audited(client: ModelClient, claims: list[Claim]) -> Reply[AuditFinding]:
    auditor = YesOrNoAuditor(client, OfflineAuditor())
    return await auditor.audit("Who owns the mill?", "", [CHUNK], Guidance(), claims)


@pytest.mark.parametrize(("first", "is_refuted"), [(YES, False), (NO, True)])
async def test_a_doubtful_sentence_alone_is_put_to_it_with_what_it_cites(
    make_client: MakeClient, fake_openai: FakeOpenAI, first: dict[str, float], is_refuted: bool
) -> None:
    fake_openai.answer_with(lambda _: Say("Yes", "length", first_tokens=first))
    found = await audited(make_client("auditor"), doubted("Ownership passed into other hands entirely"))
    assert found.value.hallucination_detected is is_refuted
    assert "Ownership passed" in fake_openai.chats[0].prompt
    assert TEXT in fake_openai.chats[0].prompt
    assert found.usage.requests == 1


async def test_only_the_first_few_doubts_are_put_to_it(make_client: MakeClient, fake_openai: FakeOpenAI) -> None:
    fake_openai.answer_with(lambda _: Say("Yes", "length", first_tokens=YES))
    words = "orchard lantern copper violin meadow harbour".split()
    await audited(make_client("auditor"), doubted(*(f"Another {word} stood beside them quietly" for word in words)))
    assert len(fake_openai.chats) == MOST_ASKED


def by_sentence(request: Recorded) -> Say:
    return Say("Yes", "length", first_tokens=NO if fitness.WRONG in request.prompt else YES)


async def test_a_model_that_says_yes_to_everything_is_not_heard(
    make_client: MakeClient, fake_openai: FakeOpenAI
) -> None:
    """As Qwen2.5-Coder-1.5B-Instruct replied, served by llama.cpp: 67 % for the right sentence, 56 % for the wrong."""
    right = {"Yes": -0.41, "No": -1.11, " Yes": -7.04, "YES": -7.54, "yes": -7.82, "Not": -8.55, "NO": -8.6}
    wrong = {"Yes": -0.58, "No": -0.83, " Yes": -7.19, "YES": -7.64, "yes": -7.86, "NO": -8.33, " No": -8.51}
    fake_openai.script(*(Say("Yes", "length", first_tokens=first) for first in (right, wrong)))
    assert not await fitness.tells_yes_from_no(make_client("auditor"))


async def test_the_doctor_finds_out_whether_a_model_tells_yes_from_no(
    make_client: MakeClient, fake_openai: FakeOpenAI
) -> None:
    fake_openai.answer_with(by_sentence)
    assert await fitness.tells_yes_from_no(make_client("auditor"))


def test_an_unfit_auditor_that_tells_yes_from_no_is_heard(tmp_path: Path) -> None:
    roles: dict[str, Any] = {"writer_model": "qwen", "auditor_model": "qwen", "judge_model": "qwen"}
    settings = Settings(home=tmp_path, model_base_url="http://127.0.0.1:1/v1", **roles)
    fitness.keep(settings, {"writer": None, "auditor": "no usable Audit", "judge": "no"}, by_word=True)
    assert [engine.name for engine in engines_for(settings)] == ["qwen", "qwen", "offline"]
    assert fitness.named(settings) == "writer qwen, auditor qwen, by yes or no, judge embedded"

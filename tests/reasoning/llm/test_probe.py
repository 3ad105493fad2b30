from collections.abc import Callable

import pytest

from masis.reasoning.llm.chat_model import ModelClient
from masis.reasoning.llm.fitness import probe
from tests.support.fake_openai import Fail, FakeOpenAI, Recorded, Reply, Say

MakeClient = Callable[..., ModelClient]


def model(*refused: str, json_answer: str = '{"is_larger": true}') -> Callable[[Recorded], Reply]:
    def answer(request: Recorded) -> Reply:
        if "larger" not in request.prompt:
            return Say("ready")
        asked = request.body.get("response_format", {}).get("type")
        return Fail(400, "unknown response_format") if asked in refused else Say(json_answer)

    return answer


@pytest.mark.parametrize(
    ("refused", "rung"),
    [
        ([], "json_schema"),
        (["json_schema"], "json_object"),
        (["json_schema", "json_object"], "prompt"),
    ],
)
async def test_the_rung_that_works_is_found(
    client: ModelClient, fake_openai: FakeOpenAI, refused: list[str], rung: str
) -> None:
    fake_openai.answer_with(model(*refused))
    result = await probe(client)
    assert (result.model, result.answers, result.rung, result.error) == ("fake-model", True, rung, None)
    assert result.latency_seconds is not None
    assert result.latency_seconds > 0


async def test_a_model_without_json_answers_all_the_same(client: ModelClient, fake_openai: FakeOpenAI) -> None:
    fake_openai.answer_with(model(json_answer="Yes, 7 is larger."))
    result = await probe(client)
    assert (result.answers, result.rung) == (True, None)
    assert result.error is not None
    assert "it contains no JSON" in result.error
    assert result.advice is not None


async def test_a_model_that_thinks_its_budget_away_answers(client: ModelClient, fake_openai: FakeOpenAI) -> None:
    fake_openai.script(Say("<think>let me", finish_reason="length"), Say('{"is_larger": true}'))
    assert (await probe(client)).rung == "json_schema"


async def test_a_model_that_does_not_answer_is_explained(client: ModelClient, fake_openai: FakeOpenAI) -> None:
    fake_openai.script(Fail(401, "bad key"))
    result = await probe(client)
    assert (result.answers, result.rung, result.latency_seconds) == (False, None, None)
    assert result.error is not None
    assert "(401): bad key" in result.error
    assert result.advice is not None
    assert "OPENAI_API_KEY" in result.advice
    assert len(fake_openai.chats) == 1

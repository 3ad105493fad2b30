import json
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from masis.errors import BadModelOutput, ModelRefused, ModelRejected, ModelTruncated, ModelUnavailable
from masis.reasoning.llm.chat_model import ModelClient
from masis.reasoning.llm.structured import strict_schema
from masis.reasoning.llm.wire import Message
from tests.support.fake_openai import Fail, FakeOpenAI, Recorded, Reply, Say

MakeClient = Callable[..., ModelClient]
ASK: list[Message] = [{"role": "system", "content": "Count."}, {"role": "user", "content": "How much?"}]


class Amount(BaseModel):
    amount: int


def refuses(*formats: str) -> Callable[[Recorded], Reply]:
    """A server that does not know these response formats and answers well otherwise."""

    def answer(request: Recorded) -> Reply:
        asked = request.body.get("response_format", {}).get("type")
        return Fail(400, f"response_format {asked} is not supported") if asked in formats else Say('{"amount": 42}')

    return answer


def formats(fake: FakeOpenAI) -> list[str | None]:
    return [chat.body.get("response_format", {}).get("type") for chat in fake.chats]


async def test_a_completion_is_asked_for_with_what_is_set(make_client: MakeClient, fake_openai: FakeOpenAI) -> None:
    client = make_client("auditor", auditor_model="big-model", auditor_temperature=0.2, max_output_tokens=99)
    fake_openai.script(Say(" It is 42.\n"))
    assert (await client.complete(ASK)).value == "It is 42."
    expected: dict[str, Any] = {
        "model": "big-model",
        "messages": ASK,
        "temperature": 0.2,
        "max_tokens": 99,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    assert fake_openai.chats[0].body == expected
    assert client.name == "big-model"


async def test_a_call_may_set_its_own_length(client: ModelClient, fake_openai: FakeOpenAI) -> None:
    await client.complete(ASK, max_tokens=7)
    assert fake_openai.chats[0].body["max_tokens"] == 7


@pytest.mark.parametrize("said", ["", "  \n", None, "<think>only thoughts</think>"])
async def test_an_empty_answer_is_no_answer(client: ModelClient, fake_openai: FakeOpenAI, said: str | None) -> None:
    fake_openai.script(Say(said))
    with pytest.raises(BadModelOutput, match="empty reply"):
        await client.complete(ASK)


async def test_structured_output_is_asked_for_strictly(client: ModelClient, fake_openai: FakeOpenAI) -> None:
    fake_openai.script(Say('{"amount": 42}'))
    reply = await client.structured(ASK, Amount)
    assert reply.value == Amount(amount=42)
    (chat,) = fake_openai.chats
    wanted = chat.body["response_format"]["json_schema"]
    assert wanted["name"] == "Amount"
    assert wanted["strict"] is True
    assert wanted["schema"]["required"] == ["amount"]
    assert chat.body["messages"] == ASK


@pytest.mark.parametrize(
    ("refused", "asked", "rung"),
    [
        ([], ["json_schema"], "json_schema"),
        (["json_schema"], ["json_schema", "json_object"], "json_object"),
        (["json_schema", "json_object"], ["json_schema", "json_object", None], "prompt"),
    ],
)
async def test_the_ladder_is_climbed_down_once(
    client: ModelClient, fake_openai: FakeOpenAI, refused: list[str], asked: list[str | None], rung: str
) -> None:
    fake_openai.answer_with(refuses(*refused))
    assert (await client.structured(ASK, Amount)).value.amount == 42
    assert formats(fake_openai) == asked
    assert client.rung == rung
    await client.structured(ASK, Amount)
    assert formats(fake_openai) == [*asked, asked[-1]]


async def test_on_the_lower_rungs_the_schema_is_in_the_prompt(client: ModelClient, fake_openai: FakeOpenAI) -> None:
    fake_openai.answer_with(refuses("json_schema"))
    await client.structured(ASK, Amount)
    first, second = fake_openai.chats
    assert "JSON" not in first.prompt
    assert "JSON" in second.prompt
    assert '"amount"' in second.body["messages"][-1]["content"]


async def test_what_one_client_learns_another_does_not_assume(make_client: MakeClient, fake_openai: FakeOpenAI) -> None:
    fake_openai.answer_with(refuses("json_schema"))
    first, second = make_client(), make_client(writer_model="other-model")
    await first.structured(ASK, Amount)
    assert (first.rung, second.rung) == ("json_object", "json_schema")


async def test_a_rejection_of_something_else_is_no_step_down(client: ModelClient, fake_openai: FakeOpenAI) -> None:
    fake_openai.script(Fail(400, "maximum context length is 8192 tokens"))
    with pytest.raises(ModelRejected, match="context length"):
        await client.structured(ASK, Amount)
    assert client.rung == "json_schema"


@pytest.mark.parametrize(
    "said",
    [
        '```json\n{"amount": 42}\n```',
        '<think>{"amount": 1}</think>{"amount": 42,}',
        'The amount, as asked: {"amount": "42", "mood": "good"} - anything else?',
    ],
)
async def test_json_is_found_in_what_was_said(client: ModelClient, fake_openai: FakeOpenAI, said: str) -> None:
    fake_openai.script(Say(said))
    reply = await client.structured(ASK, Amount)
    assert reply.value.amount == 42
    assert reply.usage.requests == 1


@pytest.mark.parametrize("bad", ["I think it is 42.", '{"amount": "many"}', '{"amount": 4', "", "[]"])
async def test_a_misfit_is_asked_for_again_with_what_was_wrong(
    client: ModelClient, fake_openai: FakeOpenAI, bad: str
) -> None:
    fake_openai.script(Say(bad, usage=(10, 1)), Say('{"amount": 42}', usage=(20, 2)))
    reply = await client.structured(ASK, Amount)
    assert reply.value.amount == 42
    assert (reply.usage.requests, reply.usage.input_tokens, reply.usage.output_tokens) == (2, 30, 3)
    *before, said, complaint = fake_openai.chats[1].body["messages"]
    assert before == ASK
    assert said == {"role": "assistant", "content": bad or "(nothing)"}
    assert "does not fit" in complaint["content"]
    assert '"required": ["amount"]' in complaint["content"]


async def test_the_second_asking_names_the_field(client: ModelClient, fake_openai: FakeOpenAI) -> None:
    fake_openai.script(Say('{"amount": "many"}'), Say('{"amount": 42}'))
    await client.structured(ASK, Amount)
    assert "amount: Input should be a valid integer" in fake_openai.chats[1].prompt


async def test_two_misfits_are_bad_output(client: ModelClient, fake_openai: FakeOpenAI) -> None:
    fake_openai.answer_with(lambda _: Say('{"amount": "many"}'))
    with pytest.raises(BadModelOutput, match="no usable Amount: amount: Input should be") as raised:
        await client.structured(ASK, Amount)
    assert len(fake_openai.chats) == 2
    assert raised.value.usage.requests == 2
    assert raised.value.usage.output_tokens == 40


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Say(None, refusal="I can't."), ModelRefused),
        (Say("", finish_reason="content_filter"), ModelRefused),
    ],
)
async def test_a_refusal_is_not_asked_for_again(
    client: ModelClient, fake_openai: FakeOpenAI, answer: Say, error: type[Exception]
) -> None:
    fake_openai.script(answer)
    with pytest.raises(error):
        await client.structured(ASK, Amount)
    assert len(fake_openai.chats) == 1


async def test_a_record_that_was_cut_off_is_asked_for_once_more_with_an_end_to_its_lists(
    client: ModelClient, fake_openai: FakeOpenAI
) -> None:
    fake_openai.script(Say('{"amount": 4', finish_reason="length"), Say('{"amount": 42}'))
    assert (await client.structured(ASK, Amount)).value.amount == 42
    first, second = (chat.body["response_format"]["json_schema"]["schema"] for chat in fake_openai.chats)
    assert first == strict_schema(Amount)
    assert second == strict_schema(Amount, bounded=True)


async def test_a_record_that_is_cut_off_twice_is_an_error(client: ModelClient, fake_openai: FakeOpenAI) -> None:
    cut = Say('{"amount": 4', finish_reason="length")
    fake_openai.script(cut, cut)
    with pytest.raises(ModelTruncated) as raised:
        await client.structured(ASK, Amount)
    assert raised.value.usage.requests == len(fake_openai.chats) == 2


async def test_both_askings_share_one_deadline(make_client: MakeClient, fake_openai: FakeOpenAI) -> None:
    """Each pause fits into the deadline, the two together do not."""
    fake_openai.script(Fail(503), Say("no json"), Fail(503), Say('{"amount": 42}'))
    client = make_client(backoff=lambda _: 0.5, model_deadline_seconds=0.9)
    with pytest.raises(ModelUnavailable):
        await client.structured(ASK, Amount)
    assert len(fake_openai.chats) < 4


async def test_the_same_schema_goes_over_the_wire_as_json(client: ModelClient, fake_openai: FakeOpenAI) -> None:
    fake_openai.answer_with(refuses("json_schema", "json_object"))
    await client.structured(ASK, Amount)
    printed = fake_openai.chats[2].body["messages"][-1]["content"].split("\n")[-1]
    assert json.loads(printed) == fake_openai.chats[0].body["response_format"]["json_schema"]["schema"]

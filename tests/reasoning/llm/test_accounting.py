import pytest

from masis.reasoning.llm.courier import usage_of
from masis.reasoning.llm.wire import Completion, Message
from masis.types import Usage
from tests.reasoning.llm.conftest import MakeClient
from tests.support.fake_openai import FakeOpenAI, Raw, Say

ASK: list[Message] = [{"role": "system", "content": "s" * 10}, {"role": "user", "content": "u" * 31}]


def test_the_providers_count_is_taken() -> None:
    usage = usage_of(Completion("ok", "stop", "", 1_000_000, 500_000), ASK, (2.5, 10.0))
    assert usage == Usage(0, 1_000_000, 500_000, 7.5)


def test_without_a_count_four_characters_are_a_token() -> None:
    usage = usage_of(Completion("12345", "stop", ""), ASK, (1.0, 1.0))
    assert (usage.input_tokens, usage.output_tokens) == (11, 2)


@pytest.mark.parametrize("streamed", [True, False])
async def test_a_server_without_usage_is_estimated(
    make_client: MakeClient, fake_openai: FakeOpenAI, streamed: bool
) -> None:
    fake_openai.script(Say("12345678", usage=None))
    reply = await make_client().complete(ASK, on_token=(lambda _: None) if streamed else None)
    assert reply.usage == Usage(1, 11, 2, 0.0)


async def test_usage_of_nonsense_is_estimated(make_client: MakeClient, fake_openai: FakeOpenAI) -> None:
    usage = '{"prompt_tokens": "x", "completion_tokens": -4}'
    fake_openai.script(Raw('{"choices": [{"message": {"content": "1234"}}], "usage": ' + usage + "}"))
    assert (await make_client().complete(ASK)).usage == Usage(1, 11, 1, 0.0)


async def test_the_role_decides_the_price(make_client: MakeClient, fake_openai: FakeOpenAI) -> None:
    fake_openai.answer_with(lambda _: Say(usage=(1000, 100)))
    own = make_client("judge", judge_price_input=3.0, judge_price_output=15.0)
    listed = make_client("auditor", auditor_model="gpt-4o")
    unknown = make_client("writer")
    costs = [(await client.complete(ASK)).usage.cost_usd for client in (own, listed, unknown)]
    assert costs == pytest.approx([0.0045, 0.0035, 0.0])

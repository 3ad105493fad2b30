from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from masis.errors import ModelTruncated
from masis.reasoning.llm.chat_model import ModelClient
from masis.reasoning.llm.wire import Message
from masis.reasoning.ports import Account, charged_to
from tests.support.fake_openai import FakeOpenAI, Say

MakeClient = Callable[..., ModelClient]
ASK: list[Message] = [{"role": "user", "content": "How much?"}]


@pytest.fixture
def cached(make_client: MakeClient, tmp_path: Path) -> Callable[..., ModelClient]:
    def make(**changes: Any) -> ModelClient:
        return make_client(**{"home": tmp_path, "model_cache": True} | changes)

    return make


async def said(client: ModelClient, workspace: str, words: str = "How much?") -> tuple[str, Account]:
    with charged_to(Account(workspace_id=workspace)) as account:
        reply = await client.complete([{"role": "user", "content": words}])
    return reply.value, account


async def test_the_same_words_are_sent_once(cached: Callable[..., ModelClient], fake_openai: FakeOpenAI) -> None:
    fake_openai.script(Say("42"), Say("43"))
    first, again = await said(cached(), "w"), await said(cached(), "w")
    assert (first[0], again[0]) == ("42", "42")
    assert (first[1].from_cache, again[1].from_cache) == (0, 1)
    assert len(fake_openai.chats) == 1


async def test_nothing_crosses_a_workspace_a_question_or_a_model(
    cached: Callable[..., ModelClient], fake_openai: FakeOpenAI
) -> None:
    fake_openai.script(Say("1"), Say("2"), Say("3"), Say("4"))
    answers = [
        await said(cached(), "w"),
        await said(cached(), "other"),
        await said(cached(), "w", "How many?"),
        await said(cached(writer_model="another"), "w"),
    ]
    assert [answer for answer, _ in answers] == ["1", "2", "3", "4"]


@pytest.mark.parametrize("off", [{"model_cache": False}, {"writer_temperature": 0.7}, {"writer_temperature": None}])
async def test_it_is_off_unless_it_is_on_and_the_model_not_left_to_chance(
    cached: Callable[..., ModelClient], fake_openai: FakeOpenAI, off: dict[str, Any]
) -> None:
    await said(cached(**off), "w")
    await said(cached(**off), "w")
    assert len(fake_openai.chats) == 2


async def test_a_cut_off_answer_is_not_kept(cached: Callable[..., ModelClient], fake_openai: FakeOpenAI) -> None:
    fake_openai.script(Say("4", finish_reason="length"), Say("42"))
    with pytest.raises(ModelTruncated):
        await said(cached(), "w")
    assert (await said(cached(), "w"))[0] == "42"


async def test_what_is_kept_costs_nothing_and_is_heard(
    cached: Callable[..., ModelClient], fake_openai: FakeOpenAI
) -> None:
    heard: list[str] = []
    fake_openai.script(Say("42"))
    await said(cached(writer_price_output=1.0), "w")
    with charged_to(Account(workspace_id="w")):
        reply = await cached(writer_price_output=1.0).complete(ASK, on_token=heard.append)
    assert (reply.value, heard, reply.usage.cost_usd, reply.usage.requests) == ("42", ["42"], 0.0, 0)


async def test_a_file_that_is_no_cache_does_no_harm(
    cached: Callable[..., ModelClient], fake_openai: FakeOpenAI, tmp_path: Path
) -> None:
    (tmp_path / "model_answers.db").write_text("not a database, and long enough to be taken for a broken one" * 20)
    assert (await said(cached(), "w"))[0] == "ok"

"""Streams and the shapes of answers, against a real server."""

import json
from collections.abc import Callable

import pytest
from pydantic import BaseModel

from masis.errors import ModelRefused, ModelRejected, ModelTruncated, ModelUnavailable
from masis.reasoning.llm.chat_model import ModelClient
from masis.reasoning.llm.wire import Message
from tests.support.fake_openai import CutStream, Fail, FakeOpenAI, Raw, Say

MakeClient = Callable[..., ModelClient]
ASK: list[Message] = [{"role": "user", "content": "How much?"}]


class Amount(BaseModel):
    amount: int


@pytest.fixture
def heard() -> list[str]:
    return []


async def test_every_answer_is_streamed_and_whole_where_the_server_cannot(
    client: ModelClient, fake_openai: FakeOpenAI
) -> None:
    fake_openai.script(Say("42"), Fail(400, "stream is not supported with response_format"), Say('{"amount": 42}'))
    await client.complete(ASK)
    assert (await client.structured(ASK, Amount)).value.amount == 42
    assert [chat.body.get("stream") for chat in fake_openai.chats] == [True, True, None]
    assert "response_format" in fake_openai.chats[2].body


async def test_a_listener_hears_the_answer_piece_by_piece(
    client: ModelClient, fake_openai: FakeOpenAI, heard: list[str]
) -> None:
    fake_openai.script(Say("Revenue was $199.6M [a-1].", usage=(31, 9)))
    reply = await client.complete(ASK, on_token=heard.append)
    assert reply.value == "".join(heard) == "Revenue was $199.6M [a-1]."
    assert len(heard) > 3
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (31, 9)


async def test_thinking_is_neither_heard_nor_returned(
    client: ModelClient, fake_openai: FakeOpenAI, heard: list[str]
) -> None:
    fake_openai.script(Say("<think>Hm, 42?</think>\nIt is 42."), Say("<think>Hm</think>It is 42."))
    streamed = await client.complete(ASK, on_token=heard.append)
    whole = await client.complete(ASK)
    assert streamed.value == whole.value == "".join(heard) == "It is 42."


async def test_plain_json_in_answer_to_a_streaming_request_is_read(
    client: ModelClient, fake_openai: FakeOpenAI, heard: list[str]
) -> None:
    fake_openai.script(Say("It is 42.", never_stream=True, usage=(5, 6)))
    reply = await client.complete(ASK, on_token=heard.append)
    assert reply.value == "It is 42."
    assert reply.usage.output_tokens == 6
    assert "".join(heard) == "It is 42."


@pytest.mark.parametrize("cut", [CutStream(), CutStream(politely=True), CutStream(in_mid_line=True, politely=True)])
async def test_a_stream_cut_in_the_middle_never_passes_for_an_answer(
    make_client: MakeClient, fake_openai: FakeOpenAI, cut: CutStream
) -> None:
    fake_openai.answer_with(lambda _: cut if len(fake_openai.chats) == 1 else Fail(503))
    client = make_client(model_deadline_seconds=0.3, backoff=lambda _: 0.1)
    with pytest.raises(ModelUnavailable):
        await client.complete(ASK, on_token=lambda _: None)


@pytest.mark.parametrize("politely", [True, False])
async def test_a_stream_that_only_lacks_its_goodbye_is_whole(
    client: ModelClient, fake_openai: FakeOpenAI, politely: bool
) -> None:
    fake_openai.script(CutStream("It is 42.", finish_reason="stop", politely=politely))
    reply = await client.complete(ASK, on_token=lambda _: None)
    assert reply.value == "It is 42."
    assert reply.usage.requests == 1


async def test_an_error_inside_a_stream_is_tried_again(client: ModelClient, fake_openai: FakeOpenAI) -> None:
    event = "data: " + json.dumps({"error": {"message": "overloaded", "code": None}}) + "\n\n"
    fake_openai.script(Raw(event, "text/event-stream"), Say("42"))
    assert (await client.complete(ASK, on_token=lambda _: None)).value == "42"


async def test_a_used_up_quota_inside_a_stream_is_not_tried_again(client: ModelClient, fake_openai: FakeOpenAI) -> None:
    event = "data: " + json.dumps({"error": {"message": "no", "code": "insufficient_quota"}}) + "\n\n"
    fake_openai.script(Raw(event, "text/event-stream"), Say("42"))
    with pytest.raises(ModelRejected, match="quota"):
        await client.complete(ASK, on_token=lambda _: None)


@pytest.mark.parametrize("on_token", [None, lambda _: None])
@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Say(None, refusal="I can't help with that."), ModelRefused),
        (Say("Half", finish_reason="content_filter"), ModelRefused),
        (Say("Half", finish_reason="length"), ModelTruncated),
    ],
)
async def test_refusals_and_truncations_are_told_apart(
    client: ModelClient,
    fake_openai: FakeOpenAI,
    answer: Say,
    error: type[Exception],
    on_token: Callable[[str], None] | None,
) -> None:
    fake_openai.script(answer)
    with pytest.raises(error) as raised:
        await client.complete(ASK, on_token=on_token)
    assert len(fake_openai.chats) == 1
    assert raised.value.usage.input_tokens == 100  # what was refused was paid for


async def test_an_answer_without_a_finish_reason_is_whole_when_its_body_is(
    client: ModelClient, fake_openai: FakeOpenAI
) -> None:
    fake_openai.script(Say("42", finish_reason=None, never_stream=True))
    assert (await client.complete(ASK)).value == "42"


@pytest.mark.parametrize("on_token", [None, lambda _: None])
async def test_a_body_cut_in_the_middle_is_fetched_again(
    client: ModelClient, fake_openai: FakeOpenAI, on_token: Callable[[str], None] | None
) -> None:
    fake_openai.script(Raw('{"choices": [{"mess', bytes_missing=100), Say("42"))
    assert (await client.complete(ASK, on_token=on_token)).value == "42"


async def test_content_in_parts_is_put_together(client: ModelClient, fake_openai: FakeOpenAI) -> None:
    parts = [{"type": "text", "text": "It is "}, {"type": "image"}, {"type": "text", "text": "42."}]
    body = {"choices": [{"message": {"content": parts}, "finish_reason": "stop"}]}
    fake_openai.script(Raw(json.dumps(body)))
    assert (await client.complete(ASK)).value == "It is 42."


async def test_a_listener_that_fails_is_not_mistaken_for_the_provider(
    client: ModelClient, fake_openai: FakeOpenAI
) -> None:
    def broken(_: str) -> None:
        raise RuntimeError("the screen is gone")

    fake_openai.script(Say("42"))
    with pytest.raises(RuntimeError, match="screen"):
        await client.complete(ASK, on_token=broken)
    assert len(fake_openai.chats) == 1

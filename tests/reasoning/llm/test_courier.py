"""Retries, deadlines, limits and dialects, against a real server."""

import asyncio
import socket
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from pydantic import BaseModel

from masis.errors import ModelError, ModelRefused, ModelRejected, ModelTruncated, ModelUnavailable
from masis.reasoning.llm import courier
from masis.reasoning.llm.chat_model import ModelClient
from masis.reasoning.llm.failures import full_jitter
from masis.reasoning.llm.limiter import RateLimiter
from masis.reasoning.llm.wire import Message
from masis.settings import Settings
from tests.support.fake_openai import CutStream, Drop, Fail, FakeOpenAI, Hang, Raw, Recorded, Reply, Say, Trickle

MakeClient = Callable[..., ModelClient]
ASK: list[Message] = [{"role": "user", "content": "How much?"}]


class Amount(BaseModel):
    amount: int


@pytest.mark.parametrize(
    "failure",
    [*(Fail(status) for status in (408, 409, 429, 500, 502, 503, 504, 529)), Drop()],
    ids=lambda failure: str(getattr(failure, "status", "dropped")),
)
async def test_what_may_pass_is_tried_again(client: ModelClient, fake_openai: FakeOpenAI, failure: Reply) -> None:
    fake_openai.script(failure, failure, Say("42"))
    reply = await client.complete(ASK)
    assert reply.value == "42"
    assert reply.usage.requests == len(fake_openai.chats) == 3


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 405, 413, 422])
async def test_what_cannot_pass_is_not_tried_again(client: ModelClient, fake_openai: FakeOpenAI, status: int) -> None:
    fake_openai.script(Fail(status, "The model `fake-model` is not for you"))
    with pytest.raises(ModelRejected, match=rf"\({status}\): The model `fake-model` is not for you") as raised:
        await client.complete(ASK)
    assert len(fake_openai.chats) == 1
    assert raised.value.usage.requests == 1


async def test_a_quota_that_is_used_up_is_not_waited_for(client: ModelClient, fake_openai: FakeOpenAI) -> None:
    fake_openai.script(Fail(429, "You exceeded your current quota", code="insufficient_quota"))
    with pytest.raises(ModelRejected, match="quota") as raised:
        await client.complete(ASK)
    assert "billing" in raised.value.advice
    assert len(fake_openai.chats) == 1


async def test_a_filter_on_the_question_is_a_refusal(client: ModelClient, fake_openai: FakeOpenAI) -> None:
    fake_openai.script(Fail(400, "The prompt was filtered", code="content_filter"))
    with pytest.raises(ModelRefused, match="filter"):
        await client.complete(ASK)


@pytest.mark.parametrize("body", ["", "upstream timed out", '{"detail": "busy"}', '"x"', "<html>502</html>", "null"])
async def test_error_bodies_of_any_shape_are_survived(client: ModelClient, fake_openai: FakeOpenAI, body: str) -> None:
    fake_openai.script(Raw(body, "text/plain", 502), Say("42"))
    assert (await client.complete(ASK)).value == "42"


async def test_an_error_that_comes_with_status_200_is_an_error(client: ModelClient, fake_openai: FakeOpenAI) -> None:
    fake_openai.script(
        Raw('{"error": {"code": 502, "message": "upstream is down"}}'),
        Raw('{"error": "something"}'),
        Say(finish_reason="error"),
        Raw('{"error": {"code": 401, "message": "no credits"}}'),
    )
    with pytest.raises(ModelRejected, match="no credits"):
        await client.complete(ASK)
    assert len(fake_openai.chats) == 4


@pytest.mark.parametrize(
    "answer", [Raw("<html>Welcome</html>", "text/html"), Raw('{"hello": "world"}'), Raw("[]"), Raw("{oops")]
)
@pytest.mark.parametrize("on_token", [None, print])
async def test_what_is_no_chat_endpoint_is_named_as_such(
    client: ModelClient, fake_openai: FakeOpenAI, answer: Raw, on_token: Callable[[str], None] | None
) -> None:
    fake_openai.script(answer)
    with pytest.raises(ModelRejected, match="not a chat endpoint") as raised:
        await client.complete(ASK, on_token=on_token)
    assert "MASIS_MODEL_BASE_URL" in raised.value.advice


async def test_back_off_grows_with_the_failures(make_client: MakeClient, fake_openai: FakeOpenAI) -> None:
    asked: list[int] = []

    def backoff(failures: int) -> float:
        asked.append(failures)
        return 0.0

    fake_openai.script(*[Fail(503)] * 3, Say())
    await make_client(backoff=backoff).complete(ASK)
    assert asked == [1, 2, 3]


MISBEHAVIOUR: dict[str, Reply] = {
    **{f"{status} always": Fail(status) for status in (408, 409, 429, 500, 502, 503, 504, 529)},
    "an HTML page with 503": Raw("<html>Service unavailable</html>", "text/html", 503),
    "an HTML page with 200": Raw("<html>Welcome</html>", "text/html"),
    "an empty 500": Raw("", "text/plain", 500),
    "an error with status 200": Raw('{"error": {"code": 502, "message": "upstream is down"}}'),
    "no completion": Raw('{"hello": "world"}'),
    "half a body": Raw('{"choices": [', bytes_missing=500),
    "dropped connections": Drop(),
    "streams that break": CutStream("Half an"),
    "streams that end politely": CutStream("Half an", politely=True),
    "streams that break in mid line": CutStream("Half", in_mid_line=True),
    "a hang": Hang(),
    "keep-alives without an answer": Trickle(),
    "white space instead of JSON": Trickle(" ", content_type="application/json"),
    "retry after 20 s, always": Fail(429, headers={"Retry-After": "20"}),
    "retry after 90 s": Fail(503, headers={"Retry-After": "90"}),
    "quota used up": Fail(429, "quota", code="insufficient_quota"),
    "no such model": Fail(404, "no such model"),
    "wrong key": Fail(401, "wrong key"),
}


@pytest.mark.parametrize("reply", MISBEHAVIOUR.values(), ids=MISBEHAVIOUR.keys())
async def test_a_provider_that_is_down_is_known_soon_with_what_to_do(
    make_client: MakeClient, fake_openai: FakeOpenAI, reply: Reply, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hundredth of the seconds that a call may take; waits between attempts are not slept but added."""
    real, waited = Settings(), []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(courier.asyncio, "sleep", sleep)
    fake_openai.answer_with(lambda _: reply)
    client = make_client(
        model_timeout_seconds=real.model_timeout_seconds / 100,
        model_deadline_seconds=real.model_deadline_seconds / 100,
        model_retry_after_cap_seconds=real.model_retry_after_cap_seconds / 100,
        backoff=lambda failures: full_jitter(failures) / 100,
    )
    async with asyncio.timeout(10):
        with pytest.raises(ModelError) as raised:
            await client.complete(ASK)
    assert len(fake_openai.chats) <= real.model_attempts
    assert sum(waited) + real.model_timeout_seconds / 100 < 0.45
    assert len(raised.value.advice) > 20


def test_a_call_ends_in_under_45_seconds_by_default() -> None:
    settings = Settings()
    assert settings.model_timeout_seconds <= 30
    assert settings.model_deadline_seconds < 45
    assert settings.model_attempts == 4


@pytest.mark.parametrize(
    "headers",
    [{"Retry-After": "0.2"}, {"Retry-After-Ms": "200"}, {"Retry-After": "0.2", "Retry-After-Ms": "x"}],
)
async def test_retry_after_is_honoured(client: ModelClient, fake_openai: FakeOpenAI, headers: dict[str, str]) -> None:
    fake_openai.script(Fail(429, headers=headers), Say())
    await client.complete(ASK)
    first, second = fake_openai.chats
    assert second.at - first.at >= 0.2


@pytest.mark.parametrize("as_date", [True, False])
async def test_a_wait_beyond_the_cap_is_given_up_at_once(
    make_client: MakeClient, fake_openai: FakeOpenAI, as_date: bool
) -> None:
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    fake_openai.script(Fail(429, headers={"Retry-After": then if as_date else "90"}), Say())
    client = make_client(model_deadline_seconds=600, model_retry_after_cap_seconds=30)
    async with asyncio.timeout(10):
        with pytest.raises(ModelUnavailable, match=r"asks to wait (89|90) seconds, longer than the 30"):
            await client.complete(ASK)
    assert len(fake_openai.chats) == 1


async def test_a_wait_beyond_the_deadline_is_not_begun(make_client: MakeClient, fake_openai: FakeOpenAI) -> None:
    fake_openai.script(Fail(503, "overloaded", headers={"Retry-After": "20"}), Say())
    async with asyncio.timeout(10):
        with pytest.raises(ModelUnavailable, match=r"within 5 seconds.*overloaded"):
            await make_client().complete(ASK)


async def test_the_deadline_ends_the_tries(make_client: MakeClient, fake_openai: FakeOpenAI) -> None:
    fake_openai.answer_with(lambda _: Fail(503, "overloaded"))
    client = make_client(backoff=lambda _: 0.3, model_deadline_seconds=1.0, model_attempts=9)
    with pytest.raises(ModelUnavailable, match=r"within 1 seconds.*overloaded") as raised:
        await client.complete(ASK)
    assert 2 <= raised.value.usage.requests == len(fake_openai.chats) <= 4


async def test_a_request_that_hangs_fails_the_call_and_is_not_tried_again(
    make_client: MakeClient, fake_openai: FakeOpenAI
) -> None:
    fake_openai.script(Hang())
    with pytest.raises(ModelUnavailable, match="did not respond in time") as raised:
        await make_client(model_timeout_seconds=0.2).complete(ASK)
    assert len(fake_openai.chats) == 1
    assert "MASIS_MODEL_TIMEOUT_SECONDS" in raised.value.advice


async def test_a_model_that_is_still_sending_is_not_cut_off(make_client: MakeClient, fake_openai: FakeOpenAI) -> None:
    fake_openai.script(Say("x" * 240, pause=0.02))
    client = make_client(model_timeout_seconds=1, model_deadline_seconds=1)
    started = time.monotonic()
    assert (await client.complete(ASK)).value == "x" * 240
    assert time.monotonic() - started > 1
    assert len(fake_openai.chats) == 1


async def test_bytes_without_a_word_are_no_answer(make_client: MakeClient, fake_openai: FakeOpenAI) -> None:
    fake_openai.script(Trickle(": still here\n\n", every=0.05))
    client = make_client(model_timeout_seconds=0.3, model_deadline_seconds=0.5)
    with pytest.raises(ModelUnavailable, match="did not respond in time"):
        await client.complete(ASK)


async def test_a_server_that_ignores_the_limit_of_tokens_is_left(client: ModelClient, fake_openai: FakeOpenAI) -> None:
    fake_openai.script(Say("word " * 4000))
    with pytest.raises(ModelTruncated):
        await client.complete(ASK, max_tokens=3)


async def test_a_deadline_shorter_than_the_time_out_decides(make_client: MakeClient, fake_openai: FakeOpenAI) -> None:
    fake_openai.script(Hang())
    client = make_client(model_timeout_seconds=60, model_deadline_seconds=0.2)
    async with asyncio.timeout(10):
        with pytest.raises(ModelUnavailable):
            await client.complete(ASK)


async def test_waiting_for_the_limiter_is_not_the_providers_time(
    make_client: MakeClient, fake_openai: FakeOpenAI
) -> None:
    limiter = RateLimiter(1, 0.6)
    await limiter.acquire()
    client = make_client(limiter=limiter, model_deadline_seconds=0.5)
    fake_openai.script(Fail(503), Say("42"))
    assert (await client.complete(ASK)).value == "42"  # waits twice for longer than its deadline


async def test_every_request_passes_the_limiter(make_client: MakeClient, fake_openai: FakeOpenAI) -> None:
    starts: list[float] = []

    class Counting(RateLimiter):
        async def acquire(self) -> None:
            await super().acquire()
            starts.append(time.monotonic())

    client = make_client(limiter=Counting(100, 1.0))
    fake_openai.script(Fail(503), Fail(400, "no response_format here"), Say("no json"), Say('{"amount": 42}'))
    reply = await client.structured(ASK, Amount)
    assert reply.usage.requests == len(starts) == len(fake_openai.chats) == 4


async def test_many_callers_at_once_keep_to_the_limit(make_client: MakeClient, fake_openai: FakeOpenAI) -> None:
    limiter = RateLimiter(4, 0.3)
    clients = [make_client(role, limiter=limiter) for role in ("writer", "auditor", "judge")]
    started = time.monotonic()
    await asyncio.gather(*(clients[number % 3].complete(ASK) for number in range(12)))
    arrivals = sorted(chat.at for chat in fake_openai.chats)
    assert len(arrivals) == 12
    assert arrivals[4] - started >= 0.3
    assert arrivals[8] - started >= 0.6


async def test_a_cancelled_call_stops_and_frees_its_place(make_client: MakeClient, fake_openai: FakeOpenAI) -> None:
    limiter = RateLimiter(1, 0.8)
    client = make_client(limiter=limiter)
    fake_openai.answer_with(lambda _: Say("42"))
    await client.complete(ASK)
    waiting = asyncio.create_task(client.complete(ASK))
    behind = asyncio.create_task(client.complete(ASK))
    await asyncio.sleep(0.05)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert (await behind).value == "42"
    assert len(fake_openai.chats) == 2


async def test_a_call_cancelled_in_flight_is_cancelled(client: ModelClient, fake_openai: FakeOpenAI) -> None:
    fake_openai.script(Hang())
    call = asyncio.create_task(client.complete(ASK))
    await asyncio.to_thread(fake_openai.wait_for_requests, 1)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert len(fake_openai.chats) == 1


async def test_a_model_that_wants_other_parameters_gets_them_and_is_remembered(
    make_client: MakeClient, fake_openai: FakeOpenAI
) -> None:
    def reasoning_model(request: Recorded) -> Reply:
        if "max_tokens" in request.body:
            return Fail(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        if "temperature" in request.body:
            return Fail(400, "Unsupported value: 'temperature' does not support 0.0", param="temperature")
        if "stream_options" in request.body:
            return Fail(422, "stream_options: extra fields not permitted")
        return Say("42")

    fake_openai.answer_with(reasoning_model)
    client = make_client()
    reply = await client.complete(ASK, max_tokens=77, on_token=lambda _: None)
    assert reply.value == "42"
    assert reply.usage.requests == 4
    assert fake_openai.chats[-1].body["max_completion_tokens"] == 77
    assert (await client.complete(ASK, on_token=lambda _: None)).usage.requests == 1


async def test_no_temperature_is_sent_where_none_is_set(make_client: MakeClient, fake_openai: FakeOpenAI) -> None:
    await make_client(writer_temperature=None).complete(ASK)
    await make_client(writer_temperature=0.3).complete(ASK)
    assert [chat.body.get("temperature") for chat in fake_openai.chats] == [None, 0.3]


async def test_a_stream_that_breaks_off_is_fetched_whole(client: ModelClient, fake_openai: FakeOpenAI) -> None:
    heard: list[str] = []
    fake_openai.script(CutStream("Half an"), Say("The whole answer"))
    reply = await client.complete(ASK, on_token=heard.append)
    assert reply.value == "The whole answer"
    assert "".join(heard) == "Half an"
    assert [chat.body.get("stream") for chat in fake_openai.chats] == [True, None]


async def test_a_stream_that_breaks_before_its_first_word_is_streamed_again(
    client: ModelClient, fake_openai: FakeOpenAI
) -> None:
    heard: list[str] = []
    fake_openai.script(Drop(), CutStream(""), Say("The whole answer"))
    await client.complete(ASK, on_token=heard.append)
    assert "".join(heard) == "The whole answer"


async def test_a_server_that_is_not_there_is_not_waited_for_until_the_deadline(make_client: MakeClient) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    client = make_client(model_base_url=f"http://127.0.0.1:{port}/v1", model_deadline_seconds=60.0)
    with pytest.raises(ModelUnavailable, match="could not be reached") as raised:
        await client.complete(ASK)
    assert raised.value.usage.requests == 4
    assert "MASIS_MODEL_BASE_URL" in raised.value.advice

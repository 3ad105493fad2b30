"""Many event loops, and secrets that stay secret."""

import asyncio
import gc
import subprocess
import sys
import threading
import traceback
import warnings

import pytest
from pydantic import SecretStr

from masis.errors import ModelError, ModelRejected, ModelUnavailable
from masis.reasoning.llm.chat_model import ModelClient
from masis.reasoning.llm.limiter import RateLimiter
from masis.reasoning.llm.wire import Message
from masis.settings import Settings
from tests.reasoning.llm.conftest import MakeClient
from tests.support.fake_openai import Fail, FakeOpenAI, Raw, Say

ASK: list[Message] = [{"role": "user", "content": "How much?"}]
KEY = "sk-very-secret-0123456789"


def test_one_client_serves_one_event_loop_after_another(
    make_client: MakeClient, fake_openai: FakeOpenAI, capfd: pytest.CaptureFixture[str]
) -> None:
    client = make_client()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            assert asyncio.run(client.complete(ASK)).value == "ok"
            assert asyncio.run(client.complete(ASK, on_token=lambda _: None)).value == "ok"
            gc.collect()  # an unclosed transport would complain now
    assert len(fake_openai.chats) == 6
    assert capfd.readouterr().err == ""


def test_one_client_serves_many_threads_at_once(make_client: MakeClient, fake_openai: FakeOpenAI) -> None:
    client = make_client()
    answers: list[str] = []

    def work() -> None:
        answers.append(asyncio.run(client.complete(ASK)).value)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == ["ok"] * 8
    assert len(fake_openai.chats) == 8


def test_a_loop_that_ends_in_the_middle_of_a_call_leaves_nothing_open(
    make_client: MakeClient, fake_openai: FakeOpenAI, capfd: pytest.CaptureFixture[str]
) -> None:
    fake_openai.script(Say("x" * 300, pause=0.05))

    async def leave() -> None:
        call = asyncio.create_task(make_client().complete(ASK, on_token=lambda _: heard.set()))
        heard = asyncio.Event()
        await heard.wait()
        assert not call.done()

    asyncio.run(leave())
    gc.collect()
    assert capfd.readouterr().err == ""


async def test_the_key_goes_to_the_server(make_client: MakeClient, fake_openai: FakeOpenAI) -> None:
    await make_client(openai_api_key=SecretStr(f" {KEY}\n")).complete(ASK)
    await make_client().complete(ASK)
    sent = [chat.headers["authorization"] for chat in fake_openai.chats]
    assert sent == [f"Bearer {KEY}", "Bearer not-needed"]


@pytest.mark.parametrize("status", [400, 401, 503])
async def test_a_provider_that_repeats_the_key_does_not_spread_it(
    make_client: MakeClient, fake_openai: FakeOpenAI, status: int
) -> None:
    fake_openai.answer_with(lambda _: Fail(status, f"Incorrect API key provided: {KEY}."))
    client = make_client(openai_api_key=SecretStr(KEY), model_deadline_seconds=2.0, backoff=lambda _: 3.0)
    with pytest.raises(ModelError, match="Incorrect API key provided: …") as raised:
        await client.complete(ASK)
    printed = "".join(traceback.format_exception(raised.value))
    assert KEY not in printed + repr(raised.value) + raised.value.advice


async def test_nor_does_a_password_in_the_address_spread(fake_openai: FakeOpenAI) -> None:
    address = fake_openai.base_url.replace("//", "//user:pass-word@")
    fake_openai.script(Raw('{"error": {"message": "no access for user:pass-word"}}', status=403))
    client = ModelClient(Settings(model_base_url=address, writer_model="m"), "writer", RateLimiter(9, 1))
    with pytest.raises(ModelRejected, match="no access for user:…"):
        await client.complete(ASK)


async def test_long_words_of_a_provider_are_cut(make_client: MakeClient, fake_openai: FakeOpenAI) -> None:
    fake_openai.script(Raw("<html>\n" + "blah " * 5000, "text/html", 403))
    with pytest.raises(ModelRejected) as raised:
        await make_client().complete(ASK)
    assert len(str(raised.value)) < 400
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("address", ["localhost:8000/v1", "ftp://host/v1", "http://", "v1"])
async def test_what_is_no_address_is_said_at_once(make_client: MakeClient, address: str) -> None:
    with pytest.raises(ModelRejected, match="not a valid address"):
        await make_client(model_base_url=address).complete(ASK)


@pytest.mark.parametrize("key", ["sk-…", "sk-a\nb"])
async def test_what_is_no_key_is_said_at_once(make_client: MakeClient, key: str) -> None:
    with pytest.raises(ModelRejected, match="invalid characters") as raised:
        await make_client(openai_api_key=SecretStr(key)).complete(ASK)
    assert key not in str(raised.value)


async def test_the_sdks_own_address_is_used_where_masis_has_none(
    fake_openai: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", fake_openai.base_url)
    client = ModelClient(Settings(openai_api_key=SecretStr(KEY)), "writer", RateLimiter(9, 1))
    assert (await client.complete(ASK)).value == "ok"
    assert fake_openai.chats[0].body["model"] == "gpt-4o-mini"


async def test_without_key_and_address_there_is_nothing_to_call() -> None:
    client = ModelClient(Settings(writer_model="m"), "writer", RateLimiter(9, 1))
    with pytest.raises(ModelRejected, match="Neither OPENAI_API_KEY nor MASIS_MODEL_BASE_URL"):
        await client.complete(ASK)


async def test_nobody_listening_is_unavailable(make_client: MakeClient, fake_openai: FakeOpenAI) -> None:
    client = make_client(model_deadline_seconds=2.0, backoff=lambda _: 3.0)
    fake_openai.close()
    with pytest.raises(ModelUnavailable, match=r"could not be reached \(ConnectError\)"):
        await client.complete(ASK)


def test_importing_loads_no_sdk() -> None:
    code = (
        "import sys, masis.reasoning.llm.engine, masis.reasoning.llm.fitness;"
        "print([name for name in ('openai', 'httpx2', 'numpy') if name in sys.modules])"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "[]"

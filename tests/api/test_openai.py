"""The endpoint as OpenAI's own client sees it."""

import time
from collections.abc import Iterator
from pathlib import Path

import openai
import pytest

from masis.client import Masis
from masis.settings import Settings
from tests.api.live import ANSWERED, DISPUTED, Live, serving


@pytest.fixture
def speaker(live: Live) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{live.address}/v1", api_key="none needed", max_retries=0) as client:
        yield client


def ask(question: str) -> dict[str, object]:
    return {"model": "acme", "messages": [{"role": "user", "content": question}]}


def test_a_workspace_is_a_model(speaker: openai.OpenAI) -> None:
    assert [model.id for model in speaker.models.list()] == ["acme"]
    assert speaker.models.retrieve("acme").owned_by == "masis"
    with pytest.raises(openai.NotFoundError) as error:
        speaker.models.retrieve("nowhere")
    assert error.value.code == "unknown_workspace"


def test_an_answer_cites_in_the_text_and_in_the_extension(speaker: openai.OpenAI) -> None:
    completion = speaker.chat.completions.create(**ask(ANSWERED))
    [choice] = completion.choices
    assert choice.finish_reason == "stop"
    text = choice.message.content or ""
    assert "expired TLS certificate" in text
    assert "[1]" in text
    assert text.endswith("Sources\n[1] post-mortem.md, page 1")
    told = completion.model_extra["masis"]
    assert (told["outcome"], told["status"]) == ("answered", "success")
    assert told["citations"][0]["number"] == 1
    assert "expired TLS certificate" in told["citations"][0]["quote"]
    assert told["claims"][0]["verdict"] == "verbatim"
    assert completion.usage.total_tokens == completion.usage.prompt_tokens + completion.usage.completion_tokens


def test_a_stream_says_the_same_in_pieces(speaker: openai.OpenAI) -> None:
    whole = speaker.chat.completions.create(**ask(ANSWERED)).choices[0].message.content
    chunks = list(speaker.chat.completions.create(**ask(ANSWERED), stream=True, stream_options={"include_usage": True}))
    spoken = [chunk.choices[0] for chunk in chunks if chunk.choices]
    assert spoken[0].delta.role == "assistant"
    assert "".join(choice.delta.content or "" for choice in spoken) == whole
    assert [choice.finish_reason for choice in spoken if choice.finish_reason] == ["stop"]
    assert chunks[-2].model_extra["masis"]["outcome"] == "answered"
    assert chunks[-1].choices == []
    assert chunks[-1].usage.total_tokens >= 0
    assert len({chunk.id for chunk in chunks}) == 1


def test_a_question_to_a_person_is_spoken(speaker: openai.OpenAI) -> None:
    completion = speaker.chat.completions.create(**ask(DISPUTED))
    told = completion.model_extra["masis"]
    assert told["status"] == "needs_clarification"
    assert told["conflicts"]
    assert completion.choices[0].message.content.endswith(told["clarification_question"])
    assert completion.choices[0].finish_reason == "stop"


def test_the_earlier_messages_are_the_thread_that_a_question_is_completed_from(speaker: openai.OpenAI) -> None:
    messages = [
        {"role": "system", "content": "Speak like a pirate."},
        {"role": "user", "content": DISPUTED},
        {"role": "assistant", "content": "7.4%."},
        {"role": "user", "content": [{"type": "text", "text": ANSWERED}]},
    ]
    completion = speaker.chat.completions.create(model="acme", messages=messages, temperature=0.3)
    assert "expired TLS certificate" in (completion.choices[0].message.content or "")
    messages = [
        {"role": "user", "content": "What was the root cause of the gateway outage in 2025?"},
        {"role": "assistant", "content": "An expired TLS certificate."},
        {"role": "user", "content": "And the year before?"},
    ]
    completion = speaker.chat.completions.create(model="acme", messages=messages)
    assert completion.model_extra["masis"]["question"] == "What was the root cause of the gateway outage in 2024?"
    messages += [
        {"role": "assistant", "content": "Nothing failed."},
        {"role": "user", "content": "And the year before?"},
    ]
    completion = speaker.chat.completions.create(model="acme", messages=messages)
    assert completion.model_extra["masis"]["question"] == "What was the root cause of the gateway outage in 2023?"


@pytest.mark.parametrize("messages", [[], [{"role": "system", "content": "x"}], [{"role": "user", "content": " "}]])
def test_no_question_is_an_error_in_openais_shape(speaker: openai.OpenAI, messages: list[dict[str, str]]) -> None:
    with pytest.raises(openai.UnprocessableEntityError) as error:
        speaker.chat.completions.create(model="acme", messages=messages)
    assert error.value.code == "invalid_input"
    assert error.value.type == "invalid_request_error"


@pytest.mark.parametrize("stream", [False, True])
def test_an_unknown_workspace_is_an_error_before_anything_is_streamed(speaker: openai.OpenAI, stream: bool) -> None:
    with pytest.raises(openai.NotFoundError):
        speaker.chat.completions.create(model="nowhere", messages=[{"role": "user", "content": "hi"}], stream=stream)


@pytest.mark.parametrize("stream", [False, True])
def test_the_same_request_under_a_key_is_asked_once(live: Live, stream: bool) -> None:
    asked, key = {**ask(ANSWERED), "stream": stream}, {"Idempotency-Key": f"chat-{stream}"}
    with live.client() as client:
        first, again = (client.post("/v1/chat/completions", json=asked, headers=key) for _ in range(2))
        other = client.post("/v1/chat/completions", json={**asked, "user": "me"}, headers=key)
    assert first.headers["x-run-id"] == again.headers["x-run-id"]
    assert first.content == again.content
    assert first.headers["content-type"] == again.headers["content-type"]
    assert (first.headers.get("idempotent-replayed"), again.headers["idempotent-replayed"]) == (None, "true")
    assert (other.status_code, other.json()["error"]["code"]) == (422, "invalid_input")


def test_a_stream_under_a_key_is_kept_though_its_reader_goes(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    asked, key = {**ask("Hello?"), "stream": True}, {"Idempotency-Key": "broken-off"}
    with serving(settings, with_worker=False) as service, service.client() as client:
        client.post("/masis/workspaces", json={"name": "acme"}).raise_for_status()
        with client.stream("POST", "/v1/chat/completions", json=asked, headers=key) as stream:
            run = stream.headers["x-run-id"]
            next(stream.iter_lines())
        time.sleep(0.3)
        waits = client.post("/v1/chat/completions", json=asked, headers=key)
        assert (waits.status_code, waits.json()["error"]["code"]) == (409, "conflict")
        Masis(settings).resume(run)
        deadline = time.monotonic() + 20
        while (again := client.post("/v1/chat/completions", json=asked, headers=key)).status_code == 409:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert again.headers["x-run-id"] == run
        assert again.text.endswith("data: [DONE]\n\n")
        assert len(client.get("/masis/workspaces/acme/runs").json()["items"]) == 1


def test_a_stream_that_failed_may_be_asked_for_again(tmp_path: Path) -> None:
    asked, key = {**ask("Hello?"), "stream": True}, {"Idempotency-Key": "cancelled"}
    with serving(Settings(home=tmp_path), with_worker=False) as service, service.client() as client:
        client.post("/masis/workspaces", json={"name": "acme"}).raise_for_status()
        runs = set()
        for _ in range(2):
            with client.stream("POST", "/v1/chat/completions", json=asked, headers=key) as stream:
                run = stream.headers["x-run-id"]
                client.post(f"/masis/workspaces/acme/runs/{run}/cancel").raise_for_status()
                assert "cancelled" in stream.read().decode()
            runs.add(run)
    assert len(runs) == 2

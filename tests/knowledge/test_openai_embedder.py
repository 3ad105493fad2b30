import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from masis.errors import BadModelOutput, ModelRejected, ModelUnavailable
from masis.knowledge import openai_embedder
from masis.knowledge.openai_embedder import OpenAIEmbedder
from masis.settings import Settings
from tests.support.fake_openai import Drop, Fail, FakeOpenAI, Hang, Raw, Reply, Say


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_embedder, "_FIRST_WAIT_SECONDS", 0.001)


@pytest.fixture
def embedder(fake_openai: FakeOpenAI) -> Iterator[OpenAIEmbedder]:
    embedder = make(fake_openai)
    yield embedder
    embedder.close()


def make(fake: FakeOpenAI, **more: Any) -> OpenAIEmbedder:
    given = {"embedding_model": "embed-1", "embedding_base_url": fake.base_url, "openai_api_key": "sk-secret"}
    return OpenAIEmbedder(Settings(**{**given, **more}))


def replies(fake: FakeOpenAI, *script: Reply) -> None:
    """The fake scripts chats; embeddings are answered one after the other the same way."""
    left = list(script)
    fake.answer_with(lambda _: left.pop(0) if left else Say())


async def test_one_vector_a_text_in_order_and_normalised(embedder: OpenAIEmbedder) -> None:
    assert embedder.dimension is None
    vectors = await embedder.embed_passages(["one", "two", "three"])
    assert embedder.dimension == len(vectors[0]) == 8
    assert [await embedder.embed_query(text) for text in ("one", "two", "three")] == vectors
    assert all(sum(value * value for value in vector) == pytest.approx(1.0) for vector in vectors)
    assert embedder.name == "embed-1"


async def test_what_is_sent(fake_openai: FakeOpenAI, embedder: OpenAIEmbedder) -> None:
    await embedder.embed_passages(["one"])
    [request] = fake_openai.requests
    assert request.path == "/v1/embeddings"
    assert request.body == {"input": ["one"], "model": "embed-1", "encoding_format": "float"}
    assert request.headers["authorization"] == "Bearer sk-secret"


async def test_many_texts_go_in_batches(fake_openai: FakeOpenAI) -> None:
    embedder = make(fake_openai, embedding_batch=4)
    vectors = await embedder.embed_passages([f"text {number}" for number in range(10)])
    embedder.close()
    assert [len(request.body["input"]) for request in fake_openai.requests] == [4, 4, 2]
    assert len(vectors) == 10
    assert await embedder.embed_passages([]) == []


async def test_rows_out_of_order_are_put_right(fake_openai: FakeOpenAI, embedder: OpenAIEmbedder) -> None:
    rows = [{"index": 1, "embedding": [0, 2]}, {"index": 0, "embedding": [3, 0]}]
    replies(fake_openai, Raw(json.dumps({"object": "list", "data": rows, "model": "m"})))
    assert await embedder.embed_passages(["a", "b"]) == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize("failure", [Fail(429), Fail(500), Fail(503), Fail(408), Drop()])
async def test_passing_trouble_is_waited_out(fake_openai: FakeOpenAI, embedder: OpenAIEmbedder, failure: Reply) -> None:
    replies(fake_openai, failure, failure)
    assert len(await embedder.embed_query("x")) == 8
    assert len(fake_openai.requests) == 3


async def test_lasting_trouble_is_named(fake_openai: FakeOpenAI, embedder: OpenAIEmbedder) -> None:
    fake_openai.answer_with(lambda _: Fail(503))
    with pytest.raises(ModelUnavailable, match=r"embed-1 answered with status 503"):
        await embedder.embed_query("x")
    assert len(fake_openai.requests) == 4


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_a_refusal_is_not_repeated(fake_openai: FakeOpenAI, embedder: OpenAIEmbedder, status: int) -> None:
    fake_openai.answer_with(lambda _: Fail(status))
    with pytest.raises(ModelRejected, match=f"status {status}") as error:
        await embedder.embed_query("x")
    assert len(fake_openai.requests) == 1
    assert "MASIS_EMBEDDING_MODEL" in error.value.advice
    assert "sk-secret" not in f"{error.value}{error.value.advice}{error.value.__cause__}"


async def test_a_spent_quota_is_not_waited_for(fake_openai: FakeOpenAI, embedder: OpenAIEmbedder) -> None:
    fake_openai.answer_with(lambda _: Fail(429, code="insufficient_quota"))
    with pytest.raises(ModelRejected, match="quota"):
        await embedder.embed_query("x")
    assert len(fake_openai.requests) == 1


async def test_a_short_retry_after_is_honoured_and_a_long_one_ends_it(fake_openai: FakeOpenAI) -> None:
    embedder = make(fake_openai, model_retry_after_cap_seconds=1)
    replies(
        fake_openai,
        Fail(429, headers={"retry-after": "0.01"}),
        Fail(429, headers={"retry-after": "nonsense"}),
    )
    assert await embedder.embed_query("x")
    replies(fake_openai, Fail(429, headers={"retry-after": "90"}))
    with pytest.raises(ModelUnavailable):
        await embedder.embed_query("x")
    embedder.close()
    assert len(fake_openai.requests) == 4


async def test_silence_ends_at_the_time_out(fake_openai: FakeOpenAI) -> None:
    embedder = make(fake_openai, model_timeout_seconds=0.05, model_deadline_seconds=0.1)
    fake_openai.answer_with(lambda _: Hang(5))
    with pytest.raises(ModelUnavailable, match="did not answer in time"):
        await embedder.embed_query("x")
    embedder.close()


async def test_nobody_there() -> None:
    settings = Settings(embedding_model="m", embedding_base_url="http://127.0.0.1:9/v1")
    embedder = OpenAIEmbedder(settings)
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        await embedder.embed_query("x")
    embedder.close()


@pytest.mark.parametrize(
    "body",
    [
        '{"object": "list", "data": [], "model": "m"}',
        '{"object": "list", "data": null, "model": "m"}',
        '{"object": "list", "data": [{"index": 0, "embedding": []}], "model": "m"}',
        '{"object": "list", "data": [{"index": 0, "embedding": ["a"]}], "model": "m"}',
        '{"object": "list", "data": [{"index": 0, "embedding": [NaN]}], "model": "m"}',
        '{"object": "list", "data": [{"index": 0, "embedding": null}], "model": "m"}',
        '{"object": "list", "data": [{"embedding": [1]}, {"embedding": [1]}], "model": "m"}',
        '{"answer": "hello"}',
        '"hello"',
        "[]",
    ],
)
async def test_an_answer_that_is_no_vector(fake_openai: FakeOpenAI, embedder: OpenAIEmbedder, body: str) -> None:
    fake_openai.answer_with(lambda _: Raw(body))
    with pytest.raises(BadModelOutput, match="one vector for each text"):
        await embedder.embed_query("x")


async def test_an_answer_that_is_not_json(fake_openai: FakeOpenAI, embedder: OpenAIEmbedder) -> None:
    fake_openai.answer_with(lambda _: Raw("<html>proxy</html>", content_type="text/html"))
    with pytest.raises(BadModelOutput):
        await embedder.embed_query("x")


async def test_the_chat_endpoint_serves_where_no_other_is_named(fake_openai: FakeOpenAI) -> None:
    embedder = make(fake_openai, embedding_base_url=None, model_base_url=fake_openai.base_url, openai_api_key=None)
    await embedder.embed_query("x")
    embedder.close()
    assert fake_openai.requests[0].headers["authorization"] == "Bearer not-needed"


def test_from_one_event_loop_after_another(embedder: OpenAIEmbedder) -> None:
    first = asyncio.run(embedder.embed_query("x"))

    async def together() -> list[list[float]]:
        return list(await asyncio.gather(*(embedder.embed_query("x") for _ in range(5))))

    assert asyncio.run(together()) == [first] * 5

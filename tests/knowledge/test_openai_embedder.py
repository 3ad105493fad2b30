import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from masis.errors import BadModelOutput, ModelRejected, ModelUnavailable
from masis.knowledge.embedding import openai_embedder
from masis.knowledge.embedding.openai_embedder import OpenAIEmbedder
from masis.settings import Settings
from tests.support.fake_openai import Drop, Fail, FakeOpenAI, Hang, Raw, Recorded, Reply, Say


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
    assert sorted(len(request.body["input"]) for request in fake_openai.requests) == [2, 4, 4]
    assert vectors == [await embedder.embed_query(f"text {number}") for number in range(10)]
    assert await embedder.embed_passages([]) == []
    embedder.close()


async def test_no_more_than_a_few_requests_at_once(fake_openai: FakeOpenAI) -> None:
    embedder = make(fake_openai, embedding_batch=1)
    gate, under_way, most = threading.Event(), 0, 0
    lock = threading.Lock()

    def answer(_: Recorded) -> Reply:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        gate.wait(0.05 if most < 4 else 0)
        with lock:
            under_way -= 1
        return Say()

    fake_openai.answer_with(answer)
    await embedder.embed_passages([f"text {number}" for number in range(12)])
    embedder.close()
    assert 1 < most <= 4


async def test_a_question_does_not_wait_behind_passages(fake_openai: FakeOpenAI) -> None:
    embedder = make(fake_openai, embedding_batch=1)
    answered = threading.Event()

    def answer(request: Recorded) -> Reply:
        if request.body["input"] != ["question"]:
            answered.wait(10)
        return Say()

    fake_openai.answer_with(answer)
    bulk = asyncio.create_task(embedder.embed_passages([f"text {number}" for number in range(40)]))
    await asyncio.to_thread(fake_openai.wait_for_requests, 4)
    assert len(await embedder.embed_query("question")) == 8
    assert not bulk.done()
    answered.set()
    assert len(await bulk) == 40
    embedder.close()


async def test_the_dimension_is_asked_for_once(fake_openai: FakeOpenAI, embedder: OpenAIEmbedder) -> None:
    assert await embedder.ready() == await embedder.ready() == 8
    assert len(fake_openai.requests) == 1


def too_long_over(limit: int, message: str, status: int = 400) -> Callable[[Recorded], Reply]:
    """A server that refuses a request in which a text has more characters than the limit."""

    def answer(request: Recorded) -> Reply:
        is_too_long = any(len(text) > limit for text in request.body["input"])
        return Fail(status, message=message) if is_too_long else Say()

    return answer


COMPLAINTS = [
    "This model's maximum context length is 8192 tokens, however you requested 9000 tokens",
    "Requested 310000 tokens, max 300000 tokens per request",
    "the input length exceeds the context length",
    "input is too large to process. increase the physical batch size",
    "`inputs` must have less than 512 tokens. Given: 1024",
]


@pytest.mark.parametrize("message", COMPLAINTS)
async def test_one_text_too_long_is_found_and_halved(
    fake_openai: FakeOpenAI, embedder: OpenAIEmbedder, message: str
) -> None:
    fake_openai.answer_with(too_long_over(50, message))
    texts = ["one", "two", "x" * 80, "four", "five"]
    vectors = await embedder.embed_passages(texts)
    expected = [*texts[:2], "x" * 40, *texts[3:]]
    assert vectors == [await embedder.embed_query(text) for text in expected]


async def test_a_text_that_is_too_long_even_halved_is_refused(
    fake_openai: FakeOpenAI, embedder: OpenAIEmbedder
) -> None:
    fake_openai.answer_with(too_long_over(10, "", status=413))
    with pytest.raises(ModelRejected, match="too long") as error:
        await embedder.embed_passages(["x" * 80])
    assert "MASIS_CHUNK_CHARS" in error.value.advice
    assert len(fake_openai.requests) == 2


async def test_another_dimension_later_is_refused(fake_openai: FakeOpenAI, embedder: OpenAIEmbedder) -> None:
    await embedder.ready()
    row = {"index": 0, "embedding": [1.0] * 3}
    fake_openai.answer_with(lambda _: Raw(json.dumps({"object": "list", "data": [row], "model": "m"})))
    with pytest.raises(BadModelOutput, match=r"3 dimensions .* after 8") as error:
        await embedder.embed_query("x")
    assert "masis reindex" in error.value.advice
    assert embedder.dimension == 8


async def test_rows_that_nobody_numbered_are_in_order(fake_openai: FakeOpenAI, embedder: OpenAIEmbedder) -> None:
    rows = [{"index": 0, "embedding": [3, 0]}, {"index": 0, "embedding": [0, 2]}]
    replies(fake_openai, Raw(json.dumps({"object": "list", "data": rows, "model": "m"})))
    assert await embedder.embed_passages(["a", "b"]) == [[1.0, 0.0], [0.0, 1.0]]


async def test_rows_numbered_twice_are_refused(fake_openai: FakeOpenAI, embedder: OpenAIEmbedder) -> None:
    rows = [{"index": number, "embedding": [1, number]} for number in (0, 2, 2)]
    fake_openai.answer_with(lambda _: Raw(json.dumps({"object": "list", "data": rows, "model": "m"})))
    with pytest.raises(BadModelOutput, match="one vector for each text"):
        await embedder.embed_passages(["a", "b", "c"])


async def test_one_failure_is_raised_as_it_is(fake_openai: FakeOpenAI) -> None:
    embedder = make(fake_openai, embedding_batch=1)
    fake_openai.answer_with(lambda request: Fail(401) if request.body["input"] == ["3"] else Say())
    with pytest.raises(ModelRejected, match="status 401"):
        await embedder.embed_passages([str(number) for number in range(12)])
    embedder.close()


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
    with pytest.raises(ModelUnavailable, match="did not respond in time"):
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
        '{"object": "list", "data": [{"index": 0, "embedding": [0.0, 0.0]}], "model": "m"}',
        '{"object": "list", "data": [{"index": 0, "embedding": null}], "model": "m"}',
        '{"object": "list", "data": [{"embedding": [1]}, {"embedding": [1]}], "model": "m"}',
        '{"answer": "hello"}',
        '"hello"',
        "[]",
        '{"object": "list", "data": [{"ind',
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

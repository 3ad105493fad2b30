"""Embeddings from OpenAI or any endpoint that speaks its protocol."""

import asyncio
import math
import random
import re
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from masis.errors import BadModelOutput, ModelRejected, ModelUnavailable
from masis.knowledge.embedding.port import Vector, batches, cut
from masis.settings import Settings

if TYPE_CHECKING:
    from openai import APIError, APIStatusError, OpenAI


ADVICE = "Check MASIS_EMBEDDING_MODEL, MASIS_EMBEDDING_BASE_URL and OPENAI_API_KEY with `masis doctor`."

_LENGTH_COMPLAINT = re.compile(
    r"\btokens\b|\btoken limit|\btoo (long|large|big)\b|\blength\b|\bbatch size\b", re.IGNORECASE
)
"""OpenAI, vLLM, llama.cpp, Ollama and text-embeddings-inference each word it differently."""


class TryAgain(Exception):
    def __init__(self, error: ModelUnavailable, retry_after: float | None) -> None:
        super().__init__(str(error))
        self.error = error
        self.retry_after = retry_after


class TooLong(Exception):
    """The endpoint refuses that much text at once."""

    def __init__(self, error: ModelRejected) -> None:
        super().__init__(str(error))
        self.error = error


def vectors_of(response: Any, expected: int, model: str) -> list[Vector]:
    try:
        rows = _in_order(list(response.data or []))
        vectors = [_normalised(row.embedding) for row in rows]
    except (TypeError, ValueError, AttributeError) as error:
        raise bad_output(model, "what came is not numbers") from error
    if len(vectors) != expected:
        raise bad_output(model, f"{expected} were sent, {len(vectors)} came back")
    return vectors


def bad_output(model: str, why: str) -> BadModelOutput:
    return BadModelOutput(
        f"The embedding endpoint did not return one vector for each text sent to {model}: {why}.", advice=ADVICE
    )


def other_dimension(model: str, first: int | None, now: int) -> BadModelOutput:
    return BadModelOutput(
        f"The embedding endpoint answered with {now} dimensions for {model}, after {first} before.",
        advice="The model behind MASIS_EMBEDDING_MODEL has changed or is served by several: pin one, then run "
        "`masis reindex`.",
    )


def translated(error: "APIError", model: str) -> Exception:
    from openai import APIStatusError, APITimeoutError

    if isinstance(error, APIStatusError):
        return _by_status(error, model)
    what = "did not respond in time" if isinstance(error, APITimeoutError) else "cannot be reached"
    return TryAgain(ModelUnavailable(f"The embedding model {model} {what}.", advice=ADVICE), None)


def _by_status(error: "APIStatusError", model: str) -> Exception:
    status = error.status_code
    if error.code == "insufficient_quota":
        return ModelRejected(f"The embedding provider says the quota for {model} is used up.", advice=ADVICE)
    if status in (408, 409, 429) or status >= 500:
        unavailable = ModelUnavailable(f"The embedding model {model} answered with status {status}.")
        return TryAgain(unavailable, _retry_after(error.response.headers.get("retry-after")))
    refused = f"The embedding endpoint refused the request for {model} (status {status})"
    if status == 413 or (status in (400, 422) and _LENGTH_COMPLAINT.search(error.message)):
        advice = "Choose a model that reads longer texts, or lower MASIS_CHUNK_CHARS and run `masis reindex`."
        return TooLong(ModelRejected(f"{refused}: the text is too long for it.", advice=advice))
    return ModelRejected(f"{refused}.", advice=ADVICE)


def _retry_after(header: str | None) -> float | None:
    try:
        return max(0.0, float(header)) if header else None
    except ValueError:
        return None


def _in_order(rows: list[Any]) -> list[Any]:
    """Sorts rows by index. Servers that number nothing, or everything 0, answer in order."""
    numbers = [row.index for row in rows]
    if len(set(numbers)) <= 1:
        return rows
    if sorted(numbers) != list(range(len(rows))):
        raise ValueError("rows are numbered twice or not at all")
    return sorted(rows, key=lambda row: int(row.index))


def _normalised(values: list[float]) -> Vector:
    length = math.sqrt(math.fsum(value * value for value in values))
    if not math.isfinite(length) or length == 0.0:
        raise ValueError("not a direction")
    return [value / length for value in values]


_ATTEMPTS = 4
_FIRST_WAIT_SECONDS = 0.5
_REQUESTS_AT_ONCE = 4
"""Enough to hide the latency, and few enough not to hit the provider's limits."""


class _SharedClient:
    """The last request closes the client: a connection opened while the client closes would stay open."""

    def __init__(self, client: "OpenAI") -> None:
        self._client = client
        self._lock = threading.Lock()
        self._users = 0
        self._is_over = False

    @contextmanager
    def in_use(self) -> "Iterator[OpenAI]":
        with self._lock:
            self._users += 1
        try:
            yield self._client
        finally:
            with self._lock:
                self._users -= 1
            self._close_if_unused()

    def close(self) -> None:
        self._is_over = True
        self._close_if_unused()

    def _close_if_unused(self) -> None:
        with self._lock:
            is_unused = self._is_over and not self._users
        if is_unused:
            self._client.close()


class OpenAIEmbedder:
    """Uses the SDK's blocking client in threads, so that one client serves any event loop."""

    def __init__(self, settings: Settings) -> None:
        if not settings.embedding_model:
            raise ValueError("settings.embedding_model is not set")
        self._settings = settings
        self._model = settings.embedding_model
        self._dimension: int | None = None
        self._lock = threading.Lock()
        self._client: _SharedClient | None = None
        self._pool: ThreadPoolExecutor | None = None

    @property
    def name(self) -> str:
        return self._model

    @property
    def dimension(self) -> int | None:
        return self._dimension

    async def ready(self) -> int:
        return self._dimension or len(await self.embed_query("ready"))

    async def embed_passages(self, texts: list[str]) -> list[Vector]:
        requests = batches([cut(text) for text in texts], self._settings.embedding_batch)
        places = asyncio.Semaphore(_REQUESTS_AT_ONCE)

        async def in_turn(request: list[str]) -> list[Vector]:
            async with places:  # the request's deadline counts from here, not from when it was queued
                return await self._embed(request, self._threads())

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(in_turn(request)) for request in requests]
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return [vector for task in tasks for vector in task.result()]

    async def embed_query(self, text: str) -> Vector:
        # Not in the passages' threads: a question must not wait behind an ingestion.
        return (await self._embed([cut(text)], None))[0]

    def close(self) -> None:
        with self._lock:
            client, self._client = self._client, None
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)
        if client is not None:
            client.close()

    async def _embed(self, texts: list[str], threads: Executor | None) -> list[Vector]:
        try:
            return await self._persist(texts, threads)
        except TooLong as refusal:
            if len(texts) == 1:
                return await self._embed_half(texts[0], threads, refusal.error)
        # Either all of them together are too long or one of them alone; halving finds out.
        middle = len(texts) // 2
        return [*await self._embed(texts[:middle], threads), *await self._embed(texts[middle:], threads)]

    async def _embed_half(self, text: str, threads: Executor | None, error: ModelRejected) -> list[Vector]:
        try:
            return await self._persist([text[: len(text) // 2] or text], threads)
        except TooLong:
            raise error from error.__cause__

    async def _persist(self, texts: list[str], threads: Executor | None) -> list[Vector]:
        loop, deadline = asyncio.get_running_loop(), time.monotonic() + self._settings.model_deadline_seconds
        for attempt in range(_ATTEMPTS):
            try:
                return await loop.run_in_executor(threads, self._request, texts)
            except TryAgain as again:
                wait = self._wait_seconds(again, attempt)
                if wait is None or attempt == _ATTEMPTS - 1 or time.monotonic() + wait > deadline:
                    raise again.error from again.error.__cause__
                await asyncio.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _wait_seconds(self, again: TryAgain, attempt: int) -> float | None:
        """None if the provider asks for a longer wait than the settings allow."""
        if again.retry_after is not None:
            return again.retry_after if again.retry_after <= self._settings.model_retry_after_cap_seconds else None
        return random.uniform(0.5, 1.0) * _FIRST_WAIT_SECONDS * 2.0**attempt

    def _request(self, texts: list[str]) -> list[Vector]:
        from openai import APIError

        try:
            # Not every compatible server supports the base64 encoding that the SDK requests by default.
            with self._open().in_use() as client:
                response = client.embeddings.create(input=texts, model=self._model, encoding_format="float")
        except APIError as error:
            raise translated(error, self._model) from error
        except (TypeError, ValueError, AttributeError) as error:
            raise bad_output(self._model, "what came is not JSON") from error
        return self._of_one_length(vectors_of(response, len(texts), self._model))

    def _of_one_length(self, vectors: list[Vector]) -> list[Vector]:
        with self._lock:
            self._dimension = self._dimension or len(vectors[0])
        strange = next((vector for vector in vectors if len(vector) != self._dimension), None)
        if strange is not None:
            raise other_dimension(self._model, self._dimension, len(strange))
        return vectors

    def _open(self) -> _SharedClient:
        from openai import OpenAI

        with self._lock:
            if self._client is None:
                key = self._settings.openai_api_key
                client = OpenAI(
                    base_url=self._settings.embedding_base_url or self._settings.model_base_url,
                    api_key=key.get_secret_value() if key else "not-needed",
                    timeout=self._settings.model_timeout_seconds,
                    max_retries=0,  # the SDK would sleep as long as any Retry-After says
                )
                self._client = _SharedClient(client)
            return self._client

    def _threads(self) -> Executor:
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(_REQUESTS_AT_ONCE, thread_name_prefix="masis-embed")
            return self._pool

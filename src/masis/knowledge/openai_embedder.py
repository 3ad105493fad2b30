"""Embeddings from OpenAI or any endpoint that speaks its protocol."""

import asyncio
import math
import random
import threading
import time
from typing import TYPE_CHECKING

from masis.errors import BadModelOutput, ModelError, ModelRejected, ModelUnavailable
from masis.knowledge.embedding import Vector
from masis.settings import Settings

if TYPE_CHECKING:
    from openai import APIError, OpenAI

_ATTEMPTS = 4
_FIRST_WAIT_SECONDS = 0.5
_ADVICE = "Check MASIS_EMBEDDING_MODEL, MASIS_EMBEDDING_BASE_URL and OPENAI_API_KEY with `masis doctor`."


class OpenAIEmbedder:
    """Uses the SDK's blocking client in threads: one client then serves any event loop, now and later."""

    def __init__(self, settings: Settings) -> None:
        if not settings.embedding_model:
            raise ValueError("settings.embedding_model is not set")
        self._settings = settings
        self._model = settings.embedding_model
        self._dimension: int | None = None
        self._lock = threading.Lock()
        self._client: OpenAI | None = None

    @property
    def name(self) -> str:
        return self._model

    @property
    def dimension(self) -> int | None:
        return self._dimension

    async def embed_passages(self, texts: list[str]) -> list[Vector]:
        size = self._settings.embedding_batch
        vectors: list[Vector] = []
        for first in range(0, len(texts), size):
            vectors += await self._embed(texts[first : first + size])
        return vectors

    async def embed_query(self, text: str) -> Vector:
        return (await self._embed([text]))[0]

    def close(self) -> None:
        with self._lock:
            if self._client is not None:
                self._client.close()
            self._client = None

    async def _embed(self, texts: list[str]) -> list[Vector]:
        deadline = time.monotonic() + self._settings.model_deadline_seconds
        for attempt in range(_ATTEMPTS):
            try:
                return await asyncio.to_thread(self._request, texts)
            except _TryAgain as again:
                wait = self._wait_seconds(again, attempt)
                if wait is None or attempt == _ATTEMPTS - 1 or time.monotonic() + wait > deadline:
                    raise again.error from again.error.__cause__
                await asyncio.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _wait_seconds(self, again: "_TryAgain", attempt: int) -> float | None:
        """None when the provider asks for more patience than the settings have."""
        if again.retry_after is not None:
            return again.retry_after if again.retry_after <= self._settings.model_retry_after_cap_seconds else None
        return random.uniform(0.5, 1.0) * _FIRST_WAIT_SECONDS * 2.0**attempt

    def _request(self, texts: list[str]) -> list[Vector]:
        from openai import APIError

        try:
            # Plain numbers: not every compatible server knows the base64 the SDK asks for by itself.
            response = self._open().embeddings.create(input=texts, model=self._model, encoding_format="float")
            rows = sorted(response.data or [], key=lambda row: row.index)
            vectors = [_normalised(row.embedding) for row in rows]
        except APIError as error:
            raise _translated(error, self._model) from error
        except (TypeError, ValueError, AttributeError) as error:
            raise _bad_output(self._model) from error
        if len(vectors) != len(texts) or len({len(vector) for vector in vectors}) > 1:
            raise _bad_output(self._model)
        self._dimension = len(vectors[0]) if vectors else self._dimension
        return vectors

    def _open(self) -> "OpenAI":
        from openai import OpenAI

        with self._lock:
            if self._client is None:
                key = self._settings.openai_api_key
                self._client = OpenAI(
                    base_url=self._settings.embedding_base_url or self._settings.model_base_url,
                    api_key=key.get_secret_value() if key else "not-needed",
                    timeout=self._settings.model_timeout_seconds,
                    max_retries=0,  # the SDK would sleep as long as any Retry-After says
                )
            return self._client


class _TryAgain(Exception):
    def __init__(self, error: ModelUnavailable, retry_after: float | None) -> None:
        super().__init__(str(error))
        self.error = error
        self.retry_after = retry_after


def _translated(error: "APIError", model: str) -> Exception:
    from openai import APIStatusError, APITimeoutError

    if isinstance(error, APIStatusError):
        status = error.status_code
        if status in (408, 409, 429) or status >= 500:
            if error.code == "insufficient_quota":
                return ModelRejected(f"The embedding provider says the quota for {model} is used up.", advice=_ADVICE)
            unavailable = ModelUnavailable(f"The embedding model {model} answered with status {status}.")
            return _TryAgain(unavailable, _retry_after(error.response.headers.get("retry-after")))
        return ModelRejected(
            f"The embedding endpoint refused the request for {model} (status {status}).", advice=_ADVICE
        )
    what = "did not answer in time" if isinstance(error, APITimeoutError) else "cannot be reached"
    return _TryAgain(ModelUnavailable(f"The embedding model {model} {what}.", advice=_ADVICE), None)


def _retry_after(header: str | None) -> float | None:
    try:
        return max(0.0, float(header)) if header else None
    except ValueError:
        return None


def _bad_output(model: str) -> ModelError:
    return BadModelOutput(
        f"The embedding endpoint did not return one vector for each text sent to {model}.", advice=_ADVICE
    )


def _normalised(values: list[float]) -> Vector:
    length = math.sqrt(math.fsum(value * value for value in values))
    if not values or not math.isfinite(length):
        raise ValueError("not a vector")
    return [value / (length or 1.0) for value in values]

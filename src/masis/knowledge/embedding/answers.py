"""What an embedding endpoint answered: vectors, if it can be trusted that they are, or what went wrong."""

import math
import re
from typing import TYPE_CHECKING, Any

from masis.errors import BadModelOutput, ModelRejected, ModelUnavailable
from masis.knowledge.embedding.port import Vector

if TYPE_CHECKING:
    from openai import APIError, APIStatusError

ADVICE = "Check MASIS_EMBEDDING_MODEL, MASIS_EMBEDDING_BASE_URL and OPENAI_API_KEY with `masis doctor`."

_LENGTH_COMPLAINT = re.compile(
    r"\btokens\b|\btoken limit|\btoo (long|large|big)\b|\blength\b|\bbatch size\b", re.IGNORECASE
)
"""OpenAI, vLLM, llama.cpp, Ollama and text-embeddings-inference each say it in their own words."""


class TryAgain(Exception):
    def __init__(self, error: ModelUnavailable, retry_after: float | None) -> None:
        super().__init__(str(error))
        self.error = error
        self.retry_after = retry_after


class TooLong(Exception):
    """The endpoint will not read so much at once."""

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
    """By their index; servers that number nothing, or everything 0, answer in order."""
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

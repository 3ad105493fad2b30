"""Translates a failed request into MASIS's own errors, and says whether and when to retry."""

import json
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from masis.errors import ModelError, ModelRefused, ModelRejected, ModelSilent, ModelUnavailable
from masis.reasoning.llm.wire import ErrorInBody, NotAChatEndpoint, Silent

FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 8.0


def full_jitter(failures: int) -> float:
    """A random time up to a ceiling that doubles with each failure, so that clients that failed together spread out."""
    return random.uniform(0, min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** min(failures - 1, 10)))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds the provider asks to wait, in any of the three forms in use; None if it does not ask."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    asked = headers.get("retry-after")
    seconds = _number(asked)
    return seconds if seconds is not None else _until(asked)


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if number >= 0 else None


def _until(date: str | None) -> float | None:
    try:
        moment = parsedate_to_datetime(date or "")
    except ValueError:
        return None
    if moment.tzinfo is None:  # "-0000" means that the zone is unknown; HTTP dates are in UTC
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


_RETRIED_STATUSES = (408, 409, 429)
_LONGEST_QUOTE = 300
DOWN = (
    "Look at the provider's status page and ask again later, name another model or endpoint, or answer without one:"
    " MASIS_WRITER_MODEL=offline, and the same for auditor and judge."
)


@dataclass(frozen=True, slots=True)
class Failure:
    error: ModelError
    is_retryable: bool
    status: int | None = None
    words: str = ""
    """Everything the provider said, used to find out what it did not understand; never shown."""
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Redactor:
    """Keeps secrets out of messages: some providers repeat the key they were given."""

    secrets: tuple[str, ...] = ()

    def quote(self, words: str) -> str:
        """The provider's words on one line, shortened and without secrets."""
        for secret in self.secrets:
            words = words.replace(secret, "…")
        line = " ".join(words.split())
        return line if len(line) <= _LONGEST_QUOTE else line[: _LONGEST_QUOTE - 1] + "…"


def classify(error: Exception, model: str, redactor: Redactor) -> Failure:
    """Translates an exception of `wire.send`; `expected` lists those it understands."""
    from httpx2 import ConnectTimeout
    from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError

    match error:
        case APIStatusError():
            return _status_failure(
                error.status_code, _words(error), model, redactor, retry_after(error.response.headers)
            )
        case ErrorInBody() if error.status is not None:
            return _status_failure(error.status, str(error), model, redactor, None)
        case NotAChatEndpoint():
            return Failure(_not_an_endpoint(str(error)), is_retryable=False)
        case APITimeoutError() if isinstance(error.__cause__, ConnectTimeout):
            return _unreachable(model, "ConnectTimeout")
        case APITimeoutError() | TimeoutError() | Silent():
            return Failure(ModelSilent(f"{model} did not respond in time"), is_retryable=False)
        case APIConnectionError():
            reason = type(error.__cause__).__name__ if error.__cause__ else "no reason given"
            return _unreachable(model, reason)
        case APIError():  # an error event inside a stream has no status
            return _stream_failure(error, model, redactor)
        case _:
            return _unavailable(f"{model} gave no whole answer: {redactor.quote(str(error))}")


def expected() -> tuple[type[Exception], ...]:
    """The exceptions that `classify` understands. All others are our own bugs and must not be hidden."""
    from openai import APIError

    from masis.reasoning.llm.wire import Interrupted

    return (APIError, TimeoutError, Silent, Interrupted, ErrorInBody, NotAChatEndpoint)


def _status_failure(status: int, words: str, model: str, redactor: Redactor, asked_wait: float | None) -> Failure:
    quote = redactor.quote(_message_in(words))
    if _mentions(words, ["insufficient_quota"]):
        return Failure(_quota_used_up(model, quote), False, status, words)
    if status in _RETRIED_STATUSES or status >= 500:
        sentence = f"{model} is not available now ({status}): {quote}"
        return Failure(ModelUnavailable(sentence, advice=DOWN), True, status, words, asked_wait)
    if _mentions(words, ["content_filter", "content_policy"]):
        return Failure(ModelRefused(f"The provider's filter stopped the request: {quote}"), False, status, words)
    return Failure(
        ModelRejected(f"The provider rejected the request to {model} ({status}): {quote}"),
        False,
        status,
        words,
    )


def _stream_failure(error: Exception, model: str, redactor: Redactor) -> Failure:
    words = _words(error)
    if _mentions(words, ["insufficient_quota"]):
        return Failure(_quota_used_up(model, redactor.quote(str(error))), is_retryable=False)
    return _unavailable(f"{model} broke off: {redactor.quote(str(error))}")


def _unavailable(sentence: str) -> Failure:
    return Failure(ModelUnavailable(sentence, advice=DOWN), is_retryable=True)


def _unreachable(model: str, reason: str) -> Failure:
    error = ModelUnavailable(
        f"{model} could not be reached ({reason})",
        advice="Check that the server is running, MASIS_MODEL_BASE_URL and the network, then ask again.",
    )
    return Failure(error, is_retryable=True)


def _quota_used_up(model: str, quote: str) -> ModelRejected:
    return ModelRejected(
        f"The account's quota for {model} is used up: {quote}",
        advice="Check the plan and billing of the provider's account, or set another key.",
    )


def _not_an_endpoint(reason: str) -> ModelRejected:
    return ModelRejected(
        f"The model's address is not a chat endpoint: {reason}.",
        advice="Check MASIS_MODEL_BASE_URL; most servers need it to end in /v1.",
    )


def _words(error: Exception) -> str:
    """The whole body of an error, as text."""
    body = getattr(error, "body", None)
    return body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, default=str)


def _message_in(words: str) -> str:
    """The message meant for people, if the body has one."""
    if words in ("", "null"):
        return "no reason given"
    try:
        body = json.loads(words)
    except json.JSONDecodeError:
        return words
    if not isinstance(body, dict):
        return words
    spoken = body.get("message") or body.get("detail") or words
    return spoken if isinstance(spoken, str) else words


def _mentions(words: str, names: Iterable[str]) -> bool:
    return any(name in words for name in names)

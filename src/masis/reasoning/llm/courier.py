"""Getting one completion out of a provider: rate limiter, deadline, retries and the server's dialect.

This is the only place where a request is tried again.
"""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from masis.errors import ModelError, ModelUnavailable
from masis.observability.watching import ModelWatch
from masis.reasoning.account import current_account
from masis.reasoning.llm.answer_cache import AnswerCache
from masis.reasoning.llm.connection import Connector
from masis.reasoning.llm.dialect import Dialect, after_refusal
from masis.reasoning.llm.failures import Failure, classify, expected
from masis.reasoning.llm.limiter import Limiter
from masis.reasoning.llm.structured import response_format, with_schema
from masis.reasoning.llm.thinking import without_thinking
from masis.reasoning.llm.usage import usage_of
from masis.reasoning.llm.wire import Completion, Message, send
from masis.settings import Role, Settings
from masis.types import Usage

if TYPE_CHECKING:
    from openai import AsyncOpenAI

Listener = Callable[[str], None]


@dataclass(slots=True)
class Ledger:
    """What one model call may still take, and what it has spent so far."""

    seconds_left: float
    """What failed attempts and waits may still take, until the first word must have come."""
    usage: Usage = field(default_factory=Usage)

    @contextmanager
    def on_errors(self) -> Iterator[None]:
        """A call that fails has cost something too: the error says what."""
        try:
            yield
        except ModelError as error:
            error.usage = self.usage
            raise


@dataclass(slots=True)
class Request:
    messages: Sequence[Message]
    max_tokens: int
    schema: type[BaseModel] | None = None
    bounded: bool = False
    """Whether lists and texts of the record have an end that the server enforces."""
    listener: Listener | None = None
    was_heard: bool = False
    """Whether the beginning of an answer has come."""

    @property
    def streams(self) -> bool:
        """Always at first, so that a model that is writing is told from one that hangs. After a stream broke off the
        next try is not streamed: a listener never hears two answers in a row."""
        return not self.was_heard

    def hear(self, token: str) -> None:
        self.was_heard = True
        if self.listener is not None:
            self.listener(token)


class Courier:
    """Carries requests to the model of one role."""

    def __init__(self, settings: Settings, role: Role, limiter: Limiter, backoff: Callable[[int], float]) -> None:
        self.model = settings.model_for(role)
        self.dialect = Dialect()
        self._settings = settings
        self._temperature = settings.temperature_for(role)
        self._price = settings.price_for(role)
        self._limiter = limiter
        self._backoff = backoff
        self._connector = Connector(settings)
        self._redactor = self._connector.redactor
        self._watch = ModelWatch(settings, role)
        # Where the model is left to chance, the next answer may be a better one.
        repeats = settings.model_cache and self._temperature == 0
        self._cache = AnswerCache(settings.home, settings.model_base_url or "") if repeats else None

    async def deliver(self, request: Request, ledger: Ledger) -> Completion:
        """The model's answer, whatever it says; a typed error when there is none to be had."""
        dialect, failures = self.dialect, 0
        if (known := await self._said_before(request, dialect)) is not None:
            return known
        async with self._connector.open() as sdk:
            while True:
                outcome = await self._attempt(sdk, self._body(request, dialect), request, ledger)
                if isinstance(outcome, Completion):
                    await self._remember(request, dialect, outcome)
                    return outcome
                simpler = self._simpler(request, dialect, outcome)
                if simpler is None:
                    failures += 1
                    await self._wait_or_give_up(outcome, failures, ledger)
                else:
                    dialect = simpler
                    self.dialect = self.dialect.merged(simpler)

    async def _said_before(self, request: Request, dialect: Dialect) -> Completion | None:
        account = current_account()
        if self._cache is None or not account.workspace_id:
            return None
        known = await asyncio.to_thread(self._cache.get, account.workspace_id, self._words(request, dialect))
        if known is not None:
            account.from_cache += 1
            if answer := without_thinking(known.text):
                request.hear(answer)
        return known

    async def _remember(self, request: Request, dialect: Dialect, completion: Completion) -> None:
        workspace = current_account().workspace_id
        if self._cache is not None and workspace and completion.finish_reason == "stop":
            await asyncio.to_thread(self._cache.put, workspace, self._words(request, dialect), completion)

    def _words(self, request: Request, dialect: Dialect) -> dict[str, Any]:
        """What decides the answer; whether it is streamed does not."""
        return {key: value for key, value in self._body(request, dialect).items() if not key.startswith("stream")}

    async def _attempt(
        self, sdk: "AsyncOpenAI", body: dict[str, Any], request: Request, ledger: Ledger
    ) -> Completion | Failure:
        await self._limiter.acquire()  # waiting for our own limit is not the provider's time
        ledger.usage += Usage(requests=1)
        started = time.monotonic()
        try:
            # Silence is the SDK's to notice, read by read. Bytes without a word of an answer are no answer either.
            async with asyncio.timeout(ledger.seconds_left) as patience:
                completion = await send(sdk, body, request.hear, on_word=partial(_wait_on, patience))
        except expected() as error:
            failure = classify(error, self.model, self._redactor)
            self._watch.request_done(body["messages"], time.monotonic() - started, error=failure.error.code)
            if patience.when() is not None:
                ledger.seconds_left -= time.monotonic() - started
            return failure
        spent = usage_of(completion, body["messages"], self._price)
        self._watch.request_done(body["messages"], time.monotonic() - started, spent, answer=completion.text)
        ledger.usage += spent
        return completion

    def _body(self, request: Request, dialect: Dialect) -> dict[str, Any]:
        messages: Sequence[Message] = request.messages
        body: dict[str, Any] = {"model": self.model, dialect.token_limit: request.max_tokens}
        if self._temperature is not None and dialect.sends_temperature:
            body["temperature"] = self._temperature
        if request.schema is not None:
            messages = with_schema(messages, request.schema, dialect.rung)
            if wanted := response_format(request.schema, dialect.rung, bounded=request.bounded):
                body["response_format"] = wanted
        if request.streams and dialect.streams:
            body["stream"] = True
            if dialect.sends_stream_options:
                body["stream_options"] = {"include_usage": True}
        return {**body, "messages": list(messages)}

    def _simpler(self, request: Request, dialect: Dialect, failure: Failure) -> Dialect | None:
        sent = frozenset(self._body(request, dialect))
        return after_refusal(dialect, sent, failure.status, failure.words)

    async def _wait_or_give_up(self, failure: Failure, failures: int, ledger: Ledger) -> None:
        if not failure.is_retryable:
            raise failure.error
        if failures >= self._settings.model_attempts:
            raise ModelUnavailable(f"{failure.error} (requests sent: {failures})", advice=failure.error.advice)
        asked, cap = failure.retry_after or 0.0, self._settings.model_retry_after_cap_seconds
        if asked > cap:
            raise ModelUnavailable(
                f"{self.model} asks to wait {asked:.0f} seconds, longer than the {cap:g} that MASIS waits.",
                advice=f"Ask again in {asked:.0f} seconds, or raise MASIS_MODEL_RETRY_AFTER_CAP_SECONDS.",
            )
        pause = max(asked, self._backoff(failures))
        if pause >= ledger.seconds_left:
            raise self._deadline_passed(failure, ledger)
        await asyncio.sleep(pause)
        ledger.seconds_left -= pause

    def _deadline_passed(self, failure: Failure, ledger: Ledger) -> ModelUnavailable:
        tried = f"{self.model} gave no answer within {self._settings.model_deadline_seconds:g} seconds"
        sentence = f"{tried} (requests sent: {ledger.usage.requests}). Last: {failure.error}"
        return ModelUnavailable(sentence, advice=failure.error.advice)


def _wait_on(patience: asyncio.Timeout) -> None:
    """The model has begun to write: from now on only silence ends the wait."""
    patience.reschedule(None)

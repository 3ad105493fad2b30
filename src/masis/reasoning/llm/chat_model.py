"""One chat model as MASIS uses it: returns prose or a validated record with its cost, or raises a typed error."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import exp
from typing import TypeVar

from pydantic import BaseModel

from masis.errors import BadModelOutput, ModelRefused, ModelTruncated
from masis.reasoning.llm.courier import Courier, Ledger, Listener, Request
from masis.reasoning.llm.failures import full_jitter
from masis.reasoning.llm.limiter import Limiter
from masis.reasoning.llm.structured import Misfit, Rung, ask_again, parse
from masis.reasoning.llm.wire import Completion, Message, without_thinking
from masis.reasoning.ports import Reply
from masis.settings import Role, Settings

Schema = TypeVar("Schema", bound=BaseModel)
PLAIN = 0.5
"""Least probability of yes and no together; below it, the model has not answered the question."""


class ModelClient:
    """The model that plays one role. Any number of threads and event loops may use it at once."""

    def __init__(
        self,
        settings: Settings,
        role: Role,
        limiter: Limiter,
        *,
        backoff: Callable[[int], float] = full_jitter,
    ) -> None:
        self._courier = Courier(settings, role, limiter, backoff)
        self._deadline = settings.model_deadline_seconds
        self._max_tokens = settings.max_output_tokens

    @property
    def name(self) -> str:
        return self._courier.model

    @property
    def rung(self) -> Rung:
        """How structured output is requested; learnt from earlier replies."""
        return self._courier.dialect.rung

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int | None = None,
        on_token: Listener | None = None,
    ) -> Reply[str]:
        """Returns the model's prose. The listener gets it as it streams, but the returned text counts. If the stream
        breaks off, the whole answer is fetched again and the listener gets no more."""
        ledger = Ledger(self._deadline)
        with ledger.on_errors():
            request = Request(messages, max_tokens or self._max_tokens, listener=on_token)
            text = without_thinking(await self._said(request, ledger))
            if not text:
                raise BadModelOutput(f"{self.name} returned an empty reply.")
        return Reply(text, ledger.usage)

    async def structured(self, messages: Sequence[Message], schema: type[Schema]) -> Reply[Schema]:
        """Returns the answer as a record. If it does not fit the schema, the model is asked once more, with the
        errors."""
        ledger = Ledger(self._deadline)
        with ledger.on_errors():
            answer = await self._record(messages, schema, ledger)
            try:
                return Reply(parse(answer, schema), ledger.usage)
            except Misfit as misfit:
                again = ask_again(messages, answer, misfit, schema)
            answer = await self._said(Request(again, self._max_tokens, schema), ledger)
            try:
                return Reply(parse(answer, schema), ledger.usage)
            except Misfit as misfit:
                raise BadModelOutput(f"{self.name} gave no usable {schema.__name__}: {misfit}") from None

    async def chance_of_yes(self, messages: Sequence[Message]) -> Reply[float | None]:
        """The probability of “yes”, from the first token; None if the server does not return it or the model says
        neither."""
        ledger = Ledger(self._deadline)
        if not self._courier.dialect.gives_chances:
            return Reply(None)
        with ledger.on_errors():
            completion = await self._courier.deliver(Request(messages, 1, wants_chances=True), ledger)
        if not completion.first_tokens:
            self._courier.dialect = replace(self._courier.dialect, gives_chances=False)
        chances = dict.fromkeys(("yes", "no"), 0.0)
        for token, chance in completion.first_tokens:
            if (word := token.strip().lower()) in chances:
                chances[word] += exp(min(chance, 0.0))
        told = sum(chances.values())
        return Reply(chances["yes"] / told if told >= PLAIN else None, ledger.usage)

    async def _record(self, messages: Sequence[Message], schema: type[BaseModel], ledger: Ledger) -> str:
        try:
            return await self._said(Request(messages, self._max_tokens, schema), ledger)
        except ModelTruncated:
            # A small model may repeat itself until it is cut off: try once more, with bounds on every list and text.
            return await self._said(Request(messages, self._max_tokens, schema, bounded=True), ledger)

    async def _said(self, request: Request, ledger: Ledger) -> str:
        completion = await self._courier.deliver(request, ledger)
        self._check(completion)
        return completion.text

    def _check(self, completion: Completion) -> None:
        if completion.refusal:
            raise ModelRefused(f"{self.name} declined to answer: {completion.refusal}")
        if completion.finish_reason == "content_filter":
            raise ModelRefused(f"The provider's content filter cut off the reply of {self.name}.")
        if completion.finish_reason == "length":
            error = ModelTruncated(f"{self.name} was cut off before the end of its answer.")
            error.said = completion.text
            raise error

"""Gets one completion from a provider: rate limit, deadline, retries and the server's dialect.

This is the only place where a request is retried.
"""

import asyncio
import hashlib
import importlib
import json
import math
import sqlite3
import ssl
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import BaseModel

from masis.errors import ModelError, ModelRejected, ModelUnavailable
from masis.observability.watching import ModelWatch
from masis.reasoning.llm.failures import Failure, Redactor, classify, expected
from masis.reasoning.llm.limiter import Limiter
from masis.reasoning.llm.structured import Dialect, after_refusal, response_format, with_schema
from masis.reasoning.llm.wire import Completion, Message, send, without_thinking
from masis.reasoning.ports import current_account
from masis.settings import Role, Settings
from masis.types import Usage

if TYPE_CHECKING:
    from openai import AsyncOpenAI


CONNECT_SECONDS = 10.0
"""A reachable server accepts a connection at once."""

FIRST_TOKENS = 10
NO_KEY_NEEDED = "not-needed"
"""Sent to local servers, because the SDK requires a key."""


class Connector:
    """The address and key of the models."""

    def __init__(self, settings: Settings) -> None:
        self._base_url = settings.model_base_url
        self._key = settings.openai_api_key
        self._silence = settings.model_timeout_seconds

    @property
    def redactor(self) -> Redactor:
        key = self._key.get_secret_value().strip() if self._key else ""
        address = urlsplit(self._base_url or "")
        return Redactor(tuple(secret for secret in (key, address.password) if secret))

    @asynccontextmanager
    async def open(self) -> AsyncIterator["AsyncOpenAI"]:
        key = self._checked_key()
        # Importing the SDK and loading certificates takes half a second the first time, so it must not block the event
        # loop.
        certificates = await asyncio.to_thread(_load)
        import httpx2
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient

        async with AsyncOpenAI(
            api_key=key,
            base_url=self._checked_address(),
            timeout=httpx2.Timeout(self._silence, connect=min(self._silence, CONNECT_SECONDS)),
            max_retries=0,
            http_client=DefaultAsyncHttpxClient(verify=certificates),
        ) as sdk:
            yield sdk

    def _checked_key(self) -> str:
        key = self._key.get_secret_value().strip() if self._key else ""
        if not key.isascii() or not key.isprintable():
            raise ModelRejected("OPENAI_API_KEY contains invalid characters.")
        if not key and not self._base_url:
            raise ModelRejected("Neither OPENAI_API_KEY nor MASIS_MODEL_BASE_URL is set.")
        return key or NO_KEY_NEEDED

    def _checked_address(self) -> str | None:
        if self._base_url is None:
            return None
        address = urlsplit(self._base_url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise ModelRejected("MASIS_MODEL_BASE_URL is not a valid address: it must look like http://host:port/v1.")
        return self._base_url


@cache
def _load() -> ssl.SSLContext:
    import httpx2

    importlib.import_module("openai")
    return httpx2.create_ssl_context()


FILE = "model_answers.db"
_SCHEMA = "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, completion TEXT NOT NULL)"


class AnswerCache:
    """Stores answers on disk. An unusable file counts as empty: a cache must never make a run fail."""

    def __init__(self, home: Path, endpoint: str) -> None:
        self._path = home / FILE
        self._endpoint = endpoint

    def get(self, workspace_id: str, body: dict[str, Any]) -> Completion | None:
        try:
            with self._open() as db:
                row = db.execute(
                    "SELECT completion FROM answers WHERE key = ?", (self._key(workspace_id, body),)
                ).fetchone()
        except (OSError, sqlite3.Error):
            return None
        # Nothing was sent, so nothing was spent.
        return Completion(**(json.loads(row[0]) | {"input_tokens": 0, "output_tokens": 0})) if row else None

    def put(self, workspace_id: str, body: dict[str, Any], completion: Completion) -> None:
        kept = (self._key(workspace_id, body), json.dumps(asdict(completion)))
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._open() as db, db:
                db.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", kept)
        except (OSError, sqlite3.Error):
            return

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._path, timeout=5)) as db:
            db.execute(_SCHEMA)
            yield db

    def _key(self, workspace_id: str, body: dict[str, Any]) -> str:
        said = json.dumps([workspace_id, self._endpoint, body], sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(said.encode()).hexdigest()


CHARACTERS_PER_TOKEN = 4
"""Estimate for servers that report no usage; within about a third for English prose."""


def usage_of(completion: Completion, messages: Sequence[Message], price: tuple[float, float]) -> Usage:
    """Tokens and cost of one completion. The request itself was counted when it was sent.

    `price` is in US dollars per million input and output tokens. What a provider may charge for a failed request is
    unknown and not counted.
    """
    tokens_in, tokens_out = completion.input_tokens, completion.output_tokens
    if tokens_in is None:
        tokens_in = _estimate(sum(len(message["content"]) for message in messages))
    if tokens_out is None:
        tokens_out = _estimate(len(completion.text))
    cost = (tokens_in * price[0] + tokens_out * price[1]) / 1_000_000
    return Usage(input_tokens=tokens_in, output_tokens=tokens_out, cost_usd=cost)


def _estimate(characters: int) -> int:
    return math.ceil(characters / CHARACTERS_PER_TOKEN)


Listener = Callable[[str], None]


@dataclass(slots=True)
class Ledger:
    """The remaining time of one model call, and what it has spent so far."""

    seconds_left: float
    """Time left for failed attempts and waits until the first word must arrive."""
    usage: Usage = field(default_factory=Usage)

    @contextmanager
    def on_errors(self) -> Iterator[None]:
        """Attaches the usage to an error, because a failed call costs something too."""
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
    """Whether the schema limits the length of lists and texts."""
    listener: Listener | None = None
    was_heard: bool = False
    """Whether the answer has started."""
    wants_chances: bool = False
    """Whether to ask for the probabilities of the first token."""

    @property
    def streams(self) -> bool:
        """The first attempt is streamed, to tell a model that is writing from one that hangs. After a stream broke off,
        the next attempt is not: a listener must never get two answers in a row."""
        return not self.was_heard and not self.wants_chances

    def hear(self, token: str) -> None:
        self.was_heard = True
        if self.listener is not None:
            self.listener(token)


class Courier:
    """Delivers requests to the model of one role."""

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
        # Only with temperature 0: otherwise, asking again may give a better answer.
        repeats = settings.model_cache and self._temperature == 0
        self._cache = AnswerCache(settings.home, settings.model_base_url or "") if repeats else None

    async def deliver(self, request: Request, ledger: Ledger) -> Completion:
        """The model's answer, whatever it says, or a typed error."""
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
        is_whole = completion.finish_reason == "stop" or request.wants_chances
        if self._cache is not None and workspace and is_whole:
            await asyncio.to_thread(self._cache.put, workspace, self._words(request, dialect), completion)

    def _words(self, request: Request, dialect: Dialect) -> dict[str, Any]:
        """The parts of a request that determine the answer; whether it is streamed does not."""
        return {key: value for key, value in self._body(request, dialect).items() if not key.startswith("stream")}

    async def _attempt(
        self, sdk: "AsyncOpenAI", body: dict[str, Any], request: Request, ledger: Ledger
    ) -> Completion | Failure:
        await self._limiter.acquire()  # waiting for our own limit does not count as the provider's time
        ledger.usage += Usage(requests=1)
        started = time.monotonic()
        try:
            # The SDK detects silence at each read. This timeout covers a server that sends bytes but no word of an
            # answer.
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
        if request.wants_chances and dialect.gives_chances:
            body |= {"logprobs": True, "top_logprobs": FIRST_TOKENS}
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
    """Ends the timeout once the model has started writing: from now on, only silence ends the wait."""
    patience.reschedule(None)

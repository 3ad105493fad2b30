"""Sends one request to a chat endpoint and reads the reply, streamed or whole, without the model's thinking."""

import json
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from openai import AsyncOpenAI, AsyncStream
    from openai._response import AsyncAPIResponse


OPEN, CLOSE = "<think>", "</think>"


class ThinkFilter:
    """Passes the answer through piece by piece as it streams in, and holds back the thinking."""

    def __init__(self) -> None:
        self._held = ""
        self._inside = False
        self._answered = False

    def feed(self, piece: str) -> str:
        """The part of the text so far that is now known to belong to the answer."""
        self._held += piece
        passed = ""
        while (at := self._held.find(CLOSE if self._inside else OPEN)) >= 0:
            passed += self._cross_tag(at)
        if not self._inside:
            passed += self._note(self._release())
        return passed

    def close(self) -> str:
        """What is still held back at the end of the text, unless it is unfinished thinking."""
        held, inside = self._held, self._inside
        self._held, self._inside = "", False
        if not inside:
            return self._note(held)
        # A tag that the model merely quotes in its answer must not swallow the rest.
        return OPEN + held if self._answered else ""

    def _cross_tag(self, at: int) -> str:
        before, tag = self._held[:at], CLOSE if self._inside else OPEN
        passed = "" if self._inside else before
        self._held = self._held[at + len(tag) :]
        self._inside = not self._inside
        return self._note(passed)

    def _release(self) -> str:
        """Everything held back, except for what may be the beginning of a tag."""
        kept = next((n for n in range(len(OPEN) - 1, 0, -1) if self._held.endswith(OPEN[:n])), 0)
        released, self._held = self._held[: len(self._held) - kept], self._held[len(self._held) - kept :]
        return released

    def _note(self, passed: str) -> str:
        """Strips blank lines between the thinking and the answer."""
        if not self._answered:
            passed = passed.lstrip()
        self._answered = self._answered or bool(passed)
        return passed


def without_thinking(text: str) -> str:
    """The answer alone. If only the closing tag is there (the template opened it), everything before it is thinking."""
    opened, closed = text.find(OPEN), text.find(CLOSE)
    if closed >= 0 and not 0 <= opened < closed:
        text = text[closed + len(CLOSE) :]
    filter_ = ThinkFilter()
    return (filter_.feed(text) + filter_.close()).strip()


_SPARE_PIECES = 64


class Message(TypedDict):
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Completion:
    """What the model said, thinking included, and what the provider reported about it."""

    text: str
    finish_reason: str | None
    refusal: str
    input_tokens: int | None = None
    output_tokens: int | None = None
    first_tokens: Sequence[tuple[str, float]] = ()
    """The candidates for the first token with their log probabilities, if requested and returned."""


class Interrupted(Exception):
    """The answer broke off on the way; another attempt may succeed."""


class Silent(Exception):
    """No byte arrived for as long as a model may be silent."""


class NotAChatEndpoint(Exception):
    """The server does not speak a chat protocol."""


class ErrorInBody(Exception):
    """An error sent with status 200, as some gateways do."""

    def __init__(self, status: int | None, words: str) -> None:
        super().__init__(words)
        self.status = status


async def send(
    sdk: "AsyncOpenAI", body: dict[str, Any], on_token: Callable[[str], None], on_word: Callable[[], None]
) -> Completion:
    """Sends one request and returns its completion. If the body asks for a stream, `on_token` gets the answer as it
    arrives. `on_word` is called for everything the model writes, thinking included."""
    import anyio
    import httpx2

    try:
        async with sdk.chat.completions.with_streaming_response.create(**body) as response:
            kind = response.headers.get("content-type", "")
            if body.get("stream") and not any(other in kind for other in ("json", "html")):
                most = int(body.get("max_tokens") or body["max_completion_tokens"])
                completion = await _read_stream(response, _Streamed(on_token, on_word, most))
            else:
                completion = _read_whole(await response.json())
                if body.get("stream") and (answer := without_thinking(completion.text)):
                    on_token(answer)
    except httpx2.TimeoutException as error:
        raise Silent from error
    except (httpx2.HTTPError, ssl.SSLError, anyio.EndOfStream) as error:
        # The SDK wraps these while sending the request, but not while reading a body.
        raise Interrupted(f"the connection broke ({type(error).__name__})") from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise NotAChatEndpoint("the answer is not JSON") from error
    if completion.finish_reason == "error":  # how gateways report that the model behind them broke off
        raise Interrupted("the model broke off")
    return completion


def _read_whole(data: object) -> Completion:
    body = _object(data)
    choice = _first_choice(body)
    if choice is None:
        raise _no_choice(body)
    message = _object(choice.get("message"))
    return Completion(
        _text(message.get("content")),
        _word(choice.get("finish_reason")),
        _text(message.get("refusal")),
        *_tokens(body),
        _first_tokens(choice),
    )


def _first_tokens(choice: dict[str, Any]) -> list[tuple[str, float]]:
    tokens = _object(choice.get("logprobs")).get("content")
    first = _object(tokens[0]) if isinstance(tokens, list) and tokens else {}
    options = first.get("top_logprobs")
    found = (
        (_text(o.get("token")), o.get("logprob")) for o in map(_object, options if isinstance(options, list) else ())
    )
    return [(token, float(chance)) for token, chance in found if isinstance(chance, (int, float))]


async def _read_stream(response: "AsyncAPIResponse[AsyncStream[Any]]", answer: "_Streamed") -> Completion:
    from openai import APIConnectionError, APITimeoutError, AsyncStream

    try:
        async with await response.parse(to=AsyncStream[object]) as stream:
            async for chunk in stream:
                answer.add(_object(chunk))
                if answer.is_too_long:
                    return answer.cut_off()
    except APITimeoutError as error:
        raise Silent from error
    except (APIConnectionError, json.JSONDecodeError, UnicodeDecodeError) as error:
        # Once the model has said why it stopped, only the end of the stream is missing.
        if answer.finish_reason is None:
            raise Interrupted("the stream broke in the middle of the answer") from error
    return answer.completion()


class _Streamed:
    """Collects the pieces of a streamed answer."""

    def __init__(self, on_token: Callable[[str], None], on_word: Callable[[], None], most_tokens: int) -> None:
        self.finish_reason: str | None = None
        self._on_token = on_token
        self._on_word = on_word
        self._pieces_left = most_tokens + _SPARE_PIECES
        self._filter = ThinkFilter()
        self._text: list[str] = []
        self._refusal: list[str] = []
        self._tokens: tuple[int | None, int | None] = (None, None)

    def add(self, chunk: dict[str, Any]) -> None:
        if chunk.get("usage"):
            self._tokens = _tokens(chunk)
        choice = _first_choice(chunk) or {}
        delta = _object(choice.get("delta"))
        if any(value for name, value in delta.items() if name != "role"):
            self._pieces_left -= 1
            self._on_word()
        self._refusal.append(_text(delta.get("refusal")))
        piece = _text(delta.get("content"))
        self._text.append(piece)
        self._tell(self._filter.feed(piece))
        self.finish_reason = _word(choice.get("finish_reason")) or self.finish_reason

    @property
    def is_too_long(self) -> bool:
        """Each piece is a token or more: a server that ignores its token limit is cut off."""
        return self._pieces_left < 0

    def cut_off(self) -> Completion:
        self.finish_reason = "length"
        return self.completion()

    def completion(self) -> Completion:
        if self.finish_reason is None:
            raise Interrupted("the stream ended in the middle of the answer")
        self._tell(self._filter.close())
        return Completion("".join(self._text), self.finish_reason, "".join(self._refusal), *self._tokens)

    def _tell(self, piece: str) -> None:
        if piece:
            self._on_token(piece)


def _no_choice(body: dict[str, Any]) -> Exception:
    error = body.get("error")
    if not error:
        return NotAChatEndpoint("the answer holds no completion")
    code = str(_object(error).get("code"))
    return ErrorInBody(int(code) if code.isdecimal() else None, str(_object(error).get("message") or error))


def _first_choice(body: dict[str, Any]) -> dict[str, Any] | None:
    choices = body.get("choices")
    return _object(choices[0]) if isinstance(choices, list) and choices else None


def _tokens(body: dict[str, Any]) -> tuple[int | None, int | None]:
    usage = _object(body.get("usage"))
    return _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and value >= 0 else None


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _word(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _text(value: object) -> str:
    """A string, or the joined parts of one: some servers answer with a list of typed parts."""
    if isinstance(value, list):
        return "".join(_text(_object(part).get("text")) for part in value)
    return value if isinstance(value, str) else ""

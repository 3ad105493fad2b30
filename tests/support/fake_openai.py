"""A scriptable server with the OpenAI protocol, on loopback: real sockets, real status codes, real streams.

fake_openai.script(Fail(503), Say("Revenue rose [c1]."))   # the first two requests
fake_openai.answer_with(lambda request: Say(request.body["model"]))   # all others
fake_openai.chats[0].body["messages"]   # what was asked
"""

import base64
import hashlib
import json
import struct
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.waiting import SOON

CHAT, EMBEDDINGS = "/v1/chat/completions", "/v1/embeddings"


@dataclass(frozen=True)
class Recorded:
    """One request as it arrived."""

    path: str
    body: dict[str, Any]
    headers: Mapping[str, str]
    at: float
    """Seconds on the monotonic clock."""

    @property
    def prompt(self) -> str:
        """The text of all messages, one after the other."""
        return "\n".join(_text_of(message["content"]) for message in self.body["messages"])

    @property
    def pictures(self) -> list[tuple[str, bytes]]:
        """Media type and bytes of every picture that was sent."""
        contents = [message["content"] for message in self.body["messages"]]
        parts = [part for content in contents if isinstance(content, list) for part in content]
        addresses = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
        return [_picture_of(address) for address in addresses]


@dataclass(frozen=True)
class Say:
    """A completion; streamed when the request asks for it."""

    text: str | None = "ok"
    finish_reason: str | None = "stop"
    refusal: str | None = None
    usage: tuple[int, int] | None = (100, 20)
    never_stream: bool = False
    pause: float = 0.0
    """Seconds before each streamed piece."""
    first_tokens: Mapping[str, float] = field(default_factory=dict)
    """What the first token might have been, with log probabilities, for who asks for them."""


@dataclass(frozen=True)
class Fail:
    status: int
    message: str = "it did not work"
    code: str | None = None
    param: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Raw:
    """Any body at all."""

    body: str
    content_type: str = "application/json"
    status: int = 200
    bytes_missing: int = 0
    """How much more the header promises than is sent before the connection closes."""


@dataclass(frozen=True)
class CutStream:
    """A stream that ends before the model has finished: the socket drops, or a proxy ends it politely."""

    text: str = "Half an"
    politely: bool = False
    finish_reason: str | None = None
    in_mid_line: bool = False


@dataclass(frozen=True)
class Drop:
    """The connection is closed without a word."""


@dataclass(frozen=True)
class Hang:
    """Nothing comes for so long."""

    seconds: float = 30.0


@dataclass(frozen=True)
class Trickle:
    """A stream that sends these bytes again and again, and never an answer."""

    text: str = ": still here\n\n"
    every: float = 0.05
    content_type: str = "text/event-stream"


Reply = Say | Fail | Raw | CutStream | Drop | Hang | Trickle


class FakeOpenAI:
    def __init__(self) -> None:
        self.requests: list[Recorded] = []
        self.closing = threading.Event()
        self._script: deque[Reply] = deque()
        self._answer: Callable[[Recorded], Reply] = lambda _: Say()
        self._arrived = threading.Condition()
        self._server = _Server(("127.0.0.1", 0), _handler_for(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.005,), daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def chats(self) -> list[Recorded]:
        return [request for request in self.requests if request.path == CHAT]

    def script(self, *replies: Reply) -> None:
        self._script.extend(replies)

    def answer_with(self, answer: Callable[[Recorded], Reply]) -> None:
        """What to say once the script is through; may be called from several threads at once."""
        self._answer = answer

    def record(self, request: Recorded) -> Reply:
        with self._arrived:
            self.requests.append(request)
            self._arrived.notify_all()
            scripted = self._script.popleft() if self._script and request.path == CHAT else None
        return scripted or self._answer(request)

    def wait_for_requests(self, count: int) -> None:
        with self._arrived:
            if not self._arrived.wait_for(lambda: len(self.requests) >= count, timeout=SOON):
                raise TimeoutError(f"{len(self.requests)} of {count} requests came")

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def vector_of(text: str, dimensions: int = 8) -> list[float]:
    """The same text always has the same vector."""
    digest = hashlib.shake_256(text.encode()).digest(dimensions)
    return [byte / 127.5 - 1 for byte in digest]


def _text_of(content: str | list[dict[str, Any]]) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _picture_of(address: str) -> tuple[str, bytes]:
    kind, _, encoded = address.removeprefix("data:").partition(";base64,")
    return kind, base64.b64decode(encoded, validate=True)


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is what many tests are about, and nothing to print."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def _handler_for(fake: FakeOpenAI) -> type[BaseHTTPRequestHandler]:
    class Handler(_Handler):
        server_state = fake

    return Handler


class _Handler(BaseHTTPRequestHandler):
    server_state: FakeOpenAI
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", 0))
        body = json.loads(self.rfile.read(length) or b"{}")
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.server_state.record(Recorded(self.path, body, headers, time.monotonic()))
        try:
            self._answer(body, reply)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Silence on the terminal."""

    def _answer(self, body: dict[str, Any], reply: Reply) -> None:
        match reply:
            case Fail():
                self._send(_error(reply), status=reply.status, headers=reply.headers)
            case Raw():
                self.close_connection = reply.bytes_missing > 0
                self._send(reply.body.encode(), reply.content_type, reply.status, bytes_missing=reply.bytes_missing)
            case CutStream():
                self._cut_stream(reply)
            case Drop():
                self.close_connection = True
            case Hang():
                self.server_state.closing.wait(reply.seconds)
                self.close_connection = True
            case Trickle():
                self._start_stream(reply.content_type)
                while not self.server_state.closing.wait(reply.every):
                    self._chunk(reply.text.encode())
            case Say() if self.path == EMBEDDINGS:
                self._send(_embeddings(body))
            case Say() if self.path != CHAT:
                self._send(b'{"error": {"message": "no such path"}}', status=404)
            case Say() if body.get("stream") and not reply.never_stream:
                self._stream(body, reply)
            case Say():
                self._send(_completion(reply))

    def _send(
        self,
        content: bytes,
        content_type: str = "application/json",
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        bytes_missing: int = 0,
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(content) + bytes_missing))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _stream(self, body: dict[str, Any], reply: Say) -> None:
        self._start_stream()
        for piece in _pieces(reply.text or ""):
            self.server_state.closing.wait(reply.pause)
            self._event({"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]})
        if reply.refusal:
            self._event({"choices": [{"index": 0, "delta": {"refusal": reply.refusal}}]})
        self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": reply.finish_reason}]})
        if reply.usage and body.get("stream_options", {}).get("include_usage"):
            self._event({"choices": [], "usage": _usage(reply.usage)})
        self._chunk(b"data: [DONE]\n\n")
        self._chunk(b"")

    def _cut_stream(self, reply: CutStream) -> None:
        self._start_stream()
        for piece in _pieces(reply.text):
            self._event({"choices": [{"index": 0, "delta": {"content": piece}}]})
        if reply.finish_reason:
            self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": reply.finish_reason}]})
        if reply.in_mid_line:
            self._chunk(b'data: {"choices": [{"ind\n\n')
        if reply.politely:
            self._chunk(b"")
        self.close_connection = True

    def _start_stream(self, content_type: str = "text/event-stream") -> None:
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _event(self, data: dict[str, Any]) -> None:
        chunk = {"id": "chat-1", "object": "chat.completion.chunk", "created": 1, "model": "fake", **data}
        self._chunk(f"data: {json.dumps(chunk)}\n\n".encode())

    def _chunk(self, content: bytes) -> None:
        self.wfile.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")
        self.wfile.flush()


def _pieces(text: str) -> Sequence[str]:
    """Three characters at a time, so that tags and words are torn apart as real tokens tear them."""
    return [text[at : at + 3] for at in range(0, len(text), 3)]


def _completion(reply: Say) -> bytes:
    message = {"role": "assistant", "content": reply.text, "refusal": reply.refusal}
    options = [{"token": token, "logprob": chance} for token, chance in reply.first_tokens.items()]
    told = {"logprobs": {"content": [{**options[0], "top_logprobs": options}]}} if options else {}
    choice = {"index": 0, "message": message, "finish_reason": reply.finish_reason, **told}
    data = {"id": "chat-1", "object": "chat.completion", "created": 1, "model": "fake", "choices": [choice]}
    return json.dumps(data | ({"usage": _usage(reply.usage)} if reply.usage else {})).encode()


def _usage(usage: tuple[int, int]) -> dict[str, int]:
    return {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}


def _error(reply: Fail) -> bytes:
    error = {"message": reply.message, "type": "error", "code": reply.code, "param": reply.param}
    return json.dumps({"error": error}).encode()


def _embeddings(body: dict[str, Any]) -> bytes:
    texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
    vectors = [vector_of(text, body.get("dimensions") or 8) for text in texts]
    encode = _packed if body.get("encoding_format") == "base64" else list[float]
    data = [
        {"object": "embedding", "index": index, "embedding": encode(vector)} for index, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return json.dumps({"object": "list", "data": data, "model": "fake", "usage": usage}).encode()


def _packed(vector: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()

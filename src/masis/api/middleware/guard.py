"""Wraps every request: gives it an id and safe headers, limits what is read, and rejects callers from elsewhere if
there are no keys."""

import asyncio
import logging
import re
import time
import uuid
from contextlib import suppress
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from masis.access.check import require_own_machine
from masis.api.access import Service
from masis.api.connections import limited, require_size
from masis.api.middleware.problems import internal_problem, response_to
from masis.errors import MASISError
from masis.observability.logs import bind
from masis.observability.metrics import http_request
from masis.settings import Settings

_log = logging.getLogger(__name__)

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_UPLOADS = re.compile(r"/masis/workspaces/[^/]+/documents")
_LIVENESS = "/health"
_LIVENESS_SECONDS = 1.0
_CLIENT_GONE = 499
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
"""The methods counted by name; clients may send any method."""

_HEADERS = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"}


class Guard:
    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _request_id(Headers(scope=scope))
        answering = _Answering(send, request_id)
        with bind(request_id=request_id):
            try:
                await self._answer(scope, receive, answering, request_id)
            finally:
                _note(scope, answering)

    async def _answer(self, scope: Scope, receive: Receive, answering: "_Answering", request_id: str) -> None:
        headers = Headers(scope=scope)
        length = headers.get("content-length", "")
        try:
            most = _most_bytes(scope, self._service.settings)
            require_size(int(length) if length.isdecimal() else 0, most)
            await self._let_in(scope)
            await self._app(scope, limited(receive, most, self._service.settings), answering)
        except ClientDisconnect:
            # The client has left; counted with nginx's status for that.
            answering.status = answering.status or _CLIENT_GONE
        except Exception as error:
            if isinstance(error, MASISError) and not answering.status:
                await response_to(scope["path"], error)(scope, receive, answering)
                return
            _log.exception("request %s failed: %s %s", request_id, _method(scope), _one_line(scope["path"]))
            if answering.status:
                raise
            await internal_problem(scope["path"], request_id)(scope, receive, answering)

    async def _let_in(self, scope: Scope) -> None:
        if not await self._keys_needed(scope["path"]):
            require_own_machine(scope)

    async def _keys_needed(self, path: str) -> bool:
        if path != _LIVENESS:
            return await self._service.access.keys_needed()
        # A database that is down must not cause a restart of a live process.
        with suppress(TimeoutError, MASISError):
            return await asyncio.wait_for(self._service.access.keys_needed(), _LIVENESS_SECONDS)
        return True


class _Answering:
    """`send` with the headers that every response has."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self._request_id = request_id
        self._asked_at = time.perf_counter()
        self.status = 0
        self._began_at: float | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self._began_at = time.perf_counter()
            headers = MutableHeaders(scope=message)
            headers["X-Request-Id"] = self._request_id
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await self._send(message)

    @property
    def seconds(self) -> float:
        """Only until the response starts, because a stream may last as long as a run."""
        return (self._began_at or time.perf_counter()) - self._asked_at


def _note(scope: Scope, answering: _Answering) -> None:
    method, status = _method(scope), answering.status
    seconds = answering.seconds
    http_request(method, getattr(scope.get("route"), "path", "none"), status, seconds)
    _log.info("%s %s %s", method, _one_line(scope["path"]), status, extra={"seconds": round(seconds, 4)})


def _method(scope: Scope) -> str:
    return scope["method"] if scope["method"] in _METHODS else "other"


def _one_line(path: str) -> str:
    """Percent-encoded as on the wire, so that a client cannot inject lines into the log."""
    return quote(path, safe="/:@!$&'()*+,;=~")


def _request_id(headers: Headers) -> str:
    given = headers.get("x-request-id", "")
    return given if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex


def _most_bytes(scope: Scope, settings: Settings) -> int:
    # Decided by the path and not by the content type that the client claims, because every other body is read before
    # its key is checked.
    is_upload = scope["method"] == "POST" and _UPLOADS.fullmatch(scope["path"])
    return settings.max_request_bytes if is_upload else settings.max_json_bytes

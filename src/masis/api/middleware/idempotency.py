"""`Idempotency-Key` on POST: a repeated request gets the first response again and is not executed twice."""

import asyncio
import hashlib
import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Header, Request, Response
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from masis.api.middleware.problems import STILL_RUNNING, Conflicting
from masis.database import Connection, open_database
from masis.errors import InvalidInput
from masis.jobs.queue import is_dead, new_owner
from masis.runs.tables import RUNS
from masis.settings import Settings

KEPT_SECONDS = 24 * 3600.0
ABANDONED_SECONDS = 900.0
"""How long a key stays blocked if the process of its first request died on another machine."""

_STATE = "idempotency"
_ONE = "caller = ? AND idempotency_key = ?"
_RUN_LOCATION = re.compile(r"/masis/workspaces/[^/]+/runs/([^/]+)")
_KEPT_HEADERS = ("content-type", "location", "x-run-id", "x-should-retry")


@dataclass(frozen=True, slots=True)
class Kept:
    status: int
    headers: dict[str, str]
    body: bytes


class Replay(Exception):
    """Not an error: carries the first response out of the dependency that found it."""

    def __init__(self, kept: Kept) -> None:
        self.kept = kept


class FirstResponses:
    """The responses of a workspace or a run are deleted with it."""

    def __init__(self, settings: Settings) -> None:
        self._database = open_database(settings, RUNS)
        self._owner = new_owner()

    def begin(self, caller: str, key: str, fingerprint: str, workspace_id: str | None = None) -> Kept | None:
        """The stored response; None if this request is the first, whose response will be stored."""
        now = time.time()
        with self._database.writing(lock=f"{caller}/{key}") as db:
            db.execute(
                "DELETE FROM first_responses WHERE created_at < ? OR (status IS NULL AND created_at < ?)",
                (now - KEPT_SECONDS, now - ABANDONED_SECONDS),
            )
            _free_the_dead(db, caller, key)
            added = db.execute(
                "INSERT INTO first_responses"
                " (caller, idempotency_key, fingerprint, workspace_id, headers, body, created_at, owner)"
                " VALUES (?, ?, ?, ?, '{}', ?, ?, ?) ON CONFLICT (caller, idempotency_key) DO NOTHING",
                (caller, key, fingerprint, workspace_id, b"", now, self._owner),
            )
            if added.rowcount == 1:
                return None
            row = db.execute(
                f"SELECT fingerprint, status, headers, body FROM first_responses WHERE {_ONE}",
                (caller, key),
            ).fetchone()
        return _judged(row, fingerprint)

    def keep(self, caller: str, key: str, response: Kept, run_id: str | None = None) -> None:
        """Does nothing if the run it describes was deleted meanwhile."""
        with self._database.writing() as db:
            # Writing to the run's row prevents its deletion until the response is stored; both are deleted together.
            held = db.execute("UPDATE runs SET status = status WHERE run_id = ?", (run_id,)).rowcount if run_id else 1
            if not held:
                db.execute(f"DELETE FROM first_responses WHERE {_ONE}", (caller, key))
                return
            db.execute(
                f"UPDATE first_responses SET status = ?, headers = ?, body = ?, run_id = ? WHERE {_ONE}",
                (response.status, json.dumps(response.headers), response.body, run_id, caller, key),
            )

    def forget(self, caller: str, key: str) -> None:
        with self._database.writing() as db:
            db.execute(f"DELETE FROM first_responses WHERE {_ONE}", (caller, key))


def _free_the_dead(db: Connection, caller: str, key: str) -> None:
    """A request whose process was killed never got a response, so its key is released."""
    row = db.execute(f"SELECT owner FROM first_responses WHERE {_ONE} AND status IS NULL", (caller, key)).fetchone()
    if row and is_dead(row[0]):
        db.execute(f"DELETE FROM first_responses WHERE {_ONE}", (caller, key))


def _judged(row: Sequence[Any], fingerprint: str) -> Kept:
    first, status, headers, body = row
    if first != fingerprint:
        raise InvalidInput(
            "This Idempotency-Key was used for another request.",
            advice="Use a new key for every request that is not a repeat.",
        )
    if status is None:
        raise Conflicting(
            "The first request with this Idempotency-Key is still in progress.",
            advice="Wait a moment and send it again.",
        )
    return Kept(status, json.loads(headers), bytes(body))


@dataclass(slots=True)
class Opened:
    """A first request, whose response the middleware will store."""

    store: FirstResponses
    caller: str
    key: str
    run_id: str | None
    """Set if the path names a run."""
    has_failed: bool = False
    """Whether it failed after the response had begun as a success."""


IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=200,
        pattern=r"^[\x21-\x7e]+$",
        description="A key that you choose: the same request under the same key within 24 hours is executed once.",
    ),
]


async def once(request: Request, content: bytes, key: str | None, workspace_id: str | None = None) -> None:
    """Call this once the caller is known and before anything is changed. `content` identifies the request;
    `workspace_id` is the workspace of the response, if the path does not name it."""
    if key is None:
        return
    access = request.state.access
    caller, store = access.key.key_id, access.service.first_responses
    what = hashlib.sha256(f"{request.method} {request.url.path}?{request.url.query}\n".encode() + content).hexdigest()
    workspace_id = workspace_id or request.path_params.get("workspace_id")
    kept = await asyncio.to_thread(store.begin, caller, key, what, workspace_id)
    if kept is not None:
        raise Replay(kept)
    setattr(request.state, _STATE, Opened(store, caller, key, request.path_params.get("run_id")))


def failed_after_all(request: Request) -> None:
    """For a stream that began as a success, so that the request may be sent again."""
    opened: Opened | None = getattr(request.state, _STATE, None)
    if opened is not None:
        opened.has_failed = True


async def _once_by_body(request: Request, idempotency_key: IdempotencyKey = None) -> None:
    await once(request, await request.body(), idempotency_key)


Once = Annotated[None, Depends(_once_by_body)]
"""For a route with a JSON body. Place this parameter after the one that checks the caller's rights."""


async def on_replay(request: Request, replay: Exception) -> Response:
    assert isinstance(replay, Replay)
    kept = replay.kept
    return Response(kept.body, kept.status, headers={**kept.headers, "Idempotent-Replayed": "true"})


class KeepFirstResponse:
    """Stores the response if the work was done or is in progress; otherwise the request may be sent again."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        state: dict[str, Any] = scope.setdefault("state", {})
        keeping = _Keeping(state, send)

        async def listen() -> Message:
            message = await receive()
            if message["type"] == "http.disconnect" and keeping.is_open:
                # A client that repeats the request expects this response, so a stream runs to its end and is stored.
                await asyncio.Event().wait()
            return message

        try:
            await self._app(scope, listen, keeping)
        finally:
            await keeping.forget_unless_kept()


class _Keeping:
    def __init__(self, state: dict[str, Any], send: Send) -> None:
        self._state = state
        self._send = send
        self._status = 0
        self._headers: dict[str, str] = {}
        self._parts: list[bytes] = []
        self._is_kept = False

    @property
    def is_open(self) -> bool:
        return self._opened is not None

    @property
    def _opened(self) -> Opened | None:
        return self._state.get(_STATE)

    async def __call__(self, message: Message) -> None:
        if self._opened is not None:
            await self._note(self._opened, message)
        await self._send(message)

    async def _note(self, opened: Opened, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            headers = Headers(raw=message["headers"])
            self._headers = {name: headers[name] for name in _KEPT_HEADERS if name in headers}
        elif message["type"] == "http.response.body":
            self._parts.append(message.get("body", b""))
            if not message.get("more_body", False) and not opened.has_failed and _is_to_be_kept(self._status):
                # Before the last byte is sent, so that a client that has the response cannot repeat the work.
                kept = Kept(self._status, self._headers, b"".join(self._parts))
                run_id = opened.run_id or _run_of(self._headers)
                await asyncio.to_thread(opened.store.keep, opened.caller, opened.key, kept, run_id)
                self._is_kept = True

    async def forget_unless_kept(self) -> None:
        if self._opened is not None and not self._is_kept:
            await asyncio.to_thread(self._opened.store.forget, self._opened.caller, self._opened.key)


def _is_to_be_kept(status: int) -> bool:
    return 200 <= status < 300 or status == STILL_RUNNING


def _run_of(headers: Mapping[str, str]) -> str | None:
    """The run that a response names."""
    place = _RUN_LOCATION.fullmatch(headers.get("location", ""))
    return headers.get("x-run-id") or (place[1] if place else None)

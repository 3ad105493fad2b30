"""Connections: slow clients make room for others.

Unfinished requests cost an attacker nothing. They therefore have a deadline and a minimum rate, and if there are too
many, the oldest one of the address with the most is closed. A complete request is never closed in favour of another.
"""

import asyncio
from collections import defaultdict, deque
from typing import Any

import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from masis.errors import MASISError
from masis.settings import Settings

LAST_SECONDS = 0.5
"""How long an idle connection stays open when the service stops, for a request that is already on its way."""
MOST_CONNECTIONS = 2000
MOST_WAITING = 256
"""Maximum per address of connections without a complete request. A proxy keeps fewer of them open."""
SHORT_WHILE = 1.0
"""Seconds that every client gets."""
RESERVE = 100
"""Connections beyond the limit that still get a refusal; `/health` is answered."""
OTHER_FILES = 200
MOST_HEADER_BYTES = 64 * 1024
LEAST_RATE = 4096
"""Minimum average of bytes per second after the first `MASIS_REQUEST_SECONDS`."""
_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class TooLarge(MASISError):
    code = "too_large"
    advice = "Send fewer or smaller files; MASIS_MAX_FILE_BYTES and MASIS_MAX_REQUEST_BYTES are the limits."


class TooSlow(MASISError):
    code = "too_slow"
    advice = "Send the request again, faster; MASIS_REQUEST_SECONDS is how long the service waits."


def server_config(app: ASGIApp, settings: Settings, **more: Any) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=_patience(settings.request_seconds, Crowd(_most_connections(), MOST_WAITING)),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=settings.stop_seconds,
        h11_max_incomplete_event_size=MOST_HEADER_BYTES,
        **more,
    )


def _most_connections() -> int:
    try:
        import resource
    except ImportError:  # not POSIX
        return MOST_CONNECTIONS
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MOST_CONNECTIONS if files == resource.RLIM_INFINITY else max(1, min(MOST_CONNECTIONS, files - OTHER_FILES))


class Crowd:
    """All connections of a server and, by address, those without a complete request, with the time since when, oldest
    first."""

    def __init__(self, most: int, most_waiting: int) -> None:
        self._most = most
        self._most_waiting = most_waiting
        self._all: set[Patience] = set()
        self._waiting: defaultdict[str, dict[Patience, float]] = defaultdict(dict)
        self._in_work: set[Patience] = set()

    def enter(self, connection: "Patience") -> None:
        self._all.add(connection)
        self.note(connection, is_waiting=True)
        while len(self._waiting[connection.address]) > self._most_waiting and self._has_cut([connection.address]):
            pass
        while len(self._all) > self._most and self._has_cut(list(self._waiting)):
            pass
        if len(self._all) > self._most + RESERVE:
            connection.transport.close()

    def note(self, connection: "Patience", *, is_waiting: bool) -> None:
        own = self._waiting[connection.address]
        if is_waiting:
            own.setdefault(connection, connection.loop.time())
            self._in_work.discard(connection)
        else:
            own.pop(connection, None)
            self._in_work.add(connection)
        if not own:
            del self._waiting[connection.address]

    def leave(self, connection: "Patience") -> None:
        self.note(connection, is_waiting=False)
        self._in_work.discard(connection)
        self._all.discard(connection)

    @property
    def has_room(self) -> bool:
        """Whether another request may begin; the number in progress is limited too."""
        return len(self._in_work) < self._most

    def _has_cut(self, addresses: list[str]) -> bool:
        """Closes the oldest connection of the address with the most, but none that has just arrived, because many
        legitimate clients may connect at once."""
        overdue = [address for address in addresses if self._has_overdue(address)]
        if not overdue:
            return False
        oldest = next(iter(self._waiting[max(overdue, key=lambda address: len(self._waiting[address]))]))
        oldest.cut_off()
        self.leave(oldest)
        return True

    def _has_overdue(self, address: str) -> bool:
        oldest, since = next(iter(self._waiting[address].items()))
        return oldest.loop.time() - since >= SHORT_WHILE


class Patience(H11Protocol):
    """Adds the deadlines that uvicorn lacks, for the head of a request and for a client reading its response."""

    seconds: float
    crowd: Crowd
    address = ""
    _deadline: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        self.crowd.enter(self)
        self._watch()

    def data_received(self, data: bytes) -> None:
        # /health is answered even when nothing else can be.
        self.limit_concurrency = None if self.crowd.has_room or data.startswith(b"GET /health ") else 0
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread = self._unread or self.loop.call_later(self.seconds, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._unread = _cancelled(self._unread)

    def connection_lost(self, exc: Exception | None) -> None:
        self._deadline, self._unread = _cancelled(self._deadline), _cancelled(self._unread)
        self.crowd.leave(self)
        super().connection_lost(exc)

    def shutdown(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self.loop.call_later(LAST_SECONDS, self._shut)
        else:
            super().shutdown()

    def _shut(self) -> None:
        if not self.transport.is_closing():
            super().shutdown()

    def cut_off(self) -> None:
        if self.cycle is None or not self.cycle.response_started or self.cycle.response_complete:
            self.transport.write(_TOO_SLOW)
        self.transport.close()

    def _watch(self) -> None:
        if self.transport.is_closing():
            return
        is_in_work = self.cycle is not None and not self.cycle.response_complete
        self.crowd.note(self, is_waiting=not is_in_work or self.cycle.more_body)
        # Another byte does not extend a deadline; only a complete head lifts it.
        if is_in_work:
            self._deadline = _cancelled(self._deadline)
        elif self._deadline is None:
            self._deadline = self.loop.call_later(self.seconds, self.cut_off)


def _cancelled(timer: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    if timer is not None:
        timer.cancel()
    return None


def _patience(seconds: float, crowd: Crowd) -> type[asyncio.Protocol]:
    return type("Patience", (Patience,), {"seconds": seconds, "crowd": crowd})


def limited(receive: Receive, most_bytes: int, settings: Settings) -> Receive:
    """Counts bytes as they arrive, and disconnects a client that stops sending or sends next to nothing."""
    received, waited = 0, 0.0
    complete = False
    loop = asyncio.get_running_loop()

    async def read() -> Message:
        nonlocal received, waited, complete
        if complete:
            return await receive()
        patience = min(settings.request_seconds, settings.request_seconds + received / LEAST_RATE - waited)
        began = loop.time()
        try:
            message = await asyncio.wait_for(receive(), max(patience, 0.0))
        except TimeoutError:
            raise TooSlow(f"Only {received:,} bytes received in {waited + loop.time() - began:.0f} seconds.") from None
        waited += loop.time() - began
        received += len(message.get("body", b""))
        complete = not message.get("more_body", False)
        require_size(received, most_bytes)
        return message

    return read


def require_size(size: int, most_bytes: int) -> None:
    if size > most_bytes:
        raise TooLarge(f"The request exceeds this service's limit of {most_bytes:,} bytes.")


class Bounded:
    """For an application with small requests: passes each one on once it has arrived completely."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        read = limited(receive, self._settings.max_json_bytes, self._settings)
        arrived = deque[Message]()
        try:
            while not arrived or arrived[-1].get("more_body", False):
                arrived.append(await read())
        except (TooLarge, TooSlow) as error:
            status = 408 if isinstance(error, TooSlow) else 413
            await PlainTextResponse(f"{error} {error.advice}", status, {"Connection": "close"})(scope, receive, send)
            return

        async def again() -> Message:
            return arrived.popleft() if arrived else await receive()

        await self._app(scope, again, send)

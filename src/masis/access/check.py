"""The one access check: who is calling, and what they may do. Used by the API, the page, the MCP server and the CLI."""

import asyncio
import os
import re
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import Scope

from masis.access.api_key import LOCAL_ADMIN, ApiKey
from masis.access.keys import Keys
from masis.access.sessions import COOKIE, CSRF_HEADER, Session, Sessions
from masis.database import Place, SharedWindow, limits_database
from masis.errors import Forbidden, InvalidInput, RateLimited, Unauthorized
from masis.settings import Settings, is_loopback

Address = tuple[str, int]

_TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_UID_COLUMN = 7
# <linux/netlink.h>, <linux/sock_diag.h> and <linux/inet_diag.h>
_SOCK_DIAG, _SOCK_DIAG_BY_FAMILY, _IS_REQUEST = 4, 20, 1
_ANY_STATE, _NO_COOKIE, _UID_OFFSET = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF, 80


def is_another_users(client: Address | None, server: Address | None) -> bool:
    """Whether the caller's process runs as another user, as a proxy on this machine usually does; False if
    unknown."""
    owner = _owner(client, server) if client and server else None
    return owner is not None and owner not in (os.geteuid(), 0)


def _owner(client: Address, server: Address) -> int | None:
    owner = _asked_of_kernel(client, server)
    return _found_in_tables(client, server) if owner is None else owner


def _asked_of_kernel(client: Address, server: Address) -> int | None:
    """Looks up one connection by its two ends: reading the whole table with every request would take milliseconds."""
    try:
        family = socket.AF_INET6 if ":" in client[0] else socket.AF_INET
        ends = (socket.inet_pton(family, host) for host, _ in (client, server))
        wanted = struct.pack("=BBxxI", family, socket.IPPROTO_TCP, _ANY_STATE)
        wanted += struct.pack("!HH16s16s", client[1], server[1], *ends) + struct.pack("=IQ", 0, _NO_COOKIE)
        head = struct.pack("=IHHII", 16 + len(wanted), _SOCK_DIAG_BY_FAMILY, _IS_REQUEST, 1, 0)
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG) as kernel:
            kernel.settimeout(1)
            kernel.send(head + wanted)
            answer = kernel.recv(4096)
    except (OSError, ValueError, struct.error):
        return None
    if struct.unpack_from("=H", answer, 4)[0] != _SOCK_DIAG_BY_FAMILY:
        return None
    owner: int = struct.unpack_from("=I", answer, _UID_OFFSET)[0]
    return owner


def _found_in_tables(client: Address, server: Address) -> int | None:
    for table in _TABLES:
        try:
            ends = f" {_written(client, table)} {_written(server, table)} "
            row = next((line for line in table.read_text().splitlines() if ends in line), None)
        except (OSError, ValueError):
            continue
        if row:
            return int(row.split()[_UID_COLUMN])
    return None


def _written(address: Address, table: Path) -> str:
    """In the kernel's format: hexadecimal words in the machine's byte order."""
    host, port = address
    if table.name == "tcp":
        packed = socket.inet_aton(host)
    else:
        packed = socket.inet_pton(socket.AF_INET6, host if ":" in host else f"::ffff:{host}")
    words = struct.unpack(f"={len(packed) // 4}I", packed)
    return "".join(f"{word:08X}" for word in words) + f":{port:04X}"


_SHORTEST_WAIT = 0.1


class KeyLimits(Protocol):
    async def acquire(self, key_id: str) -> None:
        """Counts a request, or raises RateLimited; refused requests do not count."""
        ...


def key_limits_for(settings: Settings) -> KeyLimits:
    return SharedKeyLimits(settings) if settings.database_url else LocalKeyLimits(settings)


class LocalKeyLimits:
    def __init__(self, settings: Settings, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._calls = settings.key_rate_calls
        self._seconds = settings.key_rate_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._starts: dict[str, deque[float]] = {}

    async def acquire(self, key_id: str) -> None:
        with self._lock:
            now = self._clock()
            starts = self._starts.setdefault(key_id, deque())
            while starts and starts[0] + self._seconds <= now:
                starts.popleft()
            if len(starts) >= self._calls:
                raise _refusal(self._calls, self._seconds, starts[0] + self._seconds - now)
            starts.append(now)


class SharedKeyLimits:
    def __init__(self, settings: Settings) -> None:
        self._calls = settings.key_rate_calls
        self._seconds = settings.key_rate_seconds
        self._database = limits_database(settings)

    async def acquire(self, key_id: str) -> None:
        window = SharedWindow(self._database, f"key {key_id}", self._calls, self._seconds)
        answer = await asyncio.to_thread(window.take)
        if not isinstance(answer, Place):
            raise _refusal(self._calls, self._seconds, answer)


def _refusal(calls: int, seconds: float, wait: float) -> RateLimited:
    wait = max(wait, _SHORTEST_WAIT)
    return RateLimited(
        f"Rate limit reached: {calls} requests per {seconds:g} seconds for this key. Try again in {wait:.0f} seconds.",
        retry_after=wait,
    )


_KEYS_SEEN_SECONDS = 1.0
"""Every request checks whether keys exist; a first key made by another process takes effect after this long."""
_LOOPBACK = re.compile(r"(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d{1,5})?", re.IGNORECASE | re.ASCII)
_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via")
"""Headers that proxies add. Behind a proxy, every caller appears to be on this machine."""


@dataclass(frozen=True, slots=True)
class Admitted:
    key: ApiKey
    session: Session | None = None
    """The page's session, if the request had its cookie."""


class AccessCheck:
    def __init__(
        self,
        settings: Settings,
        keys: Keys | None = None,
        limits: KeyLimits | None = None,
        *,
        always_with_keys: bool = False,
    ) -> None:
        """With `always_with_keys`, others can reach this service: without a key nobody gets in."""
        self.keys = keys or Keys(settings)
        self.sessions = Sessions(settings)
        self._limits = limits or key_limits_for(settings)
        self._always_with_keys = always_with_keys
        self._keys_needed = False
        self._keys_seen_at = float("-inf")

    async def keys_needed(self) -> bool:
        if self._always_with_keys:
            return True
        if time.monotonic() - self._keys_seen_at > _KEYS_SEEN_SECONDS:
            self._keys_needed = await asyncio.to_thread(self.keys.needed)
            self._keys_seen_at = time.monotonic()
        return self._keys_needed

    def keys_changed(self) -> None:
        self._keys_seen_at = float("-inf")

    async def admit(self, scope: Scope) -> Admitted:
        """Raises Unauthorized, Forbidden or RateLimited."""
        if not await self.keys_needed():
            require_own_machine(scope)
            return Admitted(LOCAL_ADMIN)
        request = HTTPConnection(scope)
        token = _token_of(request.headers)
        if token is None:
            return await self._signed_in(request, scope["method"])
        key = await asyncio.to_thread(self.keys.verify, token)
        await self._limits.acquire(key.key_id)
        return Admitted(key)

    async def _signed_in(self, request: HTTPConnection, method: str) -> Admitted:
        """The page's cookie has the rights of its key. Requests that change something must come from the page
        itself."""
        ticket = request.cookies.get(COOKIE)
        if ticket is None:
            raise Unauthorized("This service needs a key.")
        session = await asyncio.to_thread(self.sessions.of, ticket)
        key = await asyncio.to_thread(self.keys.admit, session.key_id)
        session.require_csrf(method, request.headers.get(CSRF_HEADER))
        await self._limits.acquire(key.key_id)
        return Admitted(key, session)


def require_own_machine(scope: Scope) -> None:
    """Without keys, a caller on this machine's loopback is its owner, unless the request came through a proxy or from
    another website in the owner's browser (a name that resolves to loopback, or a cross-site form)."""
    headers = Headers(scope=scope)
    # By default nginx adds no header, but it speaks HTTP/1.0 to the service or runs as another user.
    if (
        any(name in headers for name in _FORWARDED)
        or scope.get("http_version") == "1.0"
        or is_another_users(scope.get("client"), scope.get("server"))
    ):
        raise Forbidden(
            "The request came through a proxy or from another user, and without keys this service answers only the "
            "user who runs it, on the same machine.",
            advice="Create a key with `masis keys create` before others can reach the service.",
        )
    host, origin = headers.get("host", ""), headers.get("origin")
    if not _LOOPBACK.fullmatch(host) or (origin is not None and origin.partition("://")[2] != host):
        raise Forbidden(
            "Without keys this service accepts requests only from its own machine.",
            advice="Call it as 127.0.0.1 or localhost, or create a key with `masis keys create`.",
        )


def require_keys_for(host: str, settings: Settings) -> bool:
    """Called before listening. Raises InvalidInput if others could reach the address without a key."""
    is_open = not is_loopback(host)
    # Checked in any case, so that a database that is down is reported in plain words instead of a failed start.
    if not Keys(settings).needed() and is_open:
        raise InvalidInput(
            f"There are no keys: anyone who can reach {host} could read and delete everything.",
            advice='Create one first: masis keys create "the admin" --role admin --workspace "*". '
            "Or omit --host, so that only this machine can connect.",
        )
    return is_open


def _token_of(headers: Headers) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return token.strip()
    return headers.get("x-api-key")

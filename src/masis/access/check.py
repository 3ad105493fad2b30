"""The one access check: who is calling, and may they. The API, its page, the MCP server and the CLI ask here."""

import asyncio
import re
import time
from dataclasses import dataclass
from ipaddress import ip_address

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import Scope

from masis.access.api_key import LOCAL_ADMIN, ApiKey
from masis.access.key_limits import KeyLimits, key_limits_for
from masis.access.keys import Keys
from masis.access.peer import is_another_users
from masis.access.sessions import COOKIE, CSRF_HEADER, Session, Sessions
from masis.errors import Forbidden, InvalidInput, Unauthorized
from masis.settings import Settings

_KEYS_SEEN_SECONDS = 1.0
"""Whether there are keys is asked with every request; a first key made by another process counts after this long."""
_LOOPBACK = re.compile(r"(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d{1,5})?", re.IGNORECASE | re.ASCII)
_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via")
"""What a proxy adds: behind one, everybody seems to come from this machine."""


@dataclass(frozen=True, slots=True)
class Admitted:
    key: ApiKey
    session: Session | None = None
    """The page's, where the caller came with its cookie."""


class AccessCheck:
    def __init__(
        self,
        settings: Settings,
        keys: Keys | None = None,
        limits: KeyLimits | None = None,
        *,
        always_with_keys: bool = False,
    ) -> None:
        """`always_with_keys`: others can reach this service, so that having no keys must not mean needing none."""
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
        """The cookie of the page opens what its key opens; what changes something must come from the page itself."""
        ticket = request.cookies.get(COOKIE)
        if ticket is None:
            raise Unauthorized("This service needs a key.")
        session = await asyncio.to_thread(self.sessions.of, ticket)
        key = await asyncio.to_thread(self.keys.admit, session.key_id)
        session.require_csrf(method, request.headers.get(CSRF_HEADER))
        await self._limits.acquire(key.key_id)
        return Admitted(key, session)


def require_own_machine(scope: Scope) -> None:
    """Without keys whoever reaches this machine's loopback is its owner. Whoever comes through a proxy is not, nor a
    page elsewhere in the owner's browser, sent here by a name that points to loopback or by a cross-site form."""
    headers = Headers(scope=scope)
    # nginx adds no header unless it is told to, but it speaks HTTP/1.0 to what is behind it, or runs as another user.
    if (
        any(name in headers for name in _FORWARDED)
        or scope.get("http_version") == "1.0"
        or is_another_users(scope.get("client"), scope.get("server"))
    ):
        raise Forbidden(
            "The request came through a proxy or from another user, and without keys this service answers only the "
            "user who runs it, on the same machine.",
            advice="Make a key with `masis keys create` before others can reach the service.",
        )
    host, origin = headers.get("host", ""), headers.get("origin")
    if not _LOOPBACK.fullmatch(host) or (origin is not None and origin.partition("://")[2] != host):
        raise Forbidden(
            "Without keys this service answers only its own machine.",
            advice="Call it as 127.0.0.1 or localhost, or make a key with `masis keys create`.",
        )


def require_keys_for(host: str, settings: Settings) -> bool:
    """Before listening: whether others can reach that address. Raises InvalidInput where they could do everything."""
    is_open = not is_loopback(host)
    # Asked in any case: a database that is away is reported here in words, not by a failed start.
    if not Keys(settings).needed() and is_open:
        raise InvalidInput(
            f"There are no keys: anyone who can reach {host} could read and delete everything.",
            advice='Make one first: masis keys create "the admin" --role admin --workspace "*". '
            "Or leave out --host: then only this machine can call.",
        )
    return is_open


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _token_of(headers: Headers) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return token.strip()
    return headers.get("x-api-key")

"""Who comes in over HTTP: the same keys and rights as for the API, or this machine alone while there are none."""

import asyncio
import re
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse

from masis.access.api_key import LOCAL_ADMIN, ApiKey
from masis.access.discretion import told
from masis.access.key_limits import KeyLimits, key_limits_for
from masis.access.keys import Keys
from masis.errors import Forbidden, MASISError, RateLimited, Unauthorized
from masis.settings import Settings

KEY_IN_SCOPE = "masis.key"
_LOOPBACK = re.compile(r"(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d{1,5})?", re.IGNORECASE | re.ASCII)
_STATUS: dict[type[MASISError], int] = {Unauthorized: 401, Forbidden: 403, RateLimited: 429}


class Door:
    def __init__(
        self,
        settings: Settings,
        keys: Keys | None = None,
        limits: KeyLimits | None = None,
        *,
        always_with_keys: bool = False,
    ) -> None:
        self._keys = keys or Keys(settings)
        self._limits = limits or key_limits_for(settings)
        self._always_with_keys = always_with_keys

    async def let_in(self, headers: Headers) -> ApiKey:
        """Raises Unauthorized, Forbidden or RateLimited."""
        # Where others can reach it, a Host header proves nothing: revoking the last key must not open the door.
        if not self._always_with_keys and not await asyncio.to_thread(self._keys.any):
            _require_this_machine(headers)
            return LOCAL_ADMIN
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise Unauthorized("This service needs a key.")
        key = await asyncio.to_thread(self._keys.verify, token.strip())
        await self._limits.acquire(key.key_id)
        return key


def refusal(error: MASISError) -> JSONResponse:
    status = _STATUS.get(type(error), 503)
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    if isinstance(error, RateLimited):
        headers["Retry-After"] = str(max(1, round(error.retry_after)))
    detail, advice = told(error)
    problem = {
        "type": f"urn:masis:problem:{error.code}",
        "status": status,
        "detail": detail,
        "code": error.code,
        "advice": advice,
    }
    return JSONResponse(problem, status, headers, media_type="application/problem+json")


def _require_this_machine(headers: Headers) -> None:
    """A page elsewhere in the owner's browser can reach loopback, by a name that points to it or by a plain form."""
    host, origin = headers.get("host", ""), headers.get("origin")
    if not _LOOPBACK.fullmatch(host) or (origin is not None and urlsplit(origin).netloc != host):
        raise Forbidden(
            "Without keys this service answers only its own machine.",
            advice="Call it as 127.0.0.1 or localhost, or make a key with `masis keys create`.",
        )

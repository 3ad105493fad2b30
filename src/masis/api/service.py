"""What the routes work with, one for each app."""

import asyncio
import time
from dataclasses import dataclass, field

from fastapi import Request

from masis.access.audit_log import AuditLog
from masis.access.key_limits import KeyLimits, key_limits_for
from masis.access.keys import Keys
from masis.api.middleware.idempotency import FirstResponses
from masis.api.page_cache import PageImages
from masis.api.session_tickets import Sessions, SignInLimit
from masis.runs.service import Masis
from masis.settings import Settings

_KEYS_SEEN_SECONDS = 1.0
"""Whether there are keys is asked for with every request; a first key counts everywhere after so long."""


@dataclass
class Service:
    settings: Settings
    masis: Masis
    keys: Keys
    audit_log: AuditLog
    limits: KeyLimits
    first_responses: FirstResponses
    sessions: Sessions
    sign_in_limit: SignInLimit
    page_images: PageImages
    always_with_keys: bool = False
    """Others can reach this service: revoking the last key must not open it."""
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the service was told to stop: whoever would wait on goes."""
    _keys_needed: bool = False
    _keys_seen_at: float = field(default=float("-inf"))

    async def keys_needed(self) -> bool:
        if self.always_with_keys:
            return True
        if time.monotonic() - self._keys_seen_at > _KEYS_SEEN_SECONDS:
            self._keys_needed = await asyncio.to_thread(self.keys.any)
            self._keys_seen_at = time.monotonic()
        return self._keys_needed

    def keys_changed(self) -> None:
        self._keys_seen_at = float("-inf")


def open_service(settings: Settings, masis: Masis | None = None, *, always_with_keys: bool = False) -> Service:
    """Opens no file or socket yet."""
    return Service(
        settings,
        masis or Masis(settings),
        Keys(settings),
        AuditLog(settings),
        key_limits_for(settings),
        FirstResponses(settings),
        Sessions(settings),
        SignInLimit(),
        PageImages(settings),
        always_with_keys,
    )


def service_of(request: Request) -> Service:
    service: Service = request.app.state.service
    return service

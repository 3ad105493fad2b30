"""What the routes work with, one for each app."""

import asyncio
from dataclasses import dataclass, field

from fastapi import Request

from masis.access.audit_log import AuditLog
from masis.access.check import AccessCheck
from masis.access.sessions import SignInLimit
from masis.api.middleware.idempotency import FirstResponses
from masis.api.page_cache import PageImages
from masis.client import Masis
from masis.settings import Settings


@dataclass
class Service:
    settings: Settings
    masis: Masis
    access: AccessCheck
    audit_log: AuditLog
    first_responses: FirstResponses
    sign_in_limit: SignInLimit
    page_images: PageImages
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the service was told to stop: nobody waits any longer."""


def open_service(settings: Settings, masis: Masis | None = None, *, always_with_keys: bool = False) -> Service:
    """Opens no file or socket yet."""
    return Service(
        settings,
        masis or Masis(settings),
        AccessCheck(settings, always_with_keys=always_with_keys),
        AuditLog(settings),
        FirstResponses(settings),
        SignInLimit(),
        PageImages(settings),
    )


def service_of(request: Request) -> Service:
    service: Service = request.app.state.service
    return service

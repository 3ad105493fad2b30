"""The running service and its caller. Each route names the role it needs through the type of one parameter."""

import asyncio
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request

from masis.access import api_key
from masis.access.api_key import ApiKey, Role, caller_of
from masis.access.audit_log import AuditLog
from masis.access.check import AccessCheck
from masis.access.sessions import Session, SignInLimit
from masis.api.middleware.idempotency import FirstResponses
from masis.client import Masis
from masis.errors import UnknownWorkspace
from masis.settings import Settings
from masis.sources.pdf.page_image import PageImage, Wanted
from masis.sources.sandbox.pool import Sandbox
from masis.types import Caller

_KEPT_BYTES = 48_000_000
_PROCESSES = 2
_SECONDS = 20.0
"""Time limit for one page; a client that waits longer has left."""

Key = tuple[str, int, int, int | None, int | None]
"""Document, page, width, start and end. The document's id is a hash of its bytes, so an entry never becomes stale."""


class PageImages:
    """Draws pages in separate sandboxed processes, so that an ingestion does not delay them, and caches the latest."""

    def __init__(self, settings: Settings) -> None:
        limits = {"parse_processes": _PROCESSES, "parse_seconds": min(settings.parse_seconds, _SECONDS)}
        self._sandbox = Sandbox(settings.model_copy(update=limits))
        self._kept: OrderedDict[Key, PageImage] = OrderedDict()
        self._lock = threading.Lock()

    def kept(self, key: Key) -> PageImage | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def drawn(self, key: Key, data: bytes, file_name: str, wanted: Wanted) -> PageImage:
        image = self._sandbox.draw_page(data, file_name, wanted)
        with self._lock:
            self._kept[key] = image
            while sum(len(each.png) for each in self._kept.values()) > _KEPT_BYTES:
                self._kept.popitem(last=False)
        return image

    def close(self) -> None:
        self._sandbox.close()


@dataclass
class Service:
    settings: Settings
    masis: Masis
    access: AccessCheck
    audit_log: AuditLog
    first_responses: FirstResponses
    sign_in_limit: SignInLimit
    page_images: PageImages
    draining: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the service is about to stop, so that health checks send clients elsewhere."""
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the service is stopping, to end streams that can continue elsewhere."""
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the grace period is over, to end requests without an answer."""


def open_service(settings: Settings, masis: Masis | None = None, *, always_with_keys: bool = False) -> Service:
    """Does not open a file or socket yet."""
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


@dataclass(frozen=True, slots=True)
class Access:
    """A caller whose right to use the route has been checked."""

    service: Service
    key: ApiKey
    session: Session | None = None
    """The page's session, if the request had its cookie."""

    @property
    def masis(self) -> Masis:
        return self.service.masis

    @property
    def caller(self) -> Caller:
        return caller_of(self.key)

    async def record(
        self, action: str, workspace: str | None, subject: str | None = None, detail: str | None = None
    ) -> None:
        """Every route that changes something records it here."""
        await asyncio.to_thread(self.service.audit_log.record, self.caller, action, workspace, subject, detail)

    async def require_workspace(self, workspace_id: str) -> None:
        if not await asyncio.to_thread(self.masis.library.catalog.has_workspace, workspace_id):
            raise UnknownWorkspace(
                f"There is no workspace named “{workspace_id}”.",
                advice="List them with GET /masis/workspaces, or create this one with POST.",
            )


class Needs:
    """The dependency that admits a caller, to the workspace in the path if there is one."""

    def __init__(self, role: Role, *, everywhere: bool = False) -> None:
        self.role = role
        self.everywhere = everywhere
        """For routes that are not about a single workspace: the caller needs the right for all of them."""

    async def __call__(self, request: Request) -> Access:
        access = await identify(request)
        workspace: str | None = request.path_params.get("workspace_id")
        if workspace is not None:
            api_key.require(access.key, self.role, workspace)
        elif self.everywhere:
            api_key.require_everywhere(access.key, self.role)
        else:
            api_key.require_role(access.key, self.role)
        request.state.access = access
        return access


async def identify(request: Request) -> Access:
    service = service_of(request)
    admitted = await service.access.admit(request.scope)
    return Access(service, admitted.key, admitted.session)


Read = Annotated[Access, Depends(Needs("read"))]
Write = Annotated[Access, Depends(Needs("write"))]
Admin = Annotated[Access, Depends(Needs("admin"))]
AdminEverywhere = Annotated[Access, Depends(Needs("admin", everywhere=True))]

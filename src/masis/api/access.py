"""Who calls, and whether they may: every route names the role it needs by the type of one parameter."""

import asyncio
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from masis.access import rights
from masis.access.api_key import LOCAL_ADMIN, ApiKey, Role, caller_of
from masis.api.service import Service, service_of
from masis.api.session_tickets import COOKIE, CSRF_HEADER, Session
from masis.errors import Unauthorized, UnknownWorkspace
from masis.runs.service import Masis
from masis.types import Caller


@dataclass(frozen=True, slots=True)
class Access:
    """A caller whose right to the route was checked."""

    service: Service
    key: ApiKey
    session: Session | None = None
    """The page's, where the caller came with its cookie."""

    @property
    def masis(self) -> Masis:
        return self.service.masis

    @property
    def caller(self) -> Caller:
        return caller_of(self.key)

    async def record(
        self, action: str, workspace: str | None, subject: str | None = None, detail: str | None = None
    ) -> None:
        """Every route that changes something says so here."""
        await asyncio.to_thread(self.service.audit_log.record, self.caller, action, workspace, subject, detail)

    async def require_workspace(self, workspace_id: str) -> None:
        if not await asyncio.to_thread(self.masis.library.catalog.has_workspace, workspace_id):
            raise UnknownWorkspace(
                f"There is no workspace named “{workspace_id}”.",
                advice="List them with GET /masis/workspaces, or make this one with POST.",
            )


class Needs:
    """The dependency that lets a caller in: in the workspace of the path, where the path has one."""

    def __init__(self, role: Role, *, everywhere: bool = False) -> None:
        self.role = role
        self.everywhere = everywhere
        """The right must be for all workspaces: what the route does belongs to none of them alone."""

    async def __call__(self, request: Request) -> Access:
        access = await identify(request)
        workspace: str | None = request.path_params.get("workspace_id")
        if workspace is not None:
            rights.require(access.key, self.role, workspace)
        elif self.everywhere:
            rights.require_everywhere(access.key, self.role)
        else:
            rights.require_role(access.key, self.role)
        request.state.access = access
        return access


async def identify(request: Request) -> Access:
    service = service_of(request)
    if not await service.keys_needed():
        return Access(service, LOCAL_ADMIN)
    token = _token_of(request)
    if token is None:
        return await _signed_in(service, request)
    key = await asyncio.to_thread(service.keys.verify, token)
    await service.limits.acquire(key.key_id)
    return Access(service, key)


async def _signed_in(service: Service, request: Request) -> Access:
    """The cookie of the page opens what its key opens; what changes something must come from the page itself."""
    ticket = request.cookies.get(COOKIE)
    if ticket is None:
        raise Unauthorized("This service needs a key.")
    session = await asyncio.to_thread(service.sessions.of, ticket)
    key = await asyncio.to_thread(service.keys.admit, session.key_id)
    session.require_csrf(request.method, request.headers.get(CSRF_HEADER))
    await service.limits.acquire(key.key_id)
    return Access(service, key, session)


def _token_of(request: Request) -> str | None:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return token.strip()
    return request.headers.get("x-api-key")


Read = Annotated[Access, Depends(Needs("read"))]
Write = Annotated[Access, Depends(Needs("write"))]
Admin = Annotated[Access, Depends(Needs("admin"))]
AdminEverywhere = Annotated[Access, Depends(Needs("admin", everywhere=True))]

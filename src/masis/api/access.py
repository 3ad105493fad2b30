"""Who calls, and whether they may: every route names the role it needs by the type of one parameter."""

import asyncio
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from masis.access import rights
from masis.access.api_key import ApiKey, Role, caller_of
from masis.access.sessions import Session
from masis.api.service import Service, service_of
from masis.client import Masis
from masis.errors import UnknownWorkspace
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
    admitted = await service.access.admit(request.scope)
    return Access(service, admitted.key, admitted.session)


Read = Annotated[Access, Depends(Needs("read"))]
Write = Annotated[Access, Depends(Needs("write"))]
Admin = Annotated[Access, Depends(Needs("admin"))]
AdminEverywhere = Annotated[Access, Depends(Needs("admin", everywhere=True))]

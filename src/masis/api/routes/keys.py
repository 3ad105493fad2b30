"""API keys, the audit log, sessions of the page, and routes for operators: health, readiness, metrics and
configuration."""

import asyncio
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import Field

from masis._version import __version__
from masis.access import api_key
from masis.access.api_key import EVERY_WORKSPACE, LOCAL_ADMIN, ApiKey, caller_of, require
from masis.access.audit_log import AuditEntry
from masis.access.keys import grant_key, grantable_keys, revoke_key
from masis.access.sessions import COOKIE, SESSION_SECONDS
from masis.api.access import Admin, AdminEverywhere, Read, Service, identify, service_of
from masis.api.middleware.problems import documented, problems
from masis.api.models import Alive, CreatedKey, Cursor, Described, Limit, Me, NewKey, Page, cut, cut_sorted, position_of
from masis.errors import Forbidden, Unauthorized
from masis.observability import metrics
from masis.runs.planning import Finding
from masis.types import WORKSPACE_NAME, Caller
from masis.wording import vocabulary

system = APIRouter(tags=["system"])


@system.get("/health", operation_id="get_health", summary="Liveness: the process is running")
async def get_health(request: Request, response: Response) -> Alive:
    """503 with the status `stopping` once it is about to stop (`MASIS_DRAIN_SECONDS`)."""
    return _alive(request, response)


def _alive(request: Request, response: Response) -> Alive:
    if not service_of(request).draining.is_set():
        return Alive(version=__version__)
    response.status_code = 503
    return Alive(status="stopping", version=__version__)


@system.get("/ready", **documented("get_ready", "Readiness: database and index respond"))
async def get_ready(request: Request, response: Response) -> Alive:
    service = service_of(request)
    await asyncio.to_thread(service.access.keys.needed)
    await service.masis.library.answers()
    return _alive(request, response)


@system.get(
    "/metrics",
    operation_id="get_metrics",
    summary="Counters for Prometheus",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}, "description": "In Prometheus's text format."}, **problems()},
)
async def get_metrics(request: Request) -> Response:
    """Once there are keys, it needs an admin key for all workspaces, unless MASIS_METRICS_PUBLIC is set."""
    if not service_of(request).settings.metrics_public:
        api_key.require_everywhere((await identify(request)).key, "admin")
    text, media_type = await asyncio.to_thread(metrics.page)
    return Response(text, media_type=media_type)


@system.get("/masis/wording", **documented("get_wording", "What the codes mean"))
async def get_wording(access: Read) -> dict[str, Any]:
    """How the page, the command line and the exports name verdicts, outcomes, conflicts and causes."""
    return vocabulary(access.masis.settings)


@system.get("/masis/doctor", **documented("get_doctor", "What is configured, and whether it works"))
async def get_doctor(access: AdminEverywhere) -> list[Finding]:
    """A live test: each configured model is asked two short questions."""
    return await access.masis.acheckup()


router = APIRouter(prefix="/masis", tags=["access"])

KeyId = Annotated[str, Path(max_length=64, description="The part of a key between its two underscores.")]


@router.get("/me", **documented("get_me", "Your identity and rights"))
async def get_me(access: Read) -> Me:
    caller = access.caller
    return Me(
        name=caller.name,
        key_id=caller.key_id,
        role=access.key.role,
        workspaces=list(access.key.workspaces),
        keys_needed=await access.service.access.keys_needed(),
    )


@router.get("/keys", **documented("list_keys", "The keys within your rights, newest first"))
async def list_keys(access: Admin, limit: Limit = 50, cursor: Cursor = None) -> Page[ApiKey]:
    found = await asyncio.to_thread(grantable_keys, access.service.access.keys, access.key)
    shown, following = cut_sorted(found, limit, cursor, _age, newest_first=True)
    return Page(items=list(shown), next_cursor=following)


@router.post("/keys", status_code=201, **documented("create_key", "Create a key"))
async def create_key(access: Admin, new: NewKey) -> CreatedKey:
    """The token is only in this response, so the call takes no Idempotency-Key. From the first key on, every call needs
    a key."""
    service = access.service
    make = partial(grant_key, service.access.keys, service.audit_log, access.key)
    key, token = await asyncio.to_thread(make, new.name, new.role, new.workspaces, new.expires)
    service.access.keys_changed()
    return CreatedKey(**asdict(key), token=token)


@router.delete("/keys/{key_id}", **documented("revoke_key", "Revoke a key immediately", 404))
async def revoke(access: Admin, key_id: KeyId) -> ApiKey:
    service = access.service
    key = await asyncio.to_thread(revoke_key, service.access.keys, service.audit_log, access.key, key_id)
    service.access.keys_changed()
    return key


@router.get("/audit-log", **documented("read_audit_log", "The audit log, newest first"))
async def read_audit_log(
    access: Admin,
    workspace: Annotated[str | None, Query(pattern=WORKSPACE_NAME)] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Page[AuditEntry]:
    """Admins of some workspaces see only the entries of those."""
    if workspace is not None:
        require(access.key, "admin", workspace)
    within = None if EVERY_WORKSPACE in access.key.workspaces else access.key.workspaces
    read = partial(access.service.audit_log.entries, workspace, limit + 1, position_of(cursor), within=within)
    shown, following = cut(await asyncio.to_thread(read), limit, lambda entry: entry.entry_id)
    return Page(items=list(shown), next_cursor=following)


def _age(key: ApiKey) -> str:
    return f"{key.created_at} {key.key_id}"


sessions = APIRouter(prefix="/masis/session", tags=["access"])

NOBODY = Caller("nobody")


class SignIn(Described):
    key: str = Field(min_length=1, max_length=200, examples=["masis_…"])


class SessionOut(Described):
    """Who is signed in."""

    name: str
    role: str
    workspaces: list[str]
    """Workspace names; `*` means all."""
    csrf: str | None
    """Send it as X-CSRF-Token with every request that changes something; null if no cookie was sent."""


@sessions.post("", **documented("sign_in", "Sign in with a key"))
async def sign_in(request: Request, response: Response, given: SignIn) -> SessionOut:
    """Sets the cookie `masis_session` for 12 hours. A service without keys needs no sign-in: the response is the local
    admin, without a cookie."""
    service = service_of(request)
    _require_own_page(request)
    if not await service.access.keys_needed():
        return _out(LOCAL_ADMIN, None)
    key = await _verified(service, given.key, request.client.host if request.client else "unknown")
    session, ticket = await asyncio.to_thread(service.access.sessions.opened_for, key.key_id)
    await asyncio.to_thread(service.audit_log.record, caller_of(key), "session.open", None, key.key_id)
    response.set_cookie(
        COOKIE,
        ticket,
        max_age=SESSION_SECONDS,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return _out(key, session.csrf)


@sessions.get("", **documented("get_session", "Who is signed in"))
async def get_session(access: Read) -> SessionOut:
    return _out(access.key, access.session.csrf if access.session else None)


@sessions.delete("", status_code=204, **documented("sign_out", "Sign out"))
async def sign_out(request: Request, response: Response) -> None:
    """The session ends here and everywhere its cookie may have been copied to."""
    service = service_of(request)
    response.delete_cookie(COOKIE, httponly=True, samesite="strict", secure=request.url.scheme == "https")
    ticket = request.cookies.get(COOKIE)
    if ticket is None or not await service.access.keys_needed():
        return
    with suppress(Unauthorized):
        session = await asyncio.to_thread(service.access.sessions.of, ticket)
        await asyncio.to_thread(service.access.sessions.end, session)
        key = await asyncio.to_thread(service.access.keys.get, session.key_id)
        await asyncio.to_thread(service.audit_log.record, caller_of(key), "session.end", None, key.key_id)


def _require_own_page(request: Request) -> None:
    """Otherwise another website could sign a visitor in with its own key, and later read their questions."""
    if request.headers.get("sec-fetch-site") == "cross-site":
        raise Forbidden("Another site tried to sign you in.", advice="Open this service's own page and sign in there.")


async def _verified(service: Service, token: str, address: str) -> ApiKey:
    service.sign_in_limit.count(address)
    try:
        return await asyncio.to_thread(service.access.keys.verify, token)
    except Unauthorized:
        record = service.audit_log.record
        await asyncio.to_thread(record, NOBODY, "session.refused", None, None, f"from {address}")
        raise


def _out(key: ApiKey, csrf: str | None) -> SessionOut:
    return SessionOut(name=key.name, role=key.role, workspaces=list(key.workspaces), csrf=csrf)

"""Signing in to the page with a key: a cookie that scripts cannot read, and a token against forged requests."""

import asyncio
from contextlib import suppress

from fastapi import APIRouter, Request, Response
from pydantic import Field

from masis.access.api_key import LOCAL_ADMIN, ApiKey, caller_of
from masis.access.sessions import COOKIE, SESSION_SECONDS
from masis.api.access import Read
from masis.api.middleware.problems import problems
from masis.api.models import Described
from masis.api.service import Service, service_of
from masis.errors import Forbidden, Unauthorized
from masis.types import Caller

router = APIRouter(prefix="/masis/session", tags=["access"])

NOBODY = Caller("nobody")


class SignIn(Described):
    key: str = Field(min_length=1, max_length=200, examples=["masis_…"])


class SessionOut(Described):
    """Who is signed in."""

    name: str
    role: str
    workspaces: list[str]
    """`*` is all of them."""
    csrf: str | None
    """To be sent as X-CSRF-Token with whatever changes something; null where no cookie was sent."""


@router.post("", operation_id="sign_in", summary="Sign in with a key", responses=problems())
async def sign_in(request: Request, response: Response, given: SignIn) -> SessionOut:
    """Sets the cookie `masis_session` for 12 hours. A service that has no keys needs no sign-in: the answer is the
    local admin, and no cookie."""
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


@router.get("", operation_id="get_session", summary="Who is signed in", responses=problems())
async def get_session(access: Read) -> SessionOut:
    return _out(access.key, access.session.csrf if access.session else None)


@router.delete("", operation_id="sign_out", summary="Sign out", status_code=204, responses=problems())
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
    """A page elsewhere could otherwise sign a visitor in with its own key, and read later what they ask."""
    if request.headers.get("sec-fetch-site") == "cross-site":
        raise Forbidden(
            "Another site tried to sign you in.", advice="Open the page of this service, and sign in there."
        )


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

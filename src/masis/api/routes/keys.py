"""API keys and the audit log."""

import asyncio
from dataclasses import asdict
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path, Query

from masis.access.api_key import EVERY_WORKSPACE, ApiKey
from masis.access.granting import grant_key, grantable_keys, revoke_key
from masis.access.rights import require
from masis.api.access import Admin, Read
from masis.api.access_models import AuditEntryOut, CreatedKey, KeyOut, Me, NewKey
from masis.api.middleware.problems import problems
from masis.api.paging import Cursor, Limit, Page, cut, cut_sorted, position_of
from masis.types import WORKSPACE_NAME

router = APIRouter(prefix="/masis", tags=["access"])

KeyId = Annotated[str, Path(max_length=64, description="The part of a key between its two underscores.")]


@router.get("/me", operation_id="get_me", summary="Who you are to the service", responses=problems())
async def get_me(access: Read) -> Me:
    caller = access.caller
    return Me(
        name=caller.name,
        key_id=caller.key_id,
        role=access.key.role,
        workspaces=list(access.key.workspaces),
        keys_needed=await access.service.access.keys_needed(),
    )


@router.get(
    "/keys", operation_id="list_keys", summary="The keys you could have made, newest first", responses=problems()
)
async def list_keys(access: Admin, limit: Limit = 50, cursor: Cursor = None) -> Page[KeyOut]:
    found = await asyncio.to_thread(grantable_keys, access.service.access.keys, access.key)
    shown, following = cut_sorted(found, limit, cursor, _age, newest_first=True)
    return Page(items=[KeyOut(**asdict(key)) for key in shown], next_cursor=following)


@router.post("/keys", operation_id="create_key", summary="Make a key", status_code=201, responses=problems())
async def create_key(access: Admin, new: NewKey) -> CreatedKey:
    """Its token is in the answer and nowhere else, ever; that is why this call takes no Idempotency-Key. From the first
    key on, every call needs one."""
    service = access.service
    make = partial(grant_key, service.access.keys, service.audit_log, access.key)
    key, token = await asyncio.to_thread(make, new.name, new.role, new.workspaces, new.expires)
    service.access.keys_changed()
    return CreatedKey(**asdict(key), token=token)


@router.delete("/keys/{key_id}", operation_id="revoke_key", summary="Revoke a key, at once", responses=problems(404))
async def revoke(access: Admin, key_id: KeyId) -> KeyOut:
    service = access.service
    key = await asyncio.to_thread(revoke_key, service.access.keys, service.audit_log, access.key, key_id)
    service.access.keys_changed()
    return KeyOut(**asdict(key))


@router.get("/audit-log", operation_id="read_audit_log", summary="Who did what, newest first", responses=problems())
async def read_audit_log(
    access: Admin,
    workspace: Annotated[str | None, Query(pattern=WORKSPACE_NAME)] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Page[AuditEntryOut]:
    """An admin of some workspaces reads what concerns those."""
    if workspace is not None:
        require(access.key, "admin", workspace)
    within = None if EVERY_WORKSPACE in access.key.workspaces else access.key.workspaces
    read = partial(access.service.audit_log.entries, workspace, limit + 1, position_of(cursor), within=within)
    shown, following = cut(await asyncio.to_thread(read), limit, lambda entry: entry.entry_id)
    return Page(items=[AuditEntryOut(**asdict(entry)) for entry in shown], next_cursor=following)


def _age(key: ApiKey) -> str:
    return f"{key.created_at} {key.key_id}"

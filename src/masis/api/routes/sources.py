"""Sources that a workspace is synced with: list, add, sync now, remove."""

import asyncio
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from masis.access.api_key import may
from masis.api.access import Access, Read, Write
from masis.api.middleware.idempotency import Once
from masis.api.middleware.problems import documented, refused_as_conflict
from masis.api.models import Described, Given, WorkspaceId
from masis.api.routes.documents import open_for_upload
from masis.knowledge.source_table import KnownFile, Source, SourceStatus, shown_address
from masis.runs.syncing import source_for

router = APIRouter(prefix="/masis/workspaces/{workspace_id}/sources", tags=["documents"])
SourceId = Annotated[str, Path(pattern="^[0-9a-f]{16}$", description="The source's id, from the list of sources.")]
_ADDRESS = r"^[^\s\x00-\x1f\x7f-\x9f\[\]@][^\x00-\x1f\x7f-\x9f\[\]]*$"
Pattern = Annotated[str, Field(max_length=300)]


class NewSource(Given):
    address: str = Field(min_length=1, max_length=2000, pattern=_ADDRESS, examples=["https://example.com/"])
    """A web address, or any address that MASIS_SYNC_ALLOWED permits: s3://…, sftp://…, a folder on the service's
    machine."""
    ignore: list[Pattern] = Field(default_factory=list[str], max_length=100)
    """What to leave out, as in a .gitignore."""
    every: str | None = Field(None, pattern=r"^(?:never|(?:[1-9]|[1-9]\d{1,3}) ?[mhd])$", examples=["15m"])
    """How often to sync it: 15m, 2h, 1d, never. By default unchanged; a new source is synced only on request."""
    allow_empty: bool = False
    """Delete all its documents if it is now empty."""


class SyncNow(Given):
    allow_empty: bool = False


class SourceOut(Described):
    source_id: str
    address: str
    """Only the name of a folder, except for admins."""
    ignore: list[str]
    every_seconds: int | None
    """Null: on request only."""
    added_by: str
    added_at: str
    status: SourceStatus
    is_syncing: bool
    """A worker is syncing it, or is about to."""
    last_sync: str | None
    """When it was last synced to the end."""
    next_sync: str | None
    error: str | None
    """Why it could not be synced, or which of its files could not be read."""
    summary: dict[str, object]
    """What the last synchronisation did: `counts`, and the first names of each kind."""
    progress: dict[str, int]
    """During a sync: files_done, files_total, pages."""


class SourceFile(Described):
    address: str
    name: str
    version: str
    """As given by the storage: an ETag, or time and size."""
    document_id: str


@router.get("", **documented("list_sources", "The sources, with their last and next synchronisation", 404))
async def list_sources(access: Read, workspace_id: WorkspaceId) -> list[SourceOut]:
    await access.require_workspace(workspace_id)
    return [await _out(access, source) for source in await access.masis.asources(workspace_id)]


@router.post("", status_code=202, **documented("add_source", "Add a source, or change it, and sync it", 404))
async def add_source(access: Write, _: Once, workspace_id: WorkspaceId, new: NewSource) -> SourceOut:
    """Its files are read in the background: follow it with GET. Callers with the role write may add public web
    addresses; anything else must be listed in MASIS_SYNC_ALLOWED."""
    await open_for_upload(access, workspace_id)
    table, given = access.masis.library.sources, (new.address, new.ignore, new.every)
    source = await asyncio.to_thread(lambda: source_for(table, workspace_id, *given, by=access.caller))
    added = await access.masis.async_in_background(source, allow_empty=new.allow_empty)
    await access.record("source.add", workspace_id, added.source_id, added.address)
    return await _out(access, added)


@router.get("/{source_id}", **documented("get_source", "One source, with its progress", 404))
async def get_source(access: Read, workspace_id: WorkspaceId, source_id: SourceId) -> SourceOut:
    return await _out(access, await _known(access, workspace_id, source_id))


@router.get("/{source_id}/files", **documented("list_source_files", "The files of a source, with their versions", 404))
async def list_source_files(access: Read, workspace_id: WorkspaceId, source_id: SourceId) -> list[SourceFile]:
    source = await _known(access, workspace_id, source_id)
    files: list[KnownFile] = await access.masis.asource_files(workspace_id, source_id)
    return [
        SourceFile(
            address=f.place if _is_shown(access, source) else f.name,
            name=f.name,
            version=f.version,
            document_id=f.document_id,
        )
        for f in files
    ]


@router.post("/{source_id}/sync", status_code=202, **documented("sync_source", "Sync a source now", 404))
async def sync_source(
    access: Write, _: Once, workspace_id: WorkspaceId, source_id: SourceId, wanted: SyncNow
) -> SourceOut:
    source = await _known(access, workspace_id, source_id)
    started = await access.masis.async_in_background(source, allow_empty=wanted.allow_empty)
    await access.record("source.sync", workspace_id, source_id)
    return await _out(access, started)


@router.delete("/{source_id}", **documented("delete_source", "Stop syncing a source; its documents stay", 404, 409))
async def delete_source(access: Write, workspace_id: WorkspaceId, source_id: SourceId) -> SourceOut:
    await _known(access, workspace_id, source_id)
    with refused_as_conflict():
        gone = await access.masis.adelete_source(workspace_id, source_id)
    await access.record("source.delete", workspace_id, source_id, gone.address)
    return await _out(access, gone)


async def _known(access: Access, workspace_id: str, source_id: str) -> Source:
    await access.require_workspace(workspace_id)
    return await asyncio.to_thread(access.masis.library.sources.get, workspace_id, source_id)


def _is_shown(access: Access, source: Source) -> bool:
    return shown_address(source) == source.address or may(access.key, "admin", source.workspace_id)


async def _out(access: Access, source: Source) -> SourceOut:
    is_syncing = await asyncio.to_thread(access.masis.is_syncing, source)
    if not _is_shown(access, source):
        name = shown_address(source)
        source = replace(source, address=name, error=source.error and source.error.replace(source.address, name))
    given = {field: getattr(source, field) for field in SourceOut.model_fields if field != "is_syncing"}
    return SourceOut(**given | {"ignore": list(source.ignore), "is_syncing": is_syncing})

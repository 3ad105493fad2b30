"""Ingestions: what an upload is doing, live, and stopping it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Path
from fastapi.sse import EventSourceResponse, ServerSentEvent

from masis.api.access import Access, Read, Write
from masis.api.middleware.idempotency import Once
from masis.api.middleware.problems import StillRunning, problems, refused_as_conflict
from masis.api.models import IngestionOut, WorkspaceId
from masis.api.paging import Cursor, Limit, Page, cut_sorted
from masis.runs.ingestions import Ingestion

router = APIRouter(prefix="/masis/workspaces/{workspace_id}/ingestions", tags=["documents"])

LOOK_EVERY_SECONDS = 0.3
MOST_LISTED = 1000
"""Older ones are history: their documents are listed as documents."""
_OVER = frozenset({"done", "cancelled", "failed"})

IngestionId = Annotated[str, Path(max_length=64, description="As the upload's answer names it.")]


def ingestion_out(ingestion: Ingestion) -> IngestionOut:
    return IngestionOut.model_validate(ingestion, from_attributes=True)


async def _known_ingestion(access: Read, workspace_id: WorkspaceId, ingestion_id: IngestionId) -> IngestionOut:
    return ingestion_out(await access.masis.aingestion(ingestion_id, workspace_id))


Known = Annotated[IngestionOut, Depends(_known_ingestion)]


@router.get(
    "", operation_id="list_ingestions", summary="The ingestions of a workspace, newest first", responses=problems(404)
)
async def list_ingestions(
    access: Read, workspace_id: WorkspaceId, limit: Limit = 50, cursor: Cursor = None
) -> Page[IngestionOut]:
    await access.require_workspace(workspace_id)
    found = [ingestion_out(each) for each in await access.masis.aingestions(workspace_id, MOST_LISTED)]
    shown, following = cut_sorted(found, limit, cursor, _age, newest_first=True)
    return Page(items=list(shown), next_cursor=following)


@router.get("/{ingestion_id}", operation_id="get_ingestion", summary="How far it is", responses=problems(404))
async def get_ingestion(_: Read, ingestion: Known) -> IngestionOut:
    return ingestion


@router.get(
    "/{ingestion_id}/events",
    operation_id="follow_ingestion",
    summary="Follow it live",
    response_class=EventSourceResponse,
    responses=problems(404),
)
async def follow_ingestion(access: Read, ingestion: Known) -> AsyncIterator[ServerSentEvent]:
    """Server-sent events: `progress` whenever something changed, with the ingestion as data; the last one is named as
    its status, `done`, `cancelled` or `failed`."""
    async for latest in _changes(access, ingestion):
        yield ServerSentEvent(event=latest.status if latest.status in _OVER else "progress", data=latest)


@router.post(
    "/{ingestion_id}/cancel",
    operation_id="cancel_ingestion",
    summary="Stop it; what is read already stays",
    responses=problems(404, 409),
)
async def cancel_ingestion(
    access: Write, _: Once, workspace_id: WorkspaceId, ingestion_id: IngestionId
) -> IngestionOut:
    with refused_as_conflict():
        cancelled = await access.masis.acancel_ingestion(ingestion_id, workspace_id)
    await access.record("ingestion.cancel", workspace_id, ingestion_id)
    return ingestion_out(cancelled)


async def until_done(access: Access, ingestion: Ingestion) -> Ingestion:
    latest, seconds = ingestion, access.service.settings.ask_seconds
    try:
        async with asyncio.timeout(seconds):
            while latest.status not in _OVER and not access.service.stopping.is_set():
                await asyncio.sleep(LOOK_EVERY_SECONDS)
                latest = await access.masis.aingestion(ingestion.ingestion_id, ingestion.workspace_id)
    except TimeoutError:
        raise StillRunning(f"The files are not read after {seconds:g} seconds.", location_of(ingestion)) from None
    if latest.status not in _OVER:
        raise StillRunning("The service stops before the files are read; it goes on later.", location_of(ingestion))
    return latest


def location_of(ingestion: Ingestion) -> str:
    return f"/masis/workspaces/{ingestion.workspace_id}/ingestions/{ingestion.ingestion_id}"


async def _changes(access: Access, ingestion: IngestionOut) -> AsyncIterator[IngestionOut]:
    shown = ingestion
    yield shown
    while shown.status not in _OVER and not access.service.stopping.is_set():
        await asyncio.sleep(LOOK_EVERY_SECONDS)
        latest = ingestion_out(await access.masis.aingestion(ingestion.ingestion_id, ingestion.workspace_id))
        if latest != shown:
            yield latest
        shown = latest


def _age(ingestion: IngestionOut) -> str:
    return f"{ingestion.created_at} {ingestion.ingestion_id}"

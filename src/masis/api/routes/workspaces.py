"""Workspaces: list, create, search, delete; their usage and standing decisions."""

from enum import Enum
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from masis.access.api_key import require, visible
from masis.api.access import Access, Admin, Read, Write
from masis.api.middleware.idempotency import IdempotencyKey, once
from masis.api.middleware.problems import documented, refused_as_conflict
from masis.api.models import (
    READABLE,
    Cursor,
    DecisionOut,
    Found,
    Limit,
    NewWorkspace,
    Page,
    WorkspaceId,
    cut_sorted,
)
from masis.api.routes.runs import LAST_PAGE, Day, Filters, PageNumber
from masis.knowledge.catalog import WorkspaceSummary
from masis.runs.records import UsageRow
from masis.settings import QUESTION_CEILING
from masis.types import DeletionReceipt

router = APIRouter(prefix="/masis/workspaces")

WORKSPACES: list[str | Enum] = ["workspaces"]


@router.get("", tags=WORKSPACES, **documented("list_workspaces", "The workspaces you may see"))
async def list_workspaces(access: Read, limit: Limit = 50, cursor: Cursor = None) -> Page[WorkspaceSummary]:
    seen = await _visible_workspaces(access)
    shown, following = cut_sorted(seen, limit, cursor, lambda workspace: workspace.workspace_id)
    return Page(items=list(shown), next_cursor=following)


@router.post("", tags=WORKSPACES, status_code=201, **documented("create_workspace", "Create an empty workspace", 409))
async def create_workspace(
    access: Admin, new: NewWorkspace, request: Request, response: Response, idempotency_key: IdempotencyKey = None
) -> WorkspaceSummary:
    require(access.key, "admin", new.name)
    await once(request, await request.body(), idempotency_key, new.name)
    with refused_as_conflict():
        made = await access.masis.acreate_workspace(new.name)
    await access.record("workspace.create", new.name, new.name)
    response.headers["Location"] = f"/masis/workspaces/{new.name}"
    return made


@router.get("/{workspace_id}", tags=WORKSPACES, **documented("get_workspace", "One workspace", 404))
async def get_workspace(access: Read, workspace_id: WorkspaceId) -> WorkspaceSummary:
    await access.require_workspace(workspace_id)
    return next(each for each in await _visible_workspaces(access) if each.workspace_id == workspace_id)


@router.delete(
    "/{workspace_id}",
    tags=WORKSPACES,
    **documented("delete_workspace", "Delete a workspace with its documents, index and runs", 404, 409),
)
async def delete_workspace(access: Admin, workspace_id: WorkspaceId) -> DeletionReceipt:
    await access.require_workspace(workspace_id)
    with refused_as_conflict():
        receipt = await access.masis.adelete_workspace(workspace_id, by=access.caller)
    await access.record("workspace.delete", workspace_id, workspace_id, f"{receipt.documents} documents")
    return receipt


@router.get(
    "/{workspace_id}/usage", tags=WORKSPACES, **documented("get_usage", "What its questions cost, by caller", 404)
)
async def get_usage(access: Admin, workspace_id: WorkspaceId) -> list[UsageRow]:
    await access.require_workspace(workspace_id)
    return await access.masis.ausage(workspace_id)


@router.get(
    "/{workspace_id}/search", tags=["documents"], **documented("search", "Passages relevant to a question", 404)
)
async def search(
    access: Read,
    workspace_id: WorkspaceId,
    q: Annotated[str, Query(min_length=1, max_length=QUESTION_CEILING, pattern=READABLE, examples=["customer churn"])],
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
    documents: Annotated[list[str] | None, Query(max_length=1000, description="Ids or file names.")] = None,
    file_types: Annotated[list[str] | None, Query(max_length=50, description="Extensions: pdf, xlsx.")] = None,
    dated_from: Day | None = None,
    dated_to: Day | None = None,
    first_page: PageNumber | None = None,
    last_page: PageNumber | None = None,
) -> list[Found]:
    pages = [first_page or 1, last_page or LAST_PAGE] if first_page or last_page else None
    dates = {"dated_from": dated_from, "dated_to": dated_to}
    given = Filters(documents=documents or [], file_types=file_types or [], pages=pages, **dates)
    found = await access.masis.asearch(q, workspace_id, limit=limit, filters=given.as_filters())
    return [Found.model_validate(chunk) for chunk in found]


@router.get(
    "/{workspace_id}/decisions", tags=["runs"], **documented("list_decisions", "Standing decisions on conflicts", 404)
)
async def list_decisions(access: Read, workspace_id: WorkspaceId) -> list[DecisionOut]:
    await access.require_workspace(workspace_id)
    return [DecisionOut.model_validate(decision) for decision in await access.masis.adecisions(workspace_id)]


@router.delete(
    "/{workspace_id}/decisions/{decision_id}",
    tags=["runs"],
    **documented("delete_decision", "Delete a decision, so that the conflict needs one again", 404),
)
async def delete_decision(
    access: Write, workspace_id: WorkspaceId, decision_id: Annotated[str, Path(max_length=64)]
) -> DecisionOut:
    await access.require_workspace(workspace_id)
    deleted = await access.masis.adelete_decision(workspace_id, decision_id)
    await access.record("decision.delete", workspace_id, decision_id)
    return DecisionOut.model_validate(deleted)


async def _visible_workspaces(access: Access) -> list[WorkspaceSummary]:
    held = await access.masis.aworkspaces()
    seen = set(visible(access.key, (workspace.workspace_id for workspace in held)))
    return [workspace for workspace in held if workspace.workspace_id in seen]

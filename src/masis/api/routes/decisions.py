"""Decisions of people that a workspace remembers."""

from typing import Annotated

from fastapi import APIRouter, Path

from masis.api.access import Read, Write
from masis.api.middleware.problems import problems
from masis.api.models import WorkspaceId
from masis.api.run_models import DecisionOut

router = APIRouter(prefix="/masis/workspaces/{workspace_id}/decisions", tags=["runs"])


@router.get("", operation_id="list_decisions", summary="What was decided about conflicts", responses=problems(404))
async def list_decisions(access: Read, workspace_id: WorkspaceId) -> list[DecisionOut]:
    await access.require_workspace(workspace_id)
    return [DecisionOut.model_validate(decision) for decision in await access.masis.adecisions(workspace_id)]


@router.delete(
    "/{decision_id}",
    operation_id="delete_decision",
    summary="Delete a decision: the conflict is a person's to decide again",
    responses=problems(404),
)
async def delete_decision(
    access: Write, workspace_id: WorkspaceId, decision_id: Annotated[str, Path(max_length=64)]
) -> DecisionOut:
    await access.require_workspace(workspace_id)
    deleted = await access.masis.adelete_decision(workspace_id, decision_id)
    await access.record("decision.delete", workspace_id, decision_id)
    return DecisionOut.model_validate(deleted)

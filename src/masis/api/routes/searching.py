"""Search, without a model: the passages that the Researcher would look at."""

from typing import Annotated

from fastapi import APIRouter, Query

from masis.api.access import Read
from masis.api.middleware.problems import problems
from masis.api.models import READABLE, Found, WorkspaceId
from masis.settings import QUESTION_CEILING

router = APIRouter(prefix="/masis/workspaces/{workspace_id}", tags=["documents"])


@router.get("/search", operation_id="search", summary="The passages that fit a question", responses=problems(404))
async def search(
    access: Read,
    workspace_id: WorkspaceId,
    q: Annotated[str, Query(min_length=1, max_length=QUESTION_CEILING, pattern=READABLE, examples=["customer churn"])],
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
) -> list[Found]:
    found = await access.masis.asearch(q, workspace_id, limit=limit)
    return [Found.model_validate(chunk) for chunk in found]

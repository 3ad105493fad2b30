"""The sample for a first visit: one call, and there are documents to ask about."""

import asyncio

from fastapi import APIRouter, Response

from masis.api.access import Read, Write
from masis.api.middleware.idempotency import Once
from masis.api.middleware.problems import NotHere, problems
from masis.api.models import Described, IngestionOut, WorkspaceId
from masis.api.routes.documents import open_for_upload
from masis.api.routes.ingestions import ingestion_out
from masis.sample import QUESTIONS, sample_documents

router = APIRouter(prefix="/masis", tags=["documents"])


class SampleQuestionOut(Described):
    question: str
    shows: str
    """What to look at in its answer."""


class SampleOut(Described):
    """Documents of an invented company, and questions to ask about them."""

    available: bool
    documents: list[str]
    questions: list[SampleQuestionOut]


@router.get("/sample", operation_id="get_sample", summary="The sample documents and questions", responses=problems())
async def get_sample(_: Read) -> SampleOut:
    documents = await asyncio.to_thread(sample_documents)
    questions = [SampleQuestionOut(question=each.question, shows=each.shows) for each in QUESTIONS]
    return SampleOut(available=bool(documents), documents=[path.name for path in documents], questions=questions)


@router.post(
    "/workspaces/{workspace_id}/sample",
    operation_id="load_sample",
    summary="Put the sample documents into a workspace",
    status_code=202,
    responses=problems(404),
)
async def load_sample(access: Write, _: Once, workspace_id: WorkspaceId, response: Response) -> IngestionOut:
    """As an upload: follow the ingestion at `Location`. Those that the workspace has already are left as they are."""
    paths = await asyncio.to_thread(sample_documents)
    if not paths:
        raise NotHere("The sample is not part of this installation.", advice="Upload documents of your own.")
    await open_for_upload(access, workspace_id)
    files = await asyncio.to_thread(lambda: [(path.name, path.read_bytes()) for path in paths])
    ingestion = await access.masis.aupload(workspace_id, files, by=access.caller)
    await access.record("document.upload", workspace_id, ingestion.ingestion_id, f"the sample, {len(files)} files")
    response.headers["Location"] = f"/masis/workspaces/{workspace_id}/ingestions/{ingestion.ingestion_id}"
    return ingestion_out(ingestion)

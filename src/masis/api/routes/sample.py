"""The sample workspace for a first visit."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from fastapi import APIRouter, Response

from masis.api.access import Read, Write
from masis.api.middleware.idempotency import Once
from masis.api.middleware.problems import NotHere, documented
from masis.api.models import Described, WorkspaceId
from masis.api.routes.documents import open_for_upload
from masis.runs.ingestions import Ingestion

_INSTALLED = Path(__file__).parents[2] / "sample_documents"
_IN_A_CHECKOUT = Path(__file__).parents[4] / "examples" / "tolmerick"


class SampleQuestion(Described):
    question: str
    shows: str
    """What its answer demonstrates."""


QUESTIONS: Sequence[SampleQuestion] = (
    SampleQuestion(
        question="What was the root cause of the gateway outage?",
        shows="An answer whose every sentence has its source.",
    ),
    SampleQuestion(
        question="What was customer churn in fiscal 2025?", shows="A conflict: two documents disagree, and you decide."
    ),
    SampleQuestion(
        question="How many patents does Tolmerick hold?",
        shows="No answer: the documents do not say, and MASIS does not invent one.",
    ),
    SampleQuestion(
        question="When is the Singapore calibration laboratory to open, and how much money did the board approve "
        "for it?",
        shows="One answer from several documents.",
    ),
    SampleQuestion(
        question="How much was research and development expense in fiscal 2025?",
        shows="A figure from a table of a PDF.",
    ),
)


def sample_documents() -> list[Path]:
    """Empty if the sample is not installed."""
    folder = next((each for each in (_INSTALLED, _IN_A_CHECKOUT) if each.is_dir()), None)
    return sorted(path for path in folder.iterdir() if path.is_file()) if folder else []


router = APIRouter(prefix="/masis", tags=["documents"])


class SampleOut(Described):
    """Documents of an invented company, and questions to ask about them."""

    available: bool
    documents: list[str]
    questions: list[SampleQuestion]


@router.get("/sample", **documented("get_sample", "The sample documents and questions"))
async def get_sample(_: Read) -> SampleOut:
    documents = await asyncio.to_thread(sample_documents)
    return SampleOut(available=bool(documents), documents=[path.name for path in documents], questions=list(QUESTIONS))


@router.post(
    "/workspaces/{workspace_id}/sample",
    status_code=202,
    **documented("load_sample", "Load the sample documents into a workspace", 404),
)
async def load_sample(access: Write, _: Once, workspace_id: WorkspaceId, response: Response) -> Ingestion:
    """Works like an upload: follow the ingestion at `Location`. Documents already in the workspace are left as they
    are."""
    paths = await asyncio.to_thread(sample_documents)
    if not paths:
        raise NotHere("The sample is not part of this installation.", advice="Upload your own documents.")
    await open_for_upload(access, workspace_id)
    files = await asyncio.to_thread(lambda: [(path.name, path.read_bytes()) for path in paths])
    ingestion = await access.masis.aupload(workspace_id, files, by=access.caller)
    await access.record("document.upload", workspace_id, ingestion.ingestion_id, f"the sample, {len(files)} files")
    response.headers["Location"] = f"/masis/workspaces/{workspace_id}/ingestions/{ingestion.ingestion_id}"
    return ingestion

"""For those who run the service: does it live, is it ready, what does it count, how is it set up."""

import asyncio
from typing import Any

from fastapi import APIRouter, Request, Response

from masis._version import __version__
from masis.access import api_key
from masis.api.access import AdminEverywhere, Read, identify, service_of
from masis.api.middleware.problems import documented, problems
from masis.api.models import Alive
from masis.observability import metrics
from masis.runs.planning import Finding
from masis.wording import vocabulary

router = APIRouter(tags=["system"])


@router.get("/health", operation_id="get_health", summary="Liveness: the process is running")
async def get_health() -> Alive:
    return Alive(version=__version__)


@router.get("/ready", **documented("get_ready", "Readiness: database and index respond"))
async def get_ready(request: Request) -> Alive:
    service = service_of(request)
    await asyncio.to_thread(service.access.keys.needed)
    await service.masis.library.answers()
    return Alive(version=__version__)


@router.get(
    "/metrics",
    operation_id="get_metrics",
    summary="Counters for Prometheus",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}, "description": "In Prometheus's text format."}, **problems()},
)
async def get_metrics(request: Request) -> Response:
    """Where there are keys it takes an admin's for all workspaces, unless MASIS_METRICS_PUBLIC is set."""
    if not service_of(request).settings.metrics_public:
        api_key.require_everywhere((await identify(request)).key, "admin")
    text, media_type = await asyncio.to_thread(metrics.page)
    return Response(text, media_type=media_type)


@router.get("/masis/wording", **documented("get_wording", "What the codes mean"))
async def get_wording(access: Read) -> dict[str, Any]:
    """How the page, the command line and the exports name verdicts, outcomes, conflicts and causes."""
    return vocabulary(access.masis.settings)


@router.get("/masis/doctor", **documented("get_doctor", "What is configured, and whether it works"))
async def get_doctor(access: AdminEverywhere) -> list[Finding]:
    """Tried, not assumed: each configured model is asked two short questions."""
    return await access.masis.acheckup()

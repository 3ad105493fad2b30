"""A run as one file: for programs as JSON, for people as Markdown, HTML, DOCX or PDF."""

import asyncio
from typing import Any

from fastapi import Response

from masis.api.access import Access
from masis.api.middleware.problems import Conflicting
from masis.export.formats import FORMATS, MEDIA_TYPES, Format, exported
from masis.export.pack import Pack
from masis.export.webpage import POLICY
from masis.runs.records import RunRecord

EXPORTED: dict[str, Any] = {
    "content": {MEDIA_TYPES[form].partition(";")[0]: {} for form in FORMATS},
    "description": "The run.",
}


async def export_response(access: Access, run: RunRecord, form: Format) -> Response:
    data = await asyncio.to_thread(exported, await _pack(access, run), form)
    headers = {
        "Content-Disposition": f'attachment; filename="masis-{run.run_id}.{form}"',
        # Opened in this service's origin all the same, it can do nothing there.
        "Content-Security-Policy": f"{POLICY}; sandbox",
    }
    return Response(data, media_type=MEDIA_TYPES[form], headers=headers)


async def _pack(access: Access, run: RunRecord) -> Pack:
    result = await access.masis.aresult(run.run_id, run.workspace_id)
    if result is None or run.status in ("queued", "running"):
        raise Conflicting(f"The run is {run.status}.", advice="Export it when it is done or waits for a person.")
    return Pack(run, result, await access.masis.aevents(run.run_id, run.workspace_id))

"""Uploads: receive files, follow an ingestion, cancel it."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Annotated, Any, overload

from fastapi import APIRouter, Depends, Path, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from masis.api.access import Access, Read, Write
from masis.api.connections import TooLarge
from masis.api.middleware.idempotency import Once
from masis.api.middleware.problems import StillRunning, documented, refused_as_conflict
from masis.api.models import Cursor, Limit, Page, WorkspaceId, cut_sorted
from masis.errors import InvalidInput
from masis.runs.ingestions import Ingestion

FIELD = "files"
MAX_FILES = 200
_CHUNK = 1 << 20

UPLOAD_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "One or more parts named `files`. Names are only labels: the content decides the format.",
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": [FIELD],
                    "properties": {
                        FIELD: {"type": "array", "items": {"type": "string", "format": "binary"}, "minItems": 1}
                    },
                }
            }
        },
    }
}


class _LimitedParser(MultiPartParser):
    """Refuses a file as soon as it is too large, instead of after reading all of it."""

    max_file_bytes = 0

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        file = self._current_part.file
        if file is not None and (file.size or 0) + self._waiting(file) + end - start > self.max_file_bytes:
            raise TooLarge(
                f"A file is larger than {self.max_file_bytes:,} bytes.",
                advice="Split it, or raise MASIS_MAX_FILE_BYTES.",
            )
        super().on_part_data(data, start, end)

    def _waiting(self, file: UploadFile) -> int:
        return sum(len(data) for part, data in self._file_parts_to_write if part.file is file)


class FormFile:
    """One file of a form, stored on disk, with the id that its bytes give it."""

    def __init__(self, file: UploadFile) -> None:
        self.file = file
        self.name = file.filename or "unnamed"
        self.document_id = _digest(file)

    def read(self) -> bytes:
        self.file.file.seek(0)
        return self.file.file.read()


class Contents(Sequence[tuple[str, bytes]]):
    """Names and bytes of the files. Each is read when its turn comes, so that only one is in memory."""

    def __init__(self, files: Sequence[FormFile]) -> None:
        self._files = files

    def __len__(self) -> int:
        return len(self._files)

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        return ((file.name, file.read()) for file in self._files)

    @overload
    def __getitem__(self, index: int) -> tuple[str, bytes]: ...
    @overload
    def __getitem__(self, index: slice) -> "Contents": ...
    def __getitem__(self, index: int | slice) -> "tuple[str, bytes] | Contents":
        if isinstance(index, slice):
            return Contents(self._files[index])
        return self._files[index].name, self._files[index].read()


@asynccontextmanager
async def uploaded_files(request: Request, max_file_bytes: int) -> AsyncIterator[list[FormFile]]:
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise InvalidInput("The body is not multipart/form-data.", advice=f"Send the files as parts named `{FIELD}`.")
    parser = _LimitedParser(request.headers, request.stream(), max_files=MAX_FILES, max_fields=10)
    parser.max_file_bytes = max_file_bytes
    try:
        form = await parser.parse()
    except MultiPartException as error:
        raise InvalidInput(f"The multipart body cannot be read: {error.message}") from None
    try:
        files = [value for name, value in form.multi_items() if name == FIELD and isinstance(value, UploadFile)]
        if not files:
            raise InvalidInput("There is no file in the request.", advice=f"Send the files as parts named `{FIELD}`.")
        yield await asyncio.to_thread(lambda: [FormFile(file) for file in files])
    finally:
        await form.close()


def _digest(file: UploadFile) -> str:
    digest = hashlib.sha256()
    file.file.seek(0)
    while data := file.file.read(_CHUNK):
        digest.update(data)
    return digest.hexdigest()


router = APIRouter(prefix="/masis/workspaces/{workspace_id}/ingestions", tags=["documents"])

LOOK_EVERY_SECONDS = 0.3
MOST_LISTED = 1000
"""Older ones are history: their documents appear in the list of documents."""
_OVER = frozenset({"done", "cancelled", "failed"})

IngestionId = Annotated[str, Path(max_length=64, description="The id returned by the upload.")]


async def _known_ingestion(access: Read, workspace_id: WorkspaceId, ingestion_id: IngestionId) -> Ingestion:
    return await access.masis.aingestion(ingestion_id, workspace_id)


Known = Annotated[Ingestion, Depends(_known_ingestion)]


@router.get("", **documented("list_ingestions", "Ingestions, newest first", 404))
async def list_ingestions(
    access: Read, workspace_id: WorkspaceId, limit: Limit = 50, cursor: Cursor = None
) -> Page[Ingestion]:
    await access.require_workspace(workspace_id)
    found = await access.masis.aingestions(workspace_id, MOST_LISTED)
    shown, following = cut_sorted(found, limit, cursor, _age, newest_first=True)
    return Page(items=list(shown), next_cursor=following)


@router.get("/{ingestion_id}", **documented("get_ingestion", "The progress of an ingestion", 404))
async def get_ingestion(_: Read, ingestion: Known) -> Ingestion:
    return ingestion


@router.get(
    "/{ingestion_id}/events",
    response_class=EventSourceResponse,
    **documented("follow_ingestion", "Follow an ingestion live", 404),
)
async def follow_ingestion(access: Read, ingestion: Known) -> AsyncIterator[ServerSentEvent]:
    """Server-sent events: `progress` whenever something changed, with the ingestion as data; the last one is named as
    its status, `done`, `cancelled` or `failed`."""
    async for latest in _changes(access, ingestion):
        yield ServerSentEvent(event=latest.status if latest.status in _OVER else "progress", data=latest)


@router.post(
    "/{ingestion_id}/cancel",
    **documented("cancel_ingestion", "Stop an ingestion; documents already read stay", 404, 409),
)
async def cancel_ingestion(access: Write, _: Once, workspace_id: WorkspaceId, ingestion_id: IngestionId) -> Ingestion:
    with refused_as_conflict():
        cancelled = await access.masis.acancel_ingestion(ingestion_id, workspace_id)
    await access.record("ingestion.cancel", workspace_id, ingestion_id)
    return cancelled


async def until_done(access: Access, ingestion: Ingestion) -> Ingestion:
    latest, seconds = ingestion, access.service.settings.ask_seconds
    try:
        async with asyncio.timeout(seconds):
            while latest.status not in _OVER and not access.service.closing.is_set():
                await asyncio.sleep(LOOK_EVERY_SECONDS)
                latest = await access.masis.aingestion(ingestion.ingestion_id, ingestion.workspace_id)
    except TimeoutError:
        raise StillRunning(f"The files were not read within {seconds:g} seconds.", location_of(ingestion)) from None
    if latest.status not in _OVER:
        raise StillRunning(
            "The service is stopping before the files are read; the upload continues at the next start.",
            location_of(ingestion),
        )
    return latest


def location_of(ingestion: Ingestion) -> str:
    return f"/masis/workspaces/{ingestion.workspace_id}/ingestions/{ingestion.ingestion_id}"


async def _changes(access: Access, ingestion: Ingestion) -> AsyncIterator[Ingestion]:
    shown = ingestion
    yield shown
    while shown.status not in _OVER and not access.service.stopping.is_set():
        await asyncio.sleep(LOOK_EVERY_SECONDS)
        latest = await access.masis.aingestion(ingestion.ingestion_id, ingestion.workspace_id)
        if latest != shown:
            yield latest
        shown = latest


def _age(ingestion: Ingestion) -> str:
    return f"{ingestion.created_at} {ingestion.ingestion_id}"

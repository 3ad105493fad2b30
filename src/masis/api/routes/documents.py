"""Documents: upload, list, read and delete them."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from functools import partial
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response
from fastapi import Path as InPath

from masis.access.api_key import may
from masis.api.access import Access, Read, Write
from masis.api.middleware.idempotency import IdempotencyKey, once
from masis.api.middleware.problems import NotHere, documented, problems, refused_as_conflict
from masis.api.models import (
    Accepted,
    BlockOut,
    Cursor,
    DocumentName,
    DocumentOut,
    DocumentText,
    Limit,
    Offset,
    Page,
    PageOut,
    Passage,
    TableOut,
    WorkspaceId,
    cut,
    position_of,
)
from masis.api.routes.ingestions import (
    UPLOAD_BODY,
    Contents,
    FormFile,
    location_of,
    until_done,
    uploaded_files,
)
from masis.errors import DuplicateDocument, UnknownPassage
from masis.knowledge import catalog_rows
from masis.knowledge.overview import Overview
from masis.knowledge.search.passages import read_words
from masis.sources.blocks import blocks_of, read_table
from masis.sources.remote.listing import scheme_of
from masis.types import PAGE_BREAK, Block, DeletionReceipt, Document, DocumentStatus, ParsedDocument
from masis.types import Page as SourcePage

router = APIRouter(prefix="/masis/workspaces/{workspace_id}/documents", tags=["documents"])

DocumentId = Annotated[str, InPath(pattern="^[0-9a-f]{64}$", description="The SHA-256 of the document's bytes.")]


class AllKnown(DuplicateDocument):
    """Every file of the upload is already in the workspace."""

    def __init__(self, message: str, documents: list[DocumentName]) -> None:
        super().__init__(message)
        self.documents = [document.model_dump() for document in documents]


@router.get("", **documented("list_documents", "The documents, with their progress", 404))
async def list_documents(
    access: Read,
    workspace_id: WorkspaceId,
    limit: Limit = 50,
    cursor: Cursor = None,
    status: DocumentStatus | None = None,
) -> Page[DocumentOut]:
    await access.require_workspace(workspace_id)
    listed = partial(access.masis.library.catalog.documents, status=status, limit=limit + 1, after=position_of(cursor))
    found = await asyncio.to_thread(listed, workspace_id)
    shown, following = cut(found, limit, catalog_rows.position_of)
    return Page(items=[_out(document) for document in shown], next_cursor=following)


@router.post(
    "",
    operation_id="upload_documents",
    summary="Upload files or archives",
    status_code=202,
    responses={
        201: {"model": Accepted, "description": "With `wait`: the result for each file."},
        **problems(404, 408, 409, 413, 504),
    },
    openapi_extra=UPLOAD_BODY,
)
async def upload_documents(
    access: Write,
    workspace_id: WorkspaceId,
    request: Request,
    response: Response,
    wait: Annotated[
        bool, Query(description="Respond once the files have been read (201), not as soon as they have been received.")
    ] = False,
    idempotency_key: IdempotencyKey = None,
) -> Accepted:
    """The files are stored by their hash and read in the background: follow the ingestion at `Location`.

    Bytes that the workspace already has, or that another upload is adding, are listed as duplicates; if all are, the
    response is 409.
    """
    await open_for_upload(access, workspace_id)
    async with uploaded_files(request, access.service.settings.max_file_bytes) as files:
        names = [[file.document_id, file.name] for file in files]
        await once(request, json.dumps(names).encode(), idempotency_key)
        fresh, known = await asyncio.to_thread(_sorted_out, access, workspace_id, files)
        ingestion = await access.masis.aupload(workspace_id, Contents(fresh), by=access.caller)
    if all(file.stage == "duplicate" for file in ingestion.files):  # another upload was faster
        raise _all_known(workspace_id, [*known, *map(_known, fresh)])
    await access.record("document.upload", workspace_id, ingestion.ingestion_id, f"{len(fresh)} files")
    if wait:
        ingestion = await until_done(access, ingestion)
        response.status_code = 201
    response.headers["Location"] = location_of(ingestion)
    return Accepted(**{each.name: getattr(ingestion, each.name) for each in fields(ingestion)}, duplicates=known)


@router.get("/{document_id}", **documented("get_document", "One document, with its progress", 404))
async def get_document(access: Read, workspace_id: WorkspaceId, document_id: DocumentId) -> DocumentOut:
    return _out(await known_document(access, workspace_id, document_id))


@router.delete(
    "/{document_id}", **documented("delete_document", "Delete a document and everything derived from it", 404, 409)
)
async def delete_document(access: Write, workspace_id: WorkspaceId, document_id: DocumentId) -> DeletionReceipt:
    await known_document(access, workspace_id, document_id)
    with refused_as_conflict():
        receipt = await access.masis.adelete_document(document_id, workspace_id)
    await access.record("document.delete", workspace_id, document_id, ", ".join(receipt.file_names))
    return receipt


@router.get("/{document_id}/text", **documented("get_document_text", "The text and pages of a document", 404))
async def get_document_text(
    access: Read,
    workspace_id: WorkspaceId,
    document_id: DocumentId,
    page: Annotated[int | None, Query(ge=1, le=1_000_000, description="This page only.")] = None,
) -> DocumentText:
    await known_document(access, workspace_id, document_id)
    parsed = await parsed_document(access, workspace_id, document_id)
    read = zip(parsed.pages, pages_of(parsed), strict=True)
    found = [(each, _blocks(source, each.start)) for source, each in read if page in (None, each.number)]
    shown, blocks = [each for each, _ in found], [block for _, several in found for block in several]
    if not shown:
        raise NotHere(f"This document has no page {page}.", advice="GET …/pages lists those it has.")
    start, end = shown[0].start, shown[-1].end
    return DocumentText(
        document_id=document_id,
        title=parsed.title,
        date=parsed.date,
        text=parsed.text[start:end],
        start=start,
        end=end,
        label=shown[0].label if page else None,
        pages=shown,
        blocks=blocks,
    )


@router.get("/{document_id}/overview", **documented("get_overview", "What a document is, and what it can answer", 404))
async def get_overview(
    access: Read, workspace_id: WorkspaceId, document_id: DocumentId, response: Response
) -> Overview:
    """Its opening, sections and main figures, with their places in the text, and questions that it can answer."""
    await known_document(access, workspace_id, document_id)
    await parsed_document(access, workspace_id, document_id)
    response.headers["Cache-Control"] = "private, max-age=3600"  # its id is the hash of its bytes
    return await access.masis.aoverview(document_id, workspace_id)


@router.get(
    "/{document_id}/original",
    operation_id="get_document_original",
    summary="The original file",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}, "description": "The file."}, **problems(404)},
)
async def get_document_original(access: Read, workspace_id: WorkspaceId, document_id: DocumentId) -> Response:
    document = await known_document(access, workspace_id, document_id)
    data = await asyncio.to_thread(access.masis.library.originals.read, workspace_id, document_id)
    if data is None:
        raise NotHere("The original file of this document is not stored.", advice="Upload the file again.")
    # Always a download of plain bytes, because an upload must never run in this service's origin, whatever it claims to
    # be.
    name = quote(document.file_name)
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
    return Response(data, media_type="application/octet-stream", headers=headers)


@router.get("/{document_id}/passages/{chunk_id}", **documented("get_passage", "The passage behind a citation", 404))
async def get_passage(
    access: Read,
    workspace_id: WorkspaceId,
    document_id: DocumentId,
    chunk_id: Annotated[str, InPath(max_length=400, description="The passage's id in a citation.")],
    start: Offset = None,
    end: Offset = None,
    section: Annotated[bool, Query(description="Return the whole section that contains the passage.")] = False,
) -> Passage:
    """Passages found together are cited as one, under an id that is not in the index: pass `start` and `end`."""
    await known_document(access, workspace_id, document_id)
    library, place = access.masis.library, (document_id, start, end)
    chunk, _ = await read_words(library, workspace_id, chunk_id, place)
    if chunk.document_id != document_id:
        raise UnknownPassage("This document has no such passage.")
    if not section:
        return Passage(**asdict(chunk))
    whole = await library.section(workspace_id, chunk_id, place)
    around = {"text": whole.text, "start": whole.start, "end": whole.end, "page": whole.page, "heading": whole.heading}
    return Passage(**asdict(chunk) | around)


async def known_document(access: Access, workspace_id: str, document_id: str) -> Document:
    await access.require_workspace(workspace_id)
    document = await asyncio.to_thread(access.masis.library.catalog.document, workspace_id, document_id)
    if document is None:
        raise NotHere(f"There is no document {document_id} in {workspace_id}.")
    return document


async def parsed_document(access: Access, workspace_id: str, document_id: str) -> ParsedDocument:
    parsed = await access.masis.library.document_text(workspace_id, document_id)
    if parsed is None:
        raise NotHere("This document has not been read yet.", advice="Check its status.")
    return parsed


async def open_for_upload(access: Access, workspace_id: str) -> None:
    """If the caller may create workspaces, uploading to a new one creates it."""
    known = await asyncio.to_thread(access.masis.library.catalog.has_workspace, workspace_id)
    if not known and may(access.key, "admin", workspace_id):
        await asyncio.to_thread(access.masis.library.catalog.create_workspace, workspace_id)
        await access.record("workspace.create", workspace_id, workspace_id)
    elif not known:
        await access.require_workspace(workspace_id)


def _sorted_out(
    access: Access, workspace_id: str, files: Sequence[FormFile]
) -> tuple[list[FormFile], list[DocumentName]]:
    """The new files, each once, and those that the workspace already has or is about to read. A file that failed or was
    only partly read may be tried again."""
    fresh: dict[str, FormFile] = {}
    known: list[DocumentName] = []
    coming = access.masis.being_ingested(workspace_id)
    for file in files:
        document = access.masis.library.catalog.document(workspace_id, file.document_id)
        is_ready = document is not None and document.status == "READY"
        if is_ready or file.document_id in fresh or file.document_id in coming:
            known.append(_known(file))
        else:
            fresh[file.document_id] = file
    if not fresh:
        raise _all_known(workspace_id, known)
    return list(fresh.values()), known


def _known(file: FormFile) -> DocumentName:
    return DocumentName(document_id=file.document_id, file_name=file.name)


def _all_known(workspace_id: str, known: list[DocumentName]) -> AllKnown:
    return AllKnown(f"{workspace_id} already has all of these files, or is reading them.", known)


def _out(document: Document) -> DocumentOut:
    address = document.source if scheme_of(document.source or "") else None
    fields = [name for name in DocumentOut.model_fields if name != "address"]
    return DocumentOut(**{name: getattr(document, name) for name in fields}, address=address)


def pages_of(parsed: ParsedDocument) -> list[PageOut]:
    pages: list[PageOut] = []
    start = 0
    for page in parsed.pages:
        end = start + len(page.text)
        pages.append(PageOut(number=page.number, label=page.label, start=start, end=end))
        start = end + len(PAGE_BREAK)
    return pages


def _blocks(page: SourcePage, start: int) -> Iterator[BlockOut]:
    for block in blocks_of(page):
        yield BlockOut(
            kind=block.kind,
            page=page.number,
            start=start + block.start,
            end=start + block.end,
            level=block.level,
            box=block.box,
            table=_table(page.text, block, start) if block.kind == "table" else None,
        )


def _table(text: str, block: Block, start: int) -> TableOut:
    table = read_table(text, block)
    rows = [[(start + first, start + last) for first, last in row] for row in table.rows]
    return TableOut(caption=table.caption, unit=table.unit, header=list(table.header), rows=rows)

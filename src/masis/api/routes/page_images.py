"""Documents page by page: where each page begins, and the pages of a PDF as images with the cited words marked."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response

from masis.api.access import Read
from masis.api.middleware.problems import NotHere, documented, problems
from masis.api.models import MarkOut, Offset, PageOut, WorkspaceId
from masis.api.routes.documents import DocumentId, known_document, pages_of, parsed_document
from masis.errors import UnreadableFile
from masis.sources.pdf.page_image import MOST_QUOTED, WIDTHS, PageImage, Wanted, skeleton_of
from masis.sources.sniff import is_pdf
from masis.types import PAGE_BREAK, ParsedDocument

router = APIRouter(prefix="/masis/workspaces/{workspace_id}/documents/{document_id}", tags=["documents"])


PageNumber = Annotated[int, Path(ge=1, le=1_000_000, description="Counted from 1.")]
Width = Annotated[int, Query(ge=WIDTHS[0], le=WIDTHS[-1], description="In pixels.")]
_WIDTH = 900


@router.get("/pages", **documented("list_pages", "Where each page begins and ends", 404))
async def list_pages(access: Read, workspace_id: WorkspaceId, document_id: DocumentId) -> list[PageOut]:
    await known_document(access, workspace_id, document_id)
    return pages_of(await parsed_document(access, workspace_id, document_id))


async def _drawn(
    access: Read,
    workspace_id: WorkspaceId,
    document_id: DocumentId,
    number: PageNumber,
    width: Width = _WIDTH,
    start: Offset = None,
    end: Offset = None,
) -> PageImage:
    document = await known_document(access, workspace_id, document_id)
    images, key = access.service.page_images, (document_id, number, width, start, end)
    if kept := images.kept(key):
        return kept
    data = await asyncio.to_thread(access.masis.library.originals.read, workspace_id, document_id)
    if data is None or not is_pdf(data):
        raise NotHere("This document has no page images.", advice="Read its text, or download the original.")
    parsed = await parsed_document(access, workspace_id, document_id)
    wanted = _wanted(parsed, number, width, start, end)
    try:
        return await asyncio.to_thread(images.drawn, key, data, document.file_name, wanted)
    except UnreadableFile as error:
        raise NotHere(str(error), advice="Read the page's text, or download the original.") from error


Drawn = Annotated[PageImage, Depends(_drawn)]


@router.get(
    "/pages/{number}.png",
    operation_id="get_page_image",
    summary="A page of a PDF as an image, with the words of a citation marked",
    response_class=Response,
    responses={
        200: {
            "content": {"image/png": {}},
            "description": "The page.",
            "headers": {"X-Marks": {"description": "How many lines are marked.", "schema": {"type": "integer"}}},
        },
        **problems(404),
    },
)
async def get_page_image(image: Drawn) -> Response:
    """If the words cannot be found on the page, the image has no marks and `X-Marks` is 0."""
    # Access depends on the cookie: the user's browser may cache the image, but nothing between may.
    # A different cookie is a different request: the next person to sign in at this browser may see less.
    headers = {"X-Marks": str(len(image.boxes)), "Cache-Control": "private, max-age=3600", "Vary": "Cookie"}
    return Response(image.png, media_type="image/png", headers=headers)


@router.get(
    "/pages/{number}/marks",
    **documented("list_page_marks", "Where the words of a citation are on the page image", 404),
)
async def list_page_marks(image: Drawn) -> list[MarkOut]:
    """A box for each line, in reading order. With the same width as the image, the page is not rendered again."""
    return [MarkOut(left=left, top=top, right=right, bottom=bottom) for left, top, right, bottom in image.boxes]


def _wanted(parsed: ParsedDocument, number: int, width: int, start: int | None, end: int | None) -> Wanted:
    """The part of the span that is on this page, in the character positions of pdfium's text."""
    page_start = 0
    for page in parsed.pages:
        if page.number == number:
            if start is None or end is None:
                return Wanted(number, width)
            first, last = max(start - page_start, 0), max(end - page_start, 0)
            quote = skeleton_of(page.text[first:last]).text[:MOST_QUOTED]
            return Wanted(number, width, quote, len(skeleton_of(page.text[:first]).text))
        page_start += len(page.text) + len(PAGE_BREAK)
    raise NotHere(f"This document has no page {number}.", advice=f"It has {len(parsed.pages)} pages.")

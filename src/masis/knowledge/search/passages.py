"""The exact words behind a citation, also where several passages were found together."""

import asyncio

from masis.errors import UnknownPassage
from masis.knowledge.library import Library
from masis.types import PAGE_BREAK, Chunk, Page, ParsedDocument

Place = tuple[str | None, int | None, int | None]
"""A document's id, and where in its text a passage begins and ends."""


async def read_words(library: Library, workspace: str, chunk_id: str, place: Place) -> tuple[Chunk, str]:
    """The passage, and the whole text that it stands in."""
    chunk = await library.passage(workspace, chunk_id) or await _at(library, workspace, chunk_id, place)
    parsed = await library.document_text(workspace, chunk.document_id)
    return chunk, parsed.text if parsed else ""


async def _at(library: Library, workspace: str, chunk_id: str, place: Place) -> Chunk:
    """Neighbours that were found together are cited as one, under an id that no index holds: their place tells."""
    document_id, start, end = place
    if document_id is None or start is None or end is None:
        raise _not_there(chunk_id)
    parsed = await library.document_text(workspace, document_id)
    document = await asyncio.to_thread(library.catalog.document, workspace, document_id)
    if parsed is None or document is None or not start < end <= len(parsed.text):
        raise _not_there(chunk_id)
    page = _page_at(parsed, start)
    words = parsed.text[start:end]
    return Chunk(chunk_id, document_id, document.file_name, words, page.number, start, end, label=page.label)


def _page_at(parsed: ParsedDocument, position: int) -> Page:
    for page in parsed.pages:
        position -= len(page.text) + len(PAGE_BREAK)
        if position < 0:
            return page
    return parsed.pages[-1]


def _not_there(chunk_id: str) -> UnknownPassage:
    return UnknownPassage(f"There is no passage {chunk_id[:40]!r} in this workspace.")

"""The exact words behind a citation, also where several passages were found together; and what stands around them."""

import asyncio
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from masis.errors import UnknownPassage
from masis.language.words import content_stems
from masis.types import PAGE_BREAK, Chunk, Document, EvidenceChunk, Page, ParsedDocument

if TYPE_CHECKING:
    from masis.knowledge.library import Library

LONGEST_TABLE = 24_000
"""Characters."""
BETWEEN_PARTS = 4


def meant_document(question: str, documents: Sequence[Document], found: Sequence[EvidenceChunk]) -> str | None:
    """The document that the question names by its file, the only one there is, or the one that was found first."""
    asked = set(content_stems(question))
    shared = {d.document_id: len(asked & set(content_stems(re.sub(r"[\W_]", " ", d.file_name)))) for d in documents}
    most = max(shared.values(), default=0)
    # Names that the question's words tell no further apart: what was found first decides.
    meant = [name for name, count in shared.items() if count == most]
    ranked = [chunk["document_id"] for chunk in found if chunk["document_id"] in meant]
    return meant[0] if len(meant) == 1 and (most or len(documents) == 1) else next(iter(ranked), None)


def openings(chunks: Sequence[Chunk], limit: int) -> list[EvidenceChunk]:
    """In their order: the first passage, and each that stands under another heading than the one before."""
    in_order = sorted(chunks, key=lambda chunk: chunk.start)
    first = in_order[:1]
    later = [two for one, two in pairwise(in_order) if two.heading != one.heading] or in_order[1:]
    return [_as_evidence(chunk) for chunk in [*first, *later][:limit]]


def rest_of_table(chunks: Sequence[Chunk], found: EvidenceChunk) -> list[EvidenceChunk]:
    """The passages that have the other rows of a table that was cut; none of a table too long to be read whole."""
    in_order = sorted(chunks, key=lambda chunk: chunk.start)
    inside = [n for n, c in enumerate(in_order) if c.start < found["end"] and found["start"] < c.end]
    if not inside:
        return []
    first, last = inside[0], inside[-1]
    while first and _continues(in_order[first], in_order[first - 1]):
        first -= 1
    while last + 1 < len(in_order) and _continues(in_order[last + 1], in_order[last]):
        last += 1
    if in_order[last].end - in_order[first].start > LONGEST_TABLE:
        return []
    others = [c for n, c in enumerate(in_order[first : last + 1], start=first) if n not in inside]
    return [
        {**_as_evidence(c), "score": found["score"], "title": found.get("title", ""), "about": found.get("about", "")}
        for c in others
    ]


def _continues(chunk: Chunk, before: Chunk) -> bool:
    """Rows whose header stands above the passage, right behind those of the passage before."""
    header = re.split(r"\n| > ", chunk.heading or "")[-1]
    return header.startswith("|") and chunk.text.startswith("|") and 0 <= chunk.start - before.end <= BETWEEN_PARTS


def _as_evidence(chunk: Chunk) -> EvidenceChunk:
    return {
        "chunk_id": chunk.chunk_id,
        "file_name": chunk.file_name,
        "text": chunk.text,
        "score": 1.0,
        "document_id": chunk.document_id,
        "page": chunk.page,
        "start": chunk.start,
        "end": chunk.end,
        "heading": chunk.heading,
        "date": chunk.date,
        "label": chunk.label,
    }


Place = tuple[str | None, int | None, int | None]
"""A document's id, and where in its text a passage begins and ends."""
NOWHERE: Place = (None, None, None)


async def read_words(library: "Library", workspace: str, chunk_id: str, place: Place) -> tuple[Chunk, str]:
    """The passage, and the whole text that it stands in."""
    chunk = await library.passage(workspace, chunk_id) or await _at(library, workspace, chunk_id, place)
    parsed = await library.document_text(workspace, chunk.document_id)
    return chunk, parsed.text if parsed else ""


async def _at(library: "Library", workspace: str, chunk_id: str, place: Place) -> Chunk:
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

"""Finds the exact text of a citation, even if it spans several passages, and the text around it."""

import asyncio
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from masis.errors import UnknownPassage
from masis.knowledge.store.port import StoreFilters, VectorStore, days_of
from masis.language.salience import SUMS_UP, key_statements, telling_rows
from masis.language.statements import statements
from masis.language.words import content_stems
from masis.types import PAGE_BREAK, Chunk, Document, EvidenceChunk, Page, ParsedDocument

if TYPE_CHECKING:
    from masis.knowledge.library import Library

TABLES_COMPLETED = 3
"""How many of the passages with table rows get their whole table."""
READ_BESIDE = 5
LONGEST_TABLE = 24_000
"""In characters."""
BETWEEN_PARTS = 4
BETWEEN_FOUND = 1_200
READ_ON = 800
"""Characters read between two passages that were found, and after one."""
HEADER_LINES = 2
"""The header of a table: its columns and the rule below them."""
FEWEST_KEY = 2
MOST_READ = 80
"""The most passages read for an overview."""
SEVERAL = re.compile(
    r"\b(?:these|those|all|my|the)\s+(?:[\w-]+\s+){0,2}(?:documents|files|reports|papers|articles|materials|policies)\b|\beverything\b",
    re.IGNORECASE,
)
"""A question about more than one whole document."""
ONE = re.compile(r"\b(?:this|the|that|it|its)\b", re.IGNORECASE)
"""“Give me an overview” names no document and means all of them."""
FEWEST_OF_EACH = 2
"""Key sentences per document in a summary of several."""
MOST_SUMMED_UP = 20
"""The most documents in a summary of several."""


def is_within(document: Document, within: StoreFilters) -> bool:
    """Whether a search with these filters covers the document. A file that only contains other files has no text
    itself."""
    kind = PurePosixPath(document.file_name).suffix.lower().lstrip(".")
    first, last = days_of(document.date) or (None, None)
    return (
        not (document.members and not document.chunks)
        and (not within.document_ids or document.document_id in within.document_ids)
        and (not within.file_types or kind in within.file_types)
        and (within.first_day is None or (last is not None and last >= within.first_day))
        and (within.last_day is None or (first is not None and first <= within.last_day))
    )


def meant_document(question: str, documents: Sequence[Document], found: Sequence[EvidenceChunk]) -> str | None:
    """The document that the question names by its file name, or the only one, or else the one found first."""
    asked = set(content_stems(question))
    shared = {d.document_id: len(asked & set(content_stems(re.sub(r"[\W_]", " ", d.file_name)))) for d in documents}
    most = max(shared.values(), default=0)
    # If the question's words match several names equally well, the one found first is meant.
    meant = [name for name, count in shared.items() if count == most]
    ranked = [chunk["document_id"] for chunk in found if chunk["document_id"] in meant]
    return meant[0] if len(meant) == 1 and (most or len(documents) == 1) else next(iter(ranked), None)


def meant_documents(
    question: str, documents: Sequence[Document], found: Sequence[EvidenceChunk]
) -> tuple[list[str], list[str]]:
    """The ids of the documents to open, and the names of all documents if the question is about several."""
    ready = [d for d in documents if d.status == "READY"]
    if SEVERAL.search(question) or not ONE.search(question):
        return [d.document_id for d in ready if d.chunks][:MOST_SUMMED_UP], [d.file_name for d in documents]
    one = meant_document(question, ready, found)
    return [one] if one else [], []


def substance(chunks: Sequence[Chunk], limit: int, title: str = "") -> list[EvidenceChunk]:
    """The passages with a document's key sentences, in order. If there are too few, the passages that open the document
    and its sections."""
    in_order = sorted(chunks, key=lambda chunk: chunk.start)
    read = in_order if len(in_order) <= MOST_READ else _spread(in_order)
    given = [(chunk, one) for chunk in read for one in statements(chunk.text, chunk.heading)]
    kept = key_statements([one for _, one in given], limit, title)
    if len(kept) < FEWEST_KEY:
        kept += telling_rows([one for _, one in given], limit)
    holding = list({given[place][0].chunk_id: given[place][0] for place in kept}.values())
    later = [two for one, two in pairwise(in_order) if two.heading != one.heading] or in_order[1:]
    opening = [chunk for chunk in [*in_order[:1], *later] if chunk not in holding]
    enough = holding if len(kept) >= FEWEST_KEY else [*holding, *opening][:limit]
    return [_as_evidence(chunk) for chunk in sorted(enough, key=lambda chunk: chunk.start)]


def _spread(in_order: Sequence[Chunk]) -> list[Chunk]:
    """For a long document: its beginning, its summaries, and the openings of its sections."""
    first = set(range(MOST_READ // 2))
    sums_up = [n for n, chunk in enumerate(in_order) if SUMS_UP.search((chunk.heading or "")[-80:])]
    opens = [n + 1 for n, (one, two) in enumerate(pairwise(in_order)) if one.heading != two.heading]
    later = [n for n in dict.fromkeys([*sums_up, *opens]) if n not in first]
    return [in_order[n] for n in sorted({*first, *later[: MOST_READ - len(first)]})]


async def with_whole_tables(
    store: VectorStore, workspace_id: str, evidence: Sequence[EvidenceChunk], and_beside: int
) -> list[EvidenceChunk]:
    added: dict[str, EvidenceChunk] = {}
    too_long: dict[str, int] = {}
    with_rows = [chunk for chunk in evidence if "\n|" in f"\n{chunk['text']}"]
    for found in with_rows[:TABLES_COMPLETED]:
        indexed = await store.chunks(workspace_id, found["document_id"])
        others, too_long[found["chunk_id"]] = rest_of_table([item.chunk for item in indexed], found)
        added |= {c["chunk_id"]: c for c in others}
    best = evidence[:READ_BESIDE] if and_beside else []
    for name in (names := dict.fromkeys(chunk["document_id"] for chunk in best)):
        stored = [item.chunk for item in await store.chunks(workspace_id, name)]
        added |= beside(stored, (*evidence, *added.values()), best, and_beside // len(names))
    known = {chunk["chunk_id"] for chunk in evidence}
    counted: list[EvidenceChunk] = [
        {**c, "table_rows": rows} if (rows := too_long.get(c["chunk_id"])) else c for c in evidence
    ]
    return [*counted, *(chunk for name, chunk in added.items() if name not in known)]


def rest_of_table(chunks: Sequence[Chunk], found: EvidenceChunk) -> tuple[list[EvidenceChunk], int]:
    """The passages with the other rows of a table that was split. For a table too long to be read whole, no passages
    but the number of its rows."""
    in_order = sorted(chunks, key=lambda chunk: chunk.start)
    inside = [n for n, c in enumerate(in_order) if c.start < found["end"] and found["start"] < c.end]
    if not inside:
        return [], 0
    first, last = inside[0], inside[-1]
    while first and _continues(in_order[first], in_order[first - 1]):
        first -= 1
    while last + 1 < len(in_order) and _continues(in_order[last + 1], in_order[last]):
        last += 1
    parts = in_order[first : last + 1]
    if parts[-1].end - parts[0].start > LONGEST_TABLE:
        lines = sum(line.startswith("|") for part in parts for line in part.text.splitlines())
        return [], lines - HEADER_LINES
    others = [c for n, c in enumerate(parts, start=first) if n not in inside]
    return [
        {**_as_evidence(c), "score": found["score"], "title": found.get("title", ""), "about": found.get("about", "")}
        for c in others
    ], 0


def beside(
    chunks: Sequence[Chunk], evidence: Sequence[EvidenceChunk], best: Sequence[EvidenceChunk], most: int
) -> dict[str, EvidenceChunk]:
    """Passages between two found ones that are a few lines apart, then those right after the best: the list under its
    heading, the note under its table, the paragraph that explains the row."""
    found = [one for one in evidence if one["document_id"] in {chunk.document_id for chunk in chunks}]
    spans = sorted((one["start"], one["end"]) for one in found)
    gaps = [(end, start) for (_, end), (start, _) in pairwise(spans) if 0 < start - end <= BETWEEN_FOUND]
    gaps += [(one["end"], one["end"] + READ_ON) for one in best if one in found]
    new = [c for c in chunks if not any(c.start < end and start < c.end for start, end in spans)]
    in_order = sorted(new, key=lambda c: c.start)
    inside = {c.chunk_id: c for start, end in gaps for c in in_order if start <= c.start < end}
    added: dict[str, EvidenceChunk] = {}
    for name, chunk in inside.items():
        last = min(found, key=lambda one: one["score"])
        title, about = last.get("title", ""), last.get("about", "")
        if sum(len(one["text"]) for one in added.values()) + len(chunk.text) <= most:
            added[name] = {**_as_evidence(chunk), "score": last["score"], "title": title, "about": about}
    return added


def _continues(chunk: Chunk, before: Chunk) -> bool:
    """Whether the passage continues the table of the passage before it: it begins with rows, and their header is in its
    heading."""
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
"""A document id, and the start and end of a passage in its text."""
NOWHERE: Place = (None, None, None)


async def read_words(library: "Library", workspace: str, chunk_id: str, place: Place) -> tuple[Chunk, str]:
    """The passage, and the whole text of its document."""
    chunk = await library.passage(workspace, chunk_id) or await _at(library, workspace, chunk_id, place)
    parsed = await library.document_text(workspace, chunk.document_id)
    return chunk, parsed.text if parsed else ""


async def _at(library: "Library", workspace: str, chunk_id: str, place: Place) -> Chunk:
    """Adjacent passages found together are cited as one, with an id that is not in the index. Their position identifies
    them."""
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

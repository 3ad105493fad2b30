"""Passages that stand side by side in their document and were both found are read as one."""

from collections.abc import Callable, Sequence

from masis.knowledge.ingestion.chunk_ids import chunk_id
from masis.types import EvidenceChunk

TextOf = Callable[[str], str | None]
"""The extracted text of a document, by its id; None when it is no longer there."""


def joined(evidence: Sequence[EvidenceChunk], text_of: TextOf, limit_chars: int) -> list[EvidenceChunk]:
    """Each passage in the place of its best part; none longer than the limit that was not so before."""
    passages: list[EvidenceChunk] = []
    texts: dict[str, str | None] = {}
    for found in evidence:
        document = found["document_id"]
        if document not in texts:
            texts[document] = text_of(document)
        _place(found, passages, texts[document], limit_chars)
    return passages


def _place(found: EvidenceChunk, passages: list[EvidenceChunk], text: str | None, limit: int) -> None:
    """Joins a passage to those it touches; what it closes the gap between becomes one as well."""
    place: int | None = None
    for index, passage in enumerate(list(passages)):
        if text is None or not _may_join(passage, found, text, limit):
            continue
        found = _union(passage, found, text)
        if place is None:
            place = index
            passages[index] = found
        else:
            passages[place] = found
            passages.remove(passage)
    if place is None:
        passages.append(found)


def _may_join(one: EvidenceChunk, other: EvidenceChunk, text: str, limit: int) -> bool:
    if (one["document_id"], one["page"]) != (other["document_id"], other["page"]):
        return False
    first, second = sorted((one, other), key=lambda passage: passage["start"])
    touches = not text[first["end"] : second["start"]].strip()
    # A document replaced since has another text under the same spans.
    is_current = all(text[each["start"] : each["end"]] == each["text"] for each in (one, other))
    return touches and is_current and max(first["end"], second["end"]) - first["start"] <= limit


def _union(better: EvidenceChunk, other: EvidenceChunk, text: str) -> EvidenceChunk:
    first = min(better, other, key=lambda passage: passage["start"])
    start, end = first["start"], max(better["end"], other["end"])
    whole = text[start:end]
    return {
        # The headings of the first part stand above the whole.
        **first,
        "chunk_id": chunk_id(first["document_id"], start, end, whole),
        "text": whole,
        "score": max(better["score"], other["score"]),
        "start": start,
        "end": end,
    }

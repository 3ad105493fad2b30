"""What is shown if the documents do not answer: the closest passages, and the words that no document has."""

from collections.abc import Sequence

from masis.language.question import parsed
from masis.language.statements import Statement, read_out, statements
from masis.language.words import content_stems, stem, words
from masis.orchestrator.services import Services
from masis.reasoning.offline.selection import strongest_of_each
from masis.reasoning.ports import as_passage
from masis.types import ClosestPassage, EvidenceChunk

SHOWN = 3
EXCERPT = 300
MOST_WORDS = 12


def closest_passages(
    question: str, candidates: Sequence[EvidenceChunk], to_read: Sequence[EvidenceChunk] = ()
) -> list[ClosestPassage]:
    """The passages closest to the question.

    First those of `to_read` that come nearest to an answer according to the embedded models, then those with the most
    words of the question; ties keep the order of the search.
    """
    wanted = parsed(question).subject
    by_id = {chunk["chunk_id"]: chunk for chunk in to_read}
    read = strongest_of_each(parsed(question), [as_passage(chunk) for chunk in to_read])[:SHOWN]
    nearest = [_closest(question, wanted, by_id[c.passage.chunk_id], c.statement.start) for c in read]
    known = {one["chunk_id"] for one in nearest}
    others = [_closest(question, wanted, chunk) for chunk in candidates if chunk["chunk_id"] not in known]
    return [*nearest, *sorted(others, key=lambda one: (-len(one["words"]), -one["score"]))][:SHOWN]


def _closest(question: str, wanted: frozenset[str], chunk: EvidenceChunk, begins: int | None = None) -> ClosestPassage:
    """`begins` is the offset of the statement to show; if None, the statement with the most words of the question is
    shown."""
    text = chunk["text"]
    parts = statements(text, chunk.get("heading")) or (Statement(text[:EXCERPT], 0, min(EXCERPT, len(text))),)
    best = max(parts, key=lambda s: (s.start == begins, len(wanted & set(content_stems(s.text))), -s.start))
    here = set(content_stems(f"{chunk.get('heading') or ''} {text}"))
    end = _end_of_excerpt(best, parts)
    return {
        "chunk_id": chunk["chunk_id"],
        "document_id": chunk["document_id"],
        "file_name": chunk["file_name"],
        "page": chunk["page"],
        "label": chunk.get("label"),
        "heading": chunk.get("heading"),
        "start": chunk["start"] + best.start,
        "end": chunk["start"] + end,
        "quote": text[best.start : end],
        "shown": read_out(text[best.start : end], text, chunk.get("heading")),
        "words": list(dict.fromkeys(w for w in words(question) if stem(w) in wanted and stem(w) in here)),
        "score": chunk["score"],
    }


def _end_of_excerpt(best: Statement, parts: Sequence[Statement]) -> int:
    """Extends a short statement (a heading, the address of a letter) by what follows it."""
    after = [part for part in parts if part.start >= best.end] if not best.is_row else []
    end = best.end
    for part in after:
        if part.is_row or part.end - best.start > EXCERPT:
            break
        end = part.end
    return end


async def absent_words(
    question: str, candidates: Sequence[EvidenceChunk], workspace_id: str, services: Services
) -> list[str]:
    """Content words of the question that no document of the workspace contains in any form, according to the keyword
    index."""
    here = {s for chunk in candidates for s in content_stems(f"{chunk.get('heading') or ''} {chunk['text']}")}
    wanted = parsed(question).subject - here
    asked = list(dict.fromkeys(w for w in words(question) if stem(w) in wanted))[:MOST_WORDS]
    if not asked or services.mentions is None:
        return []
    found = await services.mentions(workspace_id, asked)
    return [word for word in asked if (seen := found.get(word)) is not None and not seen.documents]

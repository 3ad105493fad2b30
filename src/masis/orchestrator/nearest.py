"""What a silence rests on: the passages that come nearest to the question, and the words that no document has."""

from collections.abc import Sequence

from masis.language.question import parsed
from masis.language.statements import Statement, statements
from masis.language.words import content_stems, stem, words
from masis.orchestrator.services import Services
from masis.types import ClosestPassage, EvidenceChunk

SHOWN = 3
MOST_WORDS = 12


def closest_passages(question: str, candidates: Sequence[EvidenceChunk]) -> list[ClosestPassage]:
    """Those with most of the question's words, and at equal count as the search ranked them."""
    wanted = parsed(question).subject
    found = [_closest(question, wanted, chunk) for chunk in candidates]
    return sorted(found, key=lambda one: (-len(one["words"]), -one["score"]))[:SHOWN]


def _closest(question: str, wanted: frozenset[str], chunk: EvidenceChunk) -> ClosestPassage:
    text = chunk["text"]
    parts = statements(text, chunk.get("heading")) or (Statement(text[:300], 0, min(300, len(text))),)
    best = max(parts, key=lambda s: (len(wanted & set(content_stems(s.text))), -s.start))
    here = set(content_stems(f"{chunk.get('heading') or ''} {text}"))
    return {
        "chunk_id": chunk["chunk_id"],
        "document_id": chunk["document_id"],
        "file_name": chunk["file_name"],
        "page": chunk["page"],
        "label": chunk.get("label"),
        "heading": chunk.get("heading"),
        "start": chunk["start"] + best.start,
        "end": chunk["start"] + best.end,
        "quote": best.text,
        "words": list(dict.fromkeys(w for w in words(question) if stem(w) in wanted and stem(w) in here)),
        "score": chunk["score"],
    }


async def absent_words(
    question: str, candidates: Sequence[EvidenceChunk], workspace_id: str, services: Services
) -> list[str]:
    """Words with content that no document has, by the keyword index of the whole workspace, in none of their forms."""
    here = {s for chunk in candidates for s in content_stems(f"{chunk.get('heading') or ''} {chunk['text']}")}
    wanted = parsed(question).subject - here
    asked = list(dict.fromkeys(w for w in words(question) if stem(w) in wanted))[:MOST_WORDS]
    if not asked or services.mentions is None:
        return []
    found = await services.mentions(workspace_id, asked)
    return [word for word in asked if (seen := found.get(word)) is not None and not seen.documents]

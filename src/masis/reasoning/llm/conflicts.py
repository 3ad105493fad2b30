"""Conflicts as the auditor reports them, made into records where the passages it names exist."""

import re
from collections.abc import Mapping, Sequence

from masis.reasoning.llm.schemas import ReportedConflict
from masis.types import Conflict, ConflictSide, EvidenceChunk

_LONGEST_QUOTE = 300


def resolve(
    reported: Sequence[ReportedConflict], evidence: Sequence[EvidenceChunk]
) -> tuple[list[Conflict], list[str]]:
    """Records with both sides quoted from the evidence; sentences for those whose sides are not in it."""
    chunks = {chunk["chunk_id"]: chunk for chunk in evidence}
    records: list[Conflict] = []
    sentences: list[str] = []
    for each in reported:
        if each.value_a and each.value_a == each.value_b:
            continue  # two passages that say the same
        record = _record(each, chunks)
        if record is not None:
            records.append(record)
        elif sentence := _sentence(each):
            sentences.append(sentence)
    return records, sentences


def _record(reported: ReportedConflict, chunks: Mapping[str, EvidenceChunk]) -> Conflict | None:
    chunk_a, chunk_b = (chunks.get(bare_id(id_)) for id_ in (reported.chunk_a, reported.chunk_b))
    if chunk_a is None or chunk_b is None:
        return None
    return Conflict(
        about=reported.about or "the same fact",
        period=reported.period or None,
        kind=reported.kind,
        sides=[_side(reported.value_a, chunk_a), _side(reported.value_b, chunk_b)],
        explanation=_sentence(reported),
    )


def _side(value: str, chunk: EvidenceChunk) -> ConflictSide:
    return ConflictSide(
        value=value,
        quote=_quote(value, chunk["text"]),
        chunk_id=chunk["chunk_id"],
        document_id=chunk["document_id"],
        file_name=chunk["file_name"],
        date=chunk.get("date"),
        page=chunk["page"],
    )


def _quote(value: str, text: str) -> str:
    """The line of the passage that holds the value, word for word; its beginning when none does."""
    found = re.search(re.escape(value), text, re.IGNORECASE) if value else None
    if found is None:
        return text[:_LONGEST_QUOTE].strip()
    start = text.rfind("\n", 0, found.start()) + 1
    end = text.find("\n", found.end())
    line = text[start : end if end >= 0 else len(text)]
    if len(line) <= _LONGEST_QUOTE:
        return line.strip()
    before = max(0, found.start() - start - (_LONGEST_QUOTE - len(value)) // 2)
    return line[before : before + _LONGEST_QUOTE].strip()


def _sentence(reported: ReportedConflict) -> str:
    values = [
        f"{value or 'another value'} [{bare_id(chunk)}]" if chunk else value
        for value, chunk in ((reported.value_a, reported.chunk_a), (reported.value_b, reported.chunk_b))
    ]
    against = " against ".join(filter(None, values))
    return ": ".join(filter(None, (reported.about, against)))


def bare_id(chunk_id: str) -> str:
    """The id without the brackets it is cited in."""
    return chunk_id.strip().removeprefix("[").removesuffix("]").strip()

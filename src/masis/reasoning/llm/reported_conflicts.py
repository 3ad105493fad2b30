"""The conflicts that a chat model reports, checked against the evidence."""

import re
from collections.abc import Mapping, Sequence

from masis.audit.conflicts.agreement import gives, same_answer
from masis.audit.conflicts.explanations import Worded, are_comparable, at_other_times, kind_by_words
from masis.language.instructions import readable
from masis.language.periods import periods
from masis.language.statements import statements
from masis.reasoning.llm.structured import ReportedConflict
from masis.types import Conflict, ConflictKind, ConflictSide, EvidenceChunk

_LONGEST_QUOTE = 300


def resolve(
    reported: Sequence[ReportedConflict], evidence: Sequence[EvidenceChunk]
) -> tuple[list[Conflict], list[str]]:
    """Returns records with both sides quoted from the evidence, and sentences for contradictions that code can neither
    confirm nor refute.

    Conflicts that the auditor explains itself or cannot name are dropped if there is no record of them: they are not
    worth a person's time.
    """
    # A value that only occurs in an instruction inside a document is not a statement of that document.
    honest = readable(evidence)
    chunks = {chunk["chunk_id"]: chunk for chunk in honest}
    records: list[Conflict] = []
    sentences: list[str] = []
    for each in reported:
        if _agree(each) or _is_made_up(each, honest):
            continue
        record = _record(each, chunks)
        if record is not None and not _both_say_both(record, chunks):
            records.append(record)
        elif record is None and each.kind == "contradiction" and (sentence := _sentence(each)):
            sentences.append(sentence)
    return records, sentences


def _agree(reported: ReportedConflict) -> bool:
    """$4.2bn and 4,200 million are the same value."""
    return bool(reported.value_a and reported.value_b) and same_answer(reported.value_a, reported.value_b)


def _is_made_up(reported: ReportedConflict, evidence: Sequence[EvidenceChunk]) -> bool:
    """Whether one of the values it names is in no passage at all."""
    return any(
        value and not any(gives(chunk["text"], value) for chunk in evidence)
        for value in (reported.value_a, reported.value_b)
    )


def _both_say_both(record: Conflict, chunks: Mapping[str, EvidenceChunk]) -> bool:
    """Copies of one text, or passages that each give both values, do not contradict each other."""
    texts = [chunks[side["chunk_id"]]["text"] for side in record["sides"]]
    values = [side["value"] for side in record["sides"]]
    return all(values) and all(gives(text, value) for text in texts for value in values)


def _record(reported: ReportedConflict, chunks: Mapping[str, EvidenceChunk]) -> Conflict | None:
    chunk_a, chunk_b = (chunks.get(bare_id(id_)) for id_ in (reported.chunk_a, reported.chunk_b))
    if chunk_a is None or chunk_b is None:
        return None
    # Models mix up which value belongs to which passage more often than they invent one.
    placed = ((chunk_a, chunk_b), (chunk_b, chunk_a))
    found = next((p for p in placed if _is_in(reported.value_a, p[0]) and _is_in(reported.value_b, p[1])), None)
    if found is None:
        return None
    sides = [_side(reported.value_a, found[0]), _side(reported.value_b, found[1])]
    return Conflict(
        about=reported.about or "the same fact",
        period=reported.period or None,
        kind=_kind(reported, sides, found),
        sides=sides,
        explanation=_sentence(reported),
    )


def _is_in(value: str, chunk: EvidenceChunk) -> bool:
    return not value or gives(chunk["text"], value)


def _kind(
    reported: ReportedConflict, sides: Sequence[ConflictSide], chunks: tuple[EvidenceChunk, EvidenceChunk]
) -> ConflictKind:
    """What both passages say explicitly outweighs the auditor's label."""
    ours, theirs = (_worded(side, chunk) for side, chunk in zip(sides, chunks, strict=True))
    kind = kind_by_words(reported.about, ours, theirs)
    first, second = (tuple(periods(side["quote"])) for side in sides)
    are_dates = any(periods(side["value"]) for side in sides)
    if kind == "different_period" or (not are_dates and at_other_times(first, second)):
        return "different_period"
    if reported.kind != "contradiction" and reported.kind != "unknown":
        return reported.kind
    return kind if are_comparable(reported.about, ours, theirs) else "different_definition"


def _worded(side: ConflictSide, chunk: EvidenceChunk) -> Worded:
    """Reads the value in its own sentence: the quoted line may be a paragraph with another sentence that is a plan."""
    saying_so = (s.text for s in statements(side["quote"]) if side["value"] and gives(s.text, side["value"]))
    return Worded(side["value"], next(saying_so, side["quote"]), chunk["text"])


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
    """The line of the passage with the value, verbatim, or its beginning if no line has it."""
    found = re.search(re.escape(value), text, re.IGNORECASE) if value else None
    if found is None:
        saying_so = (s.text for s in statements(text) if value and gives(s.text, value))
        return next(saying_so, text)[:_LONGEST_QUOTE].strip()
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

"""Documents that answer one question differently, in words as much as in figures, as a reader finds them in each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import log

from masis.audit.conflicts.agreement import is_copy, same_answer
from masis.audit.conflicts.conflict_records import Said, record, strongest, without_copies
from masis.audit.conflicts.detection import find_conflicts, joined
from masis.audit.conflicts.explanations import (
    Worded,
    are_comparable,
    are_issues_of_one_series,
    are_namesakes,
    kind_by_words,
)
from masis.audit.conflicts.wanted import could_answer
from masis.embedded.selector import Selection, Unit, select_all
from masis.language.instructions import readable
from masis.language.periods import periods
from masis.language.question import read_question
from masis.language.statements import statements
from masis.language.words import content_stems
from masis.reasoning.offline.relevance import is_of_another_office
from masis.types import Conflict, ConflictKind, EvidenceChunk

SUREST = 1e-9
_IMPOSSIBLE = -1e9


@dataclass(frozen=True, slots=True)
class Reading:
    """`text[start:end]` are the words that answer best; above 0 the text is taken to answer."""

    start: int
    end: int
    strength: float


def read_answers(question: str, texts: Sequence[str]) -> list[Reading]:
    return [_reading(one) for one in select_all(question, [(text, units_of(text)) for text in texts])]


def units_of(text: str) -> list[Unit]:
    return [(s.start, s.end) for s in statements(text) if content_stems(s.text)]


def _reading(selection: Selection) -> Reading:
    if selection.span is None:
        return Reading(0, 0, _IMPOSSIBLE)
    start, end, share = selection.span
    within = min(1 - SUREST, max(SUREST, share))
    return Reading(start, end, log(within / (1 - within)))


ANSWERS = 0.0
"""How strongly a passage must answer for its answer to be held against another's: where it is as likely as not. On half
of RAMDocs' held-out questions that finds 69 % of the conflicts, 4.0 found 52 %; neither raised one where there is none,
nor in 105 questions on documents that agree."""
LONGEST = 8
"""Words: what is longer describes, and two descriptions may both be right."""


Reader = Callable[[str, Sequence[str]], Sequence[Reading]]
"""One reading for each passage."""


@dataclass(frozen=True, slots=True)
class Answer:
    chunk: EvidenceChunk
    text: str
    strength: float
    quote: str


def all_conflicts(question: str, evidence: Sequence[EvidenceChunk]) -> list[Conflict]:
    """What code finds in figures, dates and names, and what the reader finds in answers."""
    return strongest(joined(find_conflicts(question, evidence), find_disagreements(question, evidence)))


def find_disagreements(question: str, evidence: Sequence[EvidenceChunk], read: Reader = read_answers) -> list[Conflict]:
    """For a question that asks for one thing: answers of different documents that are not the same answer."""
    if len(evidence) < 2 or not read_question(question).is_for_one_thing:
        return []
    groups = by_meaning(_answers(question, evidence, read))
    pairs = (_strongest_pair(question, ours, theirs) for ours, theirs in combinations(groups, 2))
    return strongest(without_copies([_record(question, *pair) for pair in pairs if pair], evidence))


def _answers(question: str, evidence: Sequence[EvidenceChunk], read: Reader) -> list[Answer]:
    # What a document orders its reader to say is not its own answer.
    honest = readable(evidence)
    readings = read(question, [chunk["text"] for chunk in honest])
    found = [
        Answer(chunk, chunk["text"][r.start : r.end].strip(" ,;:"), r.strength, quote)
        for chunk, r in zip(honest, readings, strict=True)
        if r.strength >= ANSWERS and (quote := _sentence(chunk, r.start, r.end))
    ]
    fitting = (
        a
        for a in found
        if len(a.text.split()) <= LONGEST
        and could_answer(question, a.text)
        and not is_of_another_office(question, a.quote)
    )
    return sorted(fitting, key=lambda a: -a.strength)


def _sentence(chunk: EvidenceChunk, start: int, end: int) -> str | None:
    """The whole statement around the words, exactly as it stands; None where no statement holds them. None for a row:
    cells are compared by code, and the reader, which learnt from prose, takes the first of a column for its answer."""
    around = (s for s in statements(chunk["text"], chunk.get("heading")) if s.start <= start and end <= s.end)
    statement = next(around, None)
    return None if statement is None or statement.is_row else statement.text


def by_meaning(answers: Sequence[Answer]) -> list[list[Answer]]:
    """The strongest of each group comes first and says what the group means."""
    groups: list[list[Answer]] = []
    for answer in answers:
        known = next((group for group in groups if any(same_answer(answer.text, a.text) for a in group)), None)
        if known is None:
            groups.append([answer])
        else:
            known.append(answer)
    return groups


def _strongest_pair(question: str, ours: Sequence[Answer], theirs: Sequence[Answer]) -> tuple[Answer, Answer] | None:
    """Of two documents, neither of which gives the other's answer beside its own, for what can be set side by side."""
    apart = [
        (a, b)
        for a, b in product(ours, theirs)
        if a.chunk["document_id"] != b.chunk["document_id"]
        and not (_gives(a, b.text) or _gives(b, a.text))
        and are_comparable(question, _worded(a), _worded(b))
    ]
    return max(apart, key=lambda pair: min(pair[0].strength, pair[1].strength), default=None)


def _gives(answer: Answer, other: str) -> bool:
    return other.lower() in answer.quote.lower()


def _record(question: str, a: Answer, b: Answer) -> Conflict:
    first, second = sorted((a, b), key=lambda x: (x.chunk.get("date") or "", x.chunk["file_name"]))
    kind, namesakes = _kind(question, first, second)
    made = record(question.strip(" ?"), None, kind, [_said(first), _said(second)])
    if namesakes:
        made["explanation"] = (
            f"{first.chunk['file_name']} gives {first.text} and {second.chunk['file_name']} gives {second.text}: "
            "they seem to speak of different things of the same name."
        )
    return made


def _said(answer: Answer) -> Said:
    return Said(answer.chunk, answer.text, answer.quote, _worded(answer).marks)


def _worded(answer: Answer) -> Worded:
    return Worded(answer.text, answer.quote, answer.chunk["text"])


def _are_for_two_issues(a: Answer, b: Answer) -> bool:
    return periods(a.quote) != periods(b.quote) and are_issues_of_one_series(a.chunk, b.chunk)


def _kind(question: str, a: Answer, b: Answer) -> tuple[ConflictKind, bool]:
    """The kind, and whether it is one name for two things."""
    kind = kind_by_words(question, _worded(a), _worded(b))
    if kind == "different_period" or (not periods(a.text) and _are_for_two_issues(a, b)):
        return "different_period", False
    # A copy with another value in it speaks of the same thing.
    if not is_copy(a.chunk["text"], b.chunk["text"]) and are_namesakes(question, a.chunk["text"], b.chunk["text"]):
        return "different_definition", True
    return kind, False

"""Finds documents that answer one question differently, in words or in figures, by reading the answer in each."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import log

from masis.audit.conflicts.agreement import compatible, is_copy, same_answer
from masis.audit.conflicts.conflict_records import Said, record, strongest, without_copies
from masis.audit.conflicts.detection import find_conflicts, joined, kind_of_disagreement, records_of
from masis.audit.conflicts.explanations import (
    Worded,
    are_comparable,
    are_issues_of_one_series,
    are_namesakes,
    at_other_times,
    kind_by_words,
)
from masis.audit.conflicts.stated_figures import Figure, Given, figures_of, measured_alike, sites_in
from masis.audit.conflicts.wanted import could_answer
from masis.embedded.selector import Selection, Unit, select_all
from masis.language.instructions import readable
from masis.language.periods import periods
from masis.language.quantities import comparable
from masis.language.question import Question, parsed, read_question
from masis.language.statements import Statement, statements, stems_of
from masis.language.words import content_stems, words
from masis.reasoning.offline.relevance import is_of_another_office
from masis.reasoning.offline.selection import Candidate, candidates_of, marked
from masis.reasoning.offline.verifier import stand_on
from masis.reasoning.ports import as_passage
from masis.types import Conflict, ConflictKind, EvidenceChunk

SUREST = 1e-9
_IMPOSSIBLE = -1e9


@dataclass(frozen=True, slots=True)
class Reading:
    """`text[start:end]` are the words that answer best. Above 0, the text counts as an answer."""

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


ANSWERS = 4.0
"""Least strength with which a passage's answer is compared with another's. Of RAMDocs' questions that may be inspected,
the selector before its last training found 88 % of the conflicts and left alone 82 % of the questions without one (n 50
and 55); at 2.0 94 % and 76 %, at 0.0 96 % and 64 %."""
LONGEST = 8
"""In words. A longer answer is a description, and two descriptions may both be right."""


Reader = Callable[[str, Sequence[str]], Sequence[Reading]]
"""Returns one reading for each passage."""


@dataclass(frozen=True, slots=True)
class Answer:
    chunk: EvidenceChunk
    text: str
    strength: float
    quote: str


def all_conflicts(question: str, evidence: Sequence[EvidenceChunk]) -> list[Conflict]:
    """Combines the conflicts that code finds in figures, dates and names with those that the selector finds in
    answers."""
    found = joined(find_conflicts(question, evidence), find_disagreements(question, evidence))
    more = [*find_other_figures(question, evidence), *find_denials(question, evidence)]
    return strongest(joined(found, more))


FIRM, HEARD = (0.45, 0.30), (0.2, 0.1)
"""Least probabilities that a passage answers and that its statement belongs to the answer: FIRM for a figure to count
as the one asked for, HEARD for another document's figure to be compared with it."""
FIGURE_OR_FACT = frozenset({"number", "statement"})
"""The kinds of question that a figure may answer. Questions for a time are left out: a year is not the number of
anything."""
MONTHS = re.compile(
    r"\bfirst (?:three|six|nine|\d+) months\b|\b(?:three|six|nine|\d+) months (?:ended|to)\b"
    r"|\byear[ -]to[ -]date\b|\bYTD\b",
    re.IGNORECASE,
)
PART_OF_IT = re.compile(r"\b(?:of which|of whom|including|up from|down from|compared with)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Weighed:
    figure: Figure
    is_firm: bool


def find_other_figures(question: str, evidence: Sequence[EvidenceChunk]) -> list[Conflict]:
    """For a question that one figure answers, finds another document's figure for it, however it is worded.

    Code compares figures that are stated in similar words; here the selector says which figures to compare.
    """
    asked = parsed(question)
    if asked.shape != "fact" or len(asked.parts) > 1 or not asked.kinds <= FIGURE_OR_FACT:
        return []
    weighed = [w for chunk, candidate in _belonging(asked, evidence) if (w := _weighed(asked, chunk, candidate))]
    given = Given([figure for chunk in readable(evidence) for figure in figures_of(chunk)])
    pairs = [
        (a.figure, b.figure, kind)
        for a, b in combinations(sorted(weighed, key=lambda w: not w.is_firm), 2)
        if a.is_firm
        and _at_one_site(question, a.figure.statement.text, b.figure.statement.text)
        and (kind := _parted(a.figure, b.figure))
        and not given.is_confirmed(a.figure, b.figure)
    ]
    return strongest(without_copies(records_of(pairs), evidence))


def _belonging(asked: Question, evidence: Sequence[EvidenceChunk]) -> list[tuple[EvidenceChunk, Candidate]]:
    """The statements that may belong to the answer.

    Each is read twice, with its title and headings as the writer reads it and without, and the surer reading counts:
    under its title a report says “we”, and the selector may miss who that is.
    """
    honest = {chunk["chunk_id"]: chunk for chunk in readable(evidence)}
    candidates = candidates_of([as_passage(chunk) for chunk in honest.values()])
    part = asked.parts[0]
    alone = marked(part, [replace(c, passage=replace(c.passage, title="", heading=None)) for c in candidates])
    surest = (
        max(pair, key=lambda c: min(c.answers, c.mark)) for pair in zip(marked(part, candidates), alone, strict=True)
    )
    return [(honest[c.passage.chunk_id], c) for c in surest if c.answers >= HEARD[0] and c.mark >= HEARD[1]]


def _is_firm(candidate: Candidate) -> bool:
    return candidate.answers >= FIRM[0] and candidate.mark >= FIRM[1]


def _weighed(asked: Question, chunk: EvidenceChunk, candidate: Candidate) -> Weighed | None:
    """The main figure of a statement. A row counts only if it has one figure and its name matches the question."""
    figures = [
        f
        for f in figures_of(chunk)
        if f.statement == candidate.statement and not at_other_times(f.periods, asked.periods)
    ]
    is_row = candidate.statement.is_row
    if not figures or (is_row and (len(figures) > 1 or not _is_called(asked, candidate.statement))):
        return None
    main = _main(asked, figures, candidate)
    is_sure = _is_firm(candidate)
    # A question that does not ask for a number may still be answered by one, if the selector is sure of it.
    if not ("number" in asked.kinds or is_row or (is_sure and _is_read(main, candidate))):
        return None
    return Weighed(main, is_sure)


def _is_called(asked: Question, row: Statement) -> bool:
    """Whether the row has most of the question's words: next to churn, the number of customers is another row."""
    wanted = asked.subject - asked.named
    return 2 * len(wanted & stems_of(row)) > len(wanted)


def _main(asked: Question, figures: Sequence[Figure], candidate: Candidate) -> Figure:
    """Prefers a figure for what the question counts, then one that is not a part of another, then one in the words that
    answer."""

    def order(figure: Figure) -> tuple[bool, ...]:
        is_part = bool(PART_OF_IT.search(figure.statement.text[: figure.quantity.start]))
        return not figure.counted & asked.counted, is_part, not _is_read(figure, candidate)

    return min(figures, key=order)


def _is_read(figure: Figure, candidate: Candidate) -> bool:
    """Whether the figure, or its unit, is among the words that answer: a statement of fact may mention a figure in
    passing."""
    begin, end = (figure.statement.start + at for at in (figure.quantity.start, figure.quantity.end))
    return candidate.read is not None and candidate.read[0] < end and begin < candidate.read[1]


def _parted(a: Figure, b: Figure) -> ConflictKind | None:
    if a.chunk["document_id"] == b.chunk["document_id"] or a.items != b.items:
        return None
    if not (comparable(a.quantity, b.quantity) and measured_alike(a, b)):
        return None
    # “Cut 140 jobs” gives a number of jobs, but “margin rose 3 %” does not give a margin.
    if a.quantity.unit == "percent" and a.is_change != b.is_change:
        return None
    a, b = (f if f.statement.is_row else _by_its_own_words(f) for f in (a, b))
    kind = kind_of_disagreement(a, b)
    return "different_period" if kind and _months(a.statement.in_context) != _months(b.statement.in_context) else kind


def _at_one_site(question: str, ours: str, theirs: str) -> bool:
    """Whether both speak of the same site: the staff of the Brno plant are only a part of the company's."""
    asked = frozenset(words(question))
    return sites_in(ours) - asked == sites_in(theirs) - asked


def _months(said: str) -> frozenset[str]:
    """“In the first nine months of 2023” is not a figure for 2023."""
    return frozenset(found.lower() for found in MONTHS.findall(said))


def _by_its_own_words(figure: Figure) -> Figure:
    """Drops the date a page was published, which is not the period of its figures."""
    return replace(figure, periods=tuple(periods(figure.statement.text)))


def find_denials(question: str, evidence: Sequence[EvidenceChunk]) -> list[Conflict]:
    """For a yes-or-no question, finds a document that affirms it and another that denies it."""
    asked = parsed(question)
    if asked.shape != "yes_no" or len(asked.parts) > 1:
        return []
    decided = [
        (Said(chunk, stand, c.statement.text), _is_firm(c))
        for chunk, c in _belonging(asked, evidence)
        if not c.statement.is_row and (stand := stand_on(asked, c.statement))
    ]
    pairs = product(*([one for one in decided if one[0].value == value] for value in ("yes", "no")))
    apart = [
        (yes, no)
        for (yes, sure), (no, also) in pairs
        if (sure or also) and yes.chunk["document_id"] != no.chunk["document_id"]
    ]
    return strongest(without_copies([record(asked.stated, None, _when_said(*p), p) for p in apart], evidence))


def _when_said(a: Said, b: Said) -> ConflictKind:
    return "different_period" if at_other_times(periods(a.quote), periods(b.quote)) else "contradiction"


def find_disagreements(question: str, evidence: Sequence[EvidenceChunk], read: Reader = read_answers) -> list[Conflict]:
    """For a question that asks for one thing, finds different answers in different documents."""
    if len(evidence) < 2 or not read_question(question).is_for_one_thing:
        return []
    groups = by_meaning(_answers(question, evidence, read))
    pairs = (_strongest_pair(question, ours, theirs) for ours, theirs in combinations(groups, 2))
    return strongest(without_copies([_record(question, *pair) for pair in pairs if pair], evidence))


def _answers(question: str, evidence: Sequence[EvidenceChunk], read: Reader) -> list[Answer]:
    # What a document instructs its reader to say is not its own answer.
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
    """The statement that contains the words, verbatim, or None if there is none.

    Also None for a row: code compares cells, and the selector, trained on prose, picks the first cell of a column.
    """
    around = (s for s in statements(chunk["text"], chunk.get("heading")) if s.start <= start and end <= s.end)
    statement = next(around, None)
    return None if statement is None or statement.is_row else statement.text


def by_meaning(answers: Sequence[Answer]) -> list[list[Answer]]:
    """Groups answers with the same meaning. The strongest comes first and represents its group."""
    groups: list[list[Answer]] = []
    for answer in answers:
        known = next((group for group in groups if any(same_answer(answer.text, a.text) for a in group)), None)
        if known is None:
            groups.append([answer])
        else:
            known.append(answer)
    return groups


def _strongest_pair(question: str, ours: Sequence[Answer], theirs: Sequence[Answer]) -> tuple[Answer, Answer] | None:
    """The strongest pair from two comparable documents of which neither also gives the other's answer."""
    apart = [
        (a, b)
        for a, b in product(ours, theirs)
        if a.chunk["document_id"] != b.chunk["document_id"]
        and not (_gives(a, b.text) or _gives(b, a.text) or _give_one_figure(a, b))
        and _at_one_site(question, a.quote, b.quote)
        and are_comparable(question, _worded(a), _worded(b))
    ]
    return max(apart, key=lambda pair: min(pair[0].strength, pair[1].strength), default=None)


def _gives(answer: Answer, other: str) -> bool:
    return other.lower() in answer.quote.lower()


def _give_one_figure(a: Answer, b: Answer) -> bool:
    """“About 2,900 staff” agrees with 2,914: the word that makes a figure approximate may come before the answer."""
    ours, theirs = _worded(a).figure, _worded(b).figure
    return ours is not None and theirs is not None and compatible(ours, theirs)


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
    """The kind of conflict, and whether it is one name for two different things."""
    kind = kind_by_words(question, _worded(a), _worded(b))
    if (
        kind == "different_period"
        or _months(a.quote) != _months(b.quote)
        or (not periods(a.text) and _are_for_two_issues(a, b))
    ):
        return "different_period", False
    # A copy with another value in it is about the same thing.
    if not is_copy(a.chunk["text"], b.chunk["text"]) and are_namesakes(question, a.chunk["text"], b.chunk["text"]):
        return "different_definition", True
    return kind, False

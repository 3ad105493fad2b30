"""Ranks the statements of the passages by how likely they are to answer a part of the question."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from math import log

from masis.embedded import answer_scores
from masis.embedded.selector import Selection, select_all
from masis.language.question import Question
from masis.language.statements import Statement, statements
from masis.language.words import content_stems, names
from masis.reasoning.offline.relevance import could_be_about, shortfall
from masis.reasoning.offline.tables.anchors import MarkedRow
from masis.reasoning.ports import Passage


@dataclass(frozen=True, slots=True)
class Features:
    answers: float
    """The selector's probability that the passage answers, as a logit."""
    mark: float
    """The selector's probability that the statement belongs to the answer, as a logit."""
    shared: float
    """Share of the question's words found in the statement or in the headings above it."""
    shortfall: float
    """How many things speak against it: another period, no number where one is asked for."""
    behind: float = 0.0
    """How far its passage scores below the best one with the cross-encoder as it was before it was trained as a
    selector. The selector is better at telling whether there is an answer; both together are better at telling which
    passage has it."""


WEIGHTS = Features(answers=0.14, mark=0.31, shared=0.31, shortfall=-0.60, behind=-0.15)
BIAS = 0.30
FAR_BEHIND = 6.0
"""Larger distances count no more. This bounds how far the cross-encoder can reorder passages: by no more than this
distance times its weight."""


def strength(features: Features) -> float:
    """Zero where the statement is as likely to answer as not."""
    weighed: list[float] = [w * x for w, x in zip(astuple(WEIGHTS), astuple(features), strict=True)]
    return BIAS + sum(weighed)


MAY_ANSWER = 0.05
"""Least probability, by the selector, that a passage answers for its table to count: the table engine finds cells for
nearly any question. Of 123 right answers from tables, one falls below it."""
SURELY_MEANT = 0.6
"""An answer from tables with this strength needs no second opinion: nine in ten of them are right."""
READ_CHARS = 20_000
"""Characters of the best passages that are read closely for one part of the question. The rest ranked last in the
search."""
LONGEST_TITLE = 6
"""In content words."""


@dataclass(frozen=True, slots=True)
class Candidate:
    passage: Passage
    statement: Statement
    mark: float = 0.0
    """The selector's probability that the statement belongs to the answer."""
    answers: float = 0.0
    """The selector's probability that its passage answers at all."""
    strength: float = 0.0
    """Overall strength; zero where it is as likely to answer as not."""
    read: tuple[int, int] | None = None
    """Start and end of the words in its passage that answer best."""


def candidates_of(passages: Sequence[Passage]) -> list[Candidate]:
    return [
        Candidate(passage, statement)
        for passage in passages
        for statement in statements(passage.text, passage.heading)
        if content_stems(statement.text)
    ]


def rank(part: Question, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Strongest first. Leaves out statements that cannot be about the period asked for."""
    return [
        replace(candidate, strength=strength(features))
        for candidate, features in sorted(weighed(part, candidates), key=lambda pair: -strength(pair[1]))
    ]


def strongest_of_each(question: Question, passages: Sequence[Passage]) -> list[Candidate]:
    """The strongest statement of each passage for any part of the question, strongest first."""
    candidates = candidates_of(passages)
    ranked = [candidate for part in question.parts for candidate in rank(part, candidates)]
    found: dict[str, Candidate] = {}
    for candidate in sorted(ranked, key=lambda c: -c.strength):
        found.setdefault(candidate.passage.chunk_id, candidate)
    return list(found.values())


def readings(question: Question, passages: Sequence[Passage]) -> dict[str, float]:
    """For each passage, the selector's probability that it answers any part of the question."""
    found = dict.fromkeys([passage.chunk_id for passage in passages], 0.0)
    candidates = candidates_of(passages)
    for part in question.parts:
        for candidate in marked(part, candidates, most=None):
            name = candidate.passage.chunk_id
            found[name] = max(found[name], candidate.answers)
    return found


def weighed(part: Question, candidates: Sequence[Candidate]) -> list[tuple[Candidate, Features]]:
    read = [c for c in marked(part, candidates) if not _is_only_a_title(part, c.statement)]
    weights = {term: part.weight(term) for term in part.terms}
    found = [
        (c, Features(logit(c.answers), logit(c.mark), shared_terms(weights, c), shortfall(part, c.statement)))
        for c in read
        if could_be_about(part, c.statement, c.passage.file_name)
    ]
    behind = _behind(part, found, candidates)
    return [(c, replace(features, behind=behind.get(c.passage.chunk_id, 0.0))) for c, features in found]


def _behind(
    part: Question, found: Sequence[tuple[Candidate, Features]], candidates: Sequence[Candidate]
) -> dict[str, float]:
    """For the passages between which the selector leaves the choice open, how far each is behind the best."""
    best: dict[str, tuple[float, Candidate]] = {}
    for candidate, features in found:
        here = strength(features), candidate
        best[candidate.passage.chunk_id] = max(best.get(candidate.passage.chunk_id, here), here, key=lambda p: p[0])
    least = max((sure for sure, _ in best.values()), default=0.0) + WEIGHTS.behind * FAR_BEHIND
    close = [candidate for sure, candidate in best.values() if sure >= least]
    if len(close) < 2:
        return {}
    groups = [[c for c in candidates if c.passage.chunk_id == one.passage.chunk_id] for one in close]
    texts = [f"{lead_of(part, group, candidates)}{group[0].passage.text}" for group in groups]
    scores = answer_scores(part.for_reading, texts)
    return {c.passage.chunk_id: min(FAR_BEHIND, max(scores) - score) for c, score in zip(close, scores, strict=True)}


def marked(part: Question, candidates: Sequence[Candidate], most: int | None = READ_CHARS) -> list[Candidate]:
    """Adds the selector's marks; it reads each passage once, and no more than `most` characters of the first."""
    by_passage: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        by_passage.setdefault(candidate.passage.chunk_id, []).append(candidate)
    groups = list(by_passage.values()) if most is None else _first(most, list(by_passage.values()))
    leads = [lead_of(part, group, candidates) for group in groups]
    read = select_all(part.for_reading, [as_read(*pair) for pair in zip(groups, leads, strict=True)])
    seen = zip(groups, leads, read, strict=True)
    return [c for group, lead, selection in seen for c in _with_marks(group, selection, len(lead))]


def lead_of(part: Question, group: Sequence[Candidate], candidates: Sequence[Candidate]) -> str:
    """The text that is put before a passage: its document's title, its headings, and the names asked for that the
    document is about. A policy says once whose it is and writes “we” from there on.

    Passages without tables are read without it if all are of one document: there the title tells no passage from
    another, and the selector takes its words for an answer."""
    passage = group[0].passage
    if len({c.passage.file_name for c in candidates}) == 1 and not any(c.statement.is_row for c in group):
        return ""
    over = passage.stands_under
    here = set(content_stems(f"{over}{passage.text}"))
    document = {c.passage.chunk_id: c.passage for c in candidates if c.passage.file_name == passage.file_name}
    title = set(content_stems(re.sub(r"[-_.]", " ", passage.file_name)))
    asked = [(name, set(content_stems(name))) for name in names(part.text)]
    missing = [
        name
        for name, stems in asked
        if stems and not stems <= here and (stems <= title or _is_throughout(stems, list(document.values())))
    ]
    return f"{' '.join(missing)}\n{over}" if missing else over


def _is_throughout(stems: set[str], passages: Sequence[Passage]) -> bool:
    """Whether the name is in at least half of the document's passages: a passing mention does not make it the
    subject."""
    holding = sum(stems <= set(content_stems(f"{p.heading or ''} {p.text}")) for p in passages)
    return 2 * holding >= len(passages) > 1


def _first(most: int, groups: Sequence[list[Candidate]]) -> list[list[Candidate]]:
    chosen: list[list[Candidate]] = []
    left = most
    for group in groups:
        left -= len(group[0].passage.text)
        if chosen and left < 0:
            break
        chosen.append(group)
    return chosen


def as_read(group: Sequence[Candidate], lead: str) -> tuple[str, list[tuple[int, int]]]:
    shift = len(lead)
    return f"{lead}{group[0].passage.text}", [(shift + c.statement.start, shift + c.statement.end) for c in group]


def _with_marks(group: Sequence[Candidate], selection: Selection, shift: int) -> list[Candidate]:
    read = (selection.span[0] - shift, selection.span[1] - shift) if selection.span else None
    return [
        replace(candidate, mark=mark, answers=selection.answers, read=read)
        for candidate, mark in zip(group, selection.marks, strict=True)
    ]


def may_answer(chunk_ids: Sequence[str], strength: float, read: Sequence[Candidate]) -> bool:
    """Whether the table answer is strong enough by itself, or the selector thinks one of its passages may answer, or
    has not read it."""
    if strength >= SURELY_MEANT:
        return True
    answers = {c.passage.chunk_id: c.answers for c in read}
    return any(answers.get(one, 1.0) >= MAY_ANSWER for one in chunk_ids)


ROW_MARKED, MOST_ROWS = 0.05, 5
"""The threshold is low because a mark only makes the table engine look at a row; its network decides whether it is
meant."""


def rows_read(read: Sequence[Candidate]) -> tuple[MarkedRow, ...]:
    """The rows that the selector marks, surest first. The table engine considers them whatever words they share with
    the question."""
    rows = sorted((c for c in read if c.statement.is_row and c.mark >= ROW_MARKED), key=lambda c: -c.mark)
    return tuple(MarkedRow(c.passage.chunk_id, c.statement.start, c.mark) for c in rows[:MOST_ROWS])


def logit(share: float) -> float:
    within = min(0.999, max(0.001, share))
    return log(within / (1 - within))


def shared_terms(weights: Mapping[str, float], candidate: Candidate) -> float:
    """Share of the question's terms found in the statement or in the headings above it, from 0 to 1."""
    own = set(content_stems(candidate.statement.text))
    name = re.sub(r"[-_.]", " ", candidate.passage.file_name)
    around = set(content_stems(f"{candidate.statement.in_context} {name}"))
    total = sum(weights.values())
    found = sum(w * (1.0 if t in own else 0.7) for t, w in weights.items() if t in own or t in around)
    return min(1.0, found / total) if total else 0.0


def _is_only_a_title(part: Question, statement: Statement) -> bool:
    """A few words that are all in the question too: they name the subject and say nothing about it."""
    if "yes_no" in part.kinds:
        return False
    said = content_stems(statement.text)
    return len(said) <= LONGEST_TITLE and not statement.is_row and set(said) <= set(content_stems(part.text))

"""Which statements of the passages answer a part of the question, and how surely."""

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
    """The selector's, that the passage answers, as a logit …"""
    mark: float
    """… and that the statement belongs to the answer."""
    shared: float
    """Share of the question's words that the statement, or what it stands under, has."""
    shortfall: float
    """How many things speak against it: another period, no number where one is asked for."""
    behind: float = 0.0
    """How far its passage is behind the best one by the cross-encoder as it was before it learnt to select: the
    selector says better whether there is an answer, both together say better in which passage it is."""


WEIGHTS = Features(answers=0.14, mark=0.31, shared=0.31, shortfall=-0.60, behind=-0.15)
BIAS = 0.30
FAR_BEHIND = 6.0
"""Beyond this a distance says no more, so that no passage overtakes one that is surer by what this weighs."""


def strength(features: Features) -> float:
    """0 where it is as likely as not that the statement answers."""
    weighed: list[float] = [w * x for w, x in zip(astuple(WEIGHTS), astuple(features), strict=True)]
    return BIAS + sum(weighed)


MAY_ANSWER = 0.05
"""What the selector must think of a passage for its table to count: cells are found for nearly any question. Of 123
right answers from tables one falls below it."""
SURELY_MEANT = 0.6
"""The strength of an answer from tables that needs no second opinion: nine in ten of those are right."""
READ_CHARS = 20_000
"""Of the best passages, read closely for one part; what is behind them was found last."""
LONGEST_TITLE = 6
"""In words that carry meaning."""


@dataclass(frozen=True, slots=True)
class Candidate:
    passage: Passage
    statement: Statement
    mark: float = 0.0
    """How likely it is that it belongs to the answer …"""
    answers: float = 0.0
    """… and that its passage answers at all, by the selector."""
    strength: float = 0.0
    """How surely it answers, overall; 0 where it is as likely as not."""
    read: tuple[int, int] | None = None
    """The words of its passage that answer best."""


def candidates_of(passages: Sequence[Passage]) -> list[Candidate]:
    return [
        Candidate(passage, statement)
        for passage in passages
        for statement in statements(passage.text, passage.heading)
        if content_stems(statement.text)
    ]


def rank(part: Question, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Strongest first; only statements that could be about the period asked for."""
    return [
        replace(candidate, strength=strength(features))
        for candidate, features in sorted(weighed(part, candidates), key=lambda pair: -strength(pair[1]))
    ]


def strongest_of_each(question: Question, passages: Sequence[Passage]) -> list[Candidate]:
    """Of each passage the statement that answers most surely, whichever part of the question; the surest first."""
    candidates = candidates_of(passages)
    ranked = [candidate for part in question.parts for candidate in rank(part, candidates)]
    found: dict[str, Candidate] = {}
    for candidate in sorted(ranked, key=lambda c: -c.strength):
        found.setdefault(candidate.passage.chunk_id, candidate)
    return list(found.values())


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
    """Of the passages between which the selector leaves the choice open, how far each is behind the best."""
    best: dict[str, tuple[float, Candidate]] = {}
    for candidate, features in found:
        here = strength(features), candidate
        best[candidate.passage.chunk_id] = max(best.get(candidate.passage.chunk_id, here), here, key=lambda p: p[0])
    least = max((sure for sure, _ in best.values()), default=0.0) + WEIGHTS.behind * FAR_BEHIND
    close = [candidate for sure, candidate in best.values() if sure >= least]
    if len(close) < 2:
        return {}
    texts = [f"{_lead(part, [c], candidates)}{c.passage.text}" for c in close]
    scores = answer_scores(part.for_reading, texts)
    return {c.passage.chunk_id: min(FAR_BEHIND, max(scores) - score) for c, score in zip(close, scores, strict=True)}


def marked(part: Question, candidates: Sequence[Candidate]) -> list[Candidate]:
    """With the selector's marks, one reading a passage."""
    by_passage: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        by_passage.setdefault(candidate.passage.chunk_id, []).append(candidate)
    groups = _worth_reading(list(by_passage.values()))
    leads = [_lead(part, group, candidates) for group in groups]
    read = select_all(part.for_reading, [_as_read(*pair) for pair in zip(groups, leads, strict=True)])
    seen = zip(groups, leads, read, strict=True)
    return [c for group, lead, selection in seen for c in _with_marks(group, selection, len(lead))]


def _lead(part: Question, group: Sequence[Candidate], candidates: Sequence[Candidate]) -> str:
    """What a passage stands under: its document's title, its headings, and the names asked for that its document is
    about. A policy says once whose it is, and “we” from there on."""
    passage = group[0].passage
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
    """In half of what was found of a document, or more: a name in passing is not what it is about."""
    holding = sum(stems <= set(content_stems(f"{p.heading or ''} {p.text}")) for p in passages)
    return 2 * holding >= len(passages) > 1


def _worth_reading(groups: Sequence[list[Candidate]]) -> list[list[Candidate]]:
    chosen: list[list[Candidate]] = []
    left = READ_CHARS
    for group in groups:
        left -= len(group[0].passage.text)
        if chosen and left < 0:
            break
        chosen.append(group)
    return chosen


def _as_read(group: Sequence[Candidate], lead: str) -> tuple[str, list[tuple[int, int]]]:
    shift = len(lead)
    return f"{lead}{group[0].passage.text}", [(shift + c.statement.start, shift + c.statement.end) for c in group]


def _with_marks(group: Sequence[Candidate], selection: Selection, shift: int) -> list[Candidate]:
    read = (selection.span[0] - shift, selection.span[1] - shift) if selection.span else None
    return [
        replace(candidate, mark=mark, answers=selection.answers, read=read)
        for candidate, mark in zip(group, selection.marks, strict=True)
    ]


def may_answer(chunk_ids: Sequence[str], strength: float, read: Sequence[Candidate]) -> bool:
    """Whether cells are surely meant, or one of these passages is read as an answer, or was not read."""
    if strength >= SURELY_MEANT:
        return True
    answers = {c.passage.chunk_id: c.answers for c in read}
    return any(answers.get(one, 1.0) >= MAY_ANSWER for one in chunk_ids)


ROW_MARKED, MOST_ROWS = 0.05, 5
"""Low, since a mark only has a row looked at: the network that reads it says whether it is meant."""


def rows_read(read: Sequence[Candidate]) -> tuple[MarkedRow, ...]:
    """The rows that the selector marks, the surest first: what the tables are asked about beside their words."""
    rows = sorted((c for c in read if c.statement.is_row and c.mark >= ROW_MARKED), key=lambda c: -c.mark)
    return tuple(MarkedRow(c.passage.chunk_id, c.statement.start, c.mark) for c in rows[:MOST_ROWS])


def logit(share: float) -> float:
    within = min(0.999, max(0.001, share))
    return log(within / (1 - within))


def shared_terms(weights: Mapping[str, float], candidate: Candidate) -> float:
    """Share of the question's terms that the statement, or what it stands under, has; 0 to 1."""
    own = set(content_stems(candidate.statement.text))
    name = re.sub(r"[-_.]", " ", candidate.passage.file_name)
    around = set(content_stems(f"{candidate.statement.in_context} {name}"))
    total = sum(weights.values())
    found = sum(w * (1.0 if t in own else 0.7) for t, w in weights.items() if t in own or t in around)
    return min(1.0, found / total) if total else 0.0


def _is_only_a_title(part: Question, statement: Statement) -> bool:
    """A few words that the question has too name what it asks about, and say nothing of it."""
    if "yes_no" in part.kinds:
        return False
    said = content_stems(statement.text)
    return len(said) <= LONGEST_TITLE and not statement.is_row and set(said) <= set(content_stems(part.text))

"""Which statements of the passages answer a part of the question."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Protocol

from masis.language.offices import is_of_another_office, offices
from masis.language.quantities import Period, period_of_cells, periods, quantities
from masis.language.statements import Statement, statements
from masis.language.words import content_stems, names
from masis.reasoning.offline.question import Question
from masis.reasoning.offline.reader import Reading
from masis.reasoning.offline.relevance import read_passages
from masis.reasoning.offline.strength import Features, closeness, strength
from masis.reasoning.ports import Passage

READ_AT_MOST = 40
"""Statements read closely for one part; the rest share too few words with it."""
WORTH_SAYING = 0.5
"""The closeness from which a row answers, and another statement is worth adding to an answer."""
NOT_AN_ANSWER = 3.0
"""What a statement loses when it has no number where one is asked for, no name, no date."""
YES_OR_NO = re.compile(
    r"\W*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may)\b", re.IGNORECASE
)
"""What it asks may be answered in its own words."""
LONGEST_TITLE = 6
"""In words that carry meaning."""
OTHER_PERIOD = 4.0
NOT_COUNTED = 6.0
OTHER_ROW = 3.0
UNSPOKEN = 3.0
"""What all statements lose when a figure is asked for and no passage has a word of the better part of it …"""
MOST_UNSPOKEN = 0.5
"""… by weight, rare words counting more than common ones."""


class Relevance(Protocol):
    """How well each text answers the question: a logit, 0 where it is as likely as not."""

    async def __call__(self, question: str, texts: Sequence[str]) -> list[float]: ...


@dataclass(frozen=True, slots=True)
class Candidate:
    passage: Passage
    statement: Statement
    strength: float = 0.0
    """How surely it answers …"""
    closeness: float = 0.0
    """… and how near it is to the question, for what else is worth saying."""

    @property
    def in_words(self) -> str:
        """The statement with what it stands under, as one would read it aloud."""
        above = self.statement.above.replace("\n", ". ")
        return f"{above}: {row_in_words(self.statement)}" if above else row_in_words(self.statement)


def row_in_words(statement: Statement) -> str:
    if not statement.is_row:
        return statement.text
    return "; ".join(f"{column}: {value}" if column else value for column, value in statement.cells if value)


def candidates_of(passages: Sequence[Passage]) -> list[Candidate]:
    return [
        Candidate(passage, statement)
        for passage in passages
        for statement in statements(passage.text, passage.heading)
        if content_stems(statement.text)
    ]


async def rank(part: Question, candidates: Sequence[Candidate], relevance: Relevance) -> list[Candidate]:
    """Strongest first; only statements that could be about the period asked for."""
    read = await read_closely(part, candidates, relevance)
    ranked = [Candidate(c.passage, c.statement, _surety(c, f), closeness(f)) for c, f in read]
    return sorted(ranked, key=lambda c: -c.strength)


def _surety(candidate: Candidate, features: Features) -> float:
    """The reader knows prose: of a table's row the cross-encoder, which reads it in words, is the better judge."""
    read = strength(features)
    return max(read, closeness(features) - WORTH_SAYING) if candidate.statement.is_row else read


async def read_closely(
    part: Question, candidates: Sequence[Candidate], relevance: Relevance
) -> list[tuple[Candidate, Features]]:
    weights = term_weights(part, candidates)
    possible = [c for c in candidates if could_be_about(part.periods, c) and not _is_only_a_title(part, c.statement)]
    read = await read_passages(part.for_reading, {c.passage.chunk_id: c.passage.text for c in possible})
    shared = {id(c): shared_terms(weights, c) for c in possible}
    pointed = {id(c): _holds(c.statement, read[c.passage.chunk_id]) for c in possible}
    close = sorted(possible, key=lambda c: (-pointed[id(c)], -shared[id(c)]))[:READ_AT_MOST]
    is_unspoken = "number" in part.kinds and unspoken_share(weights, candidates) >= MOST_UNSPOKEN
    silence = UNSPOKEN if is_unspoken else 0.0
    logits = await _logits(part, close, relevance)
    return [
        (c, Features(logit, read[c.passage.chunk_id].strength, pointed[id(c)], shared[id(c)], against))
        for c, logit in zip(close, logits, strict=True)
        for against in [shortfall(part, c) + silence]
    ]


def _holds(statement: Statement, reading: Reading) -> float:
    """1 where the words that answer best begin in the statement."""
    return float(statement.start <= reading.start < statement.end)


async def _logits(part: Question, close: Sequence[Candidate], relevance: Relevance) -> list[float]:
    """In its place, and alone too where it can stand alone: headings that echo the question must not answer it."""
    in_place = await relevance(part.for_reading, [c.in_words for c in close])
    able = [c for c in close if not c.statement.needs_context]
    alone = iter(await relevance(part.for_reading, [c.statement.text for c in able]))
    return [
        placed if c.statement.needs_context else (placed + next(alone)) / 2
        for c, placed in zip(close, in_place, strict=True)
    ]


def term_weights(part: Question, candidates: Sequence[Candidate]) -> dict[str, float]:
    """A term that most statements share tells little; one that none has is what the passages do not speak of."""
    seen = Counter(stem for c in candidates for stem in terms_of(c))
    rarest = log(len(candidates) + 1)
    return {
        term: part.weight(term) * max(0.1, log((len(candidates) + 1) / (seen[term] + 0.5)) / rarest)
        for term in part.terms
        if rarest
    }


def unspoken_share(weights: Mapping[str, float], candidates: Sequence[Candidate]) -> float:
    """How much of what is asked no passage has a word of: “mortality” in “What was the mortality rate?”."""
    spoken = {stem for c in candidates for stem in terms_of(c)}
    total = sum(weights.values())
    return sum(w for term, w in weights.items() if term not in spoken) / total if total else 0.0


def terms_of(candidate: Candidate) -> set[str]:
    statement, passage = candidate.statement, candidate.passage
    return set(content_stems(f"{statement.in_context} {re.sub(r'[-_.]', ' ', passage.file_name)}"))


def shared_terms(weights: Mapping[str, float], candidate: Candidate) -> float:
    """Share of the question's terms that the statement, or what it stands under, has; 0 to 1."""
    own = set(content_stems(candidate.statement.text))
    around = terms_of(candidate)
    total = sum(weights.values())
    found = sum(w * (1.0 if t in own else 0.7) for t, w in weights.items() if t in own or t in around)
    return min(1.0, found / total) if total else 0.0


def could_be_about(asked: Sequence[Period], candidate: Candidate) -> bool:
    """Not when neither the statement nor anything around it mentions the year that is asked for, but another."""
    wanted = {p.year for p in asked if p.year}
    around = f"{row_in_words(candidate.statement)}\n{candidate.statement.above}\n{candidate.passage.file_name}"
    said = {p.year for p in periods(re.sub(r"[_-]", " ", around)) if p.year}
    return not (wanted and said) or bool(wanted & said)


def shortfall(part: Question, candidate: Candidate) -> float:
    """What speaks against a statement: another period or office, no number where one is asked for, not the thing
    counted."""
    statement = candidate.statement
    loss = OTHER_PERIOD if _another_period(part.periods, statement) else 0.0
    if "number" in part.kinds and not quantities(statement.text):
        loss += NOT_AN_ANSWER
    if "time" in part.kinds and not periods(statement.text):
        loss += NOT_AN_ANSWER
    if "person" in part.kinds and not names(f"x {statement.text}"):
        loss += NOT_AN_ANSWER
    if is_of_another_office(part.text, statement.text) or _names_no_office(part, statement):
        loss += NOT_COUNTED
    if part.counted and not part.counted & terms_of(candidate):
        loss += NOT_COUNTED
    if statement.is_row and not _names_the_row(part, statement):
        loss += OTHER_ROW
    if _misses_the_point(part, candidate):
        loss += NOT_AN_ANSWER
    return loss


def _is_only_a_title(part: Question, statement: Statement) -> bool:
    """A few words that the question has too name what it asks about, and say nothing of it."""
    if "yes_no" in part.kinds:
        return False
    said = content_stems(statement.text)
    return len(said) <= LONGEST_TITLE and not statement.is_row and set(said) <= set(content_stems(part.text))


def _misses_the_point(part: Question, candidate: Candidate) -> bool:
    """Of a question with one or two words of its own, each counts: a share is not a share price."""
    own = [term for term in part.terms if part.weight(term) >= 1 and term not in part.named]
    return len(own) <= 2 and not part.context and any(term not in terms_of(candidate) for term in own)


def _names_no_office(part: Question, statement: Statement) -> bool:
    """Of who holds one, only what names it tells."""
    return "person" in part.kinds and bool(offices(part.text)) and not offices(statement.text)


def _names_the_row(part: Question, row: Statement) -> bool:
    """The rows of a table share their header; only what is not a number tells them apart."""
    said = {stem for _, cell in row.cells if not quantities(cell) for stem in content_stems(cell)}
    return not said or bool(said & set(part.terms)) or bool(periods(row.text) and part.periods)


def _another_period(asked: Sequence[Period], statement: Statement) -> bool:
    found = period_of_cells([cell for _, cell in statement.cells]) if statement.is_row else periods(statement.text)
    if statement.is_row:
        found = found + [p for column, _ in statement.cells for p in periods(column)]
    if not any(p.is_day for p in asked):
        # A day is when something happened, not the period a figure is for.
        found = [p for p in found if not p.is_day]
    return bool(asked and found) and all(p.differs_from(q) for p in found for q in asked)

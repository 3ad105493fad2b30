"""Fuses the results by meaning and by keyword into one order, and reranks the best: reading question and passage
together is slower and more accurate than the search.

Each score is relative to the other candidates of the same question, as cosines and BM25 scores have nothing else in
common. Fusing ranks instead (reciprocal, k = 2) was as good on prose and worse where many passages are alike: on
quarterly reports the right passage came first for 59 % of the questions instead of 69 %, on tables for 55 instead of
57.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log
from pathlib import PurePosixPath
from typing import Protocol

from masis.embedded import answer_scores
from masis.embedded.selector import select_all
from masis.knowledge.ingestion.chunking import statements
from masis.knowledge.store.points import search_depth
from masis.knowledge.store.port import Answer
from masis.language.words import content_stems, plain
from masis.types import Chunk, EvidenceChunk

# A sign, a bracket or a currency is part of the number: (5) is not 5.
_WORD = re.compile(r"[-(]?[$€£¥]?\d+(?:[.,:/]\d+)*%?|[^\W\d_]+(?:['’][^\W\d_]+)*", re.UNICODE)
_FILLERS = frozenset("a an and as at by for in is it its of on that the this to was were which with".split())
"""Words that can be added or removed without changing the meaning."""


@dataclass(frozen=True, slots=True)
class _Said:
    words: str
    """In order, with a space before and after each."""
    stands_under: str
    """The words of the headings, which name the period or the region of a table."""
    date: str | None


def without_near_duplicates(hits: Sequence[EvidenceChunk]) -> list[EvidenceChunk]:
    """Removes passages that repeat a better one word for word; the order stays."""
    kept: list[EvidenceChunk] = []
    heard: list[_Said] = []
    for hit in hits:
        said = _said(hit)
        if not any(_repeats(said, better) for better in heard):
            kept.append(hit)
            heard.append(said)
    return kept


def _said(hit: EvidenceChunk) -> _Said:
    return _Said(_words(hit["text"]), _words(hit.get("heading") or ""), hit.get("date"))


def _words(text: str) -> str:
    found = (match.group().lower() for match in _WORD.finditer(plain(text)))
    return f" {' '.join(word for word in found if word not in _FILLERS)} "


def _repeats(said: _Said, better: _Said) -> bool:
    if said.words not in better.words:
        return False
    # The same row in the reports of two quarters states two facts.
    other_period = None not in (said.date, better.date) and said.date != better.date
    return not other_period and said.stands_under == better.stands_under


Worth = Callable[[Chunk], float]

MEANING = 0.7
"""Weight of meaning; keywords have the rest. In measurements, 0.6 is better on tables and 0.8 on nothing."""
_SURE = 2
"""This many of the best by keyword always stay, however far in meaning: exact words must not be lost."""
_UNNAMED = 3
"""This many of the best always stay, whichever document the question names: another may contradict it."""
_NO_ANSWER = Answer()
_SCORE_DIGITS = 5
_TIE_DIGITS = 4
"""Smaller differences come from the order of additions and between the two store engines."""


@dataclass(frozen=True, slots=True)
class Hit:
    chunk: Chunk
    cosine: float | None
    """Cosine of question and passage, from which the relevance is computed; None if the passage has no vector yet."""
    fused: float
    """The score that hits are sorted by: 0 to 1, plus the bonus for its document and its rows."""
    is_sure: bool = False
    """Always stays among the candidates, whatever the others score."""


def fuse(answer: Answer, limit: int, meant: Answer = _NO_ANSWER, worth: Worth = lambda _: 0.0) -> list[Hit]:
    """Best first, ties by chunk id. `meant` is the separate result for the documents that the question names; `worth`
    returns a passage's bonus for its document and its rows."""
    depth = search_depth(limit)
    by_meaning = [*answer.by_meaning[:depth], *meant.by_meaning[:depth]]
    by_words = [*answer.by_words[:depth], *meant.by_words[:depth]]
    # By words first, so that passages found both ways keep the cosine from the search by meaning.
    found = {one.chunk.chunk_id: one for one in (*by_words, *by_meaning)}
    meaning = _relative({name: one.cosine for name, one in found.items() if one.cosine is not None})
    words = _relative({one.chunk.chunk_id: one.score for one in by_words})
    fused = {name: MEANING * meaning.get(name, 0.0) + (1 - MEANING) * words.get(name, 0.0) for name in found}
    sure = {one.chunk.chunk_id for one in answer.by_words[:_SURE]}.union(_ordered(fused)[:_UNNAMED])
    for name, one in found.items():
        fused[name] += worth(one.chunk)
    best = with_places(_ordered(fused), limit, sure)
    return [Hit(found[name].chunk, found[name].cosine, fused[name], name in sure) for name in best]


def _ordered(fused: Mapping[str, float]) -> list[str]:
    return sorted(fused, key=lambda name: (-round(fused[name], _TIE_DIGITS), name))


def with_places(order: list[str], limit: int, sure: set[str]) -> list[str]:
    """The first `limit` names. Each of `sure` that is not among them replaces one at the end."""
    missing = sure.intersection(order[limit:])
    if len(missing) >= limit:
        return order[:limit]
    kept = missing.union(order[: limit - len(missing)])
    return [name for name in order if name in kept]


def _relative(scores: dict[str, float]) -> dict[str, float]:
    """Scales scores to 0 for the lowest and 1 for the highest."""
    if not scores:
        return {}
    rounded = {name: round(score, _SCORE_DIGITS) for name, score in scores.items()}
    lowest, highest = min(rounded.values()), max(rounded.values())
    span = highest - lowest
    return {name: (score - lowest) / span if span else 1.0 for name, score in rounded.items()}


Span = tuple[int, int]

_COST_PER_CHARACTER = 0.0005
"""Two hundred more characters must add a tenth of the question's weight. Measured: half of this hardly narrows
anything, and twice as much loses answers."""
_NEIGHBOUR = 0.3
"""Share of its neighbours' value that a statement gets."""


def narrowed(question: str, evidence: Sequence[EvidenceChunk]) -> list[EvidenceChunk]:
    """Cuts each passage down to its window. Text and offsets stay exact, the id stays the same, and only whole
    statements are cut, never part of a table."""
    spans = windows(question, [passage["text"] for passage in evidence])
    return [_cut(passage, *span) for passage, span in zip(evidence, spans, strict=True)]


def windows(question: str, texts: Sequence[str]) -> list[Span]:
    asked = frozenset(content_stems(question))
    stems = [asked.intersection(content_stems(text)) for text in texts]
    weights = _weights(Counter(stem for found in stems for stem in found), len(texts))
    return [_window(text, weights) for text in texts]


MOST_READ = 10
"""Passages the selector reads; each takes some tens of milliseconds."""
HIGHLIGHTED = 0.5
"""Least mark with which a statement is highlighted as part of the answer."""
BESIDE_IT = 0.6
"""Share of that mark that a neighbour must have to be highlighted with it."""


def read_windows(question: str, evidence: Sequence[EvidenceChunk]) -> list[Span]:
    """What the selector reads as the answer in each passage, or the window with the question's words if it marks
    nothing."""
    by_words = windows(question, [passage["text"] for passage in evidence])
    leads = [f"{_place(passage)}\n" for passage in evidence[:MOST_READ]]
    units = [statements(passage["text"]) for passage in evidence[:MOST_READ]]
    texts = [
        (f"{lead}{passage['text']}", [(len(lead) + start, len(lead) + end) for start, end in spans])
        for lead, passage, spans in zip(leads, evidence, units, strict=False)
    ]
    read = zip(units, select_all(question, texts), by_words, strict=False)
    marked = [_highlight(spans, selection.marks) or window for spans, selection, window in read]
    return [*marked, *by_words[MOST_READ:]]


def _highlight(spans: Sequence[Span], marks: Sequence[float]) -> Span | None:
    best = max(range(len(marks)), key=lambda n: marks[n], default=None)
    if best is None or marks[best] < HIGHLIGHTED:
        return None
    first = last = best
    while first and marks[first - 1] >= BESIDE_IT * marks[best]:
        first -= 1
    while last + 1 < len(marks) and marks[last + 1] >= BESIDE_IT * marks[best]:
        last += 1
    return spans[first][0], spans[last][1]


def _weights(found_in: Mapping[str, int], count: int) -> dict[str, float]:
    """Weights of the question's words that any candidate has; they sum to 1."""
    raw = {stem: log(1 + (count - number + 0.5) / (number + 0.5)) for stem, number in found_in.items()}
    total = sum(raw.values()) or 1.0
    return {stem: weight / total for stem, weight in raw.items()}


def _window(text: str, weights: Mapping[str, float]) -> Span:
    spans = statements(text)
    worth = [sum(weights.get(stem, 0.0) for stem in set(content_stems(text[start:end]))) for start, end in spans]
    if not any(worth):
        return 0, len(text)
    gains = [
        value - _COST_PER_CHARACTER * (end - start)
        for value, (start, end) in zip(_with_neighbours(worth), spans, strict=True)
    ]
    first, last = _best_run(gains)
    start = spans[first][0]
    return start, start + len(text[start : spans[last][1]].rstrip())


def _with_neighbours(worth: Sequence[float]) -> Iterator[float]:
    padded = [0.0, *worth, 0.0]
    return (
        value + _NEIGHBOUR * (before + after)
        for before, value, after in zip(padded, padded[1:], padded[2:], strict=False)
    )


def _best_run(gains: Sequence[float]) -> Span:
    """First and last index of the run with the greatest sum; ties go to the earliest."""
    best, best_run = gains[0], (0, 0)
    total, first = 0.0, 0
    for index, gain in enumerate(gains):
        if total <= 0:
            total, first = 0.0, index
        total += gain
        if total > best:
            best, best_run = total, (first, index)
    return best_run


def _cut(passage: EvidenceChunk, start: int, end: int) -> EvidenceChunk:
    if (start, end) == (0, len(passage["text"])):
        return passage
    text = passage["text"][start:end]
    first = passage["start"] + start
    return {**passage, "text": text, "start": first, "end": first + len(text)}


CLEARLY_WEAKER = 6.0
"""A passage that scores this far below the best seldom answers, on the scale of the embedded cross-encoder.

Dropping such passages raised precision by two thirds for one point of recall, but also dropped one side of a revised
figure that a person should have seen. It is an option and never the default.
"""


class Reranker(Protocol):
    """Loads nothing until its first use; may be used from any thread and event loop."""

    async def scores(self, question: str, passages: list[str]) -> list[float]:
        """One score per passage; a higher one answers better. Comparable only within one question."""
        ...


class EmbeddedReranker:
    """The cross-encoder that is installed with the package."""

    async def scores(self, question: str, passages: list[str]) -> list[float]:
        return await asyncio.to_thread(answer_scores, question, passages)


async def reranked(
    question: str, evidence: Sequence[EvidenceChunk], reranker: Reranker, *, drop_below_best: float = inf
) -> list[EvidenceChunk]:
    """Sorts by the reranker's scores; ties keep their order. The relevance of each passage does not change."""
    scores = await reranker.scores(question, _read(question, evidence))
    order = sorted(range(len(evidence)), key=lambda index: -scores[index])
    return [evidence[index] for index in order if scores[index] >= scores[order[0]] - drop_below_best]


def _read(question: str, evidence: Sequence[EvidenceChunk]) -> list[str]:
    """The relevant part of each passage, which is shorter and so faster to read, under its file name and headings.

    Without the file name, the reranker cannot tell one company's quarter from another's: on twelve filings it then
    ranked the wrong one first more often than the search alone.
    """
    spans = windows(question, [passage["text"] for passage in evidence])
    return [
        f"{_place(passage)}\n{passage['text'][start:end]}"
        for passage, (start, end) in zip(evidence, spans, strict=True)
    ]


def _place(passage: EvidenceChunk) -> str:
    name = PurePosixPath(passage["file_name"]).stem.replace("_", " ").replace("-", " ")
    return " > ".join(filter(None, [name, passage.get("heading")]))

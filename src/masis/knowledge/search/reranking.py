"""A second reading of the best candidates: question and passage together, slower and sharper than the search."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import inf, log
from pathlib import PurePosixPath
from typing import Protocol

from masis.embedded import answer_scores
from masis.embedded.selector import select_all
from masis.knowledge.ingestion.chunking import statements
from masis.language.sentences import split_sentences
from masis.language.words import content_stems
from masis.types import EvidenceChunk

Span = tuple[int, int]

_COST_PER_CHARACTER = 0.0005
"""Two hundred characters more must bring a tenth of the question's weight. Measured: half of this narrows little,
twice as much loses answers."""
_NEIGHBOUR = 0.3
"""What a statement is worth for standing beside one that speaks of the question."""


def narrowed(question: str, evidence: Sequence[EvidenceChunk]) -> list[EvidenceChunk]:
    """Each passage cut down to its window, with exact text and span and its own id; whole statements, and never through
    a table."""
    spans = windows(question, [passage["text"] for passage in evidence])
    return [_cut(passage, *span) for passage, span in zip(evidence, spans, strict=True)]


def windows(question: str, texts: Sequence[str]) -> list[Span]:
    asked = frozenset(content_stems(question))
    stems = [asked.intersection(content_stems(text)) for text in texts]
    weights = _weights(Counter(stem for found in stems for stem in found), len(texts))
    return [_window(text, weights) for text in texts]


def _weights(found_in: Mapping[str, int], count: int) -> dict[str, float]:
    """Of the words that any candidate has; together they weigh 1."""
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
    """First and last of the run with the greatest sum; the earliest of equals."""
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
"""A distance below the best score at which a passage seldom answers, on the scale of the embedded cross-encoder.

Dropping such passages raised precision by two thirds for a point of recall, and also dropped one side of a revised
figure that a person should have seen: an option, never the default."""

MAY_ANSWER = 0.1
"""What the selector must say of a passage at least: of 90 questions that others wrote, it says less of nearly every
passage where there is no answer."""


class Reranker(Protocol):
    """Loads nothing until its first use; may be used from any thread and event loop."""

    async def scores(self, question: str, passages: list[str]) -> list[float]:
        """One for each passage; higher answers better. Comparable within one question only."""
        ...


class EmbeddedReranker:
    """The cross-encoder that installs with the package."""

    async def scores(self, question: str, passages: list[str]) -> list[float]:
        return await asyncio.to_thread(answer_scores, question, passages)


async def reranked(
    question: str, evidence: Sequence[EvidenceChunk], reranker: Reranker, *, drop_below_best: float = inf
) -> list[EvidenceChunk]:
    """Best first by the second reading, ties as they came; the relevance each was found with stays as it is."""
    scores = await reranker.scores(question, _read(question, evidence))
    order = sorted(range(len(evidence)), key=lambda index: -scores[index])
    return [evidence[index] for index in order if scores[index] >= scores[order[0]] - drop_below_best]


def lifted(
    question: str, evidence: Sequence[EvidenceChunk], at_least: float, *, closely: bool = False
) -> list[EvidenceChunk]:
    """What is not near enough by its vectors, but is read as an answer, has the relevance asked for. That takes a
    while, so it is done `closely`, or where nothing is near enough."""
    far = [passage for passage in evidence if passage["score"] < at_least]
    if len(far) < len(evidence) and not closely:
        return list(evidence)
    texts = [f"{_place(passage)}\n{passage['text']}" for passage in far]
    read = select_all(question, [(text, [(s.start, s.end) for s in split_sentences(text)]) for text in texts])
    may_answer = {p["chunk_id"] for p, selection in zip(far, read, strict=True) if selection.answers >= MAY_ANSWER}
    return [{**p, "score": at_least} if p["chunk_id"] in may_answer else p for p in evidence]


def _read(question: str, evidence: Sequence[EvidenceChunk]) -> list[str]:
    """The part of each passage that speaks of the question, shorter and so faster than the whole, under its names.

    Without the file's name a reader cannot tell one company's quarter from another's: in twelve filings it then put the
    wrong one first more often than the search alone.
    """
    spans = windows(question, [passage["text"] for passage in evidence])
    return [
        f"{_place(passage)}\n{passage['text'][start:end]}"
        for passage, (start, end) in zip(evidence, spans, strict=True)
    ]


def _place(passage: EvidenceChunk) -> str:
    name = PurePosixPath(passage["file_name"]).stem.replace("_", " ").replace("-", " ")
    return " > ".join(filter(None, [name, passage.get("heading")]))

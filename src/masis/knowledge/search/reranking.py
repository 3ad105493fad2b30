"""A second reading of the best candidates: question and passage together, slower and sharper than the search."""

import asyncio
from collections.abc import Sequence
from math import inf
from pathlib import PurePosixPath
from typing import Protocol

from masis.embedded import answer_scores
from masis.embedded.selector import select_all
from masis.knowledge.search.narrowing import windows
from masis.language.sentences import split_sentences
from masis.types import EvidenceChunk

CLEARLY_WEAKER = 6.0
"""A distance below the best score at which a passage seldom answers, on the scale of the embedded cross-encoder.

Dropping such passages raised precision by two thirds for a point of recall, and also dropped one side of a revised
figure that a person should have seen: an option, never the default."""

AS_LIKELY_AS_NOT = 0.5


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


def lifted(question: str, evidence: Sequence[EvidenceChunk], at_least: float) -> list[EvidenceChunk]:
    """Where nothing is near enough by its vectors, what is read as an answer has the relevance asked for."""
    if any(passage["score"] >= at_least for passage in evidence):
        return list(evidence)
    texts = [f"{_place(passage)}\n{passage['text']}" for passage in evidence]
    read = select_all(question, [(text, [(s.start, s.end) for s in split_sentences(text)]) for text in texts])
    return [
        {**passage, "score": at_least} if selection.answers >= AS_LIKELY_AS_NOT else passage
        for passage, selection in zip(evidence, read, strict=True)
    ]


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

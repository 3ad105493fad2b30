"""Where in a passage the question is spoken of: the run of statements that says most in fewest characters.

By words alone, so it costs a millisecond. A word counts by how few of the candidates have it: what all of them speak
of does not tell one place from another.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import log

from masis.knowledge.ingestion.chunking import statements
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

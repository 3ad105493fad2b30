"""The quality of a ranking of spans, judged by the spans that answer."""

from collections.abc import Iterable, Sequence

from evals.retrieval_data import Question, Span

Range = tuple[int, int]


def span_scores(question: Question, found: Sequence[Span]) -> tuple[float, float, float]:
    """Recall, precision and intersection over union, by characters; text that is shown twice counts twice."""
    wanted = _length({(gold.document, gold.start, gold.end) for gold in question.gold})
    shown = sum(span.end - span.start for span in found)
    right = _length(_overlaps(question, found))
    return right / wanted, right / shown if shown else 0.0, right / (shown + wanted - right)


def recall_within(question: Question, found: Iterable[Span], characters: int) -> float:
    """Recall within a number of characters from the top: the fair comparison for passages of any length."""
    kept: list[Span] = []
    left = characters
    for span in found:
        kept.append(Span(span.document, span.start, min(span.end, span.start + left)))
        left -= kept[-1].end - kept[-1].start
        if left <= 0:
            break
    return span_scores(question, kept)[0]


def documents(found: Iterable[Span]) -> list[str]:
    """In order, without repetitions."""
    return list(dict.fromkeys(span.document for span in found))


def hit(question: Question, found: Sequence[Span], depth: int) -> bool:
    wanted = {gold.document for gold in question.gold}
    return bool(wanted & set(documents(found)[:depth]))


def reciprocal_rank(question: Question, found: Sequence[Span], depth: int = 10) -> float:
    wanted = {gold.document for gold in question.gold}
    ranks = (rank for rank, name in enumerate(documents(found)[:depth], start=1) if name in wanted)
    return 1 / next(ranks, float("inf"))


def mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0


def _overlaps(question: Question, found: Sequence[Span]) -> set[tuple[str, int, int]]:
    return {
        (span.document, max(span.start, gold.start), min(span.end, gold.end))
        for span in found
        for gold in question.gold
        if span.document == gold.document and max(span.start, gold.start) < min(span.end, gold.end)
    }


def _length(spans: Iterable[tuple[str, int, int]]) -> int:
    """Characters in any of the spans."""
    total, last, reached = 0, "", 0
    for document, start, end in sorted(spans):
        if document != last:
            last, reached = document, 0
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total

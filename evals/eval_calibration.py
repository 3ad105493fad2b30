"""Do 0.60 and 0.55 mean the same for another embedder? bge-small, the reference, against MiniLM."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

from evals.retrieval_data import Collection, chunking_evaluation, clapnq
from evals.tables import NotMeasured, Section, table
from masis.knowledge.calibration.fitting import Scores, fit, scores_of
from masis.knowledge.calibration.profiles import IDENTITY, Calibration, Point, calibration_for
from masis.knowledge.calibration.questions import Passage, Question, Sample, synthetic_sample
from masis.knowledge.embedding.onnx_embedder import OnnxEmbedder

MINILM = Path(__file__).parent.parent / ".cache" / "minilm"
MINILM_TOKENS = 256
SHOWN = (0.60, 0.55)
_PASSAGE_CHARS = 700
_OTHERS = 300
"""Passages of the long documents that answer none of the questions, in addition to those that do."""


def measure() -> Section:
    title = "Relevance means the same for another embedder"
    asked, others = clapnq(), chunking_evaluation()
    if asked is None or others is None:
        raise NotMeasured("the data sets are not at ../shared/data")
    if not (MINILM / "model.onnx").exists():
        raise NotMeasured("the second model is not here; `sh scripts/fetch_minilm.sh` fetches it")
    return Section("calibration", title, asyncio.run(_body(asked, others)))


async def _body(asked: Collection, others: Collection) -> str:
    reference, other = OnnxEmbedder(), OnnxEmbedder(MINILM, max_tokens=MINILM_TOKENS)
    on_articles, on_long = _articles(asked, others), _long_documents(others, asked)
    made = synthetic_sample([Passage(text) for text in on_articles.passages])
    synthetic = fit(await scores_of(reference, made), await scores_of(other, made))
    half, rest = [_halves(await scores_of(embedder, on_articles)) for embedder in (reference, other)]
    labelled = fit(half[0], rest[0])
    both = [await scores_of(embedder, on_long) for embedder in (reference, other)]
    elsewhere = fit(both[0], both[1])
    scales: list[tuple[str, tuple[Point, ...]]] = [
        ("MiniLM, uncalibrated", IDENTITY),
        ("MiniLM, shipped profile", calibration_for(other.name).points),
        ("MiniLM, `masis calibrate` on the other half, labelled questions", labelled),
        ("MiniLM, `masis calibrate` on synthetic questions", synthetic),
    ]
    rows = [_row("bge-small (the reference)", half[1], IDENTITY)]
    rows += [_row(name, rest[1], points) for name, points in scales]
    header = ["", *(f"{kind} at {threshold:.2f}" for threshold in SHOWN for kind in ("answer kept", "off-topic"))]
    return (
        f"CLAPnq dev: {len(half[1].on_topic)} questions against a pool of {len(on_articles.passages)} passages (answer "
        f"kept: the passage that answers passes), and {len(half[1].off_topic)} questions of chunking_evaluation that "
        "the pool does not answer (off-topic: some passage passes all the same). Both are halves; the labelled fit "
        f"used the other ones ({_words(labelled)}). The shipped profile is the mean of that fit and of one on "
        f"{len(both[0].on_topic)} questions of chunking_evaluation on their own documents with CLAPnq's as off-topic "
        f"({_words(elsewhere)}): {_words(mean_of(labelled, elsewhere))}.\n\n"
        f"{table(header, rows)}"
    )


def _articles(asked: Collection, others: Collection) -> Sample:
    names = list(asked.documents)
    passages = tuple(f"{document.title}\n{document.text}" for document in asked.documents.values())
    questions = [Question(q.text, tuple(names.index(span.document) for span in q.gold)) for q in asked.questions]
    answered = [question for question in questions if question.answered_by]
    return Sample(passages, (*answered, *(Question(q.text) for q in others.questions)), "labelled questions")


def _long_documents(asked: Collection, others: Collection) -> Sample:
    pieces = [(name, *span) for name, document in asked.documents.items() for span in _pieces(document.text)]
    answers = [
        tuple(
            place
            for place, (name, start, end) in enumerate(pieces)
            if any(s.document == name and s.start < end and start < s.end for s in question.gold)
        )
        for question in asked.questions[::2]
    ]
    needed = {place for places in answers for place in places}
    spare = [place for place in range(len(pieces)) if place not in needed]
    kept = sorted(needed | set(spare[:: max(1, len(spare) // _OTHERS)]))
    where = {place: number for number, place in enumerate(kept)}
    texts = tuple(asked.documents[name].text[start:end] for name, start, end in (pieces[place] for place in kept))
    questions = [
        Question(question.text, tuple(where[place] for place in places))
        for question, places in zip(asked.questions[::2], answers, strict=True)
        if places
    ]
    return Sample(texts, (*questions, *(Question(q.text) for q in others.questions if q.gold)), "labelled questions")


def _pieces(text: str) -> list[tuple[int, int]]:
    pattern = rf"\S[\s\S]{{0,{_PASSAGE_CHARS}}}(?!\S)"
    return [match.span() for match in re.finditer(pattern, text)]


def _halves(scores: Scores) -> tuple[Scores, Scores]:
    return (
        Scores(scores.on_topic[::2], scores.off_topic[::2]),
        Scores(scores.on_topic[1::2], scores.off_topic[1::2]),
    )


def mean_of(one: Sequence[Point], two: Sequence[Point]) -> list[Point]:
    """Where both have a point. Kinds of documents have equal weight, however many questions each has."""
    cosines = {relevance: cosine for cosine, relevance in two}
    return [(round((x + cosines[y]) / 2, 3), y) for x, y in one if y in cosines]


def _row(name: str, scores: Scores, points: tuple[Point, ...]) -> list[str]:
    scale = Calibration(points)
    relevance = Scores(tuple(map(scale.relevance, scores.on_topic)), tuple(map(scale.relevance, scores.off_topic)))
    return [name, *(f"{share:.1%}" for threshold in SHOWN for share in relevance.shares_at(threshold))]


def _words(points: Sequence[Point]) -> str:
    return ", ".join(f"{cosine:.3f} → {relevance:.2f}" for cosine, relevance in points[1:-1])

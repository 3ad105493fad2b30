"""End to end on documents the engine was not tuned on: 20 articles, 120 questions, a third without an answer."""

import csv
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.articles import write_articles
from evals.tables import Section, shared_data, table
from masis import Masis, Settings
from masis.language.words import content_stems

FILES = {
    "one passage answers": "single_passage_answer_questions.csv",
    "several passages answer": "multi_passage_answer_questions.csv",
    "no answer": "no_answer_questions.csv",
}
ANSWERED = ("answered", "answered_with_caveat")


@dataclass(frozen=True, slots=True)
class Asked:
    outcome: str
    recall: float
    """Share of the reference answer's words that the answer has."""


def measure() -> Section:
    title = "Documents not seen before, end to end, offline engine (single-topic RAG)"
    data = shared_data("stici_single_topic_rag")
    if data is None:
        return Section("unseen", title, "Not measured: the data set is not at ../shared/data.")
    with tempfile.TemporaryDirectory() as folder:
        masis = Masis(Settings(home=Path(folder) / "home"))
        masis.ingest([write_articles(data, Path(folder) / "documents")], "articles")
        rows = [_row(name, _ask_all(masis, data / file)) for name, file in FILES.items()]
        masis.close()
    header = ["questions", "n", "answered", "not covered", "conflict", "words of the reference answer"]
    body = (
        "All 20 articles in one workspace. Always answering would give 1.00, 1.00 and 1.00 under “answered”, always "
        "refusing 0.00; good is high, high and low. The offline engine is a first version: it refuses too much.\n\n"
        f"{table(header, rows)}"
    )
    return Section("unseen", title, body)


def _ask_all(masis: Masis, questions: Path) -> list[Asked]:
    with questions.open() as file:
        return [_ask(masis, entry["question"], entry.get("answer") or "") for entry in csv.DictReader(file)]


def _ask(masis: Masis, question: str, reference: str) -> Asked:
    result = masis.ask(question, "articles")
    wanted = set(content_stems(reference))
    recall = len(wanted & set(content_stems(result.answer))) / len(wanted) if wanted else 0.0
    return Asked(result.outcome, recall)


def _row(name: str, asked: Sequence[Asked]) -> list[object]:
    answered = [a for a in asked if a.outcome in ANSWERED]
    silent = sum(a.outcome == "insufficient_evidence" for a in asked)
    conflict = sum(a.outcome == "conflict" for a in asked)
    recall = f"{sum(a.recall for a in answered) / len(answered):.2f} where answered" if name != "no answer" else ""
    return [name, len(asked), f"{len(answered) / len(asked):.2f}", f"{silent / len(asked):.2f}", conflict, recall]

"""`python -m evals.fit_likelihood`: fits the weights of masis.reasoning.offline.likelihood and prints them.

Fitted on answers of the offline writer to questions that no model of ours was trained on: questions with given passages
(evals.given_passages), the half of each set that may be inspected; and questions about tables (evals.table_data), those
of the development part on which the table engine's weights were not fitted, each table among others of its set.
docs/benchmarks.md reports the other halves (`python -m evals eval confidence`).
"""

import random
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields

import numpy as np
from rich.progress import track

from evals.fit_tables import is_left_out
from evals.given_passages import Given, given, halves
from evals.strength_fit import logistic
from evals.table_data import TableQuestion, among_others, has_answer, report_questions, wiki_questions, with_strangers
from masis.audit.verdicts import judge_claims
from masis.reasoning.offline.likelihood import Signs, signs_of
from masis.reasoning.offline.verifier import second_opinion
from masis.reasoning.offline.writer import ANSWERS, written
from masis.reasoning.ports import Passage, WritingBrief
from masis.types import EvidenceChunk

SIGNS = np.array([1, 1, -1, 1, 1, 0, 0, 0])
"""The allowed sign of each weight; 0 allows both."""
MOST_CHARS = 16_000
"""Number of passages for a question about tables."""
STRANGERS = 0.3
SEED = 5

fitted_on = ("SQuAD 2.0", "CLAPnq", "business excerpts", "whole documents")
"""The references of MTRAG cannot judge a quotation; PolicyQA may be used for measuring only."""


@dataclass(frozen=True, slots=True)
class OnTable(Given):
    """A question about a table, in the form of one with given passages."""

    asked: TableQuestion | None = None

    def is_right(self, answer: str) -> bool:
        return self.asked is not None and bool(self.asked.answers) and has_answer(self.asked, answer)


def on_tables(*, to_fit: bool, limit: int) -> list[OnTable]:
    """Each among other tables of its set, some of them without the one that answers."""
    chance = random.Random(SEED)
    found = []
    for questions in (wiki_questions(to_fit=to_fit), report_questions(to_fit=to_fit)):
        held = [q for q in questions if q.answers and (not to_fit or is_left_out(q.table))]
        asked = chance.sample(held, min(limit, len(held)))
        found += [
            _on_table(q, n) for n, q in enumerate(with_strangers(among_others(asked, seed=SEED), STRANGERS, SEED))
        ]
    return found


def _on_table(question: TableQuestion, number: int) -> OnTable:
    key = f"{question.set}-{question.table}-{number}"
    return OnTable(question.set, key, question.text, tuple(question.passages), question.answers, True, question)


@dataclass(frozen=True, slots=True)
class Answer:
    item: Given
    text: str
    signs: tuple[Signs, ...]
    """None if the writer is silent."""

    @property
    def is_right(self) -> bool:
        return bool(self.signs) and self.item.is_right(self.text)


def answered(items: Sequence[Given]) -> list[Answer]:
    return [_answer(item) for item in track(items, "answers")]


def _answer(item: Given, at_least: float = ANSWERS) -> Answer:
    text = written(WritingBrief(item.question, item.passages), at_least)
    evidence = [as_evidence(passage) for passage in item.passages]
    claims = judge_claims(text, evidence, second_opinion)
    return Answer(item, text, tuple(signs_of(item.question, claims, evidence)))


def as_evidence(passage: Passage) -> EvidenceChunk:
    return {
        "chunk_id": passage.chunk_id,
        "file_name": passage.file_name,
        "text": passage.text,
        "score": 0.9,
        "document_id": passage.chunk_id,
        "page": 1,
        "start": 0,
        "end": len(passage.text),
        "heading": passage.heading,
    }


def fitted(answers: Sequence[Answer], *, from_table: bool) -> tuple[list[float], float]:
    """For cells, on both sets of tables; for sentences, without WikiTableQuestions, whose puzzles nobody asks a
    report."""
    spoken = [a for a in answers if a.signs and a.signs[0].from_table == from_table]
    spoken = [a for a in spoken if from_table or a.item.set != "WikiTableQuestions"]
    rows = np.array([astuple(answer.signs[0])[:-1] for answer in spoken], dtype=float)
    return logistic(rows, np.array([float(answer.is_right) for answer in spoken]), SIGNS)


def drawn(half: int, sentences: int = 400, tables: int = 150) -> list[Given]:
    """The given numbers of questions with sentences and about tables; half 0 is the one fitted on."""
    told = [item for item in halves(given(), half) if item.set in fitted_on]
    tabled = [
        item for item in on_tables(to_fit=half == 0, limit=180) if sum(len(p.text) for p in item.passages) < MOST_CHARS
    ]
    random.Random(1).shuffle(told)
    random.Random(1).shuffle(tabled)
    return [*told[:sentences], *tabled[:tables]]


def main() -> None:
    # Also if the writer would be silent, since those cases teach what a low likelihood means.
    answers = [_answer(item, at_least=-100.0) for item in track(drawn(0), "answers")]
    for name, from_table in (("WEIGHTS", False), ("OF_CELLS", True)):
        weights, bias = fitted(answers, from_table=from_table)
        named = ", ".join(f"{f.name}={w:.2f}" for f, w in zip(fields(Signs), weights, strict=False))
        print(f"{name} = Signs({named})\nBIAS = {bias:.2f}")


if __name__ == "__main__":
    main()

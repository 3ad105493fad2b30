"""Answers from tables: the engine on whole tables of the halves that it was not fitted on, and end to end."""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.answer_data import AnswerSet, Posed, all_asked, opened
from evals.answer_scoring import ANSWERED
from evals.intervals import share
from evals.retrieval_systems import Keywords
from evals.table_data import TableQuestion, has_answer, report_questions, wiki_questions, with_strangers
from evals.tables import Section, table
from masis.language.characters import BRACKETED
from masis.reasoning.offline.tables.lookup import TableAnswer, answer_from_tables
from masis.runs.records import RunResult
from training.sets import held_out

ASKED = 150
SEED = 14
HEADER = ["questions", "n", "answered", "right", "wrong", "right of answered"]
EXPLAINED = (
    "Tables that the engine's weights were not fitted on. “The engine”: it is given the whole table, and is right when "
    "its answer is the reference and nothing else. “End to end”: each table is a document of its own, the question is "
    "asked of it, and the reference must be in the answer. “Another table”: the same questions asked of a table of the "
    "same set with as many columns, where every answer is wrong. 95 % intervals."
)


@dataclass(frozen=True, slots=True)
class Outcome:
    answered: bool
    right: bool


def measure(limit: int = ASKED) -> Section:
    rows = [row for name, asked in _sets(limit) for row in [*_engine(name, asked), *_cheap(name, asked)]]
    wiki = next((asked for name, asked in _sets(limit) if name == "WikiTableQuestions"), [])
    rows += [_row("WikiTableQuestions, **end to end**", end_to_end(wiki))] if wiki else []
    return Section("tables", "Answers from tables", f"{EXPLAINED}\n\n{table(HEADER, rows)}")


def _sets(limit: int) -> list[tuple[str, list[TableQuestion]]]:
    """The questions of TAT-QA that its table answers, from the part that the reader was not trained on."""
    wiki = wiki_questions(to_fit=False)
    reports = [q for q in report_questions(to_fit=False) if q.answers and held_out(f"tatqa-{q.table}")]
    drawn = random.Random(SEED)
    found = [("WikiTableQuestions", wiki), ("TAT-QA, answered by the table", reports)]
    return [(name, drawn.sample(asked, min(limit, len(asked)))) for name, asked in found if asked]


def _engine(name: str, asked: Sequence[TableQuestion]) -> list[list[object]]:
    strangers = with_strangers(asked, 1.0, SEED)[len(asked) :]
    return [
        _row(f"{name}, **the engine**", [_ask_engine(q) for q in asked]),
        _row(f"{name}, always answering", [_ask_engine(q, 0.0) for q in asked]),
        _row(f"{name}, another table", [_ask_engine(q) for q in strangers]),
    ]


def _ask_engine(question: TableQuestion, at_least: float | None = None) -> Outcome:
    sure = {} if at_least is None else {"at_least": at_least}
    found = answer_from_tables(question.text, [question.passage], **sure)
    return Outcome(found is not None, found is not None and is_right(question, found))


def is_right(question: TableQuestion, found: TableAnswer) -> bool:
    return question.is_answered_by(found.trial)


def _cheap(name: str, asked: Sequence[TableQuestion]) -> list[list[object]]:
    """The row or sentence that BM25 ranks first, right if it contains the reference."""
    outcomes = []
    for question in asked:
        lines = [line for line in question.document.splitlines() if line.strip(" |-")]
        best = next((lines[n] for n in Keywords(lines).best(question.text, 1)), "")
        outcomes.append(Outcome(bool(best), has_answer(question, best)))
    return [_row(f"{name}, best BM25 row", outcomes)]


def end_to_end(questions: Sequence[TableQuestion]) -> list[Outcome]:
    masis = opened(AnswerSet("Wikitables", [], lambda folder: _write(folder, questions)))
    posed = [Posed("", question.text, "", (_file(question),)) for question in questions]
    try:
        return list(map(_outcome, questions, all_asked(masis, posed, "tables end to end")))
    finally:
        masis.close()


def _write(folder: Path, asked: Sequence[TableQuestion]) -> None:
    folder.mkdir(parents=True)
    for question in asked:
        (folder / _file(question)).write_text(question.document)


def _file(question: TableQuestion) -> str:
    return f"{re.sub(r'[^0-9]+', '-', question.table).strip('-')}.md"


def _outcome(question: TableQuestion, result: RunResult) -> Outcome:
    answer = BRACKETED.sub(" ", result.answer) if result.outcome in ANSWERED else ""
    return Outcome(bool(answer), has_answer(question, answer))


def _row(name: str, outcomes: Sequence[Outcome]) -> list[object]:
    answered = [o.right for o in outcomes if o.answered]
    of_all: Callable[[Callable[[Outcome], bool]], str] = lambda has: share([has(o) for o in outcomes])  # noqa: E731
    return [
        name,
        len(outcomes),
        of_all(lambda o: o.answered),
        of_all(lambda o: o.right),
        of_all(lambda o: o.answered and not o.right),
        share(answered) if answered else "–",
    ]

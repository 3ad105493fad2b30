"""Questions about tables: WikiTableQuestions, each table a document, and TAT-QA; half to fit on, half to report."""

import csv
import gzip
import hashlib
import io
import json
import random
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from evals.tables import shared_data
from masis.language.measures import NUMBER_WORDS
from masis.language.question import parsed
from masis.reasoning.offline.selection import candidates_of, marked, rows_read
from masis.reasoning.offline.tables.anchors import TableQuery
from masis.reasoning.offline.tables.trials import Trial
from masis.reasoning.offline.tables.values import amount, stems
from masis.reasoning.ports import Passage

PASSAGE = "c0000000001"
WRITTEN = Path(__file__).parents[1] / "training" / "questions"
WORKED_OUT = frozenset({"difference", "change", "percent_change", "share", "sum", "average", "count"})


@dataclass(frozen=True, slots=True)
class TableQuestion:
    set: str
    table: str
    """The table: the group that is fitted on or reported as a whole."""
    text: str
    answers: tuple[str, ...]
    """None if the table does not answer."""
    document: str
    """The table with the text around it, as Markdown."""
    is_reckoned: bool = False
    """Whether the answer is a number that may not be in the table."""
    is_percent: bool = False
    beside: tuple[str, ...] = ()
    """Other documents that are found with it."""

    @property
    def file_name(self) -> str:
        return f"{self.table.rsplit('/', 1)[-1]}.md"

    @property
    def passage(self) -> Passage:
        return Passage(PASSAGE, self.file_name, 1, self.document)

    @property
    def passages(self) -> list[Passage]:
        others = (Passage(f"c{n:010}", f"other-{n}.md", 1, text) for n, text in enumerate(self.beside, start=2))
        return [self.passage, *others]

    def on(self, other: "TableQuestion") -> "TableQuestion":
        """Asked of another table, which does not answer it."""
        return TableQuestion(self.set, other.table, self.text, (), other.document)

    def is_answered_by(self, trial: Trial) -> bool:
        """The same figure, apart from signs and rounding, or the same words."""
        if not self.answers or trial.table.file_name != self.file_name:
            return False
        if trial.value is not None and len(self.answers) == 1 and (wanted := amount(self.answers[0])) is not None:
            value = 100 * trial.value if self.is_percent and trial.form in ("share", "ratio") else trial.value
            slack = 0.0051 if self.is_reckoned else 1e-6 * abs(wanted)
            return abs(abs(value) - abs(wanted)) <= max(slack, 1e-4 * abs(wanted) if self.is_reckoned else 1e-9)
        if self.is_reckoned:
            return False
        if trial.form.startswith("when_") or trial.form == "times":
            return len(trial.answer) == len(self.answers) and all(
                any(" ".join(stems(wanted)) in " ".join(stems(told)) for told in trial.answer)
                for wanted in self.answers
            )
        return _same_words(trial.answer, self.answers)

    @property
    def as_read(self) -> TableQuery:
        """With the rows that the selector marks, as the offline writer asks it."""
        read = marked(parsed(self.text).parts[0], candidates_of(self.passages))
        return TableQuery(self.text, marked=rows_read(read))


def _same_words(told: Sequence[str], wanted: Sequence[str]) -> bool:
    return {stems(text) for text in told} == {stems(text) for text in wanted}


def development(table: str) -> bool:
    """Whether the table may be inspected and fitted on."""
    return int(hashlib.sha256(table.encode()).hexdigest(), 16) % 2 == 0


def wiki_questions(*, to_fit: bool) -> list[TableQuestion]:
    data = shared_data("wikitablequestions")
    if data is None:
        return []
    lines = gzip.decompress((data / "questions_train.jsonl.gz").read_bytes()).decode().splitlines()
    asked = [json.loads(line) for line in lines]
    return [
        TableQuestion(
            "WikiTableQuestions",
            q["context"],
            q["utterance"],
            tuple(q["targetValue"].split("|")),
            wiki_table(data / "tables_train.zip", q["context"]),
        )
        for q in asked
        if development(q["context"]) == to_fit
    ]


@lru_cache(maxsize=4000)
def wiki_table(archive: Path, name: str) -> str:
    with zipfile.ZipFile(archive) as tables:
        text = tables.read(name).decode()
    rows = list(csv.reader(io.StringIO(text), doublequote=False, escapechar="\\"))
    return as_markdown(rows)


def as_markdown(rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(" ".join(c.split()).replace("|", "/") for c in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def report_questions(*, to_fit: bool) -> list[TableQuestion]:
    """TAT-QA: its development part to fit on, its test part to report. Questions that only its text answers have no
    answer."""
    data = shared_data("tatqa_dev")
    if data is None:
        return []
    name = "tatqa_dataset_dev.json.gz" if to_fit else "tatqa_dataset_test_gold.json.gz"
    reports: list[dict[str, Any]] = json.loads(gzip.decompress((data / name).read_bytes()))
    return [_report_question(q, report) for report in reports for q in report["questions"]]


def _report_question(q: dict[str, Any], report: dict[str, Any]) -> TableQuestion:
    values = q["answer"] if isinstance(q["answer"], list) else [q["answer"]]
    return TableQuestion(
        "TAT-QA",
        report["table"]["uid"],
        q["question"],
        tuple(str(v) for v in values) if q["answer_from"] != "text" else (),
        report_document(report),
        q["answer_type"] in ("arithmetic", "count"),
        q["scale"] == "percent",
    )


def written_questions() -> list[TableQuestion]:
    """From documents that were written for this (training/questions)."""
    files = sorted(WRITTEN.glob("tables-*.jsonl"))
    documents = [json.loads(line) for file in files for line in file.read_text().splitlines() if line.strip()]
    return [
        TableQuestion(
            "written",
            document["name"],
            q["q"],
            tuple(str(a) for a in q["a"]),
            document["text"],
            q["kind"] in WORKED_OUT,
            q["kind"] in ("share", "percent_change"),
        )
        for document in documents
        for q in document["questions"]
    ]


def report_document(report: dict[str, Any]) -> str:
    """The table after the paragraph that announces it, otherwise after the first."""
    rows = "\n".join("| " + " | ".join(c.replace("|", "/") for c in row) + " |" for row in report["table"]["table"])
    texts = [p["text"].strip() for p in sorted(report["paragraphs"], key=lambda p: p["order"])]
    announcing = next((number for number, text in enumerate(texts) if text.endswith(":")), 0)
    return "\n\n".join([*texts[: announcing + 1], rows, *texts[announcing + 1 :]])


def with_strangers(questions: Sequence[TableQuestion], share: float, seed: int = 1) -> list[TableQuestion]:
    """The questions, and a share of them repeated for another table of the set with as many columns."""
    drawn = random.Random(seed)
    by_width: dict[int, list[TableQuestion]] = {}
    for question in questions:
        by_width.setdefault(_width(question), []).append(question)
    added = []
    for question in questions:
        alike = by_width[_width(question)]
        others = drawn.sample(alike, min(4, len(alike)))
        other = next((o for o in others if o.table != question.table), None)
        if other and drawn.random() < share:
            added.append(question.on(other))
    return [*questions, *added]


def among_others(questions: Sequence[TableQuestion], others: int = 3, seed: int = 2) -> list[TableQuestion]:
    """The questions, each asked of its table together with some that do not answer it."""
    drawn = random.Random(seed)
    documents = {q.table: q.document for q in questions}
    return [
        replace(q, beside=tuple(documents[t] for t in drawn.sample(sorted(documents), others + 1) if t != q.table))
        for q in questions
    ]


def _width(question: TableQuestion) -> int:
    row = next(line for line in question.document.splitlines() if line.startswith("|"))
    return row.count("|")


def has_answer(question: TableQuestion, text: str) -> bool:
    """Every value of the reference, as whole words or as a number."""
    said = " ".join(str(NUMBER_WORDS.get(word, word)) for word in stems_of_all(text))
    numbers = {abs(value) for found in re.findall(r"\d[\d,]*(?:\.\d+)?", text) if (value := amount(found)) is not None}
    numbers |= {float(word) for word in said.split() if word.isdigit()}
    return bool(text) and all(_has(said, numbers, value) for value in question.answers)


def stems_of_all(text: str) -> list[str]:
    """In pieces, because the stems of a long text are truncated."""
    return [stem for piece in re.split(r"[\n;()]", text) for stem in stems(piece)]


def _has(said: str, numbers: set[float], value: str) -> bool:
    wanted = amount(value)
    if wanted is not None and any(abs(abs(wanted) - number) <= 0.006 * abs(wanted) for number in numbers):
        return True
    return f" {' '.join(stems(value))} " in f" {said} "

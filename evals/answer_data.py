"""Questions with reference answers, and their documents, for the evaluation of whole answers."""

import csv
import gzip
import hashlib
import html
import io
import json
import random
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.progress import Progress

from evals.articles import write_articles
from evals.sample import SAMPLE, questions
from evals.tables import PAGE, shared_data
from masis import Masis, Settings
from masis.bulk import Job, ask_here
from masis.orchestrator.agent import run_blocking
from masis.runs.records import RunResult
from training.figures import hash_half
from training.sets import held_out

SEED = 4
CACHE = PAGE.parent.parent / ".cache" / "answers"
WORKSPACE = "answers"


@dataclass(frozen=True, slots=True)
class Posed:
    kind: str
    text: str
    reference: str
    """Empty if the documents do not answer the question."""
    files: tuple[str, ...] = ()
    """Documents to search; all of them if none is named."""
    facts: tuple[tuple[str, ...], ...] = ()
    """Groups of wordings, one of each of which the answer must contain; without them the reference is compared."""

    @property
    def answerable(self) -> bool:
        return bool(self.reference or self.facts)


@dataclass(frozen=True, slots=True)
class AnswerSet:
    name: str
    posed: Sequence[Posed]
    write_documents: Callable[[Path], object]
    """Writes into an empty folder."""


def answer_sets(limit: int | None = None) -> list[AnswerSet]:
    """The sets whose data is next to the repository; `limit` is for trying out."""
    data = shared_data("stici_single_topic_rag")
    found = [_articles(data)] if data else []
    return [AnswerSet(s.name, _sampled(s.posed, limit), s.write_documents) for s in [*found, _sample_index()]]


def filing_sets() -> list[AnswerSet]:
    data = shared_data("kgrag_sec10q")
    return [_filings(data), _figures(data)] if data else []


def table_sets(limit: int | None = None) -> list[AnswerSet]:
    data = shared_data("tatqa_dev")
    found = [_tables(data)] if data else []
    return [AnswerSet(s.name, _sampled(s.posed, limit), s.write_documents) for s in found]


def opened(answer_set: AnswerSet) -> Masis:
    """A library with the documents of the set. They are ingested once, and again when the code that reads documents
    changes."""
    home = CACHE / answer_set.name.split()[0].lower() / _ingestion_code()
    masis = Masis(Settings(home=home))
    if not (home / "complete").exists():
        shutil.rmtree(home.parent, ignore_errors=True)
        answer_set.write_documents(home / "documents")
        masis.ingest([home / "documents"], WORKSPACE)
        (home / "complete").touch()
    return masis


def all_asked(masis: Masis, posed: Sequence[Posed], title: str) -> list[RunResult]:
    """Asks several at once, as `masis ask --file` does. Returns whole results, of which a file of answers holds a
    part."""
    rows = [{"id": number, "question": one.text, "documents": one.files} for number, one in enumerate(posed)]
    with tempfile.TemporaryDirectory() as folder, Progress() as bar:
        task = bar.add_task(title, total=len(rows))
        job = Job(Path(folder, "q.jsonl"), WORKSPACE, Path(folder, "a.jsonl"))
        job.questions.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        report = run_blocking(job.run(partial(ask_here, masis, WORKSPACE), lambda _: bar.advance(task)))
        assert report.is_complete, (report.bad_rows, report.failed)
        with job.out.open() as answers:
            results = [result for line in answers if (result := masis.result(json.loads(line)["run_id"]))]
    assert len(results) == len(posed)
    return results


def _ingestion_code() -> str:
    source = PAGE.parent.parent / "src" / "masis"
    files = sorted(file for folder in ("sources", "knowledge") for file in (source / folder).rglob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


def _sampled(posed: Sequence[Posed], limit: int | None) -> Sequence[Posed]:
    return random.Random(SEED).sample(list(posed), limit) if limit and limit < len(posed) else posed


def _articles(data: Path) -> AnswerSet:
    files = {
        "one passage": "single_passage_answer_questions.csv",
        "several passages": "multi_passage_answer_questions.csv",
        "no answer": "no_answer_questions.csv",
    }
    posed = [
        Posed(kind, entry["question"], entry.get("answer") or "", (f"article-{int(entry['document_index']):02}.txt",))
        for kind, name in files.items()
        for entry in _csv((data / name).read_text(encoding="utf-8-sig"))
    ]

    return AnswerSet("Articles (single-topic RAG)", posed, lambda folder: write_articles(data, folder))


def _csv(text: str) -> list[dict[str, str]]:
    csv.field_size_limit(10**9)
    return list(csv.DictReader(io.StringIO(text)))


FILINGS_ASKED = 30
FIGURES = Path(__file__).parent / "filing_figures.tsv"


def _filings(data: Path) -> AnswerSet:
    """Only questions about companies whose filings are available, and of these the half that is reported."""
    there = {file.stem.split()[-1] for file in (data / "docs").iterdir()}
    entries = _csv((data / "qna_data.csv").read_text(encoding="utf-8-sig"))
    on_them = [e for e in entries if e["Source Docs"].strip("* ").split()[-1] in there]
    posed = [
        Posed(
            "several filings" if e["Question Type"].startswith("Multi") else "one filing",
            e["Question"],
            e["Answer"].split("SOURCE(S)")[0],
        )
        for e in on_them
        if hash_half(e["Question"]) == 1
    ]
    posed = list(_sampled(posed, FILINGS_ASKED))
    return AnswerSet("Filings (SEC 10-Q)", posed, lambda folder: shutil.copytree(data / "docs", folder))


def _figures(data: Path) -> AnswerSet:
    """Our own questions about single figures of the same filings, without those that the engine was built with."""
    entries = csv.DictReader(FIGURES.read_text().splitlines(), delimiter="\t")
    posed = [
        Posed(
            "a figure" if e["answer"] else "no answer", e["question"], "", (), ((e["answer"],),) if e["answer"] else ()
        )
        for e in entries
        if e["half"] == "reported"
    ]
    return AnswerSet("Filings, single figures", posed, lambda folder: shutil.copytree(data / "docs", folder))


TABLES_ASKED = {"span in text": 35, "span in a table": 60, "several spans": 25, "computed": 50}


def _tables(data: Path) -> AnswerSet:
    """From the test split, which the writer was not built on, without what the reader was trained on."""
    text = gzip.decompress((data / "tatqa_dataset_test_gold.json.gz").read_bytes())
    reports: list[dict[str, Any]] = [r for r in json.loads(text) if held_out(f"tatqa-{r['table']['uid']}")]
    posed = [
        Posed(_kind_of(q), q["question"], _tabled(q), (f"{report['table']['uid']}.html",))
        for report in reports
        for q in report["questions"]
    ]
    drawn = random.Random(SEED)
    chosen = [p for kind, n in TABLES_ASKED.items() for p in _drawn(drawn, [p for p in posed if p.kind == kind], n)]
    used = {file for p in chosen for file in p.files}

    def write(folder: Path) -> None:
        folder.mkdir(parents=True)
        for report in reports:
            name = f"{report['table']['uid']}.html"
            if name in used:
                (folder / name).write_text(_as_html(report))

    return AnswerSet("Tables (TAT-QA)", chosen, write)


def _drawn(drawn: random.Random, posed: Sequence[Posed], number: int) -> list[Posed]:
    return drawn.sample(posed, min(number, len(posed)))


def _kind_of(question: dict[str, Any]) -> str:
    if question["answer_type"] in ("arithmetic", "count"):
        return "computed"
    if question["answer_type"] == "multi-span":
        return "several spans"
    return "span in text" if question["answer_from"] == "text" else "span in a table"


def _tabled(question: dict[str, Any]) -> str:
    """The answer with its scale: “1,496.5 million”, “12.5 %”."""
    answer = question["answer"]
    values = answer if isinstance(answer, list) else [answer]
    scale = {"percent": "%"}.get(question["scale"], question["scale"])
    return "; ".join(f"{value} {scale}".strip() if _has_digit(value) else str(value) for value in values)


def _has_digit(value: object) -> bool:
    return any(character.isdigit() for character in str(value))


def _as_html(report: dict[str, Any]) -> str:
    """The table after the paragraph that announces it, otherwise after the first."""
    rows = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in report["table"]["table"]
    )
    texts = [p["text"].strip() for p in sorted(report["paragraphs"], key=lambda p: p["order"])]
    announcing = next((number for number, text in enumerate(texts) if text.endswith(":")), 0)
    paragraphs = [f"<p>{html.escape(text)}</p>" for text in texts]
    before, behind = paragraphs[: announcing + 1], paragraphs[announcing + 1 :]
    return f"<html><body>{''.join(before)}<table>{rows}</table>{''.join(behind)}</body></html>"


def _sample_index() -> AnswerSet:
    posed = [
        Posed(
            q.expected_outcome.replace("_", " "),
            q.question,
            "",
            facts=tuple(tuple(fact) for fact in q.facts)
            if q.expected_outcome not in ("insufficient_evidence", "out_of_scope")
            else (),
        )
        for q in questions()
    ]
    return AnswerSet("Sample index", posed, lambda folder: shutil.copytree(SAMPLE, folder))

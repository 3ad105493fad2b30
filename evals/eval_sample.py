"""The sample index with the offline engine: outcome, facts and documents, by type of question."""

import tempfile
from collections import defaultdict
from pathlib import Path

from evals.sample import SAMPLE, SampleQuestion, questions
from evals.tables import Section, table
from masis import Masis, RunResult, Settings


def measure() -> Section:
    with tempfile.TemporaryDirectory() as home:
        masis = Masis(Settings(home=Path(home)))
        masis.ingest([SAMPLE], "tolmerick")
        ran = [(q, masis.ask(q.question, "tolmerick")) for q in questions()]
    by_type: dict[str, list[tuple[SampleQuestion, RunResult]]] = defaultdict(list)
    for question, result in ran:
        by_type[question.type].append((question, result))
    rows = [_row(kind, cases) for kind, cases in by_type.items()] + [_row("**all**", ran)]
    header = ["type", "questions", "right outcome", "all facts", "documents cited"]
    body = (
        "Our own sample, on which the engine was tuned: it shows that nothing is broken, not how good the engine is "
        f"on documents it has not seen.\n\n{table(header, rows)}"
    )
    return Section("sample", "Sample index, offline engine", body)


def _row(kind: str, cases: list[tuple[SampleQuestion, RunResult]]) -> list[object]:
    outcome = sum(r.outcome == q.expected_outcome for q, r in cases)
    facts = sum(not q.missing_facts(r.answer) for q, r in cases)
    documents = sum(not q.missing_documents(_cited(r)) for q, r in cases)
    return [kind, len(cases), outcome, facts, documents]


def _cited(result: RunResult) -> set[str]:
    return {c["file_name"] for claim in result.claims for c in claim["citations"] if c["file_name"]}

"""The sample workspace with the offline engine: outcome, facts and documents, by type of question."""

import tempfile
from collections import defaultdict
from pathlib import Path

from evals.answer_data import WORKSPACE, Posed, all_asked
from evals.sample import SAMPLE, SampleQuestion, questions
from evals.tables import Section, table
from masis import Masis, RunResult, Settings


def measure() -> Section:
    with tempfile.TemporaryDirectory() as home:
        ran = list(zip(questions(), sample_results(Path(home)), strict=True))
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


def sample_results(home: Path) -> list[RunResult]:
    """For every question of the sample, in order."""
    with Masis(Settings(home=home)) as masis:
        masis.ingest([SAMPLE], WORKSPACE)
        return all_asked(masis, [Posed(q.type, q.question, "") for q in questions()], "Sample index")


def _row(kind: str, cases: list[tuple[SampleQuestion, RunResult]]) -> list[object]:
    outcome = sum(r.outcome == q.expected_outcome for q, r in cases)
    facts = sum(not q.missing_facts(r.answer) for q, r in cases)
    documents = sum(not q.missing_documents(_cited(r)) for q, r in cases)
    return [kind, len(cases), outcome, facts, documents]


def _cited(result: RunResult) -> set[str]:
    return {c["file_name"] for claim in result.claims for c in claim["citations"] if c["file_name"]}

"""The sample index, end to end with the offline engine: every question reaches its outcome, facts and documents."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from evals.sample import SAMPLE, SampleQuestion, questions
from masis import Masis, Settings

QUESTIONS = questions()


@pytest.fixture(scope="module")
def masis(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Masis]:
    home = shutil.copytree(sample_home, tmp_path_factory.mktemp("sample") / "home")
    with Masis(Settings(home=home)) as made:
        assert {each.status for each in made.documents("tolmerick")} == {"READY"}
        assert len(made.documents("tolmerick")) == len(list(Path(SAMPLE).iterdir()))
        yield made


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda question: question.id)
def test_question_reaches_its_outcome(asked: SampleQuestion, masis: Masis) -> None:
    result = masis.ask(asked.question, "tolmerick")
    cited = {c["file_name"] for claim in result.claims for c in claim["citations"] if c["file_name"]}
    assert result.outcome == asked.expected_outcome, result.answer
    assert asked.missing_facts(result.answer) == [], result.answer
    assert asked.missing_documents(cited) == [], result.answer
    known = {chunk["chunk_id"] for chunk in result.evidence}
    assert {c["chunk_id"] for claim in result.claims for c in claim["citations"]} <= known
    assert all(claim["verdict"] in ("verbatim", "supported", None) for claim in result.claims), result.claims


def test_the_index_is_large_enough_to_mean_something() -> None:
    assert len(QUESTIONS) >= 25
    assert {q.expected_outcome for q in QUESTIONS} >= {
        "answered",
        "answered_with_caveat",
        "conflict",
        "insufficient_evidence",
        "out_of_scope",
    }

"""The offline audit tells good answers from bad ones; `make eval` prints by how much for every kind and source."""

import shutil
from pathlib import Path

import pytest

from evals.audited import audited, raises_alarm
from evals.planting import PLANTS
from evals.sample import questions
from masis import Masis, RunResult, Settings

# All questions of the sample are asked before the first test: slow on a machine that does other things as well.
pytestmark = [pytest.mark.evaluation, pytest.mark.timeout(1800)]

ANSWERED = [q for q in questions() if q.expected_outcome == "answered"][::3]
# Lower than before code refuted only what it can prove: doubt raises no alarm any more.
LEAST_CAUGHT = {
    "swapped number": 0.85,
    "number of something else": 0.80,
    "wrong scale or unit": 0.80,
    "wrong year": 0.85,
    "wrong quarter or month": 0.80,
    "foreign name": 0.85,
    "name from the same passage": 0.30,
    "negation": 0.85,
    "direction": 0.85,
    "wrong citation": 0.98,
    "fabricated citation": 1.0,
}
LEAST_DROP = {"name from the same passage": 0.15}
"""In confidence, on average; of the others a quarter. Where few are caught, few lose any."""
FEWEST_PLANTED = 2


@pytest.fixture(scope="module")
def answers(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, RunResult]]:
    home = shutil.copytree(sample_home, tmp_path_factory.mktemp("sample") / "home")
    with Masis(Settings(home=home)) as masis:
        return [(q.question, masis.ask(q.question, "tolmerick")) for q in ANSWERED]


def test_untouched_answers_pass(answers: list[tuple[str, RunResult]]) -> None:
    assert not [q for q, r in answers if raises_alarm(audited(q, r.answer, r.evidence))]


@pytest.mark.parametrize("kind", PLANTS)
def test_planted_errors_are_caught(kind: str, answers: list[tuple[str, RunResult]]) -> None:
    planted = [(q, bad, r) for q, r in answers if (bad := PLANTS[kind](r.answer, r.evidence))]
    critiques = [audited(q, bad, r.evidence) for q, bad, r in planted]
    assert len(planted) >= FEWEST_PLANTED
    assert sum(map(raises_alarm, critiques)) / len(planted) >= LEAST_CAUGHT[kind]
    untouched = [audited(q, r.answer, r.evidence)["confidence"] for q, _, r in planted]
    drop = sum(untouched) / len(planted) - sum(c["confidence"] for c in critiques) / len(planted)
    assert drop > LEAST_DROP.get(kind, 0.25)


def test_the_answer_to_another_question_loses(answers: list[tuple[str, RunResult]]) -> None:
    shifted = list(zip(answers, answers[1:] + answers[:1], strict=True))
    alarms = [raises_alarm(audited(q, other.answer, other.evidence)) for (q, _), (_, other) in shifted]
    assert sum(alarms) / len(alarms) >= 0.8

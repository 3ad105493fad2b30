"""What runs may spend: limits of one run, of a workspace, and what is said before and after. Every call of a model
costs exactly as much as it was said to cost at most, so that the sums are exact."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from masis import Masis, RunResult, Settings
from masis.errors import InvalidInput
from masis.reasoning.engines import CHARS_A_TOKEN
from masis.runs.events import days_ago
from masis.runs.planning import USUAL_PROMPT_CHARS
from masis.types import Budget
from tests.support.fake_openai import FakeOpenAI, Hang, Recorded, Reply, Say
from tests.support.obedient import ALL_IS_WELL, FULL_MARKS

QUESTION = "What was revenue in fiscal 2025?"
A_CALL = 0.02
"""US dollars: 20 tokens out at a tenth of a cent each."""
PRICES = {
    f"{role}_price_{way}": price
    for role in ("writer", "auditor", "judge")
    for way, price in (("input", 0.0), ("output", 1000.0))
}
MakeMasis = Callable[..., Masis]


class Model:
    def __init__(self) -> None:
        self.audit: dict[str, Any] = dict(ALL_IS_WELL)

    def __call__(self, request: Recorded) -> Reply:
        asked = json.dumps(request.body)
        if "needs_retry" in asked:
            return Say(json.dumps(self.audit))
        if "reasoning_quality" in asked:
            return Say(json.dumps(FULL_MARKS))
        ids = re.findall(r"<<<passage \[(c[0-9a-z]{10})\]", request.prompt)
        return Say(f"Revenue in fiscal 2025 was $184.1 million. [{ids[0]}]" if ids else "What was revenue in 2024?")


@pytest.fixture
def model(fake_openai: FakeOpenAI) -> Model:
    made = Model()
    fake_openai.answer_with(made)
    return made


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ingested")
    said = "Revenue in fiscal 2025 was $184.1 million, after $163.8 million in fiscal 2024."
    (folder / "report.md").write_text(f"# Annual report\n\n{said}")
    with Masis(Settings(home=folder / "home")) as masis:
        for workspace in ("acme", "lab", "other"):
            masis.ingest([folder / "report.md"], workspace)
    return folder / "home"


@pytest.fixture
def home(ingested: Path, tmp_path: Path) -> Path:
    return shutil.copytree(ingested, tmp_path / "home")


@pytest.fixture
def masis_with(home: Path, fake_openai: FakeOpenAI, model: Model) -> MakeMasis:
    def make(**changes: Any) -> Masis:
        usual: dict[str, Any] = {
            "model_base_url": fake_openai.base_url,
            "rate_limit_calls": 1000,
            "max_output_tokens": 20,
        }
        return Masis(Settings(home=home, **(usual | PRICES | changes)))

    return make


@pytest.fixture
def writer_alone(masis_with: MakeMasis) -> MakeMasis:
    """One call a run."""
    return lambda **changes: masis_with(auditor_model="offline", judge_model="offline", **changes)


def costs(results: list[RunResult]) -> list[float]:
    return [pytest.approx(result.metrics["cost_usd"]) for result in results]


def is_spent(result: RunResult) -> bool:
    return bool(result.metrics.get("budget_spent"))


def test_runs_of_a_workspace_stay_within_its_budget_and_end_with_an_answer(writer_alone: MakeMasis) -> None:
    with writer_alone(workspace_budget_usd=0.05) as masis:
        results = [masis.ask(QUESTION, "acme") for _ in range(3)]
        assert costs(results) == [A_CALL, A_CALL, 0.0]
        assert [is_spent(result) for result in results] == [False, False, True]
        assert results[2].outcome == "answered"
        assert "$184.1 million" in results[2].answer
        assert "$0.0000 of $0.0100 are spent" in str(results[2].trace)
        assert costs([masis.ask(QUESTION, "lab")]) == [A_CALL], "each workspace has the whole amount"


def test_a_workspace_may_have_a_budget_of_its_own(writer_alone: MakeMasis) -> None:
    with writer_alone(workspace_budget_usd=0.0, workspace_budgets="acme=0.02, lab=0.04") as masis:
        asked = {name: [masis.ask(QUESTION, name) for _ in range(2)] for name in ("acme", "lab", "other")}
    assert {name: costs(results) for name, results in asked.items()} == {
        "acme": [A_CALL, 0.0],
        "lab": [A_CALL, A_CALL],
        "other": [0.0, 0.0],
    }


@pytest.mark.parametrize("budgets", ["acme", "acme=-1", "acme=much", "acme=nan"])
def test_a_budget_that_is_none_is_refused(budgets: str) -> None:
    with pytest.raises(ValueError, match="acme"):
        Settings(workspace_budgets=budgets)


def test_what_was_spent_longer_ago_does_not_count(writer_alone: MakeMasis) -> None:
    with writer_alone(workspace_budget_usd=A_CALL, workspace_budget_days=2) as masis:
        runs = masis._parts.runs
        masis.ask(QUESTION, "acme")
        assert runs.spent("acme", days_ago(2)) == pytest.approx(A_CALL)
        assert runs.spent("lab", days_ago(2)) == 0.0
        assert is_spent(masis.ask(QUESTION, "acme"))
        with runs._database.writing() as db:
            db.execute("UPDATE runs SET created_at = ?", (days_ago(2.1),))
        assert runs.spent("acme", days_ago(2)) == 0.0
        assert not is_spent(masis.ask(QUESTION, "acme"))


@pytest.mark.parametrize(("workspace", "own", "spends"), [(1.0, 0.01, False), (0.01, 1.0, False), (1.0, 0.02, True)])
def test_the_tighter_of_two_limits_holds(writer_alone: MakeMasis, workspace: float, own: float, spends: bool) -> None:
    with writer_alone(workspace_budget_usd=workspace) as masis:
        result = masis.ask(QUESTION, "acme", budget=Budget(max_cost_usd=own))
    assert (result.metrics["cost_usd"] > 0) is spends


def test_completing_a_question_counts_too(writer_alone: MakeMasis, fake_openai: FakeOpenAI) -> None:
    with writer_alone(workspace_budget_usd=3.5 * A_CALL) as masis:
        first = masis.ask(QUESTION, "acme")
        second = masis.ask("And the year before?", "acme", thread=first.run_id)
        third = masis.ask("And the year before that?", "acme", thread=first.run_id)
    assert costs([first, second, third]) == [A_CALL, 2 * A_CALL, 0.0]
    assert len(fake_openai.chats) == 3, "what is spent is not asked to complete a question either"


def test_a_run_without_money_for_another_attempt_ends_with_the_best_it_has(
    masis_with: MakeMasis, model: Model, fake_openai: FakeOpenAI
) -> None:
    model.audit |= {"confidence": 0.4, "needs_retry": True, "logical_gaps": ["The reason is not given."]}
    with masis_with() as masis:
        result = masis.ask(QUESTION, "acme", budget=Budget(max_cost_usd=5 * A_CALL))
    assert len(fake_openai.chats) == 3
    assert result.trace[-1]["reason"] == "budget_spent"
    assert "$184.1 million" in result.answer
    assert result.metrics["cost_usd"] == pytest.approx(3 * A_CALL)


def test_a_run_out_of_time_leaves_its_model_and_ends_with_an_answer(
    masis_with: MakeMasis, fake_openai: FakeOpenAI
) -> None:
    fake_openai.answer_with(lambda _: Hang())
    with masis_with() as masis:
        result = masis.ask(QUESTION, "acme", budget=Budget(max_seconds=1.0))
    assert (result.outcome, is_spent(result), len(fake_openai.chats)) == ("answered", True, 1)
    assert "the 1 seconds of this run are over" in str(result.trace)


def test_a_limit_below_zero_is_refused(masis_with: MakeMasis) -> None:
    with masis_with() as masis, pytest.raises(InvalidInput):
        masis.ask(QUESTION, "acme", budget=Budget(max_cost_usd=-1))


def test_a_plan_tells_calls_tokens_money_and_seconds_and_asks_no_model(
    masis_with: MakeMasis, fake_openai: FakeOpenAI
) -> None:
    with masis_with(writer_price_input=1.0) as masis:
        plan = masis.plan(QUESTION, "acme", max_retries=1)
        assert fake_openai.chats == []
        assert plan.roles == "writer gpt-4o-mini, auditor gpt-4o, judge gpt-4o"
        assert (plan.usual.calls, plan.at_most.calls) == (3, 6)
        assert (plan.usual.output_tokens, plan.at_most.output_tokens) == (3 * 20, 6 * 20)
        read = (plan.evidence_chars + USUAL_PROMPT_CHARS["writer"]) / CHARS_A_TOKEN
        assert plan.usual.cost_usd == pytest.approx(3 * A_CALL + read / 1e6)
        assert plan.at_most.cost_usd > plan.usual.cost_usd
        assert plan.usual.seconds is plan.at_most.seconds is None
        result = masis.ask(QUESTION, "acme")
        took = sum(result.metrics["node_latency_ms"].values()) / 1000
        later = masis.plan(QUESTION, "acme", max_retries=1)
    assert later.usual.seconds == pytest.approx(took)
    assert later.at_most.seconds == pytest.approx(2 * took)


def test_a_plan_is_near_what_is_sent(masis_with: MakeMasis, fake_openai: FakeOpenAI) -> None:
    with masis_with() as masis:
        plan = masis.plan(QUESTION, "acme")
        masis.ask(QUESTION, "acme")
    sent = (
        sum(len(chat.prompt) + len(json.dumps(chat.body.get("response_format", ""))) for chat in fake_openai.chats) / 4
    )
    assert 0.8 * sent < plan.usual.input_tokens < 1.5 * sent


def test_a_plan_without_a_model_costs_nothing(home: Path) -> None:
    with Masis(Settings(home=home)) as masis:
        plan = masis.plan(QUESTION, "acme")
    assert (plan.usual.calls, plan.usual.input_tokens, plan.at_most.cost_usd) == (0, 0, 0.0)
    assert plan.passages == 1

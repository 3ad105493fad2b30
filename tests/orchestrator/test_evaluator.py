import pytest

from masis.orchestrator.evaluator import scorecard
from masis.orchestrator.graph import graph
from masis.reasoning.ports import AuditFinding, Scores
from masis.settings import Settings
from tests.orchestrator.test_critic import audit
from tests.support.engines import ScriptedAuditor, ScriptedJudge, Stage, asked

FULL = Scores(1.0, 1.0, 1.0, 1.0)


def card(scores: Scores = FULL, *, invalid: int = 0, uncited: int = 0, hallucinated: bool = False) -> dict:
    return scorecard(scores, audit(invalid=invalid, uncited=uncited), hallucinated, "judge", Settings())


def test_overall_is_the_weighted_mean_to_three_digits() -> None:
    made = card(Scores(0.9, 0.8, 0.7, 0.62))
    assert made["overall_score"] == round(0.35 * 0.9 + 0.25 * 0.8 + 0.25 * 0.7 + 0.15 * 0.62, 3) == 0.783


@pytest.mark.parametrize(
    ("found", "cap"),
    [
        ({}, 1.0),
        ({"invalid": 1}, 0.40),
        ({"hallucinated": True}, 0.40),
        ({"uncited": 4}, 1.0),
        ({"uncited": 5}, 0.50),
        ({"uncited": 9}, 0.50),
        ({"uncited": 10}, 0.30),
        ({"uncited": 5, "invalid": 1}, 0.40),
        ({"uncited": 10, "invalid": 1}, 0.30),
    ],
)
def test_the_citation_audit_caps_faithfulness(found: dict[str, int], cap: float) -> None:
    made = card(**found)
    assert made["faithfulness"] == cap
    assert bool(made["clamps"]) is (cap < 1.0)
    assert made["overall_score"] == round(0.35 * cap + 0.65, 3)


def test_a_cap_never_raises_a_score() -> None:
    assert card(Scores(0.1, 1, 1, 1), invalid=1)["faithfulness"] == 0.1


def test_scores_above_one_are_percentages() -> None:
    made = card(Scores(90, 80, 70, 100))
    assert (made["faithfulness"], made["relevance"], made["completeness"]) == (0.9, 0.8, 0.7)
    assert made["reasoning_quality"] == 1.0


def test_the_judge_is_given_the_citation_audit_and_never_routes() -> None:
    stage = Stage(judge=ScriptedJudge([Scores(0.0, 0.0, 0.0, 0.0, ["Start again."])]))
    state = graph.invoke(asked(), context=stage.services)
    assert stage.judge.audits[0]["invalid_citations"] == []
    assert state["retry_count"] == 0
    assert state["metrics"]["evaluation"]["improvement_suggestions"] == ["Start again."]
    entry = next(e for e in state["trace"] if e["node"] == "evaluator")
    assert set(entry) >= {
        "overall_score",
        "faithfulness",
        "relevance",
        "completeness",
        "reasoning_quality",
        "duration_ms",
        "retry_count",
    }


def test_the_judge_is_told_what_the_critic_found() -> None:
    poor = AuditFinding(0.4, unsupported_claims=["Margins doubled."], logical_gaps=["No costs."])
    stage = Stage(auditor=ScriptedAuditor([poor, AuditFinding(0.9)]))
    graph.invoke(asked(), context=stage.services)
    first, second = (critique or {} for critique in stage.judge.critiques)
    assert (first["unsupported_claims"], first["logical_gaps"]) == (["Margins doubled."], ["No costs."])
    assert second["unsupported_claims"] == []

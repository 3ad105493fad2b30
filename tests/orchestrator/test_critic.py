from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from masis.audit.checks.second_opinion import Question
from masis.audit.checks.support import SCORES
from masis.orchestrator.critic import as_share, better_of, critique_of
from masis.orchestrator.graph import graph
from masis.reasoning.offline.auditor import OfflineAuditor
from masis.reasoning.offline.judge import OfflineJudge
from masis.reasoning.ports import AuditFinding
from masis.settings import Settings
from masis.types import CitationAudit
from tests.support.engines import ScriptedAuditor, ScriptedSearch, ScriptedWriter, Stage, asked, chunk


def audit(*, invalid: int = 0, uncited: int = 0) -> CitationAudit:
    return {
        "invalid_citations": [f"c9{i}" for i in range(invalid)],
        "uncited_claim_count": uncited,
        "uncited_claim_sentences": ["Something is so."] * uncited,
        "hallucination_detected": invalid > 0,
        "unsupported_claims": [],
    }


@pytest.mark.parametrize(("raw", "share"), [(0.5, 0.5), (1.0, 1.0), (85, 0.85), (100, 1.0), (1000, 1.0), (-1, 0.0)])
def test_a_confidence_above_one_is_a_percentage(raw: float, share: float) -> None:
    assert as_share(raw) == share


@pytest.mark.parametrize(
    ("uncited", "confidence"),
    [(0, 1.0), (1, 0.97), (5, 0.85), (13, 0.61), (14, 0.60), (100, 0.60)],
)
def test_uncited_claims_cost_three_percent_each_and_forty_at_most(uncited: int, confidence: float) -> None:
    critique = critique_of(AuditFinding(1.0), audit(uncited=uncited), Settings())
    assert critique["confidence"] == confidence


def test_a_fabricated_citation_halves_the_confidence_and_overrules_the_model() -> None:
    critique = critique_of(AuditFinding(0.9), audit(invalid=1), Settings())
    assert critique["confidence"] == 0.45
    assert critique["hallucination_detected"] is True
    assert critique["needs_retry"] is True


def test_both_penalties_multiply() -> None:
    assert critique_of(AuditFinding(1.0), audit(invalid=2, uncited=2), Settings())["confidence"] == 0.47


@pytest.mark.parametrize(("uncited", "retry"), [(4, False), (5, True)])
def test_five_uncited_claims_ask_for_a_retry(uncited: int, retry: bool) -> None:
    assert critique_of(AuditFinding(1.0), audit(uncited=uncited), Settings())["needs_retry"] is retry


def test_the_models_own_findings_survive() -> None:
    finding = AuditFinding(0.8, True, ["a"], ["b"], (), ["c"], True)
    critique = critique_of(finding, audit(), Settings())
    assert critique == {
        "confidence": 0.8,
        "hallucination_detected": True,
        "unsupported_claims": ["a"],
        "logical_gaps": ["b"],
        "conflicting_evidence": ["c"],
        "needs_retry": True,
    }


def conflict(kind: str) -> Any:
    return {"about": "churn", "period": "2025", "kind": kind, "sides": [], "explanation": f"a {kind}"}


@pytest.mark.parametrize(
    ("kind", "escalated"),
    [
        ("contradiction", True),
        ("revision", False),
        ("different_period", False),
        ("different_definition", False),
    ],
)
def test_only_a_contradiction_needs_a_person(kind: str, escalated: bool) -> None:
    critique = critique_of(AuditFinding(0.9, conflicts=[conflict(kind)]), audit(), Settings())
    assert critique["conflicting_evidence"] == ([f"a {kind}"] if escalated else [])


def attempt(number: int, confidence: float, flagged: bool) -> Any:
    return {"number": number, "round": 0, "confidence": confidence, "flagged": flagged}


@pytest.mark.parametrize(
    ("old", "new", "winner"),
    [
        (None, (0.1, True), 1),
        ((0.9, True), (0.66, False), 1),
        ((0.66, False), (0.9, True), 0),
        ((0.4, True), (0.5, True), 1),
        ((0.5, True), (0.4, True), 0),
        ((0.5, True), (0.5, True), 0),
    ],
)
def test_clean_beats_flagged_then_confidence(old: Any, new: Any, winner: int) -> None:
    before = attempt(0, *old) if old else None
    assert better_of(before, attempt(1, *new))["number"] == winner


def test_trace_and_metrics_of_an_audit() -> None:
    answer = "Revenue was $12 million in 2025. [c1] Costs fell sharply last year. Margins rose a lot too. [c77]"
    stage = Stage(
        search=ScriptedSearch([[chunk()]]),
        writer=ScriptedWriter([answer]),
        auditor=ScriptedAuditor([AuditFinding(80, logical_gaps=["Why?"])]),
    )
    state = graph.invoke(asked(), context=stage.services)
    entry = next(e for e in state["trace"] if e["node"] == "critic")
    assert entry["raw_confidence"] == 80
    assert entry["confidence"] == pytest.approx(0.8 * 0.5 * 0.97)
    assert (entry["hallucination"], entry["needs_retry"], entry["conflicts"]) == (True, True, 0)
    assert (entry["invalid_citations"], entry["uncited_claims"]) == (["c77"], 1)
    found = state["metrics"]["last_citation_audit"]
    assert set(found) == {
        "invalid_citations",
        "uncited_claim_count",
        "uncited_claim_sentences",
        "hallucination_detected",
        "unsupported_claims",
    }
    assert len(state["metrics"]["citation_violations"]) == 3
    assert len(state["metrics"]["confidence_history"]) == 3
    assert state["metrics"]["confidence_threshold"] == stage.services.settings.confidence_threshold


def test_an_abstention_is_never_a_hallucination() -> None:
    silent = "The documents do not mention any patents."
    flagged = AuditFinding(0.0, hallucination_detected=True, needs_retry=True)
    stage = Stage(writer=ScriptedWriter([silent]), auditor=ScriptedAuditor([flagged]))
    state = graph.invoke(asked(), context=stage.services)
    assert state["critique"]["hallucination_detected"] is False
    assert state["confidence"] >= 0.65
    assert state["retry_count"] == 1


def test_an_abstention_is_searched_for_once_however_far_the_context_was_compressed() -> None:
    evidence = [chunk(f"c{i}", f"{i:02} " + "x" * 997, score=0.9 - i / 100) for i in range(1, 11)]
    stage = Stage(
        search=ScriptedSearch([evidence]),
        writer=ScriptedWriter(
            ["The documents do not mention patents."], summaries={f"c{i}": "s" for i in range(4, 11)}
        ),
        settings=Settings(context="summaries"),
    )
    state = graph.invoke(asked(), context=stage.services)
    assert (state["retry_count"], state["outcome"]) == (1, "insufficient_evidence")
    assert any("compressed" in gap for gap in state["critique"]["logical_gaps"])


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("Revenue was $21 million in 2025. [c1]", "numbers_differ"),
        ("Revenue was not $12 million in 2025. [c1]", "contradicted"),
        ("Revenue was $12 million in 2021. [c1]", "numbers_differ"),
    ],
)
def test_what_code_refutes_counts_whatever_the_auditor_says(answer: str, verdict: str) -> None:
    evidence = [chunk("c1", "The company reported revenue of $12 million in 2025. Revenue was $12 million in 2025.")]
    stage = Stage(search=ScriptedSearch([evidence]), writer=ScriptedWriter([answer]))
    stage.auditor.script = [AuditFinding(1.0)]
    state = graph.invoke(asked(), context=stage.services)
    assert state["claims"][0]["verdict"] == verdict
    assert (state["confidence"], state["outcome"]) == (0.5, "insufficient_evidence")
    assert state["critique"]["hallucination_detected"] is True
    assert any(answer.removesuffix(" [c1]") in said for said in state["critique"]["unsupported_claims"])
    critic = next(entry for entry in state["trace"] if entry["node"] == "critic")
    assert critic["refuted_claims"] == 1


def test_what_the_auditor_has_found_itself_is_not_counted_twice() -> None:
    stage = Stage(writer=ScriptedWriter(["Revenue was $21 million in 2025. [c1]"]))
    stage.auditor.script = [AuditFinding(0.3, hallucination_detected=True)]
    assert graph.invoke(asked(), context=stage.services)["confidence"] == 0.3


def test_an_answer_in_the_questions_language_from_a_source_in_another_is_left_to_the_auditor() -> None:
    evidence = [chunk("c1", "The dividend for the year was raised by the board, which was a surprise to all of them.")]
    answer = "Die Ausschüttung für das Jahr wurde von dem Vorstand erhöht, und das war eine Überraschung. [c1]"
    stage = Stage(search=ScriptedSearch([evidence]), writer=ScriptedWriter([answer]))
    state = graph.invoke(asked("Was ist mit der Dividende und wer hat das entschieden?"), context=stage.services)
    assert state["claims"][0]["checked_by"] == "model"
    assert (state["critique"]["hallucination_detected"], state["outcome"]) == (False, "answered")


@pytest.mark.parametrize("probability", [0.01, 0.3, None])
def test_doubt_alone_asks_for_no_retry(probability: float | None) -> None:
    def second_opinion(claims: Sequence[Question]) -> list[float | None]:
        return [probability] * len(claims)

    stage = Stage(writer=ScriptedWriter(["Business went well for the firm. [c1]"]), second_opinion=second_opinion)
    stage.auditor.script = [AuditFinding(0.9, logical_gaps=["The reason is not given."])]
    state = graph.invoke(asked(), context=stage.services)
    assert (state["retry_count"], state["outcome"]) == (0, "answered")


ROSE = "Costs rose by $2 million. [c1]"


@pytest.mark.parametrize(
    ("finding", "verdict", "retries"),
    [(AuditFinding(0.9), "supported", 0), (AuditFinding(0.2, True, [ROSE], needs_retry=True), "contradicted", 2)],
)
def test_what_code_reads_from_a_turn_is_left_to_the_models_audit(
    finding: AuditFinding, verdict: str, retries: int
) -> None:
    evidence = [chunk("c1", "Costs fell by $2 million, from $5 million to $3 million.")]
    stage = Stage(search=ScriptedSearch([evidence]), writer=ScriptedWriter([ROSE]))
    stage.auditor.script = [finding]
    state = graph.invoke(asked(), context=stage.services)
    assert (state["claims"][0]["verdict"], state["retry_count"]) == (verdict, retries)


def test_sentences_are_judged_once_for_auditor_critic_and_judge() -> None:
    asked_for: list[int] = []

    def second_opinion(claims: Sequence[Question]) -> list[float]:
        asked_for.append(len(claims))
        return [1.0] * len(claims)

    offline: Any = {"auditor": OfflineAuditor(), "judge": OfflineJudge()}
    stage = Stage(writer=ScriptedWriter(["Business went well for the firm. [c1]"]), second_opinion=second_opinion)
    state = graph.invoke(asked(), context=replace(stage.services, **offline))
    assert asked_for == [1] * state["metrics"]["iterations"]
    assert state["claims"][0]["verdict"] == "supported"
    assert state["metrics"]["evaluation"]["faithfulness"] == SCORES["supported"]


def test_between_two_places_of_one_document_nobody_can_choose() -> None:
    sides = [{"document_id": "d1"}, {"document_id": "d1"}]
    critique = critique_of(
        AuditFinding(0.9, conflicts=[conflict("contradiction") | {"sides": sides}]), audit(), Settings()
    )
    assert critique["conflicting_evidence"] == []


def test_a_writer_sent_back_for_what_cites_nothing_hears_what_that_is() -> None:
    few, many = (critique_of(AuditFinding(0.9), audit(uncited=n), Settings()) for n in (1, 5))
    assert few["unsupported_claims"] == []
    assert many["unsupported_claims"] == ["Something is so. (it cites no passage)"]
    assert many["needs_retry"]

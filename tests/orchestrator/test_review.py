"""The question says what happened, what was tried and what can be done, differently for each cause."""

from dataclasses import replace

import pytest

from masis.audit.verdicts import judge_claims
from masis.orchestrator.graph import graph
from masis.orchestrator.review import CHOICES, Situation, outcome_of, review_for
from masis.reasoning.ports import AuditFinding
from masis.types import Claim, Conflict, ReviewCause
from tests.support.engines import GOOD_ANSWER, ScriptedAuditor, ScriptedWriter, Stage, asked

SIDES: Conflict = {
    "about": "customer churn",
    "period": "2025",
    "kind": "contradiction",
    "sides": [
        {
            "value": value,
            "quote": f"Churn was\n{value}.",
            "chunk_id": "c1",
            "document_id": name,
            "file_name": name,
            "date": "2026-03-14",
            "page": 2,
        }
        for value, name in (("7.4%", "report.pdf"), ("9.1%", "memo.docx"))
    ],
    "explanation": "",
}
SITUATION = Situation("What was churn?", "acme", attempts=3, confidence=0.42, conflicts=(SIDES,), has_draft=True)


def question(cause: ReviewCause, situation: Situation = SITUATION) -> str:
    return review_for(cause, situation)["question"]


def test_a_conflict_names_both_sides_with_page_date_and_quote() -> None:
    said = question("conflict")
    for part in ("customer churn", "2025", "7.4%", "9.1%", "report.pdf", "memo.docx", "page 2", "2026-03-14"):
        assert part in said
    assert "“Churn was 7.4%.”" in said
    assert "3 attempts" in said
    assert "Which source should be trusted?" in said


def test_quality_gives_attempts_and_confidence_as_a_percentage() -> None:
    said = question("quality")
    assert "3 attempts" in said
    assert "42%" in said
    assert "refine the question" in said
    assert "add documents" in said


def test_nothing_in_the_workspace_asks_for_documents() -> None:
    assert "No document in the workspace “acme” can be searched yet" in question("empty_workspace")
    assert "Upload" in question("empty_workspace")


def test_weak_candidates_ask_for_other_words_or_documents() -> None:
    said = question("weak_evidence", Situation("?", "acme"))
    assert "with terms the documents use" in said
    assert "add documents" in said


def test_weak_candidates_on_a_retry_leave_the_earlier_draft() -> None:
    assert "the earlier draft is shown" in question("weak_evidence")


def test_unavailable_says_what_failed_and_that_nothing_was_lost() -> None:
    failed = Situation(
        "?",
        "w",
        failure={
            "agent": "researcher",
            "code": "store_unavailable",
            "message": "Qdrant is away.",
            "advice": "Start it.",
        },
    )
    said = question("unavailable", failed)
    assert "Qdrant is away." in said
    assert "Nothing was lost" in said
    assert "try again" in said
    assert "Start it." in said


def test_every_cause_has_its_own_question_and_choices() -> None:
    questions = {question(cause) for cause in CHOICES}
    assert len(questions) == len(CHOICES)
    assert all("stop" in choices for choices in CHOICES.values())


def test_there_is_nothing_to_accept_without_a_draft() -> None:
    assert "accept" in review_for("quality", SITUATION)["choices"]
    assert "accept" not in review_for("quality", Situation("?", "w"))["choices"]


@pytest.mark.parametrize("cause", CHOICES)
def test_every_question_says_what_is_missing_after_how_many_attempts_and_how_sure_the_draft_is(
    cause: ReviewCause,
) -> None:
    review = review_for(cause, replace(SITUATION, missing=("Churn in Europe is not covered.",)))
    assert (review["cause"], review["attempts"], review["confidence"]) == (cause, 3, 0.42)
    assert review["missing"] == ["Churn in Europe is not covered."]
    assert review["conflicts"] == [SIDES]


@pytest.mark.parametrize(
    ("cause", "missing"),
    [
        ("conflict", []),
        ("quality", []),
        ("empty_workspace", ["What was churn?"]),
        ("weak_evidence", ["What was churn?"]),
        ("unavailable", []),
        ("out_of_scope", []),
    ],
)
def test_without_a_draft_the_whole_question_is_missing_where_documents_were_looked_for(
    cause: ReviewCause, missing: list[str]
) -> None:
    review = review_for(cause, Situation("What was churn?", "acme"))
    assert (review["missing"], review["attempts"], review["confidence"]) == (missing, 1, 0.0)


def test_what_is_missing_comes_from_the_critic_and_from_the_draft_itself() -> None:
    limit = "The documents do not say what churn was in Europe."
    stage = Stage(
        writer=ScriptedWriter([f"{GOOD_ANSWER} {limit}"]),
        auditor=ScriptedAuditor([AuditFinding(0.4, logical_gaps=["Which year?"])]),
    )
    review = graph.invoke(asked(max_retries=1), context=stage.services)["review"]
    assert review["missing"] == ["Which year?", limit]
    assert (review["cause"], review["attempts"], review["confidence"]) == ("quality", 2, 0.4)


def claim(kind: str) -> Claim:
    return {"text": "", "start": 0, "end": 0, "kind": kind, "citations": [], "verdict": None, "reason": ""}


@pytest.mark.parametrize(
    ("kinds", "conflict", "outcome"),
    [
        (["claim"], None, "answered"),
        (["heading", "claim", "recommendation"], None, "answered"),
        (["claim", "limit"], None, "answered_with_caveat"),
        (["claim"], "revision", "answered_with_caveat"),
        (["claim"], "different_period", "answered"),
        (["limit"], None, "insufficient_evidence"),
        (["heading", "limit"], None, "insufficient_evidence"),
        ([], None, "insufficient_evidence"),
    ],
)
def test_outcome_of_a_finished_answer(kinds: list[str], conflict: str | None, outcome: str) -> None:
    conflicts = [SIDES | {"kind": conflict}] if conflict else []
    best = {"claims": [claim(kind) for kind in kinds], "conflicts": conflicts, "answer": "Sales rose.", "evidence": []}
    assert outcome_of(None, best) == outcome


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (
            "The evidence gives the costs, $520.91, but not the income: it does not show why.",
            "insufficient_evidence",
        ),
        ("The evidence does not name the firm. It says only that they switched in 2025.", "insufficient_evidence"),
        ("Some states require more, which the evidence does not list.", "answered_with_caveat"),
        ("Net sales were $44.9 million. The evidence does not give the dividend.", "answered_with_caveat"),
    ],
)
def test_a_refusal_that_says_what_was_found_instead_is_no_answer(answer: str, outcome: str) -> None:
    claims = judge_claims(answer, [])
    assert outcome_of(None, {"claims": claims, "conflicts": [], "answer": answer, "evidence": []}) == outcome  # type: ignore[typeddict-item]


@pytest.mark.parametrize(
    ("cause", "outcome"),
    [
        ("conflict", "conflict"),
        ("quality", "insufficient_evidence"),
        ("empty_workspace", "insufficient_evidence"),
        ("weak_evidence", "insufficient_evidence"),
        ("unavailable", "unavailable"),
        ("out_of_scope", "out_of_scope"),
    ],
)
def test_outcome_of_a_run_that_asks_a_person(cause: ReviewCause, outcome: str) -> None:
    assert outcome_of(cause, None) == outcome

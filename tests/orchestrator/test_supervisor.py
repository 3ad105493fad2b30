"""Every row of the decision table, and the properties that hold for all of them."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masis.orchestrator.human import DECISIONS_A_RUN
from masis.orchestrator.state import max_retries_of
from masis.orchestrator.supervisor import STANDING, Signals, decide, mark_of, signals
from masis.settings import RETRY_CEILING, Settings
from tests.support.engines import Stage, asked, chunk

DRAFTED = Signals(drafted=True)
NO_RETRIES = replace(DRAFTED, retries_left=False)
QUALITY_ISSUES = ["low_confidence", "invalid_citation", "hallucination", "critic_asks_retry"]


def test_no_draft_yet_passes_through_and_is_not_logged() -> None:
    decision = decide(Signals())
    assert (decision.route, decision.logged_as) == ("first_run", None)


def test_a_person_the_researcher_asked_for_ends_the_run() -> None:
    decision = decide(replace(Signals(), review_requested="weak_evidence"))
    assert (decision.route, decision.logged_as, decision.cause) == (
        "human_review",
        "HITL_triggered",
        "weak_evidence",
    )


@pytest.mark.parametrize("issue", QUALITY_ISSUES)
def test_a_quality_issue_is_retried(issue: str) -> None:
    decision = decide(replace(DRAFTED, **{issue: True}))
    assert (decision.route, decision.logged_as, decision.reason) == (
        "retry",
        "retry",
        "quality_issue_detected",
    )


def test_a_conflict_alone_is_retried_for_its_own_reason() -> None:
    decision = decide(replace(DRAFTED, conflict=True))
    assert (decision.route, decision.reason) == ("retry", "conflicting_evidence_attempting_resolution")


def test_a_conflict_beside_a_quality_issue_is_retried_as_a_quality_issue() -> None:
    assert decide(replace(DRAFTED, conflict=True, hallucination=True)).reason == "quality_issue_detected"


@pytest.mark.parametrize("retries_left", [True, False])
@pytest.mark.parametrize(
    ("issue", "cause"), [*((issue, "quality") for issue in QUALITY_ISSUES), ("conflict", "conflict")]
)
def test_a_retry_that_changed_nothing_is_the_last(issue: str, cause: str, *, retries_left: bool) -> None:
    decision = decide(replace(DRAFTED, no_progress=True, retries_left=retries_left, **{issue: True}))
    assert (decision.route, decision.reason, decision.cause) == ("human_review", "no_progress", cause)


def test_without_a_fault_it_does_not_matter_whether_anything_changed() -> None:
    assert decide(replace(DRAFTED, no_progress=True)).route == "finalize"


@pytest.mark.parametrize("changed", ["draft_answer", "evidence", None])
def test_progress_is_another_draft_or_other_evidence(changed: str | None) -> None:
    state = {**asked(), "draft_answer": "It rose. [c1]", "evidence": [chunk("c1")]}
    state["retried_from"] = mark_of(state)
    state |= {"draft_answer": "It fell. [c1]"} if changed == "draft_answer" else {}
    state |= {"evidence": [chunk("c1"), chunk("c2")]} if changed == "evidence" else {}
    assert signals(state, Stage().services).no_progress is (changed is None)


@pytest.mark.parametrize("also", [None, *QUALITY_ISSUES])
def test_a_conflict_with_retries_used_up_asks_a_person(also: str | None) -> None:
    decision = decide(replace(NO_RETRIES, conflict=True, **({also: True} if also else {})))
    assert (decision.route, decision.logged_as, decision.cause) == (
        "human_review",
        "HITL_conflict",
        "conflict",
    )


@pytest.mark.parametrize("issue", QUALITY_ISSUES)
def test_a_quality_issue_with_retries_used_up_asks_a_person(issue: str) -> None:
    decision = decide(replace(NO_RETRIES, **{issue: True}))
    assert (decision.route, decision.logged_as, decision.cause) == (
        "human_review",
        "HITL_triggered",
        "quality",
    )


@pytest.mark.parametrize("issue", QUALITY_ISSUES)
def test_silence_stands_when_no_later_draft_passes(issue: str) -> None:
    silent = replace(DRAFTED, silent=True, **{issue: True})
    assert decide(silent).route == "retry"
    decision = decide(replace(silent, retries_left=False))
    assert (decision.route, decision.reason, decision.cause) == ("finalize", "documents_do_not_say", None)
    assert decide(replace(silent, retries_left=False, conflict=True)).cause == "conflict"


@pytest.mark.parametrize("retries_left", [True, False])
def test_nothing_wrong_finalizes(retries_left: bool) -> None:
    decision = decide(replace(DRAFTED, retries_left=retries_left))
    assert (decision.route, decision.logged_as) == ("finalize", "finalize")


def test_a_failure_asks_a_person_at_once() -> None:
    decision = decide(replace(DRAFTED, failed=True, low_confidence=True))
    assert (decision.route, decision.cause) == ("human_review", "unavailable")


@pytest.mark.parametrize(("answered", "route"), [("continue", "retry"), ("end", "finalize")])
def test_a_persons_answer_overrules_everything(answered: str, route: str) -> None:
    seen = replace(NO_RETRIES, answered=answered, conflict=True, failed=True, review_requested="conflict")
    assert decide(seen).route == route


@pytest.mark.parametrize("seen", [DRAFTED, NO_RETRIES])
@pytest.mark.parametrize("also", [None, *QUALITY_ISSUES])
def test_a_remembered_decision_is_applied_before_anything_is_left_to_luck(seen: Signals, also: str | None) -> None:
    decision = decide(replace(seen, conflict=True, standing_decision=True, **({also: True} if also else {})))
    assert (decision.route, decision.logged_as, decision.reason) == ("retry", "retry", "standing_decision")


@pytest.mark.parametrize(
    "overruling", [{"failed": True}, {"review_requested": "weak_evidence"}, {"answered": "end"}, {"drafted": False}]
)
def test_a_remembered_decision_waits_for_what_comes_first(overruling: dict[str, Any]) -> None:
    seen = replace(DRAFTED, conflict=True, **overruling)
    assert decide(replace(seen, standing_decision=True)) == decide(seen)


any_signals = st.builds(
    Signals,
    drafted=st.booleans(),
    review_requested=st.sampled_from([None, "weak_evidence", "empty_workspace"]),
    answered=st.sampled_from([None, "continue", "end"]),
    failed=st.booleans(),
    low_confidence=st.booleans(),
    invalid_citation=st.booleans(),
    hallucination=st.booleans(),
    critic_asks_retry=st.booleans(),
    conflict=st.booleans(),
    standing_decision=st.booleans(),
    retries_left=st.booleans(),
)


@given(any_signals)
def test_without_retries_left_and_without_a_persons_word_every_draft_ends(seen: Signals) -> None:
    ended = decide(replace(seen, drafted=True, retries_left=False, answered=None, standing_decision=False))
    assert ended.route in ("finalize", "human_review")


@given(any_signals)
def test_more_retries_never_change_a_decision_to_finish(seen: Signals) -> None:
    if decide(replace(seen, retries_left=False)).route == "finalize":
        assert decide(replace(seen, retries_left=True)).route == "finalize"


@given(st.lists(any_signals.map(lambda s: replace(s, drafted=True, answered=None)), min_size=60, max_size=60))
def test_it_always_terminates(attempts: list[Signals]) -> None:
    """Whatever the agents report, attempt after attempt, the run ends within its ceiling; each decision that is
    applied moves it by one attempt, and only so many are."""
    applied = 0
    for retry_count, seen in enumerate(attempts):
        remembered = seen.standing_decision and applied < DECISIONS_A_RUN
        retries_left = retry_count < RETRY_CEILING + applied
        decision = decide(replace(seen, standing_decision=remembered, retries_left=retries_left))
        applied += decision.reason == STANDING
        if decision.route != "retry":
            break
    assert retry_count <= RETRY_CEILING + applied <= RETRY_CEILING + DECISIONS_A_RUN


@pytest.mark.parametrize("given_value", [None, 0])
def test_no_max_retries_means_two(given_value: int | None) -> None:
    assert max_retries_of({"max_retries": given_value}, Settings()) == 2
    assert max_retries_of({}, Settings()) == 2


@given(st.integers(min_value=1))
def test_the_ceiling_is_hard(asked_for: int) -> None:
    assert max_retries_of({"max_retries": asked_for}, Settings()) == min(asked_for, RETRY_CEILING)


@pytest.mark.parametrize(("confidence", "low"), [(0.649, True), (0.65, False), (0.9, False)])
def test_the_confidence_threshold_is_065(confidence: float, low: bool) -> None:
    critique = {
        "confidence": confidence,
        "hallucination_detected": False,
        "unsupported_claims": [],
        "logical_gaps": [],
        "conflicting_evidence": [],
        "needs_retry": False,
    }
    state = asked() | {"draft_answer": "x", "critique": critique, "confidence": confidence}
    assert signals(state, Stage().services).low_confidence is low

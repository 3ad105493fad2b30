"""What a workspace remembers: kept from an answer, applied to the same conflict alone, named, and never without end."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from masis.errors import InvalidInput
from masis.orchestrator.graph import build_graph, graph
from masis.orchestrator.human import DECISIONS_A_RUN, answers_to_apply, checked_answer, decisions_from, still_open
from masis.orchestrator.review import Situation, review_for
from masis.reasoning.ports import AuditFinding
from masis.settings import RETRY_CEILING
from masis.types import Conflict, StandingDecision
from tests.support.engines import (
    GOOD_ANSWER,
    ScriptedAuditor,
    ScriptedSearch,
    ScriptedWriter,
    Stage,
    asked,
    chunk,
)

REPORT, MEMO = "report.pdf", "memo.md"
BOTH = [chunk("c1"), chunk("c2", "Revenue was $14 million in 2025.", file_name=MEMO, document_id="d2")]
"""The citation engine needs no auditor to see that these two contradict each other."""
CONFIG: Any = {"configurable": {"thread_id": "1"}}


def conflict(about: str = "revenue", period: str | None = "2025", *files: str, **changes: Any) -> Conflict:
    sides: Any = [
        {"value": name, "quote": name, "chunk_id": "c", "document_id": name, "file_name": name, "date": None, "page": 1}
        for name in files or (REPORT, MEMO)
    ]
    made: Conflict = {
        "about": about,
        "period": period,
        "kind": "contradiction",
        "sides": sides,
        "explanation": f"{about} {period} {files}",
    }
    return made | changes


def decision(about: str = "revenue", period: str | None = "2025", **changes: Any) -> StandingDecision:
    made: StandingDecision = {
        "decision_id": "d1",
        "workspace_id": "w",
        "action": "prefer",
        "about": about,
        "period": period,
        "prefer": [REPORT],
        "over": [MEMO],
        "documents": [REPORT, MEMO],
        "note": None,
        "by": "Ada Lovelace",
        "run_id": "r1",
        "created_at": "2026-11-15T09:30:00+00:00",
    }
    return made | changes


EXPLAIN: dict[str, Any] = {"action": "explain_both", "prefer": [], "over": []}


def disputed(*conflicts: Conflict, standing: Any = (), **changes: Any) -> Any:
    critique = {
        "confidence": 0.9,
        "hallucination_detected": False,
        "unsupported_claims": [],
        "logical_gaps": [],
        "conflicting_evidence": [c["explanation"] for c in conflicts],
        "needs_retry": False,
    }
    state = asked(standing_decisions=standing) | {
        "critique": critique,
        "conflicts": list(conflicts),
        "draft_answer": "x",
    }
    return state | changes


def applied(*conflicts: Conflict, standing: Any, **changes: Any) -> list[str]:
    return [a["decision_id"] for a in answers_to_apply(disputed(*conflicts, standing=standing, **changes))]


# What is kept.


def waiting(*conflicts: Conflict) -> Any:
    review = review_for("conflict", Situation("What was revenue?", "w", conflicts=conflicts))
    return disputed(*conflicts) | {"review": review}


def answer(**given: Any) -> dict[str, Any]:
    return {"action": "prefer", "prefer": [REPORT], "over": [MEMO], "by": "Ada Lovelace", "note": None} | given


def kept(given: dict[str, Any], *conflicts: Conflict) -> list[Any]:
    return decisions_from(given, waiting(*conflicts), run_id="r1", created_at="2026-11-15T09:30:00+00:00")


def test_what_is_kept_of_an_answer_is_the_decision_on_its_conflict() -> None:
    expected = {name: value for name, value in decision().items() if name != "decision_id"}
    assert kept(answer(remember=True), conflict()) == [expected]


def test_nothing_is_kept_that_the_person_did_not_ask_to_keep() -> None:
    assert kept(answer(remember=False), conflict()) == []


def test_each_conflict_that_an_answer_settles_is_kept_and_no_other() -> None:
    given = answer(remember=True, over=[MEMO, "old.txt"])
    conflicts = [conflict(), conflict("churn", None, REPORT, "old.txt"), conflict("headcount", "2024", REPORT, "x.md")]
    made = kept(given, *conflicts)
    assert [(d["about"], d["over"]) for d in made] == [("revenue", [MEMO]), ("churn", ["old.txt"])]


def test_two_overruled_files_are_not_weighed_against_each_other() -> None:
    assert kept(answer(remember=True, over=[MEMO, "old.txt"]), conflict("churn", None, MEMO, "old.txt")) == []


def test_both_sides_are_kept_without_a_winner() -> None:
    made = kept(answer(**EXPLAIN, remember=True), conflict(), conflict("churn"))
    assert [(d["action"], d["prefer"], d["documents"]) for d in made] == [("explain_both", [], [REPORT, MEMO])] * 2


def test_a_conflict_without_words_of_its_own_is_about_what_was_asked() -> None:
    assert kept(answer(remember=True), conflict("the same figure"))[0]["about"] == "What was revenue in 2025?"


def test_a_conflict_of_which_only_a_sentence_is_known_cannot_be_remembered() -> None:
    with pytest.raises(InvalidInput, match="Nothing to remember") as error:
        checked_answer(EXPLAIN | {"remember": True}, waiting())
    assert "without `remember`" in error.value.advice


# Which conflict a decision settles.


@pytest.mark.parametrize(
    ("about", "period"),
    [
        ("revenue", "2025"),
        ("Revenues", "FY2025"),
        ("total revenue", "2025"),
        ("revenue in 2025", None),
        ("the revenue figure for fiscal year 2025", "2025"),
    ],
)
def test_the_same_matter_in_other_words_is_settled(about: str, period: str | None) -> None:
    assert applied(conflict(about, period), standing=[decision()]) == ["d1"]


@pytest.mark.parametrize(
    ("about", "period"),
    [
        ("headcount", "2025"),
        ("revenue", "2024"),
        ("revenue", "Q3 2025"),
        ("revenue", None),
        ("revenue in Europe", "2025"),
        ("cost of revenue", "2025"),
        ("the same figure", "2025"),
    ],
)
def test_another_matter_or_time_is_not_settled(about: str, period: str | None) -> None:
    standing = [decision("deferred revenue" if about == "the same figure" else "revenue")]
    assert applied(conflict(about, period), standing=standing) == []


def test_a_decision_for_no_time_in_particular_does_not_settle_a_year() -> None:
    assert applied(conflict("revenue", "2025"), standing=[decision("revenue", None)]) == []
    assert applied(conflict("revenue", None), standing=[decision("revenue", None)]) == ["d1"]


def test_months_of_one_year_are_different_times() -> None:
    """As the audit writes them: the month is a bare number beside its year."""
    assert applied(conflict("churn", "06 2025"), standing=[decision("churn", "03 2025")]) == []
    assert applied(conflict("churn", "03 2025"), standing=[decision("churn", "03 2025")]) == ["d1"]


@pytest.mark.parametrize("files", [(REPORT, "other.md"), (REPORT, MEMO, "other.md"), (REPORT,)])
def test_other_documents_are_not_settled(files: tuple[str, ...]) -> None:
    assert applied(conflict("revenue", "2025", *files), standing=[decision()]) == []


def test_the_sides_may_stand_the_other_way_round() -> None:
    assert applied(conflict("revenue", "2025", MEMO, REPORT), standing=[decision()]) == ["d1"]


def test_what_is_no_contradiction_needs_no_decision() -> None:
    assert applied(conflict(kind="revision"), standing=[decision()]) == []


def test_a_conflict_that_the_critic_no_longer_lists_needs_no_decision() -> None:
    state = disputed(conflict(), standing=[decision()])
    state["critique"]["conflicting_evidence"] = []
    assert answers_to_apply(state) == []


def test_the_later_of_two_decisions_counts() -> None:
    later = decision(decision_id="d2", created_at="2026-11-16T00:00:00+00:00", **EXPLAIN)
    for standing in ([decision(), later], [later, decision()]):
        assert applied(conflict(), standing=standing) == ["d2"]


def test_decisions_that_cannot_both_be_obeyed_are_left_to_a_person() -> None:
    turned = decision("churn", decision_id="d2", prefer=[MEMO], over=[REPORT])
    assert applied(conflict(), conflict("churn"), standing=[decision(), turned]) == []


def test_overruling_a_document_does_not_settle_what_else_it_contradicts() -> None:
    """Its other figures would go with it, and nobody would hear of the conflict they are in."""
    assert applied(conflict(), conflict("headcount", "2024"), standing=[decision()]) == []
    elsewhere = conflict("headcount", "2024", REPORT, "other.md")
    assert applied(conflict(), elsewhere, standing=[decision()]) == ["d1"]
    both = [decision(), decision("headcount", "2024", decision_id="d2")]
    assert applied(conflict(), conflict("headcount", "2024"), standing=both) == ["d1", "d2"]


def test_one_that_is_left_to_a_person_takes_those_along_that_would_hide_it() -> None:
    three = [REPORT, MEMO, "old.txt"]
    first = decision(over=[MEMO, "old.txt"], documents=three)
    two = ["new.txt", "old.txt"]
    second = decision("churn", decision_id="d2", prefer=["new.txt"], over=["old.txt"], documents=two)
    settled = [conflict("revenue", "2025", *three), conflict("churn", "2025", *two)]
    assert applied(*settled, standing=[first, second]) == ["d1", "d2"]
    assert applied(*settled, conflict("margin", "2025", MEMO, "other.md"), standing=[first, second]) == []


def test_one_decision_may_settle_two_conflicts() -> None:
    assert applied(conflict(), conflict("revenues", explanation="again"), standing=[decision()]) == ["d1"]


def test_the_word_of_a_person_in_this_run_is_not_overruled() -> None:
    said = answer(prefer=[MEMO], over=[REPORT])
    assert applied(conflict(), standing=[decision()], human_answers=[said]) == []


def test_a_decision_is_applied_once_a_run() -> None:
    state = disputed(conflict(), standing=[decision()])
    state["human_answers"] = answers_to_apply(state)
    assert state["human_answers"]
    assert answers_to_apply(state) == []


def test_a_run_applies_a_handful_and_no_more() -> None:
    matters = ["churn", "margin", "debt", "cash", "capex", "tax", "rent"]
    standing = [decision(about, decision_id=about, **EXPLAIN) for about in matters]
    assert applied(*map(conflict, matters), standing=standing) == matters[:DECISIONS_A_RUN]


def test_a_remembered_both_are_right_leaves_the_other_conflicts_open() -> None:
    mine, other = conflict(), conflict("headcount", "2024")
    state = disputed(mine, other, standing=[decision(**EXPLAIN)])
    state["human_answers"] = answers_to_apply(state)
    listed = [mine["explanation"], other["explanation"], "in the auditor's own words"]
    assert still_open(listed, [mine, other], state) == listed[1:]
    state["human_answers"].append(answer(action="refine", question="And now?", prefer=[], over=[]))
    assert still_open(listed, [mine, other], state) == listed


# In a run.


def stage(**parts: Any) -> Stage:
    return Stage(search=ScriptedSearch([BOTH]), **parts)


def supervised(state: dict[str, Any]) -> list[tuple[str, str]]:
    return [(e["decision"], e["reason"]) for e in state["trace"] if e["node"] == "supervisor"]


def test_without_a_decision_the_conflict_is_put_to_a_person() -> None:
    state = graph.invoke(asked(), context=stage().services)
    assert state["review"]["cause"] == "conflict"
    assert [(c["about"], c["period"]) for c in state["review"]["conflicts"]] == [("revenue", "2025")]


def test_a_remembered_preference_is_obeyed_and_named_and_nobody_is_asked() -> None:
    used = stage(writer=ScriptedWriter(stubborn=True))
    state = graph.invoke(asked(standing_decisions=[decision()]), context=used.services)
    assert supervised(state) == [("retry", "standing_decision"), ("finalize", "quality_checks_passed")]
    assert [c["file_name"] for c in state["evidence"]] == [REPORT]
    assert used.writer.briefs[-1].guidance.prefer == (REPORT,)
    assert state["final_answer"] == (
        f"{GOOD_ANSWER}\n\nThis answer rests on the decision of Ada Lovelace, remembered since 2026-11-15, "
        "to trust report.pdf over memo.md."
    )
    assert state["metrics"]["last_citation_audit"]["uncited_claim_count"] == 0
    assert (state["outcome"], state["requires_human_review"], used.model_calls) == ("answered", False, 6)
    (record,) = state["human_answers"]
    assert (record["decision_id"], record["by"]) == ("d1", "Ada Lovelace")


def test_a_remembered_both_are_right_is_obeyed_and_named() -> None:
    used = stage()
    state = graph.invoke(asked(standing_decisions=[decision(**EXPLAIN)]), context=used.services)
    assert used.writer.briefs[-1].guidance.explain_both is True
    assert state["final_answer"].endswith("remembered since 2026-11-15, to show and explain both sides.")
    assert (state["outcome"], state["requires_human_review"]) == ("answered_with_caveat", False)


def test_what_an_answer_was_remembered_for_is_not_asked_again() -> None:
    paused = build_graph(InMemorySaver())
    used = stage()
    first = paused.invoke(asked(), CONFIG, context=used.services)
    given = answer(remember=True)
    (made,) = decisions_from(given, first, run_id="r1", created_at="2026-11-15T09:30:00+00:00")
    ended = paused.invoke(Command(resume=given), CONFIG, context=used.services)
    assert ended["human_answers"][0]["remember"] is True
    again = graph.invoke(asked(standing_decisions=[{**made, "decision_id": "d7"}]), context=stage().services)
    assert (again["outcome"], again["human_answers"][0]["decision_id"]) == ("answered", "d7")


def test_a_decision_on_something_else_changes_nothing() -> None:
    state = graph.invoke(asked(standing_decisions=[decision("headcount", "2024")]), context=stage().services)
    assert state["review"]["cause"] == "conflict"
    assert state.get("human_answers", []) == []


def test_a_document_that_is_gone_leaves_nothing_to_decide() -> None:
    state = graph.invoke(asked(standing_decisions=[decision()]), context=Stage().services)
    assert (state["final_answer"], state["human_answers"]) == (GOOD_ANSWER, [])


def test_what_is_not_settled_goes_the_usual_way_with_all_its_retries() -> None:
    other = conflict("headcount", "2024", "a.txt", "b.txt")
    used = stage(auditor=ScriptedAuditor([AuditFinding(0.9, conflicts=[other])]))
    state = graph.invoke(asked(standing_decisions=[decision()], max_retries=2), context=used.services)
    luck = ("retry", "conflicting_evidence_attempting_resolution")
    assert supervised(state) == [
        ("retry", "standing_decision"),
        luck,
        luck,
        ("HITL_conflict", "conflicting_evidence"),
    ]
    assert [c["about"] for c in state["review"]["conflicts"]] == ["headcount"]


def test_a_decision_is_applied_when_the_retries_are_used_up_too() -> None:
    found = [[chunk()], BOTH]
    used = Stage(search=ScriptedSearch(found), auditor=ScriptedAuditor([AuditFinding(0.3), AuditFinding(0.9)]))
    state = graph.invoke(asked(standing_decisions=[decision()], max_retries=1), context=used.services)
    assert [reason for _, reason in supervised(state)] == [
        "quality_issue_detected",
        "standing_decision",
        "quality_checks_passed",
    ]


def test_what_was_written_before_the_decision_does_not_come_back_after_it() -> None:
    used = stage(
        writer=ScriptedWriter(["Revenue was $14 million in 2025. [c2]", GOOD_ANSWER]),
        auditor=ScriptedAuditor([AuditFinding(0.9), AuditFinding(0.5)]),
    )
    state = graph.invoke(asked(standing_decisions=[decision()]), context=used.services)
    assert state["final_answer"].startswith(GOOD_ANSWER)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 7), st.integers(1, RETRY_CEILING), st.booleans())
def test_every_run_ends_however_much_is_remembered(decisions: int, max_retries: int, one_by_one: bool) -> None:
    """An auditor that never stops to find conflicts, and a workspace that has a decision for many of them."""
    matters = ["churn", "margin", "debt", "cash", "capex", "tax", "rent"]
    found = [AuditFinding(0.9, conflicts=[conflict(about)]) for about in matters]
    every = AuditFinding(0.9, conflicts=[conflict(about) for about in matters])
    standing = [decision(about, decision_id=about, **EXPLAIN) for about in matters[:decisions]]
    used = Stage(auditor=ScriptedAuditor([*found, every] if one_by_one else [every]))
    state = graph.invoke(asked(standing_decisions=standing, max_retries=max_retries), context=used.services)
    ids = [answer["decision_id"] for answer in state.get("human_answers", [])]
    applications = sum(reason == "standing_decision" for _, reason in supervised(state))
    assert len(set(ids)) == len(ids) <= DECISIONS_A_RUN
    assert state["retry_count"] == max_retries + applications
    assert state["requires_human_review"] is True

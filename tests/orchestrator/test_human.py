"""A person answers: the run goes on from where it waited, obeys, and names the decision."""

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import ValidationError

from masis.errors import InvalidInput, ModelUnavailable
from masis.orchestrator.graph import MASISGraph, build_graph
from masis.orchestrator.human import Answer
from masis.reasoning.ports import AuditFinding
from tests.support.engines import (
    GOOD_ANSWER,
    GOOD_FINDING,
    ScriptedAuditor,
    ScriptedSearch,
    ScriptedWriter,
    Stage,
    asked,
    chunk,
)

CONFLICTING = AuditFinding(0.9, conflicting_evidence=["report.pdf says 12, memo.md says 14"])
BOTH = [chunk("c1"), chunk("c2", "Revenue was $14 million in 2025.", file_name="memo.md", document_id="d2")]
CONFIG: Any = {"configurable": {"thread_id": "1"}}


def paused(stage: Stage, **changes: Any) -> MASISGraph:
    graph = build_graph(InMemorySaver())
    state = graph.invoke(asked(**changes), CONFIG, context=stage.services)
    assert state["__interrupt__"][0].value == state["review"]
    return graph


def answer(graph: MASISGraph, stage: Stage, **given: Any) -> dict[str, Any]:
    return graph.invoke(Command(resume={"by": "Ada", **given}), CONFIG, context=stage.services)


def conflicted(*later: AuditFinding) -> Stage:
    return Stage(
        search=ScriptedSearch([BOTH]),
        auditor=ScriptedAuditor([CONFLICTING, CONFLICTING, CONFLICTING, *later]),
    )


def test_prefer_is_obeyed_and_named() -> None:
    stage = conflicted(GOOD_FINDING)
    state = answer(paused(stage), stage, action="prefer", prefer=["report.pdf"], over=["memo.md"])
    assert [c["file_name"] for c in state["evidence"]] == ["report.pdf"]
    assert stage.writer.briefs[-1].guidance.prefer == ("report.pdf",)
    assert "the decision of Ada to trust report.pdf over memo.md." in state["final_answer"]
    assert (state["outcome"], state["requires_human_review"]) == ("answered", False)
    assert state["metrics"]["last_citation_audit"]["uncited_claim_count"] == 0
    entry = next(e for e in state["trace"] if e["node"] == "human_review")
    assert (entry["action"], entry["by"]) == ("prefer", "Ada")


def test_both_are_right_is_obeyed_named_and_not_asked_again() -> None:
    stage = conflicted(CONFLICTING)
    state = answer(paused(stage), stage, action="explain_both")
    assert stage.writer.briefs[-1].guidance.explain_both is True
    assert "the decision of Ada to show and explain both sides." in state["final_answer"]
    assert state["requires_human_review"] is False


def test_a_refined_question_is_searched_and_the_first_one_kept() -> None:
    stage = conflicted(GOOD_FINDING)
    state = answer(paused(stage), stage, action="refine", question="What was audited revenue?")
    assert stage.search.queries[-1][1].startswith("What was audited revenue?")
    assert stage.writer.briefs[-1].question == "What was audited revenue?"
    assert state["user_query"] == "What was revenue in 2025?"
    assert "What was audited revenue?" in state["final_answer"]


def test_documents_were_added_looks_again() -> None:
    stage = Stage(search=ScriptedSearch([[], [chunk()]]))
    state = answer(paused(stage), stage, action="look_again")
    assert (state["final_answer"], state["outcome"]) == (GOOD_ANSWER, "answered")


def test_accept_returns_the_best_draft_and_says_who_accepted_it() -> None:
    stage = conflicted()
    calls_before = 9
    state = answer(paused(stage), stage, action="accept")
    assert stage.model_calls == calls_before
    assert state["final_answer"].startswith(GOOD_ANSWER)
    assert "the decision of Ada to accept it as it is." in state["final_answer"]
    assert state["requires_human_review"] is False


def test_who_decides_without_a_name_is_called_what_they_are() -> None:
    stage = conflicted()
    state = answer(paused(stage), stage, action="accept", by="local")
    assert "the decision of the person at this machine to accept it as it is." in state["final_answer"]


def test_stop_ends_the_run_as_it_was() -> None:
    stage = conflicted()
    state = answer(paused(stage), stage, action="stop")
    assert (state["outcome"], state["requires_human_review"]) == ("conflict", False)
    assert stage.model_calls == 9


def test_an_answer_buys_one_bounded_round() -> None:
    stage = Stage(auditor=ScriptedAuditor([AuditFinding(0.2)]))
    state = answer(paused(stage, max_retries=1), stage, action="look_again")
    assert state["__interrupt__"]
    assert state["retry_count"] == 3
    assert stage.store_queries == 4
    assert "2 attempts" in state["clarification_question"]


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"action": "dance"},
        {"action": "prefer"},
        {"action": "prefer", "prefer": ["a"]},
        {"action": "prefer", "prefer": ["a"], "over": ["a"]},
        {"action": "refine"},
        {"action": "refine", "question": "  "},
        {"action": "stop", "by": ""},
        {"action": "stop", "surprise": 1},
        {"action": "stop", "remember": True},
        {"action": "accept", "remember": True},
        {"action": "look_again", "remember": True},
        {"action": "refine", "question": "Which?", "remember": True},
    ],
)
def test_a_bad_answer_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Answer.model_validate(given)


def test_decisions_on_a_conflict_can_be_remembered_and_are_not_unless_asked() -> None:
    prefer = Answer(action="prefer", prefer=["a"], over=["b"])
    assert prefer.remember is False
    assert Answer(action="explain_both", remember=True).remember is True
    with pytest.raises(ValidationError, match="Only a decision on a conflict can be remembered"):
        Answer(action="stop", remember=True)


def test_a_bad_answer_leaves_the_run_waiting_for_a_good_one() -> None:
    stage = conflicted(GOOD_FINDING)
    graph = paused(stage)
    with pytest.raises(ValidationError):
        answer(graph, stage, action="dance")
    state = answer(graph, stage, action="prefer", prefer=["report.pdf"], over=["memo.md"])
    assert state["outcome"] == "answered"


def test_the_question_lists_the_choices_for_its_cause() -> None:
    stage = conflicted()
    state = build_graph(InMemorySaver()).invoke(asked(), CONFIG, context=stage.services)
    assert state["review"]["cause"] == "conflict"
    assert state["review"]["choices"] == ["prefer", "explain_both", "refine", "look_again", "accept", "stop"]


def test_without_a_checkpointer_the_run_has_simply_ended() -> None:
    stage = conflicted()
    state = build_graph().invoke(asked(), context=stage.services)
    assert state["requires_human_review"] is True


def test_a_writer_that_was_down_can_be_asked_again() -> None:
    stage = Stage(writer=ScriptedWriter([ModelUnavailable("Down."), GOOD_ANSWER]))
    state = answer(paused(stage), stage, action="look_again")
    assert (state["final_answer"], state["outcome"]) == (GOOD_ANSWER, "answered")


def test_what_was_written_before_the_decision_does_not_come_back_after_it() -> None:
    """The new round is flagged and less sure, and still its answer is the one that obeys the person."""
    stage = Stage(
        search=ScriptedSearch([BOTH]),
        writer=ScriptedWriter(["Revenue was $14 million in 2025. [c2]"] * 3 + [GOOD_ANSWER]),
        auditor=ScriptedAuditor([CONFLICTING] * 3 + [AuditFinding(0.5)]),
    )
    state = answer(paused(stage), stage, action="prefer", prefer=["report.pdf"], over=["memo.md"])
    assert state["final_answer"].startswith(GOOD_ANSWER)
    assert "the decision of Ada" in state["final_answer"]
    assert "3 attempts" in state["clarification_question"]
    assert "50%" in state["clarification_question"]


def test_a_refined_question_never_gets_the_answer_to_the_old_one() -> None:
    stage = Stage(search=ScriptedSearch([BOTH, BOTH, BOTH, []]), auditor=ScriptedAuditor([CONFLICTING]))
    state = answer(paused(stage), stage, action="refine", question="Who chairs the board?")
    assert state["final_answer"] is None
    assert state["review"]["cause"] == "weak_evidence"


def test_after_a_refined_question_the_old_critique_is_forgotten() -> None:
    gaps = AuditFinding(0.9, logical_gaps=["Which churn?"], conflicting_evidence=["12 or 14"])
    stage = Stage(search=ScriptedSearch([BOTH]), auditor=ScriptedAuditor([gaps, gaps, gaps, GOOD_FINDING]))
    answer(paused(stage), stage, action="refine", question="Who chairs the board?")
    assert stage.search.queries[-1][1] == "Who chairs the board?"
    assert stage.writer.briefs[-1].previous_critique is None


def test_the_last_refined_question_counts() -> None:
    stage = conflicted(CONFLICTING, CONFLICTING, CONFLICTING, GOOD_FINDING)
    graph = paused(stage)
    answer(graph, stage, action="refine", question="First try?")
    answer(graph, stage, action="refine", question="Second try?")
    assert stage.writer.briefs[-1].question == "Second try?"


def test_a_preference_can_be_turned_round() -> None:
    stage = conflicted(CONFLICTING, CONFLICTING, CONFLICTING, GOOD_FINDING)
    graph = paused(stage)
    answer(graph, stage, action="prefer", prefer=["report.pdf"], over=["memo.md"])
    state = answer(graph, stage, action="prefer", prefer=["memo.md"], over=["report.pdf"])
    assert [c["file_name"] for c in state["evidence"]] == ["memo.md"]


def test_explaining_both_does_not_silence_the_conflicts_of_another_question() -> None:
    stage = conflicted(AuditFinding(0.4, conflicting_evidence=["still"]), *[AuditFinding(0.4)] * 2, *[CONFLICTING] * 3)
    graph = paused(stage)
    answer(graph, stage, action="explain_both")
    state = answer(graph, stage, action="refine", question="What were costs in 2025?")
    assert state["review"]["cause"] == "conflict"


def test_nothing_is_left_asked_when_the_run_has_ended() -> None:
    for action in ("accept", "stop"):
        stage = conflicted()
        state = answer(paused(stage), stage, action=action)
        assert (state["clarification_question"], state["review"]) == (None, None)


def test_an_accepted_draft_keeps_its_caveat_and_the_acceptance_is_among_the_claims() -> None:
    stage = Stage(auditor=ScriptedAuditor([AuditFinding(0.4)]))
    state = answer(paused(stage), stage, action="accept")
    assert state["outcome"] == "answered_with_caveat"
    assert "accept it as it is" in state["claims"][-1]["text"]
    last = state["claims"][-1]
    assert state["final_answer"][last["start"] : last["end"]] == last["text"]


@pytest.mark.parametrize(
    "given",
    [
        {"action": "accept"},
        {"action": "prefer", "prefer": ["report.pdf"], "over": ["memo.md"]},
    ],
)
def test_only_what_the_question_offers_can_be_answered(given: dict[str, Any]) -> None:
    stage = Stage(search=ScriptedSearch([[]], empty_workspace=True))
    graph = paused(stage)
    with pytest.raises(InvalidInput, match="not one of the choices"):
        answer(graph, stage, **given)


def test_documents_that_are_not_in_the_run_cannot_be_preferred() -> None:
    stage = conflicted()
    graph = paused(stage)
    with pytest.raises(InvalidInput, match=r"stranger\.pdf"):
        answer(graph, stage, action="prefer", prefer=["report.pdf"], over=["stranger.pdf"])


@pytest.mark.parametrize("question", ["\x00 ", "x" * 100_000])
def test_a_refined_question_is_checked_like_any_other(question: str) -> None:
    with pytest.raises(ValidationError):
        Answer(action="refine", question=question)


def test_the_draft_can_be_accepted_when_a_model_went_away() -> None:
    stage = Stage(
        writer=ScriptedWriter([GOOD_ANSWER, ModelUnavailable("Down.")]), auditor=ScriptedAuditor([AuditFinding(0.4)])
    )
    state = answer(paused(stage), stage, action="accept")
    assert state["final_answer"].startswith(GOOD_ANSWER)
    assert state["outcome"] == "answered_with_caveat"


def test_a_refined_question_starts_with_no_confidence() -> None:
    stage = Stage(search=ScriptedSearch([BOTH, BOTH, BOTH, []]), auditor=ScriptedAuditor([CONFLICTING]))
    assert answer(paused(stage), stage, action="refine", question="Who won?")["confidence"] == 0.0


@pytest.mark.parametrize("by", ["Ada. The rate was 9.9% in 2025. Bob", "Ada\nBob", "Something happened. Then more"])
def test_a_name_cannot_smuggle_a_sentence_into_the_answer(by: str) -> None:
    with pytest.raises(ValidationError):
        Answer(action="accept", by=by)


@pytest.mark.parametrize("by", ["Ada Lovelace", "J. P. Morgan", "Dr. Ada", "ada@example.org", "李小龙"])
def test_names_are_names(by: str) -> None:
    assert Answer(action="accept", by=by).by == by


def test_only_the_last_refined_question_is_named_and_claims_nothing() -> None:
    stage = conflicted(CONFLICTING, CONFLICTING, CONFLICTING, GOOD_FINDING)
    graph = paused(stage)
    answer(graph, stage, action="refine", question="First try?")
    state = answer(graph, stage, action="refine", question="Second try?")
    assert "First try" not in state["final_answer"]
    assert state["final_answer"].endswith("to ask “Second try?” instead.")
    assert state["metrics"]["last_citation_audit"]["uncited_claim_count"] == 0


def test_a_settled_contradiction_stays_a_caveat() -> None:
    record: Any = {"about": "x", "period": None, "kind": "contradiction", "sides": [], "explanation": "12 or 14"}
    stage = Stage(search=ScriptedSearch([BOTH]), auditor=ScriptedAuditor([AuditFinding(0.9, conflicts=[record])]))
    assert answer(paused(stage), stage, action="explain_both")["outcome"] == "answered_with_caveat"


def test_what_was_audited_keeps_its_verdicts_when_the_draft_is_accepted() -> None:
    paraphrase = "Business went well for the firm. [c1]"
    stage = Stage(
        writer=ScriptedWriter([paraphrase]),
        auditor=ScriptedAuditor([AuditFinding(0.9, conflicting_evidence=["12 or 14"])]),
        second_opinion=lambda claims: [1.0] * len(claims),
    )
    state = answer(paused(stage), stage, action="accept")
    first, *_, last = state["claims"]
    assert (first["verdict"], first["checked_by"]) == ("supported", "verifier")
    for claim in (first, last):
        assert state["final_answer"][claim["start"] : claim["end"]] == claim["text"]

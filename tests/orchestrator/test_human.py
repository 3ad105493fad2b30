"""A person answers: the run goes on from where it waited, obeys, and names the decision."""

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import ValidationError

from masis.orchestrator.graph import MASISGraph, build_graph
from masis.orchestrator.human import HumanAnswer
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
    assert "the decision of Ada to accept it as it stands." in state["final_answer"]
    assert state["requires_human_review"] is False


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
    assert "4 attempts" in state["clarification_question"]


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
    ],
)
def test_a_bad_answer_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        HumanAnswer.model_validate(given)


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
    from masis.errors import ModelUnavailable

    stage = Stage(writer=ScriptedWriter([ModelUnavailable("Down."), GOOD_ANSWER]))
    state = answer(paused(stage), stage, action="look_again")
    assert (state["final_answer"], state["outcome"]) == (GOOD_ANSWER, "answered")

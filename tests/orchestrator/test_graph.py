"""The graph as a caller sees it: paths, calls at the ports, what comes back, and that it always ends."""

import asyncio
import subprocess
import sys
from copy import deepcopy
from typing import Any

import pytest

from masis.errors import BadModelOutput, ModelUnavailable, StoreUnavailable
from masis.orchestrator.graph import graph
from masis.reasoning.ports import AuditFinding, Scores
from masis.settings import RETRY_CEILING, Settings
from masis.types import Usage
from tests.support.engines import (
    GOOD_ANSWER,
    GOOD_FINDING,
    ScriptedAuditor,
    ScriptedJudge,
    ScriptedSearch,
    ScriptedWriter,
    Stage,
    asked,
    chunk,
)

POOR = AuditFinding(confidence=0.4, unsupported_claims=["Margins doubled."], logical_gaps=["Which year?"])
CONFLICTING = AuditFinding(confidence=0.9, conflicting_evidence=["report.pdf says 12, memo.md says 14"])


def run(stage: Stage, **changes: Any) -> dict[str, Any]:
    return graph.invoke(asked(**changes), context=stage.services)


def decisions(state: dict[str, Any]) -> list[str]:
    return [entry["decision"] for entry in state["trace"] if entry["node"] == "supervisor"]


def nodes(state: dict[str, Any]) -> list[str]:
    return [entry["node"] for entry in state["trace"]]


def test_happy_path_takes_three_calls_and_one_query() -> None:
    stage = Stage()
    state = run(stage)
    assert (stage.model_calls, stage.store_queries) == (3, 1)
    assert nodes(state) == ["researcher", "synthesizer", "critic", "evaluator", "supervisor"]
    assert decisions(state) == ["finalize"]
    assert state["final_answer"] == GOOD_ANSWER
    assert state["outcome"] == "answered"
    assert state["requires_human_review"] is False
    assert state["metrics"]["model_calls"] == 3


def test_one_retry_takes_six_calls_and_two_queries() -> None:
    stage = Stage(auditor=ScriptedAuditor([POOR, GOOD_FINDING]))
    state = run(stage)
    assert (stage.model_calls, stage.store_queries) == (6, 2)
    assert decisions(state) == ["retry", "finalize"]
    assert state["retry_count"] == 1
    assert state["metrics"]["retry_reasons"] == [
        {
            "iteration": 1,
            "confidence": 0.4,
            "reason": "quality_issue_detected",
            "citation_issue": False,
            "hallucination": False,
        }
    ]
    assert state["metrics"]["confidence_history"] == [0.4, 0.9]
    assert state["metrics"]["iterations"] == 2


SUMMARIES = Settings(context="summaries")


def test_summaries_take_one_more_call() -> None:
    evidence = [
        chunk(f"c{i}", f"Revenue was $12 million in 2025. No {i} " + "x" * 670, score=0.9 - i / 100)
        for i in range(1, 11)
    ]
    stage = Stage(
        search=ScriptedSearch([evidence]), writer=ScriptedWriter(summaries={"c4": "four"}), settings=SUMMARIES
    )
    state = run(stage)
    assert (stage.model_calls, stage.store_queries) == (4, 1)
    assert state["metrics"]["model_calls"] == 4


@pytest.mark.parametrize(
    ("search", "cause"),
    [
        (ScriptedSearch([[]], empty_workspace=True), "empty_workspace"),
        (ScriptedSearch([[chunk(text="The kitchen opens at noon.", score=0.59)]]), "weak_evidence"),
    ],
)
def test_nothing_found_calls_no_model(search: ScriptedSearch, cause: str) -> None:
    stage = Stage(search=search)
    state = run(stage)
    assert (stage.model_calls, stage.store_queries) == (0, 1)
    assert nodes(state) == ["researcher", "supervisor"]
    assert state["requires_human_review"] is True
    assert state["review"]["cause"] == cause
    assert state["outcome"] == "insufficient_evidence"
    assert state["trace"][0]["warning"] == "no_qualifying_evidence"


def test_small_talk_searches_nothing_and_asks_no_model() -> None:
    stage = Stage()
    state = run(stage, question="Hello!")
    assert (stage.model_calls, stage.store_queries) == (0, 0)
    assert state["outcome"] == "out_of_scope"


@pytest.mark.parametrize("max_retries", [None, 0, 1, 2, 5, RETRY_CEILING])
def test_retries_are_counted_and_end_with_a_person(max_retries: int | None) -> None:
    stage = Stage(auditor=ScriptedAuditor([POOR]))
    state = run(stage, max_retries=max_retries)
    expected = max_retries or 2
    assert state["retry_count"] == expected
    assert (stage.model_calls, stage.store_queries) == (3 * (expected + 1), expected + 1)
    assert decisions(state) == ["retry"] * expected + ["HITL_triggered"]
    assert "40%" in state["clarification_question"]
    assert f"{expected + 1} attempts" in state["clarification_question"]


def test_a_state_that_skipped_the_edge_still_ends() -> None:
    stage = Stage(auditor=ScriptedAuditor([POOR]))
    state = graph.invoke(asked() | {"max_retries": 10**6}, context=stage.services)
    assert state["retry_count"] == RETRY_CEILING


def test_a_conflict_is_retried_and_then_put_to_a_person() -> None:
    state = run(Stage(auditor=ScriptedAuditor([CONFLICTING])))
    assert decisions(state) == ["retry", "retry", "HITL_conflict"]
    assert {r["reason"] for r in state["metrics"]["retry_reasons"]} == {"conflicting_evidence_attempting_resolution"}
    assert state["outcome"] == "conflict"
    assert "memo.md says 14" in state["clarification_question"]


def test_a_writer_that_repeats_itself_is_not_asked_a_third_time() -> None:
    stage = Stage(writer=ScriptedWriter(stubborn=True), auditor=ScriptedAuditor([POOR]))
    state = run(stage, max_retries=5)
    assert decisions(state) == ["retry", "HITL_triggered"]
    assert state["trace"][-1]["reason"] == "no_progress"
    assert state["final_answer"] == GOOD_ANSWER


def test_the_best_attempt_comes_back_with_its_own_evidence() -> None:
    """The second of three attempts is the best; what surrounds the answer must be that attempt's."""
    names = ("First", "Second", "Third")
    stage = Stage(
        search=ScriptedSearch([[chunk(f"c{n}", f"{name} answer here.")] for n, name in enumerate(names, start=1)]),
        writer=ScriptedWriter([f"{name} answer here. [c{n}]" for n, name in enumerate(names, start=1)]),
        auditor=ScriptedAuditor([AuditFinding(0.3), AuditFinding(0.6), AuditFinding(0.5)]),
        judge=ScriptedJudge(
            [Scores(0.9, relevance, 0.5, 0.5) for relevance in (0.1, 0.2, 0.3)],
        ),
    )
    state = run(stage)
    assert state["final_answer"] == "Second answer here. [c2]"
    assert [c["chunk_id"] for c in state["evidence"]] == ["c2", "c1"]  # what was right before stays at hand
    assert state["confidence"] == state["critique"]["confidence"] == 0.6
    assert state["metrics"]["evaluation"]["relevance"] == 0.2
    assert state["claims"][0]["citations"][0]["chunk_id"] == "c2"


def test_clean_beats_flagged_whatever_the_confidence() -> None:
    flagged = AuditFinding(0.99, hallucination_detected=True)
    stage = Stage(
        search=ScriptedSearch([[chunk("c1", "Flagged answer here. Clean answer here.")]]),
        writer=ScriptedWriter(["Flagged answer here. [c1]", "Clean answer here. [c1]"]),
        auditor=ScriptedAuditor([flagged, AuditFinding(0.66)]),
    )
    assert run(stage)["final_answer"] == "Clean answer here. [c1]"


def test_a_fabricated_citation_is_caught_whatever_the_auditor_says() -> None:
    stage = Stage(writer=ScriptedWriter(["Margins doubled in Asia. [c99]"]))
    state = run(stage)
    assert state["critique"]["hallucination_detected"] is True
    assert state["confidence"] == 0.45
    assert state["metrics"]["last_citation_audit"]["invalid_citations"] == ["c99"]
    assert state["metrics"]["retry_reasons"][0]["citation_issue"] is True
    assert state["claims"][0]["verdict"] == "fabricated_citation"


def test_a_made_up_id_counts_as_written_and_the_mended_answer_stands() -> None:
    state = run(Stage(writer=ScriptedWriter(["Revenue was $12 million in 2025. [c99]"])))
    audits = [entry for entry in state["trace"] if entry["node"] == "critic"]
    assert audits[0]["hallucination"] is True
    assert audits[0]["confidence"] == 0.45
    assert state["metrics"]["retry_reasons"][0]["citation_issue"] is True
    assert state["final_answer"] == "Revenue was $12 million in 2025 [c1]."
    assert [(c["verdict"], c["repaired"]) for c in state["claims"]] == [("verbatim", "corrected")]
    assert (state["outcome"], state["confidence"]) == ("answered", 0.9)


def test_an_abstention_is_searched_for_once_more_and_then_stands() -> None:
    silent = "The documents do not say how many patents the company holds."
    stage = Stage(writer=ScriptedWriter([silent], stubborn=True), auditor=ScriptedAuditor([AuditFinding(0.2)]))
    state = run(stage)
    assert stage.store_queries == 2
    assert stage.search.queries[1][2] == 20
    assert decisions(state) == ["retry", "finalize"]
    assert state["outcome"] == "insufficient_evidence"
    assert state["critique"]["hallucination_detected"] is False
    assert state["final_answer"] == silent


@pytest.mark.parametrize(
    ("gaps", "ending"),
    [([], ("finalize", None, False)), (["c1 gives the number."], ("HITL_triggered", "quality", True))],
)
def test_an_abstention_that_later_drafts_do_not_better_is_a_silence_unless_a_passage_speaks_against_it(
    gaps: list[str], ending: tuple[str, str | None, bool]
) -> None:
    silent = "The documents do not say how many patents the company holds."
    guesses = ["The company holds 14 patents. [c1]", "The company holds 15 patents. [c1]"]
    first = AuditFinding(0.9, logical_gaps=gaps, needs_retry=True)
    stage = Stage(
        writer=ScriptedWriter([silent, *guesses], stubborn=True),
        auditor=ScriptedAuditor([first, AuditFinding(0.2), AuditFinding(0.2)]),
    )
    state = run(stage)
    assert state["metrics"]["confidence_history"] == [0.9, 0.1, 0.1]
    assert (state["final_answer"], state["outcome"]) == (silent, "insufficient_evidence")
    asks = state["requires_human_review"]
    assert (decisions(state)[-1], state["review"] and state["review"]["cause"], asks) == ending


DOWN = ModelUnavailable("The model did not answer for 180 seconds.")


def test_the_store_being_away_ends_in_review() -> None:
    stage = Stage(search=ScriptedSearch([StoreUnavailable("Qdrant did not answer.")]))
    state = run(stage)
    assert stage.model_calls == 0
    assert state["outcome"] == "unavailable"
    assert "Qdrant did not answer." in state["clarification_question"]
    assert "Nothing was lost" in state["clarification_question"]


@pytest.mark.parametrize("error", [DOWN, BadModelOutput("Not JSON.")])
def test_a_writer_that_fails_ends_in_review_without_further_calls(error: Exception) -> None:
    stage = Stage(writer=ScriptedWriter([error]))
    state = run(stage)
    assert stage.model_calls == 1
    assert (state["outcome"], state.get("final_answer")) == ("unavailable", None)
    assert str(error) in state["clarification_question"]


def test_a_writer_that_fails_on_a_retry_keeps_the_first_draft() -> None:
    stage = Stage(writer=ScriptedWriter([GOOD_ANSWER, DOWN]), auditor=ScriptedAuditor([POOR]))
    state = run(stage)
    assert state["final_answer"] == GOOD_ANSWER
    assert state["outcome"] == "unavailable"
    assert state["metrics"]["evaluation"]["judged_by"] == "scripted-judge"


def test_an_audit_that_could_not_be_made_counts_as_not_passed() -> None:
    state = run(Stage(auditor=ScriptedAuditor([DOWN])))
    assert state["outcome"] == "unavailable"
    assert state["critique"]["needs_retry"] is True
    assert state["confidence"] == 0.0
    assert state["final_answer"] == GOOD_ANSWER
    assert "semantic_audit_not_made" in [entry.get("warning") for entry in state["trace"]]


def test_a_judge_that_fails_is_replaced_by_measured_scores_that_say_so() -> None:
    state = run(Stage(judge=ScriptedJudge([DOWN])))
    assert state["outcome"] == "unavailable"
    assert state["metrics"]["evaluation"]["judged_by"].startswith("offline (scripted-judge")


def test_compression_that_fails_ends_in_review() -> None:
    evidence = [chunk(f"c{i}", f"{i} " + "x" * 700) for i in range(1, 11)]
    stage = Stage(search=ScriptedSearch([evidence]), writer=ScriptedWriter(summaries=DOWN), settings=SUMMARIES)
    assert run(stage)["outcome"] == "unavailable"


def test_what_a_failed_call_cost_is_counted() -> None:
    error = ModelUnavailable("Down.")
    error.usage = Usage(6, 700, 0, 0.5)
    metrics = run(Stage(auditor=ScriptedAuditor([error])))["metrics"]
    assert metrics["model_requests"] == 1 + 6
    assert metrics["cost_usd"] == pytest.approx(0.75)


def test_a_judge_that_was_not_asked_is_not_named_as_the_judge() -> None:
    stage = Stage(auditor=ScriptedAuditor([DOWN]))
    evaluation = run(stage)["metrics"]["evaluation"]
    assert stage.judge.audits == []
    assert evaluation["judged_by"].startswith("offline (scripted-judge was not asked")


def test_every_ending_carries_an_evaluation() -> None:
    metrics = run(Stage(search=ScriptedSearch([[]])))["metrics"]
    assert (metrics["evaluation"]["faithfulness"], metrics["evaluation"]["completeness"]) == (1.0, 0.0)
    assert metrics["iterations"] == 1


def test_a_failure_with_retries_used_up_is_still_unavailable() -> None:
    stage = Stage(writer=ScriptedWriter([GOOD_ANSWER, f"Again: {GOOD_ANSWER}", DOWN]), auditor=ScriptedAuditor([POOR]))
    assert run(stage)["outcome"] == "unavailable"


@pytest.mark.parametrize("draft", ["", "[c1]", "# Heading", "```"])
def test_a_draft_that_says_nothing_does_not_pass(draft: str) -> None:
    state = run(Stage(writer=ScriptedWriter([draft])))
    assert state["requires_human_review"] is True
    assert state["confidence"] == 0.0


def test_a_refusal_that_the_auditor_can_refute_does_not_stand() -> None:
    refuted = AuditFinding(0.1, logical_gaps=["Passage c1 states it."], needs_retry=True)
    stage = Stage(writer=ScriptedWriter(["The documents do not say it."]), auditor=ScriptedAuditor([refuted]))
    state = run(stage)
    assert decisions(state) == ["retry", "retry", "HITL_triggered"]


def test_conflicts_and_citation_audit_are_the_best_attempts_own() -> None:
    revision = {"about": "x", "period": None, "kind": "revision", "sides": [], "explanation": "first"}
    stage = Stage(
        writer=ScriptedWriter([GOOD_ANSWER, "Revenue was $12 million. [c99]"]),
        auditor=ScriptedAuditor([AuditFinding(0.6, conflicts=[revision]), AuditFinding(0.6)]),
    )
    state = run(stage)
    assert [c["explanation"] for c in state["conflicts"]] == ["first"]
    assert state["metrics"]["last_citation_audit"]["invalid_citations"] == []


def test_the_step_limit_is_set_for_the_longest_round_there_is() -> None:
    assert graph.config is not None
    assert graph.config["recursion_limit"] < 100


def test_a_sync_call_from_inside_a_run_is_refused_and_does_not_hang() -> None:
    from masis.orchestrator.agent import run_blocking

    async def inside() -> None:
        run_blocking(asyncio.sleep(0))

    with pytest.raises(RuntimeError, match="async twin"):
        run_blocking(inside())


def test_costs_add_up_over_agents_and_attempts() -> None:
    metrics = run(Stage(auditor=ScriptedAuditor([POOR, GOOD_FINDING])))["metrics"]
    assert metrics["input_tokens"] == 2 * (100 + 200 + 300)
    assert metrics["cost_usd"] == pytest.approx(2 * 1.25)
    assert metrics["calls_by_agent"] == {"synthesizer": 2, "critic": 2, "evaluator": 2}
    assert set(metrics["node_latency_ms"]) == {"supervisor", "researcher", "synthesizer", "critic", "evaluator"}


def test_the_callers_state_is_not_changed() -> None:
    state = asked()
    before = deepcopy(state)
    graph.invoke(state, context=Stage().services)
    assert state == before


async def test_async_invoke_and_stream_give_the_same_run() -> None:
    state = await graph.ainvoke(asked(), context=Stage().services)
    assert state["final_answer"] == GOOD_ANSWER
    updates = [u async for u in graph.astream(asked(), context=Stage().services, stream_mode="updates")]
    assert [next(iter(u)) for u in updates] == [
        "supervisor",
        "researcher",
        "synthesizer",
        "critic",
        "evaluator",
        "supervisor",
    ]


async def test_sync_invoke_works_inside_a_running_event_loop() -> None:
    assert graph.invoke(asked(), context=Stage().services)["final_answer"] == GOOD_ANSWER


def test_many_runs_at_once_do_not_mix() -> None:
    async def all_of_them() -> list[dict[str, Any]]:
        stages = [Stage(writer=ScriptedWriter([f"Answer number {i} here. [c1]"])) for i in range(20)]
        return await asyncio.gather(*(graph.ainvoke(asked(), context=s.services) for s in stages))

    answers = [state["final_answer"] for state in asyncio.run(all_of_them())]
    assert answers == [f"Answer number {i} here. [c1]" for i in range(20)]


def test_importing_opens_nothing() -> None:
    """No file for writing, no socket, no model: in a fresh interpreter, where the audit hook sees all.

    LangGraph is imported first: one of its dependencies tries out whether the machine speaks IPv6.
    """
    script = """
import sys
import langgraph.graph
opened = []
def hook(event, args):
    if event in ("socket.connect", "socket.bind", "sqlite3.connect"):
        opened.append((event, args))
    if event == "open" and isinstance(args[1], str) and set(args[1]) & set("wa+x"):
        opened.append((event, args))
sys.dont_write_bytecode = True
sys.addaudithook(hook)
import masis.orchestrator.graph
heavy = {"onnxruntime", "qdrant_edge", "openai", "pypdfium2", "tokenizers"} & set(sys.modules)
assert not opened, opened
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_settings_reach_the_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MASIS_CONFIDENCE_THRESHOLD", "0.95")
    state = run(Stage(settings=Settings()))
    assert decisions(state) == ["retry", "retry", "HITL_triggered"]


SPEC_KEYS = {
    "user_query", "workspace_id", "evidence", "draft_answer", "critique", "confidence", "final_answer", "retry_count",
    "max_retries", "requires_human_review", "clarification_question", "trace", "metrics",
}  # fmt: skip
SPEC_METRICS = {
    "node_latency_ms", "retrieval_scores", "avg_retrieval_score", "original_context_chars", "compressed_context_chars",
    "compression_ratio", "over_compression_flag", "compression_latency_ms", "citation_count", "answer_length",
    "confidence_history", "retry_reasons", "citation_violations", "last_citation_audit", "evaluation", "iterations",
    "model_calls", "input_tokens", "output_tokens", "cost_usd",
}  # fmt: skip


@pytest.mark.parametrize("search", [ScriptedSearch(), ScriptedSearch([[]])])
def test_every_key_of_the_specification_is_there_however_the_run_ends(search: ScriptedSearch) -> None:
    state = run(Stage(search=search))
    assert set(state) >= SPEC_KEYS
    assert set(state["metrics"]) >= SPEC_METRICS


INSTEAD = "The report does not reach 2026. Revenue was $12 million in 2025. [c1]"
HALF = "Revenue was $12 million in 2025. [c1] The documents do not give the margin."


def test_a_refusal_that_tells_what_there_is_instead_is_searched_for_once_more_and_filed_as_silence() -> None:
    stage = Stage(writer=ScriptedWriter([INSTEAD]), auditor=ScriptedAuditor([AuditFinding(0.95, answered="none")]))
    state = run(stage, question="What was revenue in 2026?")
    assert (state["outcome"], state["requires_human_review"]) == ("insufficient_evidence", False)
    assert decisions(state) == ["retry", "finalize"]


def test_an_auditor_cannot_make_a_silence_of_what_says_nothing_is_missing() -> None:
    state = run(Stage(auditor=ScriptedAuditor([AuditFinding(0.95, answered="none")])))
    assert (state["outcome"], decisions(state)) == ("answered_with_caveat", ["finalize"])


def test_what_is_half_answered_is_searched_for_once_by_what_is_missing() -> None:
    whole = "Revenue was $12 million in 2025. [c1] In 2025 it was $12 million. [c1]"
    found = [AuditFinding(0.95, answered="part"), AuditFinding(0.8)]
    stage = Stage(writer=ScriptedWriter([HALF, whole]), auditor=ScriptedAuditor(found))
    state = run(stage, question="What were revenue and margin in 2025?")
    assert [entry["reason"] for entry in state["metrics"]["retry_reasons"]] == ["part_not_covered"]
    assert stage.search.queries[1][1].endswith("in 2025? The documents do not give the margin.")
    # Less sure, but it answers more.
    assert state["final_answer"] == whole


def test_what_stays_half_answered_stands_even_where_the_second_draft_is_worse() -> None:
    found = [AuditFinding(0.95, answered="part"), POOR]
    stage = Stage(writer=ScriptedWriter([HALF]), auditor=ScriptedAuditor(found))
    state = run(stage, question="What were revenue and margin in 2025?")
    assert (state["outcome"], state["requires_human_review"]) == ("answered_with_caveat", False)
    assert state["final_answer"] == HALF

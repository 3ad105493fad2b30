import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from masis.orchestrator.state import MASISInput, applied, merge_metrics
from masis.settings import RETRY_CEILING


def made(**changes: object) -> MASISInput:
    return MASISInput(**({"user_query": "What?", "workspace_id": "w"} | changes))


@pytest.mark.parametrize("query", ["", "   ", "\n\t", "\x00\x07", "\u2028 "])
def test_an_empty_question_is_refused(query: str) -> None:
    with pytest.raises(ValidationError, match="empty"):
        made(user_query=query)


def test_a_100_kilobyte_question_is_refused_with_advice() -> None:
    with pytest.raises(ValidationError, match="ingest long text as a document"):
        made(user_query="why " * 25_000)


def test_control_characters_are_taken_out() -> None:
    assert made(user_query="What\x00 was\x1b[31m revenue?\x07").user_query == "What was[31m revenue?"


@pytest.mark.parametrize("query", ["Wie hoch war der Umsatz?", "収益はいくらでしたか。", "ما هي الإيرادات؟", "🚀?"])
def test_other_languages_pass_unchanged(query: str) -> None:
    assert made(user_query=query).user_query == query


@pytest.mark.parametrize("name", ["", "a b", "../x", "a/b", "x" * 65, ".hidden", "naïve"])
def test_a_workspace_name_that_cannot_be_one_is_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        made(workspace_id=name)


@pytest.mark.parametrize("value", [-1, RETRY_CEILING + 1, 10**9, "many", 1.5])
def test_max_retries_out_of_range_is_refused(value: object) -> None:
    with pytest.raises(ValidationError):
        made(max_retries=value)


@pytest.mark.parametrize(("value", "kept"), [(None, None), (0, 0), (3, 3), ("3", 3)])
def test_max_retries_in_range_is_kept(value: object, kept: int | None) -> None:
    assert made(max_retries=value).to_state()["max_retries"] == kept


@given(st.lists(st.floats(0, 1), max_size=5))
def test_histories_are_appended_and_never_overwritten(values: list[float]) -> None:
    metrics: dict[str, object] = {}
    for value in values:
        metrics = merge_metrics(metrics, {"confidence_history": [value], "iterations": 1})
    assert metrics.get("confidence_history", []) == values


def test_counts_are_added_by_agent_and_the_latest_value_replaces_the_rest() -> None:
    old = {"model_calls": 1, "node_latency_ms": {"critic": 2.0}, "citation_count": 4}
    new = {"model_calls": 2, "node_latency_ms": {"critic": 3.0, "evaluator": 1.0}, "citation_count": 1}
    assert merge_metrics(old, new) == {
        "model_calls": 3,
        "node_latency_ms": {"critic": 5.0, "evaluator": 1.0},
        "citation_count": 1,
    }
    assert old["model_calls"] == 1


def test_what_a_node_adds_stands_behind_what_was_there() -> None:
    first, second = {"action": "explain_both"}, {"action": "accept"}
    before = made().to_state() | {"human_answers": [first], "trace": [{"node": "critic"}]}
    after = applied(before, {"human_answers": [second], "trace": [{"node": "supervisor"}], "confidence": 0.7})
    assert after["human_answers"] == [first, second]
    assert [entry["node"] for entry in after["trace"]] == ["critic", "supervisor"]
    assert (after["confidence"], before["human_answers"]) == (0.7, [first])


def test_remembered_decisions_come_into_the_state_as_plain_records() -> None:
    assert made().to_state()["standing_decisions"] == []
    assert made(standing_decisions=({"decision_id": "d1"},)).to_state()["standing_decisions"] == [{"decision_id": "d1"}]

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from masis.reasoning.llm.structured import Audit, Scorecard, Summaries


def audit(**fields: Any) -> Audit:
    return Audit.model_validate({"confidence": 0.8, "hallucination_detected": False} | fields)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (0.85, 0.85),
        (85, 0.85),
        ("85%", 0.85),
        ("85 %", 0.85),
        ("0.9", 0.9),
        ("0,9", 0.9),
        ("85", 0.85),
        ("8/10", 0.8),
        ("0.5%", 0.005),
        (1, 1.0),
        (0, 0.0),
        (-0.3, 0.0),
        (850, 1.0),
    ],
)
def test_a_confidence_is_read_as_it_is_meant(said: object, meant: float) -> None:
    assert audit(confidence=said).confidence == pytest.approx(meant)


@pytest.mark.parametrize("said", [float("nan"), "NaN", float("inf"), "high", None, True, [], {}, "", "1/0", "%"])
def test_what_is_no_number_is_bad_output(said: object) -> None:
    with pytest.raises(ValidationError):
        audit(confidence=said)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_any_number_ends_between_0_and_1(said: float) -> None:
    assert 0.0 <= audit(confidence=said).confidence <= 1.0


@pytest.mark.parametrize(
    ("said", "meant"), [("true", True), ("Yes", True), ("no.", False), (1, True), ("FALSE ", False)]
)
def test_flags_are_read_from_words(said: object, meant: bool) -> None:
    assert audit(hallucination_detected=said).hallucination_detected is meant


@pytest.mark.parametrize("missing", ["confidence", "hallucination_detected"])
def test_an_audit_without_its_verdict_is_no_audit(missing: str) -> None:
    fields = {"confidence": 0.9, "hallucination_detected": False}
    del fields[missing]
    with pytest.raises(ValidationError):
        Audit.model_validate(fields)


@pytest.mark.parametrize("said", [None, [], "None", "", ["none", ""], "N/A", False])
def test_no_findings_can_be_said_in_many_ways(said: object) -> None:
    assert audit(unsupported_claims=said).unsupported_claims == []


def test_a_single_finding_needs_no_list() -> None:
    assert audit(logical_gaps="It skips margins.").logical_gaps == ["It skips margins."]


def test_findings_given_as_objects_become_sentences() -> None:
    said = [{"claim": "Revenue doubled", "reason": "not in c1"}, 7]
    assert audit(unsupported_claims=said).unsupported_claims == ["Revenue doubled: not in c1", "7"]


def test_a_conflict_may_be_an_object_or_a_sentence() -> None:
    said = [
        {"about": "revenue", "value_a": 5, "chunk_a": "c1", "kind": "Different period", "extra": 1},
        "x vs y",
    ]
    first, second = audit(conflicting_evidence=said).conflicting_evidence
    assert (first.about, first.value_a, first.chunk_a, first.kind) == (
        "revenue",
        "5",
        "c1",
        "different_period",
    )
    assert (second.about, second.kind) == ("x vs y", "contradiction")


@pytest.mark.parametrize("said", [None, "none", [], ["None"], [None]])
def test_no_conflict_is_no_conflict(said: object) -> None:
    assert audit(conflicting_evidence=said).conflicting_evidence == []


def test_unknown_fields_are_ignored() -> None:
    assert audit(mood="good").confidence == 0.8


def test_scores_are_percentages_above_1() -> None:
    said = {"faithfulness": 90, "relevance": "0.7", "completeness": "65%", "reasoning_quality": 1}
    scores = Scorecard.model_validate(said)
    assert (scores.faithfulness, scores.relevance, scores.completeness) == (0.9, 0.7, 0.65)
    assert scores.improvement_suggestions == []


@pytest.mark.parametrize(
    "said",
    [
        {"summaries": [{"chunk_id": "c1", "summary": "short"}]},
        [{"chunk_id": "c1", "summary": "short"}],
        {"summaries": {"c1": "short"}},
    ],
)
def test_summaries_come_in_three_shapes(said: object) -> None:
    (only,) = Summaries.model_validate(said).summaries
    assert (only.chunk_id, only.summary) == ("c1", "short")


@pytest.mark.parametrize("said", [{}, {"summaries": "c1"}, "text"])
def test_other_shapes_are_bad_output(said: object) -> None:
    with pytest.raises(ValidationError):
        Summaries.model_validate(said)

from typing import Any

import pytest

from masis.audit.conflicts import find_conflicts
from tests.support.engines import chunk

QUESTION = "What was customer churn in fiscal 2025?"


def pair(first: str, second: str, **changes: Any) -> list[Any]:
    return [
        chunk("c1", first, file_name="report.pdf", document_id="d1", date="2026-03-14"),
        chunk("c2", second, file_name="memo.docx", document_id="d2", date="2026-02-03") | changes,
    ]


def kinds(question: str, evidence: list[Any]) -> list[str]:
    return [conflict["kind"] for conflict in find_conflicts(question, evidence)]


def test_the_same_figure_with_two_values_is_a_contradiction_with_both_sides() -> None:
    evidence = pair("Customer churn in fiscal 2025 was 7.4%.", "For fiscal 2025 we counted a customer churn of 9.1%.")
    (conflict,) = find_conflicts(QUESTION, evidence)
    assert conflict["kind"] == "contradiction"
    assert {(s["file_name"], s["value"]) for s in conflict["sides"]} == {
        ("report.pdf", "7.4%"),
        ("memo.docx", "9.1%"),
    }
    assert {s["date"] for s in conflict["sides"]} == {"2026-03-14", "2026-02-03"}
    assert "churn" in conflict["about"]
    assert conflict["period"] == "2025"
    assert "7.4%" in conflict["explanation"]
    assert "9.1%" in conflict["explanation"]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("Customer churn in fiscal 2025 was 7.4%.", "Customer churn in fiscal 2025 was 7.4 percent.", []),
        ("Customer churn in fiscal 2025 was 7.4%.", "Gross margin in fiscal 2025 was 41.8%.", []),
        (
            "Customer churn in fiscal 2025 was 7.4%.",
            "The target for customer churn in fiscal 2025 is 6.0%.",
            [],
        ),
        (
            "Customer churn in fiscal 2025 was 7.4%.",
            "Preliminary customer churn for fiscal 2025 was 7.9%.",
            ["revision"],
        ),
        (
            "Net customer churn in fiscal 2025 was 7.4%.",
            "Gross customer churn in fiscal 2025 was 9.1%.",
            ["different_definition"],
        ),
        (
            "Customer churn in fiscal 2025 was 7.4%, down from 8.0% in fiscal 2024.",
            "Customer churn in fiscal 2025 was 7.4%.",
            [],
        ),
    ],
)
def test_kinds_are_told_apart(first: str, second: str, expected: list[str]) -> None:
    assert kinds(QUESTION, pair(first, second)) == expected


def test_another_period_is_no_contradiction() -> None:
    evidence = pair("Gross margin in fiscal 2025 was 41.8%.", "Gross margin in fiscal 2024 was 38.9%.")
    assert "contradiction" not in kinds("How did gross margin develop?", evidence)


def test_one_document_does_not_contradict_itself() -> None:
    evidence = pair(
        "Customer churn in fiscal 2025 was 7.4%.", "Customer churn in fiscal 2025 was 9.1%.", document_id="d1"
    )
    assert kinds(QUESTION, evidence) == []


def test_a_conflict_beside_the_question_is_not_raised() -> None:
    evidence = pair("Customer churn in fiscal 2025 was 7.4%.", "Customer churn in fiscal 2025 was 9.1%.")
    assert kinds("Who audits the financial statements?", evidence) == []


def test_counted_things_must_be_the_same() -> None:
    evidence = pair("The company had 612 employees in 2025.", "The company had 38 sites in 2025.")
    assert kinds("How many employees and sites did the company have in 2025?", evidence) == []


def test_a_table_can_contradict_a_sentence() -> None:
    table = "Key figures (%)\nFigure | 2025 | 2024\nCustomer churn | 9.1% | 8.0%\nGross margin | 41.8% | 38.9%"
    evidence = pair("Customer churn in fiscal 2025 was 7.4%.", table)
    assert kinds(QUESTION, evidence) == ["contradiction"]

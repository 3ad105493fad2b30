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


CHURN = ("Customer churn in fiscal 2025 was 7.4%.", "Customer churn in fiscal 2025 was 9.1%.")
SHIPPED = "Figure | 2025\nSensors shipped (thousands) | 1,222"


@pytest.mark.parametrize(
    "question",
    ["How many customers were there at the end of 2025?", "Why do customers leave?", "Where are the customers?"],
)
def test_a_figure_that_is_not_asked_for_raises_nothing(question: str) -> None:
    assert kinds(question, pair(*CHURN)) == []


@pytest.mark.parametrize(
    "question", ["What was the customer churn rate in 2025?", "Why was customer churn so high in 2025?"]
)
def test_a_figure_that_is_asked_for_does(question: str) -> None:
    assert kinds(question, pair(*CHURN)) == ["contradiction"]


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("How many sensors were shipped in 2025?", SHIPPED, "In 2025 the company shipped 1,222,000 sensors."),
        ("How many sensors were shipped?", "Sensors shipped (thousands) 1,222", "1,222,000 sensors were shipped."),
        (
            "What was revenue in 2025?",
            "year|revenue_million_usd\n---|---\n2025|184.1",
            "Revenue in 2025 was $184,100,000.",
        ),
        (
            "What was revenue in 2025?",
            "Results (in million US dollars)\nItem | 2025\nRevenue | 184.1",
            "Revenue in 2025 was $184,100,000.",
        ),
        ("What was revenue?", "Revenue rose $20 million in 2025.", "Revenue was $184 million in 2025."),
        ("What was revenue?", "Revenue rose by $20 million in 2025.", "Revenue rose to $184 million in 2025."),
        ("How many customers are there?", "There were over 1,000 customers.", "There were 1,212 customers."),
        ("How many customers are there?", "There were nearly 1,000 customers.", "There were 985 customers."),
        ("What is the price?", "The price of product A is $10 per unit.", "The price of product B is $20 per unit."),
        ("How many people are there?", "The office in Lyon has 340 people.", "The office in Brno has 212 people."),
        ("What is the temperature?", "The temperature is 60 °C.", "The temperature is 140 °F."),
        ("What is the distance?", "The distance to the site is 10 km.", "The distance to the site is 6.2 miles."),
        ("How long is the contract?", "The contract runs for 24 months.", "The contract runs for two years."),
        (
            "What was revenue in 2025?",
            "Revenue was $184 million in 2025, up from $171 million.",
            "In 2025 revenue was $184 million.",
        ),
    ],
)
def test_what_only_looks_different_is_no_conflict(question: str, first: str, second: str) -> None:
    assert kinds(question, pair(first, second)) == []


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("How many sensors were shipped in 2025?", SHIPPED, "In 2025 the company shipped 1,322,000 sensors."),
        ("What was revenue?", "Revenue rose by $20 million in 2025.", "Revenue rose by $30 million in 2025."),
        ("How many customers are there?", "There were over 1,000 customers.", "There were 912 customers."),
        ("What is the price?", "The price of product A is $10 per unit.", "The price of product A is $20 per unit."),
        ("What is the temperature?", "The temperature is 60 °C.", "The temperature is 80 °C."),
        ("How many customers were there at the end of 2025?", "We had 1,000 customers at the end of 2025.",
         "There were 912 customers in 2025."),
    ],
)  # fmt: skip
def test_what_differs_still_conflicts(question: str, first: str, second: str) -> None:
    assert kinds(question, pair(first, second)) == ["contradiction"]


def test_a_table_can_contradict_a_sentence() -> None:
    table = "Key figures (%)\nFigure | 2025 | 2024\nCustomer churn | 9.1% | 8.0%\nGross margin | 41.8% | 38.9%"
    evidence = pair("Customer churn in fiscal 2025 was 7.4%.", table)
    assert kinds(QUESTION, evidence) == ["contradiction"]


def test_a_question_about_one_region_is_not_stopped_by_the_figures_of_the_whole() -> None:
    evidence = pair(
        "Final audited revenue in fiscal 2025 was $184.1 million. Revenue in Europe was $62.8 million in fiscal 2025.",
        "Preliminary revenue in fiscal 2025 was $182.4 million.",
    )
    assert kinds("What was revenue in Europe in fiscal 2025?", evidence) == []
    assert kinds("What was revenue in fiscal 2025?", evidence) == ["revision"]


def test_its_revenue_is_the_revenue_of_what_the_sentence_opens_with() -> None:
    evidence = pair(
        "Asia-Pacific was the fastest-growing region in fiscal 2025: its revenue rose to $27.2 million.",
        "Revenue in fiscal 2025 was $182.4 million.",
    )
    assert kinds("What was revenue in fiscal 2025?", evidence) == []

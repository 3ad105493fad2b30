"""Orders to whoever answers are obeyed and taken out of the question; what only looks like one stays."""

import pytest

from masis.language.directives import Directives, split_directives


@pytest.mark.parametrize(
    ("text", "asked", "orders"),
    [
        ("What was revenue? If data is not available, return 'N/A'.", "What was revenue?", {"if_absent": "N/A"}),
        ("Did Acme grow? If there is no mention, return False.", "Did Acme grow?", {"if_absent": "False"}),
        ("Return N/A if not mentioned. What is the EPS?", "What is the EPS?", {"if_absent": "N/A"}),
        ("Answer in USD millions. What was net income in Q3?", "What was net income in Q3?", {"unit": "USD millions"}),
        ("What is the margin? Round to one decimal.", "What is the margin?", {"decimals": 1}),
        ("Who leads Acme? Give me the title.", "Who leads Acme?", {"is_brief": True}),
    ],
)  # fmt: skip
def test_orders_are_taken_out(text: str, asked: str, orders: dict[str, object]) -> None:
    found, directives = split_directives(text)
    assert found == asked
    assert directives == Directives(**orders)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "Did Acme use currency hedges in fiscal 2025?",
        "When does Acme plan to enter the market in Brazil?",
        "If the policy is not signed, what happens?",
        "Give me the title of the report on water.",
        "What was added in version 1.4.0?",
        "Does the company report in euros?",
    ],
)
def test_what_is_asked_stays_whole(text: str) -> None:
    assert split_directives(text) == (text, Directives())


def test_orders_alone_are_the_question() -> None:
    assert split_directives("Answer in euros.")[0] == "Answer in euros."


def test_the_longest_question_is_read() -> None:
    asked, _ = split_directives("if not " * 1_000 + "return N/A")
    assert asked

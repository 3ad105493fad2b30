"""Orders to whoever answers are obeyed and taken out of the question; what only looks like one stays."""

import pytest

from masis.language.directives import Directives, split_directives, unframed
from masis.language.question import read_question


@pytest.mark.parametrize(
    ("text", "asked", "orders"),
    [
        ("What was revenue? If data is not available, return 'N/A'.", "What was revenue?", {"if_absent": "N/A"}),
        ("Did Acme grow? If there is no mention, return False.", "Did Acme grow?", {"if_absent": "False"}),
        ("Return N/A if not mentioned. What is the EPS?", "What is the EPS?", {"if_absent": "N/A"}),
        ("Answer in USD millions. What was net income in Q3?", "What was net income in Q3?", {"unit": "USD millions"}),
        ("What is the margin? Round to one decimal.", "What is the margin?", {"decimals": 1}),
        ("Who leads Acme? Give me the title.", "Who leads Acme?", {"is_brief": True}),
        ("Who leads Acme? Just the name.", "Who leads Acme?", {"is_brief": True}),
        ("What was revenue in 2023 in USD millions?", "What was revenue in 2023?", {"unit": "USD millions"}),
        ("In £m, what was revenue?", "what was revenue?", {"unit": "£ millions"}),
        ("What is the margin, 1 dp?", "What is the margin?", {"decimals": 1}),
        (
            "What were net assets, in billions of dollars with two decimals please?",
            "What were net assets?",
            {"unit": "billions of dollars", "decimals": 2},
        ),
        ("What was revenue to the nearest million?", "What was revenue?", {"unit": "million", "decimals": 0}),
        ("If it is missing, say n/a. What was capex?", "What was capex?", {"if_absent": "n/a"}),
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
        "Did profit rise? If not, give reasons for the fall.",
        "What is revenue per employee in euros?",
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


@pytest.mark.parametrize(
    ("text", "asked", "shape"),
    [
        ("Could you tell me who chairs the board?", "who chairs the board?", "fact"),
        ("Hi, can you please give me the top three risks?", "give me the top three risks?", "list"),
        ("Would you be able to find the net debt?", "the net debt?", "fact"),
        ("Could you explain why margins fell?", "explain why margins fell?", "explanation"),
        ("Do we know if the covenant was breached?", "whether the covenant was breached?", "yes_no"),
        ("I was wondering what drove the loss", "what drove the loss", "fact"),
        ("Quick question: what's the cap on hotels?", "what's the cap on hotels?", "fact"),
    ],
)
def test_words_of_asking_are_not_the_question(text: str, asked: str, shape: str) -> None:
    assert unframed(text) == asked
    assert read_question(text).shape == shape


@pytest.mark.parametrize(
    "text",
    [
        "Can you carry over holiday?",
        "Can you give notice by e-mail?",
        "Do contractors know the rules?",
        "If I leave early, what is paid out?",
        "please",
        "Tell me about the strategy",
    ],
)
def test_what_only_looks_like_words_of_asking_stays(text: str) -> None:
    assert unframed(text) == text


@pytest.mark.parametrize("more", ["Thousands of dollars is fine.", "I need it for a slide.", "Thanks a lot!"])
def test_a_remark_after_the_question_is_not_asked(more: str) -> None:
    assert split_directives(f"What was revenue? {more}")[0] == "What was revenue?"

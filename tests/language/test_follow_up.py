"""A follow-up is completed from the turn before it; a question that stands for itself stays as it is."""

import pytest

from masis.language.follow_up import Turn, completed
from tests.support.growth import MOST, growth

CHURN = Turn(
    "What was customer churn in fiscal 2025?", "Customer churn was 7.4% in fiscal 2025 [c1234567890]. It rose."
)
GROWTH = Turn("How much did revenue grow in Q1 2025?", "By 4%.")
GERMANY = Turn("What was revenue in Germany in 2024?", "€3 million.")
LEAVE = Turn("What is the parental leave policy?", "Sixteen weeks.")
HEADCOUNT = Turn("What was headcount?", "Headcount was 512 at the end of 2025.")
INCOME = Turn("What was net income?", "Net income was 12 million in 2025, up from 10 million in 2024 [c1].")
REGION = Turn("Which region grew fastest in fiscal 2025?", "EMEA grew by 14%, up from 9% in fiscal 2024 [c1].")
SALES = Turn("What were net sales in the third quarter of 2022?", "Net sales were 82 million.")
LEASE = Turn("Does the lease end in 2026?", "Yes.")


@pytest.mark.parametrize(
    ("before", "asked", "whole"),
    [
        (CHURN, "And the year before?", "What was customer churn in fiscal 2024?"),
        (CHURN, "and two years earlier?", "What was customer churn in fiscal 2023?"),
        (CHURN, "And in 2023?", "What was customer churn in fiscal 2023?"),
        (GROWTH, "And the quarter before?", "How much did revenue grow in Q4 2024?"),
        (GROWTH, "the previous year?", "How much did revenue grow in Q1 2024?"),
        (HEADCOUNT, "And the year before?", "What was headcount in 2024?"),
        (CHURN, "Why?", "Why did customer churn change in fiscal 2025?"),
        (GROWTH, "Why?", "Why did revenue grow in Q1 2025?"),
        # The year that a figure is compared with is not the one that is spoken of.
        (INCOME, "Why?", "Why did net income change in 2025?"),
        (INCOME, "And the year before?", "What was net income in 2024?"),
        (INCOME, "Compare that with last year", "Compare net income in 2025 with 2024."),
        (REGION, "Why?", "Why, in fiscal 2025: “EMEA grew by 14%, up from 9% in fiscal 2024.”"),
        (
            REGION,
            "Compare that with last year",
            "Which region grew fastest in fiscal 2025, and how does that compare with fiscal 2024?",
        ),
        (
            Turn("Compare revenue in fiscal 2025 with fiscal 2024."),
            "Why?",
            "Why did revenue change between fiscal 2024 and fiscal 2025?",
        ),
        (SALES, "Why did they fall?", "Why did net sales fall in the third quarter of 2022?"),
        (Turn("Who is the chair?", "Ann Lee."), "And the year before?", "Who is the chair the year before?"),
        (LEAVE, "Why?", "What is the reason for parental leave policy?"),
        (LEASE, "Why is that?", "Why does the lease end in 2026?"),
        (CHURN, "Compare that with last year", "Compare customer churn in fiscal 2025 with fiscal 2024."),
        (HEADCOUNT, "Compare with the previous year", "Compare headcount in 2025 with 2024."),
        (CHURN, "How does that compare with 2023?", "Compare customer churn in fiscal 2025 with 2023."),
        (CHURN, "Which document says so?", "Which document says: “Customer churn was 7.4% in fiscal 2025.”"),
        (CHURN, "What about operating income?", "What was operating income in fiscal 2025?"),
        (CHURN, "And what was operating margin?", "What was operating margin in fiscal 2025?"),
        (CHURN, "What about Germany?", "What was customer churn in fiscal 2025 for Germany?"),
        (GERMANY, "And in France?", "What was revenue in France in 2024?"),
        (LEAVE, "And for fathers?", "What is the parental leave policy for fathers?"),
        (LEAVE, "Does it apply to contractors?", "Does the parental leave policy apply to contractors?"),
        (LEAVE, "Tell me more", "Describe parental leave policy in detail."),
    ],
)
def test_carries_over_subject_period_and_measure(before: Turn, asked: str, whole: str) -> None:
    assert completed(asked, [Turn("Who chairs the board?", "Ann."), before]) == whole


REVENUE = "Revenue in 2024 was EUR 58.4 million, after EUR 54.1 million in 2023 [c1]."
SAYS = "Which document says: “Revenue in 2024 was EUR 58.4 million, after EUR 54.1 million in 2023.”"


@pytest.mark.parametrize(
    ("asked", "whole"),
    [
        (["Which document says so?"], SAYS),
        (["Which document says so?", "And the year before?"], "What was revenue in 2023?"),
        (["And the year before?", "Which document says so?", "And the year before?"], "What was revenue in 2022?"),
        (["Why?", "And the year before?"], "What was revenue in 2023?"),
        (["Why?", "What about operating income?"], "What was operating income in 2024?"),
        (["Which document says so?", "Why?"], SAYS.replace("Which document says", "Why")),
        (["Which document says so?", "Why?", "Compare that with 2022"], "Compare revenue in 2024 with 2022."),
        (
            ["Which document says so?", "Why?", "Compare that with last year", "And in 2022?"],
            "Compare revenue in 2024 with 2022.",
        ),
        (["Which document says so?", "Why did it fall?"], "Why did revenue fall in 2024?"),
        (["Which document says so?", "Tell me more"], "Describe revenue in 2024 in detail."),
        # A why question that names its subject is one to lean on.
        (["Why did headcount fall in 2024?", "And in 2023?"], "Why did headcount fall in 2023?"),
    ],
)
def test_a_chain_leans_on_the_last_turn_with_a_subject(asked: list[str], whole: str) -> None:
    turns = [Turn("What was revenue in 2024?", REVENUE)]
    for each in asked:
        turns.append(Turn(completed(each, turns), REVENUE))
    assert turns[-1].question == whole


def test_a_thread_as_it_was_typed_leans_on_the_last_turn_with_a_subject() -> None:
    typed = [Turn(each, REVENUE) for each in ("What was revenue in 2024?", "And which document says so?", "But why?")]
    assert completed("And in 2023?", typed) == "What was revenue in 2023?"


def test_where_only_quotations_came_before_none_is_altered() -> None:
    assert completed("And the year before?", [Turn(SAYS, REVENUE)]) == "And the year before?"


@pytest.mark.parametrize("plan", ["“Plan 2025”", '"Plan 2025"'])
def test_periods_in_a_quotation_stay(plan: str) -> None:
    before = Turn(f"What does {plan} say about revenue in 2024?")
    assert completed("And the year before?", [before]) == f"What does {plan} say about revenue in 2023?"


@pytest.mark.parametrize("lead", ["The documents do not agree on this:", "**The documents do not agree:**"])
def test_what_was_said_first_is_not_its_lead_in(lead: str) -> None:
    before = Turn("What was revenue?", f"{lead}\n- Revenue was 5 million [c1].\n- Revenue was 6 million [c2].")
    assert completed("Which document says so?", [before]) == "Which document says: “Revenue was 5 million.”"


def test_the_summary_can_be_where_to_look() -> None:
    assert completed("And in the summary?", [CHURN]) == "What was customer churn in fiscal 2025 in the summary?"
    assert completed("What is it about?", [LEAVE]) == "What is the parental leave policy about?"


@pytest.mark.parametrize(
    "asked",
    [
        "Summarise these documents",
        "Can you summarize this?",
        "So, summarise it.",
        "Please give me a short overview",
        "And an overview of the documents?",
        "What are these documents about?",
        "What was the root cause of the gateway outage?",
        "How many people work in Lyon at the end of 2024?",
        "Compare customer churn in fiscal 2025 with fiscal 2024.",
        "Which documents mention the lease in Lyon?",
        "ปีก่อนหน้านั้นล่ะ",
    ],
)
def test_what_stands_for_itself_stays(asked: str) -> None:
    assert completed(asked, [CHURN]) == asked
    assert completed("And the year before?", []) == "And the year before?"


@pytest.mark.parametrize("sign", ["a ", "and ", "?", "年", " ", "“", '"', "summary "])
def test_takes_linear_time(sign: str) -> None:
    assert growth(lambda text: completed(text, [Turn(text, text)]), sign) < MOST


def test_after_a_silence_the_source_asked_for_is_that_of_the_last_answer() -> None:
    silence = Turn(
        "Why did customer churn change?", "The documents do not answer this question: “Why did churn change”."
    )
    asked = "Which document says so?"
    assert completed(asked, [CHURN, silence]) == completed(asked, [CHURN])

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
        (CHURN, "Why?", "What is the reason for customer churn in fiscal 2025?"),
        (GROWTH, "Why?", "Why did revenue grow in Q1 2025?"),
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


@pytest.mark.parametrize(
    "asked",
    [
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


@pytest.mark.parametrize("sign", ["a ", "and ", "?", "年", " "])
def test_takes_linear_time(sign: str) -> None:
    assert growth(lambda text: completed(text, [Turn(text, text)]), sign) < MOST

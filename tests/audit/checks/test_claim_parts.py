"""A sentence is cut where it makes several claims, and only there."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masis.audit.checks.claim_parts import split_claim


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        (
            "Revenue rose 4% to $12 million, while operating costs fell to $3 million.",
            ["Revenue rose 4% to $12 million", "operating costs fell to $3 million."],
        ),
        (
            "Tolmerick acquired Ferrowell Loggers in 2024 and opened a plant in Brno.",
            ["Tolmerick acquired Ferrowell Loggers in 2024", "Tolmerick opened a plant in Brno."],
        ),
        (
            "In fiscal 2025, sales in Europe grew 8% and were driven by customers.",
            ["In fiscal 2025, sales in Europe grew 8%", "In fiscal 2025, sales in Europe were driven by customers."],
        ),
        (
            "In fiscal 2025, sales in Europe grew 8%, but the margin of the region fell to 12%.",
            ["In fiscal 2025, sales in Europe grew 8%", "In fiscal 2025, the margin of the region fell to 12%."],
        ),
        (
            "The board approved the merger with Ferrowell, which employs 340 people in Lyon.",
            ["The board approved the merger with Ferrowell", "the merger with Ferrowell employs 340 people in Lyon."],
        ),
        (
            "The audit was closed in March; the follow-up audit is planned for September.",
            ["The audit was closed in March", "the follow-up audit is planned for September."],
        ),
    ],
)  # fmt: skip
def test_each_part_reads_on_its_own(sentence: str, parts: list[str]) -> None:
    assert [part.reads for part in split_claim(sentence)] == parts


@pytest.mark.parametrize(
    "sentence",
    [
        "Revenue and operating margin rose in 2025.",
        "Sales in Europe, Asia and Latin America grew 8% in fiscal 2025.",
        "The company sells sensors, loggers and gateways to research laboratories.",
        "Headcount was 412 and 381 in 2025 and 2024, respectively.",
        "Both the margin was higher and the costs were lower.",
        "The plant in Brno (which opened in 2019 and employs 340 people) is the largest.",
        'The chief executive said "we opened two plants and closed one plant" in March.',
        "Growth slowed between the first and the second quarter.",
        "The price was $4 and falling.",
    ],
)
def test_what_makes_one_claim_stays_whole(sentence: str) -> None:
    assert split_claim(sentence) == []


def test_a_part_is_where_it_says_it_is() -> None:
    sentence = "Revenue rose 4% to $12 million, while operating costs fell to $3 million."
    spans = [sentence[part.start : part.end] for part in split_claim(sentence)]
    assert spans == ["Revenue rose 4% to $12 million", "operating costs fell to $3 million."]


@given(
    st.lists(st.sampled_from('Sales rose fell and , ; while which were costs 4% in 2025 [ ( " .'.split()), max_size=40)
)
def test_any_sentence_can_be_split(words: list[str]) -> None:
    sentence = " ".join(words)
    ends = [(part.start, part.end) for part in split_claim(sentence)]
    assert all(0 <= start < end <= len(sentence) for start, end in ends)
    assert ends == sorted(ends)
    assert all(first[1] <= second[0] for first, second in pairwise(ends))

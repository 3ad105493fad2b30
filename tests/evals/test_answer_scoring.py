"""How an answer is held against a reference: figures in their scale, and nothing that only says when."""

import pytest

from evals.answer_data import Posed
from evals.answer_scoring import compared

REFERENCE = "In Q3 2023, sales were $57,267 million as of September 30, 2023."


@pytest.mark.parametrize(
    ("answer", "is_right"),
    [
        ("Sales: $57.27 billion in 2023.", True),
        ("Sales: $57,267 million for the three months ended September 30, 2023.", True),
        ("Sales: $57,267 thousand.", False),
        ("Sales grew in 2023, by 30 stores.", False),
        ("", False),
    ],
)
def test_dates_are_no_figures_that_an_answer_must_have(answer: str, is_right: bool) -> None:
    assert compared(Posed("figure", "What were sales?", REFERENCE), answer).right == is_right


def test_a_reference_without_figures_is_compared_by_its_words() -> None:
    posed = Posed("fact", "Why?", "The quay wall failed in June, so the terminal closed.")
    assert compared(posed, "The terminal closed because the quay wall failed.").right
    assert not compared(posed, "Fares went up.").right

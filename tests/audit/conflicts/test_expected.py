import pytest

from masis.audit.conflicts.expected import could_answer


@pytest.mark.parametrize(
    ("question", "words", "expected"),
    [
        ("When was it built?", "1871", True),
        ("When was it built?", "3 May 2026", True),
        ("When was it built?", "Edith Garrow", False),
        ("How many people live there?", "3,559", True),
        ("What is the population of Marlow?", "a village", False),
        ("Who designed it?", "Edith Garrow", True),
        ("Who designed it?", "1871", False),
        ("Where is it?", "in the north", False),
        ("What sport does she play?", "ice hockey", True),
    ],
)
def test_the_kind_of_words_a_question_asks_for(question: str, words: str, expected: bool) -> None:
    assert could_answer(question, words) is expected

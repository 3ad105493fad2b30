import pytest

from masis.reasoning.offline.disagreement import read_answers

TEXTS = [
    "The bridge over the Morre was opened on 4 June 1987 by the mayor, Ilse Brandt, and cost 12 million crowns.",
    "The ferry across the lake runs twice a day in winter.",
]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When was the bridge over the Morre opened?", "4 June 1987"),
        ("How much did the bridge cost?", "12 million crowns"),
        ("Who opened the bridge?", "Ilse Brandt"),
    ],
)
def test_the_words_that_answer_are_pointed_at(question: str, answer: str) -> None:
    right, wrong = read_answers(question, TEXTS)
    said = TEXTS[0][right.start : right.end]
    assert said in answer or answer in said
    assert right.strength > 0 > wrong.strength


def test_nothing_to_read_is_no_answer() -> None:
    (reading,) = read_answers("Who?", [""])
    assert reading.strength < 0
    assert (reading.start, reading.end) == (0, 0)


def test_a_text_too_long_to_be_read_whole_is_cut_at_its_end() -> None:
    (reading,) = read_answers("When was the bridge over the Morre opened?", [TEXTS[0] + " It rained." * 2_000])
    assert "1987" in TEXTS[0][reading.start : reading.end]

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masis.reasoning.llm.wire import ThinkFilter, without_thinking

CASES = [
    ("plain answer", "plain answer"),
    ("<think>let me see</think>\n\nIt rose.", "It rose."),
    ("It <think>really?</think>rose.", "It rose."),
    ("<think>a</think>x<think>b</think>y", "xy"),
    ("<think>never finished", ""),
    ("a < b and <b>bold</b>", "a < b and <b>bold</b>"),
    ("The tag <think> opens a block.", "The tag <think> opens a block."),
    ("ends with <thi", "ends with <thi"),
    ("", ""),
]


@pytest.mark.parametrize(("text", "answer"), CASES)
def test_the_answer_is_left(text: str, answer: str) -> None:
    assert without_thinking(text) == answer


def test_thinking_that_the_template_opened_is_cut_at_its_end() -> None:
    assert without_thinking("so it is 4\n</think>\nIt is 4.") == "It is 4."


@pytest.mark.parametrize(("text", "answer"), CASES)
@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_a_stream_gives_the_same_however_it_is_torn(text: str, answer: str, size: int) -> None:
    heard = ThinkFilter()
    pieces = [heard.feed(text[at : at + size]) for at in range(0, len(text), size)]
    assert "".join([*pieces, heard.close()]).strip() == answer


@given(st.lists(st.sampled_from(["<think>", "</think>", "<", "think", ">", "a", " ", "b<"]), max_size=30))
def test_nothing_is_let_through_early_that_the_end_would_take_back(parts: list[str]) -> None:
    whole, torn = ThinkFilter(), ThinkFilter()
    text = "".join(parts)
    at_once = whole.feed(text) + whole.close()
    assert "".join([*(torn.feed(letter) for letter in text), torn.close()]) == at_once


def test_an_answer_is_heard_before_it_is_complete() -> None:
    assert ThinkFilter().feed("Revenue rose") == "Revenue rose"

"""The words that the selector reads as the answer."""

import pytest

from masis.embedded.selector import _with_whole_figures


@pytest.mark.parametrize(
    ("words", "whole"),
    [
        ("7", "7.4%"),
        ("4", "7.4%"),
        (".4%, down from 9", "7.4%, down from 9.1%"),
        ("Churn was 7", "Churn was 7.4%"),
        ("down from", "down from"),
        ("1,200 customers", "1,200 customers"),
    ],
)
def test_an_answer_never_ends_within_a_figure(words: str, whole: str) -> None:
    text = "Churn was 7.4%, down from 9.1%, for 1,200 customers."
    start = text.index(words)
    begin, end = _with_whole_figures(text, start, start + len(words))
    assert text[begin:end] == whole

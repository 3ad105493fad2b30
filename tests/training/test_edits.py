"""Every change that makes a sentence wrong says which characters did."""

import random
from typing import Any

import pytest

from training.edits import Surroundings, clause_of_another, name_from, negation, number, stronger, swapped_roles

SENTENCE = "In March 2024 the Harbour Board of Tolm paid Lena Ostrow 14.5 million crowns, which was more than planned."
ELSEWHERE = "The Ferry Company of Brisk employs Jon Aldane because of his long service at sea."


def around() -> Surroundings:
    none: Any = None
    return Surroundings(SENTENCE, ELSEWHERE, none, random.Random(3))


@pytest.mark.parametrize(
    "change", [number, negation, stronger, clause_of_another, swapped_roles, name_from(lambda a: a.elsewhere, "name")]
)
def test_the_marked_characters_are_what_changed(change: Any) -> None:
    edited = change(SENTENCE, around())
    assert edited is not None
    assert edited.text != SENTENCE
    assert edited.wrong
    for start, end in edited.wrong:
        assert 0 <= start < end <= len(edited.text)
    kept = "".join(c for n, c in enumerate(edited.text) if not any(a <= n < b for a, b in edited.wrong))
    assert sum(c in SENTENCE for c in kept) == len(kept)


def test_a_sentence_without_numbers_keeps_them() -> None:
    assert number("No figures here.", around()) is None

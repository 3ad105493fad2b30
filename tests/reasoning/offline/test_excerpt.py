from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from masis.language.statements import Statement
from masis.reasoning.offline.verifier import LONGEST, _choose, excerpt

FILLER = "The weather in the valley was much as it had been the week before. "


def test_a_short_text_is_read_whole() -> None:
    assert excerpt("anything", "One. Two.") == "One. Two."


def test_the_closest_sentences_come_in_their_order() -> None:
    text = f"{FILLER * 40}Revenue of the mill was $4 million. {FILLER * 40}The mill closed in May. {FILLER * 40}"
    part = excerpt("The mill, with revenue of $4 million, closed.", text)
    assert part.index("Revenue of the mill") < part.index("closed in May")
    assert len(part) <= LONGEST


def test_a_text_that_shares_nothing_gives_its_beginning() -> None:
    assert excerpt("xylophone", FILLER * 40) == (FILLER * 40)[:LONGEST]


@given(st.text(max_size=50), st.text(max_size=300))
def test_never_longer_than_it_may_be(wanted: str, piece: str) -> None:
    assert len(excerpt(wanted, piece * 30)) <= LONGEST


def test_of_two_that_add_as_much_the_first_is_read_in_whatever_order_their_words_are_counted() -> None:
    ours, theirs = [f"a{n}" for n in range(5)], [f"b{n}" for n in range(5)]
    # The n-th word of each stands in n more sentences, which makes it rarer the smaller n is.
    said = [frozenset([word]) for words in (ours, theirs) for n, word in enumerate(words) for _ in range(n)]
    parts = [Statement("x" * 9, 0, 9)] * (len(said) + 2)
    chosen = [_choose({*ours, *theirs}, parts, [ours, second, *said], 10) for second in permutations(theirs)]
    assert all(one == {0} for one in chosen)

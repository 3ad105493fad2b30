import pytest

from masis.errors import InvalidInput
from masis.knowledge.store.points import sparse_passage, sparse_query

ENGLISH = "english"


def test_question_and_passage_share_their_words() -> None:
    question = set(sparse_query("What were the revenues?", ENGLISH).indices)
    assert question <= set(sparse_passage("Revenue rose; other revenues fell. What?", ENGLISH).indices)


def test_the_same_text_always_has_the_same_vector() -> None:
    text = "Revenue rose to $184.1 million."
    assert sparse_passage(text, ENGLISH) == sparse_passage(text, ENGLISH)


def test_a_word_said_twice_weighs_more_and_a_question_counts_it_once() -> None:
    once, twice = sparse_passage("churn and growth", ENGLISH), sparse_passage("churn churn and growth", ENGLISH)
    weights = dict(zip(twice.indices, twice.values, strict=True))
    assert max(weights.values()) > max(once.values)
    assert set(sparse_query("churn churn", ENGLISH).values) == {1.0}


def test_stop_words_and_nothing() -> None:
    assert sparse_query("the of and", ENGLISH).indices == ()
    assert sparse_passage("", ENGLISH).indices == ()


def test_a_language_knows_its_own_endings_and_stop_words() -> None:
    def shared(language: str) -> set[int]:
        question = set(sparse_query("die Häuser", language).indices)
        return question & set(sparse_passage("das Haus und in den Häusern", language).indices)

    assert len(shared("german")) == 1
    assert sparse_query("die und der", "german").indices == ()
    assert shared(ENGLISH) == set()


def test_a_language_nobody_knows() -> None:
    with pytest.raises(InvalidInput, match="'klingon'") as error:
        sparse_query("x", "klingon")
    assert "MASIS_KEYWORD_LANGUAGE" in error.value.advice


@pytest.mark.parametrize(("asked", "said"), [("societe", "Société"), ("SOCIÉTÉ", "societe"), ("Zurich", "Zürich")])
def test_case_and_accents_make_no_other_word(asked: str, said: str) -> None:
    for language in (ENGLISH, "french", "german"):
        assert sparse_query(asked, language).indices == sparse_query(said, language).indices

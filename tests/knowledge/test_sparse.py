from masis.knowledge.sparse import sparse_passage, sparse_query


def test_question_and_passage_share_their_words() -> None:
    question = set(sparse_query("What were the revenues?").indices)
    assert question <= set(sparse_passage("Revenue rose; other revenues fell. What?").indices)


def test_the_same_text_always_has_the_same_vector() -> None:
    assert sparse_passage("Revenue rose to $184.1 million.") == sparse_passage("Revenue rose to $184.1 million.")


def test_a_word_said_twice_weighs_more_and_a_question_counts_it_once() -> None:
    once, twice = sparse_passage("churn and growth"), sparse_passage("churn churn and growth")
    weights = dict(zip(twice.indices, twice.values, strict=True))
    assert max(weights.values()) > max(once.values)
    assert set(sparse_query("churn churn").values) == {1.0}


def test_stop_words_and_nothing() -> None:
    assert sparse_query("the of and").indices == ()
    assert sparse_passage("").indices == ()

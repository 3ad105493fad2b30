import pytest

from masis.audit.conflicts.wanted import could_answer
from masis.language.question import read_question


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


@pytest.mark.parametrize(
    "question",
    [
        "Who is the chief executive of Tolmerick?",
        "When does the term loan mature?",
        "Where is the new plant located?",
        "How many employees work in manufacturing?",
        "What is the population of Croydon Park?",
        "Which firm audited the financial statements?",
        "What is Terry McDonald's profession?",
        'Who is the artist of the album "Both Sides Now"?',
        "What is the release date of Every Mother Counts?",
        "who wrote the song photograph by ringo starr",
    ],
)
def test_questions_for_one_thing(question: str) -> None:
    assert read_question(question).is_for_one_thing


@pytest.mark.parametrize(
    "question",
    [
        "List the plants.",
        "Which risks does the company name?",
        "What are the priorities for 2026?",
        "Who are the members of the board?",
        "Why did margins fall?",
        "How did revenue develop?",
        "Compare revenue in Europe and Asia.",
        "What is the strategy for Asia?",
        "What were the main drivers of growth?",
        "Describe the outage.",
        "Does Tolmerick sell its products in China?",
        "Hello!",
        "What do the documents say about hedging?",
    ],
)
def test_questions_that_several_documents_answer_together(question: str) -> None:
    assert not read_question(question).is_for_one_thing

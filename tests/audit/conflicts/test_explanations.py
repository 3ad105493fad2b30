import pytest

from masis.audit.conflicts.explanations import (
    Worded,
    are_comparable,
    are_issues_of_one_series,
    are_namesakes,
    kind_by_words,
    then_and_now,
)
from masis.language.question import read_question
from tests.support.engines import chunk


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("2023 Q1 AMZN.pdf", "2023 Q3 AMZN.pdf", True),
        ("annual-report-2023.pdf", "annual-report-2024.pdf", True),
        ("2023 Q1 AMZN.pdf", "2023 Q1 AAPL.pdf", False),
        ("document-1.txt", "document-2.txt", False),
        ("annual-report-2025.pdf", "board-memo-2026.docx", False),
    ],
)
def test_a_series_is_named_alike_but_for_the_period(first: str, second: str, expected: bool) -> None:
    assert are_issues_of_one_series(chunk(file_name=first), chunk(file_name=second)) is expected


@pytest.mark.parametrize(
    ("question", "a", "b"),
    [
        (
            "What is the population of Pinehurst?",
            "Pinehurst, Idaho is a city in Shoshone County.",
            "Pinehurst, North Carolina is a village.",
        ),
        (
            'Who directed the film "Deadfall"?',
            "Deadfall (1993 film) is a crime drama.",
            "Deadfall (2012 film) stars Eric Bana.",
        ),
        (
            "When was Larry Gilbert born?",
            "Larry Gilbert was a professional golfer on the senior tour.",
            "Larry Gilbert was a baseball outfielder.",
        ),
    ],
)
def test_texts_that_say_which_one_they_mean(question: str, a: str, b: str) -> None:
    assert are_namesakes(question, a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Pinehurst, Idaho had 1,619 people.", "In 2010 Pinehurst, Idaho had 1,700 people."),
        ("Pinehurst had 1,619 people.", "Pinehurst, Idaho had 1,700 people."),
        ("Pinehurst is a small city.", "Pinehurst is a city in the north."),
    ],
)
def test_texts_that_may_mean_the_same(a: str, b: str) -> None:
    assert not are_namesakes("What is the population of Pinehurst?", a, b)


def test_a_quoted_title_is_the_name() -> None:
    assert read_question('What is the genre of "Hard Time"?').called == ("Hard Time",)
    assert read_question("Where is Fort Buchanan located?").called == ("Fort Buchanan",)


def worded(marked: str) -> Worded:
    """The answer stands between < and >."""
    before, value, after = marked.replace(">", "<").split("<")
    text = before + value + after
    return Worded(value, text, text)


@pytest.mark.parametrize(
    ("question", "first", "second", "expected"),
    [
        ("What was revenue?", "Revenue was $<50 million>.", "Revenue was €<46 million>.", False),
        ("What was revenue?", "Revenue was $<50 million>.", "Revenue was $<46 million>.", True),
        ("What was revenue?", "Revenue was <$50m>.", "The budget foresees revenue of <$60m>.", False),
        ("What was revenue?", "Revenue was <$50m>.", "The plan cost $5m, and revenue was <$60m>.", True),
        ("How many sites are there?", "There are <38> sites.", "There are <612> employees.", False),
        ("How many people work there?", "There are <640> staff.", "There are <612> employees.", True),
        ("Who leads phase 2?", "Phase 2 is led by <Anna Ruiz>.", "Phase 3 is led by <Peter Holm>.", False),
        ("Who leads it?", "The project is led by <Anna Ruiz>.", "The project is led by <Peter Holm>.", True),
    ],
)
def test_only_like_is_set_beside_like(question: str, first: str, second: str, expected: bool) -> None:
    assert are_comparable(question, worded(first), worded(second)) is expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("In 2012 the CEO was <Anna Ruiz>.", "The CEO is <Peter Holm>.", True),
        ("<Anna Ruiz> was the CEO in 2012.", "The CEO is <Peter Holm>.", True),
        ("In 2012 the head office was in <Lyon>.", "The head office is in <Brno>.", True),
        ("It was founded by <Anna Ruiz> in 1998.", "The founder is <Peter Holm>.", False),
        ("The CEO is <Anna Ruiz>.", "The CEO is <Peter Holm>.", False),
        ("In 2012 the CEO was <Anna Ruiz>.", "In 2012 the CEO was <Peter Holm>.", False),
    ],
)
def test_then_is_not_now(first: str, second: str, expected: bool) -> None:
    assert then_and_now(worded(first), worded(second)) is expected
    assert then_and_now(worded(second), worded(first)) is expected


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ("Revenue was <$84m>.", "Revenue in Europe was <$31m>.", "different_definition"),
        ("Revenue in Europe was <$34m>.", "Revenue in Europe was <$31m>.", "contradiction"),
        ("Revenue was <$84m> in March 2024.", "Revenue in March 2024 was <$31m>.", "contradiction"),
        ("Revenue was <$84m>.", "Revenue for the trailing twelve months was <$88m>.", "different_definition"),
        ("Revenue was <$84m> in 2023.", "Revenue was <$88m> in 2024.", "different_period"),
    ],
)
def test_kinds_by_the_words_around_an_answer(first: str, second: str, kind: str) -> None:
    assert kind_by_words("What was revenue?", worded(first), worded(second)) == kind

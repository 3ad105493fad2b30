import pytest

from masis.audit.conflicts.worded import Worded, are_comparable, kind_by_words, then_and_now


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

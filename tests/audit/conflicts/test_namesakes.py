import pytest

from masis.audit.conflicts.namesakes import are_namesakes, asked_names


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
    assert asked_names('What is the genre of "Hard Time"?') == ["Hard Time"]
    assert asked_names("Where is Fort Buchanan located?") == ["Fort Buchanan"]

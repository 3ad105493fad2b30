from concurrent.futures import ThreadPoolExecutor

import pytest
import snowballstemmer

from masis.language.directives import is_small_talk
from masis.language.words import content_stems, directions, is_negated, names, stem


def test_inflections_meet_in_one_stem_and_function_words_are_dropped() -> None:
    assert content_stems("The customers were retained") == content_stems("customer retaining")
    assert content_stems("What is the a of") == []


def test_hyphenated_words_meet_their_parts() -> None:
    assert content_stems("follow-up") == content_stems("follow up")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Revenue rose in Europe.", ["Europe"]),
        ("It was said by Maren Oakhurst.", ["Maren", "Oakhurst"]),
        ("Costs fell. Margins rose.", []),
        ("Revenue rose YoY in FY2025, H1 2025, Q3 and 1H25, as it did in March.", []),
        ("Revenue of 5 Mio. EUR in Fiscal 2025 came from Lyon.", ["Lyon"]),
    ],
)
def test_names_are_capitals_that_do_not_open_a_sentence(text: str, expected: list[str]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("The board approved it", False),
        ("The board did not approve it", True),
        ("The board didn't approve it", True),
        ("No records were lost", True),
        ("It was not without cost", False),
        ("Revenue declined 3%", False),
        ("Revenue declined to 3 million", False),
        ("Revenue declined to about 3 million", False),
        ("Not only revenue but also margin rose", False),
        ("The bank declined to comment", True),
        ("The board refused to approve it", True),
    ],
)
def test_an_odd_number_of_negations_denies(text: str, negated: bool) -> None:
    assert is_negated(text) is negated


def test_directions() -> None:
    assert directions("Revenue rose") == {"up"}
    assert directions("Revenue fell") == {"down"}
    assert directions("Revenue rose while costs fell") == {"up", "down"}
    assert directions("Revenue was flat") == frozenset()
    assert directions("Revenue exceeded EUR 400 million") == frozenset()
    assert directions("More than 300 people and over 20 sites") == frozenset()
    assert directions("The bank declined to comment") == frozenset()


@pytest.mark.parametrize(
    "text",
    ["hello", "Hi there!", "Hello!", "Thanks, that is all for today.", "good morning", "how are you?", "bye",
     "Danke schön", "¡Hola!", "merci beaucoup", "???", "Hey, how are you doing today?", "thank you so much", "👍"],
)  # fmt: skip
def test_small_talk(text: str) -> None:
    assert is_small_talk(text)


@pytest.mark.parametrize(
    "text",
    ["What was revenue?", "hello, what was revenue in 2025?", "Thanks. And the churn rate?", "revenue",
     "Who are the main customers?", "What is said about the Hello Kitty licence?", "Umsatz 2025?", "収益は？",
     "okay but why did margins fall", "test results of the TL-2", "great depression effects"],
)  # fmt: skip
def test_questions_are_not_small_talk(text: str) -> None:
    assert not is_small_talk(text)


def test_stems_are_the_same_in_many_threads() -> None:
    made_up = [
        f"{a}{b}{c}ization{d}" for a in "abcdef" for b in "ou" for c in "lmnrst" for d in ("", "s", "al", "ally")
    ]
    alone = [snowballstemmer.stemmer("english").stemWord(word) for word in made_up]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(stem, made_up * 4)) == alone * 4

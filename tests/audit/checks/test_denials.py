"""Negation and direction count only among the same words."""

import pytest

from masis.audit.checks.denials import denied_by_one, denies_a_figure
from masis.audit.checks.turns import turned_round


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The board did not approve the merger.", "The board approved the merger in May."),
        ("The board approved the merger.", "The board did not approve the merger."),
        ("The plant no longer makes loggers.", "The plant makes loggers."),
        ("Tolmerick failed to renew the contract.", "Tolmerick renewed the contract in 2024."),
        ("Neither plant was profitable.", "Each plant was profitable."),
        ("None of the audits found a defect.", "The audits found a defect in Brno."),
    ],
)
def test_one_denies_what_the_other_says(claim: str, source: str) -> None:
    assert denied_by_one(claim, source)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The rest did not play in a minor league.", "Rookies enter the league and did not play in a minor league."),
        ("Unanimous verdicts are not required.", "Two states do not require unanimous verdicts."),
        ("The studio bought the rights.", "The studio bought the rights, but refused to film the ending."),
        ("No plants opened.", "The plants did not open."),
        ("Not only revenue but also margin rose.", "Revenue and margin rose."),
        ("It was not without cost.", "It came at a cost."),
        ("The fruit is a sample.", "The fruit is a sample and is not a representative one."),
        ("The chief executive was informed.", "The chief executive formed a team."),
    ],
)
def test_a_negation_of_something_else_denies_nothing(claim: str, source: str) -> None:
    assert denied_by_one(claim, source) is None


@pytest.mark.parametrize(
    ("claim", "source", "words"),
    [
        ("Costs in Europe rose 3%.", "Revenue rose 5%, while costs in Europe fell 3%.", ("rose", "fell")),
        ("Lyon is the largest plant.", "Lyon is the smallest plant of the group.", ("largest", "smallest")),
        ("Churn was higher in Asia.", "Churn was lower in Asia and higher in Europe.", ("higher", "lower")),
        ("The loan matures before the merger.", "The loan matures after the merger.", ("before", "after")),
    ],
)
def test_a_turn_is_held_against_the_one_among_the_same_words(claim: str, source: str, words: tuple[str, str]) -> None:
    assert turned_round(claim, source) == words


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Revenue rose 5%.", "Revenue rose 5%, while costs in Europe fell 3%."),
        ("Costs in Asia are lower than costs in Europe.", "Costs in Europe are higher than costs in Asia."),
        ("Revenue increased in 2025.", "Revenue grew in 2025."),
    ],
)
def test_the_same_turn_in_other_words_is_no_contradiction(claim: str, source: str) -> None:
    assert turned_round(claim, source) is None


def test_a_denied_figure() -> None:
    assert denies_a_figure("Revenue was not $12 million.")
    assert not denies_a_figure("Revenue did not exceed $12 million.")

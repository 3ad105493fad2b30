"""What was changed in a sentence, where the words around it are the same."""

import pytest

from masis.audit.checks.alignment import alteration
from masis.audit.checks.signature import Claim, Sources
from masis.audit.checks.slots import misplaced
from tests.support.engines import chunk

SOURCE = (
    "Maren Oakhurst, the chief executive, opened the plant in Brno on 14 March 2025, and Tobias Lindqvar runs the "
    "laboratory in Lyon with 340 people."
)


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Tobias Lindqvar, the chief executive, opened the plant in Brno on 14 March 2025.", "contradicted"),
        ("Maren Oakhurst, the chief executive, opened the plant in Lyon on 14 March 2025.", "contradicted"),
        ("Maren Oakhurst, the chief executive, opened the plant in Brno on 14 May 2025.", "numbers_differ"),
        ("Maren Oakhurst, the chief executive, never opened the plant in Brno.", "contradicted"),
        ("Maren Oakhurst, the chief executive, closed the plant in Brno on 14 March 2025.", "contradicted"),
    ],
)
def test_a_change_between_the_same_words(claim: str, verdict: str) -> None:
    found = alteration(claim, SOURCE)
    assert found is not None
    assert found.verdict == verdict


@pytest.mark.parametrize(
    "claim",
    [
        "Chief executive Oakhurst opened the plant in Brno on 14 March 2025.",
        "Oakhurst, the chief executive, opened the plant in Brno on 14 March 2025.",
        "The laboratory in Lyon, with 340 people, is run by Tobias Lindqvar.",
        "Maren Oakhurst, the chief executive, opened the new plant in Brno on 14 March 2025.",
    ],
)
def test_other_words_for_the_same_are_no_change(claim: str) -> None:
    assert alteration(claim, SOURCE) is None
    assert misplaced(Claim(claim), Sources([chunk("c1", SOURCE)])) is None


def test_a_list_may_be_told_in_another_order() -> None:
    assert alteration("The owners are Brandt and Abel of Lyon.", "The owners are Abel and Brandt of Lyon.") is None


PASSAGE = (
    "Kentucky would go on to beat Oklahoma in the Sugar Bowl, says Billingsley. Billingsley ranked the team first "
    "that year. The West Branch begins near Mount Jefferson in the Town of Jefferson in Schoharie County. "
    "It sold 4,100 copies in Delaware."
)


def test_a_name_in_the_place_of_another() -> None:
    claim = Claim("In the end Kentucky would go on to beat Billingsley in the Sugar Bowl.")
    found = misplaced(claim, Sources([chunk("c1", PASSAGE)]))
    assert found is not None
    assert found.verdict == "contradicted"


@pytest.mark.parametrize(
    "claim",
    [
        "Kentucky would go on to beat the Oklahoma team in the Sugar Bowl.",
        "Billingsley ranked the team first.",
        "The branch begins near Mount Jefferson in Schoharie County.",
    ],
)
def test_a_name_in_its_own_place(claim: str) -> None:
    assert misplaced(Claim(claim), Sources([chunk("c1", PASSAGE)])) is None

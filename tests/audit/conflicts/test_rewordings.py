import pytest

from masis.audit.conflicts.rewordings import find_rewordings
from tests.support.engines import chunk

TEXT = (
    "Lowmoor Foundry was built in 1871 for the brothers Alder. The foundry was designed by Edith Garrow. "
    "It stands in Marlow Creek and was restored by the county after the flood."
)


def values(question: str, first: str, second: str, names: tuple[str, str] = ("a.txt", "b.txt")) -> list[set[str]]:
    evidence = [
        chunk("c1", first, document_id="d1", file_name=names[0]),
        chunk("c2", second, document_id="d2", file_name=names[1]),
    ]
    return [{side["value"] for side in conflict["sides"]} for conflict in find_rewordings(question, evidence)]


@pytest.mark.parametrize(
    ("question", "old", "new"),
    [
        ("Who designed the foundry?", "Edith Garrow", "Thomas Vane"),
        ("Where does the foundry stand?", "Marlow Creek", "New Haven"),
        ("When was Lowmoor Foundry built?", "1871", "1902"),
    ],
)
def test_a_copy_with_another_name_place_or_year(question: str, old: str, new: str) -> None:
    assert values(question, TEXT, TEXT.replace(old, new)) == [{old, new}]


@pytest.mark.parametrize(
    ("question", "old", "new"),
    [
        ("Who designed the foundry?", "1871", "1902"),
        ("When was Lowmoor Foundry built?", "Edith Garrow", "Thomas Vane"),
        ("Who designed the foundry?", "Edith Garrow", "E. Garrow"),
        ("Who designed the foundry?", "restored by the county", "repaired by the county"),
        ("Which buildings did the county restore?", "Edith Garrow", "Thomas Vane"),
    ],
)
def test_a_change_that_does_not_answer_the_question(question: str, old: str, new: str) -> None:
    assert values(question, TEXT, TEXT.replace(old, new)) == []


def test_a_text_of_its_own_is_not_compared_word_by_word() -> None:
    assert values("Who designed the foundry?", TEXT, "Thomas Vane designed a foundry on the river.") == []


def test_issues_of_a_series_may_differ() -> None:
    second = TEXT.replace("Edith Garrow", "Thomas Vane")
    assert values("Who designed the foundry?", TEXT, second, ("guide 2019.txt", "guide 2024.txt")) == []

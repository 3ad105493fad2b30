from typing import Any

import pytest

from masis.audit.conflicts.detection import find_conflicts
from masis.audit.conflicts.versions import find_rewordings
from tests.support.engines import chunk

TABLE = """(In thousands) | 2019 | 2018
Net sales: | |
Romania | 195,837 | 177,111
Thailand | 1,091,341 | 902,775
Total | 1,287,178 | 1,079,886
Long-lived assets: | |
Thailand | 124,113 | 114,214
Total | 210,686 | 214,019"""


def raised(question: str, second: str) -> list[set[str]]:
    evidence: list[Any] = [
        chunk("c1", TABLE, document_id="d1", file_name="report.pdf"),
        chunk("c2", second, document_id="d2", file_name="report (copy).pdf"),
    ]
    return [{side["value"] for side in conflict["sides"]} for conflict in find_conflicts(question, evidence)]


def test_a_changed_cell_is_raised_where_it_is_asked_for() -> None:
    changed = TABLE.replace("195,837", "295,837")
    assert raised("What was the net sales from Romania in 2019?", changed) == [{"195,837", "295,837"}]


@pytest.mark.parametrize(
    "question",
    [
        "What was the net sales from Romania in 2018?",
        "What were long-lived assets in Thailand in 2019?",
        "Why did Romania grow?",
        "Who audited the report?",
    ],
)
def test_it_is_left_alone_where_something_else_is_asked_for(question: str) -> None:
    assert raised(question, TABLE.replace("195,837", "295,837")) == []


def test_equal_labels_of_one_table_are_not_held_against_each_other() -> None:
    assert raised("What was the total in 2019?", TABLE) == []
    assert raised("What was the total in 2019?", TABLE.replace("902,775", "802,775")) == []


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

from typing import Any

import pytest

from masis.audit.conflicts.detection import find_conflicts
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

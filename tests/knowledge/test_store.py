from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masis.errors import InvalidInput
from masis.knowledge.store import port as store_module
from masis.knowledge.store.points import answer_of, chunk_of, conditions, file_type_of, payload_of, point_id
from masis.knowledge.store.port import StoreFilters, cosine, days_of, store_for
from masis.settings import Settings
from tests.knowledge.stores import NamedEmbedder, chunk


@dataclass
class Point:
    """As both engines give it."""

    name: str
    score: float
    vector: dict[str, list[float]] = field(default_factory=dict)

    @property
    def payload(self) -> dict[str, Any]:
        return {**payload_of("a", chunk(self.name)), "chunk_id": self.name}


TIED = [Point(name, score) for name, score in zip("abcdef", [0.5, 0.5, 0.500001, 0.4, 0.4, 0.9], strict=True)]


@given(st.permutations(TIED))
def test_the_engines_order_among_ties_changes_nothing(points: list[Point]) -> None:
    answer = answer_of(points, points, [1.0], 5)
    for half in (answer.by_meaning, answer.by_words):
        assert [found.chunk.chunk_id for found in half] == ["f", "a", "b", "c", "d", "e"]


def test_the_cosine_is_the_score_by_meaning_and_computed_for_the_others() -> None:
    by_words = [Point("y", 30.0, {"dense": [0.6, 0.8]}), Point("z", 20.0)]
    answer = answer_of([Point("x", 0.9)], by_words, [2.0, 0.0], 5)
    assert [found.cosine for found in answer.by_meaning] == [0.9]
    assert [found.cosine for found in answer.by_words] == [pytest.approx(0.6), None]


def test_a_point_belongs_to_a_workspace() -> None:
    assert point_id("a", "c1") == "9006d701-611c-5282-9e2a-3b5cc701644f"
    assert point_id("a", "c1") != point_id("b", "c1")
    assert point_id("a/b", "c") != point_id("a", "b-c")


def test_a_payload_is_a_chunk_again() -> None:
    for original in (chunk("Some text.", heading="A > B", date="2026"), chunk("Some text.")):
        assert chunk_of(payload_of("a", original)) == original


def test_what_a_passage_is_filtered_by() -> None:
    payload = payload_of("a", chunk("x", date="2024-02", file_name="Dir.d/Report.XLSX"))
    assert (payload["file_type"], payload["day"], payload["last_day"]) == ("xlsx", 20240201, 20240229)
    assert "day" not in payload_of("a", chunk("x"))


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a.PDF", "pdf"), ("a.tar.gz", "gz"), ("README", ""), ("mail.eml/table.csv", "csv"), (".env", "")],
)
def test_file_types(name: str, expected: str) -> None:
    assert file_type_of(name) == expected


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("2024", (20240101, 20241231)),
        ("2024-02", (20240201, 20240229)),
        ("2023-02", (20230201, 20230228)),
        ("2024-12-05", (20241205, 20241205)),
        ("2024-12-05T10:00:00Z", (20241205, 20241205)),
        ("2024-13", None),
        ("2023-02-29", None),
        ("2024-00", None),
        ("2024-01-00", None),
        ("0000", None),
        ("Q3 2024", None),
        ("", None),
        (None, None),
    ],
)
def test_the_days_a_date_means(date: str | None, expected: tuple[int, int] | None) -> None:
    assert days_of(date) == expected


def test_the_workspace_is_among_the_conditions_whatever_is_filtered() -> None:
    for filters in (StoreFilters(), StoreFilters(("d",), ("pdf",), 1, 2, (3, 4))):
        assert ("workspace_id", ("a",)) in [(one.field, one.any_of) for one in conditions("a", filters)]


def test_cosine() -> None:
    assert cosine([1.0, 0.0], [2.0, 2.0]) == pytest.approx(2**-0.5)
    assert cosine([0.0, 0.0], [1.0, 1.0]) == 0.0


def test_a_server_without_its_client_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "find_spec", lambda _: None)
    with pytest.raises(InvalidInput, match="not installed") as error:
        store_for(Settings(qdrant_host="localhost"), NamedEmbedder())
    assert "masis[server]" in error.value.advice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masis.errors import InvalidInput
from masis.knowledge import store as store_module
from masis.knowledge.store import Found, chunk_of, cosine, fuse, payload_of, point_id, store_for
from masis.settings import Settings
from tests.knowledge.stores import NamedEmbedder, chunk


def found(name: str, score: float, dense: list[float] | None = None) -> Found:
    return Found({**payload_of("a", chunk(name)), "chunk_id": name}, score, dense)


def test_ranks_are_fused_not_scores() -> None:
    hits = fuse(
        [found("x", 0.9), found("y", 0.1)],
        [found("y", 30.0, [1.0, 1.0]), found("z", 2.0, [1.0, 0.0])],
        [1.0, 0.0],
        10,
    )
    assert [hit.chunk.chunk_id for hit in hits] == ["y", "x", "z"]
    assert [hit.fused for hit in hits] == pytest.approx([1 / 3 + 1 / 2, 1 / 2, 1 / 3])


def test_the_cosine_comes_from_the_search_by_meaning_or_from_the_vector() -> None:
    hits = fuse([found("x", 0.9)], [found("x", 30.0, [0.0, 1.0]), found("z", 2.0, [3.0, 4.0])], [1.0, 0.0], 10)
    assert {hit.chunk.chunk_id: hit.cosine for hit in hits} == {"x": 0.9, "z": pytest.approx(0.6)}


@given(
    st.permutations([found(name, score) for name, score in zip("abcdef", [0.5, 0.5, 0.5, 0.4, 0.4, 0.9], strict=True)])
)
def test_the_engines_order_among_ties_changes_nothing(answer: list[Found]) -> None:
    hits = fuse(answer, answer, [1.0], 5)
    assert [hit.chunk.chunk_id for hit in hits] == ["f", "a", "b", "c", "d"]


def test_the_limit_holds() -> None:
    assert len(fuse([found(str(n), n / 100) for n in range(60)], [], [1.0], 7)) == 7
    assert fuse([], [], [1.0], 7) == []


def test_a_point_belongs_to_a_workspace() -> None:
    assert point_id("a", "c1") == "9006d701-611c-5282-9e2a-3b5cc701644f"
    assert point_id("a", "c1") != point_id("b", "c1")
    assert point_id("a/b", "c") != point_id("a", "b-c")


def test_a_payload_is_a_chunk_again() -> None:
    original = chunk("Some text.", heading="A > B", date="2026")
    assert chunk_of(payload_of("a", original)) == original


def test_cosine() -> None:
    assert cosine([1.0, 0.0], [2.0, 2.0]) == pytest.approx(2**-0.5)
    assert cosine([0.0, 0.0], [1.0, 1.0]) == 0.0


def test_a_server_without_its_client_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "find_spec", lambda _: None)
    with pytest.raises(InvalidInput, match="not installed") as error:
        store_for(Settings(qdrant_host="localhost"), NamedEmbedder())
    assert "masis[server]" in error.value.advice

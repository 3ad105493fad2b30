import pytest
from hypothesis import given
from hypothesis import strategies as st

from masis.knowledge.search.reranking import fuse
from masis.knowledge.store.port import Answer, Found
from masis.types import Chunk


def found(name: str, score: float = 0.0, cosine: float | None = None) -> Found:
    return Found(Chunk(name, "doc", "doc.md", name, 1, 0, 1), score, cosine)


def test_scores_count_relative_to_the_other_candidates() -> None:
    by_meaning = [found("x", 0.9, 0.9), found("y", 0.7, 0.7), found("w", 0.5, 0.5)]
    by_words = [found("y", 30.0, 0.7), found("z", 2.0, 0.5)]
    hits = fuse(Answer(by_meaning, by_words), 10)
    assert [hit.chunk.chunk_id for hit in hits] == ["x", "y", "w", "z"]
    assert [hit.fused for hit in hits] == pytest.approx([0.7, 0.7 * 0.5 + 0.3, 0.0, 0.0])


def test_one_candidate_is_the_best_there_is() -> None:
    [hit] = fuse(Answer([found("x", 0.2, 0.2)], [found("x", 3.0, 0.2)]), 10)
    assert hit.fused == pytest.approx(1.0)


def test_the_cosine_comes_from_the_search_by_meaning_where_it_found_the_passage() -> None:
    by_words = [found("x", 30.0, 0.8999), found("z", 2.0, 0.6), found("n", 1.0, None)]
    hits = fuse(Answer([found("x", 0.9, 0.9)], by_words), 10)
    assert {hit.chunk.chunk_id: hit.cosine for hit in hits} == {"x": 0.9, "z": 0.6, "n": None}


@given(st.permutations("abcdef"), st.sampled_from([0.2, 0.4]))
def test_equal_scores_are_ordered_by_id(names: list[str], other: float) -> None:
    hits = fuse(Answer([found(name, 0.5, 0.4 if name < "d" else other) for name in names], []), 6)
    assert hits == sorted(hits, key=lambda hit: (-round(hit.fused, 4), hit.chunk.chunk_id))
    assert len(hits) == 6


def test_the_limit_holds() -> None:
    assert len(fuse(Answer([found(str(n), n, n / 60) for n in range(60)], []), 7)) == 7
    assert fuse(Answer(), 7) == []


def test_the_best_by_words_keep_a_place_however_far_in_meaning() -> None:
    near = [found(f"n{number:02}", 0.9, 0.9) for number in range(30)]
    far = [found("w1", 9.0, -0.5), found("w2", 8.0, -0.6), found("w3", 0.1, -0.6)]
    names = [hit.chunk.chunk_id for hit in fuse(Answer(near, far), 10)]
    assert names == [*(f"n{number:02}" for number in range(8)), "w1", "w2"]
    assert [hit.chunk.chunk_id for hit in fuse(Answer(near, far), 1)] == ["n00"]


def test_the_best_keep_a_place_whatever_passages_of_another_document_are_worth() -> None:
    near = [found(f"n{number}", 0.9 - number / 100, 0.9 - number / 100) for number in range(5)]
    named = [found(f"m{number:02}", 0.5, 0.5) for number in range(30)]
    hits = fuse(Answer([*near, *named], []), 10, worth=lambda chunk: 2.0 * chunk.chunk_id.startswith("m"))
    assert [hit.chunk.chunk_id for hit in hits] == [*(f"m{number:02}" for number in range(7)), "n0", "n1", "n2"]
    assert [hit.chunk.chunk_id for hit in hits if hit.is_sure] == ["n0", "n1", "n2"]

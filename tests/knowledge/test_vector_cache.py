from collections.abc import Iterator
from pathlib import Path

import pytest

from masis.database import Database, open_database
from masis.knowledge.embedding.port import VECTORS, VectorCache
from masis.settings import Settings

A, B = [0.5, -1.0], [0.25, 2.0]


@pytest.fixture
def database(tmp_path: Path, database_url: str | None) -> Iterator[Database]:
    database = open_database(Settings(home=tmp_path / "home", database_url=database_url), VECTORS, "vectors.db")
    yield database
    database.close()


@pytest.fixture
def cache(database: Database) -> VectorCache:
    return VectorCache(database)


def test_vectors_are_found_by_their_words(cache: VectorCache) -> None:
    cache.save("acme", "bge", [("d1", "one", A), ("d1", "two \ud800", B), ("d1", "one", A)])
    assert cache.vectors("acme", "bge", ["one", "two \ud800", "three"]) == {"one": A, "two \ud800": B}
    assert cache.vectors("acme", "other", ["one"]) == {}
    assert cache.vectors("other", "bge", ["one"]) == {}
    many = [f"text {number}" for number in range(1203)]
    cache.save("acme", "bge", [("d1", text, A) for text in many])
    assert len(cache.vectors("acme", "bge", many)) == 1203


def test_the_document_that_used_a_text_last_owns_it(cache: VectorCache) -> None:
    cache.save("acme", "bge", [("d1", "one", A), ("d1", "two", B)])
    cache.save("acme", "bge", [("d2", "one", A)])
    assert cache.delete("acme", "d1") == 1
    assert cache.vectors("acme", "bge", ["one", "two"]) == {"one": A}


def test_a_workspace_goes_alone(cache: VectorCache) -> None:
    for workspace in ("acme", "other"):
        cache.save(workspace, "bge", [("d1", "one", A), ("d2", "two", B)])
    assert cache.delete("acme") == 2
    assert cache.delete("acme") == cache.delete("acme", "d1") == 0
    assert cache.vectors("other", "bge", ["one"]) == {"one": A}


def test_vectors_of_other_embedders_go(cache: VectorCache) -> None:
    cache.save("acme", "old", [("d1", "one", A)])
    cache.save("acme", "new", [("d1", "one", B)])
    cache.keep_only("new")
    assert (cache.vectors("acme", "old", ["one"]), cache.vectors("acme", "new", ["one"])) == ({}, {"one": B})


def test_looking_makes_no_folder(tmp_path: Path) -> None:
    cache = VectorCache(open_database(Settings(home=tmp_path / "home"), VECTORS, "vectors.db"))
    assert (cache.vectors("a", "b", ["c"]), cache.delete("a")) == ({}, 0)
    cache.keep_only("b")
    assert not (tmp_path / "home").exists()

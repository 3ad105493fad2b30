"""One contract for both stores: each test runs on Qdrant Edge and on a real Qdrant server."""

import asyncio
import random
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from masis.errors import IndexMismatch
from masis.knowledge.edge import EdgeStore
from masis.knowledge.sparse import sparse_passage, sparse_query
from masis.knowledge.store import IndexedChunk, VectorStore, cosine, store_for
from masis.settings import Settings
from masis.types import Chunk
from tests.knowledge.stores import NamedEmbedder, indexed, vector_of

REVENUE = "Revenue in fiscal 2025 rose to $184.1 million."
CHURN = "Customer churn fell to 7.4 percent."
RISKS = "The supply of sensors from Taiwan remains the largest risk."


@dataclass
class Place:
    """Where a store keeps its data: opened as often as a test wants, closed at the end."""

    settings: Settings
    opened: list[VectorStore] = field(default_factory=list)

    def open(self, embedder: str = "test-embedder") -> VectorStore:
        store = store_for(self.settings, NamedEmbedder(embedder))
        self.opened.append(store)
        return store


@pytest.fixture
def edge_place(tmp_path: Path) -> Iterator[Place]:
    yield from _closing(Place(Settings(home=tmp_path / "home")))


@pytest.fixture
def server_place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    server = request.getfixturevalue("qdrant_server")
    settings = Settings(
        home=tmp_path / "home",
        qdrant_host="127.0.0.1",
        qdrant_port=server.port,
        qdrant_collection=f"test_{tmp_path.name}_{random.randrange(10**9)}",
    )
    yield from _closing(Place(settings))


def _closing(place: Place) -> Iterator[Place]:
    yield place
    for store in place.opened:
        store.close()


@pytest.fixture(params=["edge", "server"])
def place(request: pytest.FixtureRequest) -> Place:
    found: Place = request.getfixturevalue(f"{request.param}_place")
    return found


@pytest.fixture
def store(place: Place) -> VectorStore:
    return place.open()


async def ask(store: VectorStore, text: str, workspace: str = "a", limit: int = 10) -> list[str]:
    hits = await store.query(workspace, vector_of(text), sparse_query(text), limit)
    return [hit.chunk.text for hit in hits]


async def test_each_place_gives_its_own_kind_of_store(edge_place: Place) -> None:
    assert isinstance(edge_place.open(), EdgeStore)


async def test_finds_by_meaning_what_shares_no_word(store: VectorStore) -> None:
    await store.upsert("a", [indexed(REVENUE), indexed(CHURN), indexed(RISKS)])
    hits = await store.query("a", vector_of(CHURN), sparse_query("nothing alike"), 1)
    assert [hit.chunk.text for hit in hits] == [CHURN]
    assert hits[0].cosine == pytest.approx(1.0, abs=1e-5)


async def test_finds_by_keyword_what_is_far_in_meaning_and_gives_its_cosine(store: VectorStore) -> None:
    far = [-value for value in vector_of("question")]
    near = [indexed(f"Filler number {n}.", dense=vector_of("question")) for n in range(40)]
    await store.upsert("a", [*near, indexed(RISKS, dense=far)])
    hits = await store.query("a", vector_of("question"), sparse_query("Taiwan sensors"), 10)
    assert hits[0].chunk.text == RISKS or hits[1].chunk.text == RISKS
    found = next(hit for hit in hits if hit.chunk.text == RISKS)
    assert found.cosine == pytest.approx(-1.0, abs=1e-5)


async def test_a_chunk_comes_back_as_it_went_in(store: VectorStore) -> None:
    chunk = Chunk(
        "c0123456789", "d" * 64, "año/報告.md", "Ünïcode — “quoted” \n\t| cells | \U0001f9ca", 7, 120, 155,
        heading="Results > Region | 2024", date="2026-03-14",
    )  # fmt: skip
    await store.upsert("a", [IndexedChunk(chunk, vector_of("x"), sparse_passage(chunk.text))])
    assert [hit.chunk for hit in await store.query("a", vector_of("x"), sparse_query("x"), 1)] == [chunk]


async def test_what_both_searches_find_comes_first(store: VectorStore) -> None:
    await store.upsert("a", [indexed(REVENUE), indexed(CHURN), indexed(RISKS)])
    hits = await store.query("a", vector_of(RISKS), sparse_query("largest risk of sensors"), 3)
    assert hits[0].chunk.text == RISKS
    assert hits[0].fused == pytest.approx(2 * 1 / 2)
    assert [hit.fused for hit in hits] == sorted((hit.fused for hit in hits), reverse=True)


async def test_a_workspace_sees_only_its_own(store: VectorStore) -> None:
    await store.upsert("a", [indexed(REVENUE)])
    await store.upsert("b", [indexed(CHURN), indexed(RISKS)])
    assert await ask(store, CHURN, workspace="a") == [REVENUE]
    assert set(await ask(store, REVENUE, workspace="b")) == {CHURN, RISKS}
    assert await ask(store, REVENUE, workspace="c") == []
    assert (await store.count("a"), await store.count("b"), await store.count("c")) == (1, 2, 0)


async def test_the_limit_is_filled_from_the_workspace_however_many_better_hits_others_have(
    store: VectorStore,
) -> None:
    others = [indexed(CHURN, f"other{n}") for n in range(150)]
    await store.upsert("b", others)
    await store.upsert("a", [indexed(f"Own passage {n}.") for n in range(12)])
    texts = await ask(store, CHURN, workspace="a", limit=10)
    assert len(texts) == 10
    assert all(text.startswith("Own passage") for text in texts)


async def test_the_same_chunk_in_two_workspaces_is_two_points(store: VectorStore) -> None:
    await store.upsert("a", [indexed(REVENUE)])
    await store.upsert("b", [indexed(REVENUE)])
    await store.delete_workspace("a")
    assert (await store.count("a"), await store.count("b")) == (0, 1)
    assert await ask(store, REVENUE, workspace="b") == [REVENUE]


async def test_writing_twice_is_writing_once(store: VectorStore) -> None:
    await store.upsert("a", [indexed(REVENUE), indexed(CHURN)])
    await store.upsert("a", [indexed(REVENUE), indexed(CHURN)])
    assert await store.count("a") == 2


async def test_deleting_a_document_leaves_the_others(store: VectorStore) -> None:
    await store.upsert("a", [indexed(REVENUE, "one"), indexed(CHURN, "two"), indexed(RISKS, "two")])
    await store.upsert("b", [indexed(CHURN, "two")])
    await store.delete_document("a", "two")
    assert await ask(store, CHURN) == [REVENUE]
    assert (await store.count("a", "one"), await store.count("a", "two"), await store.count("b")) == (1, 0, 1)


async def test_a_store_without_an_index_is_empty(place: Place) -> None:
    store = place.open()
    assert await ask(store, REVENUE) == []
    assert await store.count("a") == 0
    await store.delete_document("a", "none")
    await store.delete_workspace("a")
    await store.upsert("a", [])
    assert not place.settings.home.exists()


async def test_a_question_without_words_is_searched_by_meaning(store: VectorStore) -> None:
    await store.upsert("a", [indexed(REVENUE), indexed(CHURN)])
    assert sparse_query("the of ?").indices == ()
    hits = await store.query("a", vector_of(CHURN), sparse_query("the of ?"), 2)
    assert [hit.chunk.text for hit in hits] == [CHURN, REVENUE]


async def test_ties_are_broken_by_id(store: VectorStore) -> None:
    twins = [indexed(REVENUE, f"copy{n}") for n in range(30)]
    await store.upsert("a", twins)
    hits = await store.query("a", vector_of(REVENUE), sparse_query(REVENUE), 10)
    ids = [hit.chunk.chunk_id for hit in hits]
    assert ids == sorted(ids)


async def test_what_was_written_is_there_after_a_restart(place: Place) -> None:
    first = place.open()
    await first.upsert("a", [indexed(f"Passage {n} of many.", start=n * 100) for n in range(300)])
    before = await first.query("a", vector_of("q"), sparse_query("passage 77"), 10)
    first.close()
    second = place.open()
    assert await second.count("a") == 300
    assert await second.query("a", vector_of("q"), sparse_query("passage 77"), 10) == before


async def test_a_closed_store_opens_again(store: VectorStore) -> None:
    await store.upsert("a", [indexed(REVENUE)])
    store.close()
    store.close()
    assert await store.count("a") == 1


async def test_another_embedder_is_refused_and_nothing_is_lost(place: Place) -> None:
    first = place.open()
    await first.upsert("a", [indexed(REVENUE)])
    first.close()
    other = place.open(embedder="another-embedder")
    with pytest.raises(IndexMismatch, match=r"test-embedder.*not with another-embedder") as refused:
        await other.upsert("a", [indexed(CHURN)])
    assert "new folder" in refused.value.advice
    with pytest.raises(IndexMismatch):
        await ask(other, REVENUE)
    with pytest.raises(IndexMismatch):
        await other.delete_workspace("a")
    other.close()
    assert await ask(place.open(), REVENUE) == [REVENUE]


async def test_another_dimension_is_refused(store: VectorStore) -> None:
    await store.upsert("a", [indexed(REVENUE)])
    wrong = vector_of(REVENUE, 16)
    with pytest.raises(IndexMismatch, match="16 dimensions"):
        await store.upsert("a", [indexed(CHURN, dense=wrong)])
    with pytest.raises(IndexMismatch, match="16 dimensions"):
        await store.query("a", wrong, sparse_query(REVENUE), 1)
    assert await ask(store, REVENUE) == [REVENUE]


async def test_many_at_once(store: VectorStore) -> None:
    await asyncio.gather(*(store.upsert("a", [indexed(f"Passage {n}.")]) for n in range(40)))
    answers = await asyncio.gather(*(ask(store, f"Passage {n}.", limit=1) for n in range(40)))
    assert [answer[0] for answer in answers] == [f"Passage {n}." for n in range(40)]
    assert await store.count("a") == 40


def test_from_one_event_loop_after_another_and_from_threads(store: VectorStore) -> None:
    asyncio.run(store.upsert("a", [indexed(REVENUE)]))
    counts: list[int] = []

    def count() -> None:
        counts.append(asyncio.run(store.count("a")))

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [1] * 4


async def test_both_engines_rank_alike(edge_place: Place, server_place: Place) -> None:
    items = list(_corpus(400))
    stores = [edge_place.open(), server_place.open()]
    for store, order in zip(stores, (items, list(reversed(items))), strict=True):
        await store.upsert("a", order)
    chance = random.Random(5)
    for _ in range(60):
        question = " ".join(chance.choices(_WORDS, k=5))
        edge, server = [await store.query("a", vector_of(question), sparse_query(question), 10) for store in stores]
        assert [hit.chunk.chunk_id for hit in edge] == [hit.chunk.chunk_id for hit in server]
        assert [hit.fused for hit in edge] == pytest.approx([hit.fused for hit in server])
        assert [hit.cosine for hit in edge] == pytest.approx([hit.cosine for hit in server], abs=1e-5)


async def test_the_cosine_is_that_of_question_and_passage(store: VectorStore) -> None:
    items = list(_corpus(60))
    await store.upsert("a", items)
    dense = vector_of("any question")
    expected = {item.chunk.chunk_id: cosine(dense, item.dense) for item in items}
    hits = await store.query("a", dense, sparse_query("market forecast"), 20)
    assert len(hits) == 20
    for hit in hits:
        assert hit.cosine == pytest.approx(expected[hit.chunk.chunk_id], abs=1e-5)


_STARTS = ("mar", "sen", "con", "sup", "fore", "bud")
_WORDS = [start + end for start in _STARTS for end in ("gin", "sor", "tract", "ply", "cast", "get", "ket", "al")]


def _corpus(size: int) -> Iterator[IndexedChunk]:
    """Passages of all lengths, some of them twice, as boilerplate is."""
    chance = random.Random(3)
    text = ""
    for number in range(size):
        text = text if number % 10 == 9 else " ".join(chance.choices(_WORDS, k=chance.randrange(5, 60)))
        yield indexed(text, f"doc{number % 7}", start=number * 1000)

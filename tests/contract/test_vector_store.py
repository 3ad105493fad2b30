"""One contract for both stores: each test runs on Qdrant Edge and on a real Qdrant server."""

import asyncio
import random
import threading
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from masis.errors import IndexMismatch
from masis.knowledge.search.reranking import Hit, fuse
from masis.knowledge.store.edge import EdgeStore
from masis.knowledge.store.port import (
    Answer,
    Found,
    Identity,
    IndexedChunk,
    StoreFilters,
    VectorStore,
    cosine,
    store_for,
)
from masis.settings import Settings
from masis.types import Chunk
from tests.knowledge.stores import (
    DIMENSION,
    NamedEmbedder,
    ask,
    chunk,
    indexed,
    keyword_only,
    of_chunk,
    question,
    vector_of,
)

REVENUE = "Revenue in fiscal 2025 rose to $184.1 million."
CHURN = "Customer churn fell to 7.4 percent."
RISKS = "The supply of sensors from Taiwan remains the largest risk."


@dataclass
class Place:
    """Where a store keeps its data: opened as often as a test wants, closed at the end."""

    settings: Settings
    opened: list[VectorStore] = field(default_factory=list)

    def open(self, embedder: str = "test-embedder", identity: Identity | None = None) -> VectorStore:
        store = store_for(self.settings, NamedEmbedder(embedder), identity)
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


@dataclass
class Named:
    name: str

    def known(self) -> str:
        return self.name

    def made(self) -> str:
        return self.name


async def test_an_index_refuses_another_database_until_it_is_rebuilt_for_it(place: Place) -> None:
    first = place.open(identity=Named("ours"))
    await first.upsert("a", [indexed(REVENUE)])
    first.close()
    assert await place.open(identity=Named("ours")).count("a") == 1
    place.opened[-1].close()
    stranger = place.open(identity=Named("another"))
    for reach in (stranger.count("a"), stranger.upsert("a", [indexed(CHURN)])):
        with pytest.raises(IndexMismatch, match="belongs to another database"):
            await reach
    rebuilt = await stranger.rebuild()
    await rebuilt.prepare(DIMENSION)
    await stranger.adopt(rebuilt)
    assert await stranger.count("a") == 0


async def find(store: VectorStore, text: str, limit: int = 10) -> list[Hit]:
    return fuse(await store.query("a", *question(text), limit), limit)


async def test_each_place_gives_its_own_kind_of_store(edge_place: Place) -> None:
    assert isinstance(edge_place.open(), EdgeStore)


async def test_finds_by_meaning_what_shares_no_word(store: VectorStore) -> None:
    await store.upsert("a", [indexed(REVENUE), indexed(CHURN), indexed(RISKS)])
    _, words = question("nothing alike")
    hits = fuse(await store.query("a", vector_of(CHURN), words, 1), 1)
    assert [hit.chunk.text for hit in hits] == [CHURN]
    assert hits[0].cosine == pytest.approx(1.0, abs=1e-5)


async def test_finds_by_keyword_what_is_far_in_meaning_and_gives_its_cosine(store: VectorStore) -> None:
    dense, words = question("Taiwan sensors")
    far = [-value for value in dense]
    near = [indexed(f"Filler number {n}.", dense=dense) for n in range(40)]
    await store.upsert("a", [*near, indexed(RISKS, dense=far)])
    hits = fuse(await store.query("a", dense, words, 10), 10)
    assert len(hits) == 10
    found = next(hit for hit in hits if hit.chunk.text == RISKS)
    assert found.cosine == pytest.approx(-1.0, abs=1e-5)


async def test_a_chunk_comes_back_as_it_went_in(store: VectorStore) -> None:
    passage = Chunk(
        "c0123456789", "d" * 64, "año/報告.md", "Ünïcode — “quoted” \n\t| cells | \U0001f9ca", 7, 120, 155,
        heading="Results > Region | 2024", date="2026-03-14", label="sheet Región",
    )  # fmt: skip
    item = of_chunk(passage)
    await store.upsert("a", [item])
    assert [hit.chunk for hit in await find(store, "x", 1)] == [passage]
    [stored] = await store.chunks("a")
    assert (stored.chunk, stored.sparse.indices) == (passage, item.sparse.indices)
    assert stored.sparse.values == pytest.approx(item.sparse.values, abs=1e-5)
    assert cosine(stored.dense or [], item.dense or []) == pytest.approx(1.0)


async def test_what_both_searches_find_comes_first(store: VectorStore) -> None:
    await store.upsert("a", [indexed(REVENUE), indexed(CHURN), indexed(RISKS)])
    _, words = question("largest risk of sensors")
    hits = fuse(await store.query("a", vector_of(RISKS), words, 3), 3)
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
    assert await store.delete_workspace("a") == 1
    assert (await store.count("a"), await store.count("b")) == (0, 1)
    assert await ask(store, REVENUE, workspace="b") == [REVENUE]


async def test_writing_twice_is_writing_once(store: VectorStore) -> None:
    await store.upsert("a", [indexed(REVENUE), indexed(CHURN)])
    await store.upsert("a", [indexed(REVENUE), indexed(CHURN)])
    assert await store.count("a") == 2


async def test_deleting_a_document_leaves_the_others(store: VectorStore) -> None:
    await store.upsert("a", [indexed(REVENUE, "one"), indexed(CHURN, "two"), indexed(RISKS, "two")])
    await store.upsert("b", [indexed(CHURN, "two")])
    assert await store.delete_document("a", "two") == 2
    assert await ask(store, CHURN) == [REVENUE]
    assert (await store.count("a", "one"), await store.count("a", "two"), await store.count("b")) == (1, 0, 1)


async def test_a_store_without_an_index_is_empty(place: Place) -> None:
    store = place.open()
    assert await ask(store, REVENUE) == []
    assert await store.count("a") == 0
    assert await store.chunks("a") == []
    assert await store.delete_document("a", "none") == 0
    assert await store.delete_workspace("a") == 0
    await store.upsert("a", [])
    assert not place.settings.home.exists()


async def test_a_question_without_words_is_searched_by_meaning(store: VectorStore) -> None:
    await store.upsert("a", [indexed(REVENUE), indexed(CHURN)])
    _, no_words = question("the of ?")
    assert no_words.indices == ()
    answer = await store.query("a", vector_of(CHURN), no_words, 2)
    assert [found.chunk.text for found in answer.by_meaning] == [CHURN, REVENUE]
    assert answer.by_words == []


async def test_ties_are_broken_by_id(store: VectorStore) -> None:
    twins = [indexed(REVENUE, f"copy{n}") for n in range(30)]
    await store.upsert("a", twins)
    answer = await store.query("a", *question(REVENUE), 10)
    for found in (answer.by_meaning, answer.by_words):
        ids = [one.chunk.chunk_id for one in found]
        assert ids == sorted(ids)


async def test_what_was_written_is_there_after_a_restart(place: Place) -> None:
    first = place.open()
    await first.upsert("a", [indexed(f"Passage {n} of many.", start=n * 100) for n in range(300)])
    before = await find(first, "passage 77")
    first.close()
    second = place.open()
    assert await second.count("a") == 300
    assert await find(second, "passage 77") == before


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
    assert "masis reindex" in refused.value.advice
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
        await store.query("a", wrong, question(REVENUE)[1], 1)
    with pytest.raises(IndexMismatch, match="16 dimensions"):
        await store.prepare(16)
    assert await ask(store, REVENUE) == [REVENUE]


async def test_an_index_is_prepared_before_anything_is_in_it(place: Place) -> None:
    first = place.open()
    await first.prepare(8)
    await first.prepare(8)
    first.close()
    other = place.open(embedder="another-embedder")
    with pytest.raises(IndexMismatch):
        await other.prepare(8)


async def test_another_language_of_keywords_is_refused(place: Place) -> None:
    first = place.open()
    await first.upsert("a", [indexed(REVENUE)])
    first.close()
    place.settings = place.settings.model_copy(update={"keyword_language": "german"})
    with pytest.raises(IndexMismatch, match="keywords in english, not in german") as refused:
        await place.open().count("a")
    assert "masis reindex" in refused.value.advice


# Passages without a vector.


async def test_a_passage_without_a_vector_is_found_by_words_and_never_by_meaning(store: VectorStore) -> None:
    await store.prepare(8)
    await store.upsert("a", [keyword_only(RISKS), keyword_only(CHURN)])
    answer = await store.query("a", *question(RISKS), 10)
    assert answer.by_meaning == []
    assert [(found.chunk.text, found.cosine) for found in answer.by_words] == [(RISKS, None)]
    await store.upsert("a", [indexed(f"Other passage {n}.") for n in range(40)])
    answer = await store.query("a", *question(RISKS), 10)
    assert RISKS not in [found.chunk.text for found in answer.by_meaning]
    assert [hit.cosine for hit in fuse(answer, 10) if hit.chunk.text == RISKS] == [None], "exact words keep a place"


async def test_a_later_write_brings_the_vector(store: VectorStore) -> None:
    await store.upsert("a", [keyword_only(RISKS), indexed(CHURN)])
    assert (await store.count("a"), await store.count("a", embedded=True)) == (2, 1)
    assert {item.chunk.text for item in await store.chunks("a") if item.dense is None} == {RISKS}
    await store.upsert("a", [indexed(RISKS)])
    assert (await store.count("a"), await store.count("a", "doc", embedded=True)) == (2, 2)
    answer = await store.query("a", *question(RISKS), 1)
    assert answer.by_meaning[0].chunk.text == RISKS
    assert answer.by_words[0].cosine == pytest.approx(1.0, abs=1e-5)


async def test_a_chunk_by_its_id_and_only_in_its_workspace(store: VectorStore) -> None:
    await store.prepare(8)
    await store.upsert("a", [indexed(REVENUE), keyword_only(RISKS)])
    for text in (REVENUE, RISKS):
        wanted = chunk(text)
        assert await store.chunk("a", wanted.chunk_id) == wanted
        assert await store.chunk("b", wanted.chunk_id) is None
    assert await store.chunk("a", "c0000000000") is None
    assert await store.chunk("", f"a/{chunk(REVENUE).chunk_id}") is None


async def test_chunks_come_by_document_and_place(store: VectorStore) -> None:
    items = [indexed(f"Sentence {n}.", f"doc{n % 3}", start=1000 - n) for n in range(700)]
    await store.upsert("a", items)
    await store.upsert("b", [indexed("Foreign.", "doc1")])
    found = [(item.chunk.document_id, item.chunk.start) for item in await store.chunks("a")]
    assert found == sorted((item.chunk.document_id, item.chunk.start) for item in items)
    assert [item.chunk.start for item in await store.chunks("a", "doc1")] == [s for name, s in found if name == "doc1"]


# Filters.


def texts(found: Iterable[Found]) -> set[str]:
    return {one.chunk.text for one in found}


async def looked_for(store: VectorStore, filters: StoreFilters, hidden: Collection[str] = ()) -> set[str]:
    answer: Answer = await store.query("a", *question("margin passage"), 50, filters=filters, hidden=hidden)
    assert texts(answer.by_meaning) == texts(answer.by_words), "both halves are filtered alike"
    return texts(answer.by_meaning)


ALL = {"margin 1", "margin 2", "margin 3", "margin 4"}
FILTERED: list[tuple[StoreFilters, set[str]]] = [
    (StoreFilters(), ALL),
    (StoreFilters(document_ids=("d1",)), {"margin 1"}),
    (StoreFilters(document_ids=("d1", "d3", "nowhere")), {"margin 1", "margin 3"}),
    (StoreFilters(document_ids=("nowhere",)), set()),
    (StoreFilters(file_types=("pdf",)), {"margin 1", "margin 3"}),
    (StoreFilters(file_types=("pdf", "xlsx")), {"margin 1", "margin 2", "margin 3"}),
    (StoreFilters(pages=(2, 3)), {"margin 2", "margin 3"}),
    (StoreFilters(first_day=20250101), {"margin 2", "margin 3"}),
    (StoreFilters(last_day=20241231), {"margin 1"}),
    (StoreFilters(first_day=20250331, last_day=20250401), {"margin 2", "margin 3"}),
    (StoreFilters(first_day=20250401, last_day=20250630), {"margin 3"}),
    (StoreFilters(file_types=("pdf",), pages=(2, 9)), {"margin 3"}),
]


async def test_filters(store: VectorStore) -> None:
    passages = [
        chunk("margin 1", "d1", date="2024-06-30", page=1, file_name="One.PDF"),
        chunk("margin 2", "d2", date="2025-03", page=2, file_name="two.xlsx"),
        chunk("margin 3", "d3", date="2025", page=3, file_name="folder/three.pdf"),
        chunk("margin 4", "d4", page=4, file_name="four"),
    ]
    await store.upsert("a", [of_chunk(passage) for passage in passages])
    await store.upsert("b", [of_chunk(chunk("margin foreign", "d1", date="2025", page=2, file_name="x.pdf"))])
    found = [(filters, await looked_for(store, filters)) for filters, _ in FILTERED]
    assert found == FILTERED


async def test_a_hidden_document_counts_for_nothing(store: VectorStore) -> None:
    await store.upsert("a", [indexed(f"margin {n}", "old", start=n) for n in range(3)])
    before = await find(store, "margin 1")
    await store.upsert("a", [indexed(f"margin of something else {n}", "new", start=n) for n in range(60)])
    assert await looked_for(store, StoreFilters(), hidden=["new"]) == {"margin 0", "margin 1", "margin 2"}
    assert await looked_for(store, StoreFilters(document_ids=("new",)), hidden={"new", "old"}) == set()
    after = fuse(await store.query("a", *question("margin 1"), 10, hidden=["new"]), 10)
    assert [(hit.chunk, hit.fused) for hit in after] == [(hit.chunk, hit.fused) for hit in before]


# Building anew.


async def test_which_points_hold_a_term(store: VectorStore) -> None:
    (churn,), (quark,) = (question(word)[1].indices for word in ("churn", "quark"))
    assert await store.holders("a", [churn, quark]) == [{}, {}]
    passages = [indexed(CHURN, "one"), indexed(CHURN, "two"), indexed(REVENUE, "two", 99), keyword_only(CHURN, "new")]
    await store.upsert("a", passages)
    await store.upsert("b", [indexed(CHURN, "other")])
    held, unheld = await store.holders("a", [churn, quark], hidden=["new"])
    assert (sorted(held.values()), unheld) == (["one", "two"], {})
    [everything] = await store.holders("a", [churn])
    assert sorted(everything.values()) == ["new", "one", "two"]
    assert await store.holders("a", []) == []


async def test_an_index_for_another_embedder_takes_the_place_of_the_old_one(place: Place) -> None:
    old = place.open()
    await old.upsert("a", [indexed(REVENUE), indexed(CHURN)])
    old.close()
    store = place.open(embedder="better-embedder")
    rebuilt = await store.rebuild()
    with pytest.raises(IndexMismatch):
        await store.count("a")
    await rebuilt.prepare(16)
    await rebuilt.upsert("a", [indexed(RISKS, dense=vector_of(RISKS, 16))])
    await store.adopt(rebuilt)
    assert await store.count("a") == 1
    answer = await store.query("a", vector_of(RISKS, 16), question(RISKS)[1], 5)
    assert texts(answer.by_meaning) == texts(answer.by_words) == {RISKS}
    store.close()
    assert await place.open(embedder="better-embedder").count("a") == 1


async def test_the_old_index_answers_until_the_new_one_is_adopted(place: Place) -> None:
    store = place.open()
    await store.upsert("a", [indexed(REVENUE)])
    rebuilt = await store.rebuild()
    await rebuilt.upsert("a", [indexed(CHURN), keyword_only(RISKS)])
    assert await ask(store, CHURN) == [REVENUE]
    await store.upsert("b", [indexed(REVENUE)])
    assert await rebuilt.count("b") == 0
    await store.adopt(rebuilt)
    assert set(await ask(store, CHURN)) == {CHURN}
    assert (await store.count("a"), await store.count("b")) == (2, 0)
    again = await store.rebuild()
    await again.upsert("a", [indexed(RISKS)])
    await store.adopt(again)
    assert await ask(store, RISKS) == [RISKS]


async def test_what_was_not_adopted_changes_nothing(place: Place) -> None:
    store = place.open()
    await store.upsert("a", [indexed(REVENUE)])
    given_up = await store.rebuild()
    await given_up.upsert("a", [indexed(CHURN)])
    given_up.close()
    store.close()
    again = place.open()
    assert await ask(again, CHURN) == [REVENUE]
    rebuilt = await again.rebuild()
    with pytest.raises(ValueError, match="last result"):
        await again.adopt(given_up)
    await rebuilt.upsert("a", [indexed(RISKS)])
    await again.adopt(rebuilt)
    assert await ask(again, CHURN) == [RISKS]


async def test_rebuilding_nothing_leaves_nothing(place: Place) -> None:
    store = place.open()
    await store.upsert("a", [indexed(REVENUE)])
    await store.adopt(await store.rebuild())
    assert await store.count("a") == 0
    await store.upsert("a", [indexed(CHURN)])
    assert await ask(store, CHURN) == [CHURN]


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
        asked = " ".join(chance.choices(_WORDS, k=5))
        edge, server = [await find(store, asked) for store in stores]
        assert [hit.chunk.chunk_id for hit in edge] == [hit.chunk.chunk_id for hit in server]
        assert [hit.fused for hit in edge] == pytest.approx([hit.fused for hit in server], abs=1e-4)
        assert [hit.cosine for hit in edge] == pytest.approx([hit.cosine for hit in server], abs=1e-5)


async def test_the_cosine_is_that_of_question_and_passage(store: VectorStore) -> None:
    items = list(_corpus(60))
    await store.upsert("a", items)
    dense, words = question("market forecast")
    expected = {item.chunk.chunk_id: cosine(dense, item.dense or []) for item in items}
    hits = fuse(await store.query("a", dense, words, 20), 20)
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

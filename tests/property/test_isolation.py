"""Nothing crosses workspaces, whatever they are called and whatever they hold: tried on the real engine."""

import asyncio
import itertools
import random
import string
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from masis.knowledge.store.edge import EdgeStore
from masis.knowledge.store.edge_shard import query_request
from masis.knowledge.store.points import file_type_of
from masis.knowledge.store.port import IndexedChunk, SparseVector, StoreFilters, days_of
from masis.types import Chunk
from tests.knowledge.stores import NamedEmbedder

QUERIES = 10_000
BATCH = 100
WORKSPACES = 40
DIMENSION = 4
VOCABULARY = 30


@dataclass
class World:
    """What each workspace should hold, kept beside the store."""

    chance: random.Random
    held: dict[str, list[IndexedChunk]] = field(default_factory=dict)

    def name(self) -> str:
        """Names that are easily mistaken for another: longer, shorter, in capitals, with dots and hyphens."""
        known = sorted(self.held)
        if not known or self.chance.random() < 0.2:
            return "".join(self.chance.choices(string.ascii_letters + string.digits + "._-", k=6)).strip("._-") or "w"
        near = self.chance.choice(known)
        return self.chance.choice(
            [near.upper(), near.lower(), near.swapcase(), near + "-", near + "0", near[:-1], near * 2]
        )

    def vector(self) -> list[float]:
        return [self.chance.uniform(-1, 1) for _ in range(DIMENSION)]

    def words(self, most: int) -> SparseVector:
        chosen = sorted(self.chance.sample(range(VOCABULARY), self.chance.randint(1, most)))
        return SparseVector(tuple(chosen), (1.0,) * len(chosen))

    def document(self, number: int) -> list[IndexedChunk]:
        file_name = self.chance.choice(["a.pdf", "b.PDF", "c.xlsx", "d"])
        date = self.chance.choice([None, "2024", "2024-05", "2025-01-31"])
        return [
            IndexedChunk(
                Chunk(
                    f"c{number}-{n}", f"doc{number}", file_name, f"text {number} {n}", n % 4 + 1, n, n + 1, date=date
                ),
                self.vector() if self.chance.random() < 0.8 else None,
                self.words(6),
            )
            for n in range(self.chance.randint(1, 6))
        ]

    def filters(self) -> StoreFilters:
        some = self.chance.random
        return StoreFilters(
            document_ids=tuple(f"doc{self.chance.randrange(25)}" for _ in range(3)) if some() < 0.3 else (),
            file_types=(self.chance.choice(["pdf", "xlsx", ""]),) if some() < 0.2 else (),
            first_day=20240601 if some() < 0.2 else None,
            last_day=20241231 if some() < 0.2 else None,
            pages=(2, 3) if some() < 0.2 else None,
        )

    def hidden(self) -> list[str]:
        return [f"doc{n}" for n in self.chance.sample(range(25), 3)] if self.chance.random() < 0.3 else []


def allowed(item: IndexedChunk, filters: StoreFilters, hidden: list[str]) -> bool:
    """The same rules written down a second time, on plain Python values."""
    chunk = item.chunk
    first, last = days_of(chunk.date) or (None, None)
    return all(
        (
            chunk.document_id not in hidden,
            not filters.document_ids or chunk.document_id in filters.document_ids,
            not filters.file_types or file_type_of(chunk.file_name) in filters.file_types,
            filters.first_day is None or (last is not None and last >= filters.first_day),
            filters.last_day is None or (first is not None and first <= filters.last_day),
            filters.pages is None or filters.pages[0] <= chunk.page <= filters.pages[1],
        )
    )


@pytest.fixture(scope="module")
def world() -> World:
    world = World(random.Random(20))
    library = [world.document(number) for number in range(25)]
    while len(world.held) < WORKSPACES:
        name = world.name()
        documents = world.chance.sample(library, world.chance.randint(1, 6))
        # A copy of a document has the same ids everywhere, and here and there another text.
        world.held[name] = [
            replace(item, chunk=replace(item.chunk, text=f"{name}: {item.chunk.text}"))
            for document in documents
            for item in document
        ]
    return world


@pytest.fixture(scope="module")
def store(world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EdgeStore]:
    store = EdgeStore(tmp_path_factory.mktemp("isolation"), NamedEmbedder(dimension=DIMENSION))
    for name, items in world.held.items():
        asyncio.run(store.upsert(name, items))
    yield store
    store.close()


def test_ten_thousand_queries_find_no_foreign_passage(world: World, store: EdgeStore) -> None:
    names = [*world.held, "nobody", world.chance.choice(sorted(world.held)) + "x"]
    owned = {name: {item.chunk.text: item for item in world.held.get(name, [])} for name in names}
    found = sum(store._run(lambda shard: asked(world, shard, owned), 0) for _ in range(QUERIES // BATCH))
    assert found > QUERIES, "most of them did find something"


def asked(world: World, shard: Any, owned: dict[str, dict[str, IndexedChunk]]) -> int:
    """A batch of the very requests that a query sends, each passage compared with what the query may find."""
    found = 0
    for _ in range(BATCH):
        name, filters, hidden = world.chance.choice(list(owned)), world.filters(), world.hidden()
        request = query_request(name, world.vector(), world.words(2), 5, filters, hidden)
        for point in itertools.chain(*shard.query_batch(request)):
            item = owned[name].get(point.payload["text"])
            assert item is not None, f"a query of {name!r} found {point.payload}"
            assert allowed(item, filters, hidden), f"a query with {filters} without {hidden} found {item.chunk}"
            found += 1
    return found


async def test_a_deleted_workspace_is_gone_and_the_others_are_unchanged(world: World, store: EdgeStore) -> None:
    held = dict(world.held)
    for name in sorted(held)[::15]:
        assert await store.delete_workspace(name) == len(held.pop(name))
        assert (await store.count(name), await store.chunks(name)) == (0, [])
        answer = await store.query(name, world.vector(), world.words(6), 10)
        assert (answer.by_meaning, answer.by_words) == ([], [])
    for name, items in held.items():
        assert await store.count(name) == len(items)
        assert {item.chunk for item in await store.chunks(name)} == {item.chunk for item in items}

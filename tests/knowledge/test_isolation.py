"""Nothing crosses workspaces through the library itself: search, cache, joined texts and counts."""

import random
from pathlib import Path

from masis.knowledge.library import Library
from masis.knowledge.store.edge import EdgeStore
from masis.settings import Settings
from masis.types import SearchFilters
from tests.knowledge.stores import NamedEmbedder, ingest_bytes

QUERIES = 500
WORDS = "ferry harbour tide berth pilot toll lighthouse cargo anchor buoy".split()


async def test_no_foreign_passage_in_hundreds_of_searches(tmp_path: Path, database_url: str | None) -> None:
    chance = random.Random(3)
    settings = Settings(home=tmp_path, chunk_chars=200, database_url=database_url)
    library = Library(settings, EdgeStore(tmp_path, NamedEmbedder(), "english"), NamedEmbedder())
    names = ["a", "A", "a.b", "a-b", "ab", "a_b", "a.", "b"]
    shared = " ".join(chance.choices(WORDS, k=80)).encode()
    own: dict[str, str] = {}
    for name in names:
        uploads = [("shared.txt", shared)]
        for number in range(3):
            mark = f"mark{len(own)}x"
            own[mark] = name
            text = ". ".join(f"{mark} {' '.join(chance.choices(WORDS, k=6))}" for _ in range(12))
            uploads.append((f"{number}.txt", text.encode()))
        await ingest_bytes(library, uploads, name)
    documents = {name: {d.document_id for d in library.catalog.documents(name)} for name in names}
    for _ in range(QUERIES // 10 if database_url else QUERIES):
        name = chance.choice(names)
        question = " ".join([*chance.choices(WORDS, k=3), chance.choice(list(own))])
        filters = SearchFilters(pages=(1, 3)) if chance.random() < 0.3 else SearchFilters()
        found = await library.search(name, question, 10, at_least=chance.choice([None, 0.0, 0.6]), filters=filters)
        assert found.candidates
        for candidate in found.candidates:
            assert candidate["document_id"] in documents[name]
            foreign = [mark for mark in own if mark in candidate["text"] and own[mark] != name]
            assert not foreign
    library.close()

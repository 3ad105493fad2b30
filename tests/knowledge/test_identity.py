"""The database and the index know each other: what one has lost, the other does not hide."""

import asyncio
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from masis.client import Masis
from masis.errors import IndexLost, IndexMismatch
from masis.knowledge.library import Library, open_library
from masis.settings import Settings
from tests.knowledge.stores import NamedEmbedder, ingest_bytes
from tests.support.waiting import happens

MEMO = b"# Board Memo\n\nCustomer churn in fiscal 2025 was 9.1 percent, says the contract ledger.\n"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home")


async def filled(settings: Settings) -> None:
    library = open_library(settings, embedder=NamedEmbedder())
    await ingest_bytes(library, [("memo.md", MEMO)], "acme")
    library.close()


def lose(settings: Settings, *names: str) -> None:
    for name in names:
        for path in settings.home.glob(name):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


async def test_a_new_database_does_not_find_the_passages_of_the_old(settings: Settings) -> None:
    await filled(settings)
    lose(settings, "masis.db*")
    library = open_library(settings, embedder=NamedEmbedder())
    library.catalog.create_workspace("acme")
    for reach in (library.answers(), library.search("acme", "churn", 5)):
        with pytest.raises(IndexMismatch, match="another database"):
            await reach
    assert await library.reindex() == 0
    await library.answers()
    assert (await library.search("acme", "churn", 5)).candidates == []
    library.close()


async def test_a_lost_index_is_noticed_and_rebuilt_from_the_documents(settings: Settings) -> None:
    await filled(settings)
    lose(settings, "index*")
    library = open_library(settings, embedder=NamedEmbedder())
    for reach in (library.answers(), library.search("acme", "churn", 5)):
        with pytest.raises(IndexLost):
            await reach
    assert await library.reindex() == 1
    await library.answers()
    assert (await library.search("acme", "churn", 5)).candidates
    library.close()


async def test_a_worker_rebuilds_it_by_itself(settings: Settings) -> None:
    await filled(settings)
    lose(settings, "index*")
    masis = Masis(settings, embedder=NamedEmbedder())
    async with masis, masis.working(), asyncio.timeout(60):
        for _ in range(1000):
            with suppress(IndexLost):
                await masis.library.answers()
                break
            await asyncio.sleep(0.05)
        assert (await masis.library.search("acme", "churn", 5)).candidates


async def test_a_worker_that_runs_puts_back_what_was_lost(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("masis.runs.index_keeping.LOOK_SECONDS", 0.1)
    texts = [(f"{n}.md", f"# Harbour {n}\n\nThe ferry carried {n}00 cars.\n".encode()) for n in range(5)]
    library = open_library(settings, embedder=NamedEmbedder())
    await ingest_bytes(library, texts, "acme")
    library.close()
    masis = Masis(settings, embedder=NamedEmbedder())
    async with masis, masis.working():
        library = masis.library
        await library.answers()
        one = library.catalog.documents("acme")[2]
        passages = [item.chunk.chunk_id for item in await library.store.chunks("acme", one.document_id)]
        await library.store.delete_document("acme", one.document_id)
        assert await library.lost_documents() == [one]
        await happens(lambda: _all_there(masis))
        assert passages == [item.chunk.chunk_id for item in await library.store.chunks("acme", one.document_id)]
        assert library.catalog.documents("acme")[2] == one


async def _all_there(masis: Masis) -> bool:
    return not await masis.library.lost_documents()


async def test_the_loss_of_a_part_is_noticed(settings: Settings) -> None:
    library = open_library(settings, embedder=NamedEmbedder())
    for workspace in ("acme", "lab", "zoo"):
        await ingest_bytes(library, [("memo.md", MEMO + workspace.encode())], workspace)
    await library.answers()
    await library.store.delete_workspace("lab")
    assert await _lost_by_chance(library)
    library.close()


async def _lost_by_chance(library: Library) -> bool:
    for _ in range(100):
        try:
            await library.answers()
        except IndexLost:
            return True
    return False


async def test_an_index_made_before_it_knew_its_database_is_adopted(settings: Settings) -> None:
    await filled(settings)
    described = settings.home / "index.json"
    described.write_text(described.read_text().replace('"database": "', '"was": "'))
    library = open_library(settings, embedder=NamedEmbedder())
    assert (await library.search("acme", "churn", 5)).candidates
    library.close()
    assert '"database": "' in described.read_text()

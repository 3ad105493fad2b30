"""The database and the index know each other: what one has lost, the other does not hide."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from masis.client import Masis
from masis.errors import DataFolderError, IndexLost, IndexMismatch
from masis.jobs.queue import Job
from masis.knowledge.library import Library, open_library
from masis.knowledge.search.searching import Searcher
from masis.settings import Settings
from masis.types import Document
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
    monkeypatch.setattr("masis.runs.working.LOOK_SECONDS", 0.1)
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


async def test_the_mend_of_a_killed_worker_does_not_stay_in_work(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("masis.runs.working.LOOK_SECONDS", 0.1)
    await filled(settings)
    masis = Masis(settings.model_copy(update={"lease_seconds": 0.5}), embedder=NamedEmbedder())
    queue = masis._parts.queue
    with queue.database.writing() as db:  # as it is left by one that is killed when all passages are back
        queue.put(db, Job("index", "index", ""), "a worker of another machine")
    async with masis, masis.working():
        assert queue.counts() == {("index", "running"): 1}
        await happens(lambda: not queue.counts())


class MeanwhileEmbedder(NamedEmbedder):
    """Something happens while passages are embedded, once."""

    meanwhile: Callable[[], Awaitable[object]] | None = None

    async def embed_passages(self, texts: list[str]) -> list[list[float]]:
        happening, self.meanwhile = self.meanwhile, None
        if happening:
            await happening()
        return await super().embed_passages(texts)


@pytest.fixture
def embedder() -> MeanwhileEmbedder:
    return MeanwhileEmbedder()


@pytest.fixture
def elsewhere(settings: Settings, library: Library, embedder: MeanwhileEmbedder) -> Iterator[Library]:
    """Another process on the same database and index, which knows nothing of a rebuild here."""
    other = open_library(settings, embedder=embedder, store=library.store)
    yield other
    other.close()


@pytest.mark.parametrize("lost", [1, 2])
async def test_what_is_deleted_elsewhere_while_the_index_is_mended_stays_deleted(
    library: Library, elsewhere: Library, embedder: MeanwhileEmbedder, lost: int
) -> None:
    """Both ways: with all passages lost the index is made anew, with some left it is filled up."""
    await ingest_bytes(library, [("memo.md", MEMO), ("other.md", b"# Ferry\n\nIt carried cars.\n")], "acme")
    memo, other = (document.document_id for document in library.catalog.documents("acme"))
    library._cache.delete("acme")
    for document_id in (memo, other)[:lost]:
        await library.store.delete_document("acme", document_id)
    embedder.meanwhile = lambda: elsewhere.delete_document("acme", memo)
    mended = await library.mend_index()
    assert [document.document_id for document in library.catalog.documents("acme")] == [other]
    assert await library.store.count("acme") == await library.store.count("acme", other) == 1
    assert library._cache.delete("acme", memo) == 0
    assert mended == lost - 1


async def test_what_is_ingested_elsewhere_while_the_index_is_made_anew_gets_into_it(
    settings: Settings, embedder: MeanwhileEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("masis.runs.working.LOOK_SECONDS", 0.1)
    monkeypatch.setattr(Searcher, "require_index", _overlooked)
    await filled(settings)
    lose(settings, "index*", "vectors.db*")
    masis = Masis(settings, embedder=embedder)
    elsewhere = open_library(settings, embedder=embedder, store=masis.library.store)
    ferry = [("ferry.md", b"# Ferry\n\nIt carried cars.\n")]
    embedder.meanwhile = lambda: ingest_bytes(elsewhere, ferry, "acme")
    async with masis, masis.working():
        await happens(lambda: len(masis.library.catalog.documents("acme", status="READY")) == 2)
        await happens(lambda: _all_there(masis))
    elsewhere.close()


async def _overlooked(_: Searcher) -> None:
    """The few documents that are looked at now and then are others."""


async def test_an_error_that_nobody_expected_does_not_end_the_care_of_the_index(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(_: Library) -> list[Document]:
        monkeypatch.undo()
        monkeypatch.setattr("masis.runs.working.LOOK_SECONDS", 0.1)
        raise RuntimeError("a fault of a library")

    monkeypatch.setattr("masis.runs.working.LOOK_SECONDS", 0.1)
    monkeypatch.setattr(Library, "lost_documents", broken)
    await filled(settings)
    lose(settings, "index*")
    masis = Masis(settings, embedder=NamedEmbedder())
    async with masis, masis.working():
        await happens(lambda: "index_rebuilt" in caplog.messages)
    [told] = [each for each in caplog.records if each.message == "index_unusable"]
    assert told.exc_info


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


@pytest.mark.parametrize("how", ["coming", "going"])
async def test_passages_that_come_or_go_do_not_stand_in_for_lost_ones(library: Library, how: str) -> None:
    texts = [(f"{n}.md", f"# Harbour {n}\n\nThe ferry carried {n}00 cars.\n".encode()) for n in range(3)]
    await ingest_bytes(library, texts, "acme")
    lost, other, _ = library.catalog.documents("acme")
    if how == "going":
        library.catalog.hide("acme", other.document_id)
    else:
        library.catalog.delete_document("acme", other.document_id)
        library.catalog.save_document(replace(other, status="PROCESSING", chunks=0))  # as a crash may leave it
    await library.check()
    await library.store.delete_document("acme", lost.document_id)
    assert await library.lost_documents() == [lost]
    with pytest.raises(DataFolderError, match="lacks passages of 1 of the 2 documents of acme"):
        await library.check()
    await library.mend_index()
    await library.check()


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

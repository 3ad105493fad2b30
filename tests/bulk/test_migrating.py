"""A data folder moved to real servers: what answers there is what answered here."""

import asyncio
import secrets
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psycopg
import pytest

from masis import Masis, Settings
from masis.access.keys import Keys
from masis.bulk.migrating import Migrated, migrate, restore_index, save_index
from masis.data_folder import FolderLock
from masis.database import copying
from masis.errors import DataFolderError, IndexMismatch, InvalidInput, MASISError
from masis.knowledge.store.qdrant import QdrantStore
from tests.support.engines import masis_with
from tests.support.play import PREFER, Play
from tests.support.servers import QdrantServer

QUESTION = "What was revenue in 2025?"
DOCUMENTS = {
    "report.md": "# Report\n\nRevenue was $12 million in 2025.\n",
    "memo.txt": "Costs were $7 million in 2025. " * 40,
    "broken.pdf": "%PDF-1.4 cut off",
}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with documents, a key, a finished run and one that waits for a person."""
    folder = tmp_path_factory.mktemp("template")
    for name, text in DOCUMENTS.items():
        (folder / name).write_text(text)
    settings = Settings(home=folder / "home")
    player = masis_with(Play(settings).services)
    player.ingest([folder / name for name in DOCUMENTS], "w")
    player.ingest([folder / "report.md"], "other")
    assert player.ask(QUESTION, "w", max_retries=1).requires_human_review
    player.close()
    with Masis(settings) as masis:
        masis.ask(QUESTION, "w")
    Keys(settings).create("Ada", "write", ["w"])
    return folder


@pytest.fixture
def home(tmp_path: Path, template: Path) -> Path:
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    return tmp_path / "home"


@pytest.fixture
def servers(home: Path, postgres_url: str, qdrant_server: QdrantServer) -> Settings:
    name = f"moved-{secrets.token_hex(4)}"
    return Settings(home=home, database_url=postgres_url, qdrant_url=qdrant_server.url, qdrant_collection=name)


def moved(settings: Settings, **options: Any) -> Migrated:
    return asyncio.run(migrate(settings, **options))


def contents(settings: Settings) -> tuple[Any, list[float]]:
    with Masis(settings) as masis:
        runs = [(asdict(run), masis.result(run.run_id), masis.events(run.run_id)) for run in masis.runs()]
        found = masis.search(QUESTION, "w")
        chunks = asyncio.run(masis.library.store.chunks("w"))
        passages = [(item.chunk, sorted(item.sparse.indices)) for item in chunks]
        vectors = [value for item in chunks for value in item.dense or []]
        files = [masis.library.originals.read("w", each.document_id) for each in masis.documents("w")]
        return (runs, found, passages, files, masis.documents("w"), Keys(masis.settings).list()), vectors


def assert_same(settings: Settings, expected: tuple[Any, list[float]]) -> None:
    found, vectors = contents(settings)
    assert found == expected[0]
    assert vectors == pytest.approx(expected[1], abs=1e-5)


def of_the_folder(settings: Settings) -> Settings:
    return Settings(home=settings.home)


def test_everything_is_there_afterwards(servers: Settings) -> None:
    expected = contents(of_the_folder(servers))
    said = list[str]()
    done = moved(servers, on_step=lambda what, *_: said.append(what))
    assert (done.documents, done.files) == (4, 3)  # one cannot be read
    assert done.passages >= 4
    assert done.rows["runs"] == 2
    assert done.rows["api_keys"] == 1
    assert done.runs == 2
    assert done.compared > 20
    assert {"documents of the index", "document_texts", "original files", "runs with their checkpoints"} <= set(said)
    assert_same(servers, expected)
    assert_same(of_the_folder(servers), expected)


def test_a_run_that_waited_for_a_person_is_answered_on_the_servers(servers: Settings) -> None:
    moved(servers)
    masis = masis_with(Play(servers).services)
    [waiting] = [run for run in masis.runs() if run.status == "waiting"]
    masis.answer(waiting.run_id, PREFER)
    assert masis.get_run(waiting.run_id).status == "finished"
    masis.close()


def test_a_dry_run_copies_nothing(servers: Settings) -> None:
    planned = moved(servers, dry_run=True)
    with psycopg.connect(str(servers.database_url)) as db:
        assert db.execute("SELECT COUNT(*) FROM documents").fetchone() == (0,)
    done = moved(servers)
    done.compared = planned.compared = 0
    assert done == planned


def test_used_servers_are_refused(servers: Settings) -> None:
    moved(servers)
    with pytest.raises(InvalidInput, match="already holds"):
        moved(servers)
    with pytest.raises(InvalidInput, match="migrated before"):
        moved(servers.model_copy(update={"qdrant_url": None}))
    with psycopg.connect(str(servers.database_url)) as db:
        db.execute("DELETE FROM migration")
    fresh = servers.model_copy(update={"qdrant_collection": f"{servers.qdrant_collection}-other"})
    with pytest.raises(InvalidInput, match="is in use: it has rows in workspaces"):
        moved(fresh)


def test_a_database_that_was_only_looked_at_is_not_in_use(servers: Settings) -> None:
    with Masis(servers) as masis:
        assert masis.workspaces() == []
    Keys(servers).list()
    moved(servers)
    with Masis(servers) as masis:
        assert len(masis.documents("w")) == 3


def test_interrupted_again_and_again_it_continues(servers: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = contents(of_the_folder(servers))
    monkeypatch.setattr(copying, "_ROWS", 1)
    for at in ("documents of the index", "vectors", "run_events", "original files", "runs with their checkpoints"):

        def die(what: str, done: int, total: int, at: str = at) -> None:
            if what == at and done == 1:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            moved(servers, on_step=die)
        with Masis(servers) as masis:  # nothing of an index can be seen that is only half there
            assert asyncio.run(masis.library.store.count("w")) == 0
    moved(servers)
    assert_same(servers, expected)


def test_what_differs_is_noticed(servers: Settings) -> None:
    def spoil_rows(what: str, done: int, total: int) -> None:
        if what == "runs":
            with psycopg.connect(str(servers.database_url)) as db:
                db.execute("UPDATE workspaces SET created_at = 'x'")

    with pytest.raises(MASISError, match="a row in workspaces"):
        moved(servers, on_step=spoil_rows)


def test_a_folder_in_use_is_refused(servers: Settings) -> None:
    with FolderLock(servers.home / "index.lock").kept(), pytest.raises(DataFolderError, match="in use"):
        moved(servers)


def test_only_the_index(servers: Settings) -> None:
    alone = servers.model_copy(update={"database_url": None})
    expected = contents(of_the_folder(servers))
    done = moved(alone)
    assert (done.rows, done.runs, done.files) == ({}, 0, 0)
    assert_same(alone, expected)


def test_there_must_be_a_folder_and_a_server(tmp_path: Path, servers: Settings) -> None:
    with pytest.raises(InvalidInput, match="no server"):
        moved(of_the_folder(servers))
    with pytest.raises(InvalidInput, match="nothing to migrate"):
        moved(servers.model_copy(update={"home": tmp_path / "nowhere"}))


# Snapshots


def saved(settings: Settings, file: Path) -> int:
    return asyncio.run(save_index(settings, file))


def restored(settings: Settings, file: Path) -> int:
    return asyncio.run(restore_index(settings, file))


def test_a_snapshot_brings_the_index_back(servers: Settings, tmp_path: Path) -> None:
    done = moved(servers)
    expected = contents(servers)
    assert saved(servers, tmp_path / "a.snapshot") == done.passages
    with Masis(servers) as masis:
        asyncio.run(masis.library.store.delete_workspace("w"))
    assert restored(servers, tmp_path / "a.snapshot") == done.passages
    assert_same(servers, expected)
    assert [path.name for path in tmp_path.glob("a.*")] == ["a.snapshot"]


def test_a_snapshot_without_a_document_of_the_database_is_not_taken(servers: Settings, tmp_path: Path) -> None:
    moved(servers)
    saved(servers, tmp_path / "a.snapshot")
    (tmp_path / "new.md").write_text("Profit was $5 million in 2025.\n")
    with Masis(servers) as masis:
        masis.ingest([tmp_path / "new.md"], "w")
    before = contents(servers)
    with pytest.raises(InvalidInput, match="lacks 1 of the documents"):
        restored(servers, tmp_path / "a.snapshot")
    assert_same(servers, before)


def test_a_snapshot_of_another_database_is_refused(servers: Settings, tmp_path: Path) -> None:
    moved(servers)
    saved(servers, tmp_path / "a.snapshot")
    stranger = servers.model_copy(
        update={"home": tmp_path / "elsewhere", "database_url": None, "qdrant_collection": "elsewhere"}
    )
    with Masis(stranger) as masis:
        masis.ingest([tmp_path / "report.md"], "w")
        with pytest.raises(IndexMismatch, match="another database"):
            restored(stranger, tmp_path / "a.snapshot")
        assert masis.search(QUESTION, "w")
        store = masis.library.store
        assert isinstance(store, QdrantStore)
        asyncio.run(store.delete_workspace("w"))


def test_a_file_that_is_no_snapshot(servers: Settings, tmp_path: Path) -> None:
    moved(servers)
    before = contents(servers)
    with pytest.raises(MASISError, match="cannot read the snapshot"):
        restored(servers, tmp_path / "report.md")
    with pytest.raises(InvalidInput, match="no file"):
        restored(servers, tmp_path / "missing")
    assert_same(servers, before)


def test_an_index_in_the_data_folder_has_no_snapshot(servers: Settings, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="saved with it"):
        saved(of_the_folder(servers), tmp_path / "a.snapshot")

"""Sources on a schedule: who syncs what and when, and what is known of it afterwards."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from masis import Masis, Settings
from masis.errors import Forbidden, InvalidInput, SourceUnavailable, UnknownSource
from masis.jobs.queue import Job
from masis.runs import syncing
from masis.runs.syncing import seconds_of
from masis.types import Caller
from tests.knowledge.stores import NamedEmbedder
from tests.support.deployment import until


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "reports"
    folder.mkdir()
    (folder / "fleet.md").write_text("# Fleet\n\nThe ferry Halvorsen carried 4100 cars.\n")
    return folder


@pytest.fixture
def masis(tmp_path: Path) -> Iterator[Masis]:
    with Masis(Settings(home=tmp_path / "home", poll_seconds=0.05), embedder=NamedEmbedder()) as masis:
        yield masis


def test_a_source_remembers_its_schedule_its_patterns_and_what_happened(masis: Masis, folder: Path) -> None:
    (report,) = masis.sync([str(folder)], "acme", every="15m", ignore=["*.tmp"])
    assert report.new == ["fleet.md"]
    (source,) = masis.sources("acme")
    assert (source.every_seconds, source.ignore, source.status, source.error) == (900, ("*.tmp",), "synced", None)
    assert source.summary["counts"]["new"] == 1
    assert source.last_sync
    assert source.next_sync
    assert source.next_sync > source.last_sync
    masis.sync([], "acme")
    assert masis.sources("acme")[0].every_seconds == 900, "what is not given stays"
    masis.sync([str(folder)], "acme", every="never")
    assert masis.sources("acme")[0].next_sync is None
    (file,) = masis.source_files("acme", str(folder))
    assert (file.place, file.document_id) == (str(folder / "fleet.md"), masis.documents("acme")[0].document_id)
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    masis.sync([], "acme")
    assert "broken.pdf" in (masis.sources("acme")[0].error or "")


def test_a_failure_is_remembered_and_costs_no_document(masis: Masis, folder: Path) -> None:
    masis.sync([str(folder)], "acme", every="1h")
    folder.rename(folder.parent / "away")
    with pytest.raises(SourceUnavailable):
        masis.sync([], "acme")
    (source,) = masis.sources("acme")
    assert source.status == "failed"
    assert "cannot be read" in (source.error or "")
    assert source.last_sync, "of when it last worked"
    assert source.next_sync
    assert len(masis.documents("acme")) == 1


async def test_a_worker_syncs_what_is_due(masis: Masis, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syncing, "SCHEDULE_SECONDS", 0.05)
    await masis.async_([str(folder)], "acme", every="1h")
    (folder / "new.md").write_text("# New\n\nThe night boat is new.\n")
    table = masis.library.sources
    table.save(replace(table.of("acme")[0], next_sync="2020-01-01T00:00:00+00:00"))
    async with masis.working():
        await asyncio.to_thread(until, lambda: table.of("acme")[0].summary["new"] == ["new.md"])
        await asyncio.to_thread(until, lambda: not masis.is_syncing(table.of("acme")[0]))
    (source,) = table.of("acme")
    assert (source.next_sync or "") > (source.last_sync or "")
    assert len(await masis.adocuments("acme")) == 2


async def test_one_process_at_a_time(masis: Masis, folder: Path) -> None:
    await masis.async_([str(folder)], "acme")
    (source,) = await masis.asources("acme")
    parts = masis._parts
    with parts.database.writing() as db:
        parts.queue.put(db, Job("sync", source.source_id, "acme"), owner="another|1|2|3")
    with pytest.raises(InvalidInput, match="being synced right now"):
        await masis.async_([str(folder)], "acme")
    with pytest.raises(InvalidInput, match="being synced right now"):
        await masis.adelete_source("acme", source.source_id)
    with pytest.raises(InvalidInput, match="being ingested"):
        await masis.adelete_workspace("acme")


def test_a_source_is_taken_away_and_its_documents_stay(masis: Masis, folder: Path) -> None:
    masis.sync([str(folder)], "acme")
    assert masis.delete_source("acme", str(folder)).address == str(folder)
    assert masis.sources() == []
    assert len(masis.documents("acme")) == 1
    with pytest.raises(UnknownSource):
        masis.delete_source("acme", str(folder))
    with pytest.raises(InvalidInput, match="no sources yet"):
        masis.sync([], "acme")
    masis.sync([str(folder)], "acme")
    masis.delete_workspace("acme")
    assert masis.sources() == []


def test_what_is_added_through_the_service_is_restricted(masis: Masis, folder: Path) -> None:
    masis.create_workspace("acme")
    table = masis.library.sources
    asked = syncing.source_for(table, "acme", str(folder), by=Caller("somebody", "k1"))
    with pytest.raises(Forbidden, match="may not be read"):
        masis.sync_in_background(asked)
    assert masis.sources() == []


@pytest.mark.parametrize(
    ("words", "seconds"),
    [("15m", 900), ("every 15 m", 900), ("2 hours", 7200), ("1d", 86_400), ("never", None), (None, None)],
)
def test_a_schedule_in_words(words: str | None, seconds: int | None) -> None:
    assert seconds_of(words) == seconds


@pytest.mark.parametrize("words", ["10s", "soon", "m", "0m", "-5m"])
def test_what_is_no_schedule(words: str) -> None:
    with pytest.raises(InvalidInput):
        seconds_of(words)


def test_mailboxes_and_web_pages_have_no_schedule(masis: Masis) -> None:
    for address in ("imap://ada@mail.example.com/INBOX", "https://example.com/sitemap.xml"):
        with pytest.raises(InvalidInput, match="not on a schedule"):
            masis.sync([address], "acme", every="15m")

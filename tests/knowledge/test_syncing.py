"""A workspace that equals a folder: new, changed, renamed and deleted files, and what must never be deleted."""

import asyncio
import io
import os
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from masis.errors import InvalidInput, SourceUnavailable
from masis.knowledge.ingestion.syncing import SyncReport, changes_between
from masis.knowledge.library import Library
from masis.knowledge.source_table import KnownFile, Source, new_source
from masis.settings import Settings
from masis.sources.remote.listing import ListedFile, Listing
from tests.knowledge.stores import CountingEmbedder


@pytest.fixture
def database_url(request: pytest.FixtureRequest) -> str | None:
    is_postgres = getattr(request, "param", "sqlite") == "postgres"
    url: str | None = request.getfixturevalue("postgres_url") if is_postgres else None
    return url


@pytest.fixture
def settings(tmp_path: Path, database_url: str | None) -> Settings:
    return Settings(home=tmp_path / "home", chunk_chars=200, database_url=database_url)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "reports"
    (folder / "north").mkdir(parents=True)
    (folder / "fleet.md").write_text("# Fleet\n\nThe ferry Halvorsen carried 4100 cars.\n")
    (folder / "north" / "harbour.md").write_text("# Harbour\n\nThe harbour of Vardo has two cranes.\n")
    return folder


@pytest.fixture
def source(folder: Path) -> Source:
    return new_source("acme", str(folder))


async def names(library: Library) -> list[str]:
    return [d.file_name for d in await asyncio.to_thread(library.catalog.documents, "acme") if d.status == "READY"]


def done(report: SyncReport) -> tuple[list[str], list[str], list[tuple[str, str]], list[str]]:
    return report.new, report.changed, report.moved, report.deleted


@pytest.mark.parametrize("database_url", ["sqlite", "postgres"], indirect=True)
async def test_new_changed_renamed_and_deleted_files(
    library: Library, folder: Path, source: Source, embedder: CountingEmbedder
) -> None:
    first = await library.sync(source)
    assert done(first) == (["fleet.md", "north/harbour.md"], [], [], [])
    assert (await library.sync(source)).counts == first.counts | {"new": 0, "unchanged": 2}

    (folder / "fleet.md").write_text("# Fleet\n\nThe ferry Halvorsen carried 5200 cars.\n")
    (folder / "north" / "harbour.md").rename(folder / "vardo.md")
    (folder / "south.md").write_text("# South\n\nThe southern line has a night boat.\n")
    embedder.embedded.clear()
    planned = await library.sync(source, dry_run=True)
    assert done(planned) == (["south.md"], ["fleet.md"], [("north/harbour.md", "vardo.md")], [])
    assert await names(library) == ["fleet.md", "north/harbour.md"]
    assert done(await library.sync(source)) == done(planned)
    assert await names(library) == ["fleet.md", "south.md", "vardo.md"]
    assert not any("cranes" in text for text in embedder.embedded), "what is only renamed is not embedded again"

    (folder / "south.md").unlink()
    assert done(await library.sync(source)) == ([], [], [], ["south.md"])
    found = await library.search("acme", "ferry cars cranes night boat vardo", 20)
    texts = {(c["file_name"], "5200" in c["text"]) for c in found.candidates}
    assert texts == {("fleet.md", True), ("vardo.md", False)}


async def test_a_renamed_document_is_found_by_its_new_name(library: Library, folder: Path, source: Source) -> None:
    await library.sync(source)
    (folder / "fleet.md").rename(folder / "zanzibar.md")
    await library.sync(source)
    found = await library.mentions("acme", ["zanzibar", "fleet"])
    assert found["zanzibar"]
    assert found["zanzibar"].documents == 1


async def test_a_copy_that_takes_the_place_of_its_original_is_a_rename(
    library: Library, folder: Path, source: Source
) -> None:
    """Another file of the same bytes, as many programs rename."""
    await library.sync(source)
    shutil.copyfile(folder / "fleet.md", folder / "boats.md")
    (folder / "fleet.md").unlink()
    report = await library.sync(source)
    assert done(report) == ([], [], [("fleet.md", "boats.md")], [])
    assert await names(library) == ["boats.md", "north/harbour.md"]


async def test_two_files_that_change_places_both_stay(library: Library, folder: Path, source: Source) -> None:
    await library.sync(source)
    one, other = (folder / "fleet.md").read_text(), (folder / "north" / "harbour.md").read_text()
    (folder / "fleet.md").write_text(other)
    (folder / "north" / "harbour.md").write_text(one)
    await library.sync(source)
    assert await names(library) == ["fleet.md", "north/harbour.md"]
    documents = {d.file_name: library.catalog.text("acme", d.document_id) for d in library.catalog.documents("acme")}
    assert "cranes" in (documents["fleet.md"] or "")


async def test_a_source_that_vanished_or_is_suddenly_empty_deletes_nothing(
    library: Library, folder: Path, source: Source
) -> None:
    await library.sync(source)
    away = folder.rename(folder.parent / "unmounted")
    with pytest.raises(SourceUnavailable, match="cannot be read"):
        await library.sync(source)
    folder.mkdir()
    with pytest.raises(SourceUnavailable, match="empty, and held 2 files"):
        await library.sync(source)
    assert len(await names(library)) == 2
    assert len((await library.sync(source, allow_empty=True)).deleted) == 2
    assert await names(library) == []
    folder.rmdir()
    away.rename(folder)
    assert len((await library.sync(source)).new) == 2


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every folder")
async def test_what_is_below_a_folder_that_cannot_be_read_stays_for_users(
    library: Library, folder: Path, source: Source
) -> None:
    await library.sync(source)
    (folder / "north").chmod(0)
    try:
        report = await library.sync(source)
    finally:
        (folder / "north").chmod(0o755)
    assert report.deleted == []
    assert list(report.unreadable) == [str(folder / "north")]


def test_nothing_is_gone_below_a_place_that_could_not_be_looked_into() -> None:
    known = {place: KnownFile(place, place, "1", None, place) for place in ("/r/a/x.md", "/r/ab.md", "/r/b.md")}
    listing = Listing([ListedFile("/r/b.md", "b.md", "1", bytes)], {"/r/a": "Permission denied"})
    changes = changes_between(known, listing)
    assert ([file.place for file in changes.gone], len(changes.unchanged)) == (["/r/ab.md"], 1)


async def test_only_what_came_from_the_source_is_deleted(
    library: Library, folder: Path, source: Source, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copyfile(folder / "fleet.md", elsewhere / "copy.md")
    (elsewhere / "own.md").write_text("# Own\n\nNobody syncs this note.\n")
    await library.ingest([elsewhere], "acme")
    (folder / "old.md").write_text("# Old\n\nThe old pier was closed.\n")
    await library.ingest([folder], "acme")
    (folder / "old.md").unlink()
    report = await library.sync(source)
    assert report.deleted == ["old.md"], "a folder owns what was ingested from it before"
    (folder / "fleet.md").unlink()
    assert (await library.sync(source)).deleted == ["fleet.md"]
    assert await names(library) == ["copy.md", "north/harbour.md", "own.md"], "the same bytes lie elsewhere too"


async def test_an_archive_is_renamed_with_its_members_and_goes_with_them(
    library: Library, folder: Path, source: Source
) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("inside.md", "# Inside\n\nThe lighthouse keeper left in May.\n")
    (folder / "mails.zip").write_bytes(packed.getvalue())
    await library.sync(source)
    assert (await library.sync(source)).unchanged == 3
    (folder / "mails.zip").rename(folder / "letters.zip")
    assert (await library.sync(source)).moved == [("mails.zip", "letters.zip")]
    assert "letters.zip/inside.md" in await names(library)
    (folder / "letters.zip").unlink()
    assert (await library.sync(source)).deleted == ["letters.zip"]
    assert await names(library) == ["fleet.md", "north/harbour.md"]


async def test_what_was_deleted_by_hand_comes_again(library: Library, folder: Path, source: Source) -> None:
    await library.sync(source)
    gone = next(d for d in library.catalog.documents("acme") if d.file_name == "fleet.md")
    await library.delete_document("acme", gone.document_id)
    assert (await library.sync(source)).changed == ["fleet.md"]
    assert "fleet.md" in await names(library)


async def test_an_unreadable_file_is_an_error_until_it_is_read_or_gone(
    library: Library, folder: Path, source: Source
) -> None:
    broken, packed = folder / "broken.pdf", io.BytesIO()
    broken.write_bytes(b"%PDF-1.7 broken")
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("torn.pdf", b"%PDF-1.7 torn")
        archive.writestr("inside.md", "# Inside\n\nThe lighthouse keeper left in May.\n")
    (folder / "mails.zip").write_bytes(packed.getvalue())
    first = dict((await library.sync(source)).failed)
    assert first.keys() == {"broken.pdf", "mails.zip/torn.pdf"}
    for again in (await library.sync(source), await library.sync(source, dry_run=True)):
        assert dict(again.failed) == first
        assert again.counts | {"unchanged": 3, "failed": 2} == again.counts, "it is not unchanged and unread at once"
    os.utime(broken, (1, 1))
    assert (await library.sync(source, dry_run=True)).changed == ["broken.pdf"]
    touched = await library.sync(source)
    assert (dict(touched.failed), touched.changed) == (first, []), "touched, it is tried again"
    (folder / "mails.zip").unlink()
    broken.write_text("%PDF-1.7 broken still, and longer")
    assert [name for name, _ in (await library.sync(source)).failed] == ["broken.pdf"]
    broken.unlink()
    assert (await library.sync(source)).failed == []


async def test_a_file_that_was_only_touched_is_unchanged(library: Library, folder: Path, source: Source) -> None:
    await library.sync(source)
    os.utime(folder / "fleet.md", (1, 1))
    for report in (await library.sync(source, dry_run=True), await library.sync(source), await library.sync(source)):
        assert (report.changed, report.unchanged) == ([], 2)
    (folder / "fleet.md").write_text("# Fleet\n\nThe ferry Halvorsen carried 5200 cars.\n")
    assert (await library.sync(source, dry_run=True)).changed == ["fleet.md"]


async def test_patterns_leave_files_out_and_take_out_what_was_in(
    library: Library, folder: Path, source: Source
) -> None:
    (folder / "draft.tmp").write_text("never read")
    (folder / ".masisignore").write_text("*.tmp\n")
    assert "draft.tmp" not in (await library.sync(source)).new
    assert (await library.sync(replace(source, ignore=("north/",)))).deleted == ["north/harbour.md"]


async def test_a_mistyped_folder_makes_no_workspace(library: Library, tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailable):
        await library.sync(new_source("typo", str(tmp_path / "nowhere")))
    assert not library.catalog.has_workspace("typo")


async def test_more_files_than_allowed_are_refused(settings: Settings, library: Library, source: Source) -> None:
    library._settings = settings.model_copy(update={"sync_max_files": 1})
    with pytest.raises(InvalidInput, match="more than 1 files"):
        await library.sync(source)


async def test_a_maildir_is_read_without_its_flags(library: Library, tmp_path: Path) -> None:
    box = tmp_path / "box"
    for name in ("cur", "new", "tmp"):
        (box / name).mkdir(parents=True)
    message = b"From: ada@example.com\r\nTo: b@example.com\r\nSubject: Budget\r\n\r\nThe budget is 4 million.\r\n"
    (box / "new" / "1700.M1.host").write_bytes(message)
    (box / "tmp" / "1701.M2.host").write_bytes(b"half written")
    source = new_source("acme", str(box))
    assert (await library.sync(source)).new == ["1700.M1.host.eml"]
    (box / "new" / "1700.M1.host").rename(box / "cur" / "1700.M1.host:2,S")
    assert (await library.sync(source)).unchanged == 1

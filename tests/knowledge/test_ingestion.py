"""What happens to files over time: changed, moved, archived, deferred, deleted, indexed anew."""

import asyncio
import io
import json
import re
import tarfile
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path

import pytest

from masis.errors import IndexMismatch, InvalidInput
from masis.knowledge.ingestion.incoming import document_id_of
from masis.knowledge.library import Library, open_library
from masis.knowledge.store.edge import EdgeStore
from masis.settings import Settings
from masis.types import EvidenceChunk, Page, ParsedDocument, SearchFilters
from tests.knowledge.stores import CountingEmbedder, NamedEmbedder, ingest_bytes
from tests.sources.files import scanned_pdf
from tests.sources.packages import sheet_rows, text_cell, xlsx_parts
from tests.sources.packages import zip_of as package_of

OLD = b"# Fleet\n\nThe ferry Halvorsen carried 4100 cars in spring.\n"
NEW = b"# Fleet\n\nThe ferry Halvorsen carried 5200 cars in spring.\n"


@pytest.fixture
def database_url(request: pytest.FixtureRequest) -> str | None:
    """The data folder, but for the tests where much depends on the database."""
    is_postgres = getattr(request, "param", "sqlite") == "postgres"
    url: str | None = request.getfixturevalue("postgres_url") if is_postgres else None
    return url


on_both_databases = pytest.mark.parametrize("database_url", ["sqlite", "postgres"], indirect=True)


@pytest.fixture
def settings(tmp_path: Path, database_url: str | None) -> Settings:
    return Settings(home=tmp_path / "home", chunk_chars=200, embedding_batch=4, database_url=database_url)


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    file = tmp_path / "fleet.md"
    file.write_bytes(OLD)
    return file


async def texts_of(library: Library, question: str, filters: SearchFilters | None = None) -> list[str]:
    found = await library.search("acme", question, 20, filters=filters or SearchFilters())
    return [candidate["text"] for candidate in found.candidates]


# Changed files


@on_both_databases
async def test_a_changed_file_takes_the_place_of_its_former_content(library: Library, fleet: Path) -> None:
    await library.ingest([fleet], "acme")
    fleet.write_bytes(NEW)
    report = await library.ingest([fleet], "acme")
    assert [document.document_id for document in report.ready] == [document_id_of(NEW)]
    assert [document.document_id for document in report.replaced] == [document_id_of(OLD)]
    assert [document.document_id for document in library.catalog.documents("acme")] == [document_id_of(NEW)]
    assert library.originals.read("acme", document_id_of(OLD)) is None
    [text] = await texts_of(library, "ferry Halvorsen cars")
    assert "5200" in text


async def test_a_new_version_that_cannot_be_read_leaves_the_old_one(library: Library, fleet: Path) -> None:
    await library.ingest([fleet], "acme")
    fleet.write_bytes(b"")
    report = await library.ingest([fleet], "acme")
    assert len(report.failed) == 1
    assert "4100" in (await texts_of(library, "ferry Halvorsen cars"))[0]


async def test_a_file_that_became_a_copy_of_another_is_forgotten(library: Library, fleet: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.md"
    other.write_bytes(NEW)
    await library.ingest([fleet, other], "acme")
    fleet.write_bytes(NEW)
    await library.ingest([fleet], "acme")
    assert [document.file_name for document in library.catalog.documents("acme")] == ["other.md"]


@on_both_databases
async def test_content_that_moves_between_files_is_never_lost(library: Library, tmp_path: Path) -> None:
    """What log rotation does: the latest becomes the previous one, and another latest comes."""
    previous, latest = tmp_path / "previous.txt", tmp_path / "latest.txt"
    previous.write_text("The tide of March was low.")
    latest.write_text("The tide of April was high.")
    await library.ingest([previous, latest], "acme")
    previous.write_text("The tide of April was high.")
    latest.write_text("The tide of May was normal.")
    await library.ingest([latest, previous], "acme")
    texts = await texts_of(library, "tide")
    assert sorted(texts) == ["The tide of April was high.", "The tide of May was normal."]
    assert len(library.catalog.documents("acme")) == 2


async def test_a_copy_that_changes_leaves_the_other_copy(library: Library, fleet: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.md"
    copy.write_bytes(OLD)
    await library.ingest([fleet, copy], "acme")
    fleet.write_bytes(NEW)
    await library.ingest([fleet, copy], "acme")
    assert {"4100" in text for text in await texts_of(library, "ferry Halvorsen cars")} == {True, False}


async def test_versions_that_were_overtaken_go(library: Library, fleet: Path) -> None:
    await library.ingest([fleet], "acme")
    fleet.write_bytes(b"# Fleet\n\nAn edition that nobody waited for.\n")
    await library.ingest([fleet], "acme", defer_vectors=True)
    fleet.write_bytes(b"")
    await library.ingest([fleet], "acme")
    fleet.write_bytes(NEW)
    await library.ingest([fleet], "acme")
    assert [document.document_id for document in library.catalog.documents("acme")] == [document_id_of(NEW)]


async def test_files_of_one_name_in_two_folders_are_two_documents(
    library: Library, fleet: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "fleet.md").write_bytes(NEW)
    report = await library.ingest([fleet, tmp_path / "elsewhere" / "fleet.md"], "acme")
    assert len(report.ready) == 2
    assert report.replaced == []


@on_both_databases
async def test_readers_see_the_old_or_the_new_never_a_mixture(library: Library, tmp_path: Path) -> None:
    """A reader asks without pause while a file of many passages is exchanged again and again."""
    file = tmp_path / "log.txt"

    def version(number: int) -> str:
        return "\n\n".join(f"Entry {line} of the harbour log, edition v{number}. " * 3 for line in range(12))

    file.write_text(version(0))
    [first] = (await library.ingest([file], "acme")).ready
    seen: set[frozenset[str]] = set()
    done = False

    async def read() -> None:
        while not done:
            texts = await texts_of(library, "harbour log entry edition")
            seen.add(frozenset(word.strip(".") for text in texts for word in text.split() if word.startswith("v")))
            assert len(texts) == first.chunks, "a part of a version"

    reader = asyncio.create_task(read())
    for number in range(1, 9):
        file.write_text(version(number))
        await library.ingest([file], "acme")
    done = True
    await reader
    assert len(seen) > 1
    assert all(len(editions) == 1 for editions in seen), "two editions in one answer"


@on_both_databases
async def test_words_that_stayed_are_not_embedded_again(
    library: Library, embedder: CountingEmbedder, tmp_path: Path
) -> None:
    paragraphs = [f"Paragraph {number} tells of another harbour and its tides. " * 3 for number in range(8)]
    file = tmp_path / "book.txt"
    file.write_text("\n\n".join(paragraphs))
    await library.ingest([file], "acme")
    embedder.embedded.clear()
    paragraphs[3] = "Paragraph three was written anew, of cranes and of freight. " * 3
    file.write_text("\n\n".join(paragraphs))
    await library.ingest([file], "acme")
    assert len(embedder.embedded) == 1
    assert "written anew" in embedder.embedded[0]


# Vectors that come later


async def test_deferred_vectors_come_as_questions_need_them(
    library: Library, embedder: CountingEmbedder, tmp_path: Path
) -> None:
    for number in range(30):
        (tmp_path / f"{number}.txt").write_text(f"The lighthouse number {number} stands on rock {number * 7}.")
    report = await library.ingest([tmp_path / f"{n}.txt" for n in range(30)], "acme", defer_vectors=True)
    assert (len(report.pending), report.ready, embedder.embedded) == (30, [], [])
    [first, *_] = await texts_of(library, "lighthouse number 17")
    assert "number 17" in first
    needed = len(embedder.embedded)
    assert 0 < needed < 30, "the candidates of the question, not all"
    ready = (await library.ingest([tmp_path / f"{n}.txt" for n in range(30)], "acme")).ready
    assert len(ready) == 30
    assert len(embedder.embedded) == 30, "none twice"


# Files inside files


def zip_of(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


async def test_members_of_an_archive_become_documents(library: Library, tmp_path: Path) -> None:
    inner = zip_of({"deep.txt": b"The deepest harbour is Lindesnes."})
    archive = tmp_path / "box.zip"
    archive.write_bytes(
        zip_of({"a/one.md": OLD, "two.txt": b"Two berths are free.", "inner.zip": inner, "bad.pdf": b"x"})
    )
    report = await library.ingest([archive], "acme")
    names = {document.file_name for document in report.ready}
    assert names == {"box.zip/a/one.md", "box.zip/two.txt", "box.zip/inner.zip/deep.txt"}
    assert [document.file_name for document in report.failed] == ["box.zip/bad.pdf"]
    again = await library.ingest([archive], "acme")
    assert (again.ready, len(again.duplicates)) == ([], 3)


@on_both_databases
async def test_an_archive_that_changed_replaces_what_changed_in_it(library: Library, tmp_path: Path) -> None:
    archive = tmp_path / "box.zip"
    archive.write_bytes(zip_of({"one.md": OLD, "two.txt": b"Two berths are free."}))
    await library.ingest([archive], "acme")
    archive.write_bytes(zip_of({"one.md": NEW, "two.txt": b"Two berths are free."}))
    report = await library.ingest([archive], "acme")
    assert [document.file_name for document in report.ready] == ["box.zip/one.md"]
    assert len(report.replaced) == len(report.duplicates) == 1
    archive.write_bytes(zip_of({"one.md": NEW}))
    gone = (await library.ingest([archive], "acme")).replaced
    assert [document.file_name for document in gone] == ["box.zip/two.txt"]
    assert [document.file_name for document in library.catalog.documents("acme")] == ["box.zip/one.md"]
    archive.write_bytes(b"PK\x03\x04 no more an archive")
    await library.ingest([archive], "acme")
    assert "box.zip/one.md" in {d.file_name for d in library.catalog.documents("acme") if d.status == "READY"}


async def test_what_an_archive_could_not_give_is_told(library: Library, tmp_path: Path) -> None:
    archive = tmp_path / "box.zip"
    data = bytearray(zip_of({"good.txt": b"Two berths are free.", "bad.txt": b"NEVERREAD" * 9}))
    data[data.index(b"NEVERREAD")] ^= 0xFF
    archive.write_bytes(bytes(data))
    report = await library.ingest([archive], "acme")
    assert len(report.ready) == 1
    assert [note for note in report.notes if "bad.txt" in note]


async def test_two_attachments_of_one_name_are_two_documents(library: Library, tmp_path: Path) -> None:
    message = EmailMessage()
    message["From"], message["Subject"] = "ann@example.org", "Bills"
    message.set_content("Two bills.")
    for amount in (100, 200):
        message.add_attachment(f"The bill is {amount} crowns.", filename="bill.txt")
    file = tmp_path / "mail.eml"
    file.write_bytes(message.as_bytes())
    for _ in range(2):
        await library.ingest([file], "acme")
        names = {document.file_name for document in library.catalog.documents("acme")}
        assert names == {"mail.eml", "mail.eml/bill.txt", "mail.eml/bill (2).txt"}


async def test_what_unpacks_without_end_is_refused(settings: Settings, tmp_path: Path) -> None:
    data = OLD
    for _ in range(6):
        data = zip_of({"next.zip": data})
    small = settings.model_copy(update={"max_members": 20})
    embedder = NamedEmbedder()
    library = Library(small, EdgeStore(small.home, embedder, "english"), embedder)
    (tmp_path / "deep.zip").write_bytes(data)
    wide = zip_of({f"{n}.zip": zip_of({f"{m}.txt": b"words %d %d" % (n, m) for m in range(10)}) for n in range(10)})
    (tmp_path / "wide.zip").write_bytes(wide)
    deep, *rest = (await library.ingest([tmp_path / "deep.zip", tmp_path / "wide.zip"], "acme")).failed
    assert "archives deep" in (deep.reason or "")
    assert rest
    assert all("MASIS_MAX_MEMBERS" in (document.reason or "") for document in rest)
    library.close()


async def test_a_message_and_what_it_carries(library: Library, tmp_path: Path) -> None:
    message = EmailMessage()
    message["From"], message["Subject"] = "ann@example.org", "Berths"
    message.set_content("The berth plan is attached.")
    message.add_attachment(b"berth,free\nnorth,yes\n", maintype="text", subtype="csv", filename="plan.csv")
    file = tmp_path / "mail.eml"
    file.write_bytes(message.as_bytes())
    report = await library.ingest([file], "acme")
    assert [document.file_name for document in report.ready] == ["mail.eml", "mail.eml/plan.csv"]
    # A crash may come between the message and what it carries: the same command must bring the rest.
    await library.delete_document("acme", report.ready[1].document_id)
    again = await library.ingest([file], "acme")
    assert [document.file_name for document in again.ready] == ["mail.eml/plan.csv"]


# Filters


async def test_searches_within_documents_types_dates_and_pages(library: Library, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Note\n\nDate: 3 May 2024\n\nThe harbour toll was raised.")
    (tmp_path / "b.txt").write_text("Minutes\nDate: 9 June 2025\n\nThe harbour toll was cut.\fThe harbour toll, again.")
    (tmp_path / "c.md").write_text("The harbour toll without a date.")
    await library.ingest([tmp_path / name for name in ("a.md", "b.txt", "c.md")], "acme")

    async def files(**filters: object) -> set[str]:
        found = await library.search("acme", "harbour toll", 10, filters=SearchFilters(**filters))  # type: ignore[arg-type]
        return {candidate["file_name"] for candidate in found.candidates}

    assert await files() == {"a.md", "b.txt", "c.md"}
    assert await files(documents=("a.md", "c.md")) == {"a.md", "c.md"}
    assert await files(documents=(document_id_of((tmp_path / "b.txt").read_bytes()),)) == {"b.txt"}
    assert await files(file_types=(".TXT",)) == {"b.txt"}
    assert await files(dated_from="2024-05-03", dated_to="2024") == {"a.md"}
    assert await files(dated_from="2025") == {"b.txt"}
    assert await files(pages=(2, 5)) == {"b.txt"}
    with pytest.raises(InvalidInput, match=r"no document 'z\.md'"):
        await files(documents=("z.md",))
    with pytest.raises(InvalidInput, match="not a date"):
        await files(dated_from="last week")


# Out, with a receipt


@on_both_databases
async def test_a_receipt_counts_what_went(library: Library, fleet: Path) -> None:
    await library.ingest([fleet], "acme")
    receipt = await library.delete_document("acme", document_id_of(OLD))
    text = OLD.decode().strip()
    assert (receipt.file_names, receipt.documents, receipt.chunks) == (("fleet.md",), 1, 1)
    assert (receipt.text_chars, receipt.bytes, receipt.cached_vectors) == (len(text), len(OLD), 1)


async def test_a_deleted_workspace_leaves_no_trace(library: Library, settings: Settings, tmp_path: Path) -> None:
    marker = "Quillfeather"
    for workspace in ("acme", "other"):
        file = tmp_path / f"{workspace}.txt"
        file.write_text("\n\n".join(f"{marker}{workspace} pays {n} crowns of harbour toll." * 3 for n in range(20)))
        await library.ingest([file], workspace)
    receipt = await library.delete_workspace("acme")
    assert receipt.chunks == receipt.cached_vectors > 0
    library.close()
    everything = [file for file in settings.home.rglob("*") if file.is_file()]
    assert not [file.name for file in everything if f"{marker}acme".encode() in file.read_bytes()]
    assert [file.name for file in everything if f"{marker}other".encode() in file.read_bytes()]


# The index anew


async def test_another_embedder_needs_a_new_index_and_gets_one(
    library: Library, settings: Settings, fleet: Path
) -> None:
    await library.ingest([fleet], "acme")
    library.close()
    other = CountingEmbedder("another-embedder", 16)
    changed = Library(settings, EdgeStore(settings.home, other, "english"), other)
    with pytest.raises(IndexMismatch) as error:
        await changed.search("acme", "ferry", 5)
    assert "masis reindex" in error.value.advice
    assert await changed.reindex() == 1
    assert len(other.embedded) == 1
    assert (await changed.search("acme", "ferry Halvorsen", 5)).candidates
    assert (await changed.ingest([fleet], "acme")).duplicates
    changed.close()
    back = Library(settings, EdgeStore(settings.home, NamedEmbedder(), "english"), NamedEmbedder())
    with pytest.raises(IndexMismatch):
        await back.search("acme", "ferry", 5)
    back.close()


async def test_an_older_data_folder_says_so_and_its_documents_are_read_again(
    library: Library, settings: Settings, tmp_path: Path
) -> None:
    files = [tmp_path / "2021Q3.xlsx", tmp_path / "lost.txt"]
    files[0].write_bytes(
        package_of(xlsx_parts({"Fleet": sheet_rows(text_cell("A1", "Ferry") + text_cell("B1", "Cars"))}))
    )
    files[1].write_text("The tug Olsen towed 12 ships.")
    sheet, lost = (await library.ingest(files, "acme")).ready
    # As an older MASIS would have left it: other text, no period, an index of its own format.
    library.catalog.save_parsed("acme", sheet.document_id, ParsedDocument([Page(1, "Ferry Cars in one line")]))
    library.catalog.save_document(replace(sheet, period=None, date=None))
    library.originals.delete("acme", lost.document_id)
    library.close()
    description = settings.home / "index.json"
    description.write_text(json.dumps({**json.loads(description.read_text()), "format": 2}))
    newer = Library(settings, EdgeStore(settings.home, NamedEmbedder(), "english"), NamedEmbedder())
    with pytest.raises(IndexMismatch, match="has format 2") as error:
        await newer.search("acme", "ferry", 5)
    assert "masis reindex" in error.value.advice
    assert await newer.reindex() == 2
    assert "| Ferry | Cars |" in (newer.catalog.text("acme", sheet.document_id) or "")
    assert newer.catalog.document("acme", sheet.document_id) == sheet
    assert sheet.period == "Q3 2021"
    found = await newer.search("acme", "tug Olsen", 5)
    assert "The tug Olsen towed 12 ships." in [each["text"] for each in found.candidates]
    newer.close()


async def test_a_folder_that_an_older_masis_wrote_is_upgraded(tmp_path: Path) -> None:
    """Written by the MASIS of 15 November 2026, which read the tables of the sample's annual report as run-on lines."""
    with tarfile.open(Path(__file__).with_name("data_folder_of_format_2.tar.xz")) as archive:
        archive.extractall(tmp_path / "home", filter="data")
    settings = Settings(home=tmp_path / "home")
    newer = Library(settings, EdgeStore(settings.home, NamedEmbedder(), "english"), NamedEmbedder())
    [before] = newer.catalog.documents("acme")
    row = "Research and development expense {} 19.8 {} 22.7"
    assert row.format("", "").replace("  ", " ") in (newer.catalog.text("acme", before.document_id) or "")
    with pytest.raises(IndexMismatch, match="has format 2") as error:
        await newer.search("acme", "research", 5)
    assert "masis reindex" in error.value.advice
    assert await newer.reindex() > before.chunks
    [after] = newer.catalog.documents("acme")
    assert f"| {row.format('|', '|')} |" in (newer.catalog.text("acme", after.document_id) or "")
    assert (after.document_id, after.author) == (before.document_id, "Tolmerick Instruments")
    assert (await newer.search("acme", "research and development expense", 5)).candidates
    newer.close()


async def test_another_chunk_size_needs_no_file(library: Library, settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "long.txt"
    file.write_text("The tide tables of the northern harbours were printed again. " * 30)
    [before] = (await library.ingest([file], "acme")).ready
    file.unlink()
    library.close()
    larger = settings.model_copy(update={"chunk_chars": 900})
    again = Library(larger, EdgeStore(settings.home, NamedEmbedder(), "english"), NamedEmbedder())
    passages = await again.reindex()
    [after] = again.catalog.documents("acme")
    assert after == replace(before, chunks=passages)
    assert passages < before.chunks
    for candidate in (await again.search("acme", "tide tables", 5)).candidates:
        text = again.catalog.text("acme", candidate["document_id"]) or ""
        assert text[candidate["start"] : candidate["end"]] == candidate["text"]
    again.close()


async def test_what_is_being_ingested_cannot_be_deleted_under_it(settings: Settings, tmp_path: Path) -> None:
    class SlowEmbedder(NamedEmbedder):
        async def embed_passages(self, texts: list[str]) -> list[list[float]]:
            asked.set()
            await released.wait()
            return await super().embed_passages(texts)

    asked, released = asyncio.Event(), asyncio.Event()
    library = Library(settings, EdgeStore(settings.home, SlowEmbedder(), "english"), SlowEmbedder())
    ingestion = asyncio.create_task(ingest_bytes(library, [("fleet.md", OLD)], "acme"))
    await asked.wait()
    with pytest.raises(InvalidInput, match="being ingested"):
        await library.delete_document("acme", document_id_of(OLD))
    with pytest.raises(InvalidInput, match="being ingested"):
        await library.delete_workspace("acme")
    released.set()
    assert len((await ingestion).ready) == 1
    assert (await library.delete_workspace("acme")).chunks == 1
    library.close()


@on_both_databases
async def test_what_another_process_deletes_meanwhile_does_not_come_back(settings: Settings, tmp_path: Path) -> None:
    class Deleting(NamedEmbedder):
        """As another process would: it knows nothing of this one's ingestion."""

        async def embed_passages(self, texts: list[str]) -> list[list[float]]:
            library.catalog.delete_document("acme", document_id_of(OLD))
            return await super().embed_passages(texts)

    library = Library(settings, EdgeStore(settings.home, Deleting(), "english"), Deleting())
    report = await ingest_bytes(library, [("fleet.md", OLD)], "acme")
    assert "deleted or replaced while" in str(report.failed[0].reason)
    assert library.catalog.documents("acme") == []
    assert await library.store.count("acme") == 0
    assert not library.originals.has("acme", document_id_of(OLD))
    library.close()


async def test_vectors_made_for_a_question_do_not_bring_a_deleted_document_back(
    settings: Settings, tmp_path: Path
) -> None:
    class Deleting(NamedEmbedder):
        async def embed_passages(self, texts: list[str]) -> list[list[float]]:
            await library.delete_document("acme", document_id_of(OLD))
            return await super().embed_passages(texts)

    embedder = Deleting()
    store = EdgeStore(settings.home, embedder, "english")
    library = Library(settings, store, embedder)
    file = tmp_path / "fleet.md"
    file.write_bytes(OLD)
    await library.ingest([file], "acme", defer_vectors=True)
    await library.search("acme", "ferry Halvorsen", 5)
    assert await store.count("acme") == 0
    library.close()


async def test_nothing_changes_while_the_index_is_built_anew(settings: Settings, tmp_path: Path) -> None:
    class SlowEmbedder(NamedEmbedder):
        async def embed_passages(self, texts: list[str]) -> list[list[float]]:
            asked.set()
            await released.wait()
            return await super().embed_passages(texts)

    asked, released = asyncio.Event(), asyncio.Event()
    released.set()
    library = Library(settings, EdgeStore(settings.home, SlowEmbedder(), "english"), SlowEmbedder())
    await ingest_bytes(library, [("fleet.md", OLD)], "acme")
    library._cache.delete("acme")
    asked.clear()
    released.clear()
    rebuilding = asyncio.create_task(library.reindex())
    await asked.wait()
    for change in (
        library.delete_document("acme", document_id_of(OLD)),
        ingest_bytes(library, [("b.md", NEW)], "acme"),
    ):
        with pytest.raises(InvalidInput, match="being rebuilt"):
            await change
    released.set()
    assert await rebuilding == 1
    assert (await library.delete_document("acme", document_id_of(OLD))).chunks == 1
    library.close()


async def test_exact_words_keep_their_place_in_a_search(settings: Settings, tmp_path: Path) -> None:
    class Leaning(NamedEmbedder):
        """Everything is near to every question but the passage that has its words."""

        async def embed_passages(self, texts: list[str]) -> list[list[float]]:
            return [[-1.0 if "Quillfeather" in text else 1.0] + [0.01] * 7 for text in texts]

        async def embed_query(self, text: str) -> list[float]:
            return [1.0] + [0.0] * 7

    library = Library(settings, EdgeStore(settings.home, Leaning(), "english"), Leaning())
    others = [(f"{n}.txt", f"Harbour note number {n} speaks of tides.".encode()) for n in range(40)]
    await ingest_bytes(library, [*others, ("q.txt", b"Quillfeather pays the toll.")], "acme")
    found = (await library.search("acme", "Quillfeather toll", 10)).candidates
    assert len(found) == 10
    [exact] = [candidate for candidate in found if "Quillfeather" in candidate["text"]]
    assert exact["score"] >= settings.relevance_threshold
    library.close()


# Pictures


class Reader:
    name = "a reader"

    async def read(self, data: bytes, file_name: str) -> str:
        return "The berth map shows pier seven."

    async def read_pages(self, data: bytes, file_name: str, numbers: Sequence[int]) -> dict[int, str]:
        return {number: f"Scanned page {number} of the pilot book." for number in numbers}


async def test_pictures_and_scanned_pages_are_read_where_a_reader_is(settings: Settings) -> None:
    embedder = NamedEmbedder()
    picture = b"\x89PNG\r\n\x1a\n" + bytes(64)
    uploads = [("map.png", picture), ("scan.pdf", scanned_pdf(2))]
    blind = Library(settings, EdgeStore(settings.home, embedder, "english"), embedder)
    refused = (await ingest_bytes(blind, uploads, "acme")).failed
    assert ["MASIS_VISION_MODEL" in (d.reason or "") for d in refused] == [True, False]
    assert "(OCR)" in (refused[1].reason or "")
    blind.close()
    seeing = Library(settings, EdgeStore(settings.home, embedder, "english"), embedder, Reader())
    ready = (await ingest_bytes(seeing, uploads, "acme")).ready
    assert [document.note for document in ready] == [
        "Its text was read by a reader.",
        "2 of its 2 pages are scanned and were read by a reader.",
    ]
    found = await seeing.search("acme", "pilot book", 5)
    places = {
        (candidate["text"], candidate["page"]) for candidate in found.candidates if "Scanned" in candidate["text"]
    }
    assert places == {("Scanned page 1 of the pilot book.", 1), ("Scanned page 2 of the pilot book.", 2)}
    seeing.close()


# The second reading


async def test_the_second_reading_orders_and_shortens(settings: Settings, tmp_path: Path) -> None:
    """With the real models: the passage that answers comes first, and only its answering part is kept."""
    filler = "The harbour office is open on weekdays and closed on public holidays. " * 4
    (tmp_path / "a.txt").write_text(f"{filler}\n\nThe ferry to Skagen leaves at nine in the morning.\n\n{filler}")
    (tmp_path / "b.txt").write_text("Ferry tickets are sold on board. The ferry to Skagen is white and has two decks.")
    (tmp_path / "c.txt").write_text("Skagen has a lighthouse. Its lamp was renewed.")

    async def found(mode: str) -> list[EvidenceChunk]:
        library = open_library(settings.model_copy(update={"rerank": mode, "chunk_chars": 1200}))
        try:
            await library.ingest([tmp_path / name for name in ("a.txt", "b.txt", "c.txt")], "acme")
            return list((await library.search("acme", "When does the ferry to Skagen leave?", 5)).candidates)
        finally:
            library.close()

    plain, ordered, shortest = await found("off"), await found("order"), await found("shortest")
    assert {each["chunk_id"] for each in plain} == {each["chunk_id"] for each in ordered}
    assert ordered[0]["file_name"] == shortest[0]["file_name"] == "a.txt"
    start, end = (position - ordered[0]["start"] for position in ordered[0]["focus"])
    assert "leaves at nine" in ordered[0]["text"][start:end]
    assert len(shortest[0]["text"]) < len(ordered[0]["text"])
    assert len(shortest) <= len(ordered)


async def test_a_table_of_200_000_rows_is_read_whole(tmp_path: Path) -> None:
    rows = [f"{n},Town {n % 977},{n * 7 % 1000}" for n in range(200_000)]
    library = open_library(Settings(home=tmp_path), embedder=NamedEmbedder())
    report = await ingest_bytes(library, [("rows.csv", "\n".join(["id,town,cars", *rows]).encode())], "acme")
    assert [document.status for document in report.ready] == ["READY"]
    found = {
        int(number)
        for item in await library.store.chunks("acme", report.ready[0].document_id)
        for number in re.findall(r"^\| (\d+) \| Town", item.chunk.text, re.MULTILINE)
    }
    library.close()
    assert found == set(range(200_000))

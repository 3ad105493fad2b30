"""The library with its real parts: parsers, store and catalog; the embedded model where meaning matters."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from masis.errors import (
    DataFolderError,
    IndexMismatch,
    InvalidInput,
    ModelUnavailable,
    StoreUnavailable,
    UnknownWorkspace,
)
from masis.knowledge.ingestion.batch import IngestProgress
from masis.knowledge.ingestion.incoming import document_id_of
from masis.knowledge.ingestion.ingest import embedded_text
from masis.knowledge.library import Library, open_library
from masis.knowledge.store.edge import EdgeStore
from masis.settings import Settings
from masis.types import Chunk, Mentions
from tests.knowledge.stores import NamedEmbedder, ingest_bytes
from tests.sources.files import docx_of, pdf_of

REPORT = b"# Annual Report\n\nPublished: 12 March 2026\n\nRevenue in fiscal 2025 was $184.1 million.\n"
MEMO = b"# Board Memo\n\nCustomer churn in fiscal 2025 was 9.1 percent, says the contract ledger.\n"


class FragileEmbedder(NamedEmbedder):
    """Fails for texts that say so."""

    async def embed_passages(self, texts: list[str]) -> list[list[float]]:
        if any("CRASH" in text for text in texts):
            raise asyncio.CancelledError
        if any("BUG" in text for text in texts):
            raise ZeroDivisionError("division by zero")
        return await super().embed_passages(texts)


class AwayEmbedder(NamedEmbedder):
    async def embed_passages(self, texts: list[str]) -> list[list[float]]:
        raise ModelUnavailable("The embedding model is away.")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home", chunk_chars=200, embedding_batch=4)


@pytest.fixture
def store(settings: Settings) -> Iterator[EdgeStore]:
    store = EdgeStore(settings.home, FragileEmbedder(), "english")
    yield store
    store.close()


@pytest.fixture
def library(settings: Settings, store: EdgeStore) -> Library:
    return Library(settings, store, FragileEmbedder())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    (folder / "sub").mkdir(parents=True)
    (folder / "report.md").write_bytes(REPORT)
    (folder / "sub" / "memo.md").write_bytes(MEMO)
    return folder


# In


async def test_a_folder_goes_in(library: Library, store: EdgeStore, folder: Path) -> None:
    report = await library.ingest([folder], "acme")
    assert [document.file_name for document in report.ready] == ["report.md", "sub/memo.md"]
    assert (report.duplicates, report.failed) == ([], [])
    first = report.ready[0]
    assert (first.status, first.pages, first.date, first.size_bytes) == ("READY", 1, "2026-03-12", len(REPORT))
    assert first.document_id == document_id_of(REPORT)
    assert library.catalog.documents("acme") == report.ready
    assert await store.count("acme") == sum(document.chunks for document in report.ready) == 2


async def test_every_format_goes_in(library: Library, tmp_path: Path) -> None:
    files = {
        "a.txt": b"Churn fell.",
        "b.md": b"# Churn\n\nIt rose.",
        "c.html": b"<p>Churn stayed.</p>",
        "d.csv": b"what,how\nchurn,unknown",
        "e.pdf": pdf_of("Churn doubled."),
        "f.docx": docx_of(lambda document: document.add_paragraph("Churn halved.")),
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    report = await library.ingest([tmp_path / name for name in files], "acme")
    assert [document.file_name for document in report.ready] == list(files)
    found = await library.search("acme", "churn", 10)
    assert {candidate["file_name"] for candidate in found.candidates} == set(files)


async def test_a_citation_can_be_shown_in_place(library: Library, folder: Path) -> None:
    await library.ingest([folder], "acme")
    found = await library.search("acme", "revenue fiscal 2025", 10)
    for candidate in found.candidates:
        text = library.catalog.text("acme", candidate["document_id"])
        assert text is not None
        assert text[candidate["start"] : candidate["end"]] == candidate["text"]


async def test_progress_is_told(library: Library, folder: Path) -> None:
    (folder / "empty.md").write_bytes(b"")
    (folder / "long.txt").write_text("Revenue rose in every region of the world. " * 40)
    told: list[IngestProgress] = []
    report = await library.ingest([folder], "acme", told.append)
    stages = {
        name: [progress.stage for progress in told if progress.file_name == name]
        for name in ("empty.md", "long.txt", "report.md")
    }
    assert stages["empty.md"] == ["reading", "failed"]
    assert stages["report.md"] == ["reading", "findable", "embedding", "ready"]
    assert stages["long.txt"].count("embedding") >= 2, "told with each batch"
    for counted in ("files_done", "pages", "chunks_done", "chunks_total"):
        values = [getattr(progress, counted) for progress in told]
        assert values == sorted(values), f"{counted} never goes back"
    last = told[-1]
    assert (last.files_done, last.files_total, last.pages) == (4, 4, 3)
    assert last.chunks_done == last.chunks_total == sum(document.chunks for document in report.ready)
    assert last.seconds_left == 0
    assert told[0].seconds_left is None, "nothing to estimate from"


async def test_the_same_bytes_are_a_duplicate_under_any_name(library: Library, folder: Path) -> None:
    await library.ingest([folder], "acme")
    (folder / "copy.md").write_bytes(REPORT)
    report = await library.ingest([folder], "acme")
    assert report.ready == []
    assert [(d.file_name, d.status) for d in report.duplicates] == [
        ("copy.md", "READY"), ("report.md", "READY"), ("sub/memo.md", "READY"),
    ]  # fmt: skip
    assert [document.document_id for document in report.duplicates][:2] == [document_id_of(REPORT)] * 2
    assert len(library.catalog.documents("acme")) == 2
    assert len((await library.ingest([folder], "other")).ready) == 2, "another workspace knows nothing of it"


async def test_what_fails_is_reported_and_the_rest_goes_on(library: Library, store: EdgeStore, folder: Path) -> None:
    (folder / "empty.md").write_bytes(b"")
    (folder / "fake.pdf").write_bytes(b"not a pdf")
    (folder / "program.md").write_bytes(b"BUG here")
    report = await library.ingest([folder / "missing.md", folder], "acme")
    assert [document.file_name for document in report.ready] == ["report.md", "sub/memo.md"]
    reasons = {Path(document.file_name).name: document.reason or "" for document in report.failed}
    assert reasons["empty.md"] == "empty.md is empty. Check that the file was saved completely."
    assert "named .pdf" in reasons["fake.pdf"]
    assert "ZeroDivisionError" in reasons["program.md"]
    assert "does not exist" in reasons["missing.md"]
    assert await store.count("acme") == sum(document.chunks for document in report.ready)


async def test_an_embedder_that_is_away_leaves_documents_findable_by_keyword(
    settings: Settings, store: EdgeStore, folder: Path
) -> None:
    (folder / "a.md").write_bytes(b"# Outage\n\nThe ferry to Skagen leaves at nine.")
    library = Library(settings, store, AwayEmbedder())
    report = await library.ingest([folder], "acme")
    assert report.ready == []
    assert {document.file_name for document in report.pending} == {"a.md", "report.md", "sub/memo.md"}
    assert all((document.reason or "").startswith("The embedding model is away.") for document in report.pending)
    mended = Library(settings, store, NamedEmbedder())
    found = await mended.search("acme", "ferry to Skagen", 10)
    assert found.candidates[0]["file_name"] == "a.md"
    again = await mended.ingest([folder], "acme")
    assert [document.status for document in again.ready] == ["READY"] * 3
    assert await store.count("acme", embedded=True) == sum(document.chunks for document in again.ready)


async def test_a_failed_document_may_be_tried_again(settings: Settings, store: EdgeStore, folder: Path) -> None:
    (folder / "later.md").write_bytes(b"BUG for now")
    failed = (await Library(settings, store, FragileEmbedder()).ingest([folder / "later.md"], "acme")).failed
    assert len(failed) == 1
    ready = (await Library(settings, store, NamedEmbedder()).ingest([folder / "later.md"], "acme")).ready
    assert [(document.status, document.reason) for document in ready] == [("READY", None)]
    assert ready[0].created_at == failed[0].created_at


async def test_what_a_crash_left_half_done_is_done_again(
    library: Library, store: EdgeStore, settings: Settings, tmp_path: Path
) -> None:
    text = "Revenue rose in every region of the world. " * 40 + "CRASH at the end."
    (tmp_path / "long.txt").write_text(text)
    with pytest.raises(asyncio.CancelledError):
        await library.ingest([tmp_path / "long.txt"], "acme")
    [document] = library.catalog.documents("acme")
    assert document.status == "PROCESSING"
    assert 0 < await store.count("acme", embedded=True) < await store.count("acme"), "the first batches were written"
    again = Library(settings, store, NamedEmbedder())
    [ready] = (await again.ingest([tmp_path / "long.txt"], "acme")).ready
    assert ready.status == "READY"
    assert await store.count("acme", embedded=True) == await store.count("acme") == ready.chunks


def replace_settings(settings: Settings, **changes: int) -> Settings:
    return settings.model_copy(update=changes)


async def test_an_index_that_was_lost_is_filled_again(
    library: Library, store: EdgeStore, settings: Settings, folder: Path
) -> None:
    await library.ingest([folder], "acme")
    await library.check()
    await store.delete_workspace("acme")
    with pytest.raises(DataFolderError, match="lacks passages of 2 of the 2 documents of acme") as error:
        await library.check()
    assert "Ingest its documents again" in error.value.advice
    assert len((await library.ingest([folder], "acme")).ready) == 2
    await library.check()


async def test_too_large(store: EdgeStore, settings: Settings, folder: Path) -> None:
    small = replace_settings(settings, max_file_bytes=50)
    library = Library(small, store, NamedEmbedder())
    report = await library.ingest([folder], "acme")
    assert len(report.failed) == 2
    assert all("MASIS_MAX_FILE_BYTES" in (document.reason or "") for document in report.failed)
    assert len((await ingest_bytes(library, [("report.md", REPORT)], "acme")).failed) == 1


async def test_a_bad_workspace_name_or_a_wrong_index_stops_everything_at_once(
    library: Library, store: EdgeStore, settings: Settings, folder: Path
) -> None:
    with pytest.raises(InvalidInput, match="cannot be the name"):
        await library.ingest([folder], "../up")
    await library.ingest([folder], "acme")
    store.close()
    other = EdgeStore(settings.home, NamedEmbedder("another-embedder"), "english")
    stranger = Library(settings, other, NamedEmbedder("another-embedder"))
    with pytest.raises(IndexMismatch):
        await stranger.ingest([folder], "fresh")
    with pytest.raises(IndexMismatch):
        await stranger.check()
    assert not library.catalog.has_workspace("fresh")
    stranger.close()


# Uploads


async def test_an_upload(library: Library) -> None:
    [document] = (await ingest_bytes(library, [("report.md", REPORT)], "acme")).ready
    assert document == library.catalog.document("acme", document_id_of(REPORT))
    assert (document.status, document.source) == ("READY", None)
    [again] = (await ingest_bytes(library, [("again.md", REPORT)], "acme")).duplicates
    assert again.reason == "again.md is in acme already, as report.md."
    assert len((await ingest_bytes(library, [("empty.md", b"")], "acme")).failed) == 1


async def test_uploads_of_one_name_stand_side_by_side(library: Library) -> None:
    await ingest_bytes(library, [("report.md", REPORT), ("report.md", MEMO)], "acme")
    assert [document.file_name for document in library.catalog.documents("acme")] == ["report.md", "report.md"]


async def test_the_same_upload_twice_at_once(library: Library) -> None:
    reports = await asyncio.gather(*(ingest_bytes(library, [("report.md", REPORT)], "acme") for _ in range(4)))
    assert sum(len(report.duplicates) for report in reports) == 3
    assert len(library.catalog.documents("acme")) == 1


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/report.md", "report.md"),
        ("C:\\Users\\me\\report.md", "report.md"),
        ("/abs/report.md", "report.md"),
        ("re\x00po\nrt\x1b[31m.md", "report[31m.md"),
        ("x" * 300 + ".md", "x" * 252 + ".md"),
        ("\ud800.md", ".md"),
        ("..", ".."),
        ("", "unnamed"),
    ],
)
async def test_a_clients_file_name_is_a_label(library: Library, given: str, kept: str) -> None:
    library.catalog.create_workspace("acme")
    document_id = await library.keep_upload("acme", given, REPORT)
    [document] = (await library.ingest_kept("acme", [(document_id, given)], upload_id="first")).ready
    assert document.file_name == kept


# Search


async def test_search_with_the_real_model(tmp_path: Path, folder: Path) -> None:
    library = open_library(Settings(home=tmp_path / "home"))
    await library.ingest([folder], "acme")
    found = await library.search("acme", "How high was customer churn?", 10)
    best = found.candidates[0]
    assert best["file_name"] == "sub/memo.md"
    assert 0.6 < best["score"] < 1.0
    assert best["page"] == 1
    off_topic = await library.search("acme", "Which ducks dive for food?", 10)
    assert all(candidate["score"] < 0.6 for candidate in off_topic.candidates)
    assert library.calibration.is_calibrated
    library.close()


async def test_evidence_has_heading_and_date(library: Library, folder: Path) -> None:
    (folder / "long.md").write_text("# Plan\n\nDate: May 2026\n\n" + "The plan is long and has many parts. " * 20)
    await library.ingest([folder / "long.md"], "acme")
    found = await library.search("acme", "plan", 10)
    assert {candidate["date"] for candidate in found.candidates} == {"2026-05"}
    assert {candidate["heading"] for candidate in found.candidates} == {None, "Plan"}


async def test_an_empty_workspace_says_so(library: Library, folder: Path) -> None:
    assert (await library.search("acme", "churn", 10)).workspace_is_empty
    (folder / "empty.md").write_bytes(b"")
    await library.ingest([folder / "empty.md"], "acme")
    assert (await library.search("acme", "churn", 10)).workspace_is_empty
    await library.ingest([folder], "acme")
    assert not (await library.search("acme", "churn", 10)).workspace_is_empty
    assert (await library.search("other", "churn", 10)).workspace_is_empty


async def test_in_how_many_documents_and_passages_a_word_occurs(library: Library, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("La Société Générale a publié ses comptes.")
    (tmp_path / "two.txt").write_text(f"{'Nothing is said here. ' * 20}The accounts of a company.\n\n" * 2)
    await library.ingest([tmp_path / "one.txt", tmp_path / "two.txt"], "acme")
    asked = ["societe generale", "account", "Nothing", "générale accounts", "quark", "the"]
    found = await library.mentions("acme", asked)
    assert list(found) == asked
    assert found["societe generale"] == Mentions(documents=1, passages=1)
    assert found["account"] == Mentions(documents=1, passages=2)
    assert (found["Nothing"] or Mentions(0, 0)).passages > 2
    assert found["générale accounts"] == found["quark"] == Mentions(0, 0)
    assert found["the"] is None
    assert (await library.mentions("other", ["account"]))["account"] == Mentions(0, 0)


async def test_a_deleted_documents_words_are_mentioned_no_more(library: Library, folder: Path) -> None:
    report = await library.ingest([folder], "acme")
    await library.delete_document("acme", report.ready[1].document_id)
    assert (await library.mentions("acme", ["churn"]))["churn"] == Mentions(0, 0)


async def test_a_search_is_one_query_of_the_store(
    library: Library, store: EdgeStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await library.ingest([folder], "acme")
    calls: list[str] = []
    run = store._run

    def counted(*args: Any) -> object:
        calls.append("call")
        return run(*args)

    monkeypatch.setattr(store, "_run", counted)
    await library.search("acme", "churn", 10)
    assert len(calls) == 1


# Out


async def test_a_deleted_document_is_found_no_more_and_may_come_again(library: Library, folder: Path) -> None:
    await library.ingest([folder], "acme")
    await library.delete_document("acme", document_id_of(MEMO))
    found = await library.search("acme", "churn", 10)
    assert {candidate["file_name"] for candidate in found.candidates} == {"report.md"}
    assert library.catalog.text("acme", document_id_of(MEMO)) is None
    with pytest.raises(InvalidInput, match="no document"):
        await library.delete_document("acme", document_id_of(MEMO))
    assert len((await library.ingest([folder], "acme")).ready) == 1


async def test_a_deleted_workspace_takes_nothing_of_another(library: Library, store: EdgeStore, folder: Path) -> None:
    await library.ingest([folder], "acme")
    await library.ingest([folder], "other")
    await library.delete_workspace("acme")
    assert not library.catalog.has_workspace("acme")
    assert (await store.count("acme"), await store.count("other")) == (0, 2)
    with pytest.raises(UnknownWorkspace, match="acme"):
        await library.delete_workspace("acme")


async def test_what_the_store_did_not_delete_is_still_listed(
    library: Library, store: EdgeStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await library.ingest([folder], "acme")

    async def away(*_: str) -> None:
        raise StoreUnavailable("away")

    with monkeypatch.context() as patch:
        patch.setattr(store, "delete_document", away)
        with pytest.raises(StoreUnavailable):
            await library.delete_document("acme", document_id_of(MEMO))
    assert library.catalog.document("acme", document_id_of(MEMO)) is not None
    found = await library.search("acme", "churn", 10)
    assert {candidate["file_name"] for candidate in found.candidates} == {"report.md"}, "hidden at once all the same"
    await library.delete_document("acme", document_id_of(MEMO))
    assert library.catalog.document("acme", document_id_of(MEMO)) is None


# What is embedded


def chunk(text: str, heading: str | None) -> Chunk:
    return Chunk("c1", "d", "board-memo_2026.docx", text, 1, 0, len(text), heading=heading)


@pytest.mark.parametrize(
    ("text", "heading", "title", "embedded"),
    [
        (
            "Churn fell.",
            "Board Memo > Retention",
            "Board Memo",
            "board memo 2026 > Board Memo > Retention\nChurn fell.",
        ),
        ("Churn fell.", "Retention", "Board Memo", "board memo 2026 > Board Memo > Retention\nChurn fell."),
        ("Churn fell.", None, "Board Memo", "board memo 2026 > Board Memo\nChurn fell."),
        ("# Board Memo\n\nChurn fell.", None, "Board Memo", "board memo 2026\n# Board Memo\n\nChurn fell."),
        ("Churn fell.", None, None, "board memo 2026\nChurn fell."),
    ],
)
def test_a_passage_is_embedded_with_where_it_stands(
    text: str, heading: str | None, title: str | None, embedded: str
) -> None:
    assert embedded_text(chunk(text, heading), title) == embedded


def test_nothing_of_a_document_depends_on_the_machine(settings: Settings, tmp_path: Path, folder: Path) -> None:
    async def ids(home: Path) -> list[str]:
        here = replace_home(settings, home)
        store = EdgeStore(home, NamedEmbedder(), "english")
        library = Library(here, store, NamedEmbedder())
        await library.ingest([folder], "acme")
        found = await library.search("acme", "fiscal 2025", 10)
        library.close()
        return [candidate["chunk_id"] for candidate in found.candidates]

    assert asyncio.run(ids(tmp_path / "one")) == asyncio.run(ids(tmp_path / "two"))


def replace_home(settings: Settings, home: Path) -> Settings:
    return settings.model_copy(update={"home": home})

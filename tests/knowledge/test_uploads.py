"""Uploads kept first and read later, by another process, or again after a crash."""

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from masis.errors import ModelUnavailable, UnknownWorkspace, UnreadableFile
from masis.knowledge.ingestion.incoming import base_name, document_id_of
from masis.knowledge.library import Library
from masis.knowledge.store.edge import EdgeStore
from masis.settings import Settings
from masis.types import Document, IngestReport
from tests.knowledge.stores import NamedEmbedder

FERRY = b"# Fleet\n\nThe ferry Halvorsen carried 4100 cars in spring.\n"
HARBOUR = b"# Harbour\n\nHarbour dues rose to 310 crowns.\n"


class Killed(BaseException):
    """Nothing catches it, as nothing catches kill -9."""


class MortalEmbedder(NamedEmbedder):
    """The process dies when it is to embed this."""

    deadly = "\x00"

    async def embed_passages(self, texts: list[str]) -> list[list[float]]:
        if any(self.deadly in text for text in texts):
            raise Killed
        return await super().embed_passages(texts)


@pytest.fixture
def embedder() -> MortalEmbedder:
    return MortalEmbedder()


@pytest.fixture
def library(tmp_path: Path, database_url: str | None, embedder: MortalEmbedder) -> Iterator[Library]:
    settings = Settings(home=tmp_path, database_url=database_url, max_file_bytes=10_000, parse_processes=1)
    library = Library(settings, EdgeStore(tmp_path, embedder, "english"), embedder)
    library.catalog.create_workspace("acme")
    yield library
    library.close()


def archive(**members: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for name, data in members.items():
            file.writestr(zipfile.ZipInfo(f"{name}.md"), data)
    return packed.getvalue()


async def uploaded(library: Library, suffix: str = ".md", **files: bytes) -> list[tuple[str, str]]:
    named = {f"{name}{suffix}": data for name, data in files.items()}
    return [(await library.keep_upload("acme", name, data), name) for name, data in named.items()]


def names(documents: list[Document]) -> list[str]:
    return [document.file_name for document in documents]


def outcome(report: IngestReport) -> tuple[list[str], list[str], list[str], list[str]]:
    return names(report.ready), names(report.pending), names(report.duplicates), names(report.failed)


async def test_kept_bytes_become_a_document(library: Library) -> None:
    kept = await uploaded(library, ferry=FERRY)
    assert kept[0][0] == document_id_of(FERRY)
    assert library.catalog.documents("acme") == []
    report = await library.ingest_kept("acme", kept, upload_id="u1")
    assert outcome(report) == (["ferry.md"], [], [], [])
    assert library.originals.read("acme", kept[0][0]) == FERRY
    found = await library.search("acme", "ferry Halvorsen", 5)
    assert [candidate["document_id"] for candidate in found.candidates] == [kept[0][0]]


async def test_what_cannot_be_kept(library: Library) -> None:
    with pytest.raises(UnreadableFile, match=r"^big\.md is larger than 0\.01 MB"):
        await library.keep_upload("acme", "../etc/big.md", b"x" * 10_001)
    with pytest.raises(UnknownWorkspace):
        await library.keep_upload("../other", "a.md", b"x")
    with pytest.raises(UnknownWorkspace):
        await library.ingest_kept("gone", [("d" * 64, "a.md")], upload_id="u1")
    assert not library.catalog.has_workspace("gone")


async def test_the_same_bytes_of_another_upload_are_a_duplicate(library: Library) -> None:
    for upload_id, expected in (("u1", (["ferry.md"], [], [], [])), ("u2", ([], [], ["ferry.md"], []))):
        kept = await uploaded(library, ferry=FERRY)
        assert outcome(await library.ingest_kept("acme", kept, upload_id=upload_id)) == expected
    twice = await uploaded(library, one=HARBOUR, two=HARBOUR)
    report = await library.ingest_kept("acme", twice, upload_id="u3")
    assert sorted(names(report.ready) + names(report.duplicates)) == ["one.md", "two.md"]
    assert len(report.ready) == 1
    assert library.originals.has("acme", document_id_of(FERRY))


async def test_after_a_crash_what_was_finished_is_still_the_uploads_own(
    library: Library, embedder: MortalEmbedder
) -> None:
    before = await uploaded(library, known=b"A note that was here before.")
    await library.ingest_kept("acme", before, upload_id="u0")
    inside = archive(ferry=FERRY, harbour=HARBOUR)
    kept = [
        *await uploaded(library, known=b"A note that was here before.", early=b"The tide table of May."),
        *await uploaded(library, ".zip", box=inside),
        *await uploaded(library, broken=b"%PDF-1.4 cut off", late=b"The pilot logged 80 hours."),
    ]
    embedder.deadly = "pilot"
    with pytest.raises(Killed):
        await library.ingest_kept("acme", kept, upload_id="u1")
    assert {document.status for document in library.catalog.documents("acme")} == {"READY", "PROCESSING", "FAILED"}
    embedder.deadly = "\x00"
    expected = (["box.zip/ferry.md", "box.zip/harbour.md", "early.md", "late.md"], [], ["known.md"], ["broken.md"])
    for _ in range(2):  # the second time as if the process had died before the end was written down
        report = await library.ingest_kept("acme", kept, upload_id="u1")
        assert tuple(sorted(each) for each in outcome(report)) == expected
        assert "no longer stored" not in str(report.failed[0].reason)
        assert not library.originals.has("acme", document_id_of(inside)), "an archive is its members"
    assert len(library.catalog.documents("acme")) == 6


async def test_vectors_that_come_later(
    library: Library, embedder: MortalEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(texts: list[str]) -> list[list[float]]:
        raise ModelUnavailable("The embedding model is away.")

    kept = await uploaded(library, ferry=FERRY)
    with monkeypatch.context() as patch:
        patch.setattr(embedder, "embed_passages", away)
        report = await library.ingest_kept("acme", kept, upload_id="u1")
    assert outcome(report) == ([], ["ferry.md"], [], [])
    assert outcome(await library.ingest_kept("acme", kept, upload_id="u1")) == (["ferry.md"], [], [], [])


async def test_bytes_of_a_cancelled_upload_go(library: Library) -> None:
    kept = await uploaded(library, ferry=FERRY, harbour=HARBOUR)
    await library.ingest_kept("acme", kept[:1], upload_id="u1")
    library.uploads.forget("acme", [document_id for document_id, _ in kept])
    assert [library.originals.has("acme", document_id) for document_id, _ in kept] == [True, False]
    report = await library.ingest_kept("acme", kept[1:], upload_id="u2")
    assert "no longer stored" in str(report.failed[0].reason)


async def test_a_passage_and_the_text_it_stands_in(library: Library) -> None:
    await library.ingest_kept("acme", await uploaded(library, ferry=FERRY), upload_id="u1")
    library.catalog.create_workspace("other")
    found = (await library.search("acme", "ferry Halvorsen", 1)).candidates[0]
    passage = await library.passage("acme", found["chunk_id"])
    text = await library.document_text("acme", found["document_id"])
    assert passage
    assert text
    assert (passage.text, passage.page) == (found["text"], 1)
    assert text.text[passage.start : passage.end] == passage.text
    assert await library.passage("other", found["chunk_id"]) is None
    assert await library.passage("acme", "../c0000000000") is None
    assert await library.document_text("other", found["document_id"]) is None
    library.catalog.hide("acme", found["document_id"])
    assert await library.passage("acme", found["chunk_id"]) is None
    assert await library.document_text("acme", found["document_id"]) is None


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("a.md", "a.md"),
        ("../../etc/passwd", "passwd"),
        ("C:\\files\\b.pdf", "b.pdf"),
        ("a\x00\nb.md", "ab.md"),
        ("", "unnamed"),
        ("..", ".."),
        ("x" * 300 + ".md", "x" * 252 + ".md"),
    ],
)
def test_what_a_client_calls_its_file_is_a_label(given: str, kept: str) -> None:
    assert base_name(given) == kept

import sqlite3
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from masis.errors import DataFolderError, InvalidInput
from masis.knowledge.catalog import Catalog, check_workspace_name
from masis.types import Document, Page, ParsedDocument

DOCUMENT = Document(
    "acme", "d" * 64, "report.pdf", "READY", pages=4, chunks=12, size_bytes=999, date="2026-03", created_at="2026-03-14"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "masis.db"


@pytest.fixture
def catalog(path: Path) -> Catalog:
    catalog = Catalog(path)
    catalog.create_workspace("acme")
    return catalog


@pytest.mark.parametrize("name", ["a", "acme", "Acme-2026_v1.2", "7", "x" * 64, "a.."])
def test_names_that_a_workspace_may_have(name: str) -> None:
    check_workspace_name(name)


@pytest.mark.parametrize(
    "name", ["", " ", "x" * 65, "a b", "a/b", "../a", "..", "-", "a\n", "a\x00", "büro", "a;b", "a'b"]
)
def test_names_that_it_may_not_have(catalog: Catalog, name: str) -> None:
    with pytest.raises(InvalidInput, match="cannot be the name") as error:
        catalog.create_workspace(name)
    assert "1 to 64 letters" in error.value.advice


def test_workspaces_with_what_is_in_them(catalog: Catalog) -> None:
    catalog.create_workspace("zeta")
    catalog.create_workspace("acme")
    catalog.show(DOCUMENT)
    catalog.show(replace(DOCUMENT, document_id="e" * 64, chunks=3))
    catalog.save_document(replace(DOCUMENT, document_id="f" * 64, status="FAILED", reason="empty", chunks=0))
    found = [(each.workspace_id, each.documents, each.chunks) for each in catalog.workspaces()]
    assert found == [("acme", 2, 15), ("zeta", 0, 0)]
    assert catalog.workspaces()[0].created_at.startswith("20")
    assert catalog.has_workspace("acme")
    assert not catalog.has_workspace("other")


def test_a_document_comes_back_as_it_went_in_and_is_replaced(catalog: Catalog) -> None:
    catalog.save_document(DOCUMENT)
    assert catalog.document("acme", DOCUMENT.document_id) == DOCUMENT
    failed = replace(DOCUMENT, status="FAILED", reason="It broke. Mend it.", file_name="renamed.pdf", date=None)
    catalog.save_document(failed)
    assert catalog.documents("acme") == [failed]
    assert catalog.document("acme", "none") is None


def test_what_searches_see_changes_in_one_step(catalog: Catalog) -> None:
    place = "/data/report.pdf"
    old, new = (replace(DOCUMENT, document_id=letter * 64, source=place) for letter in "ab")
    catalog.save_document(old)
    catalog.found_at("acme", old.document_id, place)
    assert catalog.not_shown("acme") == [old.document_id], "not before it is shown"
    assert catalog.show(old, place) == []
    catalog.save_document(new)
    catalog.found_at("acme", new.document_id, place)
    assert catalog.not_shown("acme") == [new.document_id]
    assert catalog.has_other_version("acme", place, new.document_id)
    assert catalog.show(new, place) == [old]
    assert catalog.not_shown("acme") == catalog.going("acme") == [old.document_id]
    assert not catalog.has_other_version("acme", place, new.document_id)
    assert catalog.is_shown("acme", new.document_id)
    assert not catalog.is_shown("acme", old.document_id)
    catalog.save_document(replace(new, chunks=1))
    assert catalog.is_shown("acme", new.document_id), "saving changes nothing about it"
    catalog.hide("acme", new.document_id)
    assert [d.reason for d in catalog.documents("acme") if d.document_id == new.document_id] == ["It is being deleted."]


def test_a_document_stays_while_it_lies_anywhere(catalog: Catalog) -> None:
    catalog.show(DOCUMENT)
    for place in ("/one", "/two"):
        catalog.found_at("acme", DOCUMENT.document_id, place)
    assert sorted(catalog.sources("acme")) == ["/one", "/two"]
    assert catalog.take_over("acme", "/one") == []
    assert catalog.is_shown("acme", DOCUMENT.document_id)
    assert catalog.take_over("acme", "/two") == [DOCUMENT]
    assert not catalog.is_shown("acme", DOCUMENT.document_id)


def test_what_was_deleted_is_not_on_the_disk_any_more(catalog: Catalog, path: Path) -> None:
    secret = "the merger with Quillfeather is off"
    catalog.save_document(replace(DOCUMENT, reason=secret))
    catalog.save_parsed("acme", DOCUMENT.document_id, ParsedDocument([Page(1, secret * 50)]))
    assert any(secret.encode() in file.read_bytes() for file in path.parent.iterdir())
    catalog.delete_document("acme", DOCUMENT.document_id)
    assert not any(secret.encode() in file.read_bytes() for file in path.parent.iterdir())


def test_documents_are_listed_by_name(catalog: Catalog) -> None:
    for number, name in enumerate(["b.md", "a.md", "c.md"]):
        catalog.save_document(replace(DOCUMENT, document_id=str(number), file_name=name))
    assert [document.file_name for document in catalog.documents("acme")] == ["a.md", "b.md", "c.md"]
    assert catalog.documents("other") == []


def test_the_text_stays_with_the_document(catalog: Catalog) -> None:
    text = "Ünïcode “text” \U0001f9ca\n\n| a | b |" * 1000
    parsed = ParsedDocument([Page(1, text), Page(2, ""), Page(3, "end", "sheet Ütrecht")], "A title", "2026-03")
    catalog.save_document(DOCUMENT)
    catalog.save_parsed("acme", DOCUMENT.document_id, parsed)
    catalog.save_document(replace(DOCUMENT, chunks=13))
    assert catalog.text("acme", DOCUMENT.document_id) == parsed.text
    assert catalog.parsed("acme", DOCUMENT.document_id) == parsed
    assert catalog.title("acme", DOCUMENT.document_id) == "A title"
    assert catalog.text_chars("acme") == len(parsed.text)
    assert catalog.text("other", DOCUMENT.document_id) is None
    catalog.delete_document("acme", DOCUMENT.document_id)
    assert catalog.text("acme", DOCUMENT.document_id) is None
    assert catalog.documents("acme") == []


def test_a_workspace_goes_with_all_that_is_its_and_nothing_else(catalog: Catalog) -> None:
    catalog.create_workspace("other")
    for workspace in ("acme", "other"):
        catalog.save_document(replace(DOCUMENT, workspace_id=workspace))
        catalog.save_parsed(workspace, DOCUMENT.document_id, ParsedDocument([Page(1, "text")]))
    catalog.delete_workspace("acme")
    assert not catalog.has_workspace("acme")
    assert (catalog.documents("acme"), catalog.text("acme", DOCUMENT.document_id)) == ([], None)
    assert len(catalog.documents("other")) == 1
    assert catalog.text("other", DOCUMENT.document_id) == "text"


def test_looking_makes_no_folder(path: Path) -> None:
    catalog = Catalog(path)
    assert (catalog.workspaces(), catalog.has_workspace("a"), catalog.documents("a")) == ([], False, [])
    assert catalog.text("a", "b") is None
    assert not path.parent.exists()


def test_it_is_all_there_for_the_next_process(catalog: Catalog, path: Path) -> None:
    catalog.save_document(DOCUMENT)
    assert Catalog(path).documents("acme") == [DOCUMENT]


def test_many_threads_at_once(path: Path) -> None:
    errors: list[BaseException] = []

    def work(number: int) -> None:
        try:
            catalog = Catalog(path)
            catalog.create_workspace("acme")
            for n in range(5):
                catalog.save_document(replace(DOCUMENT, document_id=f"{number}-{n}"))
                catalog.save_parsed("acme", f"{number}-{n}", ParsedDocument([Page(1, "text")]))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(Catalog(path).documents("acme")) == 40


@pytest.mark.parametrize("content", [b"my diary" * 200, b"\x00" * 5000, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(DataFolderError, match="damaged or not a database of MASIS") as error:
        Catalog(path).create_workspace("acme")
    assert "move it away" in error.value.advice
    assert path.read_bytes() == content


def test_a_damaged_database(catalog: Catalog, path: Path) -> None:
    for number in range(50):
        catalog.save_document(replace(DOCUMENT, document_id=str(number)))
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(DataFolderError, match="damaged"):
        catalog.documents("acme")


def test_another_version_is_refused(catalog: Catalog, path: Path) -> None:
    db = sqlite3.connect(path)
    with db:
        db.execute("UPDATE catalog_version SET version = 1")
    db.close()
    with pytest.raises(DataFolderError, match="format 1, not 2"):
        catalog.workspaces()


def test_the_folder_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataFolderError) as error:
        Catalog(tmp_path / "file" / "masis.db").create_workspace("acme")
    assert "MASIS_HOME" in error.value.advice


def test_the_database_is_a_folder(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(DataFolderError):
        Catalog(path).create_workspace("acme")


def test_a_full_disk(catalog: Catalog, path: Path) -> None:
    """SQLite's own limit on pages fails exactly as a full disk does."""
    db = sqlite3.connect(path)
    pages = db.execute("PRAGMA page_count").fetchone()[0]
    db.close()
    original = sqlite3.connect

    def limited(*args: Any, **kwargs: Any) -> Any:
        connection = original(*args, **kwargs)
        connection.execute(f"PRAGMA max_page_count = {pages}")
        return connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite3, "connect", limited)
        catalog.save_document(DOCUMENT)
        with pytest.raises(DataFolderError, match="no space left") as error:
            catalog.save_parsed("acme", DOCUMENT.document_id, ParsedDocument([Page(1, "x" * 10_000_000)]))
    assert "Free some space" in error.value.advice
    assert catalog.document("acme", DOCUMENT.document_id) == DOCUMENT


def test_a_database_that_another_process_keeps_locked(
    catalog: Catalog, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("masis.knowledge.database._BUSY_SECONDS", 0.01)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("BEGIN EXCLUSIVE")
    with pytest.raises(DataFolderError, match="another process"):
        catalog.save_document(DOCUMENT)
    assert catalog.has_workspace("acme"), "reading goes on"
    db.execute("ROLLBACK")
    db.close()
    catalog.save_document(DOCUMENT)

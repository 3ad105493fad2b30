import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from masis.database import Database, open_database
from masis.errors import InvalidInput
from masis.knowledge.catalog import Catalog, check_workspace_name
from masis.knowledge.catalog_rows import CATALOG, position_of
from masis.settings import Settings
from masis.types import Document, Page, ParsedDocument

DOCUMENT = Document(
    "acme", "d" * 64, "report.pdf", "READY", pages=4, chunks=12, size_bytes=999, date="2026-03", created_at="2026-03-14"
)


@pytest.fixture
def settings(tmp_path: Path, database_url: str | None) -> Settings:
    return Settings(home=tmp_path / "home", database_url=database_url)


@pytest.fixture
def database(settings: Settings) -> Iterator[Database]:
    database = open_database(settings, CATALOG)
    yield database
    database.close()


@pytest.fixture
def catalog(database: Database) -> Catalog:
    catalog = Catalog(database)
    catalog.create_workspace("acme")
    return catalog


def test_only_a_document_that_is_there_and_stays_is_updated(catalog: Catalog) -> None:
    assert not catalog.update_document(DOCUMENT)
    assert catalog.documents("acme") == []
    catalog.show(DOCUMENT)
    assert catalog.update_document(replace(DOCUMENT, chunks=13))
    assert [document.chunks for document in catalog.documents("acme")] == [13]
    catalog.hide("acme", DOCUMENT.document_id)
    assert not catalog.update_document(DOCUMENT)
    assert [document.status for document in catalog.documents("acme")] == ["PROCESSING"]


def test_passages_that_the_index_must_have_and_those_it_may_have(catalog: Catalog) -> None:
    assert catalog.needed_passages("acme") == (0, [])
    catalog.show(DOCUMENT)
    catalog.save_document(replace(DOCUMENT, document_id="e" * 64))
    assert catalog.needed_passages("acme") == (12, ["e" * 64])


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


def test_it_is_all_there_for_the_next_process(catalog: Catalog, settings: Settings) -> None:
    catalog.save_document(DOCUMENT)
    again = open_database(settings, CATALOG)
    assert Catalog(again).documents("acme") == [DOCUMENT]
    again.close()


def test_documents_page_by_page(catalog: Catalog) -> None:
    for number, (name, status) in enumerate([("b", "READY"), ("a", "FAILED"), ("b", "FAILED"), ("B", "READY")]):
        catalog.save_document(replace(DOCUMENT, document_id=str(number), file_name=name, status=status))  # type: ignore[arg-type]
    first = catalog.documents("acme", limit=2)
    second = catalog.documents("acme", limit=2, after=position_of(first[-1]))
    assert [document.document_id for document in (*first, *second)] == ["3", "1", "0", "2"]
    assert catalog.documents("acme", limit=2, after=position_of(second[-1])) == []
    failed = catalog.documents("acme", status="FAILED")
    assert [document.document_id for document in failed] == ["1", "2"]
    assert catalog.documents("acme", status="FAILED", after=position_of(failed[0])) == failed[1:]
    with pytest.raises(InvalidInput, match="not a valid position"):
        catalog.documents("acme", after="none")


@pytest.mark.parametrize("name", ["{} of it", "x" * 400 + " {}"])
def test_a_page_goes_on_after_a_document_that_was_deleted(catalog: Catalog, name: str) -> None:
    for number in range(4):
        catalog.save_document(replace(DOCUMENT, document_id=str(number), file_name=name.format(number)))
    border = catalog.documents("acme", limit=2)[-1]
    rest = ["2", "3"]
    assert [document.document_id for document in catalog.documents("acme", after=position_of(border))] == rest
    catalog.delete_document("acme", border.document_id)
    following = [document.document_id for document in catalog.documents("acme", after=position_of(border))]
    assert following[-2:] == rest
    assert following == rest or len(name) > 300, "only a name too long for a position may come twice"
    assert len(position_of(border)) < 400


def test_what_was_read_at_a_place_and_inside_it(catalog: Catalog) -> None:
    places = ["/in/box.zip/a%_.txt", "/in/box.zip", "/in/box.zipped", "/in/BOX.zip/b.txt", None]
    for number, place in enumerate(places):
        catalog.save_document(replace(DOCUMENT, document_id=str(number), source=place))
    assert [document.document_id for document in catalog.documents_at("acme", "/in/box.zip")] == ["0", "1"]
    assert catalog.documents_at("other", "/in/box.zip") == []


def test_text_that_a_database_cannot_hold_keeps_its_places(catalog: Catalog, database_url: str | None) -> None:
    text = "before \x00\x00 after"
    catalog.save_document(DOCUMENT)
    catalog.save_parsed("acme", DOCUMENT.document_id, ParsedDocument([Page(1, text), Page(2, "next")]))
    kept = catalog.parsed("acme", DOCUMENT.document_id)
    expected = text.replace("\x00", "\ufffd") if database_url else text
    assert kept
    assert [page.text for page in kept.pages] == [expected, "next"]


def test_many_threads_at_once(settings: Settings) -> None:
    errors: list[BaseException] = []

    def work(number: int) -> None:
        try:
            database = open_database(settings, CATALOG)
            catalog = Catalog(database)
            catalog.create_workspace("acme")
            for n in range(5):
                catalog.save_document(replace(DOCUMENT, document_id=f"{number}-{n}"))
                catalog.save_parsed("acme", f"{number}-{n}", ParsedDocument([Page(1, "text")]))
            database.close()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    database = open_database(settings, CATALOG)
    assert len(Catalog(database).documents("acme")) == 40
    database.close()


def test_two_versions_that_are_finished_at_once(catalog: Catalog) -> None:
    """Whichever comes last stays alone; never do both go, or both stay."""
    place = "/data/report.pdf"
    for round_ in range(10):
        versions = [replace(DOCUMENT, document_id=f"{round_}-{n}", source=place) for n in range(4)]
        for version in versions:
            catalog.save_document(version)
            catalog.found_at("acme", version.document_id, place)
        threads = [threading.Thread(target=catalog.show, args=(version, place)) for version in versions]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        shown = [version for version in versions if catalog.is_shown("acme", version.document_id)]
        assert len(shown) == 1

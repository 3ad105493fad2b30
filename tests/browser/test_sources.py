"""Sources on the page: added, synced, looked at, taken away; and a search on chosen pages."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import running
from tests.support.browser import Witness
from tests.support.service import Service, ServiceHere


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("share") / "reports"
    folder.mkdir()
    (folder / "fleet.md").write_text("# Fleet\n\nThe ferry Halvorsen carried 4100 cars in spring.\n")
    (folder / "pages.txt").write_text("Whales were seen in May.\n\fWhales were seen in June.\n")
    return folder


@pytest.fixture(scope="module")
def service(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    yield from running(ServiceHere(tmp_path_factory.mktemp("service"), {"MASIS_SYNC_ALLOWED": str(folder)}))


def test_a_source_from_adding_to_removing(page: Page, service: Service, folder: Path, witness: Witness) -> None:
    with service.client() as client:
        client.post("/masis/workspaces", json={"name": "acme"}).raise_for_status()
    page.goto("/w/acme/documents")
    page.get_by_role("link", name="Sources").click()
    expect(page.get_by_text("No sources yet")).to_be_visible()
    witness.excuse("403")
    page.get_by_label("Address").fill("/etc")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("/etc may not be read through the service")
    page.get_by_label("Address").fill(str(folder))
    page.get_by_role("combobox", name="Sync").select_option("Every 15 minutes")
    page.get_by_role("button", name="Add", exact=True).click()
    row = page.get_by_role("list", name="Sources").locator("> li")
    expect(row).to_contain_text("In sync")
    expect(row).to_contain_text("every 15 minutes · next")
    expect(row).to_contain_text("2 new")
    row.get_by_text("What changed").click()
    expect(row).to_contain_text("fleet.md")

    (folder / "fleet.md").rename(folder / "boats.md")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    row.get_by_role("button", name=re.compile("^Sync ")).click()
    expect(row).to_contain_text("Partly in sync")
    expect(row).to_contain_text("1 renamed")
    expect(row.locator(".reason")).to_contain_text("broken.pdf")
    page.get_by_role("link", name="Documents", exact=True).click()
    expect(page.get_by_role("list", name="Documents")).to_contain_text("boats.md")

    page.go_back()
    row.get_by_role("button", name="Stop syncing").click()
    page.get_by_role("button", name="Stop syncing", exact=True).click()
    expect(page.get_by_text("No sources yet")).to_be_visible()


def test_a_search_on_chosen_pages(page: Page, service: Service, folder: Path) -> None:
    service.upload("whales", {"pages.txt": (folder / "pages.txt").read_bytes()})
    page.goto("/w/whales/search?q=whales")
    hits = page.get_by_role("list", name="Passages").get_by_role("listitem")
    expect(hits).to_have_count(2)
    page.get_by_role("button", name="In: all documents").click()
    page.get_by_role("textbox", name="Pages").fill("7-3")
    expect(page.get_by_text("is not a page or a range of pages")).to_be_visible()
    page.get_by_role("textbox", name="Pages").fill("2")
    expect(hits).to_have_count(1)
    expect(hits).to_contain_text("June")
    expect(page.get_by_role("button", name="In: page 2")).to_be_visible()

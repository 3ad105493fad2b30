"""An empty service, one click, and the first cited answer is on the screen."""

import re
import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import running
from tests.support.browser import Witness, violations
from tests.support.service import Service, ServiceHere


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    yield from running(ServiceHere(tmp_path_factory.mktemp("empty")))


def test_one_click_leads_from_nothing_to_the_first_cited_answer(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Answers you can defend")
    assert violations(page) == []
    page.get_by_role("button", name="Load the sample and ask").click()
    expect(page.get_by_role("list").filter(has_text="annual-report-2025.pdf")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_contain_text("root cause of the gateway outage", timeout=60_000)
    answer = page.get_by_role("region", name="Answer", exact=True)
    expect(answer).to_contain_text("expired TLS certificate")
    cause = answer.locator(".sentence", has_text="expired TLS certificate").first
    expect(cause.get_by_role("button", name="Source 1: post-mortem-gateway-outage.md")).to_be_visible()

    page.goto("/")
    expect(page.get_by_role("heading", name="Try one of these")).to_be_visible()
    page.get_by_role("button", name="How many patents does Tolmerick hold?").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("How many patents does Tolmerick hold?")


def test_a_new_workspace_is_invited_too_and_takes_dropped_files(page: Page, context: BrowserContext) -> None:
    page.goto("/")
    page.get_by_role("button", name="New workspace").click()
    page.get_by_role("textbox", name="Name").fill("acme")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("button", name="Load the sample and ask")).to_be_visible()
    expect(page.get_by_role("combobox", name="Workspace")).to_have_value("acme")
    # As a drag from the desktop ends: a drop with files in it.
    page.get_by_role("group", name="Drop files or folders here").evaluate(
        """(zone) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File(["# Note\\n\\nThe harbour office opened in 2019."], "note.md"));
            zone.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
        }"""
    )
    expect(page.get_by_role("heading", name="What do you want to know?")).to_be_visible()
    expect(page.get_by_text("Five agents read 1 document of acme")).to_be_visible()


def test_what_failed_and_what_was_there_twice_is_still_told_beside_the_question_box(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="New workspace").click()
    page.get_by_role("textbox", name="Name").fill("harbour")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("combobox", name="Workspace")).to_have_value("harbour")
    note = b"# Note\n\nThe harbour office opened in 2019."
    files = {"note.md": note, "note-again.md": note, "empty.md": b""}
    page.get_by_label("Files to upload").set_input_files(
        [{"name": name, "mimeType": "", "buffer": data} for name, data in files.items()]
    )
    expect(page.get_by_role("heading", name="What do you want to know?")).to_be_visible()
    report = page.get_by_role("region", name="Upload of")
    expect(report).to_contain_text("1 of 3 read, 1 failed, 1 already here")
    expect(report.get_by_role("listitem").filter(has_text="empty.md").locator(".reason")).to_contain_text("empty")
    expect(report.get_by_role("listitem").filter(has_text="note-again.md")).to_contain_text(
        "Already in the workspace as note.md"
    )
    assert violations(page) == []
    report.get_by_role("button", name="Dismiss the report").click()
    expect(report).to_have_count(0)
    expect(page.get_by_label("Your question")).to_be_visible()


def test_who_stops_the_sample_is_asked_nothing_and_can_finish_it(
    page: Page, tmp_path_factory: pytest.TempPathFactory, witness: Witness, may_read: threading.Event
) -> None:
    promptly = {"MASIS_LEASE_SECONDS": "2", "MASIS_POLL_SECONDS": "0.1"}
    for fresh in running(ServiceHere(tmp_path_factory.mktemp("stopped"), promptly)):
        witness.origin = fresh.url
        page.goto(fresh.url)
        page.get_by_role("button", name="Load the sample and ask").click()
        upload = page.get_by_role("region", name="Upload of 9 files")
        expect(upload.get_by_text("Searchable by keyword").first).to_be_visible()
        upload.get_by_role("button", name="Stop").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("What do you want to know?")
        expect(upload).to_contain_text("Stopped: 9 files")
        unfinished = page.get_by_role("region", name="not read to the end")
        expect(unfinished).to_contain_text(re.compile(r"by keyword at most: [\w-]+\.(?:pdf|docx|txt|html|md|csv)"))
        assert violations(page) == []
        may_read.set()
        unfinished.get_by_role("button", name="Finish reading the sample").click()
        expect(unfinished).to_have_count(0, timeout=90_000)
        expect(page.get_by_text("Five agents read 9 documents of sample")).to_be_visible()
        with fresh.client() as client:
            assert client.get("/masis/workspaces/sample/runs").json()["items"] == []
        page.close()

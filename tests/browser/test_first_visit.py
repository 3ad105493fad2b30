"""An empty service, one click, and the first cited answer is on the screen."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import running
from tests.support.browser import violations
from tests.support.service import Service


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    yield from running(Service(tmp_path_factory.mktemp("empty")))


def test_one_click_leads_from_nothing_to_the_first_cited_answer(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Answers you can defend")
    assert violations(page) == []
    page.get_by_role("button", name="Load the sample and ask").click()
    expect(page.get_by_role("list").filter(has_text="annual-report-2025.pdf")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_contain_text("root cause of the gateway outage", timeout=60_000)
    answer = page.get_by_role("region", name="Answer", exact=True)
    expect(answer).to_contain_text("expired TLS certificate")
    expect(answer.get_by_role("button", name="Source 1: post-mortem-gateway-outage.md")).to_be_visible()

    page.goto("/")
    expect(page.get_by_role("heading", name="Try one of these")).to_be_visible()
    page.get_by_role("button", name="How many patents does Tolmerick hold?").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("How many patents does Tolmerick hold?")


def test_a_new_workspace_is_invited_too_and_takes_dropped_files(page: Page, context: BrowserContext) -> None:
    page.goto("/")
    page.get_by_role("button", name="New workspace").click()
    page.get_by_role("textbox", name="Name").fill("acme")
    page.get_by_role("button", name="Make it").click()
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

"""Every view, in both themes, on a desk and on a phone: axe finds nothing, and nothing sticks out of the window."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import DESKTOP, PHONE, violations
from tests.support.deployment import until
from tests.support.service import Service

FIGURE = "How much was research and development expense in fiscal 2025?"
CONFLICT = "What was customer churn in fiscal 2025?"


@dataclass(frozen=True)
class Asked:
    answered: str
    waiting: str


@pytest.fixture(scope="module")
def asked(service: Service) -> Asked:
    asked = Asked(service.ask("tolmerick", FIGURE), service.ask("tolmerick", CONFLICT))
    path = "/masis/workspaces/tolmerick"
    with service.client() as client:
        client.post("/masis/workspaces", json={"name": "nothing"}).raise_for_status()
        client.put(f"{path}/runs/{asked.answered}/feedback", json={"verdict": "right"}).raise_for_status()
        client.put(f"{path}/runs/{asked.waiting}/feedback", json={"verdict": "wrong"}).raise_for_status()
        failing = {"address": f"{service.url}/nothing.md", "every": "1h"}
        client.post(f"{path}/sources", json=failing).raise_for_status()
        until(lambda: not client.get(f"{path}/sources").json()[0]["is_syncing"])
    return asked


def assert_good(page: Page) -> None:
    """As it stands, in both themes and at both widths: a view is loaded once, and looked at four times."""
    for size in (DESKTOP, PHONE):
        page.set_viewport_size(size)
        for theme in ("light", "dark"):
            page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
            assert violations(page, of_colours=theme == "dark") == [], f"{theme}, {size['width']} wide"
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, f"{size['width']} wide"


def open_source(page: Page, asked: Asked) -> None:
    page.goto(f"/w/tolmerick/runs/{asked.answered}")
    page.get_by_role("button", name="Source 1:").click()
    expect(page.get_by_role("img", name="Page 3 of annual-report-2025.pdf")).to_have_js_property("complete", True)


def open_text(page: Page, asked: Asked) -> None:
    open_source(page, asked)
    page.get_by_role("button", name="Text", exact=True).click()
    expect(page.get_by_role("region", name="Text of the page")).to_be_visible()


def open_trail(page: Page, asked: Asked) -> None:
    page.goto(f"/w/tolmerick/runs/{asked.waiting}")
    page.get_by_role("tab", name="Trail").click()
    page.get_by_text("Details of Critic").first.click()
    expect(page.get_by_label("Raw entry")).to_be_visible()


def at(address: str, heading: str) -> Callable[[Page, Asked], None]:
    def look(page: Page, asked: Asked) -> None:
        page.goto(address.format(answered=asked.answered, waiting=asked.waiting))
        expect(page.get_by_role("heading", level=1)).to_have_text(heading)
        page.wait_for_load_state("networkidle")

    return look


def open_help(page: Page, asked: Asked) -> None:
    page.goto("/w/tolmerick/runs")
    expect(page.get_by_role("link", name=CONFLICT).first).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()


def open_scope(page: Page, asked: Asked) -> None:
    page.goto("/w/tolmerick/search?q=customer+churn")
    page.get_by_role("button", name="In: all documents").click()
    expect(page.get_by_label("Pages")).to_be_visible()


def open_document(page: Page, asked: Asked) -> None:
    page.goto("/w/tolmerick/documents")
    page.get_by_role("link", name="annual-report-2025.pdf").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("annual-report-2025.pdf")
    page.wait_for_load_state("networkidle")


VIEWS: dict[str, Callable[[Page, Asked], None]] = {
    "ask": at("/w/tolmerick/ask", "What do you want to know?"),
    "answer": at("/w/tolmerick/runs/{answered}", FIGURE),
    "review": at("/w/tolmerick/runs/{waiting}", CONFLICT),
    "source": open_source,
    "source as text": open_text,
    "trail": open_trail,
    "runs and help": open_help,
    "search": at("/w/tolmerick/search?q=customer+churn", "Search"),
    "track record": at("/w/tolmerick/record", "Track record"),
    "sources": at("/w/tolmerick/sources", "Sources"),
    "scope": open_scope,
    "document": open_document,
    "documents": at("/w/tolmerick/documents", "Documents"),
    "settings": at("/settings", "Settings"),
    "invitation": at("/w/nothing/ask", "Answers you can defend"),
    "nowhere": at("/w/tolmerick/nowhere", "Page not found"),
}


@pytest.mark.parametrize("view", VIEWS)
def test_every_view(page: Page, asked: Asked, view: str) -> None:
    VIEWS[view](page, asked)
    assert_good(page)

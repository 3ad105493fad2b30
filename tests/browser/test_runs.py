"""The history: finding a run again, opening it, asking it again, taking it away as a file."""

import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.api.live import ANSWERED, DISPUTED, DOCUMENTS
from tests.support.service import Service

ELSEWHERE = "What does the lighthouse keeper earn?"


@pytest.fixture(scope="module")
def service(sample_service: Service) -> Service:
    sample_service.upload("history", {name: text.encode() for name, text in DOCUMENTS.items()})
    for question in (ANSWERED, DISPUTED, ELSEWHERE):
        sample_service.ask("history", question)
    return sample_service


def rows(page: Page) -> Locator:
    return page.get_by_role("list", name="Runs, newest first").get_by_role("listitem")


def test_searched_filtered_and_opened(page: Page) -> None:
    page.goto("/w/history/runs")
    expect(rows(page)).to_have_count(3)
    expect(rows(page).first).to_contain_text(ELSEWHERE)
    page.get_by_label("Search questions").fill("gateway")
    expect(rows(page)).to_have_count(1)
    page.get_by_label("Search questions").fill("no such words")
    expect(page.get_by_text("No matching runs.")).to_be_visible()
    page.get_by_label("Search questions").fill("")
    page.get_by_label("Outcome").select_option("answered")
    expect(rows(page)).to_have_count(1)
    expect(rows(page)).to_contain_text(ANSWERED)
    page.get_by_label("Outcome").select_option("")
    page.get_by_label("Status").select_option("waiting")
    expect(rows(page).filter(has_text=DISPUTED)).to_contain_text("Needs a decision")
    rows(page).filter(has_text=DISPUTED).get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(DISPUTED)
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Runs")
    expect(page.get_by_label("Status")).to_have_value("waiting")
    expect(rows(page).filter(has_text=ANSWERED)).to_have_count(0)
    page.get_by_label("Search questions").fill("gateway")
    expect(page).to_have_url(re.compile(r"/runs\?search=gateway&status=waiting$"))
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Runs").click()
    expect(page.get_by_label("Search questions")).to_have_value("")
    expect(rows(page).filter(has_text=ANSWERED)).to_be_visible()


def test_a_question_that_is_not_asked_yet_waits_for_its_writer(page: Page, service: Service) -> None:
    page.goto("/w/history/ask")
    page.get_by_label("Your question").fill("What did the harbour")
    page.get_by_role("link", name="Documents").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Documents")
    page.get_by_role("link", name="Ask", exact=True).click()
    expect(page.get_by_label("Your question")).to_have_value("What did the harbour")
    page.get_by_role("combobox", name="Workspace").select_option("tolmerick")
    expect(page.get_by_label("Your question")).to_have_value("")
    page.go_back()
    page.get_by_label("Your question").fill(ANSWERED)
    page.keyboard.press("Enter")
    expect(page.get_by_label("Ask a follow-up")).to_have_value("")


def test_a_long_question_is_shortened_where_it_was_asked_lately(page: Page, service: Service) -> None:
    service.ask("history", f"{ANSWERED} {'And what came of it? ' * 180}")
    page.goto("/w/history/ask")
    card = page.get_by_role("region", name="Recent questions").get_by_role("link").first
    expect(card).to_contain_text(re.compile("And what came of it.*…"))
    assert len(card.inner_text()) < 320


def test_asked_again_and_deleted(page: Page, service: Service) -> None:
    run_id = service.ask("history", "Was there a gateway outage root cause?")
    page.goto(f"/w/history/runs/{run_id}")
    page.get_by_role("button", name="Ask again").click()
    page.wait_for_url(lambda url: "/runs/" in url and run_id not in url)
    expect(page.get_by_label("Ask a follow-up")).to_be_visible()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete the run").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Runs")
    same = rows(page).filter(has_text="Was there a gateway outage")
    expect(same).to_have_count(1)
    same.get_by_role("button", name="Delete:").click()
    page.get_by_role("button", name="Delete the run").click()
    expect(same).to_have_count(0)


def test_exported_in_every_form(page: Page, service: Service) -> None:
    page.goto(f"/w/history/runs/{service.ask('history', ANSWERED)}")
    taken = {}
    for form in ("Markdown", "HTML", "PDF", "Word (DOCX)", "JSON"):
        page.get_by_role("button", name="Export").click()
        with page.expect_download() as download:
            page.get_by_role("button", name=form).click()
        path = Path(download.value.path())
        taken[Path(download.value.suggested_filename).suffix] = path.read_bytes()
    assert "expired TLS certificate" in taken[".md"].decode()
    assert "[^1]:" in taken[".md"].decode()
    assert taken[".html"].lstrip().lower().startswith(b"<!doctype html")
    assert taken[".pdf"].startswith(b"%PDF-")
    assert "word/document.xml" in zipfile.ZipFile(io.BytesIO(taken[".docx"])).namelist()
    assert json.loads(taken[".json"])

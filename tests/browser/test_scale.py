"""Five thousand runs, five hundred pages: the page fetches and draws what is looked at, and no more."""

import io
import re
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.browser import Witness
from tests.support.service import Service

RUNS, PAGES, CITED = 5000, 500, 317
ANCHOR = "The anchor of the Halcyon weighs 412 kilograms."


@pytest.fixture(scope="module")
def service(sample_service: Service) -> Service:
    sample_service.upload("large", {"ledger.pdf": ledger()})
    write_history(sample_service)
    return sample_service


def ledger() -> bytes:
    """Every page says the same but one: the vector of a text is computed once."""
    from reportlab.pdfgen.canvas import Canvas

    buffer = io.BytesIO()
    canvas = Canvas(buffer, invariant=True)
    for page in range(1, PAGES + 1):
        canvas.drawString(72, 700, ANCHOR if page == CITED else "This page of the ledger was left without an entry.")
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def write_history(service: Service) -> None:
    """Straight into the table: asking five thousand questions would take an hour."""
    began = datetime(2026, 1, 1, tzinfo=UTC)
    rows = [
        (
            f"{index:016x}",
            f"Question {index} about the ledger",
            (began + timedelta(minutes=index)).isoformat(timespec="milliseconds"),
        )
        for index in range(RUNS)
    ]
    with sqlite3.connect(service.home / "masis.db", timeout=30) as db:
        db.executemany(
            "INSERT INTO runs (run_id, workspace_id, question, status, outcome, confidence, created_at, started_at,"
            " finished_at, attempts, requires_human_review, asked_by, model_calls, input_tokens, output_tokens,"
            " cost_usd) VALUES (?, 'large', ?, 'finished', 'answered', 0.9, ?3, ?3, ?3, 1, 0, 'local', 3, 0, 0, 0)",
            rows,
        )


def test_a_long_history_is_drawn_as_far_as_it_is_scrolled(page: Page, witness: Witness) -> None:
    page.goto("/w/large/runs")
    rows = page.get_by_role("list", name="Runs, newest first").get_by_role("listitem")
    expect(rows.first).to_contain_text(f"Question {RUNS - 1} about")
    page.wait_for_load_state("networkidle")
    assert rows.count() <= 400
    assert page.evaluate("document.querySelectorAll('*').length") < 8000
    fetched = len(listings(witness))
    seen = rows.count()
    rows.last.scroll_into_view_if_needed()
    expect(rows.nth(seen)).to_be_attached()
    assert len(listings(witness)) - fetched <= 3
    page.get_by_label("Search questions").fill("Question 4321 ")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Question 4321 about the ledger")


def test_a_page_of_the_history_that_is_refused_is_not_asked_for_without_end(page: Page, witness: Witness) -> None:
    witness.excuse("503")
    refusal = {"status": 503, "detail": "The database does not answer.", "code": "unavailable"}
    page.route("**/runs?*cursor=*", lambda route: route.fulfill(status=503, json=refusal))
    page.goto("/w/large/runs")
    page.get_by_role("button", name="Show more").scroll_into_view_if_needed()
    expect(page.get_by_role("alert")).to_contain_text("The database does not answer.")
    page.wait_for_timeout(500)
    assert len([url for url in listings(witness) if "cursor=" in url]) <= 2
    page.unroute_all()
    page.get_by_role("button", name="Show more").click()
    expect(page.get_by_role("alert")).to_have_count(0)


def listings(witness: Witness) -> list[str]:
    return [url for url in witness.requests if "/runs?" in url]


def test_a_long_pdf_opens_at_the_cited_page_alone(page: Page, ask: Callable[..., None], witness: Witness) -> None:
    ask("How much does the anchor of the Halcyon weigh?", "large")
    page.get_by_role("region", name="Answer", exact=True).get_by_role("button", name="Source 1: ledger.pdf").click()
    source = page.get_by_role("complementary", name="Source")
    image = source.get_by_role("img", name=f"Page {CITED} of ledger.pdf, the cited words marked")
    expect(image).to_have_js_property("complete", True)
    source.get_by_role("button", name="Next page").click()
    expect(source.get_by_role("img", name=f"Page {CITED + 1} of ledger.pdf")).to_have_js_property("complete", True)
    images = [url for url in witness.requests if re.search(r"/pages/\d+\.png", url)]
    assert 2 <= len(images) <= 4
    assert not [url for url in witness.requests if "/original" in url]


def test_the_question_can_be_typed_before_any_listing_has_come(page: Page) -> None:
    held: list[Route] = []
    page.route(re.compile(r"/workspaces/large/"), lambda route: held.append(route))
    page.goto("/w/large/ask", wait_until="commit")
    page.get_by_label("Your question").fill("How much does the anchor weigh?")
    assert held, "nothing was asked for, so nothing was waited for"
    for route in held:
        route.continue_()

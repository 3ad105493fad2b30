"""Living with answers: a follow-up in its thread, a question to chosen documents."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.support.browser import PHONE, violations
from tests.support.service import Service

EXPENSE = "How much was research and development expense in fiscal 2025?"


def test_a_follow_up_is_completed_shown_edited_and_keeps_the_scope_of_its_thread(
    page: Page, ask: Callable[[str], None]
) -> None:
    page.goto("/w/tolmerick/ask")
    page.get_by_role("button", name="In: all documents").click()
    page.get_by_role("group", name="Documents").get_by_label("annual-report-2025.pdf").check()
    page.get_by_label("Dated from").fill("20x5")
    expect(page.get_by_text("is not a date: write 2024")).to_be_visible()
    page.get_by_label("Dated from").fill("2025")
    page.get_by_label("Your question").fill(EXPENSE)
    page.get_by_role("button", name="Ask", exact=True).click()
    heading, answer = page.get_by_role("heading", level=1), page.get_by_role("region", name="Answer", exact=True)
    expect(answer).to_contain_text("22.7")
    scope = re.compile(r"In: annual-report-2025\.pdf · dated 2025 or later")
    expect(page.get_by_text(scope).first).to_be_visible()

    expect(page.get_by_role("button", name="And the year before?")).to_be_visible()
    page.get_by_label("Ask a follow-up").fill("And the year before?")
    page.keyboard.press("Enter")
    expect(heading).to_have_text("How much was research and development expense in fiscal 2024?")
    expect(page.get_by_text("You asked: “And the year before?”")).to_be_visible()
    expect(answer).to_contain_text("19.8")
    expect(page.get_by_text(scope).first).to_be_visible()
    turns = page.get_by_role("navigation", name="Thread").get_by_role("link")
    expect(turns).to_have_count(2)
    expect(turns.last).to_have_attribute("aria-current", "page")
    assert violations(page) == []

    page.get_by_role("button", name="Edit the question").click()
    box = page.get_by_label("Ask a follow-up")
    expect(box).to_have_value("How much was research and development expense in fiscal 2024?")
    box.fill("When does the term loan from Lakehead Mutual Bank mature?")
    page.get_by_role("button", name="Everywhere").click()
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(heading).to_have_text("When does the term loan from Lakehead Mutual Bank mature?")
    expect(page.get_by_text("You asked:")).to_have_count(0)
    expect(page.get_by_role("button", name="In: all documents")).to_be_visible()
    expect(turns).to_have_count(3)
    turns.first.click()
    expect(heading).to_have_text(EXPENSE)
    page.get_by_role("link", name="Continue at the last question of this thread").click()
    expect(heading).to_have_text("When does the term loan from Lakehead Mutual Bank mature?")

    page.get_by_role("button", name="Which document says so?").click()
    expect(heading).to_contain_text("Which document says: “")
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.reload()
    current = page.get_by_role("navigation", name="Thread").locator('[aria-current="page"]')
    expect(current).to_be_in_viewport(ratio=0.9)


def test_a_search_shows_passages_as_one_types_opens_them_in_place_and_asks_about_one(page: Page) -> None:
    page.goto("/w/tolmerick/ask")
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Search").click()
    box, hits = (
        page.get_by_label("Words, or a question"),
        page.get_by_role("list", name="Passages").get_by_role("listitem"),
    )
    expect(box).to_be_focused()
    page.keyboard.type("customer churn")
    expect(hits.first).to_contain_text("7.4%")
    expect(hits.first.locator("mark").first).to_have_text("Customer")
    expect(hits.first).not_to_contain_text("#")
    assert page.url.endswith("/search?q=customer%20churn")
    page.get_by_role("button", name="In: all documents").click()
    page.get_by_role("group", name="Types").get_by_label("DOCX").check()
    expect(hits.filter(has_text="annual-report-2025.pdf")).to_have_count(0)
    expect(hits.first).to_contain_text("board-memo-2026-02.docx")
    hits.first.get_by_role("button", name="Open").click()
    expect(
        page.get_by_role("complementary", name="Source").locator("mark").filter(has_text="9.1%").first
    ).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Close the source").click()
    hits.first.get_by_role("button", name="Ask about this passage").click()
    page.get_by_label("Ask about this passage").fill("What was customer churn in fiscal 2025?")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Answer", exact=True)).to_contain_text("9.1%")
    expect(page.get_by_text("In: board-memo-2026-02.docx · page 1").first).to_be_visible()


def test_what_people_say_of_an_answer_is_kept_and_counted(page: Page, service: Service) -> None:
    service.upload("judged", {"plan.md": b"# Plan\n\nThe harbour office opened in 2019. It has 14 berths."})
    runs = [
        service.ask("judged", question)
        for question in ("When was the harbour office opened?", "How many berths are there?")
    ]
    page.goto(f"/w/judged/runs/{runs[0]}")
    feedback = page.get_by_role("region", name="Feedback")
    feedback.get_by_role("button", name="Right: the answer").click()
    # The year of an opening is not what a figure is for.
    expect(page.get_by_role("button", name="Which document says so?")).to_be_visible()
    expect(page.get_by_role("button", name="And the year before?")).to_have_count(0)
    expect(feedback.get_by_role("button", name="Right: the answer")).to_have_attribute("aria-pressed", "true")
    page.goto(f"/w/judged/runs/{runs[1]}")
    feedback.get_by_role("button", name="Wrong: the answer").click()
    feedback.get_by_role("button", name="wrong figure").click()
    feedback.get_by_role("button", name="Save").click()
    expect(feedback).to_contain_text("because wrong figure")
    page.reload()
    expect(feedback).to_contain_text("because wrong figure")
    page.get_by_role("link", name="Runs").click()
    page.get_by_role("link", name="Track record").click()
    expect(page.get_by_text("1 of 2 judged answers were right (50%).")).to_be_visible()
    expect(page.get_by_role("table").first).to_contain_text("Share right")
    assert violations(page) == []
    page.get_by_role("link", name="How many berths are there?").click()
    expect(feedback.get_by_role("button", name="Wrong: the answer")).to_have_attribute("aria-pressed", "true")


def test_where_the_documents_are_silent_the_closest_passages_stand_open_and_the_question_is_put_more_widely(
    page: Page, service: Service
) -> None:
    files = {
        "tides.md": b"# Tides\n\nThe tide rises by 3 metres.",
        "office.md": b"# Office\n\nThe harbour office opened in 2019.",
    }
    service.upload("silent", files)
    page.goto("/w/silent/search?q=harbour")
    page.get_by_role("button", name="In: all documents").click()
    page.goto("/w/silent/ask")
    page.get_by_role("button", name="In: all documents").click()
    page.get_by_role("group", name="Documents").get_by_label("tides.md").check()
    page.get_by_label("Your question").fill("Who bakes the bread of the canteen in 2019?")
    page.get_by_role("button", name="Ask", exact=True).click()
    closest = page.get_by_role("region", name="Closest passages")
    expect(closest).to_contain_text("The tide rises by 3 metres.")
    # Silence is said once, and is sure of nothing.
    read = "\n".join(page.locator(".run-head, .pipeline .now, #panel").all_inner_texts())
    assert re.findall("not covered|not answer|close enough|not cover", read, re.IGNORECASE) == ["Not covered"], read
    assert not re.search("confidence|likely", read)
    page.get_by_role("button", name="Ask without the period").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Who bakes the bread of the canteen?")
    expect(page.get_by_text("In: tides.md").first).to_be_visible()
    page.get_by_role("button", name="Ask all documents").click()
    expect(page.get_by_role("button", name="In: all documents")).to_be_visible()
    expect(page.get_by_role("button", name="Ask all documents")).to_have_count(0)
    page.get_by_role("link", name="Search for these words").click()
    expect(page.get_by_label("Words, or a question")).to_have_value("Who bakes the bread of the canteen?")


def test_after_an_upload_documents_are_introduced_with_questions_they_answer(page: Page, service: Service) -> None:
    words = "The harbour company runs the port and the market.", "Cargo revenue in fiscal 2025 was $12.4 million."
    report = f"# Harbour Report\n\n{words[0]}\n\n## Traffic\n\n{words[1]}".encode()
    service.upload("fresh", {"harbour.md": report})
    page.goto("/w/fresh/ask")
    page.get_by_role("group").get_by_text("harbour.md").click()
    expect(page.get_by_role("heading", name="Main figures")).to_be_visible()
    expect(page.get_by_role("link", name="The harbour company runs the port and the market.")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("link", name="Cargo revenue in fiscal 2025 was $12.4 million.").click()
    expect(page.get_by_role("region", name="Text of the page").locator("mark")).to_contain_text("$12.4 million")
    page.get_by_text("Overview and questions").click()
    page.get_by_role("button", name="What was Cargo revenue in fiscal 2025?").click()
    expect(page.get_by_role("region", name="Answer", exact=True)).to_contain_text("$12.4 million")
    expect(page.get_by_text("In: harbour.md").first).to_be_visible()

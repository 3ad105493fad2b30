"""A run that needs a person: what they see, every way on, and the answer that comes of it."""

import re
import threading

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.api.live import DISPUTED, DOCUMENTS
from tests.support.browser import PHONE, WATCHED, quality_of, violations
from tests.support.service import Service

REFINED = "What was the root cause of the gateway outage?"
SAMPLE_CONFLICT = "What was customer churn in fiscal 2025?"


@pytest.fixture(scope="module")
def service(sample_service: Service) -> Service:
    sample_service.upload("disputed", {name: text.encode() for name, text in DOCUMENTS.items()})
    sample_service.upload("lone", {"note.md": b"# Note\n\nThe harbour office opened in 2019."})
    return sample_service


@pytest.fixture
def disputed(page: Page, service: Service) -> Page:
    page.goto(f"/w/disputed/runs/{service.ask('disputed', DISPUTED)}")
    expect(review_of(page)).to_be_visible()
    return page


def review_of(page: Page) -> Locator:
    return page.get_by_role("region", name="Needs a decision")


def supervisor_of(page: Page) -> Locator:
    return page.get_by_role("region", name="Agents at work").get_by_role("listitem").filter(has_text="Supervisor")


def announced(page: Page) -> Locator:
    """What a screen reader is told of the run."""
    return page.locator(".pipeline [aria-live]")


def answer_of(page: Page) -> Locator:
    return page.get_by_role("region", name="Answer", exact=True)


def test_the_conflict_of_the_sample_is_settled_and_remembered(page: Page, service: Service) -> None:
    page.add_init_script(WATCHED)
    page.goto("/w/tolmerick/ask")
    page.get_by_label("Your question").fill(SAMPLE_CONFLICT)
    page.keyboard.press("Enter")
    conflict = review_of(page).get_by_role("group", name="customer churn (2025)")
    for said, file, place in (
        ("9.1%", "board-memo-2026-02.docx", "page 1 · dated 24 February 2026"),
        ("7.4%", "annual-report-2025.pdf", "page 2 · dated 12 March 2026"),
    ):
        side = conflict.locator(".conflict-side").filter(has_text=file)
        expect(side).to_contain_text(said)
        expect(side).to_contain_text(place)
    expect(page.get_by_role("region", name="Best draft")).to_be_hidden()
    page.get_by_text("The best draft, with its verdicts").click()
    expect(page.get_by_role("region", name="Best draft")).to_contain_text("The documents do not agree on this")
    assert sum(page.evaluate("window.shifts")) < 0.02, "what is read was pushed away"
    quality = quality_of(page)
    expect(quality.get_by_label("Faithfulness")).to_be_visible()
    expect(quality.get_by_role("img", name="Confidence by attempt")).to_be_visible()
    page.get_by_role("tab", name="Answer").click()

    conflict.locator(".conflict-side").filter(has_text="7.4%").get_by_role("button", name="Open").click()
    image = page.get_by_role("img", name="Page 2 of annual-report-2025.pdf, the cited words marked")
    expect(image).to_have_js_property("complete", True)
    page.get_by_role("button", name="Close the source").click()

    page.get_by_role("tab", name="Trail").click()
    trail = page.get_by_role("tabpanel", name="Trail")
    expect(trail.get_by_role("heading", name="Attempt 3")).to_be_visible()
    expect(trail).to_contain_text("Sent back: the documents disagree; a wider search may resolve it.")
    comparison = trail.get_by_role("region", name="Compare attempts")
    expect(comparison).to_contain_text("What the Critic said about attempt 1")
    comparison.get_by_label("to").select_option(label="attempt 1")
    expect(comparison).to_contain_text("The two drafts are identical.")
    page.get_by_role("tab", name="Answer").click()

    expect(page.get_by_label("Who decides")).to_be_hidden()
    page.get_by_text("Other options").click()
    page.get_by_label("Reason, or a rule to remember").fill("Audited figures win.")
    page.get_by_role("checkbox", name="Apply this").check()
    page.get_by_label("Who decides").fill("Ada")
    conflict.get_by_role("button", name="Trust this: annual-report-2025.pdf").click()
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    expect(answer_of(page)).to_contain_text("Customer churn in fiscal 2025 was 7.4%")
    expect(answer_of(page)).to_contain_text("rests on the decision of Ada to trust annual-report-2025.pdf")
    expect(review_of(page)).to_be_hidden()
    expect(page.get_by_role("heading", name="Decisions")).to_be_visible()

    page.get_by_label("Ask a follow-up").fill("How high was customer churn in fiscal 2025?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("How high was customer churn")
    expect(answer_of(page)).to_contain_text("7.4%")
    expect(answer_of(page)).to_contain_text("decision of Ada")
    page.get_by_role("link", name="Settings").click()
    expect(page.get_by_text("Audited figures win.")).to_be_visible()
    page.get_by_role("button", name="Delete the decision").click()
    expect(page.get_by_text("None. Tick “Apply this to later questions”")).to_be_visible()


def test_both_sides_are_explained(disputed: Page) -> None:
    expect(announced(disputed)).to_have_text("")
    disputed.get_by_text("Other options").click()
    review_of(disputed).get_by_role("button", name="Explain both sides").click()
    expect(answer_of(disputed)).to_contain_text("7.4%")
    expect(answer_of(disputed)).to_contain_text("9.1%")
    expect(disputed.get_by_text("asked to have both sides explained")).to_be_visible()
    expect(answer_of(disputed)).to_contain_text("rests on the decision of the person at this machine to show")
    expect(announced(disputed)).to_have_text(re.compile("^Answered"))
    disputed.get_by_role("tab", name="Trail").click()
    trail = disputed.get_by_role("tabpanel")
    expect(trail).to_contain_text("A person decided, and the agents continued.")
    expect(trail).to_contain_text("Supervisor continues: a person decided")
    expect(trail.get_by_text("answered by person")).to_have_count(0)


def test_the_question_is_refined(disputed: Page) -> None:
    disputed.get_by_text("Other options").click()
    box = disputed.get_by_label("Ask this instead")
    expect(box).to_have_value(DISPUTED)
    ask = disputed.get_by_role("button", name="Ask the refined question")
    expect(ask).to_be_disabled()
    box.fill(REFINED)
    ask.click()
    expect(answer_of(disputed)).to_contain_text("expired TLS certificate")
    expect(disputed.get_by_role("heading", level=1)).to_have_text(REFINED)
    expect(disputed.get_by_text(f"asked first: {DISPUTED}")).to_be_visible()
    expect(disputed).to_have_title(re.compile(re.escape(REFINED)))
    disputed.get_by_role("button", name="Copy with footnotes").click()
    expect(disputed.get_by_role("status").filter(has_text="Copied")).to_be_visible()
    copied = disputed.evaluate("navigator.clipboard.readText()")
    assert f"Question: {REFINED}\nAsked first: {DISPUTED}\n" in copied
    disputed.get_by_role("button", name="Export").click()
    with disputed.expect_download() as download:
        disputed.get_by_text("Markdown").click()
    assert download.value.path().read_text().startswith(f"# {REFINED}\n\nAsked first: ")
    disputed.keyboard.press("Escape")
    disputed.get_by_role("button", name="Ask again").click()
    expect(disputed.get_by_text("asked first")).to_have_count(0)
    expect(disputed.get_by_role("heading", level=1)).to_have_text(REFINED)


def test_a_copied_draft_says_that_it_is_one(disputed: Page) -> None:
    disputed.get_by_role("button", name="Copy with footnotes").click()
    expect(disputed.get_by_role("status").filter(has_text="Copied")).to_be_visible()
    copied = disputed.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"Draft. Needs a decision: the documents disagree\n\nQuestion: {DISPUTED}\n\n")


def test_two_conflicts_between_the_same_documents_are_decided_together(page: Page, service: Service) -> None:
    run_id, is_decided = service.ask("disputed", DISPUTED), threading.Event()

    def doubled(route: Route) -> None:
        if is_decided.is_set():
            route.continue_()
            return
        result = route.fetch().json()
        (conflict,) = result["review"]["conflicts"]
        other = {**conflict, "about": "revenue", "sides": conflict["sides"][::-1]}
        result["review"]["conflicts"] = [conflict, other]
        route.fulfill(json=result)

    page.route("**/result", doubled)
    page.goto(f"/w/disputed/runs/{run_id}")
    trusted = review_of(page).get_by_role("button", name="Trust this: annual-report.md")
    expect(trusted).to_have_count(2)
    expect(review_of(page)).to_contain_text("Conflicts between the same documents are decided together.")
    is_decided.set()
    trusted.last.click()
    expect(answer_of(page)).to_contain_text("7.4%")


def test_on_a_phone_many_attempts_stay_in_one_line_with_the_last_in_sight(disputed: Page) -> None:
    disputed.set_viewport_size(PHONE)
    disputed.get_by_role("button", name="Steps").click()
    attempts = disputed.get_by_role("region", name="Agents at work").get_by_role("button", name="Attempt")
    for made in (4, 6):
        disputed.get_by_text("Other options").click()
        disputed.get_by_role("button", name="Search again without adding documents").click()
        expect(attempts).to_have_count(made)
        expect(review_of(disputed)).to_be_visible()
    assert len({attempt.evaluate("chip => chip.offsetTop") for attempt in attempts.all()}) == 1
    disputed.evaluate("scrollTo(0, 0)")
    expect(attempts.last).to_be_in_viewport(ratio=1)
    attempts.last.focus()
    for _ in range(5):
        disputed.keyboard.press("Shift+Tab")
    disputed.keyboard.press("Enter")
    expect(attempts.first).to_have_attribute("aria-pressed", "true")
    expect(attempts.first).to_be_in_viewport(ratio=1)
    assert violations(disputed) == []
    assert disputed.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_the_draft_is_accepted_as_it_is(disputed: Page) -> None:
    disputed.get_by_text("Other options").click()
    review_of(disputed).get_by_role("button", name="Accept the draft as is").click()
    expect(disputed.get_by_text("accepted the draft as it was")).to_be_visible()
    expect(answer_of(disputed)).to_contain_text("The documents do not agree on this")


def test_it_is_stopped(disputed: Page) -> None:
    disputed.get_by_text("Other options").click()
    review_of(disputed).get_by_role("button", name="Stop here").click()
    expect(disputed.get_by_text("The person at this machine: ended the run")).to_be_visible()
    expect(review_of(disputed)).to_be_hidden()
    disputed.get_by_role("button", name="Steps").click()
    expect(supervisor_of(disputed)).to_contain_text("ends the run, as a person decided")
    expect(announced(disputed)).to_have_text("The documents disagree.")


def test_what_is_missing_is_dropped_in_and_the_run_goes_on(page: Page, service: Service) -> None:
    page.goto(f"/w/lone/runs/{service.ask('lone', 'What was the root cause of the gateway outage?')}")
    silence = page.get_by_role("region", name="Not covered by the documents")
    expect(silence).to_contain_text("with terms the documents use")
    files = page.get_by_label("Files to upload")
    files.set_input_files({"name": "post-mortem.md", "mimeType": "", "buffer": DOCUMENTS["post-mortem.md"].encode()})
    expect(answer_of(page)).to_contain_text("expired TLS certificate")
    expect(answer_of(page).get_by_role("button", name="Source 1: post-mortem.md")).to_be_visible()
    expect(page.get_by_text("asked for another search")).to_be_visible()
    passed = re.compile(r"^Confidence by attempt\. attempt 2: (6[5-9]|[7-9]\d|100)%\. 65% is needed\.$")
    expect(quality_of(page).get_by_role("img", name=passed)).to_be_visible()


def test_where_nothing_was_drafted_nothing_is_scored(page: Page, service: Service) -> None:
    page.goto(f"/w/lone/runs/{service.ask('lone', 'hello')}")
    expect(review_of(page)).to_contain_text("not a question for documents")
    quality = quality_of(page)
    expect(quality).to_contain_text("Nothing was drafted, so there is nothing to score.")
    expect(quality.get_by_text("%")).to_have_count(0)
    expect(quality.get_by_text("is covered")).to_have_count(0)
    page.get_by_role("link", name="Runs").click()
    expect(page.get_by_role("listitem").filter(has_text="hello")).not_to_contain_text("confidence")

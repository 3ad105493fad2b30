"""A run that takes its time: nothing that happens to the page, the connection or the service loses any of it."""

import re
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from masis import Masis, Settings
from tests.browser.conftest import telling
from tests.support.browser import WATCHED, Witness, quality_of
from tests.support.deployment import until
from tests.support.relay import Relay
from tests.support.service import Service
from tests.support.storyteller import Storyteller

QUESTION = "What was revenue in 2025?"
STORY = "Revenue was $12 million in 2025. [{id}]"
LONG_STORY = " ".join([STORY] * 12)
CUT = tuple(f"ERR_{how}" for how in ("CONNECTION_REFUSED", "CONNECTION_RESET", "INCOMPLETE_CHUNKED", "EMPTY_RESPONSE"))
LENGTHS = """
window.lengths = new Set();
new MutationObserver(() => {
  window.lengths.add(document.querySelector("[aria-label=Draft] .answer")?.textContent.length ?? 0);
}).observe(document, { childList: true, characterData: true, subtree: true });
"""


@pytest.fixture(scope="module")
def service(storyteller: Storyteller, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A process, which a test may kill."""
    yield from telling(storyteller, tmp_path_factory.mktemp("killed"), Service)


@pytest.fixture(autouse=True)
def held(storyteller: Storyteller) -> Iterator[Storyteller]:
    """The draft is written, and waits to be audited."""
    storyteller.story, storyteller.pause = STORY, 0.0
    storyteller.may_end.clear()
    yield storyteller
    storyteller.story, storyteller.pause = STORY, 0.0
    storyteller.objections.clear()
    storyteller.may_end.set()


def draft_of(page: Page) -> Locator:
    return page.get_by_role("region", name="Draft", exact=True)


def answer_of(page: Page) -> Locator:
    return page.get_by_role("region", name="Answer", exact=True)


def critic_of(page: Page) -> Locator:
    return page.get_by_role("region", name="Agents at work").get_by_role("listitem").filter(has_text="Critic")


def test_a_refresh_and_a_second_tab_show_the_same_run(
    page: Page, context: BrowserContext, ask: Callable[..., None], held: Storyteller
) -> None:
    ask(QUESTION, "acme")
    expect(draft_of(page)).to_contain_text("Revenue was $12 million in 2025.")
    expect(critic_of(page)).to_contain_text("at work")
    page.reload()
    expect(draft_of(page)).to_contain_text("Revenue was $12 million in 2025.")
    expect(critic_of(page)).to_contain_text("at work")
    second = context.new_page()
    second.goto(page.url)
    expect(draft_of(second)).to_contain_text("Revenue was $12 million in 2025.")
    held.may_end.set()
    for each in (page, second):
        expect(answer_of(each).get_by_role("button", name="verbatim")).to_be_visible()
        expect(quality_of(each).get_by_label("Faithfulness")).to_be_visible()


def test_a_run_that_failed_goes_on_from_where_it_was(
    page: Page, ask: Callable[..., None], service: Service, held: Storyteller
) -> None:
    ask(QUESTION, "acme")
    expect(critic_of(page)).to_contain_text("at work")
    fail(service, page.url.rsplit("/", 1)[1])
    expect(page.get_by_role("alert")).to_contain_text("This run failed")
    held.may_end.set()
    page.get_by_role("button", name="Resume").click()
    expect(answer_of(page).get_by_role("button", name="verbatim")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def fail(service: Service, run_id: str) -> None:
    """As if its worker had met a fault: that one finds the run out of its hands."""
    with closing(Masis(Settings(home=service.home))) as masis:
        with masis._parts.database.reading() as db:
            owner = db.execute("SELECT owner FROM jobs WHERE subject = ?", (run_id,)).fetchone()[0]
        masis._parts.runs.failed(run_id, owner, [], "ZeroDivisionError: division by zero")


def test_is_cancelled_everywhere(
    page: Page, context: BrowserContext, ask: Callable[..., None], service: Service
) -> None:
    ask(QUESTION, "acme")
    expect(critic_of(page)).to_contain_text("at work")
    second = context.new_page()
    second.goto(page.url)
    expect(second.get_by_role("button", name="Cancel")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    for each in (page, second):
        expect(each.get_by_text("This run was cancelled.")).to_be_visible()
        expect(each.get_by_role("button", name="Cancel")).to_be_hidden()
    assert service.record("acme", page.url.rsplit("/", 1)[1])["status"] == "cancelled"


def test_text_comes_piece_by_piece_and_nothing_jumps(page: Page, ask: Callable[..., None], held: Storyteller) -> None:
    page.add_init_script(f"{WATCHED}{LENGTHS}")
    held.story, held.pause = LONG_STORY, 0.015
    ask(QUESTION, "acme")
    expect(draft_of(page)).to_contain_text("Revenue was")
    # What moves half a second after a click counts, and a busy machine takes longer to open the run.
    page.evaluate("window.shifts = []")
    expect(draft_of(page)).to_have_text(re.compile(r"(Revenue was[^R]*){12}"))
    assert page.evaluate("window.lengths.size") > 2
    held.may_end.set()
    expect(answer_of(page).get_by_role("button", name="verbatim").first).to_be_visible()
    assert sum(page.evaluate("window.shifts")) < 0.05


def test_a_second_attempt_says_why_the_first_was_sent_back(
    page: Page, ask: Callable[..., None], held: Storyteller
) -> None:
    held.objections, held.pause = ["The year before is not mentioned."], 0.02
    ask(QUESTION, "acme")
    expect(draft_of(page)).to_contain_text("Attempt 1 was sent back: no sound answer yet; a wider search may find one.")
    expect(draft_of(page)).to_contain_text("Critic: missing: The year before is not mentioned.")
    held.may_end.set()
    expect(answer_of(page).get_by_role("button", name="verbatim")).to_be_visible()
    expect(page.get_by_text("was sent back")).to_have_count(0)
    page.get_by_role("tab", name="Trail").click()
    comparison = page.get_by_role("region", name="Compare attempts")
    expect(comparison).to_contain_text("[1: report.md, page 1]")
    expect(comparison).to_contain_text("Missing: The year before is not mentioned.")


def test_a_run_that_is_deleted_elsewhere_says_so(
    page: Page, ask: Callable[..., None], service: Service, held: Storyteller, witness: Witness
) -> None:
    witness.excuse("404")
    ask(QUESTION, "acme")
    expect(critic_of(page)).to_contain_text("at work")
    with service.client() as client:
        path = f"/masis/workspaces/acme/runs/{page.url.rsplit('/', 1)[1]}"
        client.post(f"{path}/cancel").raise_for_status()
        held.may_end.set()
        until(lambda: client.delete(path).status_code < 300)
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("It may have been deleted.")
    page.get_by_role("link", name="All runs").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Runs")


def test_what_happened_while_the_connection_was_lost_is_caught_up_with(
    browser: Browser, service: Service, held: Storyteller
) -> None:
    relay = Relay(service.port)
    witness = Witness(relay.url)
    witness.excuse(*CUT)
    context = browser.new_context(base_url=relay.url)
    context.on("page", witness.watch)
    page = context.new_page()
    page.goto("/w/acme/ask")
    page.get_by_label("Your question").fill(QUESTION)
    page.keyboard.press("Enter")
    expect(critic_of(page)).to_contain_text("at work")
    relay.cut()
    expect(page.get_by_text("Connection lost.")).to_be_visible()
    held.may_end.set()
    run_id = page.url.rsplit("/", 1)[1]
    until(lambda: service.record("acme", run_id)["status"] == "finished")
    relay.mend()
    expect(answer_of(page).get_by_role("button", name="verbatim")).to_be_visible()
    expect(page.get_by_text("Connection lost.")).to_be_hidden()
    context.close()
    relay.cut()
    assert witness.faults == []


def test_the_service_dies_and_comes_back_and_so_does_the_answer(
    page: Page, ask: Callable[..., None], service: Service, held: Storyteller, witness: Witness
) -> None:
    witness.excuse(*CUT)
    ask(QUESTION, "acme")
    expect(critic_of(page)).to_contain_text("at work")
    service.kill()
    expect(page.get_by_text("Connection lost. Reconnecting; the run continues without this page.")).to_be_visible()
    expect(draft_of(page)).to_contain_text("Revenue was $12 million in 2025.")
    held.may_end.set()
    service.start()
    expect(answer_of(page).get_by_role("button", name="verbatim")).to_be_visible()
    expect(page.get_by_text("Connection lost.")).to_be_hidden()

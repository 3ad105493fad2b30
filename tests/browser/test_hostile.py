"""Documents and models may say what they like: it is shown, and does nothing."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import quality_of
from tests.support.service import Service
from tests.support.storyteller import Storyteller

RUNS_CODE = (
    "<script>window.hacked=1</script>"
    '<img src=x onerror="window.hacked=2">'
    "<svg onload=window.hacked=3></svg>"
    '<iframe srcdoc="<script>parent.hacked=4</script>"></iframe>'
)
LOADS = (
    "[click me](javascript:window.hacked=5) ![pixel](http://attacker.example/pixel.png) "
    '<link rel=stylesheet href="http://attacker.example/a.css"> '
    "[free]( data:text/html,<script>window.hacked=6</script>)"
)
DISGUISED = "invoice\u202egpj.exe and pass\u200bword and \u2066isolated\u2069"
HOSTILE = f"# {RUNS_CODE}\n\nRevenue was $12 million in 2025. {RUNS_CODE}\n\n{LOADS}\n\n{DISGUISED}\n"
FILE = '"><img src=x onerror=window.hacked=7>.md'
HIDDEN = "\u202e\u202d\u202a\u2066\u2067\u2069"


@pytest.fixture(scope="module")
def service(told_service: Service) -> Service:
    told_service.upload("hostile", {FILE: HOSTILE.encode()})
    return told_service


@pytest.fixture(autouse=True)
def hostile_story(storyteller: Storyteller) -> Iterator[None]:
    before = storyteller.story
    yield
    storyteller.story = before


def assert_harmless(page: Page) -> None:
    assert page.evaluate("window.hacked") is None
    made = page.locator("#app").locator(
        "script, iframe, link, svg[onload], img[onerror], a[href^='javascript'], a[href^='data']"
    )
    expect(made).to_have_count(0)
    assert not set(HIDDEN) & set(page.locator("body").inner_text())


def test_a_hostile_document_is_text_wherever_it_is_shown(
    page: Page, ask: Callable[..., None], storyteller: Storyteller
) -> None:
    storyteller.story = "Revenue was $12 million in 2025. [{id}]"
    page.goto("/w/hostile/documents")
    expect(page.get_by_role("link", name="onerror=window.hacked=7")).to_be_visible()
    assert_harmless(page)
    page.get_by_role("link", name="onerror=window.hacked=7").click()
    expect(page.get_by_text("<script>window.hacked=6</script>")).to_be_visible()
    assert_harmless(page)
    ask("What was revenue in 2025?", "hostile")
    citation = page.get_by_role("button", name="Source 1:")
    expect(page.get_by_role("region", name="Answer", exact=True)).to_contain_text("$12 million")
    citation.hover()
    expect(page.get_by_role("tooltip")).to_contain_text("<script>")
    assert_harmless(page)
    citation.click()
    expect(page.get_by_role("complementary", name="Source").locator("mark").first).to_be_visible()
    assert_harmless(page)
    page.get_by_role("tab", name="Trail").click()
    page.get_by_text("The whole result as JSON").click()
    expect(page.locator("pre").last).to_contain_text("window.hacked=1")
    assert_harmless(page)


def test_a_hostile_answer_and_question_are_text(page: Page, ask: Callable[..., None], storyteller: Storyteller) -> None:
    storyteller.story = f"{RUNS_CODE} **Revenue** was $12 million in 2025. {LOADS} {DISGUISED} [{{id}}]"
    ask(f"What was revenue in 2025? {RUNS_CODE}", "hostile")
    expect(page.get_by_label("Ask a follow-up")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_contain_text("<script>window.hacked=1</script>")
    answer = page.get_by_role("region", name="Answer", exact=True)
    expect(answer).to_contain_text("[click me](javascript:window.hacked=5)")
    assert_harmless(page)
    page.goto("/w/hostile/runs")
    expect(page.get_by_role("link", name="<script>window.hacked=1</script>").first).to_be_visible()
    assert_harmless(page)


def test_a_citation_that_was_made_up_is_struck_through_with_its_reason(
    page: Page, ask: Callable[..., None], storyteller: Storyteller
) -> None:
    # Nothing would be left of it without its false sentence: it is shown as it was written.
    storyteller.story = "Profit was $3 million in 2025. [cmadeup0000]"
    ask("What were revenue and profit in 2025?", "acme")
    expect(page.get_by_label("Ask a follow-up")).to_be_visible()
    shown = page.get_by_role("tabpanel", name="Answer")
    struck = shown.locator("s", has_text="[cmadeup0000]").first
    expect(struck).to_be_visible()
    expect(shown.locator(".false-citation").first).to_contain_text("no passage", ignore_case=True)
    expect(shown.get_by_role("button", name="fabricated citation").first).to_be_visible()
    audit = quality_of(page)
    expect(audit.locator("s", has_text="[cmadeup0000]")).to_be_visible()
    expect(audit).to_contain_text("Capped by code")


def test_a_sentence_that_is_cut_for_its_made_up_citation_is_named_in_the_trail(
    page: Page, ask: Callable[..., None], storyteller: Storyteller
) -> None:
    storyteller.story = "Revenue was $12 million in 2025. [{id}] Profit was $3 million in 2025. [cmadeup0000]"
    ask("What were revenue and profit in 2025?", "acme")
    expect(page.get_by_label("Ask a follow-up")).to_be_visible()
    shown = page.get_by_role("tabpanel", name="Answer")
    expect(shown).to_contain_text("$12 million")
    expect(shown).not_to_contain_text("$3 million")
    page.get_by_role("tab", name="Trail").click()
    page.get_by_text("The whole result as JSON").click()
    expect(page.locator("pre").last).to_contain_text("cmadeup0000")


def test_the_policy_lets_nothing_in_from_elsewhere(page: Page) -> None:
    answer = page.goto("/w/acme/ask")
    assert answer
    policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert {policy[f"{kind}-src"] for kind in ("script", "style", "connect", "img", "font")} == {"'self'"}
    assert policy["base-uri"] == policy["frame-ancestors"] == "'none'"
    html = answer.text()
    assert "<style" not in html
    assert " style=" not in html
    assert html.count("<script") == html.count("<script src=") + html.count('<script type="module" src=')

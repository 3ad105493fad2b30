"""Asking, reading the answer, and following a sentence to the words it rests on."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.sources.files import pdf_of
from tests.support.browser import DESKTOP, PHONE, Witness, quality_of, violations
from tests.support.service import Service

OUTAGE = "What was the root cause of the gateway outage?"
FROM_A_PDF = "How much was research and development expense in fiscal 2025?"
AGENTS = ("Supervisor", "Researcher", "Synthesizer", "Critic", "Evaluator")


def test_agents_work_then_each_sentence_has_its_verdict_and_its_source(page: Page, ask: Callable[[str], None]) -> None:
    ask(OUTAGE)
    agents = page.get_by_role("region", name="Agents at work").get_by_role("listitem")
    expect(agents).to_have_count(len(AGENTS))
    answer = page.get_by_role("region", name="Answer", exact=True)
    expect(answer.get_by_role("button", name="verbatim").first).to_be_visible()
    # The answer comes first: its agents on one line, how sure it is in words, once, and no scores.
    assert answer.locator(".answer").evaluate("answer => answer.getBoundingClientRect().top") < 0.35 * DESKTOP["height"]
    expect(page.get_by_text("likely right")).to_have_count(1)
    expect(page.get_by_text("Faithfulness")).to_have_count(0)
    page.get_by_role("button", name="Steps").click()
    for agent, title in zip(agents.all(), AGENTS, strict=True):
        expect(agent).to_contain_text(f"{title}done")
    expect(agents.nth(1)).to_contain_text(re.compile(r"\d passages?(, \d+ set aside: \w+)?"))
    expect(agents.nth(3)).to_contain_text(re.compile(r"[1-9]\d* verbatim"))
    page.get_by_role("button", name="Hide steps").click()

    verdict = answer.get_by_role("button", name="verbatim").first
    page.keyboard.press("j")
    expect(verdict).to_be_focused()
    expect(page.get_by_role("tooltip")).to_contain_text("The source says this word for word.")
    expect(verdict.locator("svg")).to_be_visible()
    page.keyboard.press("Escape")
    answer.get_by_role("button", name="What the signs mean").click()
    legend = page.get_by_role("dialog", name="What the signs mean")
    expect(legend).to_contain_text("not in sourceThe cited passage does not say this.")
    legend.get_by_role("button", name="Done").click()
    citation = answer.get_by_role("button", name="Source 1: post-mortem-gateway-outage.md, page 1").first
    citation.hover()
    passage = page.get_by_role("tooltip")
    expect(passage.locator("mark")).to_contain_text("expired TLS certificate")
    expect(passage).to_contain_text("post-mortem-gateway-outage.md")
    page.mouse.move(0, 0)
    expect(passage).to_be_hidden()
    citation.click()
    source = page.get_by_role("complementary", name="Source")
    text = source.get_by_role("region", name="Text of the page")
    expect(text.locator("mark")).to_contain_text("expired TLS certificate")
    expect(text.locator("mark")).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(page.get_by_role("complementary", name="Evidence")).to_be_visible()
    expect(citation).to_be_focused()
    # Closing something asks for no explanation of what is behind it.
    page.wait_for_timeout(100)
    expect(passage).to_be_hidden()


def test_a_pdf_opens_at_its_page_with_the_words_marked_on_the_image_and_in_the_text(
    page: Page, service: Service
) -> None:
    run_id = service.ask("tolmerick", FROM_A_PDF)
    page.goto(f"/w/tolmerick/runs/{run_id}")
    page.get_by_role("button", name="Source 1: annual-report-2025.pdf, page 3").click()
    source = page.get_by_role("complementary", name="Source")
    image = source.get_by_role("img", name="Page 3 of annual-report-2025.pdf, the cited words marked")
    expect(image).to_have_js_property("complete", True)
    assert image.evaluate("image => image.naturalWidth") > 500
    # A row of a table is read with the name of its column.
    expect(source.locator(".cited")).to_contain_text("22.7 (Fiscal 2025")
    expect(source.locator(".cited")).not_to_contain_text("|")
    source.get_by_role("button", name="Text", exact=True).click()
    marks = source.get_by_role("region", name="Text of the page").locator("mark")
    expect(marks.first).to_be_visible()
    assert "22.7" in " ".join(marks.all_inner_texts())
    table = source.get_by_role("table").filter(has_text="Research and development expense")
    expect(table.get_by_role("columnheader", name="Fiscal 2025")).to_be_visible()
    # The whole row is cited; the sentence repeats one of its cells.
    expect(table.locator("td.said")).to_have_text("22.7")
    expect(table.locator("td.said mark")).to_be_in_viewport()
    source.get_by_role("button", name="Next page").click()
    expect(source.get_by_role("combobox", name="Page")).to_have_value("4")
    expect(marks).to_have_count(0)
    source.get_by_role("link", name="Whole document").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("annual-report-2025.pdf")
    expect(page.get_by_role("img", name="Page 1 of annual-report-2025.pdf")).to_be_visible()


IN_SIGHT = """
async (image, [start, end]) => {
  const address = new URL(image.src.replace(".png?", "/marks?"));
  address.searchParams.set("start", start);
  address.searchParams.set("end", end);
  const marks = await (await fetch(address)).json();
  const [frame, picture] = [image.parentElement, image].map((each) => each.getBoundingClientRect());
  return marks.length > 0 && marks.every((mark) => frame.left <= picture.left + mark.left * picture.width
    && picture.left + mark.right * picture.width <= frame.right
    && frame.top <= picture.top + mark.top * picture.height
    && picture.top + mark.bottom * picture.height <= frame.bottom);
}
"""


LETTERS = """
async (image) => {
  const marks = await (await fetch(image.src.replace(".png?", "/marks?"))).json();
  return Math.min(...marks.map((mark) => (mark.bottom - mark.top) * image.getBoundingClientRect().height));
}
"""


def test_on_a_phone_lines_as_wide_as_the_page_are_opened_large_enough_to_read_and_scroll(
    page: Page, service: Service
) -> None:
    words = (
        "The board approved a service centre in Lyon for £3.4 million, because engineers waited two days for parts. "
    )
    lines = [
        f"The minutes of item {n} were read aloud, corrected and approved by all who were present." for n in range(25)
    ]
    minutes = pdf_of(*lines, words * 2, *lines, None, "Nobody asked for the floor.")
    page.set_viewport_size(PHONE)
    service.upload("board", {"minutes.pdf": minutes})
    run_id = service.ask("board", "Why did the board approve a service centre in Lyon?")
    page.goto(f"/w/board/runs/{run_id}")
    page.get_by_role("button", name="Source 1: minutes.pdf, page 1").first.click()
    frame = page.get_by_role("region", name="Page image")
    image = frame.get_by_role("img")
    expect(frame).not_to_have_js_property("scrollTop", 0)
    assert image.evaluate(LETTERS) >= 11
    # Where the words begin, and sideways inside the frame: the page itself does not scroll.
    begins = """async (image) => {
      const [first] = await (await fetch(image.src.replace(".png?", "/marks?"))).json();
      const [frame, picture] = [image.parentElement, image].map((each) => each.getBoundingClientRect());
      const [left, top] = [picture.left + first.left * picture.width, picture.top + first.top * picture.height];
      return frame.left <= left && left <= frame.right - 40 && frame.top <= top && top <= frame.bottom - 11;
    }"""
    assert image.evaluate(begins)
    assert frame.evaluate("frame => frame.scrollWidth - frame.clientWidth") > 40
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    # Nor is a page that nobody cited.
    page.get_by_role("button", name="Next page").click()
    expect(page.get_by_role("img", name=re.compile("the cited words marked"))).to_have_count(0)
    assert width_of(frame.get_by_role("img")) >= 600


def test_a_whole_column_is_compared_in_a_table_that_breaks_no_word(
    page: Page, service: Service, ask: Callable[..., None]
) -> None:
    names = [f"Bakkerij Van {name} en Zonen" for name in ("Alphen", "Breda", "Culemborg", "Dordrecht", "Eindhoven")]
    rows = [f"{name},{(n + 2) * 41_017},{(n + 3) * 37_113}" for n, name in enumerate(names)]
    customers = "\n".join(["Customers,Revenue 2024 (EUR),Revenue 2025 (EUR)", *rows])
    service.upload("bakers", {"customers.csv": customers.encode()})
    page.set_viewport_size({"width": 1280, "height": 800})
    ask("Compare revenue of all customers", "bakers")
    answer = page.get_by_role("region", name="Answer", exact=True)
    expect(answer.get_by_role("rowheader")).to_have_text(names)
    for row in answer.locator("tbody tr").all():
        expect(row.get_by_role("button", name="Source ")).to_have_count(3)
        expect(row.get_by_role("button", name="supported")).to_have_count(1)
    frame, broken = (
        answer.get_by_role("group", name="Table"),
        "words => words.filter((each) => each.height > 30).length",
    )
    assert frame.evaluate(f"frame => ({broken})({SINGLE_WORDS})") == 0
    assert frame.evaluate("frame => frame.scrollWidth - frame.clientWidth") <= 0
    page.set_viewport_size(PHONE)
    assert frame.evaluate(f"frame => ({broken})({SINGLE_WORDS})") == 0
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    # The names of the rows stay beside what is scrolled to.
    frame.evaluate("frame => frame.scrollTo({ left: 500 })")
    expect(answer.get_by_role("rowheader").first).to_be_in_viewport()
    expect(answer.get_by_role("columnheader", name="Customers")).to_be_in_viewport()
    assert violations(page) == []


SINGLE_WORDS = """[...frame.querySelectorAll("bdi")].flatMap((bdi) => {
  const text = bdi.firstChild;
  return [...text.data.matchAll(/\\S+/g)].map(({ index, 0: word }) => {
    const range = document.createRange();
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    return range.getBoundingClientRect();
  });
})"""


@pytest.mark.parametrize("size", [{"width": 1280, "height": 420}, {**PHONE, "height": 480}], ids=["desk", "phone"])
def test_a_page_opens_with_the_cited_figure_in_sight_and_large_enough_to_read(
    page: Page, service: Service, size: dict[str, int]
) -> None:
    page.set_viewport_size(size)
    run_id = service.ask("tolmerick", FROM_A_PDF)
    with service.client() as client:
        result = client.get(f"/masis/workspaces/tolmerick/runs/{run_id}/result").json()
    [cited] = result["claims"][0]["citations"]
    start = cited["start"] + cited["quote"].index("22.7")
    page.goto(f"/w/tolmerick/runs/{run_id}")
    page.get_by_role("button", name="Source 1: annual-report-2025.pdf, page 3").click()
    frame = page.get_by_role("region", name="Page image")
    image, zoom = frame.get_by_role("img"), page.get_by_role("group", name="Zoom")
    expect(frame).not_to_have_js_property("scrollTop", 0)
    assert image.evaluate(IN_SIGHT, [start, start + len("22.7")])
    opened = width_of(image)
    assert image.evaluate(LETTERS) >= 11
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    # As wide as its frame, and larger again: the words stay in sight.
    page.keyboard.press("0")
    expect(zoom).to_contain_text("Fits")
    assert opened > 1.25 * width_of(image)
    assert image.evaluate(IN_SIGHT, [cited["start"], cited["end"]])
    zoom.get_by_role("button", name="Larger").click()
    expect(zoom).to_contain_text("150%")
    assert image.evaluate(IN_SIGHT, [start, start + len("22.7")])


def width_of(image: Locator) -> float:
    box = image.bounding_box()
    assert box
    return box["width"]


def test_of_a_deleted_document_the_passage_is_shown_that_the_run_kept(
    page: Page, service: Service, witness: Witness
) -> None:
    witness.excuse("404")
    words = "The harbour office opened in 2019."
    service.upload("harbour", {"harbour.md": f"# Harbour\n\n{words}".encode(), "other.md": b"# Other\n\nA tide."})
    run_id = service.ask("harbour", "When was the harbour office opened?")
    page.goto(f"/w/harbour/runs/{run_id}")
    row = page.get_by_role("region", name="Sources").get_by_role("button", name="harbour.md")
    expect(row).to_be_visible()
    expect(row).not_to_contain_text("no longer in the workspace")
    with service.client() as client:
        listed = client.get("/masis/workspaces/harbour/documents").json()["items"]
        gone = next(each["document_id"] for each in listed if each["file_name"] == "harbour.md")
        client.delete(f"/masis/workspaces/harbour/documents/{gone}").raise_for_status()
    page.reload()
    expect(row).to_contain_text("no longer in the workspace")
    row.click()
    source = page.get_by_role("complementary", name="Source")
    expect(source).to_contain_text("harbour.md was deleted or replaced; this is the passage saved with the run.")
    kept = source.get_by_role("region", name="Passage saved with the run")
    expect(kept.locator("mark")).to_contain_text("The harbour office opened in 2019")
    expect(source.get_by_role("link", name="Whole document")).to_have_count(0)
    expect(source.get_by_role("button", name="Try again")).to_have_count(0)
    assert gone not in source.inner_text()
    assert violations(page) == []


def test_a_run_that_failed_says_so_in_plain_words(page: Page, service: Service) -> None:
    run_id = service.ask("tolmerick", OUTAGE)
    raw = "ValueError: Can't find saved data 'x' <b>in</b> the checkpoint"

    def failed(route: Route) -> None:
        record = route.fetch().json() | {"status": "failed", "outcome": None, "error": raw}
        route.fulfill(json=record)

    page.route(f"**/masis/workspaces/tolmerick/runs/{run_id}", failed)
    page.goto(f"/w/tolmerick/runs/{run_id}")
    note = page.get_by_role("alert")
    expect(note).to_contain_text("This run failed: unexpected error, probably a bug.")
    expect(note.get_by_text("ValueError")).to_be_hidden()
    note.get_by_text("Details for the administrator").click()
    expect(note.get_by_label("The error")).to_contain_text(raw)
    expect(note.get_by_label("The error")).to_contain_text(run_id)
    quality = quality_of(page)
    expect(quality).to_contain_text("No scores: the run ended before there was an answer to score.")
    page.get_by_role("tab", name="Answer").click()
    expect(page.get_by_role("heading", name="Unfinished draft")).to_be_visible()
    expect(page.get_by_role("region", name="Answer", exact=True)).to_have_count(0)
    assert violations(page) == []


def test_copies_with_footnotes(page: Page, service: Service) -> None:
    page.goto(f"/w/tolmerick/runs/{service.ask('tolmerick', OUTAGE)}")
    page.get_by_role("button", name="Copy with footnotes").click()
    expect(page.get_by_role("status").filter(has_text="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"Question: {OUTAGE}")
    assert "message broker.[1]" in copied.replace(" [", "[")
    assert "[1] post-mortem-gateway-outage.md, page 1, 22 September 2025: “The root cause" in copied


def test_quality_of_an_answer_and_its_trail(page: Page, service: Service) -> None:
    page.goto(f"/w/tolmerick/runs/{service.ask('tolmerick', OUTAGE)}")
    quality = quality_of(page)
    for score in ("Faithfulness", "Relevance", "Completeness", "Reasoning"):
        expect(quality.get_by_label(score)).to_be_visible()
    expect(quality).to_contain_text("Is everything in the answer in the evidence?")
    chart = re.compile(r"^Confidence by attempt\. attempt 1: (9\d|100)%")
    expect(quality.get_by_role("img", name=chart)).to_be_visible()
    expect(quality).to_contain_text(re.compile(r"[1-9]\d* citations?; none false"))
    expect(quality).to_contain_text("Every part of the question is covered.")
    expect(quality.get_by_role("row", name="Synthesizer")).to_contain_text("nothing")

    page.get_by_role("tab", name="Trail").click()
    trail = page.get_by_role("tabpanel", name="Trail")
    critic = trail.get_by_role("listitem").filter(has_text="Details of Critic")
    critic.get_by_text("Details of Critic").click()
    expect(critic.get_by_label("Raw entry")).to_contain_text('"raw_confidence"')
    expect(critic).to_contain_text("confidence before penalties")


def test_the_whole_way_by_keyboard_alone(page: Page) -> None:
    page.goto("/w/tolmerick/ask")
    expect(page.get_by_label("Your question")).to_be_focused()
    page.keyboard.type(OUTAGE)
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Answer", exact=True)).to_contain_text("expired TLS certificate")
    page.keyboard.press("j")
    expect(page.get_by_role("button", name="verbatim").first).to_be_focused()
    page.keyboard.press("o")
    source = page.get_by_role("complementary", name="Source")
    expect(source.get_by_role("heading", name="post-mortem-gateway-outage.md")).to_be_focused()
    expect(source.get_by_role("region", name="Text of the page").locator("mark")).to_be_visible()
    page.keyboard.press("Escape")
    expect(source).to_be_hidden()
    page.keyboard.press("g")
    page.keyboard.press("r")
    expect(page.get_by_role("heading", level=1)).to_have_text("Runs")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.keyboard.press("/")
    expect(page.get_by_label("Your question")).to_be_focused()


def test_in_print_the_answer_stands_alone(page: Page, service: Service) -> None:
    page.goto(f"/w/tolmerick/runs/{service.ask('tolmerick', OUTAGE)}")
    expect(page.get_by_role("region", name="Answer", exact=True)).to_contain_text("expired TLS certificate")
    page.emulate_media(media="print")
    expect(page.get_by_role("navigation", name="Main")).to_be_hidden()
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_hidden()
    expect(page.get_by_role("button", name="Export")).to_be_hidden()
    answer = page.get_by_role("region", name="Answer", exact=True)
    expect(answer).to_contain_text("verbatim")
    expect(page.get_by_role("region", name="Sources")).to_contain_text("post-mortem-gateway-outage.md")

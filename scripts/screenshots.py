"""Takes the screenshots of the page, docs/images/page-*.png, with a real service, the sample and a real browser."""

import io
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import httpx
from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from masis.api.routes.sample import QUESTIONS
from tests.support.browser import DESKTOP, PATIENCE_MS, PHONE, launched
from tests.support.deployment import until
from tests.support.service import OVER, Service

SAMPLE = Path(__file__).parent.parent / "examples" / "tolmerick"
PICTURES = Path(__file__).parent.parent / "docs" / "images"
WORKSPACE = "tolmerick"
_, CONFLICT, SILENCE, SEVERAL, FIGURE = (each.question for each in QUESTIONS)
FOLLOW_UP = "And the year before?"
MIXED = "acme"
"""Some documents of the sample, synced with a folder, as a user's workspace would look."""
FILES = ("annual-report-2025.pdf", "board-memo-2026-02.docx", "quarterly-figures.csv", "strategy-2026-2028.md")
TABLE = "List revenue by region in fiscal 2025."
OUTAGE = "What was the root cause of the gateway outage and how long did it last?"
COLOURS = 200


def main() -> None:
    expect.set_options(timeout=PATIENCE_MS)
    # The name appears in a picture.
    synced = Path(tempfile.gettempdir()) / "acme-reports"
    with tempfile.TemporaryDirectory() as folder:
        service = Service(Path(folder), {"MASIS_SYNC_ALLOWED": str(synced)})
        service.start()
        try:
            keep_in_sync(service, synced)
            take_all(service)
        finally:
            service.close()
            shutil.rmtree(synced)


def keep_in_sync(service: Service, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for name in FILES:
        shutil.copy(SAMPLE / name, folder)
    path = f"/masis/workspaces/{MIXED}/sources"
    with service.client() as client:
        client.post("/masis/workspaces", json={"name": MIXED}).raise_for_status()
        client.post(path, json={"address": str(folder), "every": "15m"}).raise_for_status()
        until(lambda: all(each["status"] == "synced" for each in client.get(path).json()), seconds=300)


def take_all(service: Service) -> None:
    with service.client() as client:
        client.post(f"/masis/workspaces/{WORKSPACE}/sample?wait=true").raise_for_status()
        until(lambda: are_read(client), seconds=300)
    asked = (SILENCE, SEVERAL, FIGURE, CONFLICT, OUTAGE, TABLE)
    runs = {question: service.ask(WORKSPACE, question) for question in asked}
    runs[FOLLOW_UP] = followed_up(service, runs[FIGURE])
    with sync_playwright() as playwright:
        browser = launched(playwright)
        for theme in ("light", "dark"):
            for size in (DESKTOP, PHONE):
                take(browser, service, theme, size["width"] < DESKTOP["width"], runs)
        browser.close()


def are_read(client: httpx.Client) -> bool:
    found = client.get(f"/masis/workspaces/{WORKSPACE}/documents").json()["items"]
    return len(found) == len(list(SAMPLE.iterdir())) and all(each["status"] == "READY" for each in found)


def followed_up(service: Service, run_id: str) -> str:
    """A follow-up question about a figure, and feedback on two answers."""
    path = f"/masis/workspaces/{WORKSPACE}/runs"
    with service.client() as client:
        client.put(f"{path}/{run_id}/feedback", json={"verdict": "right"}).raise_for_status()
        asked = {"query": FOLLOW_UP, "thread_id": run_id}
        made: str = client.post(path, json=asked).raise_for_status().json()["run_id"]
        until(lambda: service.record(WORKSPACE, made)["status"] in OVER)
        wrong = {"verdict": "wrong", "reason": "something is missing"}
        client.put(f"{path}/{made}/feedback", json=wrong).raise_for_status()
    return made


def take(browser: Browser, service: Service, theme: str, on_phone: bool, runs: dict[str, str]) -> None:
    stored = {"origin": service.url, "localStorage": [{"name": "masis.theme", "value": theme}]}
    context = browser.new_context(
        base_url=service.url,
        viewport=PHONE if on_phone else DESKTOP,
        device_scale_factor=2 if on_phone else 1,
        storage_state={"cookies": [], "origins": [stored]},
        reduced_motion="reduce",
        locale="en-GB",
    )
    page = context.new_page()
    for name, look in VIEWS.items():
        look(page, runs)
        page.wait_for_load_state("networkidle")
        keep(page.screenshot(), PICTURES / f"page-{name}-{theme}{'-phone' if on_phone else ''}.png")
    context.close()


def keep(picture: bytes, path: Path) -> None:
    """Uses a palette: a third of the size, without a visible difference."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def at(address: str, heading: str, workspace: str = WORKSPACE) -> Callable[[Page, dict[str, str]], None]:
    def look(page: Page, runs: dict[str, str]) -> None:
        page.goto(f"/w/{workspace}/{address}")
        expect(page.get_by_role("heading", level=1)).to_have_text(heading)

    return look


def run_of(question: str) -> Callable[[Page, dict[str, str]], None]:
    def look(page: Page, runs: dict[str, str]) -> None:
        page.goto(f"/w/{WORKSPACE}/runs/{runs[question]}")
        expect(page.locator(".next-question")).to_be_attached()

    return look


def source(page: Page, runs: dict[str, str]) -> None:
    run_of(FIGURE)(page, runs)
    page.get_by_role("button", name="Source 1:").click()
    expect(page.get_by_role("img", name="the cited words marked")).to_have_js_property("complete", True)
    expect(page.get_by_role("region", name="Page image")).not_to_have_js_property("scrollTop", 0)


def overview(page: Page, runs: dict[str, str]) -> None:
    """After an upload: suggested questions, and one of the documents at a glance."""
    at("ask", "What do you want to know?", MIXED)(page, runs)
    expect(page.get_by_role("heading", name="You could ask")).to_be_visible()
    memo = page.get_by_role("group").filter(has_text="board-memo-2026-02.docx")
    memo.get_by_text("board-memo-2026-02.docx").click()
    memo.evaluate("memo => memo.scrollIntoView({ block: 'end' })")


def scope(page: Page, runs: dict[str, str]) -> None:
    at("ask", "What do you want to know?", MIXED)(page, runs)
    page.get_by_label("Your question").fill("What was customer churn in fiscal 2025?")
    page.get_by_role("button", name="In: all documents").click()
    page.get_by_role("group", name="Documents").get_by_label("annual-report-2025.pdf").check()


def review(page: Page, runs: dict[str, str]) -> None:
    """Shows both sides, and as much of the page above them as fits."""
    run_of(CONFLICT)(page, runs)
    sides = page.get_by_role("group", name="customer churn")
    sides.evaluate("sides => sides.scrollIntoView({ block: 'end' })")


def trail(page: Page, runs: dict[str, str]) -> None:
    run_of(CONFLICT)(page, runs)
    page.get_by_role("tab", name="Trail").click()
    expect(page.get_by_role("heading", name="Compare attempts")).to_be_visible()


VIEWS: dict[str, Callable[[Page, dict[str, str]], None]] = {
    "ask": overview,
    "scope": scope,
    "answer": run_of(OUTAGE),
    "source": source,
    "review": review,
    "trail": trail,
    "thread": run_of(FOLLOW_UP),
    "silence": run_of(SILENCE),
    "search": at("search?q=customer+churn", "Search"),
    "runs": at("runs", "Runs"),
    "record": at("record", "Track record"),
    "table": run_of(TABLE),
    "documents": at("documents", "Documents"),
    "sources": at("sources", "Sources", MIXED),
}

if __name__ == "__main__":
    main()

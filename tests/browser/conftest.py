"""A service with the sample and a browser for each module; a fresh context and a witness for each test."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from masis.knowledge.embedding.onnx_embedder import OnnxEmbedder
from masis.knowledge.embedding.port import Vector
from tests.support.browser import DESKTOP, PATIENCE_MS, Witness, launched
from tests.support.fake_openai import FakeOpenAI
from tests.support.service import SAMPLE, Service, ServiceHere
from tests.support.storyteller import Storyteller
from tests.support.waiting import happens

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="module")
def sample_service(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """With the sample and the offline engine."""
    yield from running(ServiceHere(tmp_path_factory.mktemp("service"), template=sample_home))


@pytest.fixture(scope="module")
def service(sample_service: Service) -> Service:
    return sample_service


@pytest.fixture(scope="module")
def told_service(storyteller: Storyteller, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Its model says what the test wants; in the workspace acme is one report."""
    yield from telling(storyteller, tmp_path_factory.mktemp("told"), ServiceHere)


def telling(storyteller: Storyteller, folder: Path, kind: type[Service]) -> Iterator[Service]:
    provider = FakeOpenAI()
    provider.answer_with(storyteller)
    settings = {
        "MASIS_MODEL_BASE_URL": provider.base_url,
        "MASIS_RATE_LIMIT_CALLS": "10000",
        "MASIS_LEASE_SECONDS": "2",
        "MASIS_POLL_SECONDS": "0.1",
    }
    try:
        for service in running(kind(folder, settings)):
            service.upload("acme", {"report.md": b"# Report\n\nRevenue was $12 million in 2025.\n"})
            yield service
    finally:
        storyteller.may_end.set()
        provider.close()


@pytest.fixture(scope="module")
def storyteller() -> Storyteller:
    return Storyteller()


def running(service: Service) -> Iterator[Service]:
    service.start()
    try:
        yield service
    finally:
        service.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    # Of a module, not of the session: Playwright's loop would stand in the way of every other test of the process.
    with sync_playwright() as playwright:
        browser = launched(playwright)
        yield browser
        browser.close()


@pytest.fixture
def may_read(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Until it is set, no passage gets its vector: whatever somebody does while files are read is in time."""
    is_set, embed = threading.Event(), OnnxEmbedder.embed_passages

    async def once_it_may(self: OnnxEmbedder, texts: list[str]) -> list[Vector]:
        await happens(is_set.is_set)
        return await embed(self, texts)

    monkeypatch.setattr(OnnxEmbedder, "embed_passages", once_it_may)
    return is_set


@pytest.fixture
def witness(service: Service) -> Iterator[Witness]:
    witness = Witness(service.url)
    yield witness
    assert witness.faults == []


@pytest.fixture
def context(browser: Browser, service: Service, witness: Witness) -> Iterator[BrowserContext]:
    context = browser.new_context(base_url=service.url, viewport=DESKTOP, locale="en-GB", reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MS)
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=service.url)
    context.on("page", witness.watch)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


@pytest.fixture
def ask(page: Page) -> Callable[[str], None]:
    """Types a question into the box of the sample's workspace, and sends it."""

    def ask(question: str, workspace: str = SAMPLE) -> None:
        page.goto(f"/w/{workspace}/ask")
        page.get_by_label("Your question").fill(question)
        page.get_by_role("button", name="Ask", exact=True).click()

    return ask

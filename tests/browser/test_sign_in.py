"""Two keys, two workspaces: neither sees anything of the other's."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from masis.access.keys import Keys as KeyStore
from masis.settings import Settings
from tests.api.live import DISPUTED, DOCUMENTS
from tests.browser.conftest import running
from tests.support.browser import PHONE, Witness, violations
from tests.support.service import Service, ServiceHere

PIER, QUAY = "The pier was rebuilt in 2021.", "The quay was widened in 2018."


class Keys:
    def __init__(self, service: Service) -> None:
        made = KeyStore(Settings(home=service.home))
        self.admin = made.create("The admin", "admin", ["*"])[1]
        self.ada = made.create("Ada", "write", ["acme"])[1]
        self.bo = made.create("Bo", "write", ["bolt"])[1]
        self.reader = made.create("Rea", "read", ["disputed"])[1]


@pytest.fixture(scope="module")
def unstarted(tmp_path_factory: pytest.TempPathFactory) -> Service:
    return ServiceHere(tmp_path_factory.mktemp("keys"))


@pytest.fixture(scope="module")
def keys(unstarted: Service) -> Keys:
    return Keys(unstarted)


@pytest.fixture(scope="module")
def service(unstarted: Service, keys: Keys) -> Iterator[Service]:
    for service in running(unstarted):
        service.upload("acme", {"pier.md": f"# Pier\n\n{PIER}".encode()}, keys.admin)
        service.upload("bolt", {"quay.md": f"# Quay\n\n{QUAY}".encode()}, keys.admin)
        service.upload("disputed", {name: text.encode() for name, text in DOCUMENTS.items()}, keys.admin)
        yield service


def sign_in(page: Page, key: str) -> None:
    try_key(page, key)
    expect(page.get_by_label("API key", exact=True)).to_have_count(0)


def try_key(page: Page, key: str) -> None:
    page.get_by_label("API key", exact=True).fill(key)
    page.get_by_role("button", name="Sign in").click()


def test_each_key_opens_its_own_workspace_and_nothing_of_the_other(
    page: Page, service: Service, keys: Keys, witness: Witness
) -> None:
    # What a key may not see is refused, and Chromium notes every refusal.
    witness.excuse("401", "403", "404")
    theirs = service.ask("bolt", "When was the quay widened?", keys.bo)
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    try_key(page, "masis_wrong")
    expect(page.get_by_role("alert")).to_be_visible()
    sign_in(page, keys.ada)
    expect(page.get_by_role("heading", level=1)).to_have_text("What do you want to know?")
    (cookie,) = page.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    assert page.evaluate("document.cookie") == ""
    assert page.get_by_role("combobox", name="Workspace").locator("option").all_inner_texts() == ["acme"]
    page.get_by_label("Your question").fill("When was the pier rebuilt?")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Answer", exact=True)).to_contain_text(PIER.rstrip("."))

    for address in (
        "/w/bolt/ask",
        "/w/bolt/runs",
        f"/w/bolt/runs/{theirs}",
        f"/w/acme/runs/{theirs}",
        "/w/bolt/documents",
    ):
        page.goto(address)
        expect(page.get_by_role("main").get_by_role("heading").or_(page.get_by_role("alert")).first).to_be_visible()
        page.wait_for_load_state("networkidle")
        shown = page.locator("body").inner_text()
        assert "quay" not in shown.lower(), address
    page.goto("/settings")
    expect(page.get_by_text("Signed in as Ada, role write, for acme.")).to_be_visible()
    expect(page.get_by_role("heading", name="API keys")).to_have_count(0)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    page.goto("/w/acme/documents")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    assert "pier" not in page.locator("body").inner_text()
    sign_in(page, keys.bo)
    expect(page.get_by_role("combobox", name="Workspace")).to_contain_text("bolt")


def test_who_may_only_read_sees_both_sides_of_a_conflict_and_nothing_to_decide(
    page: Page, service: Service, keys: Keys, witness: Witness
) -> None:
    witness.excuse("401")
    run_id = service.ask("disputed", DISPUTED, keys.admin)
    page.goto(f"/w/disputed/runs/{run_id}")
    sign_in(page, keys.reader)
    page.goto(f"/w/disputed/runs/{run_id}")
    review = page.get_by_role("region", name="Needs a decision")
    expect(review).to_contain_text("Your key can read but not decide.")
    for file, said in (("annual-report.md", "7.4%"), ("board-memo.md", "9.1%")):
        side = review.locator(".conflict-side").filter(has_text=file)
        expect(side).to_contain_text(said)
    expect(review.get_by_role("button", name="Trust")).to_have_count(0)
    expect(review.get_by_role("button", name="Explain both sides")).to_have_count(0)
    assert violations(page) == []
    review.get_by_role("button", name="Open the source: board-memo.md").click()
    expect(page.get_by_role("region", name="Text of the page").locator("mark")).to_contain_text("9.1%")


def test_a_forged_request_is_refused(page: Page, keys: Keys, witness: Witness) -> None:
    witness.excuse("401", "403")
    page.goto("/")
    sign_in(page, keys.ada)
    expect(page.get_by_role("heading", level=1)).to_have_text("What do you want to know?")
    status = page.evaluate(
        """async () => {
            const sent = { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"query": "x"}' };
            return (await fetch("/masis/workspaces/acme/runs", sent)).status;
        }"""
    )
    assert status == 403


def test_an_admin_makes_a_key_that_is_shown_once_and_revokes_it(
    page: Page, browser: Browser, service: Service, keys: Keys, witness: Witness
) -> None:
    witness.excuse("401")
    page.goto("/settings")
    sign_in(page, keys.admin)
    page.goto("/settings")
    page.get_by_text("Create a key").click()
    page.get_by_label("Name").fill("Cy's notebook")
    page.get_by_label("Workspaces").fill("acme")
    page.get_by_role("button", name="Create the key").click()
    shown = page.get_by_role("dialog", name="Your new key")
    token = shown.get_by_role("code").inner_text()
    assert token.startswith("masis_")
    shown.get_by_role("button", name="I have saved it").click()
    page.reload()
    expect(page.get_by_text("Cy's notebook")).to_be_visible()
    assert token not in page.locator("body").inner_text()

    other = browser.new_context(base_url=service.url, viewport=PHONE).new_page()
    other.goto("/")
    assert violations(other) == []
    sign_in(other, token)
    expect(other.get_by_role("heading", level=1)).to_have_text("What do you want to know?")
    page.get_by_role("button", name="Revoke The admin").click()
    warned = page.get_by_role("dialog", name="Revoke this key?")
    expect(warned).to_contain_text("It is the key you are signed in with")
    expect(warned).to_contain_text("It is the last admin's key for all workspaces")
    warned.get_by_role("button", name="Keep it").click()
    page.get_by_role("button", name="Revoke Cy's notebook").click()
    expect(warned).not_to_contain_text("signed in with:")
    page.get_by_role("dialog").get_by_role("button", name="Revoke the key").click()
    expect(page.get_by_text("Revoked")).to_be_visible()
    other.get_by_role("link", name="Runs").click()
    expect(other.get_by_role("heading", level=1)).to_have_text("Sign in")
    other.context.close()

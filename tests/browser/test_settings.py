"""What is configured, and how the page looks and behaves."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import running
from tests.support.browser import PHONE, Witness
from tests.support.service import Service, ServiceHere


@pytest.fixture(scope="module")
def service(sample_service: Service) -> Service:
    sample_service.upload("acme", {"note.md": b"# Note\n\nThe harbour office opened in 2019."})
    return sample_service


def test_the_doctor_reports_and_the_theme_stays(page: Page) -> None:
    page.goto("/settings")
    doctor = page.get_by_role("region", name=re.compile("configured|doctor|works", re.IGNORECASE))
    expect(doctor.get_by_role("listitem").first).to_be_visible()
    expect(doctor).to_contain_text("works")
    background = "getComputedStyle(document.documentElement).backgroundColor"
    page.get_by_role("button", name="Light").click()
    light = page.evaluate(background)
    page.get_by_role("button", name="Dark").click()
    expect(page.get_by_role("button", name="Dark")).to_have_attribute("aria-pressed", "true")
    dark = page.evaluate(background)
    assert dark != light
    page.reload()
    expect(page.get_by_role("button", name="Dark")).to_have_attribute("aria-pressed", "true")
    assert page.evaluate(background) == dark


def test_single_keys_can_be_switched_off(page: Page) -> None:
    page.goto("/settings")
    page.get_by_role("checkbox", name="Single-key shortcuts").uncheck()
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("checkbox", name="Single-key shortcuts").check()
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("?")
    help_ = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(help_).to_contain_text("Next sentence of the answer")
    page.keyboard.press("Escape")
    expect(help_).to_be_hidden()


def test_another_workspace_is_another_world(page: Page, service: Service) -> None:
    service.upload("bolt", {"quay.md": b"# Quay\n\nThe quay was widened in 2018."})
    page.goto("/w/acme/documents")
    expect(page.get_by_role("link", name="note.md")).to_be_visible()
    page.get_by_role("combobox", name="Workspace").select_option("bolt")
    expect(page.get_by_role("link", name="quay.md")).to_be_visible()
    expect(page.get_by_role("link", name="note.md")).to_be_hidden()
    page.goto("/")
    expect(page).to_have_url(re.compile("/w/bolt/ask$"))


def test_a_workspace_is_deleted_by_its_name_and_with_a_receipt(page: Page, service: Service) -> None:
    service.upload("doomed", {"note.md": b"# Note\n\nThe harbour closes."})
    page.goto("/w/doomed/documents")
    expect(page.get_by_role("link", name="note.md")).to_be_visible()
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("button", name="Delete the workspace").click()
    really = page.get_by_role("dialog", name="Delete the workspace?")
    delete = really.get_by_role("button", name="Delete everything")
    expect(delete).to_be_disabled()
    really.get_by_label("Type its name to confirm").fill("doome")
    expect(delete).to_be_disabled()
    really.get_by_label("Type its name to confirm").fill("doomed")
    delete.click()
    receipt = page.get_by_role("dialog", name="Deleted")
    expect(receipt).to_contain_text("Workspacedoomed")
    expect(receipt).to_contain_text("Documents1")
    receipt.get_by_role("button", name="Done").click()
    assert "doomed" not in page.get_by_role("combobox", name="Workspace").locator("option").all_inner_texts()
    with service.client() as client:
        assert client.get("/masis/workspaces/doomed").status_code == 404


def test_a_name_at_its_limit_fits_on_a_phone(page: Page, service: Service) -> None:
    name = "w" * 64
    service.upload(name, {f"{'long-name-' * 20}.md": b"# Note\n\nThe harbour office opened in 2019."})
    page.set_viewport_size(PHONE)
    for address in (f"/w/{name}/ask", f"/w/{name}/documents", f"/w/{name}/runs", "/settings"):
        page.goto(address)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, address
    page.get_by_role("button", name="Delete the workspace").click()
    dialog = page.get_by_role("dialog", name="Delete the workspace?")
    assert dialog.evaluate("dialog => dialog.scrollWidth - dialog.clientWidth") <= 0
    expect(dialog.get_by_text("Type its name to confirm")).to_be_in_viewport()


def test_the_first_key_signs_the_page_in_with_it(
    page: Page, tmp_path_factory: pytest.TempPathFactory, witness: Witness
) -> None:
    for fresh in running(ServiceHere(tmp_path_factory.mktemp("first-key"))):
        witness.origin = fresh.url
        page.goto(f"{fresh.url}/settings")
        expect(page.get_by_text("This service has no keys")).to_be_visible()
        page.get_by_text("Create a key").click()
        page.get_by_label("Name").fill("The admin")
        page.get_by_role("button", name="Create the key").click()
        shown = page.get_by_role("dialog", name="Your new key")
        token = shown.get_by_role("code").inner_text()
        shown.get_by_role("button", name="I have saved it").click()
        expect(page.get_by_text("Signed in as The admin, role admin")).to_be_visible()
        page.get_by_role("button", name="Revoke The admin").click()
        warned = page.get_by_role("dialog", name="Revoke this key?")
        expect(warned).to_contain_text("It is the key you are signed in with")
        expect(warned).to_contain_text("It is the last key")
        warned.get_by_role("button", name="Keep it").click()
        with fresh.client() as nobody, fresh.client(token) as admin:
            assert nobody.get("/masis/workspaces").status_code == 401
            assert admin.get("/masis/workspaces").status_code == 200
        page.close()

"""A real Chromium, and a witness who sees what a page does that it should not."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Locator, Page, Playwright, Request

ROOT = Path(__file__).parents[2]
AXE = ROOT / ".cache" / "axe" / "axe.min.js"
DESKTOP, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
PATIENCE_MS = 60_000
_QUIET = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--no-proxy-server",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Fewer processes for the same pages.
    "--in-process-gpu",
    "--renderer-process-limit=1",
    # Nothing but this machine has an address: no request can leave it, and the browser's own cache stays at work.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
WATCHED = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const each of list.getEntries()) if (!each.hadRecentInput) window.shifts.push(each.value);
}).observe({ type: "layout-shift", buffered: true });
"""
"""A script that keeps how far the page pushed away what somebody may have been reading."""


def program() -> str | None:
    """The shell draws the same pages without the windows and menus around them, which cost as much again."""
    return os.environ.get("MASIS_BROWSER") or shutil.which("chromium-headless-shell") or shutil.which("chromium")


def launched(playwright: Playwright) -> Browser:
    executable = program()
    if not executable:
        pytest.skip("no Chromium: `make test` installs it, or name one in MASIS_BROWSER")
    # Chromium's own sandbox does not work for root.
    as_root = ("--no-sandbox",) if os.geteuid() == 0 else ()
    return playwright.chromium.launch(executable_path=executable, args=[*_QUIET, *as_root])


class Witness:
    """Whatever it has seen at the end of a test is a fault, unless the test said that it would come."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.requests: list[str] = []
        self._faults: list[str] = []
        self._excused: tuple[str, ...] = ()

    def watch(self, page: Page) -> None:
        page.on("console", self._said)
        page.on("pageerror", lambda error: self._faults.append(f"error: {error}"))
        page.on("requestfailed", self._failed)
        page.on("dialog", self._asked)
        page.on("request", self._asked_for)

    def excuse(self, *parts: str) -> None:
        """Faults with these words in them are what the test is about."""
        self._excused += parts

    @property
    def faults(self) -> list[str]:
        return [fault for fault in self._faults if not any(part in fault for part in self._excused)]

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._faults.append(f"console {message.type}: {message.text} ({message.location.get('url', '')})")

    def _asked(self, dialog: Dialog) -> None:
        self._faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _failed(self, request: Request) -> None:
        # A stream or an image that the page itself lets go of.
        if request.failure != "net::ERR_ABORTED":
            self._faults.append(f"request failed: {request.url} ({request.failure})")

    def _asked_for(self, request: Request) -> None:
        self.requests.append(request.url)
        if not request.url.startswith((f"{self.origin}/", f"blob:{self.origin}/")):
            self._faults.append(f"beyond the service: {request.url}")


def quality_of(page: Page) -> Locator:
    """Opened: it is closed until somebody asks for it."""
    page.get_by_role("tab", name="Quality").click()
    return page.get_by_role("tabpanel", name="Quality")


def violations(page: Page, *, of_colours: bool = False) -> list[str]:
    """What axe finds on the page as it stands; in its colours alone, where nothing else has changed."""
    if not AXE.exists():
        pytest.skip("no axe-core: fetch it with scripts/fetch_axe.sh")
    # Evaluated by the debugger, which the page's content security policy does not concern.
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE.read_text())
    rules = {"runOnly": {"type": "rule", "values": ["color-contrast"]}} if of_colours else {}
    options = {"resultTypes": ["violations"], **rules}
    run = "async options => (await axe.run(document, options)).violations"
    found: list[dict[str, Any]] = page.evaluate(run, options)
    return [
        f"{each['id']}: {each['help']}: {node['html'][:160]} {'; '.join(node['target'])}"
        for each in found
        for node in each["nodes"]
    ]

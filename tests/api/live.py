"""A real service on loopback, in a thread of the test's own process."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from masis.api.app import create_app, server_for
from masis.settings import Settings

DOCUMENTS = {
    "annual-report.md": "# Annual report\n\nCustomer churn was 7.4% in fiscal 2025. Revenue was $80.2 million in 2025.",
    "board-memo.md": "# Memo to the board\n\nCustomer churn was 9.1% in fiscal 2025.",
    "post-mortem.md": "# Post-mortem\n\nThe root cause of the gateway outage was an expired TLS certificate.",
}
ANSWERED = "What was the root cause of the gateway outage?"
DISPUTED = "What was customer churn in fiscal 2025?"
START_SECONDS = 60


class Live:
    def __init__(self, address: str) -> None:
        self.address = address
        self.port = int(address.rsplit(":", 1)[1])

    def client(self, token: str | None = None) -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=self.address, headers=headers, timeout=60, verify=False)


@contextmanager
def serving(settings: Settings, **options: Any) -> Iterator[Live]:
    server = server_for(create_app(settings, **options), settings, "127.0.0.1", 0)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        deadline = time.monotonic() + START_SECONDS
        while not server.started and thread.is_alive() and time.monotonic() < deadline:
            time.sleep(0.01)
        yield Live(f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}")
    finally:
        server.should_exit = True
        thread.join(START_SECONDS)


def uploads(**texts: str) -> list[tuple[str, tuple[str, bytes]]]:
    return [("files", (name, text.encode())) for name, text in texts.items()]


def wait_for(client: httpx.Client, run: str, *statuses: str) -> dict[str, Any]:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        record: dict[str, Any] = client.get(run).json()
        if record["status"] in statuses:
            return record
        time.sleep(0.02)
    raise AssertionError(f"{run} is {record['status']}")

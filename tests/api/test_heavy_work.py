"""Large files and long questions beside ordinary ones: a service goes on answering, and becomes as it was."""

import statistics
import threading
import time
from collections.abc import Iterator

import httpx
import psutil
import pytest

from tests.support.deployment import until
from tests.support.service import Service

ACME = "/masis/workspaces/acme"
HEAVY = "/masis/workspaces/heavy"
LARGE = 40_000_000
"""Bytes."""
HEAVIES = 10
MOST_TIMES = 25
"""As long as alone: ten heavy questions take turns with it on few cores. Where all of them read at once it was 50."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    service = Service(tmp_path_factory.mktemp("service"), {"MASIS_KEY_RATE_CALLS": "100000"})
    service.start()
    service.upload("acme", {"ferry.md": b"# Ferry\n\nThe ferry carried 37 cars in May 2025."})
    service.ask("acme", "How many cars did the ferry carry?")
    yield service
    service.close()


def process(service: Service) -> psutil.Process:
    assert service._program
    return psutil.Process(service._program.process.pid)


def test_health_is_told_while_a_megabyte_of_one_letter_is_read(service: Service) -> None:
    worst = 0.0
    with service.client() as client:
        sent = client.post(f"{ACME}/documents", files={"files": ("letter.txt", b"a" * 1_000_000)})
        while client.get(sent.headers["Location"]).json()["status"] in ("queued", "running"):
            asked = time.monotonic()
            assert client.get("/health").status_code == 200
            worst = max(worst, time.monotonic() - asked)
        assert client.get(sent.headers["Location"]).json()["files"][0]["stage"] == "ready"
    assert worst < 1


def test_memory_comes_back_after_large_files(service: Service) -> None:
    before, peak, enough = process(service).memory_info().rss, [0], threading.Event()

    def watch() -> None:
        while not enough.wait(0.01):
            peak[0] = max(peak[0], process(service).memory_info().rss)

    watching = threading.Thread(target=watch)
    watching.start()
    for number in range(3):
        lines = b"".join(b"Line %d of log %d\n" % (line, number) for line in range(200))
        service.upload("acme", {f"log-{number}.txt": lines + b"\n" * LARGE})
    enough.set()
    watching.join()
    assert peak[0] - before > LARGE / 2  # it was held for a while
    until(lambda: process(service).memory_info().rss - before < LARGE / 2, 60)


def test_ten_heavy_questions_leave_room_for_others_and_can_be_stopped(service: Service) -> None:
    reports = {f"{n}.md": f"# Report {n}\n\n{f'收入在二〇二五年是{n}万元。' * 400}".encode() for n in range(20)}
    service.upload("heavy", reports)
    with service.client() as client:
        alone = statistics.median(_seconds(client, number) for number in range(5))
        heavy = [_started(client, number) for number in range(HEAVIES)]
        until(lambda: all(client.get(run).json()["status"] == "running" for run in heavy))
        beside = statistics.median(_seconds(client, number) for number in range(5, 10))
        assert {client.get(run).json()["status"] for run in heavy} == {"running"}
        for run in heavy:
            client.post(f"{run}/cancel").raise_for_status()
        until(lambda: all(client.get(run).json()["status"] == "cancelled" for run in heavy), 15)
    assert beside < MOST_TIMES * alone
    until(lambda: process(service).cpu_percent(0.5) < 30, 15)  # or their threads would read on for a minute and more


def _started(client: httpx.Client, number: int) -> str:
    question = f"{number} {'收入在二〇二五年是多少' * 400}"[:3990]
    location: str = client.post(f"{HEAVY}/runs", json={"query": f"{question}？"}).headers["Location"]
    return location


def _seconds(client: httpx.Client, number: int) -> float:
    asked = time.monotonic()
    client.post(ACME, json={"query": f"How many cars did ferry {number} carry?"}).raise_for_status()
    return time.monotonic() - asked

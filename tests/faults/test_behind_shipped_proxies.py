"""The nginx and the Caddy of deploy/ in front of two APIs and two workers, on PostgreSQL and a Qdrant server."""

import json
import textwrap
import time
from collections.abc import Iterator
from contextlib import ExitStack

import httpx
import pytest

from tests.faults.topology import DOCUMENTS, QUESTION, REPORT, RUNS, Topology
from tests.support.deployment import until
from tests.support.shipped_proxies import BEFORE, DEPLOY, SHIPPED

MODEL_SECONDS = 1.0


@pytest.fixture(scope="module")
def topology(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Topology]:
    made = Topology(tmp_path_factory.mktemp("topology"))
    try:
        made.begin(workers=2)
        location = made.upload(*REPORT)
        until(lambda: made.status(location) == "done")
        yield made
    finally:
        made.close()


@pytest.fixture(scope="module")
def addresses(topology: Topology, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    ports = [api.port for api in topology.apis]
    with ExitStack() as stack:
        yield {
            name: stack.enter_context(before(ports, tmp_path_factory.mktemp(name))) for name, before in BEFORE.items()
        }


def client(topology: Topology, address: str) -> httpx.Client:
    return httpx.Client(
        base_url=address, headers={"Authorization": f"Bearer {topology.token}"}, timeout=60, verify=False
    )


@pytest.mark.parametrize("proxy", BEFORE)
def test_a_question_is_asked_and_answered(proxy: str, topology: Topology, addresses: dict[str, str]) -> None:
    with client(topology, addresses[proxy]) as through:
        answer = through.post("/masis/workspaces/acme", json=QUESTION)
    assert answer.status_code == 200, answer.text
    assert "$12 million" in answer.json()["answer"]


@pytest.mark.parametrize("proxy", BEFORE)
def test_events_come_when_they_happen(proxy: str, topology: Topology, addresses: dict[str, str]) -> None:
    topology.model.seconds = MODEL_SECONDS
    came: dict[str, float] = {}
    with client(topology, addresses[proxy]) as through:
        run = through.post(RUNS, json=QUESTION).headers["Location"]
        with through.stream("GET", f"{run}/events") as stream:
            for line in stream.iter_lines():
                if line.startswith("data:"):
                    event = json.loads(line.removeprefix("data:"))
                    came.setdefault(event["event"], time.monotonic())
    topology.model.seconds = 0.0
    # A proxy that kept them back would bring them all at the end.
    assert came["ended"] - came["started"] > MODEL_SECONDS


@pytest.mark.parametrize("proxy", BEFORE)
def test_large_files_go_through(proxy: str, topology: Topology, addresses: dict[str, str]) -> None:
    text = f"# {proxy}\n\nThe ferry carried 37 cars.\n".encode() + b"\n" * 3_000_000
    with client(topology, addresses[proxy]) as through:
        sent = through.post(DOCUMENTS, params={"wait": "true"}, files={"files": (f"{proxy}.md", text)})
        assert sent.is_success, sent.text
        names = [each["file_name"] for each in through.get(DOCUMENTS).json()["items"]]
    assert f"{proxy}.md" in names


@pytest.mark.parametrize("proxy", SHIPPED)
def test_the_page_shows_the_file(proxy: str) -> None:
    page = (DEPLOY.parent / "docs" / "deploy.md").read_text()
    assert textwrap.indent(SHIPPED[proxy].read_text(), "   ") in page

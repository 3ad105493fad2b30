"""The nginx and the Caddy of deploy/ in front of two APIs and two workers, on PostgreSQL and a Qdrant server."""

import json
import textwrap
import time
from collections.abc import Iterator

import httpx
import pytest

from tests.faults.topology import DOCUMENTS, QUESTION, RUNS, Topology, of_two_workers
from tests.support.shipped_proxies import BEFORE, DEPLOY, SHIPPED

MODEL_SECONDS = 1.0


@pytest.fixture(scope="module")
def topology(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Topology]:
    with of_two_workers(tmp_path_factory.mktemp("topology")) as made:
        yield made


@pytest.fixture(scope="module", params=BEFORE)
def through(
    request: pytest.FixtureRequest, topology: Topology, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[httpx.Client]:
    """One proxy after the other: without Caddy, nginx is tested all the same."""
    with (
        BEFORE[request.param](topology.ports, tmp_path_factory.mktemp(request.param)) as address,
        topology.client(address) as client,
    ):
        yield client


def test_a_question_is_asked_and_answered(through: httpx.Client) -> None:
    answer = through.post("/masis/workspaces/acme", json=QUESTION)
    assert answer.status_code == 200, answer.text
    assert "$12 million" in answer.json()["answer"]


def test_events_come_when_they_happen(topology: Topology, through: httpx.Client) -> None:
    topology.model.seconds = MODEL_SECONDS
    came: dict[str, float] = {}
    run = through.post(RUNS, json=QUESTION).headers["Location"]
    with through.stream("GET", f"{run}/events") as stream:
        for line in stream.iter_lines():
            if line.startswith("data:"):
                event = json.loads(line.removeprefix("data:"))
                came.setdefault(event["event"], time.monotonic())
    topology.model.seconds = 0.0
    # A proxy that kept them back would bring them all at the end.
    assert came["ended"] - came["started"] > MODEL_SECONDS


def test_large_files_go_through(through: httpx.Client) -> None:
    name = f"{through.base_url.port}.md"
    text = f"# {name}\n\nThe ferry carried 37 cars.\n".encode() + b"\n" * 3_000_000
    sent = through.post(DOCUMENTS, params={"wait": "true"}, files={"files": (name, text)})
    assert sent.is_success, sent.text
    assert name in [each["file_name"] for each in through.get(DOCUMENTS).json()["items"]]


@pytest.mark.parametrize("proxy", SHIPPED)
def test_the_page_shows_the_file(proxy: str) -> None:
    page = (DEPLOY.parent / "docs" / "deploy.md").read_text()
    assert textwrap.indent(SHIPPED[proxy].read_text(), "   ") in page

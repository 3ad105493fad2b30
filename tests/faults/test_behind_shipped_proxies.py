"""The nginx and the Caddy of deploy/ in front of two APIs and two workers, on PostgreSQL and a Qdrant server."""

import json
import socket
import ssl
import textwrap
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from tests.faults.topology import DOCUMENTS, QUESTION, RUNS, Topology, of_two_workers
from tests.support.shipped_proxies import BEFORE, DEPLOY, SHIPPED

MODEL_SECONDS = 1.0
AT_ONCE = 64
"""Requests that nginx takes from one address."""


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


def test_one_client_of_nginx_cannot_take_the_places_of_the_others(topology: Topology, tmp_path: Path) -> None:
    with BEFORE["nginx"](topology.ports, tmp_path) as address, ExitStack() as stack:
        slow = [stack.enter_context(_unfinished_upload(address, topology.token)) for _ in range(AT_ONCE + 20)]
        assert sum(_is_refused(each) for each in slow) == 20
        other = httpx.HTTPTransport(local_address="127.0.0.2", verify=False)
        headers = {"Authorization": f"Bearer {topology.token}"}
        with httpx.Client(base_url=address, headers=headers, transport=other, timeout=60) as client:
            sent = client.post(DOCUMENTS, files={"files": ("other.md", b"# Other\n\nThe ferry carried 5 cars.\n")})
            assert sent.status_code == 202, sent.text


def _unfinished_upload(address: str, token: str) -> ssl.SSLSocket:
    """The head of a request and a byte of its body; the rest never comes."""
    secure = ssl.create_default_context()
    secure.check_hostname, secure.verify_mode = False, ssl.CERT_NONE
    url = httpx.URL(address)
    connection = secure.wrap_socket(socket.create_connection((url.host, url.port or 443)))
    head = f"POST {DOCUMENTS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
    kind = "Content-Type: multipart/form-data; boundary=x\r\n"
    connection.sendall(f"{head}{kind}Content-Length: 10000\r\n\r\n-".encode())
    return connection


def _is_refused(connection: ssl.SSLSocket) -> bool:
    connection.settimeout(0.2)
    try:
        return connection.recv(100).startswith(b"HTTP/1.1 429 ")
    except TimeoutError:
        return False


@pytest.mark.parametrize("proxy", SHIPPED)
def test_the_page_shows_the_file(proxy: str) -> None:
    page = (DEPLOY.parent / "docs" / "deploy.md").read_text()
    assert textwrap.indent(SHIPPED[proxy].read_text(), "   ") in page

"""What only a real connection shows: slow clients, clients that go, a service that stops."""

import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from openai import InternalServerError, OpenAI
from typer.testing import CliRunner

from masis.access.keys import Keys
from masis.cli.app import app
from masis.cli.serving import other_doors
from masis.client import Masis
from masis.data_folder import FolderLock
from masis.runs.events import RunEvent
from masis.settings import Settings
from tests.api.live import ANSWERED, Live, serving, uploads, wait_for
from tests.support.servers import free_port
from tests.support.waiting import SOON, wait_until

ACME = "/masis/workspaces/acme"


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    settings = Settings(home=tmp_path_factory.mktemp("hasty"), request_seconds=0.3, ask_seconds=0.3)
    with serving(settings, with_worker=False) as service:
        with service.client() as client:
            client.post("/masis/workspaces", json={"name": "acme"}).raise_for_status()
        yield service


def said(service: Live, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", service.port), timeout=60) as connection:
        connection.sendall(request)
        answer = b""
        while part := connection.recv(65536):
            answer += part
    return answer


def test_a_client_that_stops_in_the_middle_of_its_body_is_cut_off(hasty: Live) -> None:
    head = b"POST /masis/workspaces HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    answer = said(hasty, head + b"Content-Length: 20\r\n\r\n{")
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"urn:masis:problem:too_slow" in answer


def test_one_that_stops_in_the_middle_of_an_upload_too(hasty: Live) -> None:
    head = b"POST /masis/workspaces/acme/documents HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n"
    part = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\nhalf'
    chunk = b"%x\r\n%b\r\n" % (len(part), part)
    answer = said(hasty, head + b"Content-Type: multipart/form-data; boundary=x\r\n\r\n" + chunk)
    assert answer.startswith(b"HTTP/1.1 408")


def test_one_that_never_ends_its_head_is_cut_off(hasty: Live) -> None:
    assert said(hasty, b"GET /health HTTP/1.1\r\nHost: 127").startswith(b"HTTP/1.1 408")


def test_what_is_no_http_is_refused(hasty: Live) -> None:
    assert said(hasty, b"\x16\x03\x01\x02\x00\x01\r\n\r\n").startswith(b"HTTP/1.1 400")
    assert said(hasty, b"GET / HTTP/1.1\r\nX: " + b"x" * 100_000 + b"\r\n\r\n").startswith(b"HTTP/1.1 400")


def test_an_answer_that_takes_too_long_is_found_at_its_run(hasty: Live) -> None:
    with hasty.client() as client:
        late = client.post(ACME, json={"query": ANSWERED})
        assert (late.status_code, late.json()["code"]) == (504, "still_running")
        assert client.get(late.headers["location"]).json()["status"] == "queued"


def test_an_upload_that_takes_too_long_is_found_at_its_ingestion(hasty: Live) -> None:
    with hasty.client() as client:
        late = client.post(f"{ACME}/documents?wait=true", files=uploads(**{"a.md": "Alpha."}))
        assert (late.status_code, late.json()["code"]) == (504, "still_running")
        assert client.get(late.headers["location"]).json()["status"] == "queued"


def test_what_goes_on_is_not_begun_again(hasty: Live) -> None:
    """Neither under its Idempotency-Key nor by a client that repeats what failed by itself."""
    with hasty.client() as client:
        key = {"Idempotency-Key": "only-once"}
        first, again = (client.post(ACME, json={"query": ANSWERED}, headers=key) for _ in range(2))
        assert first.status_code == again.status_code == 504
        assert first.headers["location"] == again.headers["location"]
        assert again.headers["idempotent-replayed"] == "true"
        before = len(client.get(f"{ACME}/runs").json()["items"])
        asking = OpenAI(base_url=f"{hasty.address}/v1", api_key="none", max_retries=2)
        with pytest.raises(InternalServerError), asking:
            asking.chat.completions.create(model="acme", messages=[{"role": "user", "content": ANSWERED}])
        assert len(client.get(f"{ACME}/runs").json()["items"]) == before + 1


class Counting(Masis):
    """Knows how many follow a run."""

    following = 0

    async def afollow(self, run_id: str, *, after: int = -1, workspace: str | None = None) -> AsyncIterator[RunEvent]:
        self.following += 1
        try:
            async for event in super().afollow(run_id, after=after, workspace=workspace):
                yield event
        finally:
            self.following -= 1


def test_a_client_that_goes_costs_nothing_any_more(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    masis = Counting(settings)
    with serving(settings, masis=masis, with_worker=False) as service, service.client() as client:
        client.post("/masis/workspaces", json={"name": "acme"})
        run = client.post(f"{ACME}/runs", json={"query": ANSWERED}).headers["location"]
        asked = {"model": "acme", "messages": [{"role": "user", "content": ANSWERED}], "stream": True}
        with (
            client.stream("GET", f"{run}/events") as events,
            client.stream("POST", "/v1/chat/completions", json=asked) as chunks,
        ):
            # Dropping an iterator would end its connection.
            reading = [events.iter_lines(), chunks.iter_lines()]
            assert all(next(lines) for lines in reading)
            wait_until(lambda: masis.following == 2)
        wait_until(lambda: masis.following == 0)
        assert client.get(run).json()["status"] == "queued"


def test_a_client_that_goes_in_mid_stream_stops_neither_run_nor_service(live: Live) -> None:
    with live.client() as client:
        run = client.post(f"{ACME}/runs", json={"query": ANSWERED}).headers["location"]
        with client.stream("GET", f"{run}/events") as stream:
            next(stream.iter_lines())
        assert wait_for(client, run, "finished")["outcome"] == "answered"


def test_a_client_that_goes_while_its_question_is_answered_finds_the_run(live: Live) -> None:
    asked = b'{"query": "Who went away?"}'
    head = f"POST {ACME} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    with live.client() as client:

        def found() -> list[dict[str, Any]]:
            runs: list[dict[str, Any]] = client.get(f"{ACME}/runs", params={"search": "Who went away"}).json()["items"]
            return runs

        with socket.create_connection(("127.0.0.1", live.port)) as leaving:
            leaving.sendall(f"{head}Content-Length: {len(asked)}\r\n\r\n".encode() + asked)
            wait_until(found)
        wait_for(client, f"{ACME}/runs/{found()[0]['run_id']}", "finished", "waiting")


def test_the_mcp_server_is_served_beside_the_api(tmp_path: Path) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    accepted = {"Accept": "application/json, text/event-stream"}
    with serving(Settings(home=tmp_path), with_worker=False, beside=other_doors()) as service:
        with service.client() as local:
            assert "masis" in local.post("/mcp", json=request, headers=accepted).text
            token = local.post("/masis/keys", json={"name": "A", "role": "read", "workspaces": ["*"]}).json()["token"]
            assert local.post("/mcp", json=request, headers=accepted).status_code == 401
        with service.client(token) as client:
            assert client.post("/mcp", json=request, headers=accepted).status_code == 200


def test_without_keys_an_open_address_is_refused_with_advice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MASIS_HOME", str(tmp_path))
    refused = CliRunner().invoke(app, ["serve", "--host", "0.0.0.0"])
    assert refused.exit_code == 1
    assert "masis keys create" in " ".join(refused.stderr.split())


def test_one_data_folder_has_one_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MASIS_HOME", str(tmp_path))
    with FolderLock(tmp_path / "service.lock").kept():
        refused = CliRunner().invoke(app, ["serve", "--port", "0"])
    assert refused.exit_code == 1
    assert "another MASIS process" in " ".join(refused.stderr.split())


def test_a_place_that_is_taken_is_said_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MASIS_HOME", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        refused = CliRunner().invoke(app, ["serve", "--port", port])
    assert refused.exit_code == 1
    assert "--port" in refused.stderr
    assert "serves" not in refused.stderr


def test_a_database_that_is_away_is_said_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MASIS_HOME", str(tmp_path))
    monkeypatch.setenv("MASIS_DATABASE_URL", f"postgresql://masis:secret@127.0.0.1:{free_port()}/masis")
    refused = CliRunner().invoke(app, ["serve", "--port", "0"])
    assert refused.exit_code == 1
    assert "MASIS_DATABASE_URL" in refused.stderr
    assert "secret" not in refused.stderr


def test_a_worker_without_servers_says_that_serve_has_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MASIS_HOME", str(tmp_path))
    refused = CliRunner().invoke(app, ["worker"])
    assert refused.exit_code == 1
    assert "masis serve" in refused.stderr


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[subprocess.Popen[str], str]]:
    monkeypatch.setenv("MASIS_HOME", str(tmp_path))
    port = free_port()
    arguments = [
        sys.executable,
        "-c",
        "from masis.cli import main; main()",
        "serve",
        "--host",
        "0.0.0.0",
        "--port",
        str(port),
    ]
    token = Keys(Settings(home=tmp_path)).create("Ada", "admin", ["*"])[1]
    process = subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True)
    yield process, f"http://127.0.0.1:{port} {token}"
    process.kill()
    process.communicate()


def test_the_command_serves_asks_for_keys_and_stops_when_told(command: tuple[subprocess.Popen[str], str]) -> None:
    process, where = command
    address, token = where.split()
    deadline = time.monotonic() + 30
    while True:
        try:
            httpx.get(f"{address}/health", timeout=SOON).raise_for_status()
            break
        except httpx.TransportError:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
    assert httpx.get(f"{address}/masis/me", timeout=SOON).status_code == 401
    assert httpx.get(f"{address}/masis/me", headers={"X-API-Key": token}, timeout=SOON).json()["role"] == "admin"
    process.send_signal(signal.SIGTERM)
    said_at_all = process.communicate(timeout=30)[1]
    assert address in said_at_all
    assert "curl" in said_at_all
    assert "Traceback" not in said_at_all
    assert token not in said_at_all

"""`masis mcp --http`: real ports, keys as for the API."""

import json
import shutil
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from masis.access.audit_log import AuditLog
from masis.access.keys import Keys
from masis.errors import DatabaseUnavailable, DataFolderError
from masis.mcp.server import refusal
from masis.settings import Settings
from tests.mcp.conftest import MASIS, QUESTION, called, environment, http_server, refused
from tests.support.waiting import SOON

HELLO = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


@asynccontextmanager
async def connected(address: str, token: str | None = None, mode: str = "auto") -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        create_mcp_http_client(headers=headers) as http,
        Client(streamable_http_client(address, http_client=http), mode=mode, read_timeout_seconds=60) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def address(home: Path) -> Iterator[str]:
    with http_server(home) as address:
        yield address


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_whoever_is_at_this_machine_may_ask(address: str, mode: str) -> None:
    told: list[str | None] = []

    async def hear(_: float, __: float | None, message: str | None) -> None:
        told.append(message)

    async with connected(address, mode=mode) as client:
        given = {"question": QUESTION, "workspace": "acme"}
        result = await client.call_tool("ask", given, progress_callback=hear)
    assert result.structured_content is not None
    assert "$184.1 million" in result.structured_content["answer"]
    assert any("Critic audits" in str(message) for message in told)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({}, 200),
    ],
)
def test_pages_elsewhere_in_the_browser_may_not(address: str, headers: dict[str, str], status: int) -> None:
    answer = httpx.post(address, json=HELLO, headers=HEADERS | headers, timeout=SOON)
    assert answer.status_code == status
    if status == 403:
        assert answer.json()["code"] == "forbidden"
        assert answer.json()["advice"]


@pytest.mark.parametrize(
    "begun",
    [
        b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-",
        b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        b"Accept: application/json, text/event-stream\r\nContent-Length: 50\r\n\r\n{",
    ],
    ids=["head", "body"],
)
def test_a_client_that_stops_in_the_middle_of_its_request_is_cut_off(address: str, begun: bytes) -> None:
    with socket.create_connection(("127.0.0.1", httpx.URL(address).port or 0), timeout=20) as client:
        client.sendall(begun)
        assert client.recv(100).startswith(b"HTTP/1.1 408")


def test_there_is_no_session_to_listen_to_or_to_end(address: str) -> None:
    assert httpx.get(address, headers=HEADERS, timeout=SOON).status_code == 405
    assert httpx.delete(address, headers=HEADERS, timeout=SOON).status_code == 405


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"jsonrpc": "2.0"}', b"\xff" * 100])
def test_what_is_no_message_is_refused(address: str, body: bytes) -> None:
    assert httpx.post(address, content=body, headers=HEADERS, timeout=SOON).status_code == 400


@pytest.fixture(scope="module")
def keyed(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The same documents in a data folder that has keys."""
    folder = tmp_path_factory.mktemp("keyed") / "home"
    shutil.copytree(home, folder)
    return Settings(home=folder)


@pytest.fixture(scope="module")
def tokens(keyed: Settings) -> dict[str, str]:
    keys = Keys(keyed)
    made = {
        "writer": keys.create("writer", "write", ["acme"]),
        "reader": keys.create("reader", "read", ["acme"]),
        "stranger": keys.create("stranger", "admin", ["other"]),
        "revoked": keys.create("revoked", "admin", ["*"]),
    }
    keys.revoke(made["revoked"][0].key_id)
    return {name: token for name, (_, token) in made.items()}


@pytest.fixture(scope="module")
def keyed_address(keyed: Settings, tokens: dict[str, str]) -> Iterator[str]:
    with http_server(keyed.home) as address:
        yield address


@pytest.mark.parametrize(
    "header",
    [None, "Bearer", "Bearer nonsense", "Basic {writer}", "Bearer {revoked}", "Bearer {writer}x"],
)
def test_no_key_no_entry(keyed_address: str, tokens: dict[str, str], header: str | None) -> None:
    sent = HEADERS | ({"Authorization": header.format(**tokens)} if header else {})
    answer = httpx.post(keyed_address, json=HELLO, headers=sent, timeout=SOON)
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert answer.json()["code"] == "unauthorized"


async def test_each_key_reaches_its_own_workspaces(keyed_address: str, tokens: dict[str, str]) -> None:
    async with connected(keyed_address, tokens["stranger"]) as client:
        assert await called(client, "list_workspaces") == {"workspaces": [{"workspace": "other", "documents": 1}]}
        everything: list[tuple[str, dict[str, Any]]] = [
            ("ask", {"question": QUESTION}),
            ("search_evidence", {"question": QUESTION}),
            ("list_documents", {}),
            ("read_passage", {"chunk_id": "c0000000000"}),
            ("answer", {"run_id": "x", "action": "stop", "by": "Eve"}),
            ("resume", {"run_id": "x"}),
            ("cancel", {"run_id": "x"}),
            ("delete_run", {"run_id": "x"}),
        ]
        said = {
            await refused(client, tool, workspace=workspace, **more)
            for tool, more in everything
            for workspace in ("acme", "nowhere")
        }
    # The same words whether or not there is such a workspace.
    assert len({words.partition(": ")[2] for words in said}) == 1
    assert "no rights in that workspace" in said.pop()


async def test_a_reader_looks_and_does_not_ask(keyed_address: str, tokens: dict[str, str]) -> None:
    async with connected(keyed_address, tokens["reader"]) as client:
        assert (await called(client, "search_evidence", question="employees", workspace="acme"))["passages"]
        assert "role write" in await refused(client, "ask", question=QUESTION, workspace="acme")


async def test_who_asked_is_recorded(keyed_address: str, tokens: dict[str, str], keyed: Settings) -> None:
    async with connected(keyed_address, tokens["writer"]) as client:
        answer = await called(client, "ask", question=QUESTION, workspace="acme")
    (entry,) = AuditLog(keyed).entries("acme", limit=1)
    assert (entry.who, entry.action, entry.subject) == ("writer", "run.ask", answer["run_id"])


def test_keys_open_other_addresses_and_nothing_else_does(home: Path) -> None:
    done = subprocess.run(
        [MASIS, "mcp", "--http", "--host", "0.0.0.0", "--port", "0"],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(home),
    )
    assert done.returncode == 1
    assert "masis keys create" in " ".join(done.stderr.split())


def test_json_is_what_the_result_holds(address: str) -> None:
    """A client without structured results reads the same from the text."""
    call = {"name": "list_documents", "arguments": {"workspace": "other"}}
    sent = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call}
    answer = httpx.post(address, json=sent, headers=HEADERS, timeout=SOON)
    data = next(line for line in answer.text.splitlines() if line.startswith("data: {"))
    result = json.loads(data.removeprefix("data: "))["result"]
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    assert result["structuredContent"]["documents"][0]["file_name"] == "hr.md"


def test_a_database_that_is_away_is_not_the_callers_fault() -> None:
    assert refusal(DatabaseUnavailable("PostgreSQL does not answer.")).status_code == 503


def test_a_refusal_tells_nothing_of_the_inside() -> None:
    answer = refusal(DataFolderError("/home/ada/.masis cannot be used", advice="Look at /home/ada."))
    assert answer.status_code == 503
    assert b"data_folder" in answer.body
    assert b"/home/ada" not in answer.body

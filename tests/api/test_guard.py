import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from starlette.types import Message, Receive, Scope, Send

from masis.api.access import open_service
from masis.api.app import create_app
from masis.api.middleware.guard import Guard
from masis.settings import Settings


@pytest.fixture
async def local(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    settings = Settings(home=tmp_path, max_json_bytes=2000, max_request_bytes=50_000, max_file_bytes=10_000)
    transport = httpx.ASGITransport(create_app(settings, with_worker=False))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
        yield client


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2:80", "localhost:8000", "[::1]:9", "LOCALHOST"])
async def test_its_own_machine_is_let_in(local: httpx.AsyncClient, host: str) -> None:
    assert (await local.get("/masis/me", headers={"Host": host})).status_code == 200


@pytest.mark.parametrize(
    "host", ["masis.example", "127.0.0.1.evil.example", "10.0.0.7:8000", "localhost.", "", "a@localhost"]
)
@pytest.mark.parametrize("path", ["/masis/me", "/health", "/nowhere"])
async def test_a_name_that_was_made_to_point_here_is_not(local: httpx.AsyncClient, host: str, path: str) -> None:
    refused = await local.get(path, headers={"Host": host})
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:9999", "http://[", "127.0.0.1:8000", ""]
)
async def test_another_site_in_the_same_browser_is_refused(local: httpx.AsyncClient, origin: str) -> None:
    refused = await local.post("/masis/workspaces", json={"name": "acme"}, headers={"Origin": origin})
    assert refused.status_code == 403
    assert (await local.get("/masis/workspaces")).json()["items"] == []


async def test_behind_a_proxy_nobody_is_of_this_machine(local: httpx.AsyncClient) -> None:
    refused = await local.get("/masis/me", headers={"X-Forwarded-For": "203.0.113.7"})
    assert refused.status_code == 403
    assert "proxy" in refused.json()["detail"]


async def test_its_own_page_is_let_in(local: httpx.AsyncClient) -> None:
    made = await local.post("/masis/workspaces", json={"name": "acme"}, headers={"Origin": "http://127.0.0.1:8000"})
    assert made.status_code == 201


async def test_no_other_site_may_read_an_answer(local: httpx.AsyncClient) -> None:
    answer = await local.get("/masis/me")
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("path", ["/masis/me", "/nowhere", "/masis/workspaces/nowhere", "/v1/models"])
async def test_every_answer_has_the_careful_headers(local: httpx.AsyncClient, path: str) -> None:
    headers = (await local.get(path)).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    assert len(headers["x-request-id"]) == 32


async def test_a_request_keeps_the_id_it_came_with_unless_that_is_no_id(local: httpx.AsyncClient) -> None:
    assert (await local.get("/health", headers={"X-Request-Id": "abc-1"})).headers["x-request-id"] == "abc-1"
    forged = "a\tb" + "x" * 100
    assert (await local.get("/health", headers={"X-Request-Id": forged})).headers["x-request-id"] != forged


async def test_a_large_request_is_refused_by_what_it_announces(local: httpx.AsyncClient) -> None:
    refused = await local.post("/masis/workspaces", content=b"x" * 3000)
    assert (refused.status_code, refused.json()["code"]) == (413, "too_large")
    assert refused.headers["connection"] == "close"


async def test_what_a_client_calls_its_body_does_not_raise_the_limit(local: httpx.AsyncClient) -> None:
    """The body of every route but one is read before the key is looked at."""
    called = {"Content-Type": "multipart/form-data; boundary=x"}
    for path in ("/masis/workspaces", "/masis/session", "/v1/chat/completions", "/masis/workspaces/w/runs"):
        assert (await local.post(path, content=b"x" * 3000, headers=called)).status_code == 413


async def test_one_that_announces_nothing_is_counted_as_it_comes(local: httpx.AsyncClient) -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while sent < 10_000_000:
            sent += 1000
            yield b"x" * 1000

    headers = {"Content-Type": "application/json"}
    refused = await local.post("/masis/workspaces", content=endless(), headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (413, "too_large")
    assert sent < 10_000


@pytest.mark.parametrize(("size", "status"), [(9_000, 202), (11_000, 413), (60_000, 413)])
async def test_each_file_and_all_together_have_a_limit(local: httpx.AsyncClient, size: int, status: int) -> None:
    files = [("files", ("a.md", b"x" * size))]
    assert (await local.post("/masis/workspaces/acme/documents", files=files)).status_code == status


async def test_an_internal_error_tells_nothing_of_the_inside(
    local: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the password is swordfish")

    monkeypatch.setattr("masis.access.audit_log.AuditLog.entries", broken)
    answer = await local.get("/masis/audit-log")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    assert "swordfish" not in answer.text
    assert answer.headers["x-request-id"] in answer.json()["advice"]
    assert answer.headers["x-request-id"] in caplog.text
    assert "swordfish" in caplog.text


@pytest.mark.parametrize(
    "path", ["/nowhere%0aforged", "/masis/workspaces/%1b[31m%0d%0aforged", "/nowhere%e2%80%a8forged"]
)
async def test_an_address_writes_no_line_of_its_own_into_the_log(
    local: httpx.AsyncClient, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    caplog.set_level("INFO", "masis.api.middleware.guard")
    await local.get(path)
    (said,) = [record.getMessage() for record in caplog.records if "forged" in record.getMessage()]
    assert said.isascii()
    assert said.isprintable()


async def test_a_client_that_goes_is_no_error_of_the_service(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    app = create_app(Settings(home=tmp_path), with_worker=False)
    sent: list[Message] = []
    headers = [(b"host", b"localhost"), (b"content-type", b"multipart/form-data; boundary=x")]
    scope = {"type": "http", "method": "POST", "path": "/masis/workspaces/acme/documents", "headers": headers}
    parts = iter([{"type": "http.request", "body": b"--x\r\n", "more_body": True}, {"type": "http.disconnect"}])

    async def receive() -> Message:
        return next(parts)

    async def send(message: Message) -> None:
        sent.append(message)

    caplog.set_level("INFO", "masis.api.middleware.guard")
    await app({**scope, "query_string": b"", "http_version": "1.1", "app": app}, receive, send)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
    assert caplog.records[-1].getMessage().endswith(" 499")
    assert not sent


async def test_a_stream_is_measured_by_when_it_began(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[float] = []
    monkeypatch.setattr(
        "masis.api.middleware.guard.http_request", lambda *labels_and_seconds: measured.append(labels_and_seconds[3])
    )
    begun: list[float] = []

    async def stream(_: Scope, __: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        begun.append(time.perf_counter())
        await asyncio.sleep(0.3)
        await send({"type": "http.response.body", "body": b""})

    guarded = Guard(stream, open_service(Settings(home=tmp_path)))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(guarded), base_url="http://localhost") as client:
        asked = time.perf_counter()
        await client.get("/events")
    assert measured[0] <= begun[0] - asked

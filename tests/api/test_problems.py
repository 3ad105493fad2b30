from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

import masis.api.routes.runs
import masis.jobs.worker
import masis.runs.ingestions
import masis.runs.tables
from masis import errors
from masis.api.app import create_app
from masis.api.middleware.problems import STATUS_OF_CODE, response_to, status_of
from masis.errors import MASISError, RateLimited, ScannedFile, StoreUnavailable, Unauthorized
from masis.settings import Settings

USED = (masis.api.routes.runs, masis.jobs.worker, masis.runs.tables, masis.runs.ingestions, errors)
"""Where errors are defined."""


@pytest.fixture
async def local(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(create_app(Settings(home=tmp_path), with_worker=False))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
        yield client


def kinds_of(kind: type[MASISError]) -> Iterator[type[MASISError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from kinds_of(child)


@pytest.mark.parametrize("kind", sorted(set(kinds_of(MASISError)), key=lambda kind: kind.__name__))
def test_every_error_has_a_status_and_advice(kind: type[MASISError]) -> None:
    error = kind.__new__(kind)
    assert 400 <= status_of(error) < 600
    if kind.code.startswith("unknown_"):
        assert STATUS_OF_CODE[kind.code] == 404
    assert error.advice


def test_an_error_without_a_status_of_its_own_has_its_parents() -> None:
    assert status_of(ScannedFile("Pictures.", pages=1)) == 422


@pytest.mark.parametrize(
    ("error", "header", "value"),
    [
        (Unauthorized("No."), "www-authenticate", "Bearer"),
        (RateLimited("No.", retry_after=2.3), "retry-after", "3"),
        (StoreUnavailable("No."), "retry-after", "5"),
    ],
)
def test_an_error_says_in_headers_what_to_do(error: MASISError, header: str, value: str) -> None:
    assert response_to("/masis/me", error).headers[header] == value


async def test_a_problem_says_all_that_it_should(local: httpx.AsyncClient) -> None:
    problem = await local.get("/masis/workspaces/nowhere")
    assert problem.headers["content-type"] == "application/problem+json"
    told = problem.json()
    assert told["type"] == "urn:masis:problem:unknown_workspace"
    assert (told["title"], told["status"], told["instance"]) == ("Not Found", 404, "/masis/workspaces/nowhere")
    assert told["detail"]
    assert told["advice"]


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ('{"query": 7}', "body.query"),
        ('{"query": ""}', "body.query"),
        ('{"query": " \\n\\u0000"}', "body.query"),
        ('{"query": "\\ud800"}', "body.query"),
        ('{"query": "x", "max_retries": 1.5}', "body.max_retries"),
        ("{}", "body.query"),
        ('{"query": "x", "max_retries": 11}', "body.max_retries"),
        ('{"query": "x", "max_retries": true}', "body.max_retries"),
        ('{"query": "x", "more": 1}', "body.more"),
        ("[]", "body"),
        ('{"query": ', "body.10"),
        ("", "body"),
        ('{"query": "' + "x" * 5000 + '"}', "body.query"),
    ],
)
async def test_wrong_types_are_refused_with_where_they_stand(local: httpx.AsyncClient, body: str, where: str) -> None:
    await local.post("/masis/workspaces", json={"name": "acme"})
    headers = {"Content-Type": "application/json"}
    problem = await local.post("/masis/workspaces/acme/runs", content=body, headers=headers)
    assert (problem.status_code, problem.json()["code"]) == (422, "invalid_input")
    assert problem.json()["errors"][0]["where"] == where


@pytest.mark.parametrize(
    "path", ["/nowhere", "/masis", "/masis/workspaces/", "/masis/workspaces/a/b/c", "/..%2f..%2fetc/passwd"]
)
async def test_an_unknown_address_is_a_problem(local: httpx.AsyncClient, path: str) -> None:
    problem = await local.get(path)
    assert (problem.status_code, problem.json()["code"]) == (404, "not_found")


async def test_a_wrong_method_names_the_right_ones(local: httpx.AsyncClient) -> None:
    problem = await local.put("/masis/workspaces")
    assert (problem.status_code, problem.headers["allow"]) == (405, "GET, POST")
    assert problem.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("name", ["..%2f..", "%2e%2e", ".hidden", "a" * 65, "a b", "a%0a", "ä", "%00"])
async def test_a_workspace_cannot_be_called_anything(local: httpx.AsyncClient, name: str) -> None:
    assert (await local.get(f"/masis/workspaces/{name}/documents")).status_code in (404, 422)
    assert list((await local.get("/masis/workspaces")).json()["items"]) == []


@pytest.mark.parametrize("cursor", ["%%%", "ä", "_", "a" * 401])
async def test_a_forged_cursor_is_refused(local: httpx.AsyncClient, cursor: str) -> None:
    problem = await local.get("/masis/workspaces", params={"cursor": cursor})
    assert problem.json()["code"] == "invalid_input"


async def test_under_v1_errors_have_openais_shape(local: httpx.AsyncClient) -> None:
    asked = {"model": "nowhere", "messages": [{"role": "user", "content": "hi"}]}
    for answer in (
        await local.post("/v1/chat/completions", json=asked),
        await local.post("/v1/chat/completions", json={}),
        await local.get("/v1/nothing"),
    ):
        assert set(answer.json()["error"]) == {"message", "type", "param", "code"}
        assert answer.json()["error"]["type"] == "invalid_request_error"

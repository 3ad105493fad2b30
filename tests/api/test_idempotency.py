from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from masis.api.idempotency import ABANDONED_SECONDS, KEPT_SECONDS, FirstResponses, Kept
from masis.api.problems import Conflicting
from masis.errors import InvalidInput
from masis.settings import Settings
from tests.api.live import ANSWERED, DOCUMENTS

RUNS = "/masis/workspaces/acme/runs"


def test_the_same_request_again_gets_the_first_response_again(client: httpx.Client) -> None:
    headers = {"Idempotency-Key": "start-1"}
    first = client.post(RUNS, json={"query": ANSWERED}, headers=headers)
    again = client.post(RUNS, json={"query": ANSWERED}, headers=headers)
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again.headers["location"] == first.headers["location"]
    assert again.headers["idempotent-replayed"] == "true"
    assert "idempotent-replayed" not in first.headers
    asked_again = client.get(RUNS, params={"search": ANSWERED}).json()["items"]
    assert [run["run_id"] for run in asked_again] == [first.json()["run_id"]]


def test_another_request_under_the_same_key_is_refused(client: httpx.Client) -> None:
    headers = {"Idempotency-Key": "start-2"}
    client.post(RUNS, json={"query": "hello"}, headers=headers)
    other = client.post(RUNS, json={"query": "hello there"}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (422, "invalid_input")


def test_a_request_that_failed_may_be_sent_again(client: httpx.Client) -> None:
    headers = {"Idempotency-Key": "start-3"}
    assert client.post("/masis/workspaces/late/runs", json={"query": "hello"}, headers=headers).status_code == 404
    client.post("/masis/workspaces", json={"name": "late"})
    assert client.post("/masis/workspaces/late/runs", json={"query": "hello"}, headers=headers).status_code == 202


def test_an_upload_is_the_same_by_its_files_not_by_its_boundary(client: httpx.Client) -> None:
    headers = {"Idempotency-Key": "upload-1"}
    files = [("files", ("a.md", DOCUMENTS["post-mortem.md"].encode()))]
    answers = [client.post("/masis/workspaces/twice/documents", files=files, headers=headers) for _ in range(2)]
    assert answers[0].status_code == answers[1].status_code == 202
    assert answers[0].json() == answers[1].json()


def test_of_many_at_once_one_is_done(client: httpx.Client) -> None:
    def start(_: int) -> httpx.Response:
        return client.post(RUNS, json={"query": "one of many"}, headers={"Idempotency-Key": "many"})

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(start, range(8)))
    assert {answer.status_code for answer in answers} <= {202, 409}
    assert len(client.get(RUNS, params={"search": "one of many"}).json()["items"]) == 1


def test_what_was_answered_goes_with_its_workspace(client: httpx.Client) -> None:
    client.post("/masis/workspaces", json={"name": "passing"}).raise_for_status()
    asked, key = {"query": "What was the secret?"}, {"Idempotency-Key": "of-passing"}
    client.post("/masis/workspaces/passing", json=asked, headers=key).raise_for_status()
    client.delete("/masis/workspaces/passing").raise_for_status()
    again = client.post("/masis/workspaces/passing", json=asked, headers=key)
    assert (again.status_code, again.json()["code"]) == (404, "unknown_workspace")


def test_keys_belong_to_their_caller_and_to_a_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, clock = FirstResponses(Settings(home=tmp_path)), [1000.0]
    monkeypatch.setattr("masis.api.idempotency.time.time", lambda: clock[0])
    kept = Kept(202, {"location": "/x"}, b"{}")
    assert store.begin("ada", "k", "same") is None
    assert store.begin("bob", "k", "other") is None
    with pytest.raises(Conflicting):
        store.begin("ada", "k", "same")
    store.keep("ada", "k", kept)
    assert store.begin("ada", "k", "same") == kept
    with pytest.raises(InvalidInput):
        store.begin("ada", "k", "different")
    clock[0] += ABANDONED_SECONDS + 1
    assert store.begin("bob", "k", "another") is None
    assert store.begin("ada", "k", "same") == kept
    clock[0] += KEPT_SECONDS
    assert store.begin("ada", "k", "different") is None

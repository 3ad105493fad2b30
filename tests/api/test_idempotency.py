from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from masis.api.middleware.idempotency import ABANDONED_SECONDS, KEPT_SECONDS, FirstResponses, Kept
from masis.api.middleware.problems import Conflicting
from masis.database import open_database
from masis.database.batched import BatchedDatabase
from masis.errors import InvalidInput
from masis.jobs.queue import JobQueue, new_owner
from masis.runs.run_table import RunTable
from masis.runs.tables import RUNS as RUN_TABLES
from masis.settings import Settings
from tests.api.live import ANSWERED, DOCUMENTS, wait_for

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


@pytest.mark.parametrize("path", ["/masis/workspaces/acme", RUNS, "/v1/chat/completions"])
def test_what_was_answered_goes_with_its_run(client: httpx.Client, service_settings: Settings, path: str) -> None:
    asked = {"query": ANSWERED, "model": "acme", "messages": [{"role": "user", "content": ANSWERED}]}
    asked = asked if path.startswith("/v1") else {"query": ANSWERED}
    key = {"Idempotency-Key": f"of {path}".replace(" ", "-")}
    first = client.post(path, json=asked, headers=key)
    run = run_of(first)
    wait_for(client, f"{RUNS}/{run}", "finished")
    client.post(f"{RUNS}/{run}/cancel", headers={"Idempotency-Key": f"cancel-{run}"}).raise_for_status()
    assert client.post(path, json=asked, headers=key).content == first.content
    client.delete(f"{RUNS}/{run}").raise_for_status()
    assert run not in everything_kept(service_settings)
    again = client.post(path, json=asked, headers=key)
    assert "idempotent-replayed" not in again.headers
    assert run_of(again) != run
    wait_for(client, f"{RUNS}/{run_of(again)}", "finished")


def test_what_was_answered_goes_with_a_workspace_deleted_from_elsewhere(
    client: httpx.Client, service_settings: Settings
) -> None:
    made, key = {"name": "brief"}, {"Idempotency-Key": "of-brief"}
    client.post("/masis/workspaces", json=made, headers=key).raise_for_status()
    client.post("/masis/workspaces/brief", json={"query": "hello"}, headers={"Idempotency-Key": "2"}).raise_for_status()
    runs = BatchedDatabase(open_database(service_settings, RUN_TABLES))
    RunTable(runs, JobQueue(runs, 15)).delete_workspace("brief")
    runs.close()
    assert "brief" not in everything_kept(service_settings)
    again = client.post("/masis/workspaces", json=made, headers=key)
    assert "idempotent-replayed" not in again.headers


def test_an_answer_that_comes_after_its_run_was_deleted_is_not_kept(tmp_path: Path) -> None:
    store = FirstResponses(Settings(home=tmp_path))
    assert store.begin("ada", "k", "same", "acme") is None
    store.keep("ada", "k", Kept(200, {}, b"The answer."), "deleted-run")
    assert "The answer." not in everything_kept(Settings(home=tmp_path))
    assert store.begin("ada", "k", "same", "acme") is None


def run_of(response: httpx.Response) -> str:
    return response.headers.get("x-run-id") or response.json()["run_id"]


def everything_kept(settings: Settings) -> str:
    database = open_database(settings, RUN_TABLES)
    with database.reading() as db:
        rows = [
            [bytes(each) if isinstance(each, memoryview) else each for each in row]
            for row in db.execute("SELECT * FROM first_responses").fetchall()
        ]
    database.close()
    return repr(rows)


def test_keys_belong_to_their_caller_and_to_a_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, clock = FirstResponses(Settings(home=tmp_path)), [1000.0]
    monkeypatch.setattr("masis.api.middleware.idempotency.time.time", lambda: clock[0])
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


def test_a_key_whose_process_was_killed_is_free_for_any_request(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    store = FirstResponses(settings)
    machine, _, _, name = new_owner().split("|")
    store._owner = f"{machine}|1|none|{name}"  # process 1 lives, and did not start then
    assert store.begin("ada", "k", "first") is None
    after = FirstResponses(settings)
    assert after.begin("ada", "k", "another") is None
    with pytest.raises(Conflicting):
        after.begin("ada", "k", "another")
    after.keep("ada", "k", Kept(202, {}, b"{}"))
    with pytest.raises(InvalidInput):
        after.begin("ada", "k", "a third")

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from typing import Any

import httpx
import pytest

from masis.api.models import FullResult
from masis.runs.records import RunResult
from tests.api.live import ANSWERED, DISPUTED, Live, wait_for

ACME = "/masis/workspaces/acme"
RESPONSE_OF_THE_SPECIFICATION = {
    "status",
    "answer",
    "confidence",
    "requires_human_review",
    "clarification_question",
    "critique",
    "evaluation",
    "trace",
    "metrics",
}


def test_asking_answers_exactly_as_specified(client: httpx.Client) -> None:
    asked = client.post(ACME, json={"query": ANSWERED, "max_retries": 2})
    assert asked.status_code == 200
    assert set(asked.json()) == RESPONSE_OF_THE_SPECIFICATION
    assert asked.json()["status"] == "success"
    assert "expired TLS certificate" in asked.json()["answer"]
    assert asked.headers["location"] == f"{ACME}/runs/{asked.headers['x-run-id']}"


def test_a_conflict_is_a_question_to_a_person_whose_answer_resumes_the_run(client: httpx.Client) -> None:
    asked = client.post(ACME, json={"query": DISPUTED})
    assert asked.json()["status"] == "needs_clarification"
    run = asked.headers["location"]
    assert client.get(run).json()["status"] == "waiting"
    review = client.get(f"{run}/result").json()["review"]
    assert "prefer" in review["choices"]
    answer = {"action": "prefer", "prefer": ["annual-report.md"], "over": ["board-memo.md"], "by": "Ada Lovelace"}
    answered = client.post(f"{run}/answer", json=answer)
    assert answered.status_code == 202
    assert wait_for(client, run, "finished", "waiting", "failed")["status"] == "finished"
    result = client.get(f"{run}/result").json()
    assert "7.4%" in result["answer"]
    assert "Ada Lovelace" in result["answer"]


def test_a_remembered_decision_is_listed_and_can_be_forgotten(client: httpx.Client) -> None:
    run = client.post(ACME, json={"query": DISPUTED}).headers["location"]
    answer = {"action": "prefer", "prefer": ["board-memo.md"], "over": ["annual-report.md"], "remember": True}
    client.post(f"{run}/answer", json=answer).raise_for_status()
    wait_for(client, run, "finished")
    [decision] = client.get(f"{ACME}/decisions").json()
    again = client.post(ACME, json={"query": DISPUTED}).json()
    assert again["status"] == "success"
    assert "9.1%" in again["answer"]
    assert client.delete(f"{ACME}/decisions/{decision['decision_id']}").json() == decision
    assert client.get(f"{ACME}/decisions").json() == []
    assert client.delete(f"{ACME}/decisions/{decision['decision_id']}").status_code == 404


def test_an_answer_that_does_not_fit_is_refused_and_can_be_given_again(client: httpx.Client) -> None:
    run = client.post(ACME, json={"query": DISPUTED}).headers["location"]
    strangers = {"action": "prefer", "prefer": ["nobody.md"], "over": ["board-memo.md"]}
    assert client.post(f"{run}/answer", json=strangers).status_code == 422
    assert client.post(f"{run}/answer", json={"action": "stop"}).status_code == 202
    wait_for(client, run, "finished")
    assert client.post(f"{run}/answer", json={"action": "stop"}).status_code == 409


def test_of_many_answers_at_once_one_counts_and_the_others_hear_why(client: httpx.Client, live: Live) -> None:
    run = client.post(ACME, json={"query": DISPUTED}).headers["location"]

    def answer(_: int) -> int:
        with live.client() as own:
            return own.post(f"{run}/answer", json={"action": "stop"}).status_code

    with ThreadPoolExecutor(4) as threads:
        assert sorted(threads.map(answer, range(4))) == [202, 409, 409, 409]
    wait_for(client, run, "finished")
    assert [event["event"] for event in events_of(client, run)].count("answered") == 1


def test_what_is_over_stays_so_and_only_a_failed_run_is_resumed(client: httpx.Client) -> None:
    run = client.post(ACME, json={"query": ANSWERED}).headers["location"]
    before = client.get("/masis/audit-log", params={"limit": 1}).json()["items"][0]
    assert client.post(f"{run}/cancel").json()["status"] == "finished"
    assert client.get("/masis/audit-log", params={"limit": 1}).json()["items"][0] == before
    assert client.post(f"{run}/resume").status_code == 409


def test_a_run_in_the_background_is_followed_and_replayed(client: httpx.Client) -> None:
    started = client.post(f"{ACME}/runs", json={"query": ANSWERED})
    assert started.status_code == 202
    run = started.headers["location"]
    live = events_of(client, run)
    assert live[0]["event"] == "queued"
    assert live[-1]["event"] == "ended"
    numbers = [event["seq"] for event in live if event["seq"] is not None]
    assert numbers == sorted(set(numbers))
    kept = [event for event in live if event["seq"] is not None]
    assert events_of(client, run) == kept
    seen = kept[3]["seq"]
    assert events_of(client, run, headers={"Last-Event-ID": str(seen)}) == kept[4:]
    assert events_of(client, run, params={"after": seen}) == kept[4:]


def test_events_on_the_wire_have_id_and_kind(client: httpx.Client) -> None:
    run = client.post(ACME, json={"query": ANSWERED}).headers["location"]
    text = client.get(f"{run}/events").text
    first = dict(line.split(": ", 1) for line in text.split("\n\n")[0].splitlines())
    assert (first["id"], first["event"]) == ("0", "queued")
    assert json.loads(first["data"])["data"]["question"] == ANSWERED


@pytest.mark.parametrize("seen", ["9" * 5000, str(2**70), "-1", "0x0", "²", "nothing"])
def test_what_is_no_event_is_seen_as_none(client: httpx.Client, seen: str) -> None:
    run = client.post(f"{ACME}/runs", json={"query": ANSWERED}).headers["location"]
    wait_for(client, run, "finished")
    whole = client.get(f"{run}/events").text
    assert client.get(f"{run}/events", headers={"Last-Event-ID": seen.encode()}).text == whole
    assert client.get(f"{run}/events", params={"after": 2**70}).status_code == 422


def test_runs_are_listed_newest_first_in_pages(client: httpx.Client) -> None:
    runs = [client.post(f"{ACME}/runs", json={"query": f"hello {n}"}).json()["run_id"] for n in range(3)]
    first = client.get(f"{ACME}/runs", params={"limit": 2}).json()
    second = client.get(f"{ACME}/runs", params={"limit": 2, "cursor": first["next_cursor"]}).json()
    listed = [run["run_id"] for run in first["items"] + second["items"]]
    assert listed[:3] == runs[::-1]
    found = client.get(f"{ACME}/runs", params={"search": "hello 1"}).json()["items"]
    assert {run["question"] for run in found} == {"hello 1"}
    for run in runs:
        wait_for(client, f"{ACME}/runs/{run}", "finished", "waiting")


def test_a_run_is_exported_and_deleted(client: httpx.Client) -> None:
    run = client.post(ACME, json={"query": ANSWERED}).headers["location"]
    pack = client.get(f"{run}/export").json()
    assert pack["result"]["outcome"] == "answered"
    assert pack["events"][-1]["event"] == "ended"
    read = client.get(f"{run}/export", params={"format": "md"})
    assert read.headers["content-type"].startswith("text/markdown")
    assert ANSWERED in read.text
    assert "expired TLS certificate" in read.text
    assert client.delete(run).status_code == 204
    assert client.get(run).json()["code"] == "unknown_run"
    assert client.get(f"{run}/events").status_code == 404


def test_a_run_of_another_workspace_is_unknown(client: httpx.Client) -> None:
    client.post("/masis/workspaces", json={"name": "neighbour"})
    run = client.post(ACME, json={"query": "hello"}).headers["x-run-id"]
    for path in ("", "/result", "/events", "/export"):
        assert client.get(f"/masis/workspaces/neighbour/runs/{run}{path}").status_code == 404
    assert client.post(f"/masis/workspaces/neighbour/runs/{run}/cancel").status_code == 404
    assert client.delete(f"/masis/workspaces/neighbour/runs/{run}").status_code == 404


def test_a_question_to_no_workspace_is_refused(client: httpx.Client) -> None:
    for path in ("/masis/workspaces/nowhere", "/masis/workspaces/nowhere/runs"):
        refused = client.post(path, json={"query": ANSWERED})
        assert (refused.status_code, refused.json()["code"]) == (404, "unknown_workspace")


def test_a_queued_run_has_no_result_and_is_cancelled(idle_client: httpx.Client) -> None:
    run = idle_client.post(f"{ACME}/runs", json={"query": ANSWERED}).headers["location"]
    for path in ("/result", "/export"):
        assert idle_client.get(f"{run}{path}").json()["code"] == "conflict"
    assert idle_client.post(f"{run}/resume").json()["code"] == "conflict"
    assert idle_client.post(f"{run}/cancel").json()["status"] == "cancelled"
    assert events_of(idle_client, run)[-1]["event"] == "cancelled"


def test_a_queued_upload_is_cancelled(idle_client: httpx.Client) -> None:
    accepted = idle_client.post(f"{ACME}/documents", files=[("files", ("a.md", b"Alpha."))])
    assert idle_client.get(accepted.headers["location"]).json()["status"] == "queued"
    assert idle_client.post(f"{accepted.headers['location']}/cancel").json()["status"] == "cancelled"


def events_of(client: httpx.Client, run: str, **how: Any) -> list[dict[str, Any]]:
    lines = client.get(f"{run}/events", **how).text.splitlines()
    return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]


def test_the_caller_gets_everything_a_result_holds() -> None:
    assert {field.name for field in fields(RunResult)} == set(FullResult.model_fields)


def test_pages_go_on_where_the_last_of_a_page_was_deleted(idle_client: httpx.Client) -> None:
    names = ["a.md", "b.md", "c.md", "d.md"]
    idle_client.post("/masis/workspaces", json={"name": "pages"}).raise_for_status()
    here = "/masis/workspaces/pages/runs"
    runs = [idle_client.post(here, json={"query": name}).json()["run_id"] for name in names][::-1]
    first = idle_client.get(here, params={"limit": 2}).json()
    idle_client.delete(f"{here}/{first['items'][-1]['run_id']}").raise_for_status()
    second = idle_client.get(here, params={"limit": 2, "cursor": first["next_cursor"]})
    assert [run["run_id"] for run in second.json()["items"]] == runs[2:]
    for path in (here, "/masis/workspaces/pages/documents"):
        for garbage in ("bm90aGluZw", "AAAA", "%%%", "x" * 2001):
            refused = idle_client.get(path, params={"cursor": garbage})
            assert (refused.status_code, refused.json()["code"]) == (422, "invalid_input")

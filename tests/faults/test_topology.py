"""Two APIs and a worker on PostgreSQL and a Qdrant server: any of them may go, and the service continues."""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from tests.faults.topology import OVER, QUESTION, REPORT, RUNS, SEARCH, Topology
from tests.support.deployment import until
from tests.support.waiting import SOON


@pytest.fixture(scope="module")
def shared_topology(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Topology]:
    made = Topology(tmp_path_factory.mktemp("topology"))
    try:
        made.begin()
        location = made.upload(*REPORT)
        until(lambda: made.status(location) == "done")
        yield made
    finally:
        made.close()


@pytest.fixture
def topology(shared_topology: Topology) -> Iterator[Topology]:
    yield shared_topology
    shared_topology.model.__dict__.update(seconds=0.0, is_down=False, sees_conflict=False)


@contextmanager
def load(topology: Topology) -> Iterator[tuple[Counter[str], list[str]]]:
    """Callers of both APIs, all the time: what they were told, and the runs that were promised to them."""
    told: Counter[str] = Counter()
    promised: list[str] = []
    enough = threading.Event()

    def call_on(api: int) -> None:
        while not enough.is_set():
            for method, path in (("GET", SEARCH), ("POST", RUNS), ("GET", RUNS)):
                answer = topology.call(method, path, api, json=QUESTION if method == "POST" else None)
                code = answer.json()["code"] if answer.status_code >= 400 else ""
                told[f"{method} {answer.status_code} {code}".strip()] += 1
                if method == "POST" and answer.status_code == 202:
                    promised.append(answer.headers["Location"])
            enough.wait(0.3)

    threads = [threading.Thread(target=call_on, args=(api,)) for api in range(len(topology.apis))]
    for thread in threads:
        thread.start()
    try:
        yield told, promised
    finally:
        enough.set()
        for thread in threads:
            thread.join()


def test_what_waits_is_told_by_any_api_and_what_was_done_by_the_worker(topology: Topology) -> None:
    topology.model.is_free.clear()
    run = topology.start()
    until(lambda: 'masis_jobs{kind="run",status="running"} 1.0' in topology.call("GET", "/metrics", 1).text)
    topology.model.is_free.set()
    until(lambda: topology.status(run) == "finished")
    assert "masis_runs_total" in httpx.get(f"http://127.0.0.1:{topology.metrics_port}/metrics", timeout=SOON).text


def test_the_index_goes_away_and_comes_back_under_load(topology: Topology) -> None:
    with load(topology) as (told, promised):
        until(lambda: told["GET 200"] > 3 and told["POST 202"] > 1)
        topology.qdrant.stop()
        until(lambda: told["GET 503 store_unavailable"] > 1)
        upload = topology.upload("while-away.md", b"# Harbour\n\nThe ferry carried 37 cars in spring.\n")
        topology.qdrant.start()
        found = told["GET 200"]
        until(lambda: told["GET 200"] > found + 6)
    assert set(told) <= {"GET 200", "POST 202", "GET 503 store_unavailable", "POST 503 store_unavailable"}
    until(lambda: topology.status(upload) == "done")
    until(lambda: all(topology.status(run) in OVER for run in promised))
    fresh = topology.start()
    until(lambda: topology.status(fresh) == "finished")


def test_the_database_goes_away_and_comes_back_under_load(topology: Topology) -> None:
    with load(topology) as (told, promised):
        until(lambda: told["POST 202"] > 3)
        topology.postgres.stop()
        until(lambda: sum(count for what, count in told.items() if "503" in what) > 1)
        topology.postgres.start()
        started = told["POST 202"]
        until(lambda: told["POST 202"] > started + 3)
    assert {what for what in told if " 20" not in what} <= {
        "GET 503 database_unavailable",
        "POST 503 database_unavailable",
    }
    until(lambda: all(topology.status(run) == "finished" for run in promised))


def test_no_model_answers(topology: Topology) -> None:
    topology.model.is_down = True
    answer = topology.call("POST", "/masis/workspaces/acme", json=QUESTION)
    assert answer.status_code == 200, answer.text
    assert answer.json()["status"] == "needs_clarification"
    run = f"{RUNS}/{answer.headers['X-Run-Id']}"
    assert topology.call("GET", run).json()["outcome"] == "unavailable"
    topology.model.is_down = False
    choices = topology.call("GET", f"{run}/result").json()["review"]["choices"]
    assert topology.call("POST", f"{run}/answer", 1, json={"action": "look_again"}).is_success, choices
    until(lambda: topology.status(run) == "finished")


def test_a_run_outlives_the_worker_and_the_api_it_began_with(topology: Topology) -> None:
    topology.model.sees_conflict, topology.model.seconds = True, 0.2
    run = topology.start(api=1)
    events: list[dict[str, Any]] = []
    with (
        topology.apis[0].client(topology.token) as client,
        client.stream("GET", f"{run}/events") as stream,
    ):
        for line in stream.iter_lines():
            if not line.startswith("data:"):
                continue
            events.append(json.loads(line.removeprefix("data:")))
            if len(events) == 4:
                topology.apis.pop().program.kill()
                topology.workers.pop().kill()
                topology.workers.append(topology.deployment.worker())
    assert events[-1]["event"] == "waiting"
    numbers = [event["seq"] for event in events if event["seq"] is not None]
    assert numbers == sorted(set(numbers))

    topology.model.sees_conflict = False
    answered = topology.call("POST", f"{run}/answer", json={"action": "accept"})
    assert answered.status_code in (200, 202), answered.text
    until(lambda: topology.status(run) == "finished")
    later = topology.call("GET", f"{run}/events", headers={"Last-Event-ID": str(numbers[-1])})
    assert f"id: {numbers[-1]}\n" not in later.text
    assert "ended" in later.text

"""SIGTERM while a run is in work and somebody follows it: it is given back, and goes on with the next start."""

import json
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.support.deployment import until
from tests.support.fake_openai import FakeOpenAI
from tests.support.patient_model import PatientModel
from tests.support.service import Service
from tests.support.waiting import is_listening

QUESTION = "What was revenue in 2025?"
ACME = "/masis/workspaces/acme"


@pytest.fixture
def model(fake_openai: FakeOpenAI) -> Iterator[PatientModel]:
    model = PatientModel()
    fake_openai.answer_with(model)
    yield model
    model.is_free.set()


@pytest.fixture
def service(fake_openai: FakeOpenAI, tmp_path: Path) -> Iterator[Service]:
    settings = {"MASIS_MODEL_BASE_URL": fake_openai.base_url, "MASIS_RATE_LIMIT_CALLS": "10000"}
    service = Service(tmp_path, settings | {"MASIS_DRAIN_SECONDS": "2", "MASIS_STOP_SECONDS": "30"})
    service.start()
    yield service
    service.close()


def followed(service: Service, run: str) -> list[str]:
    """Until the run is over or the connection is."""
    kinds = []
    try:
        with service.client() as client, client.stream("GET", f"{run}/events") as events:
            kinds = [line for line in events.iter_lines() if line.startswith("event:")]
    except httpx.TransportError:
        pass
    return kinds


def test_a_run_in_work_is_given_back_and_goes_on(
    service: Service, model: PatientModel, fake_openai: FakeOpenAI
) -> None:
    service.upload("acme", {"report.md": b"# Report\n\nRevenue was $12 million in 2025."})
    model.is_free.clear()
    with service.client() as client, ThreadPoolExecutor() as threads:
        run = client.post(f"{ACME}/runs", json={"query": QUESTION}).headers["location"]
        following = threads.submit(followed, service, run)
        until(lambda: bool(fake_openai.chats))
        said = service.stop()
        following.result(timeout=30)
    assert "Traceback" not in said
    model.is_free.set()
    service.start()
    with service.client() as client:
        until(lambda: client.get(run).json()["status"] == "finished")
        lines = client.get(f"{run}/events").text.splitlines()
    told = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    times = Counter(
        (event["event"], event.get("agent"), event.get("attempt")) for event in told if event["seq"] is not None
    )
    assert times["finished", "synthesizer", 0] == 1
    assert times["ended", None, None] == 1
    assert len({event["seq"] for event in told if event["seq"] is not None}) == sum(times.values())


def test_who_waits_for_an_answer_gets_it_and_others_are_told_to_go_elsewhere(
    service: Service, model: PatientModel, fake_openai: FakeOpenAI
) -> None:
    service.upload("acme", {"report.md": b"# Report\n\nRevenue was $12 million in 2025."})
    model.is_free.clear()
    with service.client() as client, ThreadPoolExecutor() as threads:
        asked = threads.submit(httpx.post, f"{service.url}{ACME}", json={"query": QUESTION}, timeout=60)
        until(lambda: bool(fake_openai.chats))
        stopped = threads.submit(service.stop)
        until(lambda: client.get("/health").status_code == 503)
        assert client.get("/health").json()["status"] == "stopping"
        assert client.get(f"{ACME}/runs").status_code == 200
        until(lambda: not is_listening(service.port))
        model.is_free.set()
        assert asked.result().status_code == 200, asked.result().text
        assert "Traceback" not in stopped.result()

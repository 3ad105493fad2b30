"""Two APIs and workers on PostgreSQL and a Qdrant server, with a model, as they are deployed."""

import json
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.faults.conftest import surroundings
from tests.support.deployment import Api, Deployment, Program, until
from tests.support.fake_openai import FakeOpenAI
from tests.support.patient_model import PatientModel
from tests.support.servers import PostgresServer, QdrantServer, free_port

QUESTION = {"query": "What was revenue in 2025?"}
REPORT = ("report.md", b"# Report\n\nRevenue was $12 million in 2025.\n")
RUNS, DOCUMENTS = "/masis/workspaces/acme/runs", "/masis/workspaces/acme/documents"
SEARCH = "/masis/workspaces/acme/search?q=revenue"
OVER = ("finished", "waiting")


class Topology:
    """Everything, and the key of somebody who may ask and upload."""

    def __init__(self, folder: Path) -> None:
        self.postgres, self.qdrant, self.provider, self.model = (
            PostgresServer(),
            QdrantServer(folder),
            FakeOpenAI(),
            PatientModel(),
        )
        self.standby: PostgresServer | None = None
        self.metrics_port = free_port()
        self.provider.answer_with(self.model)
        self.postgres.start()
        self.qdrant.start()
        url = self.postgres.database("masis")
        settings = surroundings(folder / "home", url, self.qdrant.url, self.provider.base_url)
        self.deployment = Deployment(folder, settings | {"MASIS_MODEL_DEADLINE_SECONDS": "2"})

    def add_standby(self) -> None:
        self.standby = PostgresServer(leader=self.postgres)
        self.standby.start()
        hosts = f"127.0.0.1:{self.postgres.port},127.0.0.1:{self.standby.port}"
        url = f"postgresql://masis@{hosts}/masis?target_session_attrs=read-write"
        self.deployment.environment["MASIS_DATABASE_URL"] = url

    def begin(self, workers: int = 1) -> None:
        made = self.deployment.run("keys", "create", "Ada", "--role", "admin", "--workspace", "*", "--json")
        self.token: str = json.loads(made)["token"]
        with ThreadPoolExecutor(2 + workers) as starting:
            apis = [starting.submit(self.deployment.api, "--no-worker") for _ in range(2)]
            ports = [self.metrics_port, *(free_port() for _ in range(1, workers))]
            working = [starting.submit(self.deployment.worker, "--metrics-port", str(port)) for port in ports]
        self.apis: list[Api] = [api.result() for api in apis]
        self.workers: list[Program] = [worker.result() for worker in working]

    def client(self, address: str) -> httpx.Client:
        """For one of the proxies, whose certificate nobody else would believe."""
        headers = {"Authorization": f"Bearer {self.token}"}
        return httpx.Client(base_url=address, headers=headers, timeout=60, verify=False)

    @property
    def ports(self) -> list[int]:
        return [api.port for api in self.apis]

    def call(self, method: str, path: str, api: int = 0, **given: Any) -> httpx.Response:
        with self.apis[api].client(self.token) as client:
            return client.request(method, path, **given)

    def upload(self, name: str, content: bytes, api: int = 0) -> str:
        accepted = self.call("POST", DOCUMENTS, api, files={"files": (name, content)})
        assert accepted.status_code == 202, accepted.text
        return accepted.headers["Location"]

    def start(self, api: int = 0) -> str:
        started = self.call("POST", RUNS, api, json=QUESTION)
        assert started.status_code == 202, started.text
        return started.headers["Location"]

    def status(self, location: str, api: int = 0) -> str:
        found = self.call("GET", location, api)
        return found.json()["status"] if found.status_code == 200 else f"{found.status_code}"

    def close(self) -> None:
        self.deployment.close()
        self.provider.close()
        self.qdrant.stop()
        if self.standby:
            self.standby.close()
        self.postgres.close()


@contextmanager
def of_two_workers(folder: Path, *, standby: bool = False, **settings: str) -> Iterator[Topology]:
    """At work, with a report to ask about."""
    made = Topology(folder)
    made.deployment.environment |= settings
    try:
        if standby:
            made.add_standby()
        made.begin(workers=2)
        location = made.upload(*REPORT)
        until(lambda: made.status(location) == "done")
        yield made
    finally:
        made.close()


def nothing_lost_or_doubled(topology: Topology, runs: list[str], files: list[str]) -> None:
    """Of what was promised: runs by their location, files by their name."""
    until(lambda: all(topology.status(run) == "finished" for run in runs))
    known, cursor = list[str](), None
    while True:
        page = topology.call("GET", RUNS, params={"limit": 100} | ({"cursor": cursor} if cursor else {})).json()
        known += [f"{RUNS}/{run['run_id']}" for run in page["items"]]
        if (cursor := page["next_cursor"]) is None:
            break
    assert sorted(known) == sorted(runs)
    undisturbed = _steps(topology, topology.start())
    assert [run for run in runs if _steps(topology, run) != undisturbed] == []
    until(lambda: _ready(topology) >= set(files))
    assert len(set(files)) == len(files) == len(_documents(topology)) - 1  # and the report


def _steps(topology: Topology, run: str) -> Counter[tuple[str, int]]:
    """What the agents of a run did, once it is over."""
    told = topology.call("GET", f"{run}/events").text.splitlines()
    events = [json.loads(line.removeprefix("data:")) for line in told if line.startswith("data:")]
    return Counter((event["agent"], event["attempt"]) for event in events if event["event"] == "finished")


def _documents(topology: Topology) -> list[dict[str, str]]:
    items: list[dict[str, str]] = topology.call("GET", DOCUMENTS, params={"limit": 200}).json()["items"]
    return items


def _ready(topology: Topology) -> set[str]:
    return {each["file_name"] for each in _documents(topology) if each["status"] == "READY"}

"""Two APIs and workers on PostgreSQL and a Qdrant server, with a model, as they are deployed."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx

from tests.faults.conftest import surroundings
from tests.support.deployment import Api, Deployment, Program
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
        self.metrics_port = free_port()
        self.provider.answer_with(self.model)
        self.postgres.start()
        self.qdrant.start()
        url = self.postgres.database("masis")
        settings = surroundings(folder / "home", url, self.qdrant.url, self.provider.base_url)
        self.deployment = Deployment(folder, settings | {"MASIS_MODEL_DEADLINE_SECONDS": "2"})

    def begin(self, workers: int = 1) -> None:
        made = self.deployment.run("keys", "create", "Ada", "--role", "admin", "--workspace", "*", "--json")
        self.token: str = json.loads(made)["token"]
        with ThreadPoolExecutor(2 + workers) as starting:
            apis = [starting.submit(self.deployment.api, "--no-worker") for _ in range(2)]
            ports = [self.metrics_port, *(free_port() for _ in range(1, workers))]
            working = [starting.submit(self.deployment.worker, "--metrics-port", str(port)) for port in ports]
        self.apis: list[Api] = [api.result() for api in apis]
        self.workers: list[Program] = [worker.result() for worker in working]

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
        self.postgres.close()

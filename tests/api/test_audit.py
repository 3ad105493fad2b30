"""Whatever changes something is written down: from the table of routes, so that a new one cannot be forgotten."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from masis.access.audit_log import AuditLog
from masis.access.keys import Keys
from masis.client import Masis
from masis.settings import Settings
from tests.api.live import ANSWERED, DISPUTED, DOCUMENTS, serving, uploads
from tests.api.test_every_route import all_routes

ACME = "/masis/workspaces/acme"
ANSWER = {"action": "prefer", "prefer": ["annual-report.md"], "over": ["board-memo.md"], "remember": True}
CHAT = {"model": "acme", "messages": [{"role": "user", "content": ANSWERED}]}
OTHER = {"name": "other"}
ANY = "/masis/workspaces/{workspace_id}"


class Desk:
    """Does each thing once, as an admin would, in a service where nobody works on the queue."""

    def __init__(self, client: httpx.Client, token: str, waiting: str, settings: Settings) -> None:
        self._client = client
        self._settings = settings
        self._token = token
        self._waiting = waiting

    def post(self, path: str, **more: object) -> httpx.Response:
        return self._client.post(path, **more)  # type: ignore[arg-type]

    def delete(self, path: str) -> httpx.Response:
        return self._client.delete(path)

    def started(self) -> str:
        run: str = self.post(f"{ACME}/runs", json={"query": ANSWERED}).headers["location"]
        return run

    def changes(self) -> dict[str, tuple[str, Callable[[], httpx.Response]]]:
        """What is to be in the log, and how to bring it about, in an order in which each is possible."""
        key = {"key": self._token}
        question = {"query": ANSWERED}
        return {
            "POST /masis/session": ("session.open", lambda: self.post("/masis/session", json=key)),
            "DELETE /masis/session": ("session.end", lambda: self.delete("/masis/session")),
            "POST /masis/workspaces": ("workspace.create", lambda: self.post("/masis/workspaces", json=OTHER)),
            "POST /masis/keys": ("key.create", self._make_key),
            "DELETE /masis/keys/{key_id}": ("key.revoke", lambda: self.delete(f"/masis/keys/{self._key_id}")),
            f"POST {ANY}": ("run.ask", lambda: self.post(ACME, json=question)),
            "POST /v1/chat/completions": ("run.ask", lambda: self.post("/v1/chat/completions", json=CHAT)),
            f"POST {ANY}/runs": ("run.ask", lambda: self.post(f"{ACME}/runs", json=question)),
            f"POST {ANY}/runs/{{run_id}}/cancel": ("run.cancel", lambda: self.post(f"{self.started()}/cancel")),
            f"POST {ANY}/runs/{{run_id}}/answer": ("run.answer", self._answer),
            f"POST {ANY}/runs/{{run_id}}/resume": ("run.resume", self._resume),
            f"PUT {ANY}/runs/{{run_id}}/feedback": ("run.judge", self._judge),
            f"DELETE {ANY}/decisions/{{decision_id}}": ("decision.delete", self._delete_decision),
            f"DELETE {ANY}/runs/{{run_id}}": ("run.delete", self._delete_run),
            f"DELETE {ANY}/documents/{{document_id}}": ("document.delete", self._delete_document),
            f"POST {ANY}/documents": ("document.upload", self._upload),
            f"POST {ANY}/ingestions/{{ingestion_id}}/cancel": ("ingestion.cancel", self._cancel_ingestion),
            f"POST {ANY}/sources": ("source.add", self._add_source),
            f"POST {ANY}/sources/{{source_id}}/sync": (
                "source.sync",
                lambda: self.post(f"{ACME}/sources/{self._source}/sync", json={}),
            ),
            f"DELETE {ANY}/sources/{{source_id}}": ("source.delete", self._delete_source),
            f"POST {ANY}/sample": ("document.upload", lambda: self.post(f"{ACME}/sample")),
            f"DELETE {ANY}": ("workspace.delete", lambda: self.delete("/masis/workspaces/other")),
        }

    def _resume(self) -> httpx.Response:
        run = self.started()
        with closing(Masis(self._settings)) as masis:
            run_id = run.rsplit("/", 1)[1]
            masis._parts.queue.claim_one("a worker", ("run", run_id))
            masis._parts.runs.failed(run_id, "a worker", [], "It broke.")
        return self.post(f"{run}/resume")

    def _answer(self) -> httpx.Response:
        return self.post(f"{self._waiting}/answer", json=ANSWER)

    def _judge(self) -> httpx.Response:
        return self._client.put(f"{self._waiting}/feedback", json={"verdict": "right"})

    def _make_key(self) -> httpx.Response:
        made = self.post("/masis/keys", json={"name": "Ada", "role": "read", "workspaces": ["acme"]})
        self._key_id = made.json()["key_id"]
        return made

    def _delete_decision(self) -> httpx.Response:
        (decision,) = self._client.get(f"{ACME}/decisions").json()
        return self.delete(f"{ACME}/decisions/{decision['decision_id']}")

    def _delete_run(self) -> httpx.Response:
        run = self.started()
        self.post(f"{run}/cancel")
        return self.delete(run)

    def _upload(self) -> httpx.Response:
        accepted = self.post(f"{ACME}/documents", files=uploads(**{"new.md": "Something new."}))
        self._ingestion = accepted.headers["location"]
        return accepted

    def _add_source(self) -> httpx.Response:
        added = self.post(f"{ACME}/sources", json={"address": str(self._settings.home.parent / "reports")})
        self._source = added.json().get("source_id")
        return added

    def _delete_source(self) -> httpx.Response:
        with closing(Masis(self._settings)) as masis, masis._parts.database.writing() as db:
            masis._parts.queue.remove(db, ("sync", self._source))
        return self.delete(f"{ACME}/sources/{self._source}")

    def _cancel_ingestion(self) -> httpx.Response:
        return self.post(f"{self._ingestion}/cancel")

    def _delete_document(self) -> httpx.Response:
        documents = self._client.get(f"{ACME}/documents?status=READY").json()["items"]
        return self.delete(f"{ACME}/documents/{documents[0]['document_id']}")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    reports = tmp_path / "reports"
    reports.mkdir()
    return Settings(home=tmp_path / "home", ask_seconds=0.2, key_rate_calls=10_000, sync_allowed=str(reports))


@pytest.fixture
def desk(settings: Settings) -> Iterator[Desk]:
    patient = settings.model_copy(update={"ask_seconds": 60.0})
    with serving(patient) as service, service.client() as client:
        client.post(f"{ACME}/documents?wait=true", files=uploads(**DOCUMENTS)).raise_for_status()
        waiting = client.post(ACME, json={"query": DISPUTED}).headers["location"]
    token = Keys(settings).create("Grace", "admin", ["*"])[1]
    with serving(settings, with_worker=False) as service, service.client(token) as client:
        yield Desk(client, token, waiting, settings)


def test_every_change_is_in_the_log(desk: Desk, settings: Settings) -> None:
    changing = {f"{method} {route.path}" for route in all_routes() for method in route.methods or () if method != "GET"}
    assert set(desk.changes()) == changing
    log, wrong, known = AuditLog(settings), {}, 0
    for name, (action, change) in desk.changes().items():
        answer = change()
        assert answer.status_code in (200, 201, 202, 204, 504), f"{name}: {answer.text}"
        entries = log.entries(limit=1000)
        if len(entries) == known or (entries[0].who, entries[0].action) != ("Grace", action):
            wrong[name] = entries[0]
        known = len(entries)
    assert not wrong

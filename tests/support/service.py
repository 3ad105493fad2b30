"""`masis serve` in a process of its own: it can be killed, and comes back at the same address."""

import os
import shutil
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx

from masis.settings import Settings
from tests.api.live import serving
from tests.support.deployment import Program, until
from tests.support.servers import free_port

SAMPLE = "tolmerick"
"""The workspace that the sample is in."""

OVER = ("finished", "waiting", "cancelled", "failed")


class Service:
    def __init__(self, folder: Path, settings: Mapping[str, str] | None = None, template: Path | None = None) -> None:
        """`template` is a home to begin with: documents that need not be read again."""
        self.home = folder / "home"
        if template:
            shutil.copytree(template, self.home)
        self._settings = settings or {}
        self.environment = clean_environment() | {"MASIS_HOME": str(self.home), "MASIS_LOG": "json", **self._settings}
        self.port = free_port()
        self._log = folder / "serve.log"
        self._program: Program | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self._program = Program(["serve", "--port", str(self.port)], self.environment, self._log)
        until(self._is_ready)

    def kill(self) -> None:
        assert self._program
        self._program.kill()

    def stop(self) -> str:
        """Asks it to end; what it said until then."""
        assert self._program
        self._program.stop()
        return self._program.said

    def close(self) -> None:
        if self._program and self._program.process.poll() is None:
            self._program.kill()

    def client(self, token: str | None = None) -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=60, verify=False)

    def upload(self, workspace: str, files: Mapping[str, bytes], token: str | None = None) -> None:
        parts = [("files", (name, data)) for name, data in files.items()]
        with self.client(token) as client:
            client.post(f"/masis/workspaces/{workspace}/documents?wait=true", files=parts).raise_for_status()

    def ask(self, workspace: str, question: str, token: str | None = None) -> str:
        """Asks without a browser, and waits for what comes of it. The run's id."""
        with self.client(token) as client:
            started = client.post(f"/masis/workspaces/{workspace}/runs", json={"query": question}).raise_for_status()
            run_id: str = started.json()["run_id"]
            until(lambda: self.record(workspace, run_id, token)["status"] in OVER)
        return run_id

    def record(self, workspace: str, run_id: str, token: str | None = None) -> dict[str, Any]:
        with self.client(token) as client:
            found: dict[str, Any] = client.get(f"/masis/workspaces/{workspace}/runs/{run_id}").raise_for_status().json()
        return found

    def _is_ready(self) -> bool:
        assert self._program
        assert self._program.process.poll() is None, self._program.said[-2000:]
        try:
            return httpx.get(f"{self.url}/ready", timeout=5, verify=False).status_code == 200
        except httpx.TransportError:
            return False


class ServiceHere(Service):
    """In a thread of this process: nothing has to be started, and the models are loaded once for all tests."""

    _stack: ExitStack

    def start(self) -> None:
        given = {name.removeprefix("MASIS_").lower(): value for name, value in self._settings.items()}
        self._stack = ExitStack()
        self.port = self._stack.enter_context(serving(Settings(home=self.home, **given))).port  # type: ignore[arg-type]

    def close(self) -> None:
        self._stack.close()


def clean_environment() -> dict[str, str]:
    """Without the settings of the developer's own shell."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MASIS_", "OPENAI_", "QDRANT_"))}
    return kept | {"NO_PROXY": "127.0.0.1,localhost", "ORT_DISABLE_TELEMETRY": "1"}

"""A real Qdrant server for the contract tests: started once, on loopback, and stopped at the end."""

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

BINARY = Path(__file__).parents[2] / ".cache" / "qdrant" / "qdrant"


class QdrantServer:
    def __init__(self, folder: Path, api_key: str | None = None) -> None:
        self.port = _free_port()
        self._folder = folder
        self._api_key = api_key
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        if not BINARY.exists():
            pytest.skip("no Qdrant server: fetch one with scripts/fetch_qdrant.sh")
        settings = {
            "SERVICE__HOST": "127.0.0.1",
            "SERVICE__HTTP_PORT": str(self.port),
            "SERVICE__GRPC_PORT": str(_free_port()),
            "STORAGE__STORAGE_PATH": str(self._folder / "storage"),
            "STORAGE__SNAPSHOTS_PATH": str(self._folder / "snapshots"),
            "TELEMETRY_DISABLED": "true",
            **({"SERVICE__API_KEY": self._api_key} if self._api_key else {}),
        }
        environment = {**os.environ, **{f"QDRANT__{name}": value for name, value in settings.items()}}
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen([BINARY], cwd=self._folder, env=environment, stdout=log, stderr=log)
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=2):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.05)
        raise RuntimeError((self._folder / "log").read_text()[-2000:])

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(timeout=30)
        self._process = None


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="session")
def qdrant_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QdrantServer]:
    server = QdrantServer(tmp_path_factory.mktemp("qdrant"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def own_qdrant_server(tmp_path: Path) -> Iterator[QdrantServer]:
    """One that a test may stop and start, and that wants a key."""
    server = QdrantServer(tmp_path, api_key="right-key")
    server.start()
    yield server
    server.stop()

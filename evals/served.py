"""A real `masis serve` in its own process, for measurements from outside."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

from tests.support.servers import free_port

START_SECONDS = 60


class Served:
    def __init__(self, home: Path, environment: Mapping[str, str] | None = None) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._environment = {**os.environ, "MASIS_HOME": str(home), "MASIS_LOG_LEVEL": "error", **(environment or {})}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> float:
        """The seconds until it responds."""
        started = time.perf_counter()
        command = [Path(sys.executable).parent / "masis", "serve", "--port", str(self.port)]
        self._process = subprocess.Popen(
            command, env=self._environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while time.perf_counter() - started < START_SECONDS:
            with suppress(httpx.HTTPError):
                if httpx.get(f"{self.url}/health", timeout=1).status_code == 200:
                    return time.perf_counter() - started
            time.sleep(0.02)
        raise RuntimeError("`masis serve` did not answer")

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(timeout=30)

    @property
    def memory_mb(self) -> float:
        assert self._process is not None
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        (line,) = [each for each in status.splitlines() if each.startswith("VmRSS")]
        return int(line.split()[1]) / 1024


@contextmanager
def served(home: Path, environment: Mapping[str, str] | None = None) -> Iterator[Served]:
    service = Served(home, environment)
    service.start()
    try:
        yield service
    finally:
        service.stop()

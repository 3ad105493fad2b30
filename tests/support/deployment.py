"""MASIS as it is deployed: its own programs, each a process, on servers that are real."""

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

import httpx

from tests.support.servers import free_port

READY_SECONDS = 120
STOP_SECONDS = 120
MASIS = Path(sys.executable).parent / "masis"


class Program:
    """One process of `masis …`, with what it says in a file."""

    def __init__(self, arguments: list[str], environment: dict[str, str], log: Path) -> None:
        self.log = log
        self._output: IO[bytes] = log.open("ab")
        self.process = subprocess.Popen(
            [MASIS, *arguments], env=environment, stdout=self._output, stderr=self._output, stdin=subprocess.DEVNULL
        )

    def send(self, how: signal.Signals) -> None:
        self.process.send_signal(how)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    @property
    def said(self) -> str:
        return self.log.read_text()

    def has_said(self, words: str) -> bool:
        """Whoever has ended will not say it any more, and why is in what it did say."""
        assert self.process.poll() is None, self.said[-2000:]
        return words in self.said

    def _end(self, how: signal.Signals) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(how)
        self.process.wait(STOP_SECONDS)
        self._output.close()


class Deployment:
    def __init__(self, folder: Path, settings: dict[str, str]) -> None:
        self.environment = {**os.environ, "MASIS_LOG": "json", **settings}
        self._folder = folder
        self._programs: list[Program] = []

    def run(self, *arguments: str) -> str:
        """A command that ends by itself; what it printed."""
        done = subprocess.run(
            [MASIS, *arguments], env=self.environment, capture_output=True, text=True, timeout=READY_SECONDS
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def worker(self, *options: str) -> Program:
        worker = self._start("worker", *options)
        until(lambda: worker.has_said("is working on the queue"))
        return worker

    def api(self, *options: str, port: int | None = None) -> "Api":
        port = port or free_port()
        api = Api(self._start("serve", "--port", str(port), *options), f"http://127.0.0.1:{port}")
        until(api.is_ready)
        return api

    def close(self) -> None:
        for program in self._programs:
            program.kill()

    def _start(self, *arguments: str) -> Program:
        log = self._folder / f"{arguments[0]}-{secrets.token_hex(4)}.log"
        program = Program(list(arguments), self.environment, log)
        self._programs.append(program)
        return program


class Api:
    def __init__(self, program: Program, url: str) -> None:
        self.program = program
        self.url = url

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def is_ready(self) -> bool:
        assert self.program.process.poll() is None, self.program.said[-2000:]
        try:
            return httpx.get(f"{self.url}/ready", timeout=5, verify=False).status_code == 200
        except httpx.TransportError:
            return False

    def client(self, token: str | None = None, timeout: float = 30) -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=timeout, verify=False)


def until(true: Callable[[], bool], seconds: float = READY_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            raise TimeoutError("it did not come true")
        time.sleep(0.05)

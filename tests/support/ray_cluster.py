"""A Ray cluster of this machine, and places on whose servers bulk work is done."""

import os
import secrets
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import psutil

from masis import Masis
from masis.settings import Settings
from tests.support.deployment import MASIS
from tests.support.servers import free_port
from tests.support.service import clean_environment

WORKSPACE = "acme"
RAY = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
PATIENCE_SECONDS = 400
_WORKER_PORTS = ("--min-worker-port=0", "--max-worker-port=0")


@contextmanager
def cluster(
    folder: Path, cpus: int = 2, meanwhile: Callable[[], object] = lambda: None, gpus: int = 0
) -> Iterator[str]:
    """The address of a head, as `ray start` makes one. Its GPUs are only numbers."""
    os.environ |= RAY  # for the drivers that this process is
    port = free_port()
    own = ["--head", f"--port={port}", "--include-dashboard=false", f"--ray-client-server-port={free_port()}"]
    with _started(folder / "head.log", cpus, [*own, f"--num-gpus={gpus}"], meanwhile):
        yield f"127.0.0.1:{port}"


@contextmanager
def another_node(folder: Path, address: str, cpus: int = 1) -> Iterator["subprocess.Popen[bytes]"]:
    """As another machine would join the cluster."""
    with _started(folder / "node.log", cpus, [f"--address={address}"]) as node:
        yield node


@contextmanager
def _started(
    log: Path, cpus: int, own: list[str], meanwhile: Callable[[], object] = lambda: None
) -> Iterator["subprocess.Popen[bytes]"]:
    command = [MASIS.parent / "ray", "start", *own, f"--num-cpus={cpus}", "--block", *_WORKER_PORTS]
    with log.open("wb") as said:
        process = subprocess.Popen(command, env=clean_environment(), stdout=said, stderr=said)
    meanwhile()
    try:
        until(lambda: process.poll() is not None or "will now block" in log.read_text())
        assert process.poll() is None, log.read_text()[-3000:]
        yield process
    finally:
        end_all(process)


def end_all(process: "subprocess.Popen[bytes]") -> None:
    """At once, with all that it started."""
    if process.poll() is None:
        for each in [*psutil.Process(process.pid).children(recursive=True), psutil.Process(process.pid)]:
            with suppress(psutil.NoSuchProcess):
                each.kill()
    process.wait()


class Place:
    """A database and a collection of its own."""

    def __init__(self, name: str, home: Path, database_url: str, qdrant_url: str, **more: Any) -> None:
        self.settings = Settings(
            home=home,
            database_url=database_url,
            qdrant_url=qdrant_url,
            qdrant_collection=f"{name}_",
            lease_seconds=3,
            **more,
        )

    @property
    def environment(self) -> dict[str, str]:
        settings = self.settings
        return {
            "MASIS_HOME": str(settings.home),
            "MASIS_DATABASE_URL": str(settings.database_url),
            "QDRANT_URL": str(settings.qdrant_url),
            "MASIS_QDRANT_COLLECTION": settings.qdrant_collection,
            "MASIS_LEASE_SECONDS": str(settings.lease_seconds),
        }

    def started(self, *words: str | Path, said: int, **more: str) -> "subprocess.Popen[bytes]":
        """`masis …` by itself, in this place."""
        command = [MASIS, *words, "--workspace", WORKSPACE, "--json"]
        environment = clean_environment() | self.environment | more
        return subprocess.Popen(command, env=environment, stdout=said, stderr=subprocess.DEVNULL)

    def points(self) -> dict[str, Any]:
        with httpx.Client(base_url=str(self.settings.qdrant_url), timeout=30) as http:
            known = [each["name"] for each in http.get("/collections").json()["result"]["collections"]]
            held: dict[str, Any] = {}
            for name in (each for each in known if each.startswith(self.settings.qdrant_collection)):
                asked = {"limit": 10_000, "with_payload": True, "with_vector": True}
                answer = http.post(f"/collections/{name}/points/scroll", json=asked).json()
                found = answer.get("result") or {"points": []}  # nothing while the collection is being made
                held |= {each["id"]: (each["payload"], each["vector"]) for each in found["points"]}
        return held

    def documents(self) -> list[tuple[Any, ...]]:
        kept = ("document_id", "file_name", "status", "pages", "chunks", "size_bytes", "source")
        with Masis(self.settings) as masis:
            return sorted(tuple(getattr(one, name) for name in kept) for one in masis.documents(WORKSPACE))


def actors(named: str) -> list[psutil.Process]:
    """Processes that hold one; Ray names them after it, and after what it does while it does it."""
    found = psutil.process_iter(["cmdline"])
    return [each for each in found if " ".join(each.info["cmdline"] or ()).startswith(named)]


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.2)  # looking through all processes is work too

"""Bulk work on a real Ray cluster of this machine, with a real PostgreSQL and Qdrant; `make test-ray` runs it.

What it leaves is compared point by point with what one process leaves, also where driver and workers are killed.
"""

import asyncio
import json
import os
import secrets
import signal
import subprocess
import time
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from masis.bulk.on_ray import ingest_on
from masis.errors import InvalidInput
from masis.settings import Settings
from tests.support.deployment import MASIS
from tests.support.servers import PostgresServer, QdrantServer, free_port
from tests.support.service import clean_environment

ray_is_there = pytest.importorskip("ray") is not None
pytestmark = [pytest.mark.ray, pytest.mark.timeout(900)]  # a busy machine takes its time
WORKSPACE = "acme"
RAY = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
DOCUMENTS = 24
FACTS = "The harbour of town {0} was dredged in {1}. Its crane lifts {0} tonnes, and {0} ships berthed there.\n\n"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A head with two cores, as `ray start` makes one."""
    port, log = free_port(), tmp_path_factory.mktemp("ray") / "log"
    start = ["ray", "start", "--head", f"--port={port}", "--num-cpus=2", "--include-dashboard=false", "--block"]
    start += ["--min-worker-port=0", "--max-worker-port=0", f"--ray-client-server-port={free_port()}"]
    environment = clean_environment() | RAY
    with log.open("wb") as said:
        head = subprocess.Popen([MASIS.parent / start[0], *start[1:]], env=environment, stdout=said, stderr=said)
    _until(lambda: head.poll() is not None or "will now block" in log.read_text())
    assert head.poll() is None, log.read_text()[-3000:]
    yield f"127.0.0.1:{port}"
    for process in [*psutil.Process(head.pid).children(recursive=True), psutil.Process(head.pid)]:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    head.wait()


@dataclass(frozen=True)
class Place:
    """A database and a collection of its own."""

    settings: dict[str, str]
    qdrant: str

    def command(self, *words: str | Path) -> list[str]:
        return [str(MASIS), *map(str, words), "--workspace", WORKSPACE, "--json"]

    @property
    def environment(self) -> dict[str, str]:
        return clean_environment() | RAY | self.settings

    def said(self, *words: str | Path) -> Any:
        done = subprocess.run(self.command(*words), env=self.environment, capture_output=True, text=True, timeout=400)
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    def points(self) -> dict[str, Any]:
        collection = self.settings["MASIS_QDRANT_COLLECTION"]
        names = [each["name"] for each in httpx.get(f"{self.qdrant}/collections").json()["result"]["collections"]]
        held = {}
        for name in (name for name in names if name.startswith(collection)):
            asked = {"limit": 10_000, "with_payload": True, "with_vector": True}
            found = httpx.post(f"{self.qdrant}/collections/{name}/points/scroll", json=asked).json()
            held |= {each["id"]: (each["payload"], each["vector"]) for each in found["result"]["points"]}
        return held

    def differs_from(self, other: "Place") -> dict[str, Any]:
        """Of each point that one of them lacks, or that is another: what each has, without the vectors' numbers."""
        mine, theirs = self.points(), other.points()
        assert len(theirs) > DOCUMENTS
        unlike = [name for name in mine.keys() | theirs.keys() if mine.get(name) != theirs.get(name)]
        return {name: [str(held.get(name))[:400] for held in (mine, theirs)] for name in unlike}

    def documents(self) -> list[tuple[Any, ...]]:
        rows = self.said("documents")
        kept = ("document_id", "file_name", "status", "pages", "chunks", "size_bytes", "source")
        return sorted(tuple(row[name] for name in kept) for row in rows)


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("servers")
    qdrant, postgres = QdrantServer(folder), PostgresServer()
    qdrant.start()
    postgres.start()

    def place(name: str) -> Place:
        settings = {
            "MASIS_HOME": str(folder / name),
            "MASIS_DATABASE_URL": postgres.database(name),
            "QDRANT_URL": qdrant.url,
            "MASIS_QDRANT_COLLECTION": f"{name}_",
            "MASIS_LEASE_SECONDS": "3",
        }
        return Place(settings, qdrant.url)

    yield place
    qdrant.stop()
    postgres.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Notes, an archive, the same bytes under two names, and a file that cannot be read."""
    folder = tmp_path_factory.mktemp("documents")
    for number in range(DOCUMENTS):
        text = "".join(FACTS.format(number * 10 + line, 1900 + line) for line in range(6))
        (folder / f"{number:02}.md").write_text(f"# Harbour {number}\n\n{text}")
    (folder / "zz-copy.md").write_bytes((folder / "03.md").read_bytes())
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 cut off")
    with zipfile.ZipFile(folder / "box.zip", "w") as archive:
        for number in range(3):
            archive.writestr(zipfile.ZipInfo(f"in/{number}.txt"), f"Crate {number} holds ropes. " * 9)
    return folder


@pytest.fixture(scope="module")
def alone(places: Any, folder: Path) -> Place:
    """What one process makes of the folder."""
    place: Place = places("alone")
    report = place.said("ingest", folder)
    assert [each["file_name"] for each in report["failed"]] == ["broken.pdf"]
    return place


def test_the_same_documents_and_points_as_one_process(cluster: str, places: Any, alone: Place, folder: Path) -> None:
    spread: Place = places("spread")
    report = spread.said("ingest", folder, "--on", cluster)
    assert [each["file_name"] for each in report["failed"]] == ["broken.pdf"]
    assert [each["file_name"] for each in report["duplicates"]] == ["zz-copy.md"]
    assert len(report["ready"]) == DOCUMENTS + 3
    assert not spread.differs_from(alone)
    assert spread.documents() == alone.documents()
    again = spread.said("ingest", f"file://{folder}", "--on", cluster)
    assert (again["ready"], again["replaced"]) == ([], [])
    assert not spread.differs_from(alone)


def test_killed_driver_and_workers_lose_and_double_nothing(
    cluster: str, places: Any, alone: Place, folder: Path
) -> None:
    place: Place = places("killed")
    command = place.command("ingest", folder, "--on", cluster)
    driver = subprocess.Popen(command, env=place.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _until(lambda: bool(_held(place)))
    driver.kill()
    driver.wait()
    second = subprocess.Popen(command, env=place.environment, stdout=subprocess.PIPE)
    _until(lambda: bool(workers := _workers("Reader")) and _killed(workers[0]))
    said, _ = second.communicate(timeout=400)
    report = json.loads(said)
    assert [each["file_name"] for each in report["failed"]] == ["broken.pdf"]
    assert not place.differs_from(alone)
    assert place.documents() == alone.documents()


def test_one_data_folder_cannot_be_shared_by_a_cluster(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="belongs to one"):
        asyncio.run(ingest_on("ray", Settings(home=tmp_path), [str(tmp_path)], WORKSPACE))


def _settings(place: Place) -> Settings:
    given = place.settings
    return Settings(
        home=Path(given["MASIS_HOME"]),
        database_url=given["MASIS_DATABASE_URL"],
        qdrant_url=given["QDRANT_URL"],
        qdrant_collection=given["MASIS_QDRANT_COLLECTION"],
    )


def _held(place: Place) -> dict[str, Any]:
    try:
        return place.points()
    except (KeyError, httpx.HTTPError):
        return {}


def _workers(actor: str) -> list[int]:
    """Processes that hold such an actor; Ray names them after it."""
    named = psutil.process_iter(["pid", "cmdline"])
    return [each.pid for each in named if " ".join(each.info["cmdline"] or ()).startswith(f"ray::{actor}")]


def _killed(worker: int) -> bool:
    os.kill(worker, signal.SIGKILL)
    return True


def _until(is_so: Any, seconds: float = 400) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)

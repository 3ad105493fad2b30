"""Bulk work on a real Ray cluster of this machine, with a real PostgreSQL and Qdrant; `make test-ray` runs it.

What it leaves is compared point by point with what one process leaves, also where driver and workers are killed.
"""

import asyncio
import importlib.util
import json
import os
import secrets
import subprocess
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from masis import Masis
from masis.bulk.on_ray import ingest_on
from masis.errors import InvalidInput
from masis.settings import Settings
from masis.types import IngestReport
from tests.support.deployment import MASIS
from tests.support.servers import PostgresServer, QdrantServer, free_port
from tests.support.service import clean_environment

pytestmark = [
    pytest.mark.ray,
    pytest.mark.timeout(900),  # a busy machine takes its time
    pytest.mark.skipif(not importlib.util.find_spec("ray"), reason="Ray is not installed (make test-ray)"),
]
WORKSPACE = "acme"
RAY = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
DOCUMENTS = 24
FACTS = "The harbour of town {0} was dredged in {1}. Its crane lifts {0} tonnes, and {0} ships berthed there.\n\n"
PATIENCE_SECONDS = 400


@pytest.fixture(scope="module")
def cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A head with two cores, as `ray start` makes one."""
    port, log = free_port(), tmp_path_factory.mktemp("ray") / "log"
    start = ["start", "--head", f"--port={port}", "--num-cpus=2", "--include-dashboard=false", "--block"]
    start += ["--min-worker-port=0", "--max-worker-port=0", f"--ray-client-server-port={free_port()}"]
    os.environ |= RAY  # for the drivers that this process is
    with log.open("wb") as said:
        head = subprocess.Popen([MASIS.parent / "ray", *start], env=clean_environment(), stdout=said, stderr=said)
    request.getfixturevalue("alone")  # meanwhile
    _until(lambda: head.poll() is not None or "will now block" in log.read_text())
    assert head.poll() is None, log.read_text()[-3000:]
    yield f"127.0.0.1:{port}"
    for process in [*psutil.Process(head.pid).children(recursive=True), psutil.Process(head.pid)]:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    head.wait()


class Place:
    """A database and a collection of its own."""

    def __init__(self, name: str, home: Path, database_url: str, qdrant_url: str) -> None:
        self.settings = Settings(
            home=home,
            database_url=database_url,
            qdrant_url=qdrant_url,
            qdrant_collection=f"{name}_",
            lease_seconds=3,
        )

    def started(self, *words: str | Path, said: int) -> "subprocess.Popen[bytes]":
        """`masis …` by itself, in this place."""
        settings = self.settings
        environment = {
            "MASIS_HOME": str(settings.home),
            "MASIS_DATABASE_URL": str(settings.database_url),
            "QDRANT_URL": str(settings.qdrant_url),
            "MASIS_QDRANT_COLLECTION": settings.qdrant_collection,
            "MASIS_LEASE_SECONDS": str(settings.lease_seconds),
        }
        command = [MASIS, *words, "--workspace", WORKSPACE, "--json"]
        return subprocess.Popen(command, env=clean_environment() | environment, stdout=said, stderr=subprocess.DEVNULL)

    def ingested(self, source: str | Path, cluster: str) -> IngestReport:
        return asyncio.run(ingest_on(cluster, self.settings, [str(source)], WORKSPACE))

    def points(self) -> dict[str, Any]:
        with httpx.Client(base_url=str(self.settings.qdrant_url)) as http:
            known = [each["name"] for each in http.get("/collections").json()["result"]["collections"]]
            held: dict[str, Any] = {}
            for name in (each for each in known if each.startswith(self.settings.qdrant_collection)):
                asked = {"limit": 10_000, "with_payload": True, "with_vector": True}
                answer = http.post(f"/collections/{name}/points/scroll", json=asked).json()
                found = answer.get("result") or {"points": []}  # nothing while the collection is being made
                held |= {each["id"]: (each["payload"], each["vector"]) for each in found["points"]}
        return held

    def differs_from(self, other: "Place") -> dict[str, Any]:
        """Of each point that one of them lacks, or that is another: what each has, without the vectors' numbers."""
        mine, theirs = self.points(), other.points()
        assert len(theirs) > DOCUMENTS
        unlike = [name for name in mine.keys() | theirs.keys() if mine.get(name) != theirs.get(name)]
        return {name: [str(held.get(name))[:400] for held in (mine, theirs)] for name in unlike}

    def documents(self) -> list[tuple[Any, ...]]:
        kept = ("document_id", "file_name", "status", "pages", "chunks", "size_bytes", "source")
        with Masis(self.settings) as masis:
            return sorted(tuple(getattr(one, name) for name in kept) for one in masis.documents(WORKSPACE))


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Place]]:
    folder = tmp_path_factory.mktemp("servers")
    qdrant, postgres = QdrantServer(folder), PostgresServer()
    qdrant.start()
    postgres.start()
    yield lambda name: Place(name, folder / name, postgres.database(name), qdrant.url)
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
def alone(places: Callable[[str], Place], folder: Path) -> Place:
    """What one process makes of the folder."""
    place = places("alone")
    with Masis(place.settings) as masis:
        report = masis.ingest([folder], WORKSPACE)
    assert _failed(report) == ["broken.pdf"]
    return place


def test_the_same_documents_and_points_as_one_process(
    cluster: str, places: Callable[[str], Place], alone: Place, folder: Path
) -> None:
    spread = places("spread")
    report = spread.ingested(folder, cluster)
    assert _failed(report) == ["broken.pdf"]
    assert [each.file_name for each in report.duplicates] == ["zz-copy.md"]
    assert len(report.ready) == DOCUMENTS + 3
    assert not spread.differs_from(alone)
    assert spread.documents() == alone.documents()
    again = spread.ingested(f"file://{folder}", cluster)
    assert (again.ready, again.replaced) == ([], [])
    assert not spread.differs_from(alone)


def test_killed_driver_and_workers_lose_and_double_nothing(
    cluster: str, places: Callable[[str], Place], alone: Place, folder: Path
) -> None:
    place = places("killed")
    with Masis(place.settings) as masis:  # as a driver leaves it that died before it put the names right
        masis.ingest([folder / "zz-copy.md"], WORKSPACE)
    before = len(place.points())
    command = ("ingest", folder, "--on", cluster)
    driver = place.started(*command, said=subprocess.DEVNULL)
    _until(lambda: len(place.points()) > before)
    driver.kill()
    driver.wait()
    _until(lambda: not _readers())  # they go with their driver
    assert len(place.points()) < len(alone.points())  # or there is nothing left to lose
    second = place.started(*command, said=subprocess.PIPE)
    _until(lambda: bool(busy := _readers("ray::Reader.read")) and _killed(busy[0]))
    said, _ = second.communicate(timeout=PATIENCE_SECONDS)
    assert [each["file_name"] for each in json.loads(said)["failed"]] == ["broken.pdf"]
    assert not place.differs_from(alone)
    assert place.documents() == alone.documents()


def test_one_data_folder_cannot_be_shared_by_a_cluster(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="belongs to one"):
        asyncio.run(ingest_on("ray", Settings(home=tmp_path), [str(tmp_path)], WORKSPACE))


def _failed(report: IngestReport) -> list[str]:
    return [each.file_name for each in report.failed]


def _readers(named: str = "ray::Reader") -> list[psutil.Process]:
    """Processes that hold a reader; Ray names them after it, and after what it does while it does it."""
    found = psutil.process_iter(["cmdline"])
    return [each for each in found if " ".join(each.info["cmdline"] or ()).startswith(named)]


def _killed(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        process.kill()
        return True
    return False


def _until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.2)  # looking through all processes is work too

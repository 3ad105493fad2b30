"""Bulk work on a real Ray cluster of this machine, with a real PostgreSQL and Qdrant; `make test-ray` runs it.

What it leaves is compared point by point with what one process leaves, also where driver and workers are killed.
"""

import asyncio
import importlib.util
import json
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from masis import Masis
from masis.bulk.on_ray import ingest_on
from masis.errors import InvalidInput
from masis.settings import Settings
from masis.types import IngestReport
from tests.support import ray_cluster
from tests.support.ray_cluster import PATIENCE_SECONDS, WORKSPACE, Place, readers, until
from tests.support.servers import PostgresServer, QdrantServer

pytestmark = [
    pytest.mark.ray,
    pytest.mark.timeout(900),  # a busy machine takes its time
    pytest.mark.skipif(not importlib.util.find_spec("ray"), reason="Ray is not installed (make test-ray)"),
]
DOCUMENTS = 24
FACTS = "The harbour of town {0} was dredged in {1}. Its crane lifts {0} tonnes, and {0} ships berthed there.\n\n"


@pytest.fixture(scope="module")
def cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with ray_cluster.cluster(
        tmp_path_factory.mktemp("ray"), meanwhile=lambda: request.getfixturevalue("alone")
    ) as address:
        yield address


def ingested(place: Place, source: str | Path, cluster: str) -> IngestReport:
    return asyncio.run(ingest_on(cluster, place.settings, [str(source)], WORKSPACE))


def difference(mine: Place, theirs: Place) -> dict[str, Any]:
    """Of each point that one of them lacks, or that is another: what each has, without the vectors' numbers."""
    both = mine.points(), theirs.points()
    assert len(both[1]) > DOCUMENTS
    unlike = [name for name in both[0].keys() | both[1].keys() if both[0].get(name) != both[1].get(name)]
    return {name: [str(held.get(name))[:400] for held in both] for name in unlike}


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
    report = ingested(spread, folder, cluster)
    assert _failed(report) == ["broken.pdf"]
    assert [each.file_name for each in report.duplicates] == ["zz-copy.md"]
    assert len(report.ready) == DOCUMENTS + 3
    assert not difference(spread, alone)
    assert spread.documents() == alone.documents()
    again = ingested(spread, f"file://{folder}", cluster)
    assert (again.ready, again.replaced) == ([], [])
    assert not difference(spread, alone)


def test_killed_driver_and_workers_lose_and_double_nothing(
    cluster: str, places: Callable[[str], Place], alone: Place, folder: Path
) -> None:
    place = places("killed")
    with Masis(place.settings) as masis:  # as a driver leaves it that died before it put the names right
        masis.ingest([folder / "zz-copy.md"], WORKSPACE)
    before = len(place.points())
    command = ("ingest", folder, "--on", cluster)
    driver = place.started(*command, said=subprocess.DEVNULL)
    until(lambda: len(place.points()) > before)
    driver.kill()
    driver.wait()
    until(lambda: not readers())  # they go with their driver
    assert len(place.points()) < len(alone.points())  # or there is nothing left to lose
    second = place.started(*command, said=subprocess.PIPE)
    until(lambda: bool(busy := readers("ray::Reader.read")) and _killed(busy[0]))
    said, _ = second.communicate(timeout=PATIENCE_SECONDS)
    assert [each["file_name"] for each in json.loads(said)["failed"]] == ["broken.pdf"]
    assert not difference(place, alone)
    assert place.documents() == alone.documents()


def test_a_machine_that_is_gone_loses_and_doubles_nothing(
    places: Callable[[str], Place], alone: Place, folder: Path, tmp_path: Path
) -> None:
    """Its actor cannot be started again: the other machine has no core to spare."""
    place = places("node")
    with ray_cluster.cluster(tmp_path, cpus=1) as address, ray_cluster.another_node(tmp_path, address) as node:
        driver = place.started("ingest", folder, "--on", address, said=subprocess.PIPE)
        until(lambda: len(place.points()) > 0)
        assert len(place.points()) < len(alone.points())
        ray_cluster.end_all(node)
        said, _ = driver.communicate(timeout=PATIENCE_SECONDS)
    assert [each["file_name"] for each in json.loads(said)["failed"]] == ["broken.pdf"]
    assert not difference(place, alone)
    assert place.documents() == alone.documents()


def test_one_data_folder_cannot_be_shared_by_a_cluster(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="belongs to one"):
        asyncio.run(ingest_on("ray", Settings(home=tmp_path), [str(tmp_path)], WORKSPACE))


def _failed(report: IngestReport) -> list[str]:
    return [each.file_name for each in report.failed]


def _killed(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        process.kill()
        return True
    return False

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
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import psutil
import pytest

from masis import Masis
from masis.bulk import Job, ask_here, on_ray
from masis.bulk.on_ray import ingest_on
from masis.embedded import EMBEDDER, NoGPU, installed
from masis.errors import InvalidInput
from masis.settings import Settings
from masis.types import IngestReport
from tests.support import ray_cluster
from tests.support.fake_openai import FakeOpenAI, Say
from tests.support.patient_model import PatientModel
from tests.support.ray_cluster import PATIENCE_SECONDS, WORKSPACE, Place, actors, until
from tests.support.servers import PostgresServer, QdrantServer, free_port

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
    again = ingested(spread, f"file://{folder}", "local")
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
    until(lambda: not actors("ray::Reader"))  # they go with their driver
    assert len(place.points()) < len(alone.points())  # or there is nothing left to lose
    second = place.started(*command, said=subprocess.PIPE)
    until(lambda: second.poll() is not None or (bool(busy := actors("ray::Reader.read")) and _killed(busy[0])))
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


class Guest:
    """An actor that tells which GPUs it was given."""

    def __init__(self, _: Settings) -> None: ...

    async def is_there(self) -> list[str]:
        import ray

        given: list[str] = ray.get_runtime_context().get_accelerator_ids()["GPU"]
        return given


def test_readers_that_embed_on_a_gpu_reserve_a_share_of_one(
    places: Callable[[str], Place], folder: Path, tmp_path: Path
) -> None:
    """Only the reservation is real: the machine has no GPU, and each actor says so."""
    on_gpu = {"embedding_device": "cuda", "embedding_path": installed(EMBEDDER).folder, "embedding_actors_per_gpu": 2}
    settings = places("gpu").settings.model_copy(update=on_gpu)

    async def guests(address: str) -> list[list[str]]:
        async with on_ray._actors(address, Guest, settings, per_gpu=2) as pool:
            work = [pool.call(lambda actor: actor.is_there.remote()) for _ in range(pool.places)]
            return await asyncio.gather(*work)

    with ray_cluster.cluster(tmp_path, cpus=3, gpus=1) as address:
        assert asyncio.run(guests(address)) == [["0"], ["0"]]
        with pytest.raises(NoGPU, match="does not offer CUDA"):
            asyncio.run(ingest_on(address, settings, [str(folder)], WORKSPACE))
    with ray_cluster.cluster(tmp_path, cpus=1) as address, pytest.raises(InvalidInput, match="has a GPU"):
        asyncio.run(ingest_on(address, settings, [str(folder)], WORKSPACE))


NOTES = """The lighthouse was built in 1901 by Ada Brook.

The crane lifts 40 tonnes.

The ferry to Lund leaves at noon on weekdays.

The harbour master is Bo Hale.

The dry dock holds two trawlers.
"""
QUESTIONS = (
    "Who built the lighthouse?",
    "How many tonnes does the crane lift?",
    "When does the ferry to Lund leave?",
    "Who is the harbour master?",
    "How many trawlers does the dry dock hold?",
    "What is the price of a berth?",
)


@pytest.fixture(scope="module")
def asked(places: Callable[[str], Place], tmp_path_factory: pytest.TempPathFactory) -> Place:
    place, notes = places("asked"), tmp_path_factory.mktemp("notes") / "notes.md"
    notes.write_text(NOTES)
    with Masis(place.settings) as masis:
        masis.ingest([notes], WORKSPACE)
    return place


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One of them twice, and a row without any."""
    file = tmp_path_factory.mktemp("questions") / "questions.csv"
    file.write_text("question,owner\n" + "".join(f"{each},Ada\n" for each in [*QUESTIONS, "", QUESTIONS[0]]))
    return file


def test_questions_are_answered_as_by_one_process_although_driver_and_workers_are_killed(
    cluster: str, asked: Place, questions: Path, tmp_path: Path
) -> None:
    here, spread = tmp_path / "here.jsonl", tmp_path / "spread.jsonl"
    with Masis(asked.settings) as masis:
        undisturbed = Job(questions, WORKSPACE, here).run(partial(ask_here, masis, WORKSPACE))
        expected = asdict(asyncio.run(undisturbed))
    assert expected["outcomes"] == {"answered": len(QUESTIONS) - 1, "insufficient_evidence": 1}
    command = ("ask", "--file", questions, "--out", spread, "--on", cluster, "--parallel", "2")
    driver = asked.started(*command, said=subprocess.DEVNULL)
    until(lambda: len(_lines(spread.with_name("spread.jsonl.progress"))) > 1)
    driver.kill()
    driver.wait()
    until(lambda: not actors("ray::Asker"))
    second = asked.started(*command, said=subprocess.PIPE)
    # On a fast machine the rest may be answered before a worker is seen at work.
    until(lambda: second.poll() is not None or (bool(busy := actors("ray::Asker.ask")) and _killed(busy[0])))
    report = json.loads(second.communicate(timeout=PATIENCE_SECONDS)[0])
    assert report["continued"] >= 1
    assert report == expected | {"continued": report["continued"], "out": str(spread)}
    assert [each["row"] for each in report["bad_rows"]] == [len(QUESTIONS) + 1]
    assert [each | {"run_id": ""} for each in _lines(spread)] == [each | {"run_id": ""} for each in _lines(here)]
    with Masis(asked.settings) as masis:
        runs = [run.run_id for run in masis.runs(WORKSPACE, limit=100)]
    answered = {each["run_id"] for file in (here, spread) for each in _lines(file)}
    assert sorted(runs) == sorted(answered)  # one for each question of each of the two jobs
    assert len(runs) == 2 * len(QUESTIONS)


def test_questions_on_this_machine_alone_stay_within_one_budget_and_rate(
    asked: Place, questions: Path, fake_openai: FakeOpenAI, tmp_path: Path
) -> None:
    model = PatientModel()
    fake_openai.answer_with(lambda request: replace(cast(Say, model(request)), usage=(12_000, 400)))
    limited = {"MASIS_RATE_LIMIT_CALLS": "3", "MASIS_RATE_LIMIT_SECONDS": "1", "MASIS_MODEL_CACHE": "off"}
    limited |= {"MASIS_MODEL_BASE_URL": fake_openai.base_url}
    command = ("ask", "--file", questions, "--out", tmp_path / "a.jsonl", "--on", "local", "--max-cost", "0.01")
    driver = asked.started(*command, said=subprocess.PIPE, **limited)
    report = json.loads(driver.communicate(timeout=PATIENCE_SECONDS)[0])
    assert 0 < report["cost_usd"] <= 0.01
    assert 0 < report["unasked"] < len(QUESTIONS)
    moments = sorted(call.at for call in fake_openai.chats)
    assert len(moments) > 3
    assert all(later - earlier > 0.9 for earlier, later in zip(moments, moments[3:], strict=False))


def test_the_word_ray_means_the_cluster_of_ray_address(
    cluster: str, places: Callable[[str], Place], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import ray

    used = set[str]()
    monkeypatch.setenv("RAY_ADDRESS", cluster)

    def note(_: object) -> None:
        used.add(ray.get_runtime_context().gcs_address.rpartition(":")[2])

    report = asyncio.run(ingest_on("ray", places("word").settings, [str(folder / "00.md")], WORKSPACE, note))
    assert [each.file_name for each in report.ready] == ["00.md"]
    assert used == {cluster.rpartition(":")[2]}


def test_a_cluster_that_is_not_there_is_named_at_once(asked: Place) -> None:
    nowhere = f"127.0.0.1:{free_port()}"
    with pytest.raises(InvalidInput, match=f"No Ray cluster can be reached at {nowhere}"):
        asyncio.run(ingest_on(nowhere, asked.settings, [], WORKSPACE))


def test_one_data_folder_cannot_be_shared_by_a_cluster(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="supports only one"):
        asyncio.run(ingest_on("ray", Settings(home=tmp_path), [str(tmp_path)], WORKSPACE))


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def _failed(report: IngestReport) -> list[str]:
    return [each.file_name for each in report.failed]


def _killed(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        process.kill()
        return True
    return False

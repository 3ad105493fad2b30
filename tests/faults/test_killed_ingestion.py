"""kill -9 in the middle of an ingestion, at many moments: run again, and the store is as if nothing had happened."""

import asyncio
import math
import os
import random
import signal
import subprocess
import sys
import time
import zipfile
from email.message import EmailMessage
from pathlib import Path

import psutil
import pytest

from masis.knowledge.library import Library, open_library
from masis.settings import Settings
from masis.types import Document

MOMENTS = {"sqlite": (0.4, 0.8), "postgres": (0.6,)}
"""When to kill, as shares of the processor time of an undisturbed ingestion: how busy the machine is plays no part."""
SENTENCES = [
    "The ferry to {0} carried {1} cars in spring.",
    "Harbour dues at {0} rose to {1} crowns.",
    "The pilot of {0} logged {1} hours.",
    "No berth in {0} is longer than {1} metres.",
]
PLACES = ["Lindesnes", "Skagen", "Marstrand", "Visby", "Korsør", "Egersund"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files short and long, an archive, a message with a file, and one that cannot be read; the same every time."""
    chance = random.Random(7)
    folder = tmp_path_factory.mktemp("documents")
    for number in range(14):
        lines = [
            chance.choice(SENTENCES).format(chance.choice(PLACES), chance.randrange(1000))
            for _ in range(chance.choice([3, 10, 30]))
        ]
        (folder / f"{number:02}.md").write_text(f"# Report {number}\n\n" + "\n\n".join(lines))
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 cut off")
    with zipfile.ZipFile(folder / "box.zip", "w") as archive:
        for number in range(3):
            archive.writestr(
                zipfile.ZipInfo(f"in/{number}.txt"), f"Crate {number} holds ropes for {PLACES[number]}. " * 9
            )
    message = EmailMessage()
    message["From"], message["Subject"] = "ann@example.org", "Berths"
    message.set_content("The berth plan is attached.")
    message.add_attachment("north,free\nsouth,taken\n", subtype="csv", filename="plan.csv", cte="7bit")
    (folder / "mail.eml").write_bytes(message.as_bytes())
    return folder


def ingest_in_a_process(home: Path, folder: Path, database_url: str | None) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "MASIS_HOME": str(home), "MASIS_CHUNK_CHARS": "300", "MASIS_EMBEDDING_BATCH": "4"}
    if database_url:
        environment["MASIS_DATABASE_URL"] = database_url
    command = [str(Path(sys.executable).parent / "masis"), "ingest", str(folder), "--workspace", "acme", "--json"]
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def worked(process: "subprocess.Popen[bytes]", at_most: float = math.inf) -> float:
    """Its processor seconds, waiting for its end or for that many."""
    seconds = 0.0
    while process.poll() is None and seconds < at_most:
        times = psutil.Process(process.pid).cpu_times()
        seconds = times.user + times.system
        time.sleep(0.01)
    return seconds


def is_killed(process: "subprocess.Popen[bytes]", after: float) -> bool:
    worked(process, after)
    process.kill()
    return process.wait(20) == -signal.SIGKILL


async def contents(home: Path, database_url: str | None) -> tuple[list[Document], list[object]]:
    library: Library = open_library(Settings(home=home, chunk_chars=300, database_url=database_url))
    try:
        documents = library.catalog.documents("acme")
        points = [
            (item.chunk, [round(value, 5) for value in item.dense or []], item.sparse)
            for item in await library.store.chunks("acme")
        ]
    finally:
        library.close()
    timeless = [(d.document_id, d.file_name, d.status, d.reason, d.pages, d.chunks, d.date) for d in documents]
    return timeless, points  # type: ignore[return-value]


@pytest.fixture(scope="module")
def undisturbed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[float, object]:
    """How long an ingestion takes, and what it leaves: the same in the data folder as in a database."""
    home = tmp_path_factory.mktemp("undisturbed")
    process = ingest_in_a_process(home, folder, None)
    seconds = worked(process)
    assert process.returncode == 0
    expected = asyncio.run(contents(home, None))
    assert len(expected[0]) == 14 + 1 + 3 + 2
    assert all(dense for _, dense, _ in expected[1])  # type: ignore[misc]
    return seconds, expected


@pytest.mark.parametrize("database", MOMENTS)
def test_nothing_is_missing_and_nothing_is_there_twice(
    request: pytest.FixtureRequest, tmp_path: Path, folder: Path, undisturbed: tuple[float, object], database: str
) -> None:
    url: str | None = request.getfixturevalue("postgres_url") if database == "postgres" else None
    whole, expected = undisturbed
    for moment in MOMENTS[database]:
        process = ingest_in_a_process(tmp_path / "killed", folder, url)
        assert is_killed(process, after=moment * whole), "it had ended before"
    assert ingest_in_a_process(tmp_path / "killed", folder, url).wait(100) == 0
    assert asyncio.run(contents(tmp_path / "killed", url)) == expected

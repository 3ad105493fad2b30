"""A queue on a database of each kind, and a clock that a test turns."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from masis.database import Database, open_database
from masis.jobs.queue import Job, JobQueue
from masis.runs.tables import RUNS
from masis.settings import Settings

LEASE_SECONDS = 15.0


@dataclass
class Clock:
    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    database = open_database(Settings(home=tmp_path / "home", database_url=url), RUNS)
    yield database
    database.close()


@pytest.fixture
def queue(database: Database, clock: Clock) -> JobQueue:
    return JobQueue(database, LEASE_SECONDS, clock)


def put(queue: JobQueue, subject: str, kind: str = "run", owner: str | None = None) -> bool:
    with queue.database.writing() as db:
        return queue.put(db, Job(kind, subject, "w"), owner)  # type: ignore[arg-type]

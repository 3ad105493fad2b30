"""The tables of runs on a database of each kind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from masis.client import Masis
from masis.database import Database, open_database
from masis.database.batched import BatchedDatabase
from masis.jobs.queue import JobQueue
from masis.runs.run_table import RunTable
from masis.runs.tables import RUNS
from masis.settings import Settings
from tests.support.engines import masis_with
from tests.support.play import Play


@pytest.fixture(params=["sqlite", "postgres"])
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    return Settings(home=tmp_path / "home", database_url=url, poll_seconds=0.05)


@pytest.fixture
def database(stored: Settings) -> Iterator[Database]:
    database = open_database(stored, RUNS)
    yield database
    database.close()


@pytest.fixture
def queue(database: Database) -> JobQueue:
    return JobQueue(database, lease_seconds=15)


@pytest.fixture
def runs(database: Database, queue: JobQueue) -> RunTable:
    return RunTable(BatchedDatabase(database), queue)


@pytest.fixture
def masis(stored: Settings) -> Iterator[Masis]:
    made = masis_with(Play(stored).services)
    made.library.catalog.create_workspace("w")
    yield made
    made.close()

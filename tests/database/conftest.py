"""A database of each kind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from masis.database import Database, Schema, open_database
from masis.settings import Settings


@pytest.fixture
def notes() -> Schema:
    return Schema(
        "notes",
        (
            """
            CREATE TABLE notes (name TEXT PRIMARY KEY, number INTEGER NOT NULL, share REAL, data BLOB) WITHOUT ROWID;
            CREATE TABLE lines (line_id INTEGER PRIMARY KEY, text TEXT NOT NULL DEFAULT 'some TEXT');
            """,
        ),
    )


@pytest.fixture(params=["sqlite", "postgres"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    return Settings(home=tmp_path / "home", database_url=url)


@pytest.fixture
def database(settings: Settings, notes: Schema) -> Iterator[Database]:
    database = open_database(settings, notes)
    yield database
    database.close()

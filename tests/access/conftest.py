"""Access runs on both databases, and every test of it does."""

from pathlib import Path

import pytest

from masis.settings import Settings


@pytest.fixture(params=["sqlite", "postgres"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    return Settings(home=tmp_path / "home", database_url=url)

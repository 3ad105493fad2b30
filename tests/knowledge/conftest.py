"""What the tests of documents share."""

import pytest


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> str | None:
    """A test that takes it runs in the data folder and on PostgreSQL."""
    url: str | None = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    return url

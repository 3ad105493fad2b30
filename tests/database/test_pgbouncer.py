"""Runs through a real PgBouncer in transaction mode: many clients, a handful of connections."""

import asyncio
from pathlib import Path

import psycopg
import pytest

from masis import Masis
from masis.settings import Settings
from tests.support.pgbouncer import pooled

CONNECTIONS, RUNS = 3, 12


@pytest.fixture
def direct(postgres_url: str, tmp_path: Path) -> Settings:
    """The tables are made without it, as the page says."""
    settings = Settings(home=tmp_path / "home", database_url=postgres_url)
    (tmp_path / "note.md").write_text("# Harbour\n\nThe harbour was dredged in 1913. Its crane lifts 40 tonnes.")
    with Masis(settings) as masis:
        masis.ingest([tmp_path / "note.md"], "acme")
        masis.ask("When was the harbour dredged?", "acme")
    return settings


def test_many_runs_share_a_few_connections(direct: Settings) -> None:
    assert direct.database_url
    with pooled(direct.database_url, CONNECTIONS) as url:
        settings = direct.model_copy(update={"database_url": url, "database_prepare": False})
        answers = asyncio.run(_asked(settings))
        with psycopg.connect(direct.database_url) as connection:
            used = connection.execute(
                "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            ).fetchone()
    assert all("1913" in answer for answer in answers)
    assert used
    assert used[0] <= CONNECTIONS


async def _asked(settings: Settings) -> list[str]:
    """Also in the background, where leases are held and events followed."""
    async with Masis(settings) as masis, masis.working():
        here = [masis.aask("When was the harbour dredged?", "acme") for _ in range(RUNS - 2)]
        queued = [await masis.aask_in_background("In which year was the harbour dredged?", "acme") for _ in range(2)]
        results = await asyncio.gather(*here)
        for run in queued:
            assert [event async for event in masis.afollow(run.run_id)]
            result = await masis.aresult(run.run_id)
            assert result
            results.append(result)
    return [result.answer for result in results]

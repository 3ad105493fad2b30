"""A data folder of the first versions: checkpoints of a run that waits, and no record of it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from masis.errors import UnknownRun
from masis.runs.service import Masis
from masis.settings import Settings
from tests.support.play import Play

OLD_ID = "0123456789ab"


@pytest.fixture
def masis(tmp_path: Path) -> Iterator[Masis]:
    made = Masis(services=Play(Settings(home=tmp_path / "home")).services)
    made.library.catalog.create_workspace("w")
    yield made
    made.close()


def made_old(masis: Masis, run_id: str) -> None:
    masis.close()
    with closing(sqlite3.connect(masis.settings.home / "masis.db")) as db, db:
        for table in ("run_inputs", "run_results", "run_events", "runs"):
            db.execute(f"DELETE FROM {table}")
    with closing(sqlite3.connect(masis.settings.home / "runs.db")) as db, db:
        for table in ("checkpoints", "writes"):
            db.execute(f"UPDATE {table} SET thread_id = ? WHERE thread_id = ?", (OLD_ID, run_id))


def test_a_run_that_waits_is_taken_over_by_its_id(masis: Masis) -> None:
    paused = masis.ask("What was revenue?", "w", max_retries=1)
    made_old(masis, paused.run_id)
    record = masis.run(OLD_ID)
    assert (record.status, record.workspace_id, record.question) == ("waiting", "w", "What was revenue?")
    assert masis.result(OLD_ID, "w") is not None
    assert masis.resume(OLD_ID, {"action": "stop"}).status == "success"
    assert [run.run_id for run in masis.runs("w")] == [OLD_ID]


def test_not_by_another_workspace_nor_once_it_was_deleted(masis: Masis) -> None:
    paused = masis.ask("What was revenue?", "w", max_retries=1)
    made_old(masis, paused.run_id)
    with pytest.raises(UnknownRun):
        masis.run(OLD_ID, "elsewhere")
    masis.delete_run(OLD_ID)
    for unknown in (OLD_ID, paused.run_id):
        with pytest.raises(UnknownRun):
            masis.run(unknown)


def test_not_when_only_its_checkpoints_are_left_to_delete(masis: Masis) -> None:
    paused = masis.ask("What was revenue?", "w", max_retries=1)
    made_old(masis, paused.run_id)
    masis.run(OLD_ID)
    masis.run_table.delete(OLD_ID, "w")
    with pytest.raises(UnknownRun):
        masis.run(OLD_ID)

"""What becomes of an upload is written by the worker that has it, and by no other."""

from dataclasses import replace

import pytest

from masis.database import Database
from masis.jobs.queue import JobQueue
from masis.runs.ingestions import Counts, IngestedFile, Ingestion, Ingestions, UnknownIngestion
from masis.types import LOCAL

FILE = IngestedFile("report.md", "d1", "queued")
KNOWN = IngestedFile("memo.md", "d2", "duplicate", "The same bytes are in w already.")


@pytest.fixture
def ingestions(database: Database, queue: JobQueue) -> Ingestions:
    return Ingestions(database, queue)


def taken(ingestions: Ingestions, queue: JobQueue) -> Ingestion:
    made = ingestions.create("w", [FILE, KNOWN], LOCAL)
    assert [job.subject for job in queue.claim("me", {"ingest": 1})] == [made.ingestion_id]
    return made


def test_what_is_there_already_makes_no_job(ingestions: Ingestions, queue: JobQueue) -> None:
    made = ingestions.create("w", [KNOWN], LOCAL)
    assert made.status == "done"
    assert made.finished_at
    assert queue.counts() == {}
    assert ingestions.get(made.ingestion_id, "w") == made


def test_progress_is_saved_by_who_has_it(ingestions: Ingestions, queue: JobQueue) -> None:
    made = taken(ingestions, queue)
    half = replace(made, status="running", progress=Counts(files_done=1, files_total=2))
    ingestions.save(half, "stranger")
    assert ingestions.get(made.ingestion_id, "w") == made
    ingestions.save(half, "me")
    assert ingestions.get(made.ingestion_id, "w") == half


def test_a_late_word_of_progress_does_not_open_it_again(ingestions: Ingestions, queue: JobQueue) -> None:
    made = taken(ingestions, queue)
    ingestions.finish(replace(made, status="done"), "stranger")
    assert ingestions.get(made.ingestion_id, "w").status == "queued"
    ingestions.finish(replace(made, status="done"), "me")
    ingestions.save(replace(made, status="running"), "me")
    found = ingestions.get(made.ingestion_id, "w")
    assert found.status == "done"
    assert found.finished_at


def test_cancelling(ingestions: Ingestions, queue: JobQueue) -> None:
    waits = ingestions.create("w", [FILE], LOCAL)
    assert ingestions.cancel(waits.ingestion_id, "w").status == "cancelled"
    works = taken(ingestions, queue)
    assert ingestions.cancel(works.ingestion_id, "w").status == "queued"
    assert queue.renew("me", [("ingest", works.ingestion_id)]) == {("ingest", works.ingestion_id): True}


def test_another_workspace_does_not_see_it(ingestions: Ingestions) -> None:
    made = ingestions.create("w", [FILE], LOCAL)
    for reach in (ingestions.get, ingestions.cancel):
        with pytest.raises(UnknownIngestion):
            reach(made.ingestion_id, "elsewhere")
    assert ingestions.newest("elsewhere") == []
    assert ingestions.newest("w") == [made]

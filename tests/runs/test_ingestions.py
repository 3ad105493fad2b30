"""What becomes of an upload is written by the worker that has it, and by no other."""

import asyncio
import gc
import json
import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from masis.client import Masis
from masis.database import Database
from masis.errors import DataFolderError
from masis.jobs import worker
from masis.jobs.queue import Job, JobQueue
from masis.runs import working
from masis.runs.ingestions import Counts, IngestedFile, Ingestion, Ingestions, UnknownIngestion
from masis.settings import Settings
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


def test_bytes_on_their_way_are_a_duplicate(ingestions: Ingestions, queue: JobQueue) -> None:
    first = taken(ingestions, queue)
    assert ingestions.on_their_way("w") == {"d1": "report.md"}
    again = ingestions.create("w", [replace(FILE, file_name="copy.md")], LOCAL)
    assert again.status == "done"
    assert [(file.stage, file.reason) for file in again.files] == [("duplicate", "Already being read, as report.md.")]
    assert ingestions.create("other", [FILE], LOCAL).status == "queued"
    ingestions.finish(replace(first, status="failed"), "me")
    assert ingestions.on_their_way("w") == {}
    assert ingestions.create("w", [FILE], LOCAL).status == "queued"


def test_without_its_bytes_none_is_opened(ingestions: Ingestions, queue: JobQueue) -> None:
    assert ingestions.create("w", [FILE], LOCAL, lambda document_id: document_id != "d1") is None
    assert (ingestions.newest("w"), queue.counts()) == ([], {})


async def test_cancelling_leaves_what_another_upload_waits_for(masis: Masis) -> None:
    first = await masis.aupload("w", [("a.md", b"Alpha."), ("b.md", b"Beta.")])
    alpha, beta = (file.document_id for file in first.files)
    # Of a version that did not look at what is on its way, or made in the moment between two looks.
    with masis._parts.database.writing() as db:
        other = json.dumps([{"file_name": "c.md", "document_id": alpha, "stage": "queued"}])
        row = ("later", "w", "queued", first.created_at, "local", other, "{}")
        db.execute(
            "INSERT INTO ingestions (ingestion_id, workspace_id, status, created_at, asked_by, files, progress)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            row,
        )
        masis._parts.queue.put(db, Job("ingest", "later", "w"))
    assert (await masis.acancel_ingestion(first.ingestion_id, "w")).status == "cancelled"
    assert [masis.library.originals.has("w", one) for one in (alpha, beta)] == [True, False]
    await masis.acancel_ingestion("later", "w")
    assert not masis.library.originals.has("w", alpha)


async def test_the_second_of_two_uploads_cannot_take_the_first_along(masis: Masis) -> None:
    first = await masis.aupload("w", [("a.md", b"Alpha.")])
    second = await masis.aupload("w", [("copy.md", b"Alpha.")])
    assert [file.stage for file in second.files] == ["duplicate"]
    await masis.acancel_ingestion(second.ingestion_id, "w")
    assert masis.library.originals.has("w", first.files[0].document_id)


async def test_bytes_that_go_while_they_are_uploaded_again_are_kept_again(
    masis: Masis, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await masis.aupload("w", [("a.md", b"Alpha.")])
    create, has_come_between = masis._parts.ingestions.create, []

    def late(*args: Any) -> Ingestion | None:
        if not has_come_between:
            has_come_between.append(True)
            masis.cancel_ingestion(first.ingestion_id, "w")
        return create(*args)

    monkeypatch.setattr(masis._parts.ingestions, "create", late)
    second = await masis.aupload("w", [("copy.md", b"Alpha.")])
    assert [file.stage for file in second.files] == ["queued"]
    assert masis.library.originals.read("w", second.files[0].document_id) == b"Alpha."


async def test_an_upload_waits_until_there_is_room_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long that takes: it was taken in, and is not the cause."""
    monkeypatch.setattr(worker, "AGAIN_SECONDS", 0.01)
    tried = 0

    def full(_: Path) -> None:
        nonlocal tried
        tried += 1
        if tried < 9:
            raise DataFolderError("Only 1 MB free on the disk.")

    async with Masis(Settings(home=tmp_path)) as masis:
        masis.library.catalog.create_workspace("w")
        monkeypatch.setattr("masis.knowledge.store.edge.require_free_space", full)
        made = await masis.aupload("w", [("a.md", b"# Alpha\n\nAlpha grew by 7% in 2025.")])
        async with masis.working(), asyncio.timeout(60):
            while (found := await masis.aingestion(made.ingestion_id, "w")).status != "done":
                assert found.status in ("queued", "running")
                await asyncio.sleep(0.02)
    assert [file.stage for file in found.files] == ["ready"]
    assert found.error is None
    assert tried >= 9


async def test_after_an_ingestion_memory_goes_back(masis: Masis, monkeypatch: pytest.MonkeyPatch) -> None:
    class Held:
        pass

    monkeypatch.setattr(working, "TRIM_SECONDS", 0.0)
    held = Held()
    held.itself = held  # type: ignore[attr-defined]
    is_there = weakref.ref(held)
    del held
    gc.disable()
    try:
        async with masis.working(), asyncio.timeout(60):
            await masis.aupload("w", [("a.md", b"Alpha.")])
            for _ in range(1000):
                if is_there() is None:
                    break
                await asyncio.sleep(0.05)
    finally:
        gc.enable()
    assert is_there() is None

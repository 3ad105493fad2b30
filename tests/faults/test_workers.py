"""Several workers on one database: what one leaves, another finishes, and nobody does anything twice."""

import asyncio
import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest

from masis import Masis, Settings
from masis.runs.events import RunEvent
from tests.support.deployment import Deployment, until
from tests.support.fake_openai import FakeOpenAI
from tests.support.patient_model import PatientModel

QUESTION = "What was revenue in 2025?"
REPORT = ("report.md", b"# Report\n\nRevenue was $12 million in 2025.\n")
CALLS = 3
"""Of models, in a run with one attempt: a draft, an audit, a judgement."""


@pytest.fixture
def masis(deployment: Deployment, monkeypatch: pytest.MonkeyPatch) -> Iterator[Masis]:
    """This process asks and looks on. It never works."""
    for name, value in deployment.environment.items():
        monkeypatch.setenv(name, value)
    made = Masis(Settings())
    made.create_workspace("w")
    yield made
    made.close()


def files(count: int) -> list[tuple[str, bytes]]:
    return [
        (f"{n:02}.md", f"# Harbour {n}\n\nThe ferry carried {n * 37} cars in spring.\n".encode()) for n in range(count)
    ]


def upload(masis: Masis, given: list[tuple[str, bytes]]) -> str:
    return masis.upload("w", given).ingestion_id


def is_done(masis: Masis, ingestion_id: str) -> bool:
    return masis.ingestion(ingestion_id, "w").status == "done"


def is_finished(masis: Masis, *run_ids: str) -> bool:
    return all(masis.get_run(run_id).status == "finished" for run_id in run_ids)


def steps(events: list[RunEvent]) -> list[tuple[Any, ...]]:
    """Without the starts: whoever freezes in its first moments may not have come to write that down."""
    return [(e["seq"], e["event"], e.get("agent"), e.get("attempt")) for e in events if e["event"] != "started"]


def assert_each_thing_once(masis: Masis, run_ids: list[str]) -> None:
    trails = [steps(masis.events(run_id)) for run_id in run_ids]
    for trail in trails:
        assert trail == trails[0]
    assert {masis.get_run(run_id).model_calls for run_id in run_ids} == {CALLS}


def test_a_killed_workers_runs_and_uploads_are_finished_by_another(
    deployment: Deployment, masis: Masis, model: PatientModel, fake_openai: FakeOpenAI
) -> None:
    first = deployment.worker()
    reading = upload(masis, [REPORT])
    until(lambda: is_done(masis, reading))
    reference = masis.ask_in_background(QUESTION, "w").run_id
    until(lambda: is_finished(masis, reference))

    model.seconds = 0.3
    before = len(fake_openai.chats)
    run_ids = [masis.ask_in_background(QUESTION, "w").run_id for _ in range(4)]
    uploaded = upload(masis, files(20))
    until(lambda: len(fake_openai.chats) >= before + 6)
    until(lambda: masis.ingestion(uploaded, "w").status == "running")
    second = deployment.worker()
    first.kill()
    until(lambda: is_finished(masis, *run_ids) and is_done(masis, uploaded))
    assert_each_thing_once(masis, [reference, *run_ids])
    documents = masis.documents("w")
    assert sorted(document.file_name for document in documents) == sorted(name for name, _ in [*files(20), REPORT])
    assert {document.status for document in documents} == {"READY"}
    assert {file.stage for file in masis.ingestion(uploaded, "w").files} == {"ready"}
    second.stop()
    assert second.process.returncode == 0


def test_a_frozen_worker_that_wakes_up_does_nothing_twice_and_works_on(
    deployment: Deployment, masis: Masis, model: PatientModel, fake_openai: FakeOpenAI
) -> None:
    frozen = deployment.worker()
    reading = upload(masis, [REPORT])
    until(lambda: is_done(masis, reading))
    reference = masis.ask_in_background(QUESTION, "w").run_id
    until(lambda: is_finished(masis, reference))

    model.is_free.clear()
    run_id = masis.ask_in_background(QUESTION, "w").run_id
    fake_openai.wait_for_requests(CALLS + 1)
    frozen.send(signal.SIGSTOP)
    model.is_free.set()
    other = deployment.worker()
    until(lambda: is_finished(masis, run_id))
    assert_each_thing_once(masis, [reference, run_id])
    settled, asked = masis.events(run_id), len(fake_openai.chats)
    frozen.send(signal.SIGCONT)
    time.sleep(1.5)  # enough to repeat what is left of a run
    assert masis.events(run_id) == settled
    assert len(fake_openai.chats) == asked
    assert masis.get_run(run_id).status == "finished"
    # It is still good for something.
    other.stop()
    assert_progress_reaches_across_processes(masis)
    model.is_free.clear()
    assert_cancellation_reaches_across_processes(masis, fake_openai)


def assert_progress_reaches_across_processes(masis: Masis) -> None:
    async def follow(run_id: str) -> list[RunEvent]:
        return [event async for event in masis.afollow(run_id)]

    followed = asyncio.run(follow(masis.ask_in_background(QUESTION, "w").run_id))
    agents = [event["agent"] for event in followed if event["event"] == "finished"]
    assert agents == ["supervisor", "researcher", "synthesizer", "critic", "evaluator", "supervisor"]
    assert followed[-1]["event"] == "ended"


def assert_cancellation_reaches_across_processes(masis: Masis, fake_openai: FakeOpenAI) -> None:
    """Of a run whose model has not answered, and of files that are being read."""
    asked = len(fake_openai.requests)
    run_id = masis.ask_in_background(QUESTION, "w").run_id
    fake_openai.wait_for_requests(asked + 1)
    masis.cancel(run_id)
    until(lambda: masis.get_run(run_id).status == "cancelled")
    assert masis.events(run_id)[-1]["event"] == "cancelled"

    uploaded = upload(masis, files(60))
    until(lambda: masis.ingestion(uploaded, "w").status == "running")
    masis.cancel_ingestion(uploaded, "w")
    until(lambda: masis.ingestion(uploaded, "w").status == "cancelled")

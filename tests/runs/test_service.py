"""The small façade: sync and async twins, checked input, runs that can be answered later."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from masis import Masis, Settings
from masis.errors import DataFolderError, InvalidInput, UnknownWorkspace
from masis.reasoning.ports import AuditFinding
from tests.support.engines import ScriptedAuditor, ScriptedSearch, Stage, chunk

CONFLICTING = AuditFinding(0.9, conflicting_evidence=["report.pdf says 12, memo.md says 14"])
BOTH = [chunk("c1"), chunk("c2", "Revenue was $14 million in 2025.", file_name="memo.md", document_id="d2")]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home")


@pytest.fixture
def masis(settings: Settings) -> Iterator[Masis]:
    stage = Stage(
        search=ScriptedSearch([BOTH]),
        auditor=ScriptedAuditor([CONFLICTING, CONFLICTING, CONFLICTING, AuditFinding(0.9)]),
        settings=settings,
    )
    made = Masis(services=stage.services)
    made.library.catalog.create_workspace("w")
    yield made
    made.close()


def test_a_run_waits_and_goes_on_in_another_masis(masis: Masis, settings: Settings) -> None:
    paused = masis.ask("What was revenue?", "w")
    assert paused.status == "needs_clarification"
    other = Masis(services=masis.services)
    resumed = other.resume(
        paused.run_id, {"action": "prefer", "prefer": ["report.pdf"], "over": ["memo.md"], "by": "Ada"}
    )
    assert (resumed.status, resumed.run_id) == ("success", paused.run_id)
    assert len(resumed.trace) > len(paused.trace)
    assert resumed.trace[: len(paused.trace)] == paused.trace


async def test_the_async_twins(masis: Masis) -> None:
    paused = await masis.aask("What was revenue?", "w")
    stopped = await masis.aresume(paused.run_id, {"action": "stop"})
    assert (stopped.status, stopped.outcome) == ("success", "conflict")


def test_events_name_each_agent_as_it_starts_and_finishes(masis: Masis) -> None:
    events: list[dict[str, Any]] = []
    masis.ask("What was revenue?", "w", on_event=events.append)
    assert [e["agent"] for e in events if e["event"] == "started"][:5] == [
        "supervisor",
        "researcher",
        "synthesizer",
        "critic",
        "evaluator",
    ]
    finished = [e for e in events if e["event"] == "finished"]
    assert finished[-1]["trace"]["decision"] == "HITL_conflict"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"action": "dance"}, "action"),
        ({"action": "prefer", "prefer": ["report.pdf"], "over": ["stranger.pdf"]}, "stranger.pdf"),
        ({"action": "refine"}, "question"),
    ],
)
def test_a_bad_answer_is_refused_and_the_run_still_waits(masis: Masis, answer: Any, said: str) -> None:
    paused = masis.ask("What was revenue?", "w")
    with pytest.raises(InvalidInput, match=said):
        masis.resume(paused.run_id, answer)
    assert masis.resume(paused.run_id, {"action": "stop"}).status == "success"


def test_an_unknown_run_is_refused(masis: Masis) -> None:
    with pytest.raises(InvalidInput, match="no run"):
        masis.resume("nothing", {"action": "stop"})


def test_an_unknown_workspace_is_refused(masis: Masis) -> None:
    with pytest.raises(UnknownWorkspace, match="elsewhere"):
        masis.ask("What?", "elsewhere")
    with pytest.raises(UnknownWorkspace):
        masis.documents("elsewhere")


@pytest.mark.parametrize(("question", "retries"), [("", None), ("What?", -1), ("What?", 11)])
def test_bad_input_is_refused_before_anything_runs(masis: Masis, question: str, retries: int | None) -> None:
    with pytest.raises(InvalidInput):
        masis.ask(question, "w", max_retries=retries)


def test_every_response_is_complete_even_when_nothing_was_found(settings: Settings) -> None:
    masis = Masis(services=Stage(search=ScriptedSearch([[]]), settings=settings).services)
    masis.library.catalog.create_workspace("w")
    result = masis.ask("What was revenue?", "w")
    assert "do not cover" in result.answer
    assert result.evaluation["overall_score"] == 0.35
    assert result.critique["hallucination_detected"] is False
    masis.close()


def test_a_corrupted_run_store_is_said_in_words(masis: Masis, settings: Settings) -> None:
    (settings.home / "runs.db").write_bytes(b"this is no database" * 100)
    with pytest.raises(DataFolderError, match=r"runs\.db"):
        masis.ask("What was revenue?", "w")


def test_an_answer_that_could_not_be_saved_is_not_lost(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("masis.runs.checkpoints.BUSY_MS", 50)
    masis = Masis(services=Stage(settings=settings).services)
    masis.library.catalog.create_workspace("w")
    masis.ask("What was revenue in 2025?", "w")
    locks: list[sqlite3.Connection] = []

    def lock_before_it_is_saved(event: dict[str, Any]) -> None:
        if event.get("agent") == "supervisor" and event.get("trace"):
            other = sqlite3.connect(settings.home / "runs.db", isolation_level=None, check_same_thread=False)
            other.execute("BEGIN EXCLUSIVE")
            locks.append(other)

    result = masis.ask("What was revenue in 2025?", "w", on_event=lock_before_it_is_saved)
    for lock in locks:
        lock.close()
    assert result.outcome == "answered"
    assert result.trace[-1]["warning"] == "run_not_saved"
    masis.close()

"""The small façade: sync and async twins, checked input, runs that can be answered later."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import masis as masis_package
from masis import Masis, Settings, errors
from masis.errors import DataFolderError, InvalidInput, UnknownWorkspace
from masis.knowledge.library import open_library
from masis.reasoning.ports import AuditFinding
from tests.knowledge.stores import NamedEmbedder, is_index_locked
from tests.support.engines import ScriptedAuditor, ScriptedSearch, Stage, chunk, masis_with

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
    made = masis_with(stage.services)
    made.library.catalog.create_workspace("w")
    yield made
    made.close()


def test_a_run_waits_and_goes_on_in_another_masis(masis: Masis, settings: Settings) -> None:
    paused = masis.ask("What was revenue?", "w")
    assert paused.status == "needs_clarification"
    other = masis_with(masis._parts.services)
    resumed = other.answer(
        paused.run_id, {"action": "prefer", "prefer": ["report.pdf"], "over": ["memo.md"], "by": "Ada"}
    )
    assert (resumed.status, resumed.run_id) == ("success", paused.run_id)
    assert len(resumed.trace) > len(paused.trace)
    assert resumed.trace[: len(paused.trace)] == paused.trace


async def test_the_async_twins(masis: Masis) -> None:
    paused = await masis.aask("What was revenue?", "w")
    stopped = await masis.aanswer(paused.run_id, {"action": "stop"})
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
        masis.answer(paused.run_id, answer)
    assert masis.answer(paused.run_id, {"action": "stop"}).status == "success"


def test_an_unknown_run_is_refused(masis: Masis) -> None:
    with pytest.raises(InvalidInput, match="no run"):
        masis.answer("nothing", {"action": "stop"})


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
    masis = masis_with(Stage(search=ScriptedSearch([[]]), settings=settings).services)
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
    masis = masis_with(Stage(settings=settings).services)
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


def test_what_a_user_needs_is_exported_and_importing_loads_nothing() -> None:
    code = (
        "import sys, masis; print([name for name in masis.__all__ if not hasattr(masis, name)], 'langgraph' in before)"
    )
    loaded = f"import sys, masis; before = set(sys.modules); {code}"
    assert subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True).stdout == "[] False\n"
    named = {"Masis", "Settings", "RunResult", "RunRecord", "Document", "IngestReport", "SearchFilters", "Answer"}
    tree = {name for name, one in vars(errors).items() if isinstance(one, type) and issubclass(one, errors.MASISError)}
    assert named | tree | {"graph", "MASISInput"} <= set(masis_package.__all__)


def test_two_of_one_folder_share_the_index_and_closing_one_leaves_the_other(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("The term loan matures in 2029.")
    with Masis(settings) as first, Masis(settings) as second:
        assert first.library is not second.library
        first.ingest([tmp_path / "a.md"], "w")
        assert second.search("term loan", "w")
        first.close()
        assert second.search("term loan", "w")
        assert is_index_locked(settings.home)
    assert not is_index_locked(settings.home)


def test_what_was_given_is_used_and_not_closed(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("The term loan matures in 2029.")
    embedder = Counting()
    with Masis(settings, embedder=embedder) as masis:
        masis.ingest([tmp_path / "a.md"], "w")
        masis.search("term loan", "w")
    assert (embedder.asked, embedder.closed) == (2, 0)
    library = open_library(settings, embedder=embedder)
    with Masis(settings, library=library) as masis:
        assert masis.search("term loan", "w")
    assert is_index_locked(settings.home), "whoever opened the library closes it"
    library.close()
    assert (is_index_locked(settings.home), embedder.closed) == (False, 0)
    with pytest.raises(InvalidInput, match="its own embedder"):
        Masis(settings, library=library, embedder=embedder)


async def test_the_async_context_keeps_the_checkpoints_open_and_closes_them(masis: Masis, settings: Settings) -> None:
    async with masis:
        assert (await masis.aask("What was revenue?", "w")).status == "needs_clarification"
    assert masis.ask("What was revenue?", "w").run_id


class Counting(NamedEmbedder):
    """Counts what it is asked, and how often it is closed."""

    asked = 0
    closed = 0

    async def embed_passages(self, texts: list[str]) -> list[list[float]]:
        self.asked += 1
        return await super().embed_passages(texts)

    async def embed_query(self, text: str) -> list[float]:
        self.asked += 1
        return await super().embed_query(text)

    def close(self) -> None:
        self.closed += 1


def test_an_overview_is_made_once_for_a_document_and_its_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def answered(question: str, chunks: object) -> str:
        asked.append(question)
        return "In fiscal 2025 churn was 7.4%."

    monkeypatch.setattr("masis.client.answered_offline", answered)
    report = tmp_path / "report.md"
    report.write_text("# Churn\n\nCustomer churn in fiscal 2025 was 7.4%.\n")

    def tried(workspace: str, **chosen: int) -> bool:
        asked.clear()
        with Masis(Settings(home=tmp_path / "home", **chosen)) as masis:
            masis.ingest([report], workspace)
            assert masis.overview("report.md", workspace) == masis.overview("report.md", workspace)
            if deletes:
                masis.delete_document("report.md", workspace)
        return bool(asked)

    deletes = False
    assert [tried("a"), tried("a")] == [True, False], "it outlives the process that made it"
    assert [tried("b"), tried("b")] == [True, False], "each workspace has its own"
    assert tried("a", chunk_chars=400), "other settings, other passages"
    deletes = True
    assert [tried("b"), tried("b")] == [False, True], "it is deleted with its document"
    report.write_text("# Churn\n\nCustomer churn in fiscal 2025 was 7.9%.\n")
    assert tried("a", chunk_chars=400), "another version of the file is another document"

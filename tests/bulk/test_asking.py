"""A file of questions asked on one machine: interrupted, continued, within its budget."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from masis import Masis
from masis.bulk import PARALLEL, Job, Progress, Purse, Report
from masis.bulk.files import Question
from masis.cli.bulk import one_of
from masis.errors import InvalidInput, StoreUnavailable
from masis.runs.records import NOTHING_CRITICISED, RunResult
from masis.settings import Settings
from masis.types import Budget
from tests.support.deployment import MASIS
from tests.support.service import SAMPLE, Service, clean_environment

EXPENSE = "How much was research and development expense in fiscal 2025?"
LYON = "What did the board decide on Lyon?"
ABSENT = "Who won the chess world championship in 1972?"


def result(run_id: str, cost: float = 0.0, outcome: str = "answered") -> RunResult:
    empty = ("claims", "conflicts", "closest", "evidence", "instructions_seen", "trace")
    nothing: dict[str, Any] = {name: [] for name in empty}
    return RunResult(
        run_id=run_id,
        status="success",
        outcome=outcome,  # type: ignore[arg-type]
        answer="42",
        confidence=0.9,
        requires_human_review=False,
        clarification_question=None,
        critique=NOTHING_CRITICISED,
        evaluation={},  # type: ignore[typeddict-item]
        likelihood=None,
        review=None,
        prompts=None,
        metrics={"cost_usd": cost, "model_requests": 3},
        **nothing,
    )


class Asked:
    """Answers at a price; `dies_at`: the question at which the process would be killed."""

    def __init__(self, cost: float = 0.0, dies_at: int | None = None, outcome: str = "answered") -> None:
        self.cost, self.dies_at, self.outcome = cost, dies_at, outcome
        self.runs: list[tuple[str, str]] = []
        self.budgets: list[float | None] = []

    async def __call__(self, question: Question, run_id: str, budget: Budget) -> RunResult:
        await asyncio.sleep(0)
        if self.dies_at == len(self.runs):
            raise KeyboardInterrupt
        if question.question == "bad":
            raise InvalidInput("It cannot be asked.")
        self.runs.append((question.question, run_id))
        self.budgets.append(budget.max_cost_usd)
        return result(run_id, self.cost, self.outcome)


def job(tmp_path: Path, questions: list[dict[str, Any]], **given: Any) -> Job:
    (tmp_path / "q.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in questions))
    return Job(tmp_path / "q.jsonl", "acme", tmp_path / "a.jsonl", **{"parallel": 1, **given})


def answers(tmp_path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]


TEN: list[dict[str, Any]] = [{"id": number, "question": f"Question {number}?"} for number in range(10)]


def test_a_job_that_was_stopped_asks_only_what_is_left(tmp_path: Path) -> None:
    first, second, third = Asked(dies_at=4), Asked(), Asked()
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(job(tmp_path, TEN).run(first))
    with (tmp_path / "a.jsonl.progress").open("ab") as progress:
        progress.write(b'{"key": "cut o')  # killed in the middle of a line
    report = asyncio.run(job(tmp_path, TEN).run(second))
    assert len(first.runs) == 4
    assert {question for question, _ in first.runs}.isdisjoint(question for question, _ in second.runs)
    assert (report.questions, report.continued, report.outcomes) == (10, 4, {"answered": 10})
    assert [each["id"] for each in answers(tmp_path)] == list(range(10))
    more = [*TEN, {"id": "new", "question": "One more?"}, {"id": 3, "question": "Changed?"}]
    more[3] = {"id": 3, "question": "Question three?"}
    report = asyncio.run(job(tmp_path, more[:11]).run(third))
    assert sorted(question for question, _ in third.runs) == ["One more?", "Question three?"]
    assert [each["question"] for each in answers(tmp_path)] == [each["question"] for each in more[:11]]


def test_the_same_question_is_asked_once_and_answered_in_every_row(tmp_path: Path) -> None:
    asked = Asked()
    rows = [{"question": "Why?", "owner": "Ada"}, {"question": "Why?", "owner": "Bo"}, {"question": "bad"}, {"x": 1}]
    report = asyncio.run(job(tmp_path, rows, parallel=3).run(asked))
    assert len(asked.runs) == 1
    assert [(each["owner"], each["answer"]) for each in answers(tmp_path)[:2]] == [("Ada", "42"), ("Bo", "42")]
    assert answers(tmp_path)[2]["error"].startswith("It cannot be asked.")
    assert ([each.row for each in report.failed], [each.row for each in report.bad_rows]) == ([3], [4])
    assert not report.is_complete


def test_all_questions_together_stay_within_the_budget(tmp_path: Path) -> None:
    asked = Asked(cost=0.3)
    report = asyncio.run(job(tmp_path, TEN, parallel=3, max_cost_usd=1.0).run(asked))
    assert report.cost_usd == pytest.approx(0.9)
    assert (len(asked.runs), report.unasked) == (3, 7)
    assert sum(budget or 9 for budget in asked.budgets[:3]) <= 1.0 + 1e-9
    again = Asked(cost=0.3)
    report = asyncio.run(job(tmp_path, TEN, parallel=3, max_cost_usd=1.6).run(again))
    assert (len(again.runs), report.unasked, report.cost_usd) == (2, 5, pytest.approx(1.5))


def test_a_run_that_was_begun_keeps_its_share_of_the_budget(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(job(tmp_path, TEN, max_cost_usd=1.0).run(Asked(dies_at=0)))
    later = Asked(cost=0.2)
    asyncio.run(job(tmp_path, TEN, parallel=4, max_cost_usd=2.0).run(later))
    assert later.budgets[0] == pytest.approx(1.0)  # not a quarter of two dollars: the run was begun with one
    assert sum(budget or 9 for budget in later.budgets[:4]) <= 2.0 + 1e-9


async def test_many_places_do_not_share_the_money_out_too_thinly_for_any_question() -> None:
    purse = Purse(20.0, 0.0, 0.0, parallel=1000)
    first = [await purse.lend() for _ in range(PARALLEL)]
    assert first == pytest.approx([5.0] * PARALLEL)
    next_one = asyncio.create_task(purse.lend())
    await asyncio.sleep(0)
    assert not next_one.done()
    await purse.settle(first[0], 0.05)
    assert await next_one == pytest.approx(0.1)  # room for twice the dearest so far


def test_what_found_no_model_is_asked_again_as_another_run(tmp_path: Path) -> None:
    away, back = Asked(outcome="unavailable"), Asked()
    report = asyncio.run(job(tmp_path, TEN[:1]).run(away))
    assert (report.outcomes, len(report.failed)) == ({}, 1)
    asyncio.run(job(tmp_path, TEN[:1]).run(back))
    assert back.runs[0][1] != away.runs[0][1]
    assert answers(tmp_path)[0]["answer"] == "42"


def test_a_server_that_is_away_ends_the_job(tmp_path: Path) -> None:
    async def away(question: Question, run_id: str, budget: Budget) -> RunResult:
        raise StoreUnavailable("Qdrant does not answer.")

    with pytest.raises(StoreUnavailable):
        asyncio.run(job(tmp_path, TEN).run(away))


def test_progress_belongs_to_one_workspace_and_one_process(tmp_path: Path) -> None:
    asyncio.run(job(tmp_path, TEN).run(Asked()))
    with pytest.raises(InvalidInput, match="from the workspace acme"):
        Progress(tmp_path / "a.jsonl.progress", "other")

    async def twice(question: Question, run_id: str, budget: Budget) -> RunResult:
        await job(tmp_path, TEN).run(Asked())
        raise AssertionError("two wrote one file")

    with pytest.raises(InvalidInput, match="another process"):
        asyncio.run(_raising(job(tmp_path, [*TEN, {"question": "new"}]), twice))


async def _raising(one: Job, ask: Any) -> Report:
    report = await one.run(ask)
    raise InvalidInput(report.failed[0].reason)


@pytest.mark.parametrize(
    "given", [(None, None, None), ("q", Path("f.csv"), Path("o.csv")), (None, Path("f.csv"), None)]
)
def test_a_question_or_a_file(given: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidInput):
        one_of(*given, alone=False)
    with pytest.raises(InvalidInput, match="for one question"):
        one_of(None, Path("f.csv"), Path("o.csv"), alone=True)
    with pytest.raises(InvalidInput, match="--on is for a file"):
        one_of("q", None, None, "local", alone=False)


@pytest.fixture(scope="module")
def home(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shutil.copytree(sample_home, tmp_path_factory.mktemp("bulk") / "home")


def test_killed_in_the_middle_nothing_is_lost_or_asked_twice(home: Path, tmp_path: Path) -> None:
    questions = [EXPENSE, ABSENT, LYON]
    (tmp_path / "q.csv").write_text("question\n" + "\n".join(questions))
    command = [MASIS, "ask", "--file", tmp_path / "q.csv", "--out", tmp_path / "a.jsonl", "-w", SAMPLE, "--json"]
    environment = clean_environment() | {"MASIS_HOME": str(home)}
    killed = subprocess.Popen([*command, "--parallel", "2"], env=environment, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    progress = tmp_path / "a.jsonl.progress"
    while not (progress.exists() and progress.read_bytes().count(b"\n") > 1):
        assert killed.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100)
    report = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert report["continued"] >= 1
    found = answers(tmp_path)
    assert [each["question"] for each in found] == questions
    assert "22.7" in found[0]["answer"]
    assert found[0]["sources"][0]["file_name"]
    assert found[1]["outcome"] == "insufficient_evidence"
    with Masis(Settings(home=home)) as masis:
        asked = [run for run in masis.runs(SAMPLE) if run.question in questions]
    assert len(asked) == len(questions)
    assert {each["run_id"] for each in found} == {run.run_id for run in asked}


def test_a_service_that_holds_the_data_answers(sample_home: Path, tmp_path: Path) -> None:
    service = Service(tmp_path / "service", template=sample_home)
    service.start()
    with closing(service):
        (tmp_path / "q.csv").write_text(f"id,question\n1,{EXPENSE}\n2,{EXPENSE}\n")
        command = [MASIS, "ask", "--file", tmp_path / "q.csv", "--out", tmp_path / "a.jsonl", "-w", SAMPLE]
        environment = clean_environment() | {"MASIS_HOME": str(service.home)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "2 questions, 2 answered" in done.stdout
        assert [service.record(SAMPLE, each["run_id"])["status"] for each in answers(tmp_path)] == ["finished"] * 2

"""What a question may cost, on the command line and through the service."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from masis.cli.app import app
from masis.settings import Settings
from tests.api.live import serving, wait_for
from tests.support.fake_openai import FakeOpenAI, Hang
from tests.support.service import SAMPLE
from tests.support.storyteller import Storyteller

QUESTION = "What was customer churn in fiscal 2024?"
RUNS = f"/masis/workspaces/{SAMPLE}/runs"
Ask = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def home(sample_home: Path, tmp_path: Path) -> Path:
    return shutil.copytree(sample_home, tmp_path / "home")


@pytest.fixture
def ask(home: Path, fake_openai: FakeOpenAI) -> Ask:
    fake_openai.answer_with(Storyteller("Customer churn was 8.2 % in fiscal 2024. [{id}]"))

    def asked(*options: str) -> subprocess.CompletedProcess[str]:
        env = {"MASIS_HOME": str(home), "MASIS_MODEL_BASE_URL": fake_openai.base_url, "COLUMNS": "160"}
        done = CliRunner(env=env).invoke(app, ["ask", QUESTION, "-w", SAMPLE, *options])
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return subprocess.CompletedProcess(options, done.exit_code, done.stdout, done.stderr)

    return asked


def in_json(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_dry_run_shows_a_table_and_asks_no_model(ask: Ask, fake_openai: FakeOpenAI) -> None:
    done = ask("--dry-run")
    assert done.returncode == 0
    assert fake_openai.chats == []
    assert "writer gpt-4o-mini, auditor gpt-4o, judge gpt-4o" in done.stdout
    assert "No model was called" in done.stdout
    usual, at_most = (
        next(line for line in done.stdout.splitlines() if word in line) for word in ("usually", "at most")
    )
    assert re.search(r"one attempt\W+3\W+[\d,]+\W+620\W+0\.\d{4}\W+(?:unknown|about)", usual)
    assert re.search(r"every retry\W+9\W+[\d,]+\W+18,432\W+0\.\d{4}\W+(?:unknown|about)", at_most)


def test_a_dry_run_for_programs_has_the_same_figures(ask: Ask) -> None:
    plan = in_json(ask("--dry-run", "--json", "--max-retries", "1"))
    assert (plan["usual"]["calls"], plan["at_most"]["calls"]) == (3, 6)
    assert 0 < plan["usual"]["cost_usd"] < plan["at_most"]["cost_usd"]


def test_a_receipt_has_a_row_for_each_turn_and_the_sum_of_the_run(ask: Ask) -> None:
    done = ask("--receipt")
    assert done.returncode == 0
    rows = re.findall(
        r"(\d)\W+(synthesizer|critic|evaluator)\W+(gpt-[\w-]+)\W+(\d)\W+(\d+)\W+(\d+)\W+(0\.\d{4})", done.stdout
    )
    assert [(agent, engine) for _, agent, engine, *_ in rows[:3]] == [
        ("synthesizer", "gpt-4o-mini"),
        ("critic", "gpt-4o"),
        ("evaluator", "gpt-4o"),
    ]
    assert {row[3:6] for row in rows} == {("1", "100", "20")}
    assert f"{len(rows) * 120} tokens" in done.stdout


def test_without_the_option_there_is_no_receipt(ask: Ask) -> None:
    assert "tokens out" not in ask().stdout


def test_a_question_that_may_cost_nothing_is_answered_without_a_model(ask: Ask, fake_openai: FakeOpenAI) -> None:
    result = in_json(ask("--max-cost", "0", "--json"))
    assert fake_openai.chats == []
    assert result["metrics"]["budget_spent"] is True
    assert (result["metrics"]["cost_usd"], bool(result["answer"])) == (0, True)
    assert result["outcome"] != "unavailable"


def test_a_question_out_of_time_ends_with_an_answer(ask: Ask, fake_openai: FakeOpenAI) -> None:
    fake_openai.answer_with(lambda _: Hang())
    result = in_json(ask("--max-seconds", "1.5", "--json"))
    assert (len(fake_openai.chats), result["metrics"]["budget_spent"]) == (1, True)
    assert result["answer"]
    assert result["outcome"] != "unavailable"


@pytest.mark.parametrize("limit", ["--max-cost", "--max-seconds"])
def test_a_limit_below_zero_is_refused(ask: Ask, limit: str) -> None:
    assert ask(limit, "-1").returncode == 2


@pytest.mark.parametrize("limits", [{"max_cost_usd": 0}, {"max_seconds": 1.5}])
def test_the_service_keeps_to_the_same_limits(home: Path, fake_openai: FakeOpenAI, limits: dict[str, float]) -> None:
    fake_openai.answer_with(lambda _: Hang())
    settings = Settings(home=home, model_base_url=fake_openai.base_url)
    with serving(settings) as service, service.client() as client:
        asked = {"query": QUESTION, **limits}
        location = client.post(RUNS, json=asked).raise_for_status().headers["location"]
        wait_for(client, location, "finished", "waiting")
        result = client.get(f"{location}/result").raise_for_status().json()
        refused = client.post(RUNS, json=asked | {"max_cost_usd": -1})
    assert refused.status_code == 422
    assert len(fake_openai.chats) == ("max_seconds" in limits)
    assert result["metrics"]["budget_spent"] is True
    assert result["answer"]

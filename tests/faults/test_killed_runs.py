"""kill -9 at every moment of a run: another process goes on, and the run ends as if nothing had happened."""

import asyncio
import json
import os
import random
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from masis import Masis, Settings
from tests.support.engines import masis_with
from tests.support.fake_openai import FakeOpenAI, Recorded, Reply, Say
from tests.support.mortal import Mortals, Order
from tests.support.obedient import ALL_IS_WELL, FULL_MARKS
from tests.support.play import PREFER, Play

QUESTION = "What was revenue in 2025?"
AGENTS = ("supervisor", "researcher", "synthesizer", "critic", "evaluator")
TIMES = ("run_id", "thread_id", "duration_ms", "node_latency_ms", "seconds", "at")


@pytest.fixture(scope="module")
def mortals(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mortals]:
    made = Mortals(tmp_path_factory.mktemp("mortals"))
    yield made
    made.close()


@pytest.fixture(params=["sqlite", "postgres"])
def options(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    return {"home": str(tmp_path / "home"), "database_url": url, "poll_seconds": 0.02, "lease_seconds": 60}


@pytest.fixture
def masis(options: dict[str, Any]) -> Iterator[Masis]:
    """This process asks, answers and looks on; it never works on a run."""
    made = masis_with(Play(Settings(**options)).services)
    made.library.catalog.create_workspace("w")
    yield made
    made.close()


def timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: timeless(part) for name, part in value.items() if name not in TIMES}
    return [timeless(part) for part in value] if isinstance(value, list) else value


def trail(masis: Masis, run_id: str) -> list[Any]:
    return [timeless(event) for event in masis.events(run_id) if event["event"] != "started"]


def outcome(masis: Masis, run_id: str) -> Any:
    result = masis.result(run_id)
    assert result is not None
    record = masis.get_run(run_id)
    spent = (record.model_calls, record.input_tokens, record.output_tokens, round(record.cost_usd, 6))
    return timeless(result.as_dict()), record.status, record.attempts, spent


def assert_as_undisturbed(masis: Masis, run_id: str, reference: str) -> None:
    assert outcome(masis, run_id) == outcome(masis, reference)
    assert trail(masis, run_id) == trail(masis, reference)
    begun = {event["seq"]: event["agent"] for event in masis.events(reference) if event["event"] == "started"}
    for event in masis.events(run_id):
        assert event["event"] != "started" or begun.get(event["seq"]) == event["agent"], event


async def answer_all(masis: Masis, run_ids: list[str]) -> None:
    async with masis._parts.graph():
        for run_id in run_ids:
            await masis.aanswer_in_background(run_id, PREFER)


def start(masis: Masis) -> str:
    return masis.ask_in_background(QUESTION, "w", max_retries=1).run_id


def plan(run_ids: list[str], moments: list[str]) -> dict[str, list[Any]]:
    """Each run its own moment: every turn of an agent and every call of an engine, and as many writes as fit."""
    named = [[name, moments[: n + 1].count(name)] for n, name in enumerate(moments)]
    turns = [one for one in named if one[0].startswith(AGENTS)]
    writes = [one for one in named if one not in turns]
    chosen = turns + writes[:: -(-len(writes) // (len(run_ids) - len(turns)))]
    return dict(zip(run_ids, chosen, strict=False))


def test_a_process_dies_with_runs_at_every_moment_of_their_lives(
    mortals: Mortals, masis: Masis, options: dict[str, Any]
) -> None:
    reference = start(masis)
    first_part = mortals.obey(Order(options)).passed[reference]
    asyncio.run(answer_all(masis, [reference]))
    second_part = mortals.obey(Order(options)).passed[reference]
    assert masis.get_run(reference).status == "finished"

    run_ids = [start(masis) for _ in range(32)]
    killed = mortals.obey(Order(options, stop_at=plan(run_ids, first_part)))
    assert killed.was_killed
    assert {f"{agent} lease check" for agent in AGENTS} <= set(killed.stopped.values())
    assert {"researcher search", "synthesizer writer", "critic auditor", "evaluator judge"} <= set(
        killed.stopped.values()
    )
    assert not mortals.obey(Order(options)).was_killed
    assert {masis.get_run(run_id).status for run_id in run_ids} == {"waiting"}

    asyncio.run(answer_all(masis, run_ids))
    killed = mortals.obey(Order(options, stop_at=plan(run_ids, second_part)))
    assert killed.was_killed
    assert {f"{agent} lease check" for agent in AGENTS} <= set(killed.stopped.values())
    assert not mortals.obey(Order(options)).was_killed
    for run_id in run_ids:
        assert_as_undisturbed(masis, run_id, reference)


def test_many_kills_in_a_row_with_writes_cut_off(mortals: Mortals, masis: Masis, options: dict[str, Any]) -> None:
    reference = start(masis)
    mortals.obey(Order(options))
    run_ids = [start(masis) for _ in range(4)]
    chance = random.Random(5)

    def work_and_die() -> None:
        # So early that runs must be left over, then at any moment, until all are done before it comes.
        for _ in range(3):
            assert mortals.obey(Order(options, die_at=chance.randrange(10, 40))).was_killed
        while mortals.obey(Order(options, die_at=chance.randrange(40, 200))).was_killed:
            pass
        assert masis.job_counts() == {}

    work_and_die()
    asyncio.run(answer_all(masis, [reference]))
    mortals.obey(Order(options))
    asyncio.run(answer_all(masis, run_ids))
    work_and_die()
    for run_id in run_ids:
        assert_as_undisturbed(masis, run_id, reference)


def test_a_question_asked_here_and_now_is_gone_on_with(mortals: Mortals, masis: Masis, options: dict[str, Any]) -> None:
    whole = masis.ask(QUESTION, "w", max_retries=1)
    for moment in (3, 25, 60):
        assert mortals.obey(Order(options, die_at=moment, ask=QUESTION)).was_killed
        [cut_off] = masis.runs(status="running")
        found = masis.resume(cut_off.run_id)
        assert timeless(found.as_dict()) == timeless(whole.as_dict())
        assert_as_undisturbed(masis, cut_off.run_id, whole.run_id)


@pytest.mark.parametrize("options", ["sqlite"], indirect=True)  # which database the run is in makes no difference
def test_killed_in_the_middle_of_a_model_call(
    mortals: Mortals, masis: Masis, options: dict[str, Any], fake_openai: FakeOpenAI
) -> None:
    victim: list[int] = []
    deadly = 0

    def model(request: Recorded) -> Reply:
        if victim and len(fake_openai.chats) == deadly:
            os.kill(victim.pop(), signal.SIGKILL)
        if "needs_retry" in str(request.body):
            return Say(json.dumps(ALL_IS_WELL))
        if "reasoning_quality" in str(request.body):
            return Say(json.dumps(FULL_MARKS))
        return Say("Revenue was $12 million in 2025. [c1]")

    fake_openai.answer_with(model)
    with_models = options | {"model_base_url": fake_openai.base_url, "rate_limit_calls": 1000}
    reference = start(masis)
    mortals.obey(Order(with_models))
    calls = len(fake_openai.chats)
    assert masis.get_run(reference).model_calls == calls >= 3

    run_id = start(masis)
    for call in range(calls):
        # Each asks again what the one before it died of, and dies of the next.
        deadly = len(fake_openai.chats) + (1 if call == 0 else 2)
        victim.append(mortals.send(Order(with_models)))
        assert mortals.wait().was_killed
        assert len(fake_openai.chats) == deadly
    assert not mortals.obey(Order(with_models)).was_killed
    assert_as_undisturbed(masis, run_id, reference)

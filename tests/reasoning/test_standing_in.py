"""The embedded engine in a model's place, in whole runs."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from masis.errors import BadModelOutput, ModelUnavailable
from masis.orchestrator.graph import graph
from masis.reasoning.engines import MeasuredAuditor, MeasuredJudge, MeasuredWriter
from masis.reasoning.offline.auditor import OfflineAuditor
from masis.reasoning.offline.judge import OfflineJudge
from masis.reasoning.ports import AuditFinding, Reply
from masis.settings import Settings
from tests.support.engines import GOOD_ANSWER, ScriptedAuditor, ScriptedJudge, ScriptedWriter, Stage, asked

PRICED = Settings(writer_price_input=1.0, auditor_price_input=1.0, judge_price_input=1.0)
EMBEDDED_ANSWER = "Revenue was $12 million in 2025. [c1]"


def run(stage: Stage, unfit: str | None = None, **limits: Any) -> dict[str, Any]:
    services = replace(
        stage.services,
        writer=MeasuredWriter(stage.writer, ScriptedWriter([EMBEDDED_ANSWER], name="offline"), PRICED),
        auditor=MeasuredAuditor(stage.auditor, OfflineAuditor(), PRICED, unfit),
        judge=MeasuredJudge(stage.judge, OfflineJudge(), PRICED),
    )
    return graph.invoke(asked(**limits), context=services)


def stood_in(state: dict[str, Any]) -> list[str]:
    return [line for entry in state["trace"] for line in entry.get("stood_in", [])]


def test_a_run_without_limits_asks_its_models() -> None:
    stage = Stage()
    state = run(stage)
    assert (stage.model_calls, stood_in(state)) == (3, [])
    assert "budget_spent" not in state["metrics"]


def test_a_run_that_may_spend_nothing_ends_in_order_without_a_model() -> None:
    stage = Stage()
    state = run(stage, max_cost_usd=0.0)
    assert stage.model_calls == 0
    assert state["final_answer"] == EMBEDDED_ANSWER
    assert state["outcome"] == "answered"
    assert [line.split(" embedded")[0] for line in stood_in(state)] == ["writer", "auditor", "judge"]
    assert state["metrics"]["budget_spent"] is True
    assert state["metrics"]["receipt"][0]["engine"] == "offline, for scripted-writer"


def test_money_that_lasts_for_the_writer_leaves_the_audit_to_the_embedded_engine() -> None:
    stage = Stage()
    state = run(stage, max_cost_usd=0.2501)  # the scripted writer takes 0.25
    assert (len(stage.writer.briefs), len(stage.auditor.audited), len(stage.judge.audits)) == (1, 0, 0)
    assert state["metrics"]["evaluation"]["judged_by"] == "offline (in place of scripted-judge)"
    assert state["claims"][0].get("checked_by") != "model"


def test_a_spent_budget_ends_the_retries() -> None:
    stage = Stage(auditor=ScriptedAuditor([AuditFinding(0.3, unsupported_claims=["x"])]))
    state = run(stage, max_cost_usd=1.3)  # an attempt takes 1.25
    assert state["retry_count"] == 0
    assert state["trace"][-1]["reason"] == "budget_spent"
    assert state["final_answer"] == GOOD_ANSWER


def test_time_that_is_over_interrupts_the_model() -> None:
    class Slow(ScriptedWriter):
        async def write(self, *args: Any, **options: Any) -> Reply[str]:
            await asyncio.sleep(60)
            raise AssertionError

    state = run(Stage(writer=Slow()), max_seconds=0.2)
    assert state["final_answer"] == EMBEDDED_ANSWER
    assert "0.2 seconds of this run are over" in stood_in(state)[0]


def test_a_model_that_gives_no_usable_audit_is_replaced_for_that_call() -> None:
    stage = Stage(auditor=ScriptedAuditor([BadModelOutput("llama gave no usable Audit: it contains no JSON.")]))
    state = run(stage)
    assert state["outcome"] == "answered"
    assert stood_in(state) == [
        "auditor embedded, in place of scripted-auditor: llama gave no usable Audit: it contains no JSON"
    ]


def test_a_model_that_failed_its_trial_is_not_asked() -> None:
    stage = Stage()
    state = run(stage, unfit="it let two wrong figures pass")
    assert stage.auditor.audited == []
    assert stood_in(state) == ["auditor embedded, in place of scripted-auditor: it let two wrong figures pass"]


@pytest.mark.parametrize("role", ["writer", "auditor"])
def test_a_model_that_is_down_is_not_replaced_in_silence(role: str) -> None:
    down = ModelUnavailable("Down.")
    stage = Stage(writer=ScriptedWriter([down])) if role == "writer" else Stage(auditor=ScriptedAuditor([down]))
    assert run(stage)["outcome"] == "unavailable"


def test_the_receipt_has_a_row_for_each_turn_of_each_attempt() -> None:
    stage = Stage(auditor=ScriptedAuditor([AuditFinding(0.4), AuditFinding(0.9)]), judge=ScriptedJudge())
    receipt = run(stage)["metrics"]["receipt"]
    assert [(row["attempt"], row["agent"], row["engine"]) for row in receipt] == [
        (attempt, agent, f"scripted-{role}")
        for attempt in (0, 1)
        for agent, role in (("synthesizer", "writer"), ("critic", "auditor"), ("evaluator", "judge"))
    ]
    assert sum(row["cost_usd"] for row in receipt) == pytest.approx(2.5)

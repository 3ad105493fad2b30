"""An agent on the graph: what it tells the custom stream, and that it stops when its run belongs to another."""

import subprocess
import sys
from dataclasses import dataclass, replace
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from masis.errors import MASISError
from masis.orchestrator.graph import build_graph, graph
from masis.orchestrator.services import Services
from masis.reasoning.ports import AuditFinding
from tests.support.engines import GOOD_ANSWER, GOOD_FINDING, ScriptedAuditor, Stage, asked

CONFIG: Any = {"configurable": {"thread_id": "1"}}
AGENTS = ["supervisor", "researcher", "synthesizer", "critic", "evaluator", "supervisor"]


class TakenOver(MASISError):
    """Another process works on the run."""


@dataclass
class LeaseThatEnds:
    after: int
    checks: int = 0

    async def check(self) -> None:
        self.checks += 1
        if self.checks > self.after:
            raise TakenOver("The run was taken over.")


def held(stage: Stage, lease: LeaseThatEnds) -> Services:
    return replace(stage.services, lease=lease)


def told(events: list[Any], *kinds: str) -> list[Any]:
    return [event for event in events if event["event"] in kinds]


def test_agents_say_when_they_start_and_what_they_did_step_by_step() -> None:
    events = list(graph.stream(asked(), context=Stage().services, stream_mode="custom"))
    turns = [(e["agent"], e["event"], e["step"], e["attempt"]) for e in told(events, "started", "finished")]
    assert turns == [(agent, said, n, 0) for n, agent in enumerate(AGENTS, 1) for said in ("started", "finished")]


async def test_what_a_node_is_said_to_have_done_is_what_the_graph_writes() -> None:
    told_by: list[Any] = []
    written: list[Any] = []
    modes: Any = ["custom", "updates"]
    async for mode, part in graph.astream(asked(), context=Stage().services, stream_mode=modes):
        if mode == "custom":
            told_by += [{e["agent"]: e["update"]} for e in told([part], "finished")]
        else:
            written.append(part)
    assert told_by == written
    assert len(written) == len(AGENTS)


def test_a_person_who_answers_is_told_of_like_an_agent_that_is_done() -> None:
    paused = build_graph(InMemorySaver())
    stage = Stage(auditor=ScriptedAuditor([AuditFinding(0.4)] * 3 + [GOOD_FINDING]))
    before = list(paused.stream(asked(), CONFIG, context=stage.services, stream_mode="custom"))
    assert "human_review" not in {event["agent"] for event in before}
    resume: Any = Command(resume={"action": "look_again", "by": "Ada"})
    events = list(paused.stream(resume, CONFIG, context=stage.services, stream_mode="custom"))
    first = events[0]
    assert (first["agent"], first["event"], first["attempt"]) == ("human_review", "finished", 2)
    assert first["update"]["human_answers"][0]["by"] == "Ada"
    steps = [e["step"] for e in told([*before, *events], "finished")]
    assert steps == list(range(1, len(steps) + 1))


@pytest.mark.parametrize("checks", range(13))
def test_an_agent_whose_run_was_taken_over_writes_nothing(checks: int) -> None:
    """The lease is asked before and after each of the six turns: whenever it ends, the turn leaves no trace."""
    saver, stage = InMemorySaver(), Stage()
    lease = LeaseThatEnds(after=checks)
    events: list[Any] = []
    run = build_graph(saver).stream(asked(), CONFIG, context=held(stage, lease), stream_mode="custom")
    if checks == 12:
        events += run
    else:
        with pytest.raises(TakenOver):
            events.extend(run)
    assert len(told(events, "started")) == (checks + 1) // 2
    assert len(told(events, "finished")) == checks // 2
    done = build_graph(saver).get_state(CONFIG).values.get("metrics", {}).get("node_latency_ms", {})
    assert set(done) == set(AGENTS[: checks // 2])


async def test_the_next_holder_goes_on_where_the_lease_ended() -> None:
    saver, stage = InMemorySaver(), Stage()
    with pytest.raises(TakenOver):
        await build_graph(saver).ainvoke(asked(), CONFIG, context=held(stage, LeaseThatEnds(after=5)))
    state = await build_graph(saver).ainvoke(None, CONFIG, context=held(stage, LeaseThatEnds(after=99)))
    assert state["final_answer"] == GOOD_ANSWER
    assert len(stage.writer.briefs) == 2
    assert [entry["node"] for entry in state["trace"]] == AGENTS[1:]


def test_whoever_presses_ctrl_c_waits_until_the_work_has_let_go() -> None:
    """In a process of its own: the work is cancelled, tidies up, and only then does the interrupt come through."""
    code = (
        "import asyncio, os, signal, threading\n"
        "from masis.orchestrator.agent import run_blocking\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background jobs ignore it
        "async def work():\n"
        "    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "    try:\n"
        "        await asyncio.sleep(60)\n"
        "    finally:\n"
        "        await asyncio.sleep(0.2)\n"
        "        print('let go', flush=True)\n"
        "try:\n"
        "    run_blocking(work())\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', flush=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.split("\n")[:2] == ["let go", "interrupted"], done.stderr

"""The cost of orchestration itself: the graph with instant engines, against a bare LangGraph graph of the same
shape."""

import asyncio
import operator
import statistics
import time
from collections.abc import Awaitable, Callable
from itertools import product
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph

from evals.tables import Section, machine, table
from masis.orchestrator.agent import Agent
from masis.orchestrator.graph import build_graph, graph
from tests.support.engines import ScriptedWriter, Stage, asked

ROUNDS, RUNS = 9, 60


class Bare(TypedDict, total=False):
    question: str
    decision: str
    trace: Annotated[list[dict[str, Any]], operator.add]


def bare_graph() -> Any:
    """The same nodes and edges, doing only what LangGraph needs."""

    def supervisor(state: Bare) -> Bare:
        return {"decision": "end" if state.get("trace") else "go"}

    def named(name: str) -> Callable[[Bare], Awaitable[Bare]]:
        async def node(state: Bare) -> Bare:
            return {"trace": [{"node": name}]}

        return node

    builder = StateGraph(Bare)
    builder.add_node("supervisor", supervisor)
    agents = ["researcher", "synthesizer", "critic", "evaluator"]
    for name in agents:
        builder.add_node(name, named(name))
    builder.add_edge(START, "supervisor")
    builder.add_conditional_edges("supervisor", lambda s: s["decision"], {"go": "researcher", "end": END})
    for before, after in zip(agents, [*agents[1:], "supervisor"], strict=True):
        builder.add_edge(before, after)
    return builder.compile()


def hollow_graph() -> Any:
    """Our own graph with its state, edges, events and watching, and agents that only name the next step."""

    def idle(name: str) -> Callable[[Any, Any], Awaitable[Any]]:
        async def node(state: Any, runtime: Any) -> Any:
            said = {"decision": "finalize" if state["trace"] else "first_run"} if name == "supervisor" else {}
            return {"trace": [{"node": name}], **said}

        return node

    built = build_graph()
    for name, node in built.nodes.items():
        if isinstance(node.bound, Agent):
            node.bound._node = idle(name)
    return built


def cpu_ms(run: Callable[[], Awaitable[Any]]) -> float:
    async def many() -> None:
        for _ in range(RUNS):
            await run()

    started = time.process_time()
    asyncio.run(many())
    return (time.process_time() - started) / RUNS * 1000


def measure() -> Section:
    # Every draft differs, so that no audit can be reused from the run before, and all of them are true.
    openings = ["".join(letters) for letters in product("abcdefghijklmnopqrstuvwxyz", repeat=2)]
    drafts = [f"In 2025, {opening}, revenue was $12 million. [c1]" for opening in openings[: ROUNDS * RUNS]]
    bare, hollow, services = bare_graph(), hollow_graph(), Stage(writer=ScriptedWriter(drafts)).services
    ours_ms, hollow_ms, bare_ms = [], [], []
    for _ in range(ROUNDS):
        # Alternating, so that other work on the machine affects all alike.
        bare_ms.append(cpu_ms(lambda: bare.ainvoke({"question": "?"})))
        hollow_ms.append(cpu_ms(lambda: hollow.ainvoke(asked(), context=services)))
        ours_ms.append(cpu_ms(lambda: graph.ainvoke(asked(), context=services)))
    ours, idle, limit = (statistics.median(ms) for ms in (ours_ms, hollow_ms, bare_ms))
    rows = [
        ["bare LangGraph graph of the same shape", f"{limit:.2f}", "1.00"],
        ["MASIS's graph, agents that do nothing", f"{idle:.2f}", f"{idle / limit:.2f}"],
        ["MASIS, instant engines", f"{ours:.2f}", f"{ours / limit:.2f}"],
    ]
    body = (
        f"CPU milliseconds per run on the happy path (6 steps), median of {ROUNDS} rounds of {RUNS} runs; "
        f"{machine()}. Target: under 2×. Each draft is a new paraphrase of its source, so that the whole "
        f"code audit of one sentence (about 1 ms) is in it.\n\n{table(['', 'CPU ms per run', 'ratio'], rows)}"
    )
    return Section("overhead", "Orchestration overhead", body)

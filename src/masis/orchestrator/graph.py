"""The five agents on a LangGraph graph.

START → supervisor ──first_run / retry──→ researcher → synthesizer → critic → evaluator → supervisor
            │                                 └─ nothing usable found ─────────────────────↗
            ├── finalize ──→ END
            └── human review ──→ human_review (pauses) ──answered──→ supervisor
"""

from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from masis.orchestrator import researcher as research
from masis.orchestrator import supervisor as supervision
from masis.orchestrator.agent import Agent, Edge
from masis.orchestrator.critic import critic
from masis.orchestrator.evaluator import evaluator
from masis.orchestrator.human import DECISIONS_A_RUN, human_review
from masis.orchestrator.researcher import researcher
from masis.orchestrator.services import Services
from masis.orchestrator.state import MASISState
from masis.orchestrator.supervisor import supervisor
from masis.orchestrator.synthesizer import synthesizer
from masis.settings import RETRY_CEILING

STEPS_AN_ATTEMPT = 5
STEP_LIMIT = STEPS_AN_ATTEMPT * (1 + RETRY_CEILING + DECISIONS_A_RUN) + 5
"""Enough steps for the longest legitimate run; anything longer is stopped."""

MASISGraph = CompiledStateGraph[MASISState, Services, MASISState, MASISState]


def build_graph(checkpointer: BaseCheckpointSaver[Any] | None = None) -> MASISGraph:
    """With a checkpointer, a run that waits for a decision can be resumed; without one, it has ended."""
    builder = StateGraph(MASISState, context_schema=Services)
    builder.add_node("supervisor", Agent(supervisor))
    builder.add_node("researcher", Agent(researcher))
    builder.add_node("synthesizer", Agent(synthesizer))
    builder.add_node("critic", Agent(critic))
    builder.add_node("evaluator", Agent(evaluator))
    builder.add_node("human_review", human_review)

    builder.add_edge(START, "supervisor")
    builder.add_conditional_edges(
        "supervisor",
        Edge(supervision.route),
        {"human_review": "human_review", "retry": "researcher", "first_run": "researcher", "finalize": END},
    )
    builder.add_conditional_edges("researcher", Edge(research.route), ["synthesizer", "supervisor"])
    builder.add_edge("synthesizer", "critic")
    builder.add_edge("critic", "evaluator")
    builder.add_edge("evaluator", "supervisor")
    builder.add_edge("human_review", "supervisor")
    compiled = builder.compile(checkpointer=checkpointer, name="masis")
    return compiled.with_config(recursion_limit=STEP_LIMIT)


graph = build_graph()

"""A step of the graph as events: what its agent found, as a reader of the run wants it."""

from typing import Any

from masis.orchestrator.state import MASISState, StateUpdate
from masis.runs.event_log import RunEvent, number_of
from masis.runs.moments import now
from masis.runs.result import RunResult

TOLD: dict[str, tuple[str, ...]] = {
    "synthesizer": ("draft_answer",),
    "critic": ("critique", "claims", "conflicts", "confidence"),
    "human_review": ("pending_answer",),
}
"""What an agent's event holds of its update, beside its entry in the trace."""


def started(custom: dict[str, Any]) -> RunEvent:
    return {
        "seq": number_of(custom["step"], "started"),
        "at": now(),
        "event": "started",
        "agent": custom["agent"],
        "attempt": custom["attempt"],
    }


def finished(step: int, agent: str, attempt: int, update: StateUpdate) -> RunEvent:
    entries = update.get("trace", [])
    return {
        "seq": number_of(step, "finished"),
        "at": now(),
        "event": "finished",
        "agent": agent,
        "attempt": attempt,
        "trace": entries[-1] if entries else None,
        "data": _told(agent, update),
    }


def settled(step: int, result: RunResult) -> RunEvent:
    """The run waits for a person, or has its answer."""
    kind = "waiting" if result.requires_human_review else "ended"
    return {
        "seq": number_of(step, "waiting" if kind == "waiting" else "ended"),
        "at": now(),
        "event": "waiting" if kind == "waiting" else "ended",
        "data": {
            "status": result.status,
            "outcome": result.outcome,
            "confidence": result.confidence,
            "review": result.review,
        },
    }


def between(step: int, agent: str, before: MASISState, after: MASISState) -> RunEvent:
    """What an agent did, read from the states before and after it: its own event was lost in a crash."""
    known = len(before.get("trace", []))
    update: StateUpdate = {**after, "trace": after.get("trace", [])[known:]}
    return finished(step, agent, before.get("retry_count", 0), update)


def _told(agent: str, update: StateUpdate) -> dict[str, Any]:
    told: dict[str, Any] = {key: update.get(key) for key in TOLD.get(agent, ()) if key in update}
    if agent == "researcher":
        told["evidence"] = [
            {name: chunk.get(name) for name in ("chunk_id", "document_id", "file_name", "page", "label", "score")}
            for chunk in update.get("evidence", [])
        ]
    if agent == "evaluator":
        told["evaluation"] = update.get("metrics", {}).get("evaluation")
    return told

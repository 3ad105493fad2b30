"""What a run gives: its record, its result, and the moments it was stamped with."""

import json
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, cast

from masis.orchestrator.state import MASISState, Review
from masis.orchestrator.trail import InstructionSeen, Metrics, TraceEntry
from masis.types import Claim, ClosestPassage, Conflict, Critique, Evaluation, EvidenceChunk, Outcome
from masis.wording import Sources


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def days_ago(days: float) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="milliseconds")


RunStatus = Literal["queued", "running", "waiting", "finished", "cancelled", "failed"]
"""`waiting`: for a person's decision. `failed`: by an unexpected error; its state is saved and it can be resumed."""

ENDED: frozenset[RunStatus] = frozenset({"finished", "cancelled", "failed"})


@dataclass(frozen=True, slots=True)
class RunRecord:
    run_id: str
    workspace_id: str
    question: str
    """As it is answered; a follow-up is completed from its thread."""
    status: RunStatus
    outcome: Outcome | None
    confidence: float | None
    created_at: str
    started_at: str | None
    finished_at: str | None
    attempts: int
    agent: str | None
    """Who works now."""
    requires_human_review: bool
    asked_by: str
    key_id: str | None
    model_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float
    error: str | None
    thread_id: str
    """The first run of its thread: its own id, unless it follows up on another."""
    asked: str | None
    """What the person wrote, where that was completed."""
    filters: dict[str, Any]
    """Where in the workspace it looks; empty: everywhere."""

    @property
    def position(self) -> str:
        """Where it stands in a list of runs; that place stays when the run is deleted."""
        return f"{self.created_at} {self.run_id}"


RUN_COLUMNS = ", ".join(field.name for field in fields(RunRecord))


def record_of(row: tuple[Any, ...]) -> RunRecord:
    names = [field.name for field in fields(RunRecord)]
    values = dict(zip(names, row, strict=True))
    values["requires_human_review"] = bool(values["requires_human_review"])
    values["filters"] = json.loads(values["filters"])
    return RunRecord(**values)


@dataclass(frozen=True, slots=True)
class UsageRow:
    """What was spent, by whom and on what."""

    workspace_id: str
    key_id: str | None
    asked_by: str
    runs: int
    model_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float


Status = Literal["success", "needs_clarification"]

NOTHING_CRITICISED: Critique = {
    "confidence": 0.0,
    "hallucination_detected": False,
    "unsupported_claims": [],
    "logical_gaps": [],
    "conflicting_evidence": [],
    "needs_retry": False,
}

SAYS_NOTHING: dict[Outcome, str] = {
    "insufficient_evidence": "The documents in this workspace do not cover this question.",
    "out_of_scope": "That is not a question for documents.",
    "unavailable": "No answer could be drafted.",
}
"""What stands in place of an answer when none was drafted; it claims nothing."""


@dataclass(frozen=True, slots=True)
class RunResult:
    run_id: str
    status: Status
    outcome: Outcome
    answer: str
    confidence: float
    requires_human_review: bool
    clarification_question: str | None
    critique: Critique
    evaluation: Evaluation
    claims: list[Claim]
    conflicts: list[Conflict]
    likelihood: float | None
    """That the answer is right, fitted on held-out answers; None where there is no fit."""
    closest: list[ClosestPassage]
    """Where nothing answers: the passages that come nearest, and the words of the question that they have."""
    evidence: list[EvidenceChunk]
    review: Review | None
    """The question to the person, for programs."""
    instructions_seen: list[InstructionSeen]
    """Orders found inside the documents; they were read as data and not obeyed."""
    prompts: dict[str, str] | None
    """Version and hash of the words that models were asked with; None where none was asked."""
    trace: list[TraceEntry]
    """One entry for each turn of an agent."""
    metrics: Metrics
    """Counts over the run, and the figures of its attempts."""
    decisions: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """What people decided in this run, and what was remembered from earlier ones and applied; the answer names them."""
    question: str = ""
    """As it was answered: a follow-up is completed from its thread."""
    thread_id: str = ""
    """Ask with it to follow up on this answer."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def result_of(run_id: str, state: MASISState) -> RunResult:
    needs_person = bool(state.get("requires_human_review"))
    outcome: Outcome = state.get("outcome") or "unavailable"
    metrics = state.get("metrics", {})
    return RunResult(
        run_id=run_id,
        question=state.get("user_query", ""),
        thread_id=state.get("thread_id") or run_id,
        status="needs_clarification" if needs_person else "success",
        outcome=outcome,
        answer=state.get("final_answer") or SAYS_NOTHING.get(outcome, ""),
        confidence=state.get("confidence", 0.0),
        requires_human_review=needs_person,
        clarification_question=state.get("clarification_question"),
        critique=state.get("critique") or NOTHING_CRITICISED,
        evaluation=cast(Evaluation, metrics["evaluation"]),
        claims=Sources(state.get("claims", [])).on_claims(),
        conflicts=state.get("conflicts", []),
        likelihood=state.get("likelihood"),
        closest=state.get("closest", []) if outcome == "insufficient_evidence" else [],
        evidence=state.get("evidence", []),
        review=state.get("review"),
        decisions=state.get("human_answers", []),
        instructions_seen=_instructions_seen(state.get("trace", [])),
        prompts=metrics.get("prompts"),
        trace=state.get("trace", []),
        metrics=metrics,
    )


def _instructions_seen(trace: list[TraceEntry]) -> list[InstructionSeen]:
    """Of all attempts, each once: a wider search may find the same words in a longer passage."""
    found = (one for entry in trace for one in entry.get("instructions_seen", []))
    return list({(one["file_name"], one["quote"]): one for one in found}.values())

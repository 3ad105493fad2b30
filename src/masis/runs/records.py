"""The record and the result of a run."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, TypeVar, cast

from masis.language.statements import read_out
from masis.numbering import Sources
from masis.orchestrator.state import MASISState, Review
from masis.orchestrator.trail import InstructionSeen, Metrics, TraceEntry
from masis.runs.events import RunEvent
from masis.types import (
    Caller,
    Citation,
    Claim,
    ClosestPassage,
    Conflict,
    ConflictSide,
    Critique,
    Evaluation,
    EvidenceChunk,
    Outcome,
)
from masis.wording import sure_words

RunStatus = Literal["queued", "running", "waiting", "finished", "cancelled", "failed"]
"""`waiting` for a person's decision; `failed` with an unexpected error, but saved, so that it can be resumed."""

ENDED: frozenset[RunStatus] = frozenset({"finished", "cancelled", "failed"})


@dataclass(frozen=True, slots=True)
class RunRecord:
    run_id: str
    workspace_id: str
    question: str
    """The question as answered; a follow-up is completed from its thread."""
    status: RunStatus
    outcome: Outcome | None
    confidence: float | None
    created_at: str
    started_at: str | None
    finished_at: str | None
    attempts: int
    agent: str | None
    """The agent at work."""
    requires_human_review: bool
    asked_by: str
    key_id: str | None
    model_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float
    error: str | None
    thread_id: str
    """The first run of its thread; its own id unless it is a follow-up."""
    asked: str | None
    """The question as written, if it was completed."""
    filters: dict[str, Any]
    """The scope of the search; empty: the whole workspace."""

    @property
    def position(self) -> str:
        """Its position in a list of runs, which stays valid after the run is deleted."""
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
    """What one caller spent in one workspace."""

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
"""Shown when no answer was drafted; it claims nothing."""


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
    """The likelihood that the answer is right, fitted on held-out answers; None if there is no fit."""
    closest: list[ClosestPassage]
    """If the documents do not answer: the closest passages, and the words of the question that they contain."""
    evidence: list[EvidenceChunk]
    review: Review | None
    """The question to the person, for programs."""
    instructions_seen: list[InstructionSeen]
    """Instructions found inside documents; they were treated as data, not followed."""
    prompts: dict[str, str] | None
    """Version and hash of the prompts; None if no model was called."""
    trace: list[TraceEntry]
    """One entry for each step of an agent."""
    metrics: Metrics
    """Counts over the run, and the figures of its attempts."""
    decisions: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Decisions made in this run, and standing decisions applied to it; the answer names them."""
    question: str = ""
    """The question as answered: a follow-up is completed from its thread."""
    thread_id: str = ""
    """Pass it with a question to follow up on this answer."""
    filters: dict[str, Any] = field(default_factory=dict[str, Any])
    """The scope of the search; empty: the whole workspace."""

    @property
    def sure(self) -> str:
        """The likelihood or confidence in words; empty if nothing is answered."""
        return sure_words(self.likelihood, self.confidence, self.claims)

    @property
    def says_only_silence(self) -> bool:
        """Whether the answer only says that the documents do not answer the question."""
        if self.outcome != "insufficient_evidence" or any(claim["citations"] for claim in self.claims):
            return False
        asked = self.question.strip(" ?.!").casefold()
        return not self.claims or (len(self.claims) == 1 and asked in self.answer.casefold())

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class NewRun:
    state: MASISState
    by: Caller
    owner: str | None = None
    """Who claims it at once; None leaves it to any worker."""
    run_id: str | None = None


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended, or what it waits for."""

    run_id: str
    owner: str
    status: RunStatus
    events: Sequence[RunEvent]
    result: RunResult | None = None


def result_of(run_id: str, state: MASISState) -> RunResult:
    needs_person = bool(state.get("requires_human_review"))
    outcome: Outcome = state.get("outcome") or "unavailable"
    metrics, evidence, review = state.get("metrics", {}), state.get("evidence", []), state.get("review")
    return RunResult(
        run_id=run_id,
        question=state.get("user_query", ""),
        thread_id=state.get("thread_id") or run_id,
        filters=state.get("filters") or {},
        status="needs_clarification" if needs_person else "success",
        outcome=outcome,
        answer=state.get("final_answer") or SAYS_NOTHING.get(outcome, ""),
        confidence=state.get("confidence", 0.0),
        requires_human_review=needs_person,
        clarification_question=state.get("clarification_question"),
        critique=state.get("critique") or NOTHING_CRITICISED,
        evaluation=cast(Evaluation, metrics["evaluation"]),
        claims=[_read_out(claim, evidence) for claim in Sources(state.get("claims", [])).on_claims()],
        conflicts=[_sides_read_out(conflict, evidence) for conflict in state.get("conflicts", [])],
        likelihood=state.get("likelihood"),
        closest=state.get("closest", []) if outcome == "insufficient_evidence" else [],
        evidence=evidence,
        review=review
        and {
            **review,
            "conflicts": [_sides_read_out(conflict, evidence) for conflict in review["conflicts"]],
        },
        decisions=state.get("human_answers", []),
        instructions_seen=_instructions_seen(state.get("trace", [])),
        prompts=metrics.get("prompts"),
        trace=state.get("trace", []),
        metrics=metrics,
    )


def _instructions_seen(trace: list[TraceEntry]) -> list[InstructionSeen]:
    """Those of all attempts, without repetitions: a wider search may find the same words in a longer passage."""
    found = (one for entry in trace for one in entry.get("instructions_seen", []))
    return list({(one["file_name"], one["quote"]): one for one in found}.values())


def _read_out(claim: Claim, evidence: Sequence[EvidenceChunk]) -> Claim:
    return {**claim, "citations": [_with_shown(each, evidence, claim["text"]) for each in claim["citations"]]}


def _sides_read_out(conflict: Conflict, evidence: Sequence[EvidenceChunk]) -> Conflict:
    return {**conflict, "sides": [_with_shown(side, evidence, side["value"]) for side in conflict["sides"]]}


_Quoted = TypeVar("_Quoted", Citation, ConflictSide)


def _with_shown(quoted: _Quoted, evidence: Sequence[EvidenceChunk], said: str) -> _Quoted:
    """Adds the quote as shown to people, if it differs from the quote itself."""
    quote = quoted["quote"] or ""
    passage = next((chunk for chunk in evidence if chunk["chunk_id"] == quoted["chunk_id"]), None)
    shown = read_out(quote, passage["text"], passage.get("heading"), said) if passage and quote else ""
    if not shown or shown == " ".join(quote.split()):
        return quoted
    made = quoted.copy()
    made["shown"] = shown
    return made

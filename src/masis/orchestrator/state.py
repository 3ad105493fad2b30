"""The state of a run. Nodes return only the keys they changed; `trace` and `metrics` have reducers."""

import operator
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal, NotRequired, TypedDict, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from masis.orchestrator.trail import AgentName, Metrics, TraceEntry
from masis.settings import QUESTION_CEILING, RETRY_CEILING, Settings
from masis.types import (
    EVERYWHERE,
    WORKSPACE_NAME,
    WORKSPACE_NAME_RULE,
    Answered,
    CitationAudit,
    Claim,
    ClosestPassage,
    Conflict,
    Critique,
    Evaluation,
    EvidenceChunk,
    Outcome,
    ReviewCause,
    SearchFilters,
    StandingDecision,
)

Route = Literal["first_run", "retry", "finalize", "human_review"]

ADDED = frozenset({"model_calls", "model_requests", "input_tokens", "output_tokens", "cost_usd", "answers_from_cache"})
"""Metrics summed over the whole run."""
ADDED_BY_AGENT = frozenset({"node_latency_ms", "calls_by_agent", "cost_by_agent"})
APPENDED = frozenset({"confidence_history", "retry_reasons", "citation_violations", "receipt"})
"""Metrics with one entry per attempt. All other metrics hold the latest value."""


def merge_metrics(old: Metrics | None, new: Metrics | None) -> Metrics:
    merged: dict[str, Any] = dict(old or {})
    given: dict[str, Any] = dict(new or {})
    for key, value in given.items():
        if key in ADDED:
            merged[key] = merged.get(key, 0) + value
        elif key in ADDED_BY_AGENT:
            before = merged.get(key, {})
            merged[key] = before | {agent: before.get(agent, 0) + n for agent, n in value.items()}
        elif key in APPENDED:
            merged[key] = [*merged.get(key, []), *value]
        else:
            merged[key] = value
    return cast(Metrics, merged)


def applied(state: "MASISState", update: "StateUpdate") -> "MASISState":
    """The state after a node, as the graph's reducers make it."""
    return {
        **state,
        **update,
        "human_answers": [*state.get("human_answers", []), *update.get("human_answers", [])],
        "trace": [*state.get("trace", []), *update.get("trace", [])],
        "metrics": merge_metrics(state.get("metrics"), update.get("metrics")),
    }


def empty_metrics() -> Metrics:
    empty: dict[str, Any] = {
        **dict.fromkeys(ADDED, 0),
        **{key: {} for key in ADDED_BY_AGENT},
        **{key: [] for key in APPENDED},
        "retrieval_scores": [],
        "avg_retrieval_score": 0.0,
        "original_context_chars": 0,
        "compressed_context_chars": 0,
        "compression_ratio": 1.0,
        "over_compression_flag": False,
        "compression_latency_ms": 0.0,
        "citation_count": 0,
        "answer_length": 0,
        "last_citation_audit": None,
        "evaluation": None,
        "iterations": 0,
    }
    return cast(Metrics, empty)


class Attempt(TypedDict):
    """An audited attempt, stored as a whole so that everything returned belongs together."""

    number: int
    round: int
    """How many decisions by people came before it, standing decisions included."""
    answer: str
    confidence: float
    critique: Critique
    evidence: list[EvidenceChunk]
    claims: list[Claim]
    conflicts: list[Conflict]
    citation_audit: CitationAudit
    flagged: bool
    answered: NotRequired[Answered]
    likelihood: NotRequired[float | None]
    evaluation: NotRequired[Evaluation]


class Failure(TypedDict):
    """A store or a model that failed."""

    agent: AgentName
    code: str
    message: str
    advice: str


class Review(TypedDict):
    """The question to a person, for programs; `clarification_question` is the same as text."""

    cause: ReviewCause
    question: str
    choices: list[str]
    conflicts: list[Conflict]
    missing: list[str]
    """What the evidence does not cover, in sentences."""
    attempts: int
    """Number of attempts in this round."""
    confidence: float
    """Confidence of the best draft."""


class MASISState(TypedDict, total=False):
    user_query: str
    workspace_id: str
    max_retries: int | None
    max_cost_usd: float | None
    """Limit of model costs; beyond it, the embedded engine finishes the run."""
    max_seconds: float | None
    """Limit of the agents' working time."""
    thread_id: str | None
    """The first run of the thread that this run continues."""
    asked: str | None
    """What the person wrote, if the query was completed from the thread."""
    filters: dict[str, Any]
    """Where in the workspace to look: the fields of SearchFilters. A missing field does not restrict."""
    standing_decisions: list[StandingDecision]
    """The standing decisions of the workspace when the run began."""

    evidence: list[EvidenceChunk]
    draft_answer: str | None
    critique: Critique | None
    confidence: float
    final_answer: str | None
    claims: list[Claim]
    conflicts: list[Conflict]
    answered: Answered
    """How much of the question the last draft answers."""
    likelihood: float | None
    """The likelihood that the returned answer is right, fitted on held-out answers; None if there is no fit."""
    closest: list[ClosestPassage]
    """The passages closest to the question, shown if nothing answers it."""
    absent: list[str]
    """Words of the question that no document of the workspace contains."""
    summed_up: list[str]
    """The files that a summary of several documents has to cover."""

    retry_count: int
    retry_ceiling: int | None
    """The number of the last attempt allowed. A person's answer raises it by one round, a standing decision by one
    attempt."""
    retried_from: str | None
    """A hash of the previous attempt's draft and evidence, to see whether a retry changed anything."""
    round_start: int
    """The first attempt of this round."""
    requires_human_review: bool
    clarification_question: str | None
    review: Review | None
    review_cause: ReviewCause | None
    """Why the Researcher asks for a person."""
    failure: Failure | None
    pending_answer: dict[str, Any] | None
    """A person's answer that the Supervisor has not acted on yet."""
    human_answers: Annotated[list[dict[str, Any]], operator.add]
    """Decisions by people, oldest first; those with a `decision_id` are standing decisions from earlier runs."""
    best: Attempt | None
    decision: Route
    outcome: Outcome | None

    trace: Annotated[list[TraceEntry], operator.add]
    metrics: Annotated[Metrics, merge_metrics]


StateUpdate = MASISState
"""What a node returns: only the keys it changed."""


def filters_of(state: MASISState) -> SearchFilters:
    """Restores the tuples, which a checkpoint returns as lists."""
    given: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in (state.get("filters") or {}).items()
    }
    return SearchFilters(**given)


def max_retries_of(state: MASISState, settings: Settings) -> int:
    """None, 0 and a missing key mean the default; the ceiling always applies."""
    return min(int(state.get("max_retries") or settings.max_retries), RETRY_CEILING)


def readable_question(text: str) -> str:
    """The question without control characters; raises ValueError if it is empty or too long."""
    clean = "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs")).strip()
    if not clean:
        raise ValueError("The question is empty.")
    if len(clean) > QUESTION_CEILING:
        raise ValueError(
            f"The question has {len(clean):,} characters and the limit is {QUESTION_CEILING:,}: "
            "ingest long text as a document and ask about it."
        )
    return clean


def in_words(error: ValidationError) -> str:
    """The first error, as a sentence."""
    first = error.errors(include_url=False)[0]
    where = " ".join(str(part) for part in first["loc"])
    said = first["msg"].removeprefix("Value error, ")
    return said if said.endswith(".") else f"{where}: {said}."


class MASISInput(BaseModel):
    """Validates the input of a run, once, at the boundary.

    >>> MASISInput(user_query=" What was revenue? ", workspace_id="demo").to_state()["user_query"]
    'What was revenue?'
    """

    model_config = ConfigDict(frozen=True)

    user_query: str = Field(description="The question.")
    workspace_id: str = Field(description="The workspace whose documents are asked.")
    max_retries: int | None = Field(
        None, description="Retries after the first attempt, at most 10; None and 0 mean the default of 2."
    )

    max_cost_usd: float | None = Field(None, ge=0, description="Maximum model cost of the run, in US dollars.")
    max_seconds: float | None = Field(None, ge=0, description="Maximum working time of the agents, in seconds.")

    filters: SearchFilters = Field(EVERYWHERE, description="Where in the workspace to look.")
    thread_id: str | None = Field(None, description="The thread that the question belongs to.")
    asked: str | None = Field(None, description="The question as written, if the query was completed from a thread.")

    # Each is a StandingDecision: pydantic cannot read a TypedDict of Python 3.11, and they come from our own records.
    standing_decisions: Sequence[Mapping[str, Any]] = Field((), description="The standing decisions of the workspace.")

    @field_validator("user_query")
    @classmethod
    def _readable(cls, query: str) -> str:
        return readable_question(query)

    @field_validator("workspace_id")
    @classmethod
    def _named_like_a_workspace(cls, name: str) -> str:
        if not re.fullmatch(WORKSPACE_NAME, name):
            raise ValueError(f"“{name[:80]}” cannot be the name of a workspace: {WORKSPACE_NAME_RULE}.")
        return name

    @field_validator("max_retries")
    @classmethod
    def _within_the_ceiling(cls, retries: int | None) -> int | None:
        if retries is not None and not 0 <= retries <= RETRY_CEILING:
            raise ValueError(f"max_retries is {retries:,} and must be between 0 and {RETRY_CEILING}.")
        return retries

    def to_state(self) -> MASISState:
        """A state with every key that a caller may read: what no agent has written yet is empty, not missing."""
        return {
            "user_query": self.user_query,
            "workspace_id": self.workspace_id,
            "max_retries": self.max_retries,
            "max_cost_usd": self.max_cost_usd,
            "max_seconds": self.max_seconds,
            "thread_id": self.thread_id,
            "asked": self.asked,
            "filters": {name: value for name, value in asdict(self.filters).items() if value},
            "standing_decisions": cast(list[StandingDecision], [dict(each) for each in self.standing_decisions]),
            "evidence": [],
            "draft_answer": None,
            "critique": None,
            "confidence": 0.0,
            "final_answer": None,
            "claims": [],
            "conflicts": [],
            "likelihood": None,
            "closest": [],
            "absent": [],
            "retry_count": 0,
            "requires_human_review": False,
            "clarification_question": None,
            "trace": [],
            "metrics": empty_metrics(),
        }

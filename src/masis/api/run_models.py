"""Runs as the routes take and give them."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from masis.api.models import Described, Given, Question
from masis.settings import RETRY_CEILING
from masis.types import Outcome


def _whole(value: object) -> object:
    # In JSON 2.0 is the integer 2.
    return int(value) if isinstance(value, float) and value.is_integer() else value


Retries = Annotated[int, Field(ge=0, le=RETRY_CEILING), BeforeValidator(_whole)]


class Asked(Given):
    """A question to the documents of a workspace."""

    query: Question = Field(examples=["What was customer churn in fiscal 2025?"])
    max_retries: Retries | None = None
    """Further attempts when an answer does not pass its audit; null and 0 mean the default."""


class Critique(Described):
    """What the Critic found."""

    confidence: float
    hallucination_detected: bool
    unsupported_claims: list[str]
    logical_gaps: list[str]
    conflicting_evidence: list[str]
    needs_retry: bool


class Evaluation(Described):
    """The scorecard: each from 0 to 1."""

    model_config = ConfigDict(use_attribute_docstrings=True, extra="allow")

    faithfulness: float
    relevance: float
    completeness: float
    reasoning_quality: float
    overall_score: float
    improvement_suggestions: list[str]


class Result(Described):
    """What came of a question: an answer, or a question back to a person with the best draft so far."""

    status: Literal["success", "needs_clarification"]
    answer: str = Field(examples=["Customer churn was 4.1 % in fiscal 2025 [annual-report-2025.pdf#p3-1]."])
    confidence: float = Field(examples=[0.93])
    requires_human_review: bool
    clarification_question: str | None
    critique: Critique
    evaluation: Evaluation | None
    trace: list[dict[str, Any]]
    """One entry for each agent and attempt."""
    metrics: dict[str, Any]


class FullResult(Result):
    """The answer with what makes it defensible."""

    run_id: str
    outcome: Outcome
    claims: list[dict[str, Any]]
    """Every sentence, with its citations and a verdict."""
    conflicts: list[dict[str, Any]]
    """Where documents disagree: both sides, with their quotes."""
    likelihood: float | None
    """That the answer is right, fitted on held-out answers; null where there is no fit."""
    closest: list[dict[str, Any]]
    """Where nothing answers: the passages that come nearest, and the words of the question that they have."""
    evidence: list[dict[str, Any]]
    """The passages that the answer rests on."""
    review: dict[str, Any] | None
    """The question to a person, for programs: cause, choices, conflicts, what is missing."""
    instructions_seen: list[dict[str, Any]]
    """Orders found inside documents; they were read as data."""
    decisions: list[dict[str, Any]]
    """What people decided in this run, and what was remembered from earlier ones and applied."""
    prompts: dict[str, str] | None
    """Version and hash of the words that models were asked with."""


class Answer(Given):
    """What a person decided about a run that waits."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"action": "prefer", "prefer": ["annual-report.pdf"], "over": ["memo.docx"]}]},
    )

    action: Literal["prefer", "explain_both", "refine", "look_again", "accept", "stop"]
    prefer: list[str] = Field(default_factory=list, max_length=100)
    """File names to trust where documents disagree …"""
    over: list[str] = Field(default_factory=list, max_length=100)
    """… and those not to use for this question."""
    question: Question | None = None
    """With `refine`: the question to ask instead."""
    note: str | None = Field(None, max_length=2000)
    by: str | None = Field(None, min_length=1, max_length=200)
    """Who decides, where that is not who holds the key."""
    remember: bool = False
    """With `prefer` and `explain_both`: keep the decision for later questions of this workspace."""


class DecisionOut(Described):
    """A person's decision on a conflict, applied to later answers of the workspace and named in them."""

    model_config = ConfigDict(use_attribute_docstrings=True, extra="allow")

    decision_id: str
    workspace_id: str
    action: str
    about: str

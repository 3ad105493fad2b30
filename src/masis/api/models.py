"""What the routes take and give, described for the OpenAPI document."""

from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from masis.runs.records import RunStatus
from masis.settings import QUESTION_CEILING, RETRY_CEILING
from masis.types import WORKSPACE_NAME, WORKSPACE_NAME_RULE, DocumentStatus, Outcome

WorkspaceId = Annotated[
    str,
    Path(pattern=WORKSPACE_NAME, description=f"The workspace: {WORKSPACE_NAME_RULE}.", examples=["acme"]),
]
READABLE = r"[^\s\x00-\x1f\x7f-\x9f]"
"""One character at least that can be seen."""
Question = Annotated[str, StringConstraints(min_length=1, max_length=QUESTION_CEILING, pattern=READABLE)]


def _whole(value: object) -> object:
    # In JSON 2.0 is the integer 2.
    return int(value) if isinstance(value, float) and value.is_integer() else value


Retries = Annotated[int, Field(ge=0, le=RETRY_CEILING), BeforeValidator(_whole)]


class Described(BaseModel):
    """Fields are documented by the string under them."""

    model_config = ConfigDict(use_attribute_docstrings=True)


class Given(Described):
    """What a request carries: nothing is guessed (no text for a number) and nothing unknown is passed over."""

    model_config = ConfigDict(use_attribute_docstrings=True, extra="forbid", strict=True)


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


class Answer(Described):
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


class FullAnswer(Answer):
    """The answer with what makes it defensible."""

    run_id: str
    outcome: Outcome
    claims: list[dict[str, Any]]
    """Every sentence, with its citations and a verdict."""
    conflicts: list[dict[str, Any]]
    """Where documents disagree: both sides, with their quotes."""
    evidence: list[dict[str, Any]]
    """The passages that the answer rests on."""
    review: dict[str, Any] | None
    """The question to a person, for programs: cause, choices, conflicts, what is missing."""
    instructions_seen: list[dict[str, Any]]
    """Orders found inside documents; they were read as data."""


class Run(Described):
    """One question asked of one workspace."""

    run_id: str = Field(examples=["5f0c2a9d1b7e"])
    workspace_id: str
    question: str
    status: RunStatus
    """`waiting`: for a person's answer."""
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


class Workspace(Described):
    workspace_id: str = Field(examples=["acme"])
    documents: int
    """Those that can be asked about."""
    chunks: int
    created_at: str


class NewWorkspace(Given):
    name: str = Field(pattern=WORKSPACE_NAME, description=WORKSPACE_NAME_RULE, examples=["acme"])


class DocumentOut(Described):
    """One uploaded file, known by the SHA-256 of its bytes."""

    document_id: str
    file_name: str
    """What the client called it: a label."""
    status: DocumentStatus
    reason: str | None
    """Why it failed, and what to do."""
    pages: int
    chunks: int
    size_bytes: int
    date: str | None
    """The document's own date, where it states one."""
    created_at: str
    note: str | None
    """What of it could not be read."""
    members: int
    """How many files it carries that are documents of their own."""


class PageOut(Described):
    """A page, sheet or slide: where in the document's text it begins and ends."""

    number: int
    label: str | None
    """What a reader calls it, where that is not its number: "sheet Revenue"."""
    start: int
    end: int


class DocumentText(Described):
    """What was read of a document; every character span of MASIS counts in the whole of it."""

    document_id: str
    title: str | None
    date: str | None
    text: str
    start: int
    """Where in the document's text this begins: 0, unless one page was asked for."""
    end: int
    label: str | None
    """Of the page that was asked for."""
    pages: list[PageOut]


class Passage(Described):
    """`text` is exactly the document's text from `start` to `end`."""

    chunk_id: str
    document_id: str
    file_name: str
    text: str
    page: int
    start: int
    end: int
    heading: str | None = None
    date: str | None = None
    label: str | None = None


class Found(Passage):
    score: float
    """Relevance, from 0 to 1."""


class Receipt(Described):
    """What was removed, counted as it was removed."""

    workspace_id: str
    document_id: str | None
    file_names: list[str]
    documents: int
    chunks: int
    text_chars: int
    bytes: int
    cached_vectors: int
    runs: int
    deleted_at: str


class FileProgress(Described):
    file_name: str
    document_id: str
    stage: str = Field(examples=["reading"])
    """queued, reading, findable (by keyword), embedding, ready, pending, duplicate or failed."""
    reason: str | None
    """Why it failed, or what of it could not be read."""


class IngestionCounts(Described):
    files_done: int
    files_total: int
    pages: int
    chunks_done: int
    chunks_total: int
    seconds_left: float | None
    """An estimate, while there is something to go by."""


class IngestionOut(Described):
    """Files on their way into a workspace."""

    ingestion_id: str
    workspace_id: str
    status: Literal["queued", "running", "done", "cancelled", "failed"]
    created_at: str
    finished_at: str | None
    asked_by: str
    key_id: str | None
    files: list[FileProgress]
    progress: IngestionCounts
    error: str | None


class KnownDocument(Described):
    document_id: str
    file_name: str


class Accepted(IngestionOut):
    duplicates: list[KnownDocument] = Field(default_factory=list)
    """Files of this upload whose bytes the workspace has already."""


class PersonsAnswer(Given):
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


class UsageOut(Described):
    """What was spent, by whom."""

    workspace_id: str
    key_id: str | None
    asked_by: str
    runs: int
    model_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float


class NewKey(Given):
    name: str = Field(min_length=1, max_length=100, examples=["Ada's notebook"])
    role: Literal["read", "write", "admin"]
    """read: look; write: also ask, answer, upload and delete; admin: also workspaces, keys and the audit log."""
    workspaces: list[str] = Field(min_length=1, max_length=1000, examples=[["acme"]])
    """Their names, or `*` for all."""
    expires: str | None = Field(None, max_length=40, examples=["90d"])
    """A span (12h, 30d, 8w), a date, or a date and time."""


class KeyOut(Described):
    key_id: str
    name: str
    role: str
    workspaces: list[str]
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None
    prefix: str


class CreatedKey(KeyOut):
    token: str
    """Shown this once: nobody can read it again."""


class AuditEntryOut(Described):
    entry_id: str
    at: str
    who: str
    key_id: str | None
    action: str = Field(examples=["document.delete"])
    workspace_id: str | None
    subject: str | None
    detail: str | None


class Me(Described):
    """Who the service takes you for."""

    name: str
    key_id: str | None
    role: str
    workspaces: list[str]
    """`*` is all of them."""
    keys_needed: bool
    """False: there are no keys, and whoever is at this machine may do everything."""


class FindingOut(Described):
    part: str = Field(examples=["embedder"])
    state: Literal["ok", "note", "bad"]
    found: str
    advice: str | None


class Alive(Described):
    status: Literal["ok"] = "ok"
    version: str

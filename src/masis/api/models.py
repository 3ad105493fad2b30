"""Request and response models for the OpenAPI document: shared ones, pages of lists, documents, keys, runs."""

import base64
import binascii
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, Literal, TypeVar

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from masis.access.api_key import ApiKey
from masis.access.audit_log import AuditEntry
from masis.errors import InvalidInput
from masis.knowledge.catalog import WorkspaceSummary
from masis.runs.ingestions import Counts, IngestedFile, Ingestion
from masis.runs.planning import Finding
from masis.runs.records import RunRecord, UsageRow
from masis.settings import QUESTION_CEILING
from masis.types import (
    WORKSPACE_NAME,
    WORKSPACE_NAME_RULE,
    BlockKind,
    Box,
    DeletionReceipt,
    DocumentStatus,
    Outcome,
)

LATEST_OFFSET = 2**31
Offset = Annotated[
    int | None, Query(ge=0, le=LATEST_OFFSET, description="Position in the document's text, as in a citation.")
]
WorkspaceId = Annotated[
    str,
    Path(pattern=WORKSPACE_NAME, description=f"The workspace: {WORKSPACE_NAME_RULE}.", examples=["acme"]),
]
READABLE = r"[^\s\x00-\x1f\x7f-\x9f]"
"""At least one visible character."""
Question = Annotated[str, StringConstraints(min_length=1, max_length=QUESTION_CEILING, pattern=READABLE)]


class Described(BaseModel):
    """Fields are documented by the string under them."""

    model_config = ConfigDict(use_attribute_docstrings=True)


class Given(Described):
    """A request body: strictly typed (no text for a number), without unknown fields."""

    model_config = ConfigDict(use_attribute_docstrings=True, extra="forbid", strict=True)


class NewWorkspace(Given):
    name: str = Field(pattern=WORKSPACE_NAME, description=WORKSPACE_NAME_RULE, examples=["acme"])


class DocumentOut(Described):
    """One file, identified by the SHA-256 of its bytes."""

    document_id: str
    file_name: str
    """The name given by the client: only a label."""
    status: DocumentStatus
    reason: str | None
    """Why it failed, and what to do."""
    pages: int
    chunks: int
    size_bytes: int
    date: str | None
    """The date in the document, or else in its file name or properties; null if there is none."""
    period: str | None
    """The period it covers, if stated: "quarter ended 2022-06-25", "Q3 2023"."""
    author: str | None
    """A message's sender, or the author in the properties of the file."""
    created_at: str
    address: str | None = None
    """Where it was fetched from: s3://…, https://…; null for uploads and files."""
    note: str | None
    """Which part of it could not be read."""
    members: int
    """Number of attached files that are separate documents."""


class PageOut(Described):
    """A page, sheet or slide: where in the document's text it begins and ends."""

    number: int
    label: str | None
    """What a reader calls it, if not by number: "sheet Revenue"."""
    start: int
    end: int


class MarkOut(Described):
    """A line of marked words: its edges as fractions of the image's width and height."""

    left: float
    top: float
    right: float
    bottom: float


class TableOut(Described):
    caption: str
    unit: str
    header: list[str]
    """A name for each column; empty if it has none."""
    rows: list[list[tuple[int, int]]]
    """For each row its cells, the label first, as start and end in the document's text."""


class BlockOut(Described):
    """A heading, a paragraph, a list item, a table or a note: exactly the document's text from `start` to `end`."""

    kind: BlockKind
    page: int
    start: int
    end: int
    level: int = 0
    """For a heading, 1 is the highest; for a list item, 1 is the outermost."""
    box: Box | None = None
    """Position on the page of a PDF: left, top, right, bottom, in points from the lower left corner."""
    table: TableOut | None = None


class DocumentText(Described):
    """The extracted text of a document; all character positions refer to the whole text."""

    document_id: str
    title: str | None
    date: str | None
    text: str
    start: int
    """Where in the document's text this begins: 0, unless one page was requested."""
    end: int
    label: str | None
    """The page that was requested."""
    pages: list[PageOut]
    blocks: list[BlockOut]


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
    focus: list[int] | None = None
    """Start and end, in the document's text, of the most relevant words."""


class DocumentName(Described):
    document_id: str
    file_name: str


@dataclass(frozen=True, slots=True)
class Accepted(Ingestion):
    duplicates: list[DocumentName] = field(default_factory=list[DocumentName])
    """Files of this upload whose bytes the workspace already has."""


Item = TypeVar("Item")

Limit = Annotated[int, Query(ge=1, le=200, description="Maximum number of items.")]
Cursor = Annotated[
    str | None, Query(max_length=2000, description="`next_cursor` of the previous page; omit it for the first page.")
]


class Page(BaseModel, Generic[Item]):
    items: list[Item]
    next_cursor: str | None = Field(None, description="Send it as `cursor` for the next page; null on the last.")


def cursor_after(position: str) -> str:
    return base64.urlsafe_b64encode(position.encode()).decode().rstrip("=")


def position_of(cursor: str | None) -> str | None:
    if cursor is None:
        return None
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        return base64.b64decode(padded, altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        raise InvalidInput("Invalid cursor.", advice="Use `next_cursor` of the previous page.") from None


def cut(found: Sequence[Item], limit: int, position: Callable[[Item], str]) -> tuple[Sequence[Item], str | None]:
    """Takes up to `limit` + 1 items and returns the page and the cursor for the next one."""
    shown = found[:limit]
    return shown, cursor_after(position(shown[-1])) if len(found) > limit else None


def cut_sorted(
    found: Sequence[Item],
    limit: int,
    cursor: str | None,
    position: Callable[[Item], str],
    *,
    newest_first: bool = False,
) -> tuple[Sequence[Item], str | None]:
    """A page of a list that is small enough to load completely, in the order of its positions."""
    seen = position_of(cursor)
    ordered = sorted(found, key=position, reverse=newest_first)
    if seen is not None:
        ordered = [each for each in ordered if (position(each) < seen if newest_first else position(each) > seen)]
    return cut(ordered, limit, position)


class NewKey(Given):
    name: str = Field(min_length=1, max_length=100, examples=["Ada's notebook"])
    role: Literal["read", "write", "admin"]
    """read: view and search; write: also ask, answer, upload and delete; admin: also workspaces, keys and the audit
    log."""
    workspaces: list[str] = Field(min_length=1, max_length=1000, examples=[["acme"]])
    """Workspace names, or `*` for all."""
    expires: str | None = Field(None, max_length=40, examples=["90d"])
    """A span (12h, 30d, 8w), a date, or a date and time."""


@dataclass(frozen=True, slots=True)
class CreatedKey(ApiKey):
    token: str
    """Shown only once."""


class Me(Described):
    """Your identity and rights."""

    name: str
    key_id: str | None
    role: str
    workspaces: list[str]
    """Workspace names; `*` means all."""
    keys_needed: bool
    """If false, the service has no keys, and anyone at this machine has full access."""


class Alive(Described):
    status: Literal["ok", "stopping"] = "ok"
    version: str


RETURNED_AS_THEY_ARE = (
    *(Accepted, ApiKey, AuditEntry, Counts, CreatedKey, DeletionReceipt, Finding, IngestedFile, Ingestion, RunRecord),
    *(UsageRow, WorkspaceSummary),
)
for record in RETURNED_AS_THEY_ARE:
    # The OpenAPI document describes the fields by the strings under them.
    setattr(record, "__pydantic_config__", ConfigDict(use_attribute_docstrings=True))  # noqa: B010


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
    """The result of a question: an answer, or a question to a person with the best draft so far."""

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
    """The answer with its claims, conflicts and evidence."""

    run_id: str
    outcome: Outcome
    claims: list[dict[str, Any]]
    """Every sentence, with its citations and a verdict."""
    conflicts: list[dict[str, Any]]
    """Where documents disagree: both sides, with their quotes."""
    likelihood: float | None
    """The likelihood that the answer is right, fitted on held-out answers; null if there is no fit."""
    closest: list[dict[str, Any]]
    """If the documents do not answer: the closest passages, and the words of the question that they contain."""
    evidence: list[dict[str, Any]]
    """The evidence for the answer."""
    review: dict[str, Any] | None
    """The question to a person, structured: cause, choices, conflicts, what is missing."""
    instructions_seen: list[dict[str, Any]]
    """Instructions found inside documents; they were treated as data."""
    decisions: list[dict[str, Any]]
    """Decisions made in this run, and standing decisions applied to it."""
    prompts: dict[str, str] | None
    """Version and hash of the prompts."""
    question: str
    """The question as answered: a follow-up is completed from its thread."""
    thread_id: str
    """Send it with a question to follow up on this answer."""
    filters: dict[str, Any]
    """The scope of the search; empty: the whole workspace."""


class Answer(Given):
    """A person's decision on a waiting run."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"action": "prefer", "prefer": ["annual-report.pdf"], "over": ["memo.docx"]}]},
    )

    action: Literal["prefer", "explain_both", "refine", "look_again", "accept", "stop"]
    prefer: list[str] = Field(default_factory=list, max_length=100)
    """Names of the files to trust where documents disagree."""
    over: list[str] = Field(default_factory=list, max_length=100)
    """Names of the files not to use for this question."""
    question: Question | None = None
    """With `refine`: the question to ask instead."""
    note: str | None = Field(None, max_length=2000)
    by: str | None = Field(None, min_length=1, max_length=200)
    """The person who decides, if it is not the key's owner."""
    remember: bool = False
    """With `prefer` and `explain_both`: also apply the decision to later questions in this workspace."""


class DecisionOut(Described):
    """A person's decision on a conflict, applied to later answers of the workspace and named in them."""

    model_config = ConfigDict(use_attribute_docstrings=True, extra="allow")

    decision_id: str
    workspace_id: str
    action: str
    about: str

"""What the routes take and give, described for the OpenAPI document: what all share, and documents."""

from typing import Annotated, Literal

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from masis.settings import QUESTION_CEILING
from masis.types import WORKSPACE_NAME, WORKSPACE_NAME_RULE, BlockKind, Box, DocumentStatus

LATEST_OFFSET = 2**31
Offset = Annotated[int | None, Query(ge=0, le=LATEST_OFFSET, description="In the document's text, as citations count.")]
WorkspaceId = Annotated[
    str,
    Path(pattern=WORKSPACE_NAME, description=f"The workspace: {WORKSPACE_NAME_RULE}.", examples=["acme"]),
]
READABLE = r"[^\s\x00-\x1f\x7f-\x9f]"
"""One character at least that can be seen."""
Question = Annotated[str, StringConstraints(min_length=1, max_length=QUESTION_CEILING, pattern=READABLE)]


class Described(BaseModel):
    """Fields are documented by the string under them."""

    model_config = ConfigDict(use_attribute_docstrings=True)


class Given(Described):
    """What a request carries: nothing is guessed (no text for a number) and nothing unknown is passed over."""

    model_config = ConfigDict(use_attribute_docstrings=True, extra="forbid", strict=True)


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
    """The document's own date, or the best that its name and properties tell; null where nothing does."""
    period: str | None
    """What it covers, where it says so: "quarter ended 2022-06-25", "Q3 2023"."""
    author: str | None
    """A message's sender, or the author in the properties of the file."""
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


class MarkOut(Described):
    """A line of marked words: its edges as fractions of the picture's width and height."""

    left: float
    top: float
    right: float
    bottom: float


class TableOut(Described):
    caption: str
    unit: str
    header: list[str]
    """A name for each column; empty where there is none."""
    rows: list[list[tuple[int, int]]]
    """For each row its cells, the label first, as start and end in the document's text."""


class BlockOut(Described):
    """A heading, a paragraph, a list item, a table or a note: exactly the document's text from `start` to `end`."""

    kind: BlockKind
    page: int
    start: int
    end: int
    level: int = 0
    """Of a heading, 1 the highest; of a list item, 1 the outermost."""
    box: Box | None = None
    """Where it stands on the page of a PDF: left, top, right, bottom, in points from the lower left corner."""
    table: TableOut | None = None


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

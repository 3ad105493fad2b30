"""The nouns every part of MASIS shares.

What lives in a run's state is a TypedDict of plain JSON values, so that any checkpointer can store it; what stays
inside one module is a frozen dataclass.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NotRequired, TypedDict

WORKSPACE_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
WORKSPACE_NAME_RULE = "use 1 to 64 letters, digits, dots, hyphens or underscores, a letter or a digit first"

DocumentStatus = Literal["PROCESSING", "READY", "FAILED"]
Outcome = Literal[
    "answered", "answered_with_caveat", "conflict", "insufficient_evidence", "out_of_scope", "unavailable"
]
ClaimKind = Literal["claim", "limit", "recommendation", "heading"]
Verdict = Literal[
    "verbatim", "supported", "numbers_differ", "contradicted", "not_in_source", "uncited", "fabricated_citation",
    "unverified",
]  # fmt: skip
ConflictKind = Literal["different_period", "different_definition", "revision", "contradiction"]
Answered = Literal["all", "part", "none"]
"""How much of a question an answer answers; a statement that the documents do not say it is not an answer."""
ReviewCause = Literal["conflict", "quality", "empty_workspace", "weak_evidence", "unavailable", "out_of_scope"]

BlockKind = Literal["heading", "paragraph", "item", "table", "note", "furniture"]
"""`furniture`: a running header or footer or a page number, which belongs to no passage."""

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, as fractions of the page's width and height."""


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a page: exactly `page.text[start:end]`."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    """For a heading, 1 is the highest; for a list item, 1 is the outermost."""
    marker: str = ""
    """The mark of a list item: "-", "2.", "(a)"."""
    is_continued: bool = False
    """Begun on the page before: a paragraph that continues here, a table whose header is there."""
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class Page:
    number: int
    """Counted from 1; a format without pages is one page."""
    text: str
    label: str | None = None
    """What a reader calls it when that is not its number: "sheet Revenue", "slide 3", "chapter Two"."""
    blocks: Sequence[Block] = ()
    """Set if the parser saw more than the text shows; `sources.blocks.blocks_of` gives the blocks of any page."""


@dataclass(frozen=True, slots=True)
class Member:
    """A file inside a file: what an archive holds, or what a message carries."""

    name: str
    """Its path inside; a label, never a path to write to."""
    data: bytes


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    pages: Sequence[Page]
    """Empty for an archive."""
    title: str | None = None
    date: str | None = None
    """The document's own date (ISO 8601, as precise as it says), when it states one."""
    period: str | None = None
    """The period it covers, if stated: "quarter ended 2022-06-25", "Q3 2023", "2023"."""
    made: str | None = None
    """When the file was created according to its properties, possibly printed or copied: the last resort for a date."""
    author: str | None = None
    """As the file says: a message's sender, or its properties."""
    members: Sequence[Member] = ()
    """Files inside it that are separate documents."""
    notes: Sequence[str] = ()
    """What a reader should know was left out, in sentences: scanned pages, sheets that could not be read."""
    scanned: Sequence[int] = ()
    """The numbers of pages that are pictures of text."""

    @property
    def text(self) -> str:
        """The extracted text; every character span of MASIS counts in it."""
        return PAGE_BREAK.join(page.text for page in self.pages)


PAGE_BREAK = "\n\n"


def place(page: int | None, label: str | None) -> str:
    """The place in a document, in words."""
    return label or f"page {page}"


@dataclass(frozen=True, slots=True)
class Document:
    workspace_id: str
    document_id: str
    """SHA-256 of the bytes, in hexadecimal."""
    file_name: str
    status: DocumentStatus
    reason: str | None = None
    """Why it FAILED, and what to do."""
    pages: int = 0
    chunks: int = 0
    size_bytes: int = 0
    date: str | None = None
    created_at: str = ""
    note: str | None = None
    """Parts of a READY document that could not be read, such as scanned pages."""
    source: str | None = None
    """Where the file was found on this machine; the same place read again is a new version."""
    members: int = 0
    """Number of attached files that are separate documents."""
    period: str | None = None
    author: str | None = None


@dataclass(frozen=True, slots=True)
class DeletionReceipt:
    workspace_id: str
    document_id: str | None
    """None for the whole workspace."""
    file_names: tuple[str, ...]
    documents: int
    chunks: int
    """Passages removed from the index, with their vectors."""
    text_chars: int
    bytes: int
    """Size of the stored originals."""
    cached_vectors: int
    runs: int
    deleted_at: str


@dataclass(frozen=True, slots=True)
class SearchFilters:
    documents: tuple[str, ...] = ()
    """Document ids or file names."""
    file_types: tuple[str, ...] = ()
    """Extensions without the dot: pdf, xlsx."""
    dated_from: str | None = None
    """ISO 8601, as precise as wanted. A document without a date is outside every range."""
    dated_to: str | None = None
    pages: tuple[int, int] | None = None
    """First and last page, sheet or slide, both included."""


EVERYWHERE = SearchFilters()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of a document: `text` is exactly `document.text[start:end]`."""

    chunk_id: str
    document_id: str
    file_name: str
    text: str
    page: int
    start: int
    end: int
    heading: str | None = None
    """The headings above the passage, outermost first; embedded with it, never quoted as part of it."""
    date: str | None = None
    label: str | None = None


class Located(TypedDict):
    chunk_id: str
    document_id: str
    file_name: str
    page: int
    start: int
    end: int


class EvidenceChunk(Located):
    text: str
    score: float
    heading: NotRequired[str | None]
    date: NotRequired[str | None]
    label: NotRequired[str | None]
    title: NotRequired[str]
    """The title of its document, or the file name in words."""
    about: NotRequired[str]
    """Which of the question's words name its document, and the period that document is for."""
    table_rows: NotRequired[int]
    """Number of rows of its table, if the table is too long to be read whole."""
    elsewhere: NotRequired[str]
    """The question, and the names in the other passages of its document."""
    other_names: NotRequired[str]
    """The names in all documents that were found."""
    focus: NotRequired[list[int]]
    """Start and end, in the document's text, of the part that is about the question."""


class ClosestPassage(Located):
    label: str | None
    heading: str | None
    quote: str
    """Its closest statement: `start` to `end` of the document's text."""
    shown: NotRequired[str]
    """The quote for people: a row of a table with the names of its columns."""
    words: list[str]
    score: float


class Citation(TypedDict):
    chunk_id: str
    document_id: str | None
    file_name: str | None
    page: int | None
    start: int | None
    end: int | None
    quote: str | None
    label: NotRequired[str | None]
    number: NotRequired[int]
    """The number of its source in the finished answer; every interface shows the same [1]."""
    shown: NotRequired[str]


CheckedBy = Literal["code", "verifier", "model"]
"""Who decided: code, the embedded verifier, or the configured chat model."""


class ClaimPart(TypedDict):
    text: str
    start: int
    end: int
    verdict: Verdict
    reason: str


Repair = Literal["added", "corrected", "cut"]
"""The repair of a sentence: a citation added or corrected, or the sentence removed."""


class Claim(TypedDict):
    text: str
    start: int
    end: int
    kind: ClaimKind
    citations: list[Citation]
    verdict: Verdict | None
    """None for headings and stated limits, which claim nothing. The worst of its parts, if it has any."""
    reason: str
    parts: NotRequired[list[ClaimPart]]
    """The figures of a table row, each a separate claim."""
    checked_by: NotRequired[CheckedBy]
    is_reading: NotRequired[bool]
    """Refuted by how code reads a name, a row, a time or a negation: a chat model that audits may know better."""
    repaired: NotRequired[Repair]


class ConflictSide(TypedDict):
    value: str
    quote: str
    chunk_id: str
    document_id: str
    file_name: str
    date: str | None
    page: int
    label: NotRequired[str | None]
    shown: NotRequired[str]


class Conflict(TypedDict):
    about: str
    period: str | None
    kind: ConflictKind
    sides: list[ConflictSide]
    explanation: str


class DecisionMade(TypedDict):
    workspace_id: str
    action: Literal["prefer", "explain_both"]
    about: str
    """What the documents disagreed about."""
    period: str | None
    prefer: list[str]
    """File names that are trusted over those below; both empty if both sides are to be explained."""
    over: list[str]
    documents: list[str]
    """The file names on both sides of the conflict."""
    note: str | None
    by: str
    run_id: str
    created_at: str


class StandingDecision(DecisionMade):
    decision_id: str


class Critique(TypedDict):
    confidence: float
    hallucination_detected: bool
    unsupported_claims: list[str]
    logical_gaps: list[str]
    conflicting_evidence: list[str]
    needs_retry: bool


class CitationAudit(TypedDict):
    invalid_citations: list[str]
    uncited_claim_count: int
    uncited_claim_sentences: list[str]
    hallucination_detected: bool
    unsupported_claims: list[str]


class Evaluation(TypedDict):
    faithfulness: float
    relevance: float
    completeness: float
    reasoning_quality: float
    overall_score: float
    improvement_suggestions: list[str]
    clamps: list[str]
    """The caps that code enforced on the judge's scores, in words."""
    judged_by: str


@dataclass(frozen=True, slots=True)
class Usage:
    requests: int = 0
    """On the wire."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.requests + other.requests,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost_usd + other.cost_usd,
        )


@dataclass(frozen=True, slots=True)
class Budget:
    max_cost_usd: float | None = None
    max_seconds: float | None = None


NO_LIMIT = Budget()
"""A run that reaches its budget is finished by the embedded engine and ends with its best answer."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    candidates: Sequence[EvidenceChunk]
    workspace_is_empty: bool = False
    undated_left_out: int = 0
    respelled: Mapping[str, str] = field(default_factory=dict[str, str])
    """Words that no document has, and the nearest ones that were searched for as well."""
    further: Sequence[EvidenceChunk] = ()
    """The next best, which the search fetched as well."""


@dataclass(frozen=True, slots=True)
class Mentions:
    documents: int
    passages: int


@dataclass(frozen=True, slots=True)
class IngestReport:
    workspace_id: str
    ready: list[Document] = field(default_factory=list[Document])
    pending: list[Document] = field(default_factory=list[Document])
    """Searchable by keyword but not yet by meaning: their vectors were deferred, or the embedder failed."""
    duplicates: list[Document] = field(default_factory=list[Document])
    failed: list[Document] = field(default_factory=list[Document])
    replaced: list[Document] = field(default_factory=list[Document])
    """Earlier versions replaced by changed files."""
    notes: list[str] = field(default_factory=list[str])
    """What was left out of archives, and why; where passages were embedded, if not as usual."""


@dataclass(frozen=True, slots=True)
class Caller:
    name: str
    key_id: str | None = None
    """The API key used; None for the person at the machine."""


LOCAL = Caller("local")

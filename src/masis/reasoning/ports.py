"""What the agents need of an engine. Two engines fit: chat models (`llm`) and plain code (`offline`)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, Protocol, TypeVar

from masis.types import CitationAudit, Claim, Conflict, Critique, EvidenceChunk, Usage

T = TypeVar("T")
Listener = Callable[[str], None]
"""Hears a text piece by piece while it is written."""


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """A result and what it cost."""

    value: T
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class PromptStamp:
    """Which words a model was asked with; engines that ask no model have none."""

    version: str
    hash: str
    """Of the words said to this role."""
    whole: str
    """Of the words said to all of them."""


@dataclass(frozen=True, slots=True)
class Passage:
    """What the writer sees of one chunk: the whole text, or what is left of it where it had to be shortened."""

    chunk_id: str
    file_name: str
    page: int
    text: str
    heading: str | None = None
    date: str | None = None
    shortened: Literal["summary", "shortened"] | None = None
    """By a model's words, or to the sentences and rows that bear on the question."""
    label: str | None = None
    """Which sheet or slide."""
    start: int = 0
    """Where it begins in its document: the parts of a table that was cut are put together by it."""
    about: str = ""
    """Whose its document is and for when, as far as the question says it too."""


def as_passage(chunk: EvidenceChunk) -> Passage:
    return Passage(
        chunk["chunk_id"],
        chunk["file_name"],
        chunk["page"],
        chunk["text"],
        chunk.get("heading"),
        chunk.get("date"),
        label=chunk.get("label"),
        start=chunk["start"],
        about=chunk.get("about", ""),
    )


@dataclass(frozen=True, slots=True)
class Guidance:
    """A person's decision that the agents obey."""

    prefer: tuple[str, ...] = ()
    """Files whose word counts where documents disagree …"""
    over: tuple[str, ...] = ()
    """… with these."""
    explain_both: bool = False

    def __bool__(self) -> bool:
        return bool(self.prefer or self.over or self.explain_both)


@dataclass(frozen=True, slots=True)
class WritingBrief:
    """Everything the writer may use: nothing else exists for it."""

    question: str
    passages: Sequence[Passage]
    previous_critique: Critique | None = None
    guidance: Guidance = Guidance()
    previous_draft: str | None = None
    """What the critique is about."""
    absent: Sequence[str] = ()
    """Words of the question that no document of the workspace has."""


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """The semantic audit of a draft, before the citation engine has its say."""

    confidence: float
    hallucination_detected: bool = False
    unsupported_claims: Sequence[str] = ()
    logical_gaps: Sequence[str] = ()
    conflicts: Sequence[Conflict] = ()
    """Conflicts as records."""
    conflicting_evidence: Sequence[str] = ()
    """Conflicts in the auditor's own words; `conflicts` are described by code and need none."""
    needs_retry: bool = False
    likelihood: float | None = None
    """That the answer is right, fitted on held-out answers; None where there is no fit."""
    made_by: str = ""
    """`offline` where the embedded engine stood in for the auditor that was asked."""


@dataclass(frozen=True, slots=True)
class Scores:
    """The judge's scores, each 0 to 1, before code enforces the caps."""

    faithfulness: float
    relevance: float
    completeness: float
    reasoning_quality: float
    improvement_suggestions: Sequence[str] = ()
    made_by: str = ""
    """`offline` where the embedded engine stood in for the judge that was asked."""


def prompt_of(engine: object, call: str = "prompt") -> PromptStamp | None:
    stamp = getattr(engine, call, None)
    return stamp if isinstance(stamp, PromptStamp) else None


class Writer(Protocol):
    name: str

    async def write(self, brief: WritingBrief, on_token: Listener | None = None) -> Reply[str]:
        """A cited answer to the question from the passages alone. The returned text decides, whatever was heard."""
        ...

    async def summarize(self, question: str, passages: Sequence[Passage], limit: int) -> Reply[dict[str, str]]:
        """One call: a summary of at most `limit` characters for each chunk id it could summarize."""
        ...


class Auditor(Protocol):
    name: str

    async def audit(
        self,
        question: str,
        answer: str,
        evidence: Sequence[EvidenceChunk],
        guidance: Guidance,
        claims: Sequence[Claim],
    ) -> Reply[AuditFinding]:
        """`claims`: the answer's sentences with the verdicts that code and the verifier gave, once for everybody."""
        ...


class Judge(Protocol):
    name: str

    async def judge(
        self,
        question: str,
        answer: str,
        evidence: Sequence[EvidenceChunk],
        audit: CitationAudit,
        claims: Sequence[Claim],
        critique: Critique | None = None,
    ) -> Reply[Scores]:
        """`critique`: what the Critic found, in the words that the writer is told."""
        ...

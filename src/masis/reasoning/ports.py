"""The interfaces between the agents and the engines, and the account that model calls are charged to.

There are two engines: chat models (`llm`) and plain code (`offline`).
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Generic, Literal, Protocol, TypeVar

from masis.types import Answered, CitationAudit, Claim, Conflict, Critique, EvidenceChunk, Usage

T = TypeVar("T")
Listener = Callable[[str], None]
"""Called with each piece of a text as it is written."""


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """A result and what it cost."""

    value: T
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class PromptStamp:
    """Identifies the prompt that a model was given. Engines without a model have none."""

    version: str
    hash: str
    """Hash of everything said to this role."""
    whole: str
    """Hash of everything said to all roles."""


@dataclass(frozen=True, slots=True)
class Passage:
    """What the writer sees of one passage: the whole text, or what remains after shortening."""

    chunk_id: str
    file_name: str
    page: int
    text: str
    heading: str | None = None
    date: str | None = None
    shortened: Literal["summary", "shortened"] | None = None
    """Summarised by a model, or shortened to the sentences and rows relevant to the question."""
    label: str | None = None
    """The sheet or slide."""
    start: int = 0
    """Where it begins in its document; used to join the parts of a split table."""
    title: str = ""
    """The title of its document."""
    about: str = ""
    """The company and period of its document, if the question mentions them."""
    table_rows: int = 0
    """Number of rows in the whole table if that is too long to be read whole; otherwise 0."""

    @property
    def stands_under(self) -> str:
        """The document's title and the headings above the passage, one per line, unless the passage begins with them
        itself."""
        over = f"{self.heading}\n" if self.heading else ""
        titled = f"{over}{self.text}".startswith(self.title)
        return over if titled else f"{self.title}\n{over}"


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
        title=chunk.get("title", ""),
        about=chunk.get("about", ""),
        table_rows=chunk.get("table_rows", 0),
    )


@dataclass(frozen=True, slots=True)
class Guidance:
    """A person's decision, as the agents apply it."""

    prefer: tuple[str, ...] = ()
    """Files to trust if documents disagree."""
    over: tuple[str, ...] = ()
    """Files that these overrule."""
    explain_both: bool = False

    def __bool__(self) -> bool:
        return bool(self.prefer or self.over or self.explain_both)


@dataclass(frozen=True, slots=True)
class WritingBrief:
    """Everything that the writer may use."""

    question: str
    passages: Sequence[Passage]
    previous_critique: Critique | None = None
    guidance: Guidance = Guidance()
    previous_draft: str | None = None
    """The draft that the critique is about."""
    absent: Sequence[str] = ()
    """Words of the question that no document of the workspace contains."""
    evidence: Sequence[Passage] = ()
    """The passages before they were shortened, for an embedded writer that stands in: it selects sentences itself."""


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """The semantic audit of a draft, before the citation engine adds its findings."""

    confidence: float
    hallucination_detected: bool = False
    unsupported_claims: Sequence[str] = ()
    logical_gaps: Sequence[str] = ()
    conflicts: Sequence[Conflict] = ()
    """Conflicts as records."""
    conflicting_evidence: Sequence[str] = ()
    """Conflicts in the auditor's own words. Those in `conflicts` are described by code and are not repeated here."""
    needs_retry: bool = False
    answered: Answered = "all"
    likelihood: float | None = None
    """The likelihood that the answer is right, fitted on held-out answers; None if there is no fit."""
    made_by: str = ""
    """`offline` if the embedded engine stood in for the auditor."""


@dataclass(frozen=True, slots=True)
class Scores:
    """The judge's scores, each 0 to 1, before code enforces the caps."""

    faithfulness: float
    relevance: float
    completeness: float
    reasoning_quality: float
    improvement_suggestions: Sequence[str] = ()
    made_by: str = ""
    """`offline` if the embedded engine stood in for the judge."""


def prompt_of(engine: object, call: str = "prompt") -> PromptStamp | None:
    stamp = getattr(engine, call, None)
    return stamp if isinstance(stamp, PromptStamp) else None


class Writer(Protocol):
    name: str

    async def write(self, brief: WritingBrief, on_token: Listener | None = None) -> Reply[str]:
        """Writes a cited answer to the question from the passages alone. The returned text counts, whatever was
        streamed."""
        ...

    async def summarize(self, question: str, passages: Sequence[Passage], limit: int) -> Reply[dict[str, str]]:
        """Summarises passages in one call: at most `limit` characters for each chunk id that could be summarised."""
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
        """Audits a draft. `claims` are its sentences with the verdicts of code and verifier, computed once for all
        agents."""
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
        """Scores an answer. `critique` is what the Critic found, in the words given to the writer."""
        ...


@dataclass(slots=True)
class Account:
    """The limits of a run and what it has spent; each step of an agent has its own."""

    workspace_id: str = ""
    max_cost_usd: float | None = None
    max_seconds: float | None = None
    spent_usd: float = 0.0
    spent_seconds: float = 0.0
    """Spent before this step."""
    opened_at: float = field(default_factory=time.monotonic)
    stood_in: list[str] = field(default_factory=list[str])
    """For each model that the embedded engine replaced: which one, and why."""
    is_spent: bool = False
    from_cache: int = 0
    """Number of answers taken from the cache of earlier identical requests."""
    silent_models: list[str] = field(default_factory=list[str])
    """Local models that were too slow in this run and are not asked again."""

    @property
    def seconds_left(self) -> float | None:
        if self.max_seconds is None:
            return None
        return max(0.0, self.max_seconds - self.spent_seconds - (time.monotonic() - self.opened_at))

    def refusal(self, next_call_usd: float = 0.0) -> str | None:
        """Why the next call may not be made; None if it may."""
        if self.max_cost_usd is not None and self.spent_usd + next_call_usd > self.max_cost_usd:
            self.is_spent = True
            return (
                f"it could cost ${next_call_usd:.4f}, and ${self.spent_usd:.4f} of ${self.max_cost_usd:.4f} are spent"
            )
        if self.seconds_left is not None and self.seconds_left <= 0:
            return self.out_of_time()
        return None

    def silence_of(self, model: str) -> str | None:
        return "it did not respond in time before" if model in self.silent_models else None

    def out_of_time(self) -> str:
        self.is_spent = True
        return f"the {self.max_seconds:g} seconds of this run are over"

    def charge(self, usage: Usage) -> None:
        self.spent_usd += usage.cost_usd


_CURRENT: ContextVar[Account | None] = ContextVar("masis_account", default=None)


def current_account() -> Account:
    """The account of the current run, or one without limits outside a run."""
    return _CURRENT.get() or Account()


@contextmanager
def charged_to(account: Account) -> Iterator[Account]:
    token = _CURRENT.set(account)
    try:
        yield account
    finally:
        _CURRENT.reset(token)

"""The results of the tools, typed and described for the model that reads them, and their progress reports."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field

from masis.knowledge.catalog import WorkspaceSummary
from masis.knowledge.source_table import Source, shown_address
from masis.runs.events import RunEvent
from masis.runs.records import RunResult
from masis.types import Chunk, Claim, Document, EvidenceChunk
from masis.wording import AGENTS, REPAIRS, grade, removed_sentences

T = TypeVar("T")
Hearer = Callable[[RunEvent], None]
Report = Callable[[float, float | None, str | None], Awaitable[None]]


async def reporting(report: Report, work: Callable[[Hearer], Awaitable[T]]) -> T:
    """Runs the work and sends its progress messages in order, without delaying it."""
    loop = asyncio.get_running_loop()
    messages: asyncio.Queue[str | None] = asyncio.Queue()
    telling = asyncio.create_task(_tell(report, messages))

    def hear(event: RunEvent) -> None:
        if message := in_words(event):
            loop.call_soon_threadsafe(messages.put_nowait, message)

    try:
        return await work(hear)
    finally:
        loop.call_soon(messages.put_nowait, None)
        # A client that no longer listens does not affect the run.
        await asyncio.gather(telling, return_exceptions=True)


def in_words(event: RunEvent) -> str | None:
    agent, attempt = event.get("agent", ""), event.get("attempt") or 0
    if event.get("event") != "started" or agent not in AGENTS:
        return None
    again = f" (attempt {attempt + 1})" if attempt else ""
    return f"{AGENTS[agent].word} {AGENTS[agent].meaning}{again}"


async def _tell(report: Report, messages: "asyncio.Queue[str | None]") -> None:
    sent = 0
    while (message := await messages.get()) is not None:
        sent += 1
        await report(sent, None, message)


class _Result(BaseModel):
    model_config = ConfigDict(extra="ignore", use_attribute_docstrings=True)


class CitationFound(_Result):
    chunk_id: str
    document_id: str | None
    file_name: str | None
    page: int | None
    start: int | None
    """Start of the quote in the document's text."""
    end: int | None
    quote: str | None
    number: int | None = None
    """Number of the source, the same as on the page and in reports."""


class ClaimChecked(_Result):
    """One sentence of the answer."""

    text: str
    kind: str
    """claim, limit, recommendation or heading."""
    verdict: str | None
    """verbatim and supported have passed the check; numbers_differ, contradicted, not_in_source, uncited and
    fabricated_citation have failed it; unverified could not be checked. None if the sentence claims nothing."""
    reason: str
    repaired: str | None = None
    """What MASIS changed in the citation, which it added or corrected. None if it changed nothing."""
    citations: list[CitationFound]


class SideSaid(_Result):
    value: str
    quote: str
    file_name: str
    date: str | None
    page: int
    chunk_id: str


class ConflictFound(_Result):
    """Two documents that disagree."""

    about: str
    period: str | None
    kind: str
    """different_period, different_definition, revision or contradiction."""
    explanation: str
    sides: list[SideSaid]


class ClosestFound(_Result):
    chunk_id: str
    file_name: str
    page: int
    quote: str
    words: list[str]
    """Words of the question that the passage contains."""


class Result(_Result):
    run_id: str
    thread_id: str
    """To follow up on this answer, pass it to ask with the next question."""
    question: str
    """The question that was answered: a follow-up is completed from its thread."""
    outcome: str
    """answered, answered_with_caveat, conflict, insufficient_evidence, out_of_scope or unavailable."""
    answer: str
    """Every claim is followed by the [chunk_id] of its source. Makes no claims if the documents do not cover the
    question."""
    confidence: float
    """The Critic's confidence after penalties; not a probability of being right."""
    likelihood: float | None
    """Probability that the answer is right, fitted on held-out answers; None if there is no fit for this engine."""
    likelihood_word: str | None
    """The likelihood in words: likely right, check it or weak."""
    requires_human_review: bool
    """If true, the answer is only the best draft: show the user the clarification_question before relying on it."""
    clarification_question: str | None
    choices: list[str]
    """The decisions open to the user, as values for `action` in the tool `answer`."""
    claims: list[ClaimChecked]
    conflicts: list[ConflictFound]
    closest: list[ClosestFound]
    """If the documents do not answer the question: the closest passages."""
    removed_sentences: list[str]
    """Sentences that MASIS removed from the answer because their source refutes them."""


class RunState(_Result):
    run_id: str
    status: str
    """queued, running (about to stop), waiting, finished, cancelled, failed or deleted."""


class Judged(_Result):
    run_id: str
    judgements: int
    """How many judgements this answer has so far, from all users."""


class SourceListed(_Result):
    name: str
    """An address, or the name of a folder."""
    status: str
    """new, running, synced or failed."""
    last_sync: str | None
    next_sync: str | None
    error: str | None


class Sources(_Result):
    sources: list[SourceListed]


class PassageFound(_Result):
    chunk_id: str
    document_id: str
    file_name: str
    page: int
    label: str | None = None
    """Name of the sheet or slide."""
    heading: str | None = None
    date: str | None = None
    start: int
    """Start of the passage in the document's text."""
    end: int
    relevance: float
    """0 to 1; answers use passages from about 0.6."""
    text: str


class Evidence(_Result):
    passages: list[PassageFound] = Field(default_factory=list)


class Passage(_Result):
    chunk_id: str
    document_id: str
    file_name: str
    page: int
    label: str | None
    start: int
    end: int
    text: str
    """The document's exact text from start to end."""
    before: str
    """The document's text before the passage."""
    after: str
    """The document's text after the passage."""


class DocumentListed(_Result):
    document_id: str
    file_name: str
    status: str
    """READY: available for questions; PROCESSING: not yet; FAILED: see reason."""
    reason: str | None
    pages: int
    date: str | None


class Documents(_Result):
    documents: list[DocumentListed]


class WorkspaceListed(_Result):
    workspace: str
    documents: int


class Workspaces(_Result):
    workspaces: list[WorkspaceListed]


def result_of(result: RunResult) -> Result:
    choices = result.review["choices"] if result.review and result.requires_human_review else []
    return Result(
        run_id=result.run_id,
        thread_id=result.thread_id,
        question=result.question,
        outcome=result.outcome,
        answer=result.answer,
        confidence=result.confidence,
        likelihood=result.likelihood,
        likelihood_word=None if result.likelihood is None else grade(result.likelihood).word,
        requires_human_review=result.requires_human_review,
        clarification_question=result.clarification_question,
        choices=choices,
        claims=[ClaimChecked.model_validate(_with_repair(claim)) for claim in result.claims],
        conflicts=[ConflictFound.model_validate(conflict) for conflict in result.conflicts],
        closest=[ClosestFound.model_validate(passage) for passage in result.closest],
        removed_sentences=removed_sentences(result.trace),
    )


def _with_repair(claim: Claim) -> dict[str, object]:
    return {**claim, "repaired": REPAIRS[claim["repaired"]].meaning if "repaired" in claim else None}


def evidence_of(found: list[EvidenceChunk]) -> Evidence:
    return Evidence(
        passages=[PassageFound.model_validate({**passage, "relevance": passage["score"]}) for passage in found]
    )


def passage_of(chunk: Chunk, text: str, around: tuple[int, int]) -> Passage:
    return Passage(
        chunk_id=chunk.chunk_id,
        document_id=chunk.document_id,
        file_name=chunk.file_name,
        page=chunk.page,
        label=chunk.label,
        start=chunk.start,
        end=chunk.end,
        text=chunk.text,
        before=text[max(0, around[0]) : chunk.start],
        after=text[chunk.end : around[1]],
    )


def documents_of(documents: list[Document]) -> Documents:
    listed = [DocumentListed.model_validate(document, from_attributes=True) for document in documents]
    return Documents(documents=listed)


def sources_of(sources: list[Source]) -> Sources:
    """Shows only the name of a folder, not where it is."""
    listed = [SourceListed(name=shown_address(each), **_facts(each)) for each in sources]
    return Sources(sources=listed)


def _facts(source: Source) -> dict[str, str | None]:
    error = source.error and source.error.replace(source.address, shown_address(source))
    return {"status": source.status, "last_sync": source.last_sync, "next_sync": source.next_sync, "error": error}


def workspaces_of(summaries: list[WorkspaceSummary]) -> Workspaces:
    listed = [WorkspaceListed(workspace=each.workspace_id, documents=each.documents) for each in summaries]
    return Workspaces(workspaces=listed)

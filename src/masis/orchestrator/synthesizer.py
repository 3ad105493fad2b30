"""The Synthesizer: fits the evidence into the context and has a cited answer written from it alone."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from langgraph.runtime import Runtime

from masis.audit.citations.extraction import cited_sentences
from masis.errors import ModelError
from masis.orchestrator.agent import Turn
from masis.orchestrator.human import decisions_named, guidance_of, question_of
from masis.orchestrator.services import Services, services_of
from masis.orchestrator.state import MASISState, StateUpdate
from masis.orchestrator.trail import Metrics
from masis.reasoning.ports import Listener, Passage, WritingBrief, as_passage
from masis.reasoning.pruning import pruned
from masis.settings import OFFLINE, Settings
from masis.types import Claim, EvidenceChunk

COVERS = "This summary covers"
LONGEST_NAMED = 200
"""Characters of a sentence that lists documents. The citation engine does not recognise a longer one as a remark about
the answer."""


@dataclass(frozen=True, slots=True)
class Context:
    """What the writer will see, and what was done to make it fit."""

    passages: list[Passage]
    original_chars: int
    compressed: bool = False
    latency_ms: float = 0.0
    is_over_compressed: bool = False

    @property
    def chars(self) -> int:
        return sum(len(passage.text) for passage in self.passages)

    @property
    def ratio(self) -> float:
        return self.chars / self.original_chars if self.original_chars else 1.0


async def fit_context(state: MASISState, services: Services, turn: Turn) -> Context:
    settings = services.settings
    passages = [as_passage(chunk) for chunk in state.get("evidence", [])]
    whole = Context(passages, sum(len(p.text) for p in passages))
    at_most: int | None = getattr(services.writer, "reads_at_most", None)
    limit = min(settings.context_limit, at_most or settings.context_limit)
    if whole.chars <= limit:
        return whole
    # A writer that can read only little cannot fill in a schema of summaries either.
    if settings.context == "summaries" and at_most is None:
        return await _summarized(question_of(state), whole, services, turn)
    if services.writer.name == OFFLINE:
        # The offline writer selects sentences itself, and does it better from all of them.
        return whole
    started = turn.elapsed_ms()
    # In a thread: reading occupies a core for a while, and other runs must go on meanwhile.
    left = await asyncio.to_thread(pruned, question_of(state), passages, limit)
    return Context(left, whole.chars, True, round(turn.elapsed_ms() - started, 3))


async def _summarized(question: str, whole: Context, services: Services, turn: Turn) -> Context:
    """Keeps the best passages whole and replaces the others by short summaries."""
    settings = services.settings
    kept, others = whole.passages[: settings.full_chunks], whole.passages[settings.full_chunks :]
    if not others:
        return whole
    started = turn.elapsed_ms()
    turn.calls_engine(services.writer, "summary_prompt")
    reply = await services.writer.summarize(question, others, settings.summary_chars)
    turn.spent(reply.usage)
    shortened = [_shortened(p, reply.value.get(p.chunk_id), settings) for p in others]
    context = Context(
        [*kept, *(p for p in shortened if p.text)], whole.chars, True, round(turn.elapsed_ms() - started, 3)
    )
    return replace(context, is_over_compressed=context.ratio < settings.over_compression_ratio)


def _shortened(passage: Passage, summary: str | None, settings: Settings) -> Passage:
    """An empty summary means that nothing in the passage is relevant. A missing one is replaced by the passage's first
    words, never by nothing."""
    text = passage.text if summary is None else summary.strip()
    return replace(passage, text=text[: settings.summary_chars], shortened="summary")


async def synthesizer(state: MASISState, runtime: Runtime[Services]) -> StateUpdate:
    services = services_of(runtime)
    turn = Turn("synthesizer", state, services)
    try:
        context = await fit_context(state, services, turn)
        draft = await _write(state, context, services, turn, _telling(runtime, turn))
    except ModelError as error:
        failure = turn.failure(error)
        entry = turn.trace(error=str(error), warning=error.code)
        return {"draft_answer": None, "failure": failure, "trace": [entry], "metrics": turn.metrics()}
    return _drafted(draft, context, state, turn)


def _telling(runtime: Runtime[Services], turn: Turn) -> Listener:
    """Streams the draft to followers of the run. A stream that breaks off is written again, so only the final draft
    counts."""

    def tell(piece: str) -> None:
        runtime.stream_writer({"agent": turn.agent, "event": "token", "attempt": turn.attempt, "text": piece})

    return tell


async def _write(state: MASISState, context: Context, services: Services, turn: Turn, on_token: Listener) -> str:
    previous = state.get("critique") if state.get("retry_count", 0) else None
    draft = _previous_draft(state) if previous else None
    absent = state.get("absent", [])
    whole = [as_passage(chunk) for chunk in state.get("evidence", [])]
    brief = WritingBrief(question_of(state), context.passages, previous, guidance_of(state), draft, absent, whole)
    turn.calls_engine(services.writer)
    reply = await services.writer.write(brief, on_token)
    turn.spent(reply.usage)
    written = reply.value.strip()
    added = left_out(written, state), decisions_named(state.get("human_answers", []))
    return "\n\n".join(filter(None, (written, *added)))


def left_out(written: str, state: MASISState) -> str:
    """Names the documents that a summary of several does not cover. The citation engine recognises the wording as a
    remark about the answer."""
    named = {chunk["file_name"] for chunk in state.get("evidence", []) if chunk["chunk_id"] in written}
    wanted = state.get("summed_up", [])
    missing = list(dict.fromkeys(name for name in wanted if name not in named))
    if not named or not missing:
        return ""
    covered = len(set(wanted)) - len(missing)
    told = [f"{COVERS} {covered} of {len(set(wanted))} documents and leaves out"]
    for name in missing:
        if len(told[-1]) + len(name) > LONGEST_NAMED:
            told.append(f"{COVERS} nothing of")
        told[-1] += f" {name},"
    return " ".join(f"{sentence.rstrip(',')}." for sentence in told)


def _previous_draft(state: MASISState) -> str | None:
    """The draft that the critique is about. Passage ids are updated, and the sentences about a person's decisions are
    removed because they are added again."""
    draft, named = state.get("draft_answer"), decisions_named(state.get("human_answers", []))
    if draft is None:
        return None
    for old, new in renamed_passages(state.get("claims", []), state.get("evidence", [])).items():
        draft = draft.replace(f"[{old}]", f"[{new}]")
    return draft.removesuffix(named).partition(f"\n\n{COVERS}")[0].rstrip()


def renamed_passages(claims: Sequence[Claim], evidence: Sequence[EvidenceChunk]) -> dict[str, str]:
    """Old to new ids: a wider search may find a cited passage again as part of a longer one, which has another id."""
    known = {chunk["chunk_id"] for chunk in evidence}
    cited = [c for claim in claims for c in claim["citations"] if c["chunk_id"] not in known and c["start"] is not None]
    return {
        citation["chunk_id"]: chunk["chunk_id"]
        for citation in cited
        for chunk in evidence
        if citation["document_id"] == chunk["document_id"]
        and chunk["start"] <= (citation["start"] or 0)
        and (citation["end"] or 0) <= chunk["end"]
    }


def _drafted(draft: str, context: Context, state: MASISState, turn: Turn) -> StateUpdate:
    citations = count_citations(draft, state.get("evidence", []))
    entry = turn.trace(
        context_chars=context.chars,
        context_compressed=context.compressed,
        compression_latency_ms=context.latency_ms,
        answer_length=len(draft),
        citations=citations,
    )
    metrics: Metrics = turn.metrics() | {
        "original_context_chars": context.original_chars,
        "compressed_context_chars": context.chars,
        "compression_ratio": round(context.ratio, 4),
        "over_compression_flag": context.is_over_compressed,
        "compression_latency_ms": context.latency_ms,
        "citation_count": citations,
        "answer_length": len(draft),
        "iterations": state.get("retry_count", 0) + 1,
    }
    return {"draft_answer": draft, "trace": [entry], "metrics": metrics}


def count_citations(draft: str, evidence: Sequence[EvidenceChunk]) -> int:
    known = [chunk["chunk_id"] for chunk in evidence]
    return sum(len(sentence.cited) + len(sentence.invalid) for sentence in cited_sentences(draft, known))

"""The Synthesizer, the writer: a cited answer from the evidence alone."""

from collections.abc import Sequence

from langgraph.runtime import Runtime

from masis.audit.citations.engine import cited_sentences
from masis.errors import ModelError
from masis.orchestrator.accounting import Turn
from masis.orchestrator.context import Context, fit_context
from masis.orchestrator.human import decisions_named, guidance_of, question_of
from masis.orchestrator.services import Services, services_of
from masis.orchestrator.state import MASISState, StateUpdate
from masis.orchestrator.trail import Metrics
from masis.reasoning.ports import Listener, WritingBrief
from masis.types import Claim, EvidenceChunk


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
    """Whoever follows the run reads along; a stream that breaks off is written anew, so the draft decides."""

    def tell(piece: str) -> None:
        runtime.stream_writer({"agent": turn.agent, "event": "token", "attempt": turn.attempt, "text": piece})

    return tell


async def _write(state: MASISState, context: Context, services: Services, turn: Turn, on_token: Listener) -> str:
    previous = state.get("critique") if state.get("retry_count", 0) else None
    draft = _previous_draft(state) if previous else None
    absent = state.get("absent", [])
    brief = WritingBrief(question_of(state), context.passages, previous, guidance_of(state), draft, absent)
    turn.calls_engine(services.writer)
    reply = await services.writer.write(brief, on_token)
    turn.spent(reply.usage)
    named = decisions_named(state.get("human_answers", []))
    return f"{reply.value.strip()}\n\n{named}".strip() if named else reply.value.strip()


def _previous_draft(state: MASISState) -> str | None:
    """The draft that the critique is about, with the ids its passages have now, and without the sentences that name a
    person's decisions: they are added again."""
    draft, named = state.get("draft_answer"), decisions_named(state.get("human_answers", []))
    if draft is None:
        return None
    for old, new in renamed_passages(state.get("claims", []), state.get("evidence", [])).items():
        draft = draft.replace(f"[{old}]", f"[{new}]")
    return draft.removesuffix(named).rstrip()


def renamed_passages(claims: Sequence[Claim], evidence: Sequence[EvidenceChunk]) -> dict[str, str]:
    """Cited passages that a wider search found again as part of a longer one, which has an id of its own."""
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

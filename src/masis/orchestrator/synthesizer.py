"""The Synthesizer, the writer: a cited answer from the evidence alone."""

from collections.abc import Sequence
from dataclasses import dataclass

from langgraph.runtime import Runtime

from masis.audit.citations.engine import cited_sentences
from masis.errors import ModelError
from masis.orchestrator.accounting import Turn
from masis.orchestrator.human import decisions_named, guidance_of, question_of
from masis.orchestrator.services import Services, services_of
from masis.orchestrator.state import MASISState, Metrics, StateUpdate
from masis.reasoning.ports import Listener, Passage, WritingBrief
from masis.settings import Settings
from masis.types import EvidenceChunk


@dataclass(frozen=True, slots=True)
class Context:
    """What the writer will see, and what was done to make it fit."""

    passages: list[Passage]
    original_chars: int
    compressed: bool = False
    latency_ms: float = 0.0

    @property
    def chars(self) -> int:
        return sum(len(passage.text) for passage in self.passages)

    @property
    def ratio(self) -> float:
        return self.chars / self.original_chars if self.original_chars else 1.0


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
    return _drafted(draft, context, state, services.settings, turn)


async def fit_context(state: MASISState, services: Services, turn: Turn) -> Context:
    """The best chunks whole and the others as summaries, once the evidence is longer than the limit."""
    settings, evidence = services.settings, state.get("evidence", [])
    passages = [as_passage(chunk) for chunk in evidence]
    whole = Context(passages, sum(len(p.text) for p in passages))
    if whole.chars <= settings.context_limit_chars:
        return whole
    kept, others = passages[: settings.full_chunks], passages[settings.full_chunks :]
    if not others:
        return whole
    started = turn.elapsed_ms()
    turn.calls_engine(services.writer, "summary_prompt")
    reply = await services.writer.summarize(question_of(state), others, settings.summary_chars)
    turn.spent(reply.usage)
    shortened = [_shortened(p, reply.value.get(p.chunk_id), settings) for p in others]
    return Context([*kept, *shortened], whole.chars, True, round(turn.elapsed_ms() - started, 3))


def as_passage(chunk: EvidenceChunk) -> Passage:
    return Passage(
        chunk["chunk_id"],
        chunk["file_name"],
        chunk["page"],
        chunk["text"],
        chunk.get("heading"),
        chunk.get("date"),
        label=chunk.get("label"),
    )


def _shortened(passage: Passage, summary: str | None, settings: Settings) -> Passage:
    # A summary that did not come back is replaced by the chunk's own first words, never by nothing.
    text = (summary or "").strip() or passage.text
    return Passage(
        passage.chunk_id,
        passage.file_name,
        passage.page,
        text[: settings.summary_chars],
        passage.heading,
        passage.date,
        is_summary=True,
        label=passage.label,
    )


def _telling(runtime: Runtime[Services], turn: Turn) -> Listener:
    """Whoever follows the run reads along; a stream that breaks off is written anew, so the draft decides."""

    def tell(piece: str) -> None:
        runtime.stream_writer({"agent": turn.agent, "event": "token", "attempt": turn.attempt, "text": piece})

    return tell


async def _write(state: MASISState, context: Context, services: Services, turn: Turn, on_token: Listener) -> str:
    previous = state.get("critique") if state.get("retry_count", 0) else None
    brief = WritingBrief(
        question_of(state), context.passages, previous, guidance_of(state), absent=state.get("absent", [])
    )
    turn.calls_engine(services.writer)
    reply = await services.writer.write(brief, on_token)
    turn.spent(reply.usage)
    named = decisions_named(state.get("human_answers", []))
    return f"{reply.value.strip()}\n\n{named}".strip() if named else reply.value.strip()


def _drafted(draft: str, context: Context, state: MASISState, settings: Settings, turn: Turn) -> StateUpdate:
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
        "over_compression_flag": context.compressed and context.ratio < settings.over_compression_ratio,
        "compression_latency_ms": context.latency_ms,
        "citation_count": citations,
        "answer_length": len(draft),
        "iterations": state.get("retry_count", 0) + 1,
    }
    return {"draft_answer": draft, "trace": [entry], "metrics": metrics}


def count_citations(draft: str, evidence: Sequence[EvidenceChunk]) -> int:
    known = [chunk["chunk_id"] for chunk in evidence]
    return sum(len(sentence.cited) + len(sentence.invalid) for sentence in cited_sentences(draft, known))

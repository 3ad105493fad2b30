"""Fitting the evidence into what a writer reads: pruned to what bears on the question, or as summaries."""

import asyncio
from dataclasses import dataclass, replace

from masis.orchestrator.accounting import Turn
from masis.orchestrator.human import question_of
from masis.orchestrator.services import Services
from masis.orchestrator.state import MASISState
from masis.reasoning.ports import Passage, as_passage
from masis.reasoning.pruning import pruned
from masis.settings import OFFLINE, Settings


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
    if whole.chars <= settings.context_limit:
        return whole
    if settings.context == "summaries":
        return await _summarized(question_of(state), whole, services, turn)
    if services.writer.name == OFFLINE:
        # It selects sentences itself, and better from all of them.
        return whole
    started = turn.elapsed_ms()
    # Reading takes a processor for a while: other runs go on meanwhile.
    left = await asyncio.to_thread(pruned, question_of(state), passages, settings.context_limit)
    return Context(left, whole.chars, True, round(turn.elapsed_ms() - started, 3))


async def _summarized(question: str, whole: Context, services: Services, turn: Turn) -> Context:
    """The best passages stay whole, the others become summaries of a few words."""
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
    """An empty summary says that nothing in the passage bears on the question. One that did not come back is replaced
    by the passage's own first words, never by nothing."""
    text = passage.text if summary is None else summary.strip()
    return replace(passage, text=text[: settings.summary_chars], shortened="summary")

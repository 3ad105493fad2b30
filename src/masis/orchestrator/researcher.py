"""The Researcher: finds evidence. It writes nothing and judges nothing."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from langgraph.runtime import Runtime

from masis.errors import DatabaseUnavailable, MASISError
from masis.language.directives import is_small_talk, split_directives
from masis.language.instructions import find_instructions
from masis.language.periods import periods
from masis.language.question import parsed
from masis.orchestrator.agent import Turn
from masis.orchestrator.closest import absent_words, closest_passages
from masis.orchestrator.evidence import select_evidence, with_cited_before
from masis.orchestrator.human import guidance_of, question_of
from masis.orchestrator.services import Services, services_of
from masis.orchestrator.state import MASISState, StateUpdate, filters_of
from masis.orchestrator.trail import InstructionSeen
from masis.settings import OFFLINE, Settings
from masis.types import ClosestPassage, EvidenceChunk, ReviewCause, SearchResult

OVERVIEW_PASSAGES = 10
READ_ANYWAY = 5
BESIDE = 5_000
"""Characters next to the evidence that a chat model gets in addition."""


@dataclass(frozen=True, slots=True)
class SearchPlan:
    text: str
    limit: int
    threshold: float
    augmented: bool


def plan_search(state: MASISState, settings: Settings) -> SearchPlan:
    # Instructions for the answer (“if not available, return N/A”) are in no document.
    question, _ = split_directives(question_of(state))
    if state.get("retry_count", 0) == 0:
        return SearchPlan(question, settings.candidates, settings.relevance_threshold, False)
    critique = state.get("critique")
    named = [*critique["unsupported_claims"], *critique["logical_gaps"]] if critique else []
    named += [claim["text"] for claim in state.get("claims", []) if claim["kind"] == "limit"]
    # A gap that repeats the question adds nothing to it.
    gaps = [gap for gap in named if question not in gap]
    text = " ".join([question, *gaps])
    return SearchPlan(text, settings.retry_candidates, settings.retry_relevance_threshold, bool(gaps))


async def researcher(state: MASISState, runtime: Runtime[Services]) -> StateUpdate:
    services = services_of(runtime)
    turn = Turn("researcher", state, services)
    if is_small_talk(question_of(state)):
        return _ask_person("out_of_scope", turn, warning="not_a_question_for_documents")
    plan = plan_search(state, services.settings)
    try:
        result = await services.search(
            state["workspace_id"],
            plan.text,
            plan.limit,
            at_least=plan.threshold,
            filters=filters_of(state),
        )
    except DatabaseUnavailable:
        # The run itself is stored there: it resumes when the database is back, without asking a person.
        raise
    except MASISError as error:
        update = _ask_person("unavailable", turn, warning=error.code, error=str(error))
        return update | {"failure": turn.failure(error)}
    evidence = await asyncio.to_thread(_chosen, result, plan, state)
    if services.whole_tables:
        # A chat model benefits from surrounding text; the embedded writer picks the best sentences of what was found.
        more = BESIDE if services.writer.name != OFFLINE and not filters_of(state).pages else 0
        evidence = await services.whole_tables(state["workspace_id"], evidence, more)
    summed_up: list[str] = []
    if parsed(plan.text).shape == "overview" and services.outline:
        opened, summed_up = await services.outline(
            state["workspace_id"], plan.text, result.candidates, filters_of(state), OVERVIEW_PASSAGES
        )
        evidence = opened or evidence
    question, candidates = question_of(state), result.candidates

    def read() -> tuple[list[ClosestPassage], Counter[str]]:
        aside = _set_aside(evidence, candidates, plan, guidance_of(state).over)
        # The embedded writer ranks them next anyway, from the cache. For a chat model, that is not done just for this.
        to_read = evidence if services.writer.name == OFFLINE else ()
        return closest_passages(question, candidates, to_read), aside

    closest, aside = await asyncio.to_thread(read)
    # Shown if there is no answer: the closest passages, and the words that no document has.
    absent = await absent_words(question, candidates, state["workspace_id"], services)
    found = _found(evidence, result, plan, turn, aside) if evidence else _nothing_found(result, plan, turn)
    return {"closest": closest, "absent": absent, "summed_up": summed_up, **found}


def _chosen(result: SearchResult, plan: SearchPlan, state: MASISState) -> list[EvidenceChunk]:
    # A retry searches for the gaps too, but what is found must answer the question.
    question, _ = split_directives(question_of(state))
    found, over = [*result.candidates, *result.further], guidance_of(state).over
    evidence = select_evidence(question, found, plan.threshold, plan.limit, over)
    if not evidence and filters_of(state).documents:
        # A caller who names documents has said where the answer is: their best passages are used whatever the score.
        evidence = select_evidence(question, found, 0.0, READ_ANYWAY, over)
    return with_cited_before(evidence, state, over)


def _found(
    evidence: list[EvidenceChunk], result: SearchResult, plan: SearchPlan, turn: Turn, aside: Counter[str]
) -> StateUpdate:
    scores = [chunk["score"] for chunk in evidence]
    average = round(sum(scores) / len(scores), 4)
    entry = turn.trace(
        chunks=len(evidence),
        filtered_out=aside.total(),
        set_aside=dict(aside.most_common()),
        avg_score=average,
        threshold_used=plan.threshold,
        augmented_query_used=plan.augmented,
        **_warned_of(instructions_seen(evidence)),
        **_searched(result),
    )
    metrics = turn.metrics() | {"retrieval_scores": scores, "avg_retrieval_score": average}
    return {"evidence": evidence, "trace": [entry], "metrics": metrics}


def _set_aside(
    evidence: Sequence[EvidenceChunk], candidates: Sequence[EvidenceChunk], plan: SearchPlan, over: Sequence[str]
) -> Counter[str]:
    """Counts why candidates are not used."""
    asked = parsed(plan.text).periods
    kept = {chunk["chunk_id"] for chunk in evidence}
    used = {" ".join(chunk["text"].split()) for chunk in evidence}

    def why(chunk: EvidenceChunk) -> str:
        if chunk["file_name"] in over:
            return "distrusted"
        spoken = periods(f"{chunk.get('heading') or ''} {chunk['text']}")
        if asked and spoken and all(one.excludes(other) for one in asked for other in spoken):
            return "another_period"
        if " ".join(chunk["text"].split()) in used:
            return "repeated"
        return "weaker" if chunk["score"] >= plan.threshold else "far"

    return Counter(why(chunk) for chunk in candidates if chunk["chunk_id"] not in kept)


def instructions_seen(evidence: Sequence[EvidenceChunk]) -> list[InstructionSeen]:
    """Instructions found in documents. They are treated as data and reported."""
    return [
        {"chunk_id": chunk["chunk_id"], "file_name": chunk["file_name"], "kind": found.kind, "quote": found.text}
        for chunk in evidence
        for found in find_instructions(chunk["text"])
    ]


def _warned_of(seen: list[InstructionSeen]) -> dict[str, list[InstructionSeen]]:
    return {"instructions_seen": seen} if seen else {}


def _nothing_found(result: SearchResult, plan: SearchPlan, turn: Turn) -> StateUpdate:
    return _ask_person(
        "empty_workspace" if result.workspace_is_empty else "weak_evidence",
        turn,
        warning="no_qualifying_evidence",
        results_before_filter=len(result.candidates),
        threshold_used=plan.threshold,
        augmented_query_used=plan.augmented,
        **_searched(result),
    )


def _searched(result: SearchResult) -> dict[str, object]:
    """What the reader may not expect of the search: undated documents left out, words spelled differently."""
    undated = {"undated_left_out": result.undated_left_out} if result.undated_left_out else {}
    return {**undated, **({"respelled": dict(result.respelled)} if result.respelled else {})}


def _ask_person(cause: ReviewCause, turn: Turn, **found: object) -> StateUpdate:
    return {
        "evidence": [],
        "requires_human_review": True,
        "review_cause": cause,
        "trace": [turn.trace(**found)],
        "metrics": turn.metrics() | {"retrieval_scores": [], "avg_retrieval_score": 0.0},
    }


def route(state: MASISState) -> Literal["synthesizer", "supervisor"]:
    """Back to the Supervisor if nothing usable was found, so that no model is called without evidence."""
    return "supervisor" if state.get("requires_human_review") else "synthesizer"

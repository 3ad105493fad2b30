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
from masis.language.statements import Statement, read_out, statements
from masis.language.words import content_stems, stem, words
from masis.orchestrator.agent import Turn
from masis.orchestrator.human import guidance_of, question_of
from masis.orchestrator.services import Services, services_of
from masis.orchestrator.state import MASISState, StateUpdate, filters_of
from masis.orchestrator.trail import InstructionSeen
from masis.reasoning.offline.selection import strongest_of_each
from masis.reasoning.ports import as_passage
from masis.settings import OFFLINE, Settings
from masis.types import ClosestPassage, EvidenceChunk, ReviewCause, SearchResult, Verdict

SHOWN = 3
EXCERPT = 300
MOST_WORDS = 12


def closest_passages(
    question: str, candidates: Sequence[EvidenceChunk], to_read: Sequence[EvidenceChunk] = ()
) -> list[ClosestPassage]:
    """The passages closest to the question.

    First those of `to_read` that come nearest to an answer according to the embedded models, then those with the most
    words of the question; ties keep the order of the search.
    """
    wanted = parsed(question).subject
    by_id = {chunk["chunk_id"]: chunk for chunk in to_read}
    read = strongest_of_each(parsed(question), [as_passage(chunk) for chunk in to_read])[:SHOWN]
    nearest = [_closest(question, wanted, by_id[c.passage.chunk_id], c.statement.start) for c in read]
    known = {one["chunk_id"] for one in nearest}
    others = [_closest(question, wanted, chunk) for chunk in candidates if chunk["chunk_id"] not in known]
    return [*nearest, *sorted(others, key=lambda one: (-len(one["words"]), -one["score"]))][:SHOWN]


def _closest(question: str, wanted: frozenset[str], chunk: EvidenceChunk, begins: int | None = None) -> ClosestPassage:
    """`begins` is the offset of the statement to show; if None, the statement with the most words of the question is
    shown."""
    text = chunk["text"]
    parts = statements(text, chunk.get("heading")) or (Statement(text[:EXCERPT], 0, min(EXCERPT, len(text))),)
    best = max(parts, key=lambda s: (s.start == begins, len(wanted & set(content_stems(s.text))), -s.start))
    here = set(content_stems(f"{chunk.get('heading') or ''} {text}"))
    end = _end_of_excerpt(best, parts)
    return {
        "chunk_id": chunk["chunk_id"],
        "document_id": chunk["document_id"],
        "file_name": chunk["file_name"],
        "page": chunk["page"],
        "label": chunk.get("label"),
        "heading": chunk.get("heading"),
        "start": chunk["start"] + best.start,
        "end": chunk["start"] + end,
        "quote": text[best.start : end],
        "shown": read_out(text[best.start : end], text, chunk.get("heading")),
        "words": list(dict.fromkeys(w for w in words(question) if stem(w) in wanted and stem(w) in here)),
        "score": chunk["score"],
    }


def _end_of_excerpt(best: Statement, parts: Sequence[Statement]) -> int:
    """Extends a short statement (a heading, the address of a letter) by what follows it."""
    after = [part for part in parts if part.start >= best.end] if not best.is_row else []
    end = best.end
    for part in after:
        if part.is_row or part.end - best.start > EXCERPT:
            break
        end = part.end
    return end


async def absent_words(
    question: str, candidates: Sequence[EvidenceChunk], workspace_id: str, services: Services
) -> list[str]:
    """Content words of the question that no document of the workspace contains in any form, according to the keyword
    index."""
    here = {s for chunk in candidates for s in content_stems(f"{chunk.get('heading') or ''} {chunk['text']}")}
    wanted = parsed(question).subject - here
    asked = list(dict.fromkeys(w for w in words(question) if stem(w) in wanted))[:MOST_WORDS]
    if not asked or services.mentions is None:
        return []
    found = await services.mentions(workspace_id, asked)
    return [word for word in asked if (seen := found.get(word)) is not None and not seen.documents]


OVERVIEW_PASSAGES = 10
READ_ANYWAY = 5
BESIDE = 5_000
"""Characters next to the evidence that a chat model gets in addition."""
BORNE_OUT: tuple[Verdict, ...] = ("verbatim", "supported")


@dataclass(frozen=True, slots=True)
class SearchPlan:
    text: str
    limit: int
    threshold: float
    augmented: bool
    closely: bool = False
    """Whether passages whose vectors are far from the question are read as well."""


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
    return SearchPlan(text, settings.retry_candidates, settings.retry_relevance_threshold, bool(gaps), closely=True)


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
            closely=plan.closely,
            filters=filters_of(state),
        )
    except DatabaseUnavailable:
        # The run itself is stored there: it resumes when the database is back, without asking a person.
        raise
    except MASISError as error:
        update = _ask_person("unavailable", turn, warning=error.code, error=str(error))
        return update | {"failure": turn.failure(error)}
    evidence = select_evidence([*result.candidates, *borne_out_before(state)], plan.threshold, guidance_of(state).over)
    if not evidence and filters_of(state).documents:
        # A caller who names documents has said where the answer is: their best passages are used whatever the score.
        evidence = select_evidence(result.candidates[:READ_ANYWAY], 0.0, guidance_of(state).over)
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
        # The embedded writer reads them next anyway, from the cache. For a chat model, they are not read just for this.
        to_read = evidence if services.writer.name == OFFLINE else ()
        return closest_passages(question, candidates, to_read), aside

    closest, aside = await asyncio.to_thread(read)
    # Shown if there is no answer: the closest passages, and the words that no document has.
    absent = await absent_words(question, candidates, state["workspace_id"], services)
    found = _found(evidence, result, plan, turn, aside) if evidence else _nothing_found(result, plan, turn)
    return {"closest": closest, "absent": absent, "summed_up": summed_up, **found}


def borne_out_before(state: MASISState) -> list[EvidenceChunk]:
    """The passages cited by supported claims of the last draft: the next draft must be able to cite them again."""
    if state.get("retry_count", 0) == 0:
        return []
    right = [claim for claim in state.get("claims", []) if claim["verdict"] in BORNE_OUT]
    cited = {citation["chunk_id"] for claim in right for citation in claim["citations"]}
    return [chunk for chunk in state.get("evidence", []) if chunk["chunk_id"] in cited]


def select_evidence(
    candidates: Sequence[EvidenceChunk], threshold: float, disregarded_files: Sequence[str] = ()
) -> list[EvidenceChunk]:
    """The candidates that reach the threshold, best first, without repeated ids or texts."""
    kept: dict[str, EvidenceChunk] = {}
    texts: set[str] = set()
    for chunk in sorted(candidates, key=lambda c: (-c["score"], c["chunk_id"])):
        words = " ".join(chunk["text"].split())
        if chunk["score"] < threshold or chunk["file_name"] in disregarded_files:
            continue
        if chunk["chunk_id"] not in kept and words not in texts:
            kept[chunk["chunk_id"]] = chunk
            texts.add(words)
    return list(kept.values())


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

    def why(chunk: EvidenceChunk) -> str:
        if chunk["file_name"] in over:
            return "distrusted"
        spoken = periods(f"{chunk.get('heading') or ''} {chunk['text']}")
        if asked and spoken and all(one.excludes(other) for one in asked for other in spoken):
            return "another_period"
        return "repeated" if chunk["score"] >= plan.threshold else "far"

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

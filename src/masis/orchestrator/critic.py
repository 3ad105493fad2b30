"""The Critic: a semantic audit by an engine and a citation audit by code. Both always run."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from langgraph.runtime import Runtime

from masis.audit.checks.second_opinion import settled_by_model
from masis.audit.checks.support import REFUTED
from masis.audit.citations.extraction import audit_citations, cited_sentences, is_abstention
from masis.audit.citations.hedges import mentions_a_limit
from masis.audit.conflicts.detection import conflicts_with_answer, joined
from masis.audit.repair import Mended, repaired
from masis.audit.verdicts import judge_claims, obeyed
from masis.errors import ModelError
from masis.language.instructions import find_instructions
from masis.language.words import NEGATIONS, words
from masis.orchestrator.agent import Turn
from masis.orchestrator.human import guidance_of, question_of, still_open
from masis.orchestrator.services import Services, services_of
from masis.orchestrator.state import Attempt, MASISState, StateUpdate
from masis.orchestrator.trail import TraceEntry
from masis.reasoning.ports import AuditFinding
from masis.settings import OFFLINE, Settings
from masis.types import Answered, CitationAudit, Claim, Conflict, Critique, EvidenceChunk

OVER_COMPRESSED = "The context was compressed to {ratio:.0%} of the evidence, so that details may have been lost."


async def critic(state: MASISState, runtime: Runtime[Services]) -> StateUpdate:
    services = services_of(runtime)
    turn = Turn("critic", state, services)
    draft = state.get("draft_answer")
    if draft is None:
        # The writer failed: there is nothing to audit, and the Supervisor will ask a person.
        return {"trace": [turn.trace(warning="nothing_to_audit")], "metrics": turn.metrics()}
    update: StateUpdate = {}
    # In a thread: reading sentences takes a while, and other runs must go on.
    written, read = await asyncio.to_thread(_judged, draft, state, services)
    try:
        finding = await _semantic_audit(state, read.text, read.claims, services, turn)
    except ModelError as error:
        finding = None
        update["failure"] = turn.failure(error)
    if finding and OFFLINE not in (services.auditor.name, finding.made_by):
        vouched = _vouches(finding, services.settings)
        settled = settled_by_model(read.claims, finding.unsupported_claims, vouched, overrules=not _has_orders(state))
        read = replace(read, claims=settled)
    audited = await asyncio.to_thread(_audit, state, read, finding, services.settings)
    candidates = [audited]
    if read.repairs and any(claim["verdict"] == "fabricated_citation" for claim in written.claims):
        # A made-up id counts against the attempt as written; the repaired text may still be the best one.
        as_written = replace(written, repairs=read.repairs)
        candidates = [await asyncio.to_thread(_audit, state, as_written, finding, services.settings), audited]
    return update | _report(candidates, state, services.settings, turn)


@dataclass(frozen=True, slots=True)
class Read:
    """A text with the verdict on each of its sentences."""

    text: str
    claims: list[Claim]
    repairs: tuple[Mended, ...] = ()


def _judged(draft: str, state: MASISState, services: Services) -> tuple[Read, Read]:
    """The draft as written, and the text to audit."""
    evidence, asked = state.get("evidence", []), question_of(state)
    written = Read(draft, judge_claims(draft, evidence, services.second_opinion, services.checks, asked))
    return written, _repaired(written, state, services)


def _repaired(written: Read, state: MASISState, services: Services) -> Read:
    """The text to audit: repaired if an answer remains, otherwise as written.

    If a document contains instructions, errors may be their effect and are not repaired.
    """
    if _has_orders(state):
        return written
    readers = services.second_opinion, services.checks, question_of(state)
    is_audited = services.auditor.name != OFFLINE
    mended = repaired(written.text, written.claims, state.get("evidence", []), *readers, is_audited=is_audited)
    if mended is None or not mended.still_answers:
        return written
    return Read(mended.text, mended.claims, mended.repairs)


def _has_orders(state: MASISState) -> bool:
    """Whether a document contains instructions: the writer and the auditor may both have followed them."""
    found = (one for chunk in state.get("evidence", []) for one in find_instructions(chunk["text"]))
    return any(one.is_certain for one in found)


async def _semantic_audit(
    state: MASISState, draft: str, claims: Sequence[Claim], services: Services, turn: Turn
) -> AuditFinding:
    turn.calls_engine(services.auditor)
    evidence, guidance = state.get("evidence", []), guidance_of(state)
    reply = await services.auditor.audit(question_of(state), draft, evidence, guidance, claims)
    turn.spent(reply.usage)
    return reply.value


@dataclass(frozen=True, slots=True)
class Audited:
    read: Read
    critique: Critique
    citations: CitationAudit
    conflicts: list[Conflict]
    raw_confidence: float
    semantic_audit_made: bool
    refuted: list[Claim]
    answered: Answered = "all"
    likelihood: float | None = None


def _audit(state: MASISState, read: Read, finding: AuditFinding | None, settings: Settings) -> Audited:
    evidence, draft, claims = state.get("evidence", []), read.text, read.claims
    known = [chunk["chunk_id"] for chunk in evidence]
    citations = audit_citations(draft, known)
    refuted = refuted_by_code(claims, evidence)
    # A failed audit counts as not passed.
    made = _with_conflicts(finding, question_of(state), claims, evidence) or AuditFinding(0.0, needs_retry=True)
    critique = _with_compression_warning(critique_of(made, citations, settings, refuted), state)
    if says_nothing(draft, known):
        critique = critique | {"confidence": 0.0, "needs_retry": True}
    answered = _answered(made, read, known)
    if finding and not refuted and answered == "none" and not _is_contested(made.logical_gaps, citations, known):
        critique = _of_abstention(critique, question_of(state), state.get("retry_count", 0), settings)
    critique = critique | {"conflicting_evidence": still_open(critique["conflicting_evidence"], made.conflicts, state)}
    return Audited(
        read,
        critique,
        citations,
        list(made.conflicts),
        made.confidence,
        finding is not None,
        refuted,
        answered,
        made.likelihood,
    )


def _answered(made: AuditFinding, read: Read, known: Sequence[str]) -> Answered:
    """The auditor's judgement, except that an abstention is always “none” and an answer that denies nothing is at least
    “part”."""
    if is_abstention(read.text, known):
        return "none"
    is_denying = any(names_a_limit(c) or NEGATIONS & set(words(c["text"])) for c in read.claims)
    return made.answered if made.answered != "none" or is_denying else "part"


def _vouches(finding: AuditFinding, settings: Settings) -> bool:
    """Whether the auditor is confident and found no fault in any sentence."""
    faultless = not finding.unsupported_claims and not finding.hallucination_detected
    return faultless and as_share(finding.confidence) >= settings.confidence_threshold


def _with_conflicts(
    finding: AuditFinding | None, question: str, claims: Sequence[Claim], evidence: Sequence[EvidenceChunk]
) -> AuditFinding | None:
    if finding is None:
        return None
    unseen = conflicts_with_answer(question, claims, evidence)
    return replace(finding, conflicts=joined(finding.conflicts, unseen))


def names_a_limit(claim: Claim) -> bool:
    return claim["kind"] == "limit" or mentions_a_limit(claim["text"])


def says_nothing(draft: str, known: Sequence[str]) -> bool:
    """Whether the draft is empty or has only headings and marks."""
    return all(sentence.kind == "heading" for sentence in cited_sentences(draft, known))


def _is_contested(gaps: Sequence[str], citations: CitationAudit, known: Sequence[str]) -> bool:
    """“The documents do not say” is wrong if the auditor points to a passage that does."""
    pointed_at = any(chunk_id in gap for gap in gaps for chunk_id in known)
    return pointed_at or bool(citations["invalid_citations"])


def refuted_by_code(claims: Sequence[Claim], evidence: Sequence[EvidenceChunk]) -> list[Claim]:
    """What no auditor can overrule: numbers, names and words missing from the source, and instructions that were
    followed."""
    refuted = [c for c in claims if c["verdict"] in REFUTED]
    return [*refuted, *(claim for claim in obeyed(claims, evidence) if claim not in refuted)]


def critique_of(
    finding: AuditFinding, citations: CitationAudit, settings: Settings, refuted: Sequence[Claim] = ()
) -> Critique:
    """Combines the engine's finding with the citation audit. Code overrules the engine, never the reverse."""
    fabricated = bool(citations["invalid_citations"])
    uncited = citations["uncited_claim_count"]
    confidence = penalised(as_share(finding.confidence), citations, settings)
    if refuted and not fabricated and not finding.hallucination_detected:
        # An auditor that approves what the source does not say counts like a made-up citation.
        confidence = round(confidence * settings.fabrication_penalty, 4)
    in_words = [f"{claim['text']} ({claim['reason']})" for claim in refuted]
    unsupported = [*finding.unsupported_claims, *citations["unsupported_claims"], *in_words]
    if uncited >= settings.uncited_retry_count:
        unsupported += [f"{sentence} (it cites no passage)" for sentence in citations["uncited_claim_sentences"]]
    return {
        "confidence": confidence,
        "hallucination_detected": finding.hallucination_detected or fabricated or bool(refuted),
        "unsupported_claims": _distinct(unsupported),
        "logical_gaps": list(finding.logical_gaps),
        "conflicting_evidence": _distinct([*finding.conflicting_evidence, *_escalated(finding)]),
        "needs_retry": finding.needs_retry or fabricated or bool(refuted) or uncited >= settings.uncited_retry_count,
    }


def as_share(confidence: float) -> float:
    """A confidence above 1 is a percentage."""
    return min(1.0, max(0.0, confidence / 100 if confidence > 1 else confidence))


def penalised(confidence: float, citations: CitationAudit, settings: Settings) -> float:
    if citations["invalid_citations"]:
        confidence *= settings.fabrication_penalty
    uncited = settings.uncited_penalty * citations["uncited_claim_count"]
    return round(confidence * (1 - min(settings.uncited_penalty_max, uncited)), 4)


def _escalated(finding: AuditFinding) -> list[str]:
    """Only a contradiction between documents needs a person. The answer explains a revision or a different period, and
    nobody can choose between two places in one document."""
    contradictions = (c for c in finding.conflicts if c["kind"] == "contradiction")
    return [c["explanation"] for c in contradictions if len({side["document_id"] for side in c["sides"]}) != 1]


def _of_abstention(critique: Critique, question: str, retry_count: int, settings: Settings) -> Critique:
    """“The documents do not say” claims nothing: it is accepted after one wider search."""
    first = retry_count == 0
    return critique | {
        "confidence": max(critique["confidence"], settings.confidence_threshold),
        "hallucination_detected": False,
        "needs_retry": first,
        "logical_gaps": critique["logical_gaps"] or ([question] if first else []),
    }


def stands_as_silence(best: Attempt, settings: Settings) -> bool:
    """Whether the attempt claims nothing and was only sent back in case a wider search finds more."""
    known, critique = [chunk["chunk_id"] for chunk in best["evidence"]], best["critique"]
    is_silent = best.get("answered") == "none" or is_abstention(best["answer"], known)
    if not is_silent or critique["confidence"] < settings.confidence_threshold:
        return False
    contested = _is_contested(critique["logical_gaps"], best["citation_audit"], known)
    return not (contested or critique["hallucination_detected"] or critique["conflicting_evidence"])


def _with_compression_warning(critique: Critique, state: MASISState) -> Critique:
    metrics = state.get("metrics", {})
    if not metrics.get("over_compression_flag"):
        return critique
    gap = OVER_COMPRESSED.format(ratio=metrics["compression_ratio"])
    return critique | {"needs_retry": True, "logical_gaps": [*critique["logical_gaps"], gap]}


def is_flagged(critique: Critique, settings: Settings) -> bool:
    return (
        critique["confidence"] < settings.confidence_threshold
        or critique["hallucination_detected"]
        or critique["needs_retry"]
        or bool(critique["conflicting_evidence"])
    )


def better_of(best: Attempt | None, new: Attempt) -> Attempt:
    """Prefers a clean attempt over a flagged one, then the one that answers more, then confidence; a tie goes to the
    earlier. A draft from before a person's decision never wins after it."""
    return new if best is None or _rank(new) > _rank(best) else best


def _rank(attempt: Attempt) -> tuple[int, bool, int, float]:
    is_clean = not attempt["flagged"]
    share = ("none", "part", "all").index(attempt.get("answered", "all")) if is_clean else 0
    return attempt["round"], is_clean, share, attempt["confidence"]


def _attempt(audited: Audited, state: MASISState, settings: Settings, turn: Turn) -> Attempt:
    return {
        "number": turn.attempt,
        "round": len(state.get("human_answers", [])),
        "answer": audited.read.text,
        "confidence": audited.critique["confidence"],
        "critique": audited.critique,
        "evidence": state.get("evidence", []),
        "claims": audited.read.claims,
        "conflicts": audited.conflicts,
        "citation_audit": audited.citations,
        "flagged": is_flagged(audited.critique, settings),
        "answered": audited.answered,
        "likelihood": audited.likelihood,
    }


def _report(candidates: Sequence[Audited], state: MASISState, settings: Settings, turn: Turn) -> StateUpdate:
    """The Supervisor decides on the first candidate; the best answer may be any of them."""
    audited = candidates[0]
    critique, citations = audited.critique, audited.citations
    best = state.get("best")
    for candidate in candidates:
        best = better_of(best, _attempt(candidate, state, settings, turn))
    assert best is not None
    return {
        "critique": critique,
        "draft_answer": audited.read.text,
        "confidence": critique["confidence"],
        "claims": audited.read.claims,
        "conflicts": audited.conflicts,
        "likelihood": audited.likelihood,
        "answered": audited.answered,
        "best": best,
        "final_answer": best["answer"],
        "trace": [_trace_entry(audited, turn)],
        "metrics": turn.metrics()
        | {
            "last_citation_audit": citations,
            "citation_violations": _violations(turn.attempt, citations),
            "confidence_history": [critique["confidence"]],
            "confidence_threshold": settings.confidence_threshold,
        },
    }


def _violations(attempt: int, citations: CitationAudit) -> list[dict[str, object]]:
    if not (citations["invalid_citations"] or citations["uncited_claim_count"]):
        return []
    return [
        {
            "iteration": attempt,
            "invalid_citations": citations["invalid_citations"],
            "uncited_claims": citations["uncited_claim_sentences"],
        }
    ]


def _trace_entry(audited: Audited, turn: Turn) -> TraceEntry:
    critique, citations = audited.critique, audited.citations
    entry = turn.trace(
        confidence=critique["confidence"],
        raw_confidence=audited.raw_confidence,
        hallucination=critique["hallucination_detected"],
        needs_retry=critique["needs_retry"],
        conflicts=len(critique["conflicting_evidence"]),
        invalid_citations=citations["invalid_citations"],
        uncited_claims=citations["uncited_claim_count"],
        refuted_claims=len(audited.refuted),
    )
    if audited.read.repairs:
        entry["repairs"] = [repair.told for repair in audited.read.repairs]
    return entry if audited.semantic_audit_made else entry | {"warning": "semantic_audit_not_made"}


def _distinct(items: list[str]) -> list[str]:
    return list(dict.fromkeys(item for item in items if item))

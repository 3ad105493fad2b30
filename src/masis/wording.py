"""How MASIS names things to people: one vocabulary for the command line, the exports and the page.

Codes (`fabricated_citation`) are for programs and never change with the words here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from masis.language.measures import percent, whole_percent
from masis.settings import Settings
from masis.types import (
    LOCAL,
    CheckedBy,
    Claim,
    ClaimKind,
    ConflictKind,
    Outcome,
    Repair,
    ReviewCause,
    Verdict,
)

Tone = Literal["good", "doubt", "bad", "plain", "live"]


@dataclass(frozen=True, slots=True)
class Term:
    word: str
    """A label of a few words."""
    tone: Tone = "plain"
    meaning: str = ""
    """A sentence that explains the label."""


VERDICTS: dict[Verdict, Term] = {
    "verbatim": Term("verbatim", "good", "The source says this word for word."),
    "supported": Term("supported", "good", "The source says this in other words."),
    "numbers_differ": Term("numbers differ", "bad", "A number, date or unit differs from the source."),
    "contradicted": Term("contradicted", "bad", "The source says otherwise."),
    "not_in_source": Term("not in source", "bad", "The cited passage does not say this."),
    "uncited": Term("uncited", "doubt", "This claim has no citation."),
    "fabricated_citation": Term("fabricated citation", "bad", "This cites a passage that does not exist."),
    "unverified": Term("unverified", "doubt", "This could not be checked."),
}
CLAIM_KINDS: dict[ClaimKind, Term] = {
    "claim": Term("unverified", "doubt", "This could not be checked."),
    "limit": Term("limit", "plain", "States what the documents do not cover."),
    "recommendation": Term("recommendation", "plain", "A recommendation, not a statement from the documents."),
    "heading": Term("heading", "plain", "A heading; it makes no claim."),
}
"""Shown for a claim without a verdict."""
CHECKED_BY: dict[CheckedBy, str] = {
    "code": "checked by code, without a model",
    "verifier": "checked by the embedded verifier",
    "model": "checked by the configured model",
}
OUTCOMES: dict[Outcome, Term] = {
    "answered": Term("Answered", "good"),
    "answered_with_caveat": Term("Answered with a caveat", "doubt"),
    "conflict": Term("The documents disagree", "doubt"),
    "insufficient_evidence": Term("Not covered by the documents"),
    "out_of_scope": Term("Not a question for documents"),
    "unavailable": Term("Unavailable", "bad", "A model or server that was needed did not respond."),
}
STATUSES: dict[str, Term] = {
    "queued": Term("Queued"),
    "running": Term("Running", "live"),
    "waiting": Term("Needs a decision", "doubt"),
    "finished": Term("Finished", "good"),
    "cancelled": Term("Cancelled"),
    "failed": Term("Failed", "bad"),
}
CONFLICT_KINDS: dict[ConflictKind, str] = {
    "contradiction": "They contradict each other",
    "revision": "One revises the other",
    "different_period": "They cover different periods",
    "different_definition": "They use different definitions",
}
REVIEW_CAUSES: dict[ReviewCause, str] = {
    "conflict": "The documents disagree",
    "quality": "No draft is certain enough",
    "empty_workspace": "The workspace has no documents to search yet",
    "weak_evidence": "No passage is close enough to the question",
    "unavailable": "A model or server did not respond",
    "out_of_scope": "Not a question for documents",
}
REPAIRS: dict[Repair, Term] = {
    "added": Term("citation added", meaning="The writer cited nothing; MASIS added the citation."),
    "corrected": Term("citation corrected", meaning="The writer cited another passage; MASIS corrected the citation."),
    "cut": Term("sentence removed", meaning="MASIS removed this sentence from the answer."),
}
LIKELIHOODS: tuple[tuple[float, Term], ...] = (
    (0.75, Term("likely right", "good", "Most answers with these signs were right when they were measured.")),
    (0.4, Term("check it", "doubt", "Many answers with these signs were wrong when they were measured.")),
    (0.0, Term("weak", "bad", "Most answers with these signs were wrong when they were measured.")),
)
"""The lower limit of each likelihood; below the second one the Supervisor retries."""
CONFIDENCES: tuple[tuple[float, Term], ...] = (
    (0.8, Term("high confidence", "good", "The Critic found little or nothing wrong.")),
    (0.65, Term("fair confidence", "doubt", "The Critic has some doubts.")),
    (0.0, Term("low confidence", "bad", "The Critic has serious doubts.")),
)
"""The Critic's confidence, for answers without a fitted likelihood, which are those of chat models."""
SCORES: dict[str, Term] = {
    "faithfulness": Term("Faithfulness", meaning="Is everything in the answer in the evidence?"),
    "relevance": Term("Relevance", meaning="Does it answer the question that was asked?"),
    "completeness": Term("Completeness", meaning="Does it cover every part of the question?"),
    "reasoning_quality": Term("Reasoning", meaning="Do the conclusions follow from what is cited?"),
    "overall_score": Term("Overall"),
}
AGENTS: dict[str, Term] = {
    "supervisor": Term("Supervisor", meaning="decides who works next"),
    "researcher": Term("Researcher", meaning="searches the documents"),
    "synthesizer": Term("Synthesizer", meaning="writes the answer"),
    "critic": Term("Critic", meaning="audits every sentence"),
    "evaluator": Term("Evaluator", meaning="scores the answer"),
    "human_review": Term("Person", meaning="decides"),
}
REASONS: dict[str, str] = {
    "quality_issue_detected": "no sound answer yet; a wider search may find one",
    "conflicting_evidence_attempting_resolution": "the documents disagree; a wider search may resolve it",
    "part_not_covered": "a part of the question was not covered; a wider search may find it",
    "conflicting_evidence": "the documents disagree",
    "quality_checks_passed": "all checks passed",
    "repaired_answer_passed": "the repaired answer passed the audit",
    "documents_do_not_say": "the documents do not answer the question",
    "quality_issue_unresolved": "no draft is certain enough",
    "answered_by_person": "a person decided",
    "decided_by_person": "a person decided",
    "standing_decision": "a standing decision settles the conflict",
    "no_progress": "the last attempt changed nothing",
    "budget_spent": "the budget for this run is spent",
    "no_qualifying_evidence": "no passage is close enough",
    "not_a_question_for_documents": "not a question for documents",
    **{cause: words[0].lower() + words[1:] for cause, words in REVIEW_CAUSES.items()},
}
"""Why the Supervisor chose a route."""
DECIDED = ("answered_by_person", "standing_decision")
"""Reasons for an attempt that a decision asked for, rather than a failed draft."""
ROUTES: dict[str, str] = {
    "retry": "tries again",
    "finalize": "accepts the answer",
    "HITL_conflict": "asks a person",
    "HITL_triggered": "asks a person",
}
ACTIONS: dict[str, str] = {
    "prefer": "chose which document to trust",
    "explain_both": "asked to have both sides explained",
    "refine": "asked another question instead",
    "look_again": "asked for another search",
    "accept": "accepted the draft as it was",
    "stop": "ended the run",
}
"""A person's decision, worded to follow their name."""
SET_ASIDE: dict[str, str] = {
    "another_period": "about another year",
    "distrusted": "from a document not to be used",
    "repeated": "duplicate",
    "weaker": "less likely to answer than those used",
    "far": "too far from the question",
}
"""Why the Researcher left out a passage that it found."""
TRACE_FIELDS: dict[str, str] = {
    "duration_ms": "time",
    "chunks": "passages used",
    "filtered_out": "passages set aside",
    "avg_score": "average relevance",
    "threshold_used": "relevance needed",
    "augmented_query_used": "search widened by the critique",
    "results_before_filter": "candidates before the filter",
    "context_chars": "characters read",
    "context_compressed": "context compressed",
    "compression_latency_ms": "time to compress",
    "answer_length": "characters written",
    "citations": "citations",
    "raw_confidence": "confidence before penalties",
    "hallucination": "hallucination found",
    "needs_retry": "asks for another attempt",
    "conflicts": "conflicts",
    "invalid_citations": "fabricated citations",
    "uncited_claims": "claims without citation",
    "refuted_claims": "claims the source refutes",
    "overall_score": "overall score",
    "reasoning_quality": "reasoning",
}
"""The names of the fields of a trace entry; a field that is not listed keeps its own name."""


def vocabulary(settings: Settings) -> dict[str, Any]:
    """The whole vocabulary as JSON for the page, with the weight of each score."""
    terms: dict[str, Mapping[Any, Term]] = {
        "verdicts": VERDICTS,
        "claim_kinds": CLAIM_KINDS,
        "outcomes": OUTCOMES,
        "statuses": STATUSES,
        "scores": SCORES,
        "agents": AGENTS,
        "repairs": REPAIRS,
    }
    words: dict[str, Mapping[Any, str]] = {
        "checked_by": CHECKED_BY,
        "conflict_kinds": CONFLICT_KINDS,
        "review_causes": REVIEW_CAUSES,
        "reasons": REASONS,
        "routes": ROUTES,
        "actions": ACTIONS,
        "set_aside": SET_ASIDE,
        "trace_fields": TRACE_FIELDS,
    }
    described = {name: {code: asdict(term) for code, term in table.items()} for name, table in terms.items()}
    scales = {"likelihoods": LIKELIHOODS, "confidences": CONFIDENCES}
    grades = {name: [{"at_least": at, **asdict(term)} for at, term in scale] for name, scale in scales.items()}
    for score in described["scores"]:
        described["scores"][score]["weight"] = getattr(settings, f"weight_{score}", None)
    return described | {name: dict(table) for name, table in words.items()} | grades | {"decided": list(DECIDED)}


def verdict_of(claim: Claim) -> Term:
    return VERDICTS[claim["verdict"]] if claim["verdict"] else CLAIM_KINDS[claim["kind"]]


def grade(value: float, scale: Sequence[tuple[float, Term]] = LIKELIHOODS) -> Term:
    """Uses the rounded figure, so that the word fits the “75%” beside it."""
    return next(term for least, term in scale if whole_percent(value) >= whole_percent(least))


def sure_words(likelihood: float | None, confidence: float, claims: Sequence[Claim]) -> str:
    """How certain an answer is, by one measure. Empty if the answer claims nothing."""
    if all(claim["kind"] != "claim" for claim in claims):
        return ""
    value, scale = (confidence, CONFIDENCES) if likelihood is None else (likelihood, LIKELIHOODS)
    return f"{grade(value, scale).word} ({percent(value)})"


def removed_sentences(trace: Sequence[Mapping[str, Any]]) -> list[str]:
    """The sentences that MASIS removed from the answer, without repetitions. Only the trail has them."""
    repairs = (repair for entry in trace for repair in entry.get("repairs", []))
    return list(dict.fromkeys(str(repair["sentence"]) for repair in repairs if repair["repaired"] == "cut"))


def counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def scope_words(filters: Mapping[str, Any], known: Sequence[Mapping[str, Any]] = ()) -> str:
    """“report.pdf, PDF, since 2024, pages 3–7”; empty without filters. `known` holds passages that give the names of
    documents filtered by id."""
    names = {each["document_id"]: each["file_name"] for each in known}
    first, last = filters.get("pages") or (None, None)
    parts = [
        *(names.get(each, each) for each in filters.get("documents", ())),
        *(kind.upper() for kind in filters.get("file_types", ())),
        filters.get("dated_from") and f"since {filters['dated_from']}",
        filters.get("dated_to") and f"until {filters['dated_to']}",
        first and (f"page {first}" if first == last else f"pages {first}–{last}"),
    ]
    return ", ".join(filter(None, parts))


def person(by: str | None) -> str:
    return "The person at this machine" if by == LOCAL.name else by or "A person"


def decision_words(decision: Mapping[str, Any]) -> str:
    """A person's decision, with who made it and why. One with a `decision_id` comes from an earlier run."""
    done = {
        **ACTIONS,
        "prefer": f"trusts {', '.join(decision.get('prefer', []))} over {', '.join(decision.get('over', []))}",
        "refine": f"asked instead: “{decision.get('question')}”",
    }[decision["action"]]
    note = f": {decision['note']}" if decision.get("note") else ""
    earlier = " (a standing decision from an earlier run)" if decision.get("decision_id") else ""
    return f"{person(decision.get('by'))} {done}{note}{earlier}"


def step_words(entry: Mapping[str, Any]) -> str:
    """A trace entry on one line, with the engine that replaced a model."""
    return " ".join(filter(None, [_done(entry), *(f"({why})" for why in entry.get("stood_in", []))]))


def _done(entry: Mapping[str, Any]) -> str:
    if "warning" in entry:
        return _warning(entry)
    match entry["node"]:
        case "researcher" if "chunks" in entry:
            return _passages(entry)
        case "synthesizer" if "answer_length" in entry:
            shorter = " of a shortened context" if entry.get("context_compressed") else ""
            return f"cited {counted(entry.get('citations', 0), 'passage')}{shorter}"
        case "critic" if "confidence" in entry:
            return _criticism(entry)
        case "evaluator" if "overall_score" in entry:
            return f"overall score {percent(entry['overall_score'])}"
        case "human_review" if "action" in entry:
            return decision_words(entry)
        case "supervisor" if "decision" in entry:
            reason = str(entry.get("reason") or "")
            done = "continues" if reason in DECIDED else ROUTES.get(entry["decision"], entry["decision"])
            why = REASONS.get(reason, reason.replace("_", " "))
            return f"{done}: {why}" if why else done
    return ""


def _passages(entry: Mapping[str, Any]) -> str:
    found, aside = counted(entry["chunks"], "passage"), entry.get("filtered_out", 0)
    why = next((SET_ASIDE[reason] for reason in entry.get("set_aside", {})), "")
    return f"{found}, {aside} set aside{f': {why}' if why else ''}" if aside else found


def _warning(entry: Mapping[str, Any]) -> str:
    if entry["warning"] == "no_qualifying_evidence":
        return f"none of {counted(entry.get('results_before_filter', 0), 'candidate')} is close enough"
    return str(entry.get("error") or entry["warning"].replace("_", " "))


def _criticism(entry: Mapping[str, Any]) -> str:
    found = [
        (len(entry.get("invalid_citations", [])), "fabricated citation"),
        (entry.get("refuted_claims", 0), "refuted claim"),
        (entry.get("uncited_claims", 0), "uncited claim"),
        (entry.get("conflicts", 0), "conflict"),
        (len(entry.get("repairs", [])), "repair"),
    ]
    return ", ".join(counted(n, what) for n, what in found if n) or "no objections"

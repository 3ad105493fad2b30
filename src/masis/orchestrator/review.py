"""How a run ends: its outcome, and the question put to a person, with one wording per cause."""

from collections.abc import Callable
from dataclasses import dataclass

from masis.audit.citations.extraction import is_abstention
from masis.audit.citations.hedges import mentions_a_limit
from masis.language.measures import percent
from masis.language.statements import read_out
from masis.orchestrator.state import Attempt, Failure, Review
from masis.types import Conflict, ConflictSide, Outcome, ReviewCause, place

BY_CAUSE: dict[ReviewCause, Outcome] = {
    "conflict": "conflict",
    "quality": "insufficient_evidence",
    "empty_workspace": "insufficient_evidence",
    "weak_evidence": "insufficient_evidence",
    "unavailable": "unavailable",
    "out_of_scope": "out_of_scope",
}
"""An answer that never passed its own audit is one that the evidence does not support."""


def outcome_of(cause: ReviewCause | None, best: Attempt | None) -> Outcome:
    if cause:
        return BY_CAUSE[cause]
    claims = best["claims"] if best else []
    asserts = any(claim["kind"] in ("claim", "recommendation") for claim in claims)
    share = best.get("answered", "all") if best else "all"
    limited = share == "part" or any(claim["kind"] == "limit" or mentions_a_limit(claim["text"]) for claim in claims)
    # The reader must know of a contradiction that a person settled, and of a figure that was revised.
    disputed = any(c["kind"] in ("revision", "contradiction") for c in best["conflicts"]) if best else False
    silent = best and is_abstention(best["answer"], [chunk["chunk_id"] for chunk in best["evidence"]])
    if not asserts or silent or share == "none":
        return "insufficient_evidence"
    return "answered_with_caveat" if limited or disputed else "answered"


@dataclass(frozen=True, slots=True)
class Situation:
    question: str
    workspace_id: str
    attempts: int = 1
    confidence: float = 0.0
    conflicts: tuple[Conflict, ...] = ()
    conflict_notes: tuple[str, ...] = ()
    failure: Failure | None = None
    has_draft: bool = False
    missing: tuple[str, ...] = ()
    """What the best draft leaves open, according to the draft itself and the Critic."""


NOTHING_COVERS: tuple[ReviewCause, ...] = ("empty_workspace", "weak_evidence")
"""Without a draft, these causes mean that no document covers the question at all."""

CHOICES: dict[ReviewCause, list[str]] = {
    "conflict": ["prefer", "explain_both", "refine", "look_again", "accept", "stop"],
    "quality": ["refine", "look_again", "accept", "stop"],
    "empty_workspace": ["look_again", "stop"],
    "weak_evidence": ["refine", "look_again", "accept", "stop"],
    "unavailable": ["look_again", "refine", "accept", "stop"],
    "out_of_scope": ["refine", "stop"],
}


def review_for(cause: ReviewCause, situation: Situation) -> Review:
    choices = [c for c in CHOICES[cause] if c != "accept" or situation.has_draft]
    contradictions = [c for c in situation.conflicts if c["kind"] == "contradiction"]
    return {
        "cause": cause,
        "question": WORDINGS[cause](situation),
        "choices": choices,
        "conflicts": contradictions,
        "missing": _missing(cause, situation),
        "attempts": situation.attempts,
        "confidence": situation.confidence,
    }


def _missing(cause: ReviewCause, s: Situation) -> list[str]:
    return [s.question] if cause in NOTHING_COVERS and not s.has_draft else list(s.missing)


def _conflict(s: Situation) -> str:
    sides = [_both_sides(c) for c in s.conflicts if c["kind"] == "contradiction"] or list(s.conflict_notes)
    listed = "\n".join(f"- {side}" for side in sides)
    return (
        f"The documents disagree, and {_attempts(s)} did not resolve it:\n{listed}\n"
        "Which source should be trusted? Pick the document to prefer, or say that both are right and should be "
        "explained."
    )


def _both_sides(conflict: Conflict) -> str:
    when = f" ({conflict['period']})" if conflict["period"] else ""
    return f"{conflict['about']}{when}\n" + "\n".join(f"    {_side(side)}" for side in conflict["sides"])


def _side(side: ConflictSide) -> str:
    where = ", ".join(filter(None, [side["file_name"], place(side["page"], side.get("label")), side["date"]]))
    return f"{where} says {side['value']}: “{read_out(side['quote'])}”"


def _quality(s: Situation) -> str:
    return (
        f"No draft is certain enough to stand as the answer: {_attempts(s)}, the best with a confidence of "
        f"{percent(s.confidence)}. The best draft is shown with its sources and the audit's objections: it may be "
        "right and still not be what you asked for. Accept it, refine the question, or add documents that cover it."
    )


def _empty_workspace(s: Situation) -> str:
    return (
        f"No document in the workspace “{s.workspace_id}” can be searched yet, so no model was called. Upload the "
        "documents that should answer this, or wait until those you uploaded have been read, then ask again."
    )


def _weak_evidence(s: Situation) -> str:
    if s.has_draft:
        return (
            "The wider search found nothing usable, so the earlier draft is shown with the audit's objections. "
            "Rephrase the question with terms the documents use, upload documents that cover it, or accept the draft."
        )
    return "Rephrase the question with terms the documents use, or add documents that cover it."


def _unavailable(s: Situation) -> str:
    what = s.failure["message"].rstrip(". ") + "." if s.failure else "A required part did not respond."
    advice = f" {s.failure['advice']}" if s.failure else ""
    safe = "The best draft so far is saved" if s.has_draft else "Nothing was lost"
    return f"The run could not continue: {what} {safe}; try again when it is back.{advice}"


def _out_of_scope(s: Situation) -> str:
    return (
        "That is not a question for documents, so nothing was searched. Ask about what the documents of "
        f"“{s.workspace_id}” say, for example a figure, a decision or a risk."
    )


def _attempts(s: Situation) -> str:
    return "1 attempt" if s.attempts == 1 else f"{s.attempts} attempts"


WORDINGS: dict[ReviewCause, Callable[[Situation], str]] = {
    "conflict": _conflict,
    "quality": _quality,
    "empty_workspace": _empty_workspace,
    "weak_evidence": _weak_evidence,
    "unavailable": _unavailable,
    "out_of_scope": _out_of_scope,
}

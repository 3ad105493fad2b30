"""Every run ends in exactly one outcome."""

from masis.orchestrator.state import Attempt
from masis.types import Outcome, ReviewCause

BY_CAUSE: dict[ReviewCause, Outcome] = {
    "conflict": "conflict",
    "quality": "insufficient_evidence",
    "empty_workspace": "insufficient_evidence",
    "weak_evidence": "insufficient_evidence",
    "unavailable": "unavailable",
    "out_of_scope": "out_of_scope",
}
"""An answer that could not be made to pass its own audit is one the evidence does not carry."""


def outcome_of(cause: ReviewCause | None, best: Attempt | None) -> Outcome:
    if cause:
        return BY_CAUSE[cause]
    claims = best["claims"] if best else []
    asserts = any(claim["kind"] in ("claim", "recommendation") for claim in claims)
    limited = any(claim["kind"] == "limit" for claim in claims)
    # A contradiction that a person settled, and a figure that was revised, are part of what the reader must know.
    disputed = any(c["kind"] in ("revision", "contradiction") for c in best["conflicts"]) if best else False
    if not asserts:
        return "insufficient_evidence"
    return "answered_with_caveat" if limited or disputed else "answered"

"""What a chat model's audit says of the claims that neither code nor the embedded verifier could decide."""

from collections.abc import Sequence

from masis.audit.text.words import content_stems
from masis.types import Claim

SAME_CLAIM = 0.8
"""Share of the shorter one's words that an objection and a claim must have in common to mean the same sentence."""


def settled_by_model(claims: Sequence[Claim], objections: Sequence[str]) -> list[Claim]:
    """A model that audited every sentence vouches for those it did not object to. Only what was open is settled."""
    return [_settled(claim, objections) if claim["verdict"] == "unverified" else claim for claim in claims]


def _settled(claim: Claim, objections: Sequence[str]) -> Claim:
    if any(_is_same(claim["text"], objection) for objection in objections):
        return claim | {
            "verdict": "not_in_source",
            "reason": "the auditor found no support for it",
            "checked_by": "model",
        }
    return claim | {"verdict": "supported", "reason": "the auditor found it borne out", "checked_by": "model"}


def _is_same(claim: str, objection: str) -> bool:
    ours, theirs = set(content_stems(claim)), set(content_stems(objection))
    shorter = min(len(ours), len(theirs))
    return bool(shorter) and len(ours & theirs) >= SAME_CLAIM * shorter

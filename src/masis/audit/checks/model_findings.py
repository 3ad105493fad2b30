"""What a chat model's audit says of the claims that neither code nor the embedded verifier could decide."""

from collections.abc import Sequence

from masis.language.words import content_stems
from masis.types import Claim, Verdict

SAME_CLAIM = 0.8
"""Share of the shorter one's words that an objection and a claim must have in common to mean the same sentence."""


def settled_by_model(claims: Sequence[Claim], objections: Sequence[str], vouched: bool) -> list[Claim]:
    """What was open for want of words; where code and verifier disagree, the model's silence decides nothing.

    `vouched`: the model audited the whole answer and found no fault in it. A list of faults may be cut short, so that
    what is not on it is not vouched for."""
    return [_settled(claim, objections, vouched) if _is_open(claim) else claim for claim in claims]


def _is_open(claim: Claim) -> bool:
    return claim["verdict"] == "unverified" and claim.get("checked_by") == "code"


def _settled(claim: Claim, objections: Sequence[str], vouched: bool) -> Claim:
    if any(_is_same(claim["text"], objection) for objection in objections):
        return _with(claim, "not_in_source", "the auditor found no support for it")
    return _with(claim, "supported", "the auditor found it borne out") if vouched else claim


def _with(claim: Claim, verdict: Verdict, reason: str) -> Claim:
    settled: Claim = {**claim, "verdict": verdict, "reason": reason, "checked_by": "model"}
    if "parts" in claim:
        settled["parts"] = [
            {**part, "verdict": verdict, "reason": reason} if part["verdict"] == "unverified" else part
            for part in claim["parts"]
        ]
    return settled


def _is_same(claim: str, objection: str) -> bool:
    ours, theirs = set(content_stems(claim)), set(content_stems(objection))
    shorter = min(len(ours), len(theirs))
    return bool(shorter) and len(ours & theirs) >= SAME_CLAIM * shorter

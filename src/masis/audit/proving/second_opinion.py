"""What a reader with a sense of meaning may change in code's verdicts, and what it may not.

Code compares words, and a paraphrase shares few of them. Where a verdict rests on shared words alone, a second reader
(the embedded verifier, say) is asked how likely the passage bears out the claim. What code found in numbers, dates,
names, negation and direction stands whatever that reader thinks.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from masis.audit.proving.support import Support
from masis.types import EvidenceChunk

SUPPORTED_BY_VERIFIER = 0.70
"""From this probability on the passage bears out the claim …"""
REFUTED_BY_VERIFIER = 0.15
"""… down to this one it does not; in between the reader cannot tell either, and code's verdict is left as it was or,
where code had found too few words, left open. Both are fitted on labelled claims, not on these checks."""

Question = tuple[str, Sequence[EvidenceChunk]]
SecondOpinion = Callable[[Sequence[Question]], Sequence[float | None]]
"""Claims with the chunks they cite → the probability that these bear each out, None where it cannot be told."""


def weighed(support: Support, probability: float | None) -> Support:
    """The verdict after the second reader has spoken."""
    if probability is None or not support.is_open:
        return support
    if probability >= SUPPORTED_BY_VERIFIER:
        return replace(support, verdict="supported", reason=_reason("bear it out", probability), checked_by="verifier")
    if probability <= REFUTED_BY_VERIFIER:
        said = _reason("do not bear it out", probability)
        return replace(support, verdict="not_in_source", reason=said, checked_by="verifier")
    if support.verdict == "not_in_source":
        return replace(support, verdict="unverified", reason=f"{support.reason}, and the verifier cannot tell either")
    return support


def _reason(finding: str, probability: float) -> str:
    return f"the cited words {finding}, says the verifier (probability {probability:.0%})"

"""What a reader with a sense of meaning may change in code's verdicts, and what it may not.

Code compares words, and a paraphrase shares few of them. Where a verdict rests on shared words alone, a second reader
(the embedded verifier, say) is asked how likely the passage bears out the claim. What code found in numbers, dates,
names and quotations stands whatever that reader thinks. A contradiction that code read from negation or direction
is withdrawn, to `unverified`, when the reader is all but certain of the contrary; exchanged names and numbers are not.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from masis.audit.checks.support import Support
from masis.types import EvidenceChunk

SUPPORTED_BY_VERIFIER = 0.70
"""From this probability on the passage bears out the claim …"""
REFUTED_BY_VERIFIER = 0.15
"""… down to this one it does not, unless code found every figure of the claim; in between the reader cannot tell
either, and code's verdict is left as it was or, where code had found too few words, left open."""
ALL_BUT_CERTAIN = 0.95
"""What it takes to withdraw what code found: a contradiction, or, with as little as the rest, the claim's own words in
the source. Neither becomes its contrary; it is left open."""

Question = tuple[str, Sequence[EvidenceChunk]]
SecondOpinion = Callable[[Sequence[Question]], Sequence[float | None]]
"""Claims with the chunks they cite → the probability that these bear each out, None where it cannot be told."""


def weighed(support: Support, probability: float | None) -> Support:
    """The verdict after the second reader has spoken."""
    if probability is None or not support.is_open:
        return support
    if support.verdict == "contradicted":
        return _contradiction(support, probability)
    if probability >= SUPPORTED_BY_VERIFIER:
        return replace(support, verdict="supported", reason=_reason("bear it out", probability), checked_by="verifier")
    if support.verdict == "supported":
        return _doubted(support, probability)
    if probability <= REFUTED_BY_VERIFIER and not support.figures_hold:
        said = _reason("do not bear it out", probability)
        return replace(support, verdict="not_in_source", reason=said, checked_by="verifier")
    if support.verdict == "not_in_source":
        return replace(support, verdict="unverified", reason=f"{support.reason}, and the verifier cannot tell either")
    return support


def _doubted(support: Support, probability: float) -> Support:
    if probability > 1 - ALL_BUT_CERTAIN:
        return support
    return _disputed(support, _reason("do not bear it out", probability))


def _contradiction(support: Support, probability: float) -> Support:
    if probability < ALL_BUT_CERTAIN:
        return support
    return _disputed(support, _reason("bear it out", probability))


def _disputed(support: Support, other: str) -> Support:
    """Code and the reader do not agree: nobody after them settles it by saying nothing."""
    return replace(support, verdict="unverified", reason=f"{support.reason}, says code; {other}", checked_by="verifier")


def _reason(finding: str, probability: float) -> str:
    return f"the cited words {finding}, says the verifier (probability {probability:.0%})"

"""What of an answer may have been written because a document ordered it.

Where documents give no orders, a sentence without a source is a fault of style that costs a little. Where they do, it
is what an obeyed order looks like, and it counts as unsupported unless some passage bears it out.
"""

from collections.abc import Sequence

from masis.audit.checks.support import check_support
from masis.language.instructions import find_instructions, readable
from masis.language.words import content_stems
from masis.types import Claim, EvidenceChunk

_BORNE_OUT = ("verbatim", "supported")
_ECHO = 0.6
"""Share of a sentence's words that come from an order, or of a request's words that come back in a sentence, from which
on the one is taken for the other's doing."""


def obeyed(claims: Sequence[Claim], evidence: Sequence[EvidenceChunk]) -> list[Claim]:
    found = [one for chunk in evidence for one in find_instructions(chunk["text"])]
    if not found:
        return []
    orders = [one.text for one in found if one.is_certain]
    requests = [one.text for one in found if not one.is_certain]
    honest = readable(evidence)
    return [
        claim
        for claim in claims
        if claim["kind"] != "limit" and not _is_borne_out(claim) and _may_obey(claim, orders, requests, honest)
    ]


def _is_borne_out(claim: Claim) -> bool:
    """By its own citation, and not on the word of a model that may have obeyed as well."""
    return bool(claim["citations"]) and claim["verdict"] in _BORNE_OUT and claim.get("checked_by") != "model"


def _may_obey(claim: Claim, orders: Sequence[str], requests: Sequence[str], evidence: Sequence[EvidenceChunk]) -> bool:
    text = claim["text"]
    if any(_comes_from(text, order) for order in orders) or any(_comes_from(asked, text) for asked in requests):
        return True
    if not orders or claim["kind"] == "heading":
        return False
    return check_support(text, evidence).verdict not in _BORNE_OUT


def _comes_from(text: str, source: str) -> bool:
    said = set(content_stems(text))
    return len(said) > 1 and len(said & set(content_stems(source))) >= _ECHO * len(said)

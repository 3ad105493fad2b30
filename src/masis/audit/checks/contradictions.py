"""Does the source say the contrary? A negation or a direction that only one of the two has, about the same thing."""

from masis.audit.checks.denials import denied_by_one, denies_a_figure
from masis.audit.checks.figures import gives
from masis.audit.checks.signature import LIKELY, NOT_RULED_OUT, Claim, Finding, Sources, coverage_of
from masis.audit.checks.turns import flipped, turned_round
from masis.language.quantities import quantities
from masis.language.words import is_negated, stem

SAME_SENTENCE = 0.70
"""Two sentences that share this much and differ in a negation deny each other."""


def denied(claim: Claim, sources: Sources) -> Finding | None:
    window = sources.window(claim)
    if window is None or claim.tells_an_absence:
        return None
    turned = flipped(claim.text, window.said)
    # The flipped word itself is not in the source, and must not count against how alike the two are.
    wanted = claim.subject - {stem(ours) for ours, _ in turned}
    if not wanted or coverage_of(wanted, window.parts) < SAME_SENTENCE:
        return None
    if turned and is_negated(claim.text) != is_negated(window.said):
        return Finding("unverified", "it denies the contrary of what the source says: code alone cannot tell")
    if why := denied_by_one(claim.text, window.said):
        return Finding("contradicted", why, withdrawn_at=NOT_RULED_OUT)
    if contrary := turned_round(claim.text, window.said):
        return Finding("contradicted", f"the claim says {contrary[0]}, the source {contrary[1]}", withdrawn_at=LIKELY)
    return None


def denied_figure(claim: Claim, sources: Sources) -> Finding | None:
    """ "Revenue was not $5 million", where the source gives that very figure and denies none."""
    window = sources.window(claim)
    if window is None or not denies_a_figure(claim.text) or denies_a_figure(window.said):
        return None
    given = quantities(sources.text)
    if all(any(gives(q, r.quantity) for q in given) for r in claim.figures):
        return Finding("contradicted", "it denies a figure that the source gives")
    return None

"""How strongly a statement answers a question: a few readings of it, weighed as labelled questions have taught.

The weights are the output of `python -m evals.fit_strength`, which says on what they were fitted.
"""

from dataclasses import astuple, dataclass


@dataclass(frozen=True, slots=True)
class Features:
    logit: float
    """The cross-encoder's, for the statement with what it stands under and, where it can stand alone, by itself."""
    reading: float
    """How strongly the passage answers, by the reader …"""
    pointed: float
    """… and 1 where the words that the reader points at are the statement's."""
    shared: float
    """Share of the question's words that the statement, or what it stands under, has."""
    shortfall: float
    """What speaks against it: another period, no number where one is asked for."""


WEIGHTS = Features(logit=0.62, reading=1.00, pointed=3.00, shared=6.50, shortfall=-1.00)
BIAS = -3.81


def strength(features: Features) -> float:
    """0 where it is as likely as not that the statement answers."""
    weighed: list[float] = [w * x for w, x in zip(astuple(WEIGHTS), astuple(features), strict=True)]
    return BIAS + sum(weighed)


def closeness(features: Features) -> float:
    """By the cross-encoder and the words alone, 0 where it is as likely as not that the statement is to the point."""
    return features.logit + 4.0 * (features.shared - 0.5) - features.shortfall

"""How strongly a statement answers a question: a few readings of it, weighed.

The weights are near those that `python -m evals.fit_strength` prints. That fit is flat: with the selector's word on the
statement alone the best statement is as often the right one (.68 to .70 of 140 questions). What the question's words
and what speaks against a statement weigh was set by hand between the last two fits.
"""

from dataclasses import astuple, dataclass


@dataclass(frozen=True, slots=True)
class Features:
    answers: float
    """The selector's, that the passage answers, as a logit …"""
    mark: float
    """… and that the statement belongs to the answer."""
    shared: float
    """Share of the question's words that the statement, or what it stands under, has."""
    shortfall: float
    """How many things speak against it: another period, no number where one is asked for."""


WEIGHTS = Features(answers=0.14, mark=0.31, shared=0.31, shortfall=-0.60)
BIAS = 0.30


def strength(features: Features) -> float:
    """0 where it is as likely as not that the statement answers."""
    weighed: list[float] = [w * x for w, x in zip(astuple(WEIGHTS), astuple(features), strict=True)]
    return BIAS + sum(weighed)

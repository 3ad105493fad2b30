"""Which trial the question asks for: a log-linear model over all of them and over saying nothing.

Its weights are the output of `python -m evals.fit_tables`, which says on what they were fitted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, log
from pathlib import Path
from typing import TYPE_CHECKING, Any

from masis.reasoning.offline.tables.anchors import TableQuery
from masis.reasoning.offline.tables.features import (
    CLASS_PLACE,
    FORM_PLACE,
    PLACE,
    Alignment,
    class_of,
    grams,
    matrix_of,
)
from masis.reasoning.offline.tables.grid import Table
from masis.reasoning.offline.tables.trials import Trial, trials

if TYPE_CHECKING:
    import numpy as np

    Figures = np.ndarray[Any, Any]

WEIGHTS = Path(__file__).parent / "weights.npz"


@dataclass(frozen=True)
class Weights:
    forms: "Figures"
    """For each form and feature."""
    form_words: "Figures"
    """For each word of a question and form …"""
    class_words: "Figures"
    """… and for each word and what the answer looks like."""
    words: dict[str, int]
    surety: "Figures"
    """Of the logistic fit that makes a probability of being right out of what the model says."""


@lru_cache(maxsize=1)
def weights() -> Weights:
    import numpy as np

    with np.load(WEIGHTS) as kept:
        words = {word: n for n, word in enumerate(bytes(kept["words"]).decode().split("\n"))}
        figures = [kept[name].astype(np.float32) for name in ("forms", "form_words", "class_words")]
        return Weights(figures[0], figures[1], figures[2], words, kept["surety"])


@dataclass(frozen=True, slots=True)
class Weighed:
    trial: Trial
    strength: float
    """The probability that it is the right answer."""


@dataclass(frozen=True, slots=True)
class Pool:
    """All trials over all tables, as figures; the last line of each stands for saying nothing."""

    trials: list[Trial]
    features: "Figures"
    forms: "Figures"
    classes: "Figures"


def pool_of(asked: TableQuery, tables: Sequence[Table]) -> Pool | None:
    import numpy as np

    tried: list[Trial] = []
    lines = []
    for table in tables:
        if made := trials(asked, table):
            tried += made
            lines.append(matrix_of(made, Alignment(asked, table)))
    if not tried:
        return None
    features = np.concatenate(lines)
    features = np.concatenate([features, features.max(axis=0, keepdims=True)])
    forms = np.array([*(FORM_PLACE[t.form] for t in tried), FORM_PLACE["none"]])
    classes = np.array([*(CLASS_PLACE[class_of(t)] for t in tried), CLASS_PLACE["none"]])
    return Pool(tried, features, forms, classes)


def probabilities(asked: TableQuery, pool: Pool, by: Weights) -> "Figures":
    import numpy as np

    known = [by.words[gram] for gram in grams(asked) if gram in by.words]
    logits = np.einsum("ij,ij->i", pool.features, by.forms[pool.forms])
    logits = logits + by.form_words[known].sum(axis=0)[pool.forms] + by.class_words[known].sum(axis=0)[pool.classes]
    raised = np.exp(logits - logits.max())
    return np.asarray(raised / raised.sum())


def weighed(asked: TableQuery, tables: Sequence[Table]) -> Weighed | None:
    """The surest trial; trials that give the same answer count together."""
    pool = pool_of(asked, tables)
    if pool is None:
        return None
    by = weights()
    shares = probabilities(asked, pool, by)
    together: dict[tuple[str, ...], float] = {}
    for trial, share in zip(pool.trials, shares, strict=False):
        together[trial.denoted] = together.get(trial.denoted, 0.0) + float(share)
    best, mass = max(together.items(), key=lambda pair: pair[1])
    second = max((value for denoted, value in together.items() if denoted != best), default=0.0)
    chosen = max((n for n, t in enumerate(pool.trials) if t.denoted == best), key=lambda n: shares[n])
    said = surety_features(mass, second, float(shares[-1]), pool.features[chosen])
    return Weighed(pool.trials[chosen], _sure(said, by))


TELLING = (
    "covered", "covered with caption", "all exact", "best label", "a time is asked", "times met", "another time",
    "any firm word left", "words left", "numbers left", "headers left", "head left", "no filter", "by limit",
    "total row",
)  # fmt: skip
"""Features of the chosen trial that say how far its share can be trusted."""


def surety_features(mass: float, second: float, nothing: float, chosen: "Figures") -> list[float]:
    shares = [log(share + 1e-6) for share in (mass, second, nothing)]
    return [1.0, *shares, *(float(chosen[PLACE[name]]) for name in TELLING)]


def _sure(said: Sequence[float], by: Weights) -> float:
    return 1 / (1 + exp(-sum(float(w) * x for w, x in zip(by.surety, said, strict=True))))

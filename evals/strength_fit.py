"""Logistic regression for masis.reasoning.offline.strength: what is known of a question is only whether its passage
answers it, so the strongest statement stands for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

REFUSED = 0.90
RIDGE = 1.0
STEPS = 4000

Vector = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class Question:
    answerable: bool
    features: "np.ndarray[Any, np.dtype[np.float64]]"
    """One row for each statement of its passage that was read."""
    overlap: float
    """The cheap way: share of the question's words in the passage."""
    half: int
    """Weights and thresholds are fitted on one half and reported on the other."""


POINTED = 3.0
"""Given, not fitted: it says which statement of a passage, and each passage has one."""


def fitted(questions: Sequence[Question]) -> tuple[Vector, float]:
    weights = fit(questions)
    return weights, -best_threshold(questions, weights, 0.0)


def fit(questions: Sequence[Question]) -> Vector:
    """In units of the reader's strength, as what speaks against a statement is."""
    labels = np.array([float(q.answerable) for q in questions])
    chosen = np.array([_strongest(q) for q in questions])
    logit, reading, shared = logistic(chosen[:, [0, 1, 3]], labels)
    return np.array([logit / reading, 1.0, POINTED, shared / reading, -1.0])


def _strongest(question: Question) -> Vector:
    """By readings and words as they come: the weights must not choose what they are fitted on."""
    row: Vector = question.features[int(np.argmax(question.features @ np.array([0.5, 0.0, POINTED, 4.0, -1.0])))]
    return row


def logistic(rows: Vector, labels: Vector) -> Vector:
    """Weights that are never negative: no reading that speaks for an answer may speak against it."""
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    scaled = (rows - mean) / spread
    weights, bias = np.ones(rows.shape[1]), 0.0
    for _ in range(STEPS):
        error = 1 / (1 + np.exp(-(scaled @ weights + bias))) - labels
        weights = np.maximum(0.01, weights - 0.3 * (scaled.T @ error + RIDGE * weights) / len(labels))
        bias -= 0.3 * float(error.mean())
    return weights / spread


def strengths(questions: Sequence[Question], weights: Vector, bias: float) -> Vector:
    return np.array([float((q.features @ weights).max()) + bias for q in questions])


def best_threshold(questions: Sequence[Question], weights: Vector, bias: float) -> float:
    """The lowest that still refuses most of what cannot be answered: a wrong answer costs more than a refusal."""
    scores = np.sort(strengths(questions, weights, bias))
    middles = (scores[1:] + scores[:-1]) / 2
    return next(float(t) for t in middles if rates(questions, weights, bias - t)[1] >= REFUSED)


def rates(questions: Sequence[Question], weights: Vector, bias: float) -> tuple[float, float]:
    answered = strengths(questions, weights, bias) >= 0
    labels = np.array([q.answerable for q in questions])
    return float(answered[labels].mean()), float((~answered[~labels]).mean())

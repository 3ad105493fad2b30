"""Logistic regression with fixed signs: no reading that speaks for an answer may count against it."""

from typing import Any

import numpy as np

RIDGE = 1.0
STEPS = 4000

Vector = np.ndarray[Any, np.dtype[np.float64]]


def logistic(rows: Vector, labels: Vector, signs: Vector) -> tuple[list[float], float]:
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    scaled = (rows - mean) / spread
    weights, bias = np.zeros(rows.shape[1]), 0.0
    for _ in range(STEPS):
        error = 1 / (1 + np.exp(-(scaled @ weights + bias))) - labels
        weights = weights - 0.3 * (scaled.T @ error + RIDGE * weights) / len(labels)
        weights = np.where(signs > 0, np.maximum(weights, 0), np.where(signs < 0, np.minimum(weights, 0), weights))
        bias -= 0.3 * float(error.mean())
    return list(weights / spread), bias - float((weights / spread) @ mean)

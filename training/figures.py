"""Balanced accuracy and the area under the curve."""

from collections.abc import Sequence
from hashlib import sha256


def auroc(scores: Sequence[float], labels: Sequence[int]) -> float:
    """How often a good one scores above a bad one; ties count half."""
    order = sorted(range(len(scores)), key=lambda n: scores[n])
    ranks = [0.0] * len(scores)
    n = 0
    while n < len(order):
        last = n
        while last + 1 < len(order) and scores[order[last + 1]] == scores[order[n]]:
            last += 1
        for place in range(n, last + 1):
            ranks[order[place]] = (n + last) / 2 + 1
        n = last + 1
    good = sum(labels)
    bad = len(labels) - good
    if not good or not bad:
        return float("nan")
    return (sum(r for r, label in zip(ranks, labels, strict=True) if label) - good * (good + 1) / 2) / (good * bad)


def balanced_accuracy(scores: Sequence[float], labels: Sequence[int], threshold: float) -> float:
    good = [s >= threshold for s, label in zip(scores, labels, strict=True) if label]
    bad = [s < threshold for s, label in zip(scores, labels, strict=True) if not label]
    return (sum(good) / max(1, len(good)) + sum(bad) / max(1, len(bad))) / 2


def best_threshold(scores: Sequence[float], labels: Sequence[int]) -> float:
    """Where balanced accuracy is highest."""
    candidates = sorted(set(scores))
    step = max(1, len(candidates) // 150)
    return max(candidates[::step], key=lambda t: balanced_accuracy(scores, labels, t))


def hash_half(group: str) -> int:
    """Which half of the groups: a threshold is fitted on one and reported on the other."""
    return sha256(f"half {group}".encode()).digest()[0] % 2

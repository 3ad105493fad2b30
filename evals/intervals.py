"""Shares and means for the tables, each with its 95 % interval."""

from collections.abc import Sequence
from math import sqrt

Z = 1.96


def share(found: Sequence[bool]) -> str:
    """Wilson's interval, which is also valid near 0 and 1 and for few cases."""
    if not found:
        return ""
    n, rate = len(found), sum(found) / len(found)
    middle = (rate + Z * Z / (2 * n)) / (1 + Z * Z / n)
    spread = Z / (1 + Z * Z / n) * sqrt(rate * (1 - rate) / n + Z * Z / (4 * n * n))
    return f"{rate:.2f} ({max(0.0, middle - spread):.2f} to {min(1.0, middle + spread):.2f})"


def mean(values: Sequence[float]) -> str:
    """For figures between 0 and 1 that are not yes or no."""
    if not values:
        return ""
    middle = sum(values) / len(values)
    spread = Z * sqrt(sum((v - middle) ** 2 for v in values) / len(values) / len(values))
    return f"{middle:.2f} ± {spread:.2f}"


def balanced(good: Sequence[bool], bad: Sequence[bool]) -> str:
    """The mean of two shares: the good ones that pass, and the bad ones that do not."""
    shares = [(sum(held) / max(1, len(held)), max(1, len(held))) for held in (good, bad)]
    spread = Z / 2 * sqrt(sum(rate * (1 - rate) / n for rate, n in shares))
    return f"{sum(rate for rate, _ in shares) / 2:.2f} ± {spread:.2f}"

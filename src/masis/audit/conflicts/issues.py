"""Documents that appear again and again: the filing of one quarter is not that of the next."""

import re

from masis.language.periods import periods
from masis.types import EvidenceChunk


def are_issues_of_one_series(a: EvidenceChunk, b: EvidenceChunk) -> bool:
    """Named alike but for the period: “2023 Q1 AMZN.pdf” and “2023 Q3 AMZN.pdf”."""
    ours, theirs = (re.sub(r"[_.-]+", " ", chunk["file_name"]) for chunk in (a, b))
    named_alike = _but_for_digits(ours) == _but_for_digits(theirs)
    return named_alike and bool(periods(ours)) and periods(ours) != periods(theirs)


def _but_for_digits(name: str) -> str:
    return re.sub(r"\d+", "#", name.lower())

"""The clauses of a sentence: what stands together in one belongs together."""

import re
from functools import lru_cache
from itertools import pairwise

from masis.language.periods import BETWEEN, period_spans

# “(2024: 590)” is a clause of its own, and its colon breaks nothing.
CLAUSE_BREAK = re.compile(
    r";|(?<!\d):|,\s|\s(?:while|whereas|compared|versus|but|and|from|against|after)\s"
    r"|\s\((?=(?:FY|fiscal|Q\d|H\d|(?:19|20)\d\d))",
    re.IGNORECASE,
)
COMPARES = re.compile(
    r"\W*(?:from|compared(?:\s(?:with|to))?|versus|against|after)\s+"
    r"(?:(?:about|around|a|the|some|nearly|over|just|roughly)\s+)?(?:[A-Z]{3}\s*|[$€£]\s*)?",
    re.IGNORECASE,
)
"""“… up from”: the number that follows is for another time than the sentence."""


@lru_cache(maxsize=1024)
def clauses(text: str) -> tuple[tuple[int, int], ...]:
    """Spans, in order; what stands inside a date or between two years breaks nothing."""
    dates = [*(span for _, span in period_spans(text)), *(m.span() for m in BETWEEN.finditer(text))]
    breaks = [m.start() for m in CLAUSE_BREAK.finditer(text) if not any(a <= m.start() < b for a, b in dates)]
    edges = [0, *(b for b in breaks if b), len(text)]
    return tuple(pairwise(edges))


def clause_at(text: str, start: int, end: int) -> tuple[int, int]:
    """The clause around a number; a thousands separator inside it does not cut it."""
    around = clauses(text)
    first = max((a for a, _ in around if a <= start), default=0)
    return first, min((b for _, b in around if b >= end), default=len(text))


def is_compared(text: str, clause_start: int, number_start: int) -> bool:
    return bool(COMPARES.fullmatch(text[clause_start:number_start]))

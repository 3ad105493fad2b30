"""Whether a passage gives a value, however it writes it: 4,200 million for $4.2bn, 3 May for 2026-05-03."""

from masis.audit.conflicts.alike import folded
from masis.language.periods import periods
from masis.language.quantities import quantities
from masis.language.words import content_stems

MOST_WORDS = 0.75
"""Share of a value's words that must be in the passage, where it is neither a number nor a date."""


def gives(text: str, value: str) -> bool:
    if not value.strip():
        return False
    if folded(value) and f" {folded(value)} " in f" {folded(text)} ":
        return True
    if wanted := quantities(value):
        given = quantities(text)
        return all(any(q.is_met_by(g) or g.is_met_by(q) for g in given) for q in wanted)
    if dates := periods(value):
        return all(any(not p.excludes(q) and p.part == q.part for q in periods(text)) for p in dates)
    meant, said = set(content_stems(folded(value))), set(content_stems(folded(text)))
    return bool(meant) and len(meant & said) >= MOST_WORDS * len(meant)

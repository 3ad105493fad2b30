"""Does the source say the contrary? Negation, direction, and words changed in a sentence that is otherwise its own."""

from collections.abc import Sequence
from difflib import SequenceMatcher

from masis.audit.checks.alignment import alteration, laid
from masis.audit.checks.denials import denied_by_one
from masis.audit.checks.opposites import flipped
from masis.audit.checks.row_changes import turned_against_its_row
from masis.audit.checks.turns import turned_round
from masis.audit.checks.windows import Window, coverage_of, subject_of
from masis.language.statements import Statement, stems_of
from masis.language.words import content_stems, is_negated, stem
from masis.types import Verdict

SAME_SENTENCE_COVERAGE = 0.70
"""Two sentences that share this much and differ in a negation deny each other."""
FOLLOWED = 0.5
"""Share of a claim's words that a sentence must have to be the one it follows."""
MOST_COMPARED = 3


def denial(claim: str, window: Window) -> tuple[Verdict, str] | None:
    said = "\n".join(part.text for part in window.parts)
    turned = flipped(claim, said)
    # The flipped word itself is not in the source, and must not count against how alike the two are.
    wanted = subject_of(claim) - {stem(ours) for ours, _ in turned}
    if not wanted or coverage_of(wanted, window.parts) < SAME_SENTENCE_COVERAGE:
        return None
    if turned and is_negated(claim) != is_negated(said):
        return "unverified", "it denies the contrary of what the source says: code alone cannot tell"
    if denied := denied_by_one(claim, said):
        return "contradicted", denied
    if contrary := turned_round(claim, said):
        return "contradicted", f"the claim says {contrary[0]}, the source {contrary[1]}"
    against_its_row = turned_against_its_row(claim, window)
    return ("contradicted", against_its_row) if against_its_row else None


def altered(claim: str, sources: Sequence[Statement]) -> tuple[Verdict, str] | None:
    """Held against the one sentence that it follows most closely, be that the closest in words or not."""
    wanted = frozenset(content_stems(claim))
    shared = {s: len(wanted & stems_of(s)) for s in sources if not s.is_row}
    near = sorted((s for s in shared if shared[s] >= FOLLOWED * len(wanted)), key=lambda s: -shared[s])[:MOST_COMPARED]
    closest = max(near, key=lambda s: _in_order(claim, s), default=None) if len(near) > 1 else next(iter(near), None)
    return alteration(claim, closest.text) if closest else None


def _in_order(claim: str, source: Statement) -> int:
    matcher = SequenceMatcher(None, laid(claim).words, laid(source.text).words, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks())

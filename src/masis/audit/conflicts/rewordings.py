"""Two versions of one text with other words in the same sentence: another name, place or date in the same place."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import combinations

from masis.audit.conflicts.alike import same_answer
from masis.audit.conflicts.copies import is_copy
from masis.audit.conflicts.expected import WHEN, could_answer
from masis.audit.conflicts.issues import are_issues_of_one_series
from masis.audit.conflicts.one_thing import asks_for_one
from masis.audit.conflicts.qualifiers import kind_by_marks, stage_marks
from masis.audit.conflicts.records import Said, record
from masis.language.quantities import quantities
from masis.language.statements import Statement, statements
from masis.language.words import WORD, content_stems
from masis.types import Conflict, ConflictKind, EvidenceChunk

SAME_SENTENCE = 0.7
"""Share of the words of two sentences that stand in both, in the same order."""
FEW = 3
LONGEST = 6
"""Words that may have been exchanged: with more it is another sentence."""


def find_rewordings(question: str, evidence: Sequence[EvidenceChunk]) -> list[Conflict]:
    if not asks_for_one(question):
        return []
    copies = (
        (a, b)
        for a, b in combinations(evidence, 2)
        if a["document_id"] != b["document_id"] and is_copy(a["text"], b["text"]) and not are_issues_of_one_series(a, b)
    )
    found = (next(_exchanged(question, a, b), None) for a, b in copies)
    return [record(question.strip(" ?"), None, _kind(sides), sides) for sides in found if sides]


def _exchanged(question: str, a: EvidenceChunk, b: EvidenceChunk) -> Iterator[list[Said]]:
    """What stands in one place of both, where it could answer the question."""
    asked = set(content_stems(question))
    for ours in _only_in(a, b):
        for theirs in _only_in(b, a):
            if asked & set(content_stems(ours.in_context)):
                for one, other in _other_words(ours.text, theirs.text):
                    if _are_answers(question, one, other):
                        yield [Said(a, one, ours.text), Said(b, other, theirs.text)]


def _only_in(chunk: EvidenceChunk, other: EvidenceChunk) -> list[Statement]:
    return [s for s in statements(chunk["text"], chunk.get("heading")) if s.text not in other["text"]]


def _other_words(a: str, b: str) -> Iterator[tuple[str, str]]:
    """The few stretches in which two sentences differ, as each has them; none where they differ in more."""
    ours, theirs = list(WORD.finditer(a)), list(WORD.finditer(b))
    matcher = SequenceMatcher(None, [m[0].lower() for m in ours], [m[0].lower() for m in theirs], autojunk=False)
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    if len(changes) > FEW or matcher.ratio() < SAME_SENTENCE:
        return
    for change, i, j, k, n in changes:
        if change == "replace" and max(j - i, n - k) <= LONGEST:
            yield a[ours[i].start() : ours[j - 1].end()], b[theirs[k].start() : theirs[n - 1].end()]


def _are_answers(question: str, a: str, b: str) -> bool:
    asked = set(content_stems(question))
    own = [set(content_stems(value)) - asked for value in (a, b)]
    # Figures have a subject and a period of their own, and are compared by these.
    if not WHEN.search(question) and any(quantities(value) for value in (a, b)):
        return False
    return all(own) and could_answer(question, a) and could_answer(question, b) and not same_answer(a, b)


def _kind(sides: Sequence[Said]) -> ConflictKind:
    ours, theirs = (stage_marks(side.quote) for side in sides)
    return kind_by_marks(ours, theirs)

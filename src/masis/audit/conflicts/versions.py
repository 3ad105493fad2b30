"""Compares two versions of one text: another figure, name, place or date in the same position of the same line."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import combinations

from masis.audit.conflicts.agreement import is_copy, same_answer
from masis.audit.conflicts.conflict_records import Said, record
from masis.audit.conflicts.explanations import are_issues_of_one_series, kind_by_marks, stage_marks
from masis.audit.conflicts.stated_figures import Figure
from masis.audit.conflicts.wanted import Wanted, could_answer
from masis.language.quantities import quantities
from masis.language.question import read_question
from masis.language.statements import Statement, statements
from masis.language.words import WORD, content_stems, plain
from masis.types import Conflict, ConflictKind, EvidenceChunk


def changed_figures(question: str, asked: Wanted, stated: Sequence[Figure]) -> Iterator[tuple[Figure, Figure]]:
    """Pairs of different figures in the same position of the same line of two copies."""
    lines: dict[tuple[str, int], list[Figure]] = defaultdict(list)
    for figure in _closest(question, [figure for figure in stated if asked.might_want(figure)]):
        lines[_line(figure)].append(figure)
    for same_place in lines.values():
        for a, b in combinations(same_place, 2):
            if not a.quantity.agrees_with(b.quantity) and _is_changed(a, b):
                yield a, b


def _closest(question: str, figures: Sequence[Figure]) -> list[Figure]:
    """The figures in the lines that contain most of the question's words: “direct energy” does not mean “indirect
    energy”."""
    asked = frozenset(content_stems(question))
    shared = [len(asked & frozenset(content_stems(f"{f.statement.text} {f.statement.above}"))) for f in figures]
    return [figure for figure, count in zip(figures, shared, strict=True) if count == max(shared)]


def _is_changed(a: Figure, b: Figure) -> bool:
    """Neither text also contains the other's line, since a table may have several lines labelled “Total”."""
    ours, theirs = a.chunk["text"], b.chunk["text"]
    return a.statement.text not in theirs and b.statement.text not in ours and is_copy(ours, theirs)


def _line(figure: Figure) -> tuple[str, int]:
    """The statement without its numbers, and the position of the figure among them."""
    text = plain(figure.statement.text)
    if not figure.statement.is_row:
        return _masked(text), len(re.findall(r"\d[\d.,]*", text[: figure.quantity.start]))
    cells = [cell for _, cell in figure.statement.cells]
    place = next((i for i, cell in enumerate(cells) if figure.quantity.text in cell), 0)
    return _masked(text), place


def _masked(text: str) -> str:
    return re.sub(r"\d[\d.,]*", "#", " ".join(text.lower().split()))


SAME_SENTENCE = 0.7
"""Similarity of two sentences, by the words they have in the same order, from which they are versions of one."""
FEW = 3
"""Most differences between two versions of a sentence."""
LONGEST = 6
"""Most words in one replaced stretch; with more it is another sentence."""


def find_rewordings(question: str, evidence: Sequence[EvidenceChunk]) -> list[Conflict]:
    if not read_question(question).is_for_one_thing:
        return []
    copies = (
        (a, b)
        for a, b in combinations(evidence, 2)
        if a["document_id"] != b["document_id"] and is_copy(a["text"], b["text"]) and not are_issues_of_one_series(a, b)
    )
    found = (next(_exchanged(question, a, b), None) for a, b in copies)
    return [record(question.strip(" ?"), None, _kind(sides), sides) for sides in found if sides]


def _exchanged(question: str, a: EvidenceChunk, b: EvidenceChunk) -> Iterator[list[Said]]:
    """Differing stretches in the same position of both texts, if they could answer the question."""
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
    """The few stretches in which two sentences differ, as each writes them; nothing if they differ in more places."""
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
    # Figures have their own subject and period, and are compared by these instead.
    if read_question(question).seeks != "time" and any(quantities(value) for value in (a, b)):
        return False
    return all(own) and could_answer(question, a) and could_answer(question, b) and not same_answer(a, b)


def _kind(sides: Sequence[Said]) -> ConflictKind:
    ours, theirs = (stage_marks(side.quote) for side in sides)
    return kind_by_marks(ours, theirs)

"""The citation engine: finds which sentence cites what, which cited ids do not exist, and which claims cite nothing.

It is plain code. `citation_ids` decides which bracketed tokens count as ids, known or made up.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from masis.audit.citations.advice import is_advice, is_frame
from masis.audit.citations.hedges import mentions_a_limit, reads_as_a_limit, refuses, states_a_limit
from masis.language.characters import CLOSERS
from masis.language.citation_ids import IdLexicon
from masis.language.citation_marks import CitationMark, citation_groups, find_citations, find_marks, without_groups
from masis.language.markdown_blocks import Block, parse_blocks
from masis.language.measures import states_a_hard_figure
from masis.language.sentences import split_blocks
from masis.language.titles import is_bold_title
from masis.types import CitationAudit, ClaimKind

__all__ = [
    "CitationMark",
    "CitedSentence",
    "audit_citations",
    "cited_sentences",
    "find_citations",
    "is_abstention",
    "strip_citations",
]


_WORD_CHARACTER = re.compile(r"[^\W_]")
_QUESTION_MARKS = ("?", "？", "؟", "\u037e", "⁇", "⁈")
_COLONS = (":", "：")
_NOTE_OR_DEFINITION = re.compile(r"\[\^[^\[\]]{1,80}\]:\s|\[[^\[\]]{1,200}\]:\s*(?:<|\w+://|www\.|[/.#])")
_FEWEST_CHARACTERS = 3
_COMPUTED = re.compile(
    r"\W*(?:change|difference|increase|decrease|growth|gap|variance|sum|average|mean)\b", re.IGNORECASE
)


def kind_of(block: Block, bare: str, *, is_cited: bool) -> ClaimKind:
    """The kind of a sentence. `bare` is the sentence without its citations."""
    if block.kind in ("heading", "code") or block.is_title or _states_nothing(bare):
        return "heading"
    if states_a_limit(bare):
        return "limit"
    if is_advice(bare):
        return "recommendation"
    return "limit" if not is_cited and block.kind != "table" and reads_as_a_limit(bare) else "claim"


def _states_nothing(bare: str) -> bool:
    ending = bare.rstrip().rstrip(CLOSERS + " ")
    if len(_WORD_CHARACTER.findall(bare)) < _FEWEST_CHARACTERS or ending.endswith(_QUESTION_MARKS):
        return True
    if is_bold_title(bare) or is_frame(bare):
        return True
    introduces = ending.endswith(_COLONS) or _NOTE_OR_DEFINITION.match(bare) is not None
    return introduces and not states_a_hard_figure(bare)


@dataclass(frozen=True, slots=True)
class CitedCell:
    """A cell with a figure in a table of the answer."""

    start: int
    """Start in the row's text."""
    end: int
    reads: str
    """The figure with the names of its row and column; a computed figure also with what it is computed from."""
    cited: tuple[str, ...]
    """Ids that the cell cites or, if it cites none, those of its row."""


@dataclass(frozen=True, slots=True)
class CitedSentence:
    text: str
    start: int
    end: int
    kind: ClaimKind
    bare: str
    """The text without its citations."""
    blanked: str
    """The text with its citations replaced by spaces, so that every character keeps its place."""
    cited: tuple[str, ...]
    """Cited ids that exist in the evidence."""
    invalid: tuple[str, ...]
    """Cited ids that do not exist: they are fabricated."""
    cells: tuple[CitedCell, ...] = ()
    """The cells with figures, if the sentence is a table row."""


def strip_citations(text: str, known_ids: Collection[str]) -> str:
    blocks = parse_blocks(text)
    marks = find_marks(text, blocks, IdLexicon(known_ids))
    return without_groups(text, citation_groups(text, marks, 0, len(text)))


def cited_sentences(answer: str, known_ids: Collection[str]) -> list[CitedSentence]:
    return list(_cited_sentences(answer, frozenset(known_ids)))


@lru_cache(maxsize=512)
def _cited_sentences(answer: str, known: frozenset[str]) -> tuple[CitedSentence, ...]:
    """Cached, because several agents ask about the same draft, and a worker handles a hundred runs at a time."""
    blocks = parse_blocks(answer)
    marks = find_marks(answer, blocks, IdLexicon(known))
    starts = [mark.start for mark in marks]
    found: list[CitedSentence] = []
    table: list[CitedSentence] = []
    for block, start, end in split_blocks(answer, blocks, marks):
        inside = marks[bisect_left(starts, start) : bisect_left(starts, end)]
        sentence = _cited_sentence(answer, block, start, end, inside, known)
        table = ([sentence] if block.is_title else [*table, sentence]) if block.kind == "table" else []
        has_head = len(table) > 1 and table[0].kind == "heading"
        found.append(replace(sentence, cells=_cells(table, inside)) if has_head else sentence)
    return tuple(found)


def _cells(table: Sequence[CitedSentence], marks: Sequence[CitationMark]) -> tuple[CitedCell, ...]:
    """The cells of the last row, with the column names from the first."""
    row = table[-1]
    heads, (label, *own) = _cut(table[0]), _cut(row)
    column_of_spans = [m.span() for m in re.finditer(r"[^|]*(?:\||$)", row.blanked)]
    found: list[CitedCell] = []
    for place, said in enumerate(own, start=1):
        if not re.search(r"\d", said) or place >= len(heads):
            continue
        start, end = column_of_spans[place]
        within = [m for m in marks if row.start + start <= m.start < row.start + end]
        cited = tuple(i for i in dict.fromkeys(i for m in within for i in m.ids) if i in row.cited) or row.cited
        found.append(CitedCell(start, end, _reads(table, heads, label, own, place), cited))
    return tuple(found)


def _cut(row: CitedSentence) -> list[str]:
    return [" ".join(cell.split()) for cell in row.blanked.split("|")]


def _reads(table: Sequence[CitedSentence], heads: Sequence[str], label: str, own: Sequence[str], place: int) -> str:
    said, head = own[place - 1], heads[place]
    if _COMPUTED.search(head):
        others = [f"{h} {o}" for h, o in zip(heads[1:], own, strict=False) if o and o != said]
        return f"{label}: {', '.join(others)}, {head.lower()} {said}"
    if _COMPUTED.match(label):
        above = [cells for row in table[1:-1] if len(cells := _cut(row)) > place]
        return f"{head}: {', '.join(f'{cells[0]} {cells[place]}' for cells in above)}, {label.lower()} {said}"
    return f"{label}, {head}: {said}"


def _cited_sentence(
    answer: str, block: Block, start: int, end: int, marks: Sequence[CitationMark], known: Collection[str]
) -> CitedSentence:
    text = answer[start:end]
    ids = dict.fromkeys(identifier for mark in marks for identifier in mark.ids)
    groups = citation_groups(answer, marks, start, end)
    bare = without_groups(text, [(first - start, last - start) for first, last in groups])
    return CitedSentence(
        text,
        start,
        end,
        kind_of(block, bare, is_cited=bool(ids)),
        bare,
        _blanked(text, [(first - start, last - start) for first, last in groups]),
        tuple(one for one in ids if one in known),
        tuple(one for one in ids if one not in known),
    )


def _blanked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def audit_citations(answer: str, known_ids: Collection[str]) -> CitationAudit:
    """The citation errors of an answer. Recommendations make no claim about the evidence, so they need no citation."""
    sentences = cited_sentences(answer, known_ids)
    invalid = list(dict.fromkeys(one for sentence in sentences for one in sentence.invalid))
    uncited = [s.text for s in sentences if s.kind == "claim" and not s.cited and not s.invalid]
    return CitationAudit(
        invalid_citations=invalid,
        uncited_claim_count=len(uncited),
        uncited_claim_sentences=uncited,
        hallucination_detected=bool(invalid),
        unsupported_claims=[sentence.text for sentence in sentences if sentence.invalid],
    )


def is_abstention(answer: str, known_ids: Collection[str]) -> bool:
    """The answer says only what the evidence lacks or what it has instead, and nothing else."""
    told = [sentence for sentence in cited_sentences(answer, known_ids) if sentence.kind != "heading"]
    is_limit = [sentence.kind == "limit" or refuses(sentence.bare) for sentence in told]
    return bool(told) and all(is_limit) and any(s.kind == "limit" or mentions_a_limit(s.bare) for s in told)

"""Compares names with what the source has in the same place, between the same words.

“… the acquisition of Ferrowell Loggers for $3 million” leaves no doubt what belongs between “acquisition of” and “for”.
Another name there is an error, however often the passage mentions it elsewhere.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from masis.audit.checks.alignment import Laid, is_alias, laid
from masis.audit.checks.signature import LIKELY, Claim, Finding, Sources
from masis.language.words import FUNCTION_WORDS

CONTEXTS = ((2, 2), (2, 1), (1, 2))
"""How many words before and after must be the same, the most reliable combination first."""
OWN_CONTEXTS = ((1, 1), (2, 0), (0, 2), (3, 0))
"""If the passage has the claim's own name next to this many of the same words, the name may be right."""
LONGEST_SLOT = 5
"""Most words of the source that may fill the place."""


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of some words between others: `words[start:end]`."""

    start: int
    end: int


def misplaced(claim: Claim, sources: Sources) -> Finding | None:
    """The first name for which the passages have another name in the same place."""
    prose = "\n".join(s.text for s in sources.statements if not s.is_row)
    ours, theirs = laid(claim.text), [laid(prose)]
    known = frozenset[str]().union(*map(names_of, theirs))
    # A word that opens the claim and is nowhere in the source may be a name too.
    opening = frozenset(ours.words[:1]) - frozenset[str]().union(*(positions(passage) for passage in theirs))
    for slot in _names(ours, known | opening):
        mine = ours.between(slot.start, slot.end)
        is_around = mine.lower().removesuffix("'s") in sources.around.lower()
        if not is_around and (other := _other_name(ours, slot, theirs, known)):
            return Finding("contradicted", f"the source names {other} here, not {mine}", withdrawn_at=LIKELY)
    return None


@lru_cache(maxsize=1024)
def names_of(text: Laid) -> frozenset[str]:
    """Words that are names wherever they occur, because they are capitalised within a sentence too."""
    return frozenset(text.words[at] for at in range(len(text.words)) if text.names(at, at + 1))


def _names(text: Laid, known: frozenset[str]) -> Iterator[Slot]:
    """Runs of capitalised words within one sentence."""
    start = None
    for at in range(len(text.words) + 1):
        is_name = at < len(text.words) and bool(text.names(at, at + 1, known))
        if start is not None and is_name and not text.is_one_sentence(start, at + 1):
            yield Slot(start, at)
            start = None
        if is_name and start is None:
            start = at
        elif not is_name and start is not None:
            yield Slot(start, at)
            start = None


def _other_name(ours: Laid, slot: Slot, passages: Sequence[Laid], known: frozenset[str]) -> str | None:
    if any(_stands_there(ours, slot, passage, OWN_CONTEXTS) for passage in passages):
        return None
    mine = ours.names(slot.start, slot.end, {*known, ours.words[slot.start]})
    for context in CONTEXTS:
        places = [(passage, s) for passage in passages for s in _same_place(ours, slot, passage, context)]
        said = [names for passage, s in places if (names := passage.names(s.start, s.end, known))]
        if said:
            return None if any(is_alias(mine, other) for other in said) else " ".join(said[0])
    return None


def _stands_there(ours: Laid, slot: Slot, passage: Laid, contexts: Sequence[tuple[int, int]]) -> bool:
    """The passage has the claim's own name next to some of the same words."""
    own = ours.words[slot.start : slot.end]
    starts = [at for at in positions(passage).get(own[0], ()) if passage.words[at : at + len(own)] == own]
    return any(_has_around(ours, slot, passage, at, context) for at in starts for context in contexts)


def _has_around(ours: Laid, slot: Slot, passage: Laid, at: int, context: tuple[int, int]) -> bool:
    before, behind = context
    left, right = ours.words[max(0, slot.start - before) : slot.start], ours.words[slot.end : slot.end + behind]
    end = at + slot.end - slot.start
    is_long = len(left) == before and len(right) == behind and any(map(_is_telling, (*left, *right)))
    return is_long and passage.words[max(0, at - before) : at] == left and passage.words[end : end + behind] == right


@lru_cache(maxsize=1024)
def positions(text: Laid) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for at, word in enumerate(text.words):
        found.setdefault(word, []).append(at)
    return {word: tuple(where) for word, where in found.items()}


def _same_place(ours: Laid, slot: Slot, passage: Laid, context: tuple[int, int]) -> Iterator[Slot]:
    before, behind = context
    left = ours.words[max(0, slot.start - before) : slot.start]
    right = ours.words[slot.end : slot.end + behind]
    if len(left) < before or len(right) < behind or not any(map(_is_telling, (*left, *right))):
        return
    # The same words do not count as context if a sentence ends between them.
    found = _between(passage, left, right)
    yield from (s for s in found if passage.is_one_sentence(s.start - before, s.end + behind))


def _between(passage: Laid, left: tuple[str, ...], right: tuple[str, ...]) -> Iterator[Slot]:
    for at in (last + 1 for last in positions(passage).get(left[-1], ())):
        if at >= len(left) and passage.words[at - len(left) : at] == left:
            yield from _up_to(passage, at, right)


def _is_telling(word: str) -> bool:
    return word not in FUNCTION_WORDS and not word[0].isdigit()


def _up_to(passage: Laid, start: int, right: tuple[str, ...]) -> Iterator[Slot]:
    for end in range(start + 1, min(start + LONGEST_SLOT, len(passage.words)) + 1):
        if passage.words[end : end + len(right)] == right:
            yield Slot(start, end)
            return

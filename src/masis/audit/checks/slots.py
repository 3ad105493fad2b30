"""Names held against what the source has in the same place, between the same words.

“… the acquisition of Ferrowell Loggers for $3 million” leaves no doubt what stands between “acquisition of” and “for”:
another name there is an error, however often the passage mentions it elsewhere.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from masis.audit.checks.alignment import Laid, is_alias, laid
from masis.audit.checks.mentions import RELATIVE
from masis.audit.checks.numbers import gives, locates
from masis.audit.checks.rows import NO_NAMES
from masis.audit.checks.signature import LIKELY, Claim, Finding, Sources
from masis.audit.checks.turns import are_opposites
from masis.language.quantities import Quantity, comparable, quantities
from masis.language.readings import readings
from masis.language.statements import Statement
from masis.language.words import FUNCTION_WORDS, stem

CONTEXTS = ((2, 2), (2, 1), (1, 2), (3, 0), (0, 3))
"""How many words before and behind must be the same, from the surest on."""
OWN_CONTEXTS = ((1, 1), (2, 0), (0, 2), (3, 0))
"""Where the passage has the claim's own name among this many of the same words, it may stand there."""
LONGEST_SLOT = 5
WORDS_BEFORE = 4
"""That say what a figure is of, two of them with content."""
_NEW_SENTENCE = re.compile(r"[.!?]\s+[A-Z]")


@dataclass(frozen=True, slots=True)
class Slot:
    """What stands in a text between certain words: `words[start:end]`."""

    start: int
    end: int


def misplaced(claim: Claim, sources: Sources) -> Finding | None:
    """The first name that the passages give differently in its very place."""
    prose = "\n".join(s.text for s in sources.statements if not s.is_row)
    ours, theirs = laid(claim.text), [laid(prose)]
    known = frozenset[str]().union(*map(names_of, theirs))
    # What opens the claim and stands nowhere in the source may be a name too.
    opening = frozenset(ours.words[:1]) - frozenset[str]().union(*(positions(passage) for passage in theirs))
    for slot in _names(ours, known | opening):
        mine = ours.between(slot.start, slot.end)
        is_around = mine.lower().removesuffix("'s") in sources.around.lower()
        if not is_around and (other := _other_name(ours, slot, theirs, known)):
            return Finding("contradicted", f"the source names {other} here, not {mine}", withdrawn_at=LIKELY)
    return None


def figure_in_its_place(claim: Claim, sources: Sources) -> Finding | None:
    """“A termination cost of $8 billion”, where the passages have other amounts alone behind these very words."""
    if claim.periods or RELATIVE.search(claim.text):
        # The same words may stand before the figure of another time.
        return None
    ours = laid(claim.text)
    theirs = laid("\n".join(s.text for s in sources.statements if not s.is_row))
    figures, given = _figures_at(ours), _figures_at(theirs)
    for at, figure in figures.items():
        before = ours.words[max(0, at - WORDS_BEFORE) : at]
        if len(before) < WORDS_BEFORE or sum(map(_is_telling, before)) < 2 or figure.is_small_count:
            continue
        ends = [n + WORDS_BEFORE for n in positions(theirs).get(before[0], ())]
        there = [given[n] for n in ends if n in given and theirs.words[n - WORDS_BEFORE : n] == before]
        alike = [q for q in there if comparable(q, figure) and q.unit == figure.unit and q.measure == figure.measure]
        is_elsewhere = any(locates(r.quantity, figure) for s in sources.statements for r in readings(s))
        if is_elsewhere and alike and len(alike) == len(there) and not any(gives(q, figure) for q in alike):
            said = f"the source gives {alike[0].in_words} here, {figure.in_words} for something else"
            return Finding("numbers_differ", said, withdrawn_at=LIKELY)
    return None


def _figures_at(text: Laid) -> dict[int, Quantity]:
    """The place of each figure among the words."""
    places = {start: at for at, (start, _) in enumerate(text.spans)}
    found = ((next((n for n in range(q.start, q.end) if text.text[n].isdigit()), -1), q) for q in quantities(text.text))
    return {places[start]: q for start, q in found if start in places}


def renamed(claim: Claim, sources: Sources) -> Finding | None:
    """A row or a column by another name: the table has the claim's figure under all words of that name but one, and
    what the claim calls it stands nowhere in the source."""
    ours, known = laid(claim.text), laid(sources.text)
    for figure in (r.quantity for r in claim.figures if r.quantity.text[:1].isdigit()):
        holding = [s for s in sources.statements if any(locates(r.quantity, figure) for r in readings(s))]
        rows = [] if figure.is_small_count else [s for s in holding if s.is_row]
        here = set(laid("\n".join([sources.around, *(s.in_context for s in holding)])).words)
        for name in dict.fromkeys(name for row in rows for name in _names_of_cells(row, figure)):
            for called, other in _called_otherwise(ours, laid(name)):
                if other.lower() not in here and stem(other.lower()) not in here and not _has_run(known, called):
                    said = f"the source gives {figure.in_words} for {name}, not for {other}"
                    return Finding("contradicted", said, withdrawn_at=LIKELY)
    return None


def _names_of_cells(row: Statement, figure: Quantity) -> list[str]:
    """The row's own name, and those of the columns that have the figure."""
    columns = [column for column, cell in row.cells[1:] if any(gives(q, figure) for q in quantities(cell))]
    return [name for name in (row.cells[0][1], *columns) if len(laid(name).words) > 1]


def _called_otherwise(ours: Laid, name: Laid) -> Iterator[tuple[tuple[str, ...], str]]:
    """Where the claim has all words of a name but one: what it says instead, and the name it has for that word."""
    size = len(name.words)
    for start in range(len(ours.words) - size + 1):
        called = ours.words[start : start + size]
        changed = [n for n in range(size) if called[n] != name.words[n]]
        kept = [word for word in name.words if word in called and _is_telling(word)]
        if len(changed) != 1 or not kept or name.words[changed[0]] in NO_NAMES:
            continue
        at = start + changed[0]
        other, said = (text.between(n, n + 1) for text, n in ((ours, at), (name, changed[0])))
        if ours.names(at, at + 1, ours.words) or are_opposites(other.lower(), said.lower()):
            yield called, other


def _has_run(text: Laid, words: tuple[str, ...]) -> bool:
    return any(text.words[at : at + len(words)] == words for at in positions(text).get(words[0], ()))


@lru_cache(maxsize=1024)
def names_of(text: Laid) -> frozenset[str]:
    """Words that are names wherever they stand, for they are capitalised within a sentence too."""
    return frozenset(text.words[at] for at in range(len(text.words)) if text.names(at, at + 1))


def _names(text: Laid, known: frozenset[str]) -> Iterator[Slot]:
    """Runs of capitalised words."""
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
        places = [(passage, s) for passage in passages for s in _same_place(ours, slot, passage, context, known)]
        if not all(context):
            places = [(passage, s) for passage, s in places if not _is_near(ours.words[slot.start], passage, s)]
        said = [names for passage, s in places if (names := passage.names(s.start, s.end, known))]
        if said:
            return None if any(is_alias(mine, other) for other in said) else " ".join(said[0])
    return None


def _is_near(own: str, passage: Laid, slot: Slot) -> bool:
    """The claim's own name stands in the same sentence: “Ecuador (in Quechua Ikwadur) is a republic”."""
    return any(
        not _NEW_SENTENCE.search(passage.between(min(at, slot.start), max(at + 1, slot.end)))
        for at in positions(passage).get(own, ())
    )


def _stands_there(ours: Laid, slot: Slot, passage: Laid, contexts: Sequence[tuple[int, int]]) -> bool:
    """The passage has the claim's own word beside some of the same words."""
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


def _same_place(
    ours: Laid, slot: Slot, passage: Laid, context: tuple[int, int], known: Collection[str] = ()
) -> Iterator[Slot]:
    before, behind = context
    left = ours.words[max(0, slot.start - before) : slot.start]
    right = ours.words[slot.end : slot.end + behind]
    if len(left) < before or len(right) < behind or not any(map(_is_telling, (*left, *right))):
        return
    found = _between(passage, left, right, known) if left else _before(passage, right, known)
    # The same words across the end of a sentence do not count as context.
    yield from (s for s in found if passage.is_one_sentence(s.start - before, s.end + behind))


def _before(passage: Laid, right: tuple[str, ...], known: Collection[str]) -> Iterator[Slot]:
    for at in positions(passage).get(right[0], ()):
        yield from _run_before(passage, at, right, known)


def _between(passage: Laid, left: tuple[str, ...], right: tuple[str, ...], known: Collection[str]) -> Iterator[Slot]:
    for at in (last + 1 for last in positions(passage).get(left[-1], ())):
        if at >= len(left) and passage.words[at - len(left) : at] == left:
            yield from _up_to(passage, at, right) if right else _run_from(passage, at, known)


def _is_telling(word: str) -> bool:
    return word not in FUNCTION_WORDS and not word[0].isdigit()


def _up_to(passage: Laid, start: int, right: tuple[str, ...]) -> Iterator[Slot]:
    for end in range(start + 1, min(start + LONGEST_SLOT, len(passage.words)) + 1):
        if passage.words[end : end + len(right)] == right:
            yield Slot(start, end)
            return


def _run_from(passage: Laid, start: int, known: Collection[str]) -> Iterator[Slot]:
    end = start
    while end < len(passage.words) and passage.names(end, end + 1, known) and passage.is_one_sentence(start, end + 1):
        end += 1
    if end > start:
        yield Slot(start, end)


def _run_before(passage: Laid, end: int, right: tuple[str, ...], known: Collection[str]) -> Iterator[Slot]:
    if passage.words[end : end + len(right)] != right:
        return
    start = end
    while start > 0 and passage.names(start - 1, start, known) and passage.is_one_sentence(start - 1, end):
        start -= 1
    if end - start > 0:
        yield Slot(start, end)

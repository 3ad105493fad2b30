"""Aligns a claim word by word with the sentence it was taken from, to see what was changed and into what.

Where the surrounding words are the same in both, one name in place of another, one number in place of another, or a
“not” that only one of them has is an error, however often the passage mentions that name or number elsewhere.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from masis.audit.checks.signature import LIKELY, Claim, Finding, Sources
from masis.audit.checks.turns import are_opposites
from masis.language.characters import word_set
from masis.language.periods import MONTHS
from masis.language.statements import Statement, stems_of
from masis.language.words import FUNCTION_WORDS, NEGATIONS, content_stems, could_name, plain, stem
from masis.types import Verdict

MATCHED = 0.6
"""Share of the claim's words that must occur in the sentence in the same order."""
ANCHORED = 3
"""Number of matching words required around a change, counting both sides together."""
LONGEST_CHANGE = 4
"""Most words a change may have on either side; a longer difference is a rewording, not a substitution."""
FEWEST_EQUAL = 6
"""If every other word of the claim is the sentence's own and there are at least this many, it is certain which sentence
was changed."""
FOLLOWED = 0.5
"""Share of the claim's words that a sentence must contain to be a candidate for the one the claim follows."""
MOST_COMPARED = 3
"""Most candidate sentences compared in word order."""

_TOKEN = re.compile(r"[^\W\d_]+n't\b|(?<!['’])[^\W\d_]+|(?<=')(?!s\b)[^\W\d_]+|\d+(?:[.,]\d+)*")
"""Reads “America's” as “America”, so that it matches “of America”."""
_TIME = re.compile(
    rf"(?:{'|'.join(month.capitalize() for month in MONTHS)})|first|second|third|fourth|[QH][1-4]|(?:1\d|20)\d\d"
)
_OPENS = re.compile(r"(?:^|[.!?:;\n|•*-]|\d)[\s\"'(\[*_]*$")
_CAPITAL_NEXT = re.compile(r" [A-Z]")
_SENTENCE_END = re.compile(r"[.!?:;]\s")
_TITLES = word_set(
    "mr mrs ms dr sir lord lady king queen prince princess president general captain judge senator professor baron "
    "pope saint prime minister chief director"
)


@dataclass(frozen=True, slots=True)
class Laid:
    """A text as a sequence of words, each with its place in the text."""

    text: str
    words: tuple[str, ...]
    """Stems, so that an inflected form does not count as a change."""
    spans: tuple[tuple[int, int], ...]

    def between(self, first: int, last: int) -> str:
        return self.text[self.spans[first][0] : self.spans[last - 1][1]] if first < last else ""

    def names(self, first: int, last: int, known: Collection[str] = ()) -> list[str]:
        return [self.text[slice(*self.spans[at])] for at in range(first, last) if self._is_name(at, known)]

    def _is_name(self, at: int, known: Collection[str] = ()) -> bool:
        """A capitalised word that opens a sentence is a name only if another capital follows (“Maren Oakhurst said”) or
        if it is a known name."""
        start, end = self.spans[at]
        word = self.text[start:end]
        if not word[0].isupper() or len(word) < 2 or not could_name(word):
            return False
        if not _OPENS.search(self.text[:start][-6:]) or self.words[at] in known:
            return True
        return _CAPITAL_NEXT.match(self.text, end) is not None

    def is_only_names(self, first: int, last: int) -> bool:
        """The stretch holds only names and the small words between them: “the Duchy of Savoy”."""
        return all(self._is_name(at) or self.words[at] in FUNCTION_WORDS for at in range(first, last))

    def is_one_sentence(self, first: int, last: int) -> bool:
        return _SENTENCE_END.search(self.between(first, last)) is None


@dataclass(frozen=True, slots=True)
class Change:
    ours: tuple[int, int]
    theirs: tuple[int, int]


def changed_word(claim: Claim, sources: Sources) -> Finding | None:
    """Compares the claim with the sentence it follows most closely in word order, which need not be the one that shares
    the most words with it."""
    wanted = frozenset(content_stems(claim.text))
    shared = {s: len(wanted & stems_of(s)) for s in sources.statements if not s.is_row}
    near = sorted((s for s in shared if shared[s] >= FOLLOWED * len(wanted)), key=lambda s: -shared[s])[:MOST_COMPARED]
    closest = max(near, key=lambda s: _in_order(claim, s), default=None)
    found = alteration(claim.text, closest.text) if closest else None
    return None if found and _is_named_around(found, sources) else found


def _in_order(claim: Claim, source: Statement) -> int:
    matcher = SequenceMatcher(None, laid(claim.text).words, laid(source.text).words, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks())


def _is_named_around(found: Finding, sources: Sources) -> bool:
    """“Apple” for “the Company” is not an error in a document that has Apple in its title or file name."""
    name = found.reason.rpartition(", not ")[2]
    return "names" in found.reason and name.lower().removesuffix("'s") in sources.around.lower()


def alteration(claim: str, source: str) -> Finding | None:
    """The first change that gives the sentence a different meaning."""
    ours, theirs = laid(claim), laid(source)
    for change, is_all in _anchored_changes(ours, theirs):
        for check in (_name, _period, _denial):
            if found := check(ours, theirs, change):
                return Finding(*found, withdrawn_at=None if is_all else LIKELY)
    return None


@lru_cache(maxsize=8192)
def laid(text: str) -> Laid:
    text = plain(text)
    found = list(_TOKEN.finditer(text))
    return Laid(text, tuple(_form(m.group()) for m in found), tuple(m.span() for m in found))


def _form(word: str) -> str:
    lower = word.lower()
    return lower.replace(",", "") if lower[0].isdigit() or lower in FUNCTION_WORDS else stem(lower)


def _anchored_changes(ours: Laid, theirs: Laid) -> Iterator[tuple[Change, bool]]:
    """Each change with enough matching words around it, and whether it is the only change in an otherwise copied
    sentence."""
    matcher = SequenceMatcher(None, ours.words, theirs.words, autojunk=False)
    codes = matcher.get_opcodes()
    equal = sum(i2 - i1 for tag, i1, i2, _, _ in codes if tag == "equal")
    if equal < MATCHED * len(ours.words):
        return
    for at, (tag, i1, i2, first, last) in enumerate(codes):
        j1, j2 = _beside_the_claim(i1, i2, first, last, len(ours.words))
        if tag == "equal" or i2 - i1 > LONGEST_CHANGE or j2 - j1 > LONGEST_CHANGE:
            continue
        before = codes[at - 1][2] - codes[at - 1][1] if at else 0
        after = codes[at + 1][2] - codes[at + 1][1] if at + 1 < len(codes) else 0
        # At the very start or end of the claim, the edge of the sentence serves as the anchor on that side.
        held = (before > 0 or i1 == 0) and (after > 0 or i2 == len(ours.words))
        if held and before + after >= ANCHORED:
            yield Change((i1, i2), (j1, j2)), equal == len(ours.words) - (i2 - i1) and equal >= FEWEST_EQUAL


def _beside_the_claim(i1: int, i2: int, first: int, last: int, length: int) -> tuple[int, int]:
    """The source's sentence may begin before the claim and end after it; only the part in between is compared."""
    if i1 < i2 == length:
        return first, min(last, first + i2 - i1)
    return (max(first, last - i2), last) if i1 == 0 < i2 else (first, last)


def _name(ours: Laid, theirs: Laid, change: Change) -> tuple[Verdict, str] | None:
    if change.ours[0] == change.ours[1] or change.theirs[0] == change.theirs[1]:
        return None
    mine, said = ours.names(*change.ours), theirs.names(*change.theirs)
    if not (ours.is_only_names(*change.ours) and theirs.is_only_names(*change.theirs)):
        return None
    if not mine or not said or is_alias(mine, said):
        return None
    return "contradicted", f"the source names {' '.join(said)} here, not {' '.join(mine)}"


ITS_OWN_SUBJECT = frozenset("company group corporation registrant issuer bank fund trust firm partnership".split())
"""A report refers to its own subject by these words, whatever its name."""


def is_alias(mine: Sequence[str], said: Sequence[str]) -> bool:
    """The names share a word, one is short for the other, or the source says “the Company”."""
    a, b = ([word.lower().removesuffix("'s") for word in names] for names in (mine, said))
    if set(b) <= ITS_OWN_SUBJECT:
        return True
    initials = ("".join(word[0] for word in names) for names in (a, b))
    if len(a) == len(b) > 1 and a[-1] == b[-1] and not _TITLES & {*a, *b}:
        # “Delaware County” is not “Schoharie County”.
        return a == b
    if set(a) & set(b) or any(short in (*a, *b) for short in initials):
        return True
    return any(x.startswith(y[:4]) for x in a for y in b) or any(w.isupper() for w in (*mine, *said))


def _period(ours: Laid, theirs: Laid, change: Change) -> tuple[Verdict, str] | None:
    """“Third” for “first” quarter, June for January, one year for another."""
    mine, said = ours.between(*change.ours), theirs.between(*change.theirs)
    both_times = _TIME.fullmatch(mine) and _TIME.fullmatch(said)
    if mine[:3].isalpha() and mine[:3] == said[:3]:
        # “Sep” is short for “September”.
        return None
    return ("numbers_differ", f"the source says {said} here, not {mine}") if both_times else None


def _denial(ours: Laid, theirs: Laid, change: Change) -> tuple[Verdict, str] | None:
    mine, said = (
        [text.text[slice(*span)].lower() for span in text.spans[slice(*where)]]
        for text, where in ((ours, change.ours), (theirs, change.theirs))
    )
    if len(mine) + len(said) == 1 and set(mine + said) <= NEGATIONS:
        return "contradicted", "it denies what the source says" if mine else "the source denies it"
    if len(mine) == len(said) == 1 and are_opposites(mine[0], said[0]):
        return "contradicted", f"the claim says {mine[0]}, the source {said[0]}"
    return None

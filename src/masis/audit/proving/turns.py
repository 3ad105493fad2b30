"""Which way things turn: rose or fell, more or less, before or after, each with the words it stands among.

A text may hold both directions (“sales rose, costs fell”); only the one that stands among the same words counts.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from masis.audit.proving.opposites import NO_SIDE, OPPOSITES
from masis.audit.text.words import DENYING, DOWNWARDS, FUNCTION_WORDS, LIMITS, UPWARDS, WORD, plain, stem

SIDES = [(UPWARDS, DOWNWARDS), *OPPOSITES]
_DEGREES = frozenset("more less higher lower above below under up down stronger weaker".split())
_REACH = 4
"""Content words to either side that say what turned."""
_STOP = re.compile(r"[.!?](?=\s|$)|[,;:()](?!\d)|\b(?:while|whereas|but|and)\b", re.IGNORECASE)
"""What turned stands in the same clause as the turn."""


@dataclass(frozen=True, slots=True)
class Turn:
    word: str
    pair: int
    side: int
    before: frozenset[str]
    after: frozenset[str]

    @property
    def among(self) -> frozenset[str]:
        return self.before | self.after


def turned_round(claim: str, source: str) -> tuple[str, str] | None:
    """(the claim's word, the source's) where the two point in opposite directions about the same thing."""
    theirs, said = read_turns(source), read_turns(claim)
    for ours in said:
        if any(t.pair == ours.pair and t.side != ours.side for t in said):
            # It tells both directions; which belongs to what is seen where it is laid beside its source.
            continue
        with_it = max((len(ours.among & t.among) for t in theirs if _same_way(ours, t)), default=-1)
        against = [t for t in theirs if t.pair == ours.pair and t.side != ours.side and _is_alike(ours, t)]
        nearest = max(against, key=lambda t: len(ours.among & t.among), default=None)
        if nearest and len(ours.among & nearest.among) >= max(with_it + 1, min(2, len(ours.among))):
            return ours.word, nearest.word
    return None


def _same_way(a: Turn, b: Turn) -> bool:
    return a.pair == b.pair and a.side == b.side


def _is_alike(a: Turn, b: Turn) -> bool:
    """A verb is turned round by a verb, “more” by “less”; and it is said of the same thing."""
    return (a.word in _DEGREES) == (b.word in _DEGREES) and not _is_converse(a, b)


def _is_converse(a: Turn, b: Turn) -> bool:
    """“A is above B” and “B is below A” say the same."""
    crossed = len(a.before & b.after) + len(a.after & b.before)
    return crossed > len(a.before & b.before) + len(a.after & b.after)


@lru_cache(maxsize=8192)
def read_turns(text: str) -> tuple[Turn, ...]:
    found: list[Turn] = []
    for clause in _STOP.split(NO_SIDE.sub(" ", plain(text))):
        said = LIMITS.sub(" ", DENYING.sub(" ", clause))
        tokens = [match.group().lower() for match in WORD.finditer(said)]
        for at, token in enumerate(tokens):
            found += [
                Turn(token, pair, side, _content(tokens[:at][::-1]), _content(tokens[at + 1 :]))
                for pair, sides in enumerate(SIDES)
                for side, members in enumerate(sides)
                if token in members
            ]
    return tuple(found)


def _content(tokens: list[str]) -> frozenset[str]:
    return frozenset([stem(t) for t in tokens if t not in FUNCTION_WORDS and (len(t) > 1 or t.isdigit())][:_REACH])

"""Which way things turn: rose or fell, more or less, before or after, each with the words it stands among.

A text may hold both directions (“sales rose, costs fell”); only the one that stands among the same words counts.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from masis.audit.checks.changes import CHANGING, change_degrees
from masis.audit.checks.opposites import NO_SIDE, OPPOSITES
from masis.language.periods import Period, periods
from masis.language.words import DENYING, DOWNWARDS, FUNCTION_WORDS, LIMITS, UPWARDS, WORD, plain, stem

SIDES = [(UPWARDS, DOWNWARDS), *OPPOSITES]
_DEGREES = frozenset("more less higher lower above below under up down stronger weaker".split())
_ENDS_A_SUBJECT = CHANGING | {"is", "are", "was", "were", "has", "had", "have"}
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
    is_change: bool = False
    """It tells that a figure went up or down, be it by a verb or by a degree."""
    times: tuple[Period, ...] = ()

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
    of_one_class = (a.word in _DEGREES) == (b.word in _DEGREES)
    return (of_one_class or _is_one_change(a, b)) and not _is_converse(a, b)


def _is_one_change(a: Turn, b: Turn) -> bool:
    """ "Up 7%" and "fell 7%" of one thing at one time."""
    if not (a.is_change and b.is_change) or any(p.excludes(q) for p in a.times for q in b.times):
        return False
    figures, others = ({w for w in turn.among if w[0].isdigit()} for turn in (a, b))
    return bool((a.among & b.among) - figures) and not (figures and others and figures.isdisjoint(others))


def _is_converse(a: Turn, b: Turn) -> bool:
    """“A is above B” and “B is below A” say the same."""
    crossed = len(a.before & b.after) + len(a.after & b.before)
    return crossed > len(a.before & b.before) + len(a.after & b.after)


@lru_cache(maxsize=8192)
def read_turns(text: str) -> tuple[Turn, ...]:
    found: list[Turn] = []
    subject = frozenset[str]()
    for clause in _STOP.split(NO_SIDE.sub(" ", plain(text))):
        said = LIMITS.sub(" ", DENYING.sub(" ", clause))
        matches = list(WORD.finditer(said))
        tokens = [match.group().lower() for match in matches]
        degrees = change_degrees(said)
        for at, token in enumerate(tokens):
            # “Revenue was $5 million, up 7%”: what went up was said in the clause before.
            before = _content(tokens[:at][::-1]) or subject
            is_change = token in CHANGING or matches[at].start() in degrees
            found += [
                Turn(token, pair, side, before, _content(tokens[at + 1 :]), is_change, tuple(periods(said)))
                for pair, sides in enumerate(SIDES)
                for side, members in enumerate(sides)
                if token in members
            ]
        subject = _subject(tokens) or subject
    return tuple(found)


def _subject(tokens: list[str]) -> frozenset[str]:
    """What a clause opens with, up to its verb as far as that is known."""
    verb = next((at for at, token in enumerate(tokens) if token in _ENDS_A_SUBJECT), len(tokens))
    return _content(tokens[:verb][::-1])


def _content(tokens: list[str]) -> frozenset[str]:
    return frozenset([stem(t) for t in tokens if t not in FUNCTION_WORDS and (len(t) > 1 or t.isdigit())][:_REACH])

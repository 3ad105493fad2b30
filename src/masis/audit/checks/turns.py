"""Finds opposite directions, such as rose and fell, more and less, before and after, each with the words around it.

A text may contain both directions (“sales rose, costs fell”); only the one among the same words counts.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from masis.language.characters import word_set
from masis.language.words import DENYING, DOWNWARDS, FUNCTION_WORDS, LIMITS, UPWARDS, WORD, plain, stem, words

_PAIRS = """
approve approves approved approving approval / reject rejects rejected rejecting rejection refuse refuses refused
accept accepts accepted accepting / refuse refuses refused refusing reject rejects rejected decline declines declined
join joins joined joining / leave leaves left leaving quit quits
appoint appoints appointed appointing / dismiss dismisses dismissed dismissing
hire hires hired hiring / fire fires fired firing
allow allows allowed permit permits permitted / ban bans banned forbid forbids forbidden prohibit prohibits prohibited
recommend recommends recommended / contraindicated
widen widens widened widening / narrow narrows narrowed narrowing
prolong prolongs prolonged prolonging lengthen lengthens lengthened / shorten shortens shortened shortening
expand expands expanded expanding / shrink shrinks shrank shrunk shrinking
open opens opened opening / close closes closed closing
gain gains gained / loss losses lost loses
profit profits profitable / loss losses unprofitable
buy buys bought buying purchase purchases purchased / sell sells sold selling
before prior / after
earlier / later
first / last
maximum max / minimum min
highest largest biggest greatest most top / lowest smallest least bottom fewest
best / worst
longest / shortest
oldest / youngest newest
longer / shorter
larger bigger greater / smaller
older / younger newer
faster / slower
early / late
win wins won winning / lose loses lost losing
include includes included including / exclude excludes excluded excluding except excepting
"""
NO_SIDE = re.compile(r"^\W*(?:first|last)\s*,|^\W*excluding\b|\blast (?:year|quarter|month|week)\b", re.IGNORECASE)
"""“First, …” orders an answer and “last year” is a period: neither is one side of a pair."""
OPPOSITES = [
    (frozenset(left.split()), frozenset(right.split()))
    for left, right in (line.split(" / ") for line in _PAIRS.strip().splitlines())
]
_EITHER_WAY = [way for pair in OPPOSITES for way in (pair, pair[::-1])]
_ANY_SIDE = frozenset().union(*(left for left, _ in _EITHER_WAY))


def are_opposites(one: str, other: str) -> bool:
    sides = [*OPPOSITES, (UPWARDS, DOWNWARDS)]
    return any((one in left and other in right) or (other in left and one in right) for left, right in sides)


def flipped(claim: str, source: str) -> list[tuple[str, str]]:
    """Each pair of opposites of which the claim has only one side and the source only the other, as written."""
    ours, theirs = (dict.fromkeys(words(NO_SIDE.sub(" ", text))) for text in (claim, source))
    found = []
    for left, right in _EITHER_WAY if not _ANY_SIDE.isdisjoint(ours) else ():
        if (
            left.isdisjoint(ours)
            or right.isdisjoint(theirs)
            or not (right.isdisjoint(ours) and left.isdisjoint(theirs))
        ):
            continue
        found.append((next(w for w in ours if w in left), next(w for w in theirs if w in right)))
    return _once(found)


def _once(found: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """“Reject” belongs to two pairs, but one word reverses a sentence only once."""
    return [pair for i, pair in enumerate(found) if not any(set(pair) & set(other) for other in found[:i])]


CHANGING = word_set(
    "rise rises rose risen rising increase increases increased increasing grow grows grew grown growing climb climbs "
    "climbed surge surged fall falls fell fallen falling decrease decreases decreased decreasing decline declines "
    "declined declining drop drops dropped dropping shrink shrank shrunk plunged"
)
"""Only verbs that say which way a figure moved: churn that “improved” went down."""
SIDES = [(UPWARDS, DOWNWARDS), *OPPOSITES]
_DEGREES = frozenset("more less higher lower above below under up down stronger weaker".split())
_ENDS_A_SUBJECT = CHANGING | {"is", "are", "was", "were", "has", "had", "have"}
_REACH = 4
"""Most content words on either side that say what changed."""
_WINDOW = 60
"""Most words on either side among which they are looked for."""
_STOP = re.compile(r"[.!?](?=\s|$)|[,;:()](?!\d)|\b(?:while|whereas|but|and)\b", re.IGNORECASE)
"""Clause ends: what changed is in the same clause as the word for the change."""


@dataclass(frozen=True, slots=True)
class Turn:
    word: str
    """The directional word, in lower case."""
    pair: int
    """Index of its pair of opposites in `SIDES`."""
    side: int
    """Which side of the pair it is on: 0 or 1."""
    before: frozenset[str]
    after: frozenset[str]

    @property
    def among(self) -> frozenset[str]:
        return self.before | self.after


def turned_round(claim: str, source: str) -> tuple[str, str] | None:
    """The claim's word and the source's, if the two point in opposite directions about the same thing."""
    theirs, said = read_turns(source), read_turns(claim)
    for ours in said:
        if any(t.pair == ours.pair and t.side != ours.side for t in said):
            # The claim gives both directions. Which belongs to what shows when it is aligned with its source.
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
    """Only a verb reverses a verb, and only “less” reverses “more”; and both must be about the same thing."""
    return (a.word in _DEGREES) == (b.word in _DEGREES) and not _is_converse(a, b)


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
        tokens = [match.group().lower() for match in WORD.finditer(said)]
        for at, token in enumerate(tokens):
            turns = [(p, s) for p, sides in enumerate(SIDES) for s, members in enumerate(sides) if token in members]
            if not turns:
                continue
            # “Revenue was $5 million, up 7%”: the clause before says what went up.
            before = _content(tokens[max(0, at - _WINDOW) : at][::-1]) or subject
            after = _content(tokens[at + 1 : at + 1 + _WINDOW])
            found += [Turn(token, pair, side, before, after) for pair, side in turns]
        subject = _subject(tokens) or subject
    return tuple(found)


def _subject(tokens: list[str]) -> frozenset[str]:
    """The opening words of a clause, up to its verb if that is a known one."""
    verb = next((at for at, token in enumerate(tokens) if token in _ENDS_A_SUBJECT), len(tokens))
    return _content(tokens[max(0, verb - _WINDOW) : verb][::-1])


def _content(tokens: list[str]) -> frozenset[str]:
    return frozenset([stem(t) for t in tokens if t not in FUNCTION_WORDS and (len(t) > 1 or t.isdigit())][:_REACH])

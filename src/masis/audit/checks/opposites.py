"""Pairs of words that turn a sentence into its contrary."""

import re

from masis.language.words import DOWNWARDS, UPWARDS, words

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
import imports imported / export exports exported
include includes included including / exclude excludes excluded excluding except excepting
"""
NO_SIDE = re.compile(r"^\W*(?:first|last)\s*,|\blast (?:year|quarter|month|week)\b", re.IGNORECASE)
"""“First, …” orders an answer, “last year” is a time: neither is the contrary of anything."""
OPPOSITES = [
    (frozenset(left.split()), frozenset(right.split()))
    for left, right in (line.split(" / ") for line in _PAIRS.strip().splitlines())
]


def are_opposites(one: str, other: str) -> bool:
    sides = [*OPPOSITES, (UPWARDS, DOWNWARDS)]
    return any((one in left and other in right) or (other in left and one in right) for left, right in sides)


def flipped(claim: str, source: str) -> list[tuple[str, str]]:
    """Each pair of which the claim has one side alone and the source the other alone, as they are written."""
    ours, theirs = (words(NO_SIDE.sub(" ", text)) for text in (claim, source))
    found = []
    for one, other in OPPOSITES:
        for left, right in ((one, other), (other, one)):
            said, denied = [w for w in ours if w in left], [w for w in theirs if w in right]
            if said and denied and not (right & set(ours) or left & set(theirs)):
                found.append((said[0], denied[0]))
    return _once(found)


def _once(found: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """“Reject” stands in two pairs; one word turns a sentence once."""
    return [pair for i, pair in enumerate(found) if not any(set(pair) & set(other) for other in found[:i])]

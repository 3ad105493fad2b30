"""A claim turned into its contrary: with a negation more or less, or with “rose” for “fell”.

A reader of meaning who finds the contrary much better borne out than the claim has found a contradiction, however sure
or unsure it is of either: what makes a passage hard to read weighs on both alike.
"""

import re
from collections.abc import Iterator
from itertools import islice

from masis.audit.checks.signature import Claim
from masis.language.spans import code_spans, paired_spans

MOST_DENIALS = 2
MOST_TURNS = 3
_NOT = re.compile(r"(?<=\w)(?: not\b(?! only)|n[’']t\b)|\bnever ", re.IGNORECASE)
_CANNOT = re.compile(r"\bcannot\b", re.IGNORECASE)
_PAIRS = """rose fell / rises falls / rise fall / risen fallen / rising falling / increased decreased
increase decrease / increases decreases / increasing decreasing / grew shrank / grow shrink / grows shrinks
growth decline / growing declining / gained lost / gains losses / gain loss / climbed dropped / improved worsened
raised cut / raised lowered / expanded contracted / widened narrowed / higher lower / more less / more fewer
larger smaller / longer shorter / greater smaller / stronger weaker / faster slower / older younger / better worse
highest lowest / largest smallest / most least / most fewest / best worst / longest shortest / first last
above below / over under / up down / before after / earlier later / exceeded missed / maximum minimum
approved rejected / accepted refused / allowed prohibited / bought sold / won lost / opened closed
started ended / began ended / included excluded / profit loss / positive negative / favorable unfavorable
inflow outflow / inflows outflows / early late / oldest youngest / top bottom / always never / all no"""
_OTHER = {
    one: other
    for pair in re.split(r" / |\n", _PAIRS)
    for one, other in (pair.split(), pair.split()[::-1])
}  # fmt: skip
_TURN = re.compile(rf"\b(?:{'|'.join(sorted(_OTHER, key=len, reverse=True))})\b", re.IGNORECASE)


def without_denial(claim: str) -> list[str]:
    return [] if Claim(claim).tells_an_absence else list(dict.fromkeys(_without_denial(claim)))


def _without_denial(claim: str) -> Iterator[str]:
    closed = _quoted(claim)
    for denial in islice((m for m in _NOT.finditer(claim) if not _is_inside(m, closed)), MOST_DENIALS):
        yield claim[: denial.start()] + claim[denial.end() :]
    if cannot := _CANNOT.search(claim):
        yield claim[: cannot.start()] + "can" + claim[cannot.end() :]


def turned(claim: str) -> list[str]:
    closed = _quoted(claim)
    turns = [m for m in _TURN.finditer(claim) if not _is_inside(m, closed) and not Claim(claim).tells_an_absence]
    changed = ((m, _as_written(m.group(), _OTHER[m.group().lower()])) for m in turns[:MOST_TURNS])
    return list(dict.fromkeys(claim[: m.start()] + other + claim[m.end() :] for m, other in changed))


def _quoted(claim: str) -> list[tuple[int, int]]:
    code = code_spans(claim, 0, len(claim))
    return [*code, *paired_spans(claim, 0, len(claim), code)[1]]


def _is_inside(match: re.Match[str], spans: list[tuple[int, int]]) -> bool:
    return any(start <= match.start() < end for start, end in spans)


def _as_written(old: str, new: str) -> str:
    return new.capitalize() if old[:1].isupper() else new

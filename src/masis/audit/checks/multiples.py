"""“Doubled” is a figure as well: where the source says “rose 12%”, nothing doubled."""

import re
from itertools import permutations

from masis.audit.checks.windows import Window
from masis.language.quantities import quantities
from masis.language.words import content_stems

_TIMES = {"doubled": 2.0, "tripled": 3.0, "trebled": 3.0, "quadrupled": 4.0, "halved": 0.5}
_MULTIPLE = re.compile(rf"\b(?P<verb>{'|'.join(_TIMES)})\b", re.IGNORECASE)
_SAID_OTHERWISE = re.compile(
    r"\b(?:doubl|tripl|trebl|quadrupl|halv|twice|thrice)\w*|\b\w*-?fold\b|\btimes\b", re.IGNORECASE
)
_BY_A_SHARE = re.compile(
    r"(?P<what>[^.,;:]{0,120}?)\b(?:(?P<up>rose|grew|increased|climbed)|fell|declined|decreased|dropped)\s(?:by\s)?"
    r"(?:(?:about|nearly|almost|roughly|over|some)\s)?(?P<share>\d{1,3}(?:\.\d+)?)\s?(?:%|percent\b|per cent\b)"
)
_NEAR = 0.1
"""“Doubled” is said of a rise by 96 % as well."""


def misses_its_multiple(claim: str, window: Window) -> str | None:
    """Why, where the source gives another change of the same thing."""
    said = "\n".join(part.text for part in window.parts)
    multiple = _MULTIPLE.search(claim)
    if not multiple or _SAID_OTHERWISE.search(said):
        return None
    times = _TIMES[multiple["verb"].lower()]
    what = set(content_stems(claim[: multiple.start()]))
    changes = [match for match in _BY_A_SHARE.finditer(said) if what and what <= set(content_stems(match["what"]))]
    if not changes or _is_reached(times, said) or any(_is_near(_factor(match), times) for match in changes):
        return None
    return f"the source gives {changes[0]['share']}% for this, which is not “{multiple['verb']}”"


def _factor(change: re.Match[str]) -> float:
    share = float(change["share"]) / 100
    return 1 + share if change["up"] else 1 - share


def _is_reached(times: float, text: str) -> bool:
    """Two figures of the source are that many times each other: “from $2 million to $4 million”."""
    values = [q.value for q in quantities(text) if q.unit != "percent" and q.value > 0]
    return any(_is_near(later / earlier, times) for earlier, later in permutations(values[:20], 2))


def _is_near(one: float, other: float) -> bool:
    return abs(one - other) <= _NEAR * other

"""All, most, some, few: a claim may say less than its source (“some” for “all”), not more."""

import re
from typing import NamedTuple

from masis.language.words import FUNCTION_WORDS, plain, stem

_RANKS = {"few": 0, "some": 1, "several": 1, "many": 2, "most": 3, "all": 4, "every": 4, "each": 4}
_SHARE = re.compile(
    r"(?<![\w-])(?P<how>(?:a )?few|some|several|many|most|all|every|each)(?: of)?"
    r"(?: (?:the|its|their|our|these|those))? (?P<rest>[a-z]+(?: [a-z]+){0,2})",
    re.IGNORECASE,
)
_NOT_ALL = re.compile(r"\b(?:not|nearly|almost|the|at|above|after|of)\s+$", re.IGNORECASE)
"""“The most”, “at all”, “almost all” and “not all” are no such shares."""


class Share(NamedTuple):
    how: str
    rank: int
    of: str


def overstated(claim: str, source: str) -> tuple[str, str] | None:
    """(the claim's word, the source's) where the claim says of more of them what the source says of fewer."""
    theirs = _shares(source)
    for ours in _shares(claim):
        said = [share for share in theirs if share.of == ours.of]
        widest = max(said, key=lambda share: share.rank, default=None)
        if widest and widest.rank < ours.rank:
            return ours.how, widest.how
    return None


def _shares(text: str) -> list[Share]:
    spoken = plain(text)
    found = []
    for match in _SHARE.finditer(spoken):
        how = match["how"].lower()
        noun = _noun(how, match["rest"].lower().split())
        if noun and not _NOT_ALL.search(spoken[: match.start()][-12:]):
            found.append(Share(how, _RANKS[how.removeprefix("a ")] + (how == "a few"), stem(noun)))
    return found


def _noun(how: str, following: list[str]) -> str | None:
    """What is counted: “every plant”, or the first plural behind “most”, as far as its ending tells."""
    if how in ("every", "each"):
        return following[0] if following[0] not in FUNCTION_WORDS else None
    is_open = (at for at, word in enumerate(following) if word in FUNCTION_WORDS)
    near = following[: next(is_open, len(following))]
    return next((word for word in near if word.endswith("s") and not word.endswith("ss")), None)

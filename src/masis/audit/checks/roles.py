"""Who did it to whom: “Acme acquired Borex” and “Borex was acquired by Acme” tell one thing, the reverse another."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from masis.language.patterns import word_set
from masis.language.words import could_name, plain, stem

_NAMED = r"[A-Z][\w&-]*(?: (?:of |de |van |von )?[A-Z][\w&-]*){0,4}"
_PAST = (
    r"[a-z]{2,}ed|bought|sold|beat|beaten|led|sent|paid|built|held|chose|chosen|took|taken|overtook|overtaken|sought"
)
_ACTIVE = re.compile(
    rf"\b(?P<doer>{_NAMED}) (?:\w+ly )?(?:has |had |have )?(?P<verb>{_PAST}) (?:the )?(?P<other>{_NAMED})"
)
_PASSIVE = re.compile(
    rf"\b(?P<other>{_NAMED}) (?:was|were|is|has been|had been|have been) (?:\w+ly )?(?P<verb>{_PAST}) by "
    rf"(?:the )?(?P<doer>{_NAMED})"
)
_MUTUAL = frozenset(
    map(stem, word_set("married met merged joined matched equalled equaled faced fought played partnered"))
)
"""Who married whom can be said either way."""


class Deed(NamedTuple):
    doer: frozenset[str]
    verb: str
    other: frozenset[str]
    is_passive: bool


def reversed_roles(claim: str, passages: Sequence[str]) -> str | None:
    """Why, where the source has the claim's two names the other way round, and nowhere as the claim has them."""
    theirs = [deed for passage in passages for deed in _deeds(passage)]
    for ours in _deeds(claim):
        turned = ours._replace(doer=ours.other, other=ours.doer)
        if any(_is_same(turned, deed) for deed in theirs) and not any(_is_same(ours, deed) for deed in theirs):
            return f"the source has {_spoken(ours.other)} and {_spoken(ours.doer)} the other way round"
    return None


def is_in_another_voice(claim: str, passages: Sequence[str]) -> bool:
    """The source tells each deed of the claim, but with the names in each other's places."""
    ours = list(_deeds(claim))
    theirs = [deed for passage in passages for deed in _deeds(passage)]
    return bool(ours) and all(
        {deed.is_passive for deed in theirs if _is_same(deed, own)} == {not own.is_passive} for own in ours
    )


def _deeds(text: str) -> Iterator[Deed]:
    spoken = plain(text)
    for match in (*_ACTIVE.finditer(spoken), *_PASSIVE.finditer(spoken)):
        doer, other = (_words(match[group]) for group in ("doer", "other"))
        verb = stem(match["verb"])
        if doer and other and doer.isdisjoint(other) and verb not in _MUTUAL:
            yield Deed(doer, verb, other, match.re is _PASSIVE)


def _words(name: str) -> frozenset[str]:
    return frozenset(word for word in name.split() if word[0].isupper() and could_name(word))


def _is_same(one: Deed, other: Deed) -> bool:
    return one.verb == other.verb and _is_one(one.doer, other.doer) and _is_one(one.other, other.other)


def _is_one(name: frozenset[str], other: frozenset[str]) -> bool:
    """A surname alone names whom the full name names."""
    return name <= other or other <= name


def _spoken(name: frozenset[str]) -> str:
    return " ".join(sorted(name))

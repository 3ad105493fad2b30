"""A number that is part of a name: “Site 3” is not “Site 1”, and “Phase 2” says nothing of Phase 3."""

import re
from collections.abc import Sequence
from functools import lru_cache

from masis.audit.checks.derivations import COMPUTED
from masis.language.patterns import word_set
from masis.language.statements import Statement
from masis.language.words import could_name, stem

_NUMBER = r"\d{1,3}(?![\w%]|[.,]\d|\s?%)"
_LABEL = re.compile(
    rf"(?<![\w'’])(?P<kind>[A-Z][a-z]+)\s(?P<numbers>{_NUMBER}"
    rf"(?:(?:,\s{_NUMBER})*,?\s(?:and|or|to)\s{_NUMBER}|\s?[-–]\s?{_NUMBER})?)"
    r"(?!\s(?:percent|million|billion|thousand)\b)"
)
_RANGE = re.compile(r"(\d+)\s?(?:to|-|–)\s?(\d+)")
_NOT_LABELLED = word_set("page table figure exhibit note appendix top only nearly approximately roughly")
_OF_SEVERAL = re.compile(
    r"\b(?:total|share|largest|smallest|highest|lowest|most|least|than|other|sum)\b", re.IGNORECASE
)
"""A claim that compares rests on what the source says of the others as well."""

Label = tuple[str, int]


def of_its_labels(claim: str, found: Sequence[Statement]) -> Sequence[Statement]:
    """Without the statements that speak only of another site, phase or item of the kind that the claim names."""
    if COMPUTED.search(claim) or _OF_SEVERAL.search(claim):
        return found
    named = frozenset[Label]().union(*(labels(statement.text) for statement in found))
    wanted = labels(claim) & named
    kinds = {kind for kind, _ in wanted}

    def is_of_another(statement: Statement) -> bool:
        own = {label for label in labels(statement.text) if label[0] in kinds}
        return bool(own) and own.isdisjoint(wanted)

    return [statement for statement in found if not is_of_another(statement)] if wanted else found


@lru_cache(maxsize=8192)
def labels(text: str) -> frozenset[Label]:
    return frozenset(
        (stem(match["kind"].lower()), number)
        for match in _LABEL.finditer(text)
        if could_name(match["kind"]) and match["kind"].lower() not in _NOT_LABELLED
        for number in _numbers(match["numbers"])
    )


def _numbers(listed: str) -> set[int]:
    spanned = {n for a, b in _RANGE.findall(listed) for n in range(int(a), int(b) + 1)}
    return spanned | {int(digits) for digits in re.findall(r"\d+", listed)}

"""Errors planted in a finished answer. Each function changes one thing, or returns None if it finds nothing to change.

Which of several places is changed is drawn from the answer's own text, so that the same answer always gets the same
error and no kind is always planted in the first sentence.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import TypeVar

from masis.language.quantities import Quantity, quantities
from masis.language.words import NAME, names
from masis.types import EvidenceChunk

T = TypeVar("T")
Plant = Callable[[str, Sequence[EvidenceChunk]], str | None]

CITATION = re.compile(r"\[(c[0-9a-z]{10})\]")
NO_SUCH_CHUNK = "c0zzzzzzz99"
_MONTHS = "January February March April May June July August September October November December".split()
_QUARTERS = {"Q1": "Q3", "Q2": "Q4", "Q3": "Q1", "Q4": "Q2"}
_ORDINALS = {"first": "third", "second": "fourth", "third": "first", "fourth": "second"}
_SCALES = {"million": "billion", "billion": "million", "thousand": "million", "trillion": "billion"}
_TURNS = """rose fell / increased decreased / increase decrease / grew shrank / growth decline / higher lower
more less / gained lost / up down / above below / raised reduced / improved worsened / exceeded missed
expanded contracted
highest lowest / largest smallest / before after / most least / longer shorter / older younger / faster slower"""
_OTHER_WAY = {
    one: other
    for pair in _TURNS.replace("\n", " / ").split(" / ")
    for one, other in (pair.split(), pair.split()[::-1])
}  # fmt: skip
_FOREIGN_NAMES = ("Vandermolen", "Okonjo", "Hartwick", "Szymanow", "Brezina")


def _drawn(answer: str, found: Iterable[T]) -> T | None:
    options = list(found)
    return Random(answer).choice(options) if options else None


def _said(answer: str) -> str:
    """The answer with its citations blanked, so that positions stay the same."""
    return CITATION.sub(lambda m: " " * len(m[0]), answer)


def _put(answer: str, start: int, end: int, new: str) -> str:
    return answer[:start] + new + answer[end:]


def _written(answer: str, number: Quantity) -> re.Match[str] | None:
    return re.compile(r"[\d,.]*\d").match(answer, number.start)


def swapped_number(answer: str, evidence: Sequence[EvidenceChunk]) -> str | None:
    """Changes every digit of one number."""
    number = _drawn(answer, (q for q in quantities(_said(answer)) if answer[q.start].isdigit()))
    digits = number and _written(answer, number)
    if not digits:
        return None
    new = "".join(str((int(c) + 3) % 10 or 3) if c.isdigit() else c for c in digits.group())
    return _put(answer, *digits.span(), new)


def number_of_something_else(answer: str, evidence: Sequence[EvidenceChunk]) -> str | None:
    """Replaces a number by another of the same kind that the cited passages give for something else."""
    ours = [q for q in quantities(_said(answer)) if answer[q.start].isdigit()]
    cited = [c for c in evidence if c["chunk_id"] in answer]
    theirs = [q for c in cited for q in quantities(c["text"]) if c["text"][q.start].isdigit()]
    pairs = [
        (a, b)
        for a in ours
        for b in theirs
        if (a.unit, a.scaled, a.currency, a.measure) == (b.unit, b.scaled, b.currency, b.measure)
        and not any(b.agrees_with(other) for other in ours)
    ]
    pair = _drawn(answer, pairs)
    digits = pair and _written(answer, pair[0])
    new = pair and re.match(r"[\d,.]*\d", pair[1].text.lstrip("$€£ ("))
    return _put(answer, *digits.span(), new.group()) if digits and new else None


def wrong_scale_or_unit(answer: str, evidence: Sequence[EvidenceChunk]) -> str | None:
    """Millions become billions, dollars euros, per cent percentage points."""
    said = _said(answer)
    places = [
        *((m.span(1), _SCALES[m[1].lower()]) for m in re.finditer(rf"\d\s({'|'.join(_SCALES)})\b", said)),
        *((m.span(1), {"$": "€", "€": "$", "£": "$"}[m[1]]) for m in re.finditer(r"([$€£])\s?\d", said)),
        *((m.span(1), " percentage points") for m in re.finditer(r"\d(\s?%)", said)),
        *((m.span(1), "basis points") for m in re.finditer(r"\d\s(percent)\b", said)),
    ]
    place = _drawn(answer, places)
    return _put(answer, *place[0], place[1]) if place else None


def wrong_year(answer: str, evidence: Sequence[EvidenceChunk]) -> str | None:
    """Two years off. If that is also a year of the evidence, it must still be caught."""
    match = _drawn(answer, re.finditer(r"(?<![\d.,$€£])(?:1[89]|20)\d\d(?![\d.,]*\d|s)\b", _said(answer)))
    return _put(answer, *match.span(), str(int(match[0]) - 2)) if match else None


def wrong_period(answer: str, evidence: Sequence[EvidenceChunk]) -> str | None:
    """Another quarter, or another month."""
    said = _said(answer)
    places = [
        *((m.span(), _QUARTERS[m[0]]) for m in re.finditer(r"\bQ[1-4]\b", said)),
        *((m.span(1), _ORDINALS[m[1]]) for m in re.finditer(r"\b(first|second|third|fourth) quarter", said)),
        *(
            (m.span(), _MONTHS[(_MONTHS.index(m[0]) + 5) % 12])
            for m in re.finditer(rf"\b(?:{'|'.join(_MONTHS)})(?= \d)|(?<=\d )(?:{'|'.join(_MONTHS)})\b", said)
        ),
    ]
    place = _drawn(answer, places)
    return _put(answer, *place[0], place[1]) if place else None


def _names_in(answer: str) -> list[re.Match[str]]:
    wanted = {name for name in names(_said(answer)) if len(name) > 3 and not name.isupper()}
    return [m for m in NAME.finditer(_said(answer)) if m.group() in wanted]


def foreign_name(answer: str, evidence: Sequence[EvidenceChunk]) -> str | None:
    place = _drawn(answer, _names_in(answer))
    return _put(answer, *place.span(), Random(answer).choice(_FOREIGN_NAMES)) if place else None


_FULL_NAME = re.compile(r"\b[A-Z][a-z]{3,}(?: [A-Z][a-z]{3,})*\b")


def name_from_the_evidence(answer: str, evidence: Sequence[EvidenceChunk]) -> str | None:
    """Replaces a name by another one in the same passage with as many words."""
    said = _said(answer)
    single = {name for name in names(said) if len(name) > 3}
    ours = [m for m in _FULL_NAME.finditer(said) if set(m.group().split()) <= single]
    cited = [c["text"] for c in evidence if c["chunk_id"] in answer]
    known = {name for text in cited for name in names(text)}
    theirs = {m.group() for text in cited for m in _FULL_NAME.finditer(text) if set(m.group().split()) <= known}
    pairs = [
        (mine, other)
        for mine in ours
        for other in sorted(theirs)
        if len(other.split()) == len(mine.group().split()) and not set(other.split()) & set(re.findall(r"\w+", said))
    ]
    pair = _drawn(answer, pairs)
    return _put(answer, *pair[0].span(), pair[1]) if pair else None


def negation(answer: str, evidence: Sequence[EvidenceChunk]) -> str | None:
    if denied := _drawn(answer, re.finditer(r"\b(?:did|does|do|is|was|were|are|has|have|can|will)( not)\b", answer)):
        return _put(answer, *denied.span(1), "")
    verb = _drawn(answer, re.finditer(r"\b(?:is|was|were|are|will|has been|have been|can)\b", _said(answer)))
    return _put(answer, verb.end(), verb.end(), " not") if verb else None


def direction(answer: str, evidence: Sequence[EvidenceChunk]) -> str | None:
    """Rose becomes fell, higher lower, the largest the smallest."""
    turn = _drawn(answer, re.finditer(rf"\b(?:{'|'.join(_OTHER_WAY)})\b", _said(answer)))
    return _put(answer, *turn.span(), _OTHER_WAY[turn[0]]) if turn else None


def wrong_citation(answer: str, evidence: Sequence[EvidenceChunk]) -> str | None:
    """Makes one sentence cite another passage of the evidence that the answer does not use and that does not contain
    the same words."""
    match = _drawn(answer, CITATION.finditer(answer))
    if not match:
        return None
    said = " ".join(answer[: match.start()].split()[-6:])
    others = [c for c in evidence if c["chunk_id"] not in answer and said.rstrip(".") not in c["text"]]
    return _put(answer, *match.span(1), others[-1]["chunk_id"]) if others else None


def fabricated_citation(answer: str, evidence: Sequence[EvidenceChunk]) -> str | None:
    match = _drawn(answer, CITATION.finditer(answer))
    return _put(answer, *match.span(1), NO_SUCH_CHUNK) if match else None


PLANTS: dict[str, Plant] = {
    "swapped number": swapped_number,
    "number of something else": number_of_something_else,
    "wrong scale or unit": wrong_scale_or_unit,
    "wrong year": wrong_year,
    "wrong quarter or month": wrong_period,
    "foreign name": foreign_name,
    "name from the same passage": name_from_the_evidence,
    "negation": negation,
    "direction": direction,
    "wrong citation": wrong_citation,
    "fabricated citation": fabricated_citation,
}

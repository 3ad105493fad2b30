"""Which words of a passage answer a question, if any do."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from masis.embedded.selector import Selection, Unit, select_all
from masis.language.statements import statements
from masis.language.words import content_stems

SUREST = 1e-9
_IMPOSSIBLE = -1e9


@dataclass(frozen=True, slots=True)
class Reading:
    """`text[start:end]` are the words that answer best; above 0 the text is taken to answer."""

    start: int
    end: int
    strength: float


def read_answers(question: str, texts: Sequence[str]) -> list[Reading]:
    return [_reading(one) for one in select_all(question, [(text, units_of(text)) for text in texts])]


def units_of(text: str) -> list[Unit]:
    return [(s.start, s.end) for s in statements(text) if content_stems(s.text)]


def _reading(selection: Selection) -> Reading:
    if selection.span is None:
        return Reading(0, 0, _IMPOSSIBLE)
    start, end, share = selection.span
    within = min(1 - SUREST, max(SUREST, share))
    return Reading(start, end, log(within / (1 - within)))

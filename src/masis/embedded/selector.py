"""The selector: which sentences and rows of a passage belong to the answer, and whether the passage answers at all.

It reads question and passage together, once. A passage longer than the network's input is read in windows of whole
units.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from masis.embedded import on_all_cores
from masis.embedded.adapted import MAX_TOKENS, Figures, adapted, as_share

if TYPE_CHECKING:
    import numpy as np

Unit = tuple[int, int]
"""Start and end of a sentence or a row in the passage."""
LONGEST_SPAN = 30
"""In tokens."""
LONGEST_LEAD = 400
"""In characters."""
SPARE = 8
"""Tokens that mark where the texts begin and end, and a few in reserve."""
FIGURE = re.compile(r"\d+(?:[.,]\d+)*%?")
_IMPOSSIBLE = -1e9


@dataclass(frozen=True, slots=True)
class Selection:
    answers: float
    """The probability that the passage answers the question."""
    marks: tuple[float, ...]
    """For each unit, the probability that it belongs to the answer."""
    span: tuple[int, int, float] | None
    """Start and end of the words that answer best, and the probability that they do."""


def select_all(question: str, passages: Sequence[tuple[str, Sequence[Unit]]]) -> list[Selection]:
    """Reads the passages on all cores."""
    adapted("selector")  # load it here once: otherwise each thread would load its own
    return on_all_cores(lambda one: select(question, one[0], one[1]), passages)


def select(question: str, passage: str, units: Sequence[Unit]) -> Selection:
    return _select(question, passage, tuple(units))


@lru_cache(maxsize=20_000)
def _select(question: str, passage: str, units: tuple[Unit, ...]) -> Selection:
    """Cached because the auditor and a retry read most passages again."""
    # What is above the first unit, a title or a table's header, is read with every window.
    lead = passage[: units[0][0]][-LONGEST_LEAD:] if units else ""
    read = [_read(question, passage, lead, window) for window in _windows(question, passage, lead, units)]
    if not read:
        return Selection(0.0, (), None)
    spans = [one.span for one in read if one.span]
    marks = tuple(mark for one in read for mark in one.marks)
    return Selection(max(one.answers for one in read), marks, max(spans, key=lambda s: s[2], default=None))


def _windows(question: str, passage: str, lead: str, units: tuple[Unit, ...]) -> Iterator[tuple[Unit, ...]]:
    room = MAX_TOKENS - SPARE - min(MAX_TOKENS // 2, _tokens(question)) - _tokens(lead)
    window: list[Unit] = []
    taken = 0
    for unit in units:
        needed = _tokens(passage[slice(*unit)])
        if window and taken + needed > room:
            yield tuple(window)
            window, taken = [], 0
        window.append(unit)
        taken += needed
    if window:
        yield tuple(window)


def _tokens(text: str) -> int:
    return len(_tokenizer().encode(text, add_special_tokens=False).ids)


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    tokenizer = adapted("selector").base.tokenizer()
    tokenizer.no_truncation()
    return tokenizer


def _read(question: str, passage: str, lead: str, units: tuple[Unit, ...]) -> Selection:
    """Reads one window. The third figure of a token says whether it belongs to the answer, that of the first token
    whether there is an answer. The first two figures say where a short answer begins and ends."""
    first, last = units[0][0] - len(lead), units[-1][1]
    figures = adapted("selector").run(question, lead + passage[units[0][0] : last])
    marks = tuple(_mark(figures, start - first, end - first) for start, end in units)
    silence = float(figures.values[0, 0] + figures.values[0, 1])
    start, end, score = _best_span(figures)
    span = (*_with_whole_figures(passage, first + start, first + end), as_share(score - silence))
    return Selection(as_share(float(figures.values[0, 2])), marks, span if end > start else None)


def _with_whole_figures(text: str, start: int, end: int) -> tuple[int, int]:
    """The network reads “7.4%” as four tokens, and the words that answer may begin or end at any of them."""
    for figure in FIGURE.finditer(text):
        start = figure.start() if figure.start() < start < figure.end() else start
        end = figure.end() if figure.start() < end < figure.end() else end
    return start, end


def _mark(figures: Figures, begin: int, end: int) -> float:
    """The mean of a unit's tokens; 0 for a unit that was cut off."""
    places = [place for place in _inside(figures) if begin <= figures.offsets[place][0] < end]
    return as_share(float(figures.values[places, 2].mean())) if places else 0.0


def _inside(figures: Figures) -> list[int]:
    return [place for place, which in enumerate(figures.texts) if which == 1]


def _best_span(figures: Figures) -> tuple[int, int, float]:
    import numpy as np

    places = _inside(figures)
    if not places:
        return 0, 0, _IMPOSSIBLE
    starts, ends = figures.values[places, 0], figures.values[places, 1]
    sums = np.where(_possible(len(places)), starts[:, None] + ends[None, :], _IMPOSSIBLE)
    one, other = divmod(int(sums.argmax()), len(places))
    return figures.offsets[places[one]][0], figures.offsets[places[other]][1], float(sums[one, other])


@lru_cache(maxsize=600)
def _possible(size: int) -> "np.ndarray[Any, Any]":
    import numpy as np

    return np.tril(np.triu(np.ones((size, size), dtype=bool)), LONGEST_SPAN)

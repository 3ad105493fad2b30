"""Which sentences and rows of a passage belong to the answer to a question, and whether it answers it at all.

One reading of the question and the passage together. A passage longer than the network reads at once is read in
windows, each of whole units.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp
from typing import TYPE_CHECKING, Any

from masis.embedded import answer_scores, on_all_cores
from masis.embedded.adapted import MAX_TOKENS, Figures, adapted

if TYPE_CHECKING:
    import numpy as np

Unit = tuple[int, int]
"""Characters of the passage: a sentence or a row."""
LONGEST_SPAN = 30
"""In tokens."""
SPARE = 8
"""Tokens that mark where the texts begin and end, and a few to be safe."""
_IMPOSSIBLE = -1e9


@dataclass(frozen=True, slots=True)
class Selection:
    answers: float
    """How likely it is that the passage answers the question."""
    marks: tuple[float, ...]
    """For each unit, how likely it is that it belongs to the answer."""
    span: tuple[int, int, float] | None
    """The words that answer best, and how likely it is that they do."""


def select_all(question: str, passages: Sequence[tuple[str, Sequence[Unit]]]) -> list[Selection]:
    """On all cores."""
    adapted("reader")  # made here, once: threads that find none would each make one
    return on_all_cores(lambda one: select(question, one[0], one[1]), passages)


def select(question: str, passage: str, units: Sequence[Unit]) -> Selection:
    return _select(question, passage, tuple(units))


@lru_cache(maxsize=20_000)
def _select(question: str, passage: str, units: tuple[Unit, ...]) -> Selection:
    """Kept, because the auditor and a retry read most passages again."""
    read = [_read(question, passage, window) for window in _windows(question, passage, units)]
    if not read:
        return Selection(0.0, (), None)
    spans = [one.span for one in read if one.span]
    marks = tuple(mark for one in read for mark in one.marks)
    return Selection(max(one.answers for one in read), marks, max(spans, key=lambda s: s[2], default=None))


def _windows(question: str, passage: str, units: tuple[Unit, ...]) -> Iterator[tuple[Unit, ...]]:
    room = MAX_TOKENS - SPARE - min(MAX_TOKENS // 2, _tokens(question))
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
    tokenizer = adapted("reader").base.tokenizer()
    tokenizer.no_truncation()
    return tokenizer


def _read(question: str, passage: str, units: tuple[Unit, ...]) -> Selection:
    first, last = units[0][0], units[-1][1]
    text = passage[first:last]
    figures = adapted("reader").run(question, text)
    silence = float(figures.values[0, 0] + figures.values[0, 1])
    inside = [_best_span(figures, start - first, end - first) for start, end in units]
    marks = tuple(_share(0.6 * (score - silence) - 0.5) for _, _, score in inside)
    start, end, score = max(inside, key=lambda found: found[2])
    [closeness] = answer_scores(question, [text])
    answers = _share(0.5 * (score - silence) + 0.4 * closeness)
    return Selection(answers, marks, (first + start, first + end, _share(score - silence)))


def _best_span(figures: Figures, begin: int, end: int) -> tuple[int, int, float]:
    """The best words inside these characters."""
    import numpy as np

    places = [
        place
        for place, (which, (start, _)) in enumerate(zip(figures.texts, figures.offsets, strict=True))
        if which == 1 and begin <= start < end
    ]
    if not places:
        return begin, begin, _IMPOSSIBLE
    starts, ends = figures.values[places, 0], figures.values[places, 1]
    sums = np.where(_possible(len(places)), starts[:, None] + ends[None, :], _IMPOSSIBLE)
    one, other = divmod(int(sums.argmax()), len(places))
    return figures.offsets[places[one]][0], figures.offsets[places[other]][1], float(sums[one, other])


@lru_cache(maxsize=600)
def _possible(size: int) -> "np.ndarray[Any, Any]":
    import numpy as np

    return np.tril(np.triu(np.ones((size, size), dtype=bool)), LONGEST_SPAN)


def _share(logit: float) -> float:
    return 1 / (1 + exp(-max(-30.0, min(30.0, logit))))

"""Which words of a passage answer a question, if any do: the embedded cross-encoder, trained by us to point at them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from masis.embedded import on_all_cores
from masis.embedded.adapted import Figures, adapted

if TYPE_CHECKING:
    import numpy as np

LONGEST_ANSWER = 30
"""In tokens."""
_IMPOSSIBLE = -1e9


@dataclass(frozen=True, slots=True)
class Reading:
    """`text[start:end]` are the words that answer best; above 0 the text is taken to answer."""

    start: int
    end: int
    strength: float


def read_answers(question: str, texts: Sequence[str]) -> list[Reading]:
    adapted("reader")  # made here, once: threads that find none would each make one
    return on_all_cores(lambda text: _read(question, text), texts)


@lru_cache(maxsize=20_000)
def _read(question: str, text: str) -> Reading:
    """Kept, because a retry reads most texts again."""
    figures = adapted("reader").run(question, text)
    inside = [place for place, which in enumerate(figures.texts) if which == 1]
    if not inside:
        return Reading(0, 0, _IMPOSSIBLE)
    first, last, score = _best_span(figures, inside[0], inside[-1] + 1)
    silence = float(figures.values[0, 0] + figures.values[0, 1])
    return Reading(figures.offsets[first][0], figures.offsets[last][1], score - silence)


def _best_span(figures: Figures, begin: int, end: int) -> tuple[int, int, float]:
    import numpy as np

    starts, ends = figures.values[begin:end, 0], figures.values[begin:end, 1]
    sums = np.where(_possible(end - begin), starts[:, None] + ends[None, :], _IMPOSSIBLE)
    first, last = divmod(int(sums.argmax()), end - begin)
    return begin + first, begin + last, float(sums[first, last])


@lru_cache(maxsize=600)
def _possible(size: int) -> "np.ndarray[Any, Any]":
    import numpy as np

    return np.tril(np.triu(np.ones((size, size), dtype=bool)), LONGEST_ANSWER)

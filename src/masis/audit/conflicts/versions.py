"""Two versions of one text: the same line with another figure in it is about the same thing, whatever it is called."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from masis.audit.conflicts.asked import Asked
from masis.audit.conflicts.copies import is_copy
from masis.audit.conflicts.stated import Figure
from masis.language.words import content_stems, plain


def changed_figures(question: str, asked: Asked, stated: Sequence[Figure]) -> Iterator[tuple[Figure, Figure]]:
    """Pairs that stand at the same place of the same line of two copies, and differ."""
    lines: dict[tuple[str, int], list[Figure]] = defaultdict(list)
    for figure in _closest(question, [figure for figure in stated if asked.might_want(figure)]):
        lines[_line(figure)].append(figure)
    for same_place in lines.values():
        for a, b in combinations(same_place, 2):
            if not a.quantity.agrees_with(b.quantity) and _is_changed(a, b):
                yield a, b


def _closest(question: str, figures: Sequence[Figure]) -> list[Figure]:
    """Those in the lines that hold most of the question's words: “direct energy” is not asked of “indirect energy”."""
    asked = frozenset(content_stems(question))
    shared = [len(asked & frozenset(content_stems(f"{f.statement.text} {f.statement.above}"))) for f in figures]
    return [figure for figure, count in zip(figures, shared, strict=True) if count == max(shared)]


def _is_changed(a: Figure, b: Figure) -> bool:
    """Neither text has the other's line as well: a table may have several lines “Total”."""
    ours, theirs = a.chunk["text"], b.chunk["text"]
    return a.statement.text not in theirs and b.statement.text not in ours and is_copy(ours, theirs)


def _line(figure: Figure) -> tuple[str, int]:
    """The statement without its numbers, and which of them it is."""
    text = plain(figure.statement.text)
    if not figure.statement.is_row:
        return _masked(text), len(re.findall(r"\d[\d.,]*", text[: figure.quantity.start]))
    cells = [cell for _, cell in figure.statement.cells]
    place = next((i for i, cell in enumerate(cells) if figure.quantity.text in cell), 0)
    return _masked(text), place


def _masked(text: str) -> str:
    return re.sub(r"\d[\d.,]*", "#", " ".join(text.lower().split()))

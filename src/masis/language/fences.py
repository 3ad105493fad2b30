"""Which lines of a markdown text are fenced code.

A fence that is never closed, that is labelled markdown, or that wraps the whole text is packaging: what it
holds is read as prose, so that no answer escapes the audit by standing in a code block.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_FENCE = re.compile(r"[ \t\u00a0]*(`{3,}|~{3,})([^`]*)")
_PROSE_LABELS = {"markdown", "md"}
_WRAPPING_LABELS = {"", "markdown", "md", "text", "txt", "plaintext"}


@dataclass(frozen=True, slots=True)
class Fences:
    code: dict[int, int]
    """Opening line of a code block → its closing line."""
    packaging: set[int]
    """Fence lines around prose."""


@dataclass(frozen=True, slots=True)
class _FenceLine:
    index: int
    mark: str
    label: str

    def closes(self, opening: "_FenceLine") -> bool:
        return not self.label and self.mark[0] == opening.mark[0] and len(self.mark) >= len(opening.mark)


def find_fences(lines: Sequence[str]) -> Fences:
    fences = Fences({}, set())
    marks = [
        _FenceLine(index, match[1], match[2].strip().lower())
        for index, line in enumerate(lines)
        if (match := _FENCE.fullmatch(line))
    ]
    filled = [index for index, line in enumerate(lines) if line.strip()]
    never_closed: dict[str, int] = {}
    at = 0
    while at < len(marks):
        opening = marks[at]
        closing = _closing(marks, at, never_closed)
        if closing is None:
            fences.packaging.add(opening.index)
        elif opening.label in _PROSE_LABELS or (
            opening.label in _WRAPPING_LABELS and (opening.index, marks[closing].index) == (filled[0], filled[-1])
        ):
            fences.packaging.update((opening.index, marks[closing].index))
            # What is inside may hold code of its own, fenced by shorter or other marks.
        else:
            fences.code[opening.index] = marks[closing].index
            at = closing
        at += 1
    return fences


def _closing(marks: Sequence[_FenceLine], at: int, never_closed: dict[str, int]) -> int | None:
    opening = marks[at]
    # Nothing further down closes a longer fence either: without this, many open fences cost quadratic time.
    if len(opening.mark) >= never_closed.get(opening.mark[0], len(opening.mark) + 1):
        return None
    for later in range(at + 1, len(marks)):
        if marks[later].closes(opening):
            return later
    never_closed[opening.mark[0]] = len(opening.mark)
    return None

"""Cells that span several columns or rows, laid out so that each row can be read alone."""

from collections.abc import Iterable
from dataclasses import dataclass

MAX_SPAN = 100


@dataclass(frozen=True, slots=True)
class Cell:
    text: str
    width: int = 1
    height: int = 1


def grid(rows: Iterable[list[Cell]]) -> list[list[str]]:
    """A cell that spans rows stands in each of them; one that spans columns stands in its first."""
    spanning: dict[int, tuple[str, int]] = {}
    laid_out = []
    for cells in rows:
        line: list[str] = []
        left = list(reversed(cells))
        while left or len(line) in spanning:
            if len(line) in spanning:
                line.append(_take_spanning(spanning, len(line)))
                continue
            cell = left.pop()
            for part in [cell.text] + [""] * (cell.width - 1):
                if cell.height > 1:
                    spanning[len(line)] = (part, cell.height - 1)
                line.append(part)
        laid_out.append(line)
    return laid_out


def span(value: str | None) -> int:
    """A number of columns or rows as files give it."""
    text = value or ""
    return max(1, min(int(text), MAX_SPAN)) if text.isascii() and text.isdigit() and len(text) < 10 else 1


def _take_spanning(spanning: dict[int, tuple[str, int]], column: int) -> str:
    text, left = spanning.pop(column)
    if left > 1:
        spanning[column] = (text, left - 1)
    return text

"""Forms: labels with a value beside each and no table header. Each pair becomes a line of its own."""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from masis.sources.pdf.lines import Fragment, Line, joined

_LEVEL = 2.0
"""Points by which the edges of two cells in one column may differ."""
_LABEL_WORDS = 8
_MOST_FIGURES = 0.5
"""Share of the values: with more figures it is a table."""


def parted_by_forms(lines: Sequence[Line]) -> Iterator[tuple[bool, list[Line]]]:
    """Splits lines into runs, each with whether it is a form."""
    marked = _form_lines(lines)
    for is_form, run in groupby(range(len(lines)), key=lambda number: number in marked):
        yield is_form, [lines[number] for number in run]


def _form_lines(lines: Sequence[Line]) -> set[int]:
    found: set[int] = set()
    paired = [bool(_pairs(line)) for line in lines]
    for is_paired, run in groupby(range(len(lines)), key=paired.__getitem__):
        numbers = list(run)
        while is_paired and numbers and numbers[0] and _is_row_below(lines[numbers[0]], lines[numbers[0] - 1]):
            numbers.pop(0)
        if not is_paired or not numbers:
            continue
        above, below = lines[max(numbers[0] - 1, 0) : numbers[0]], lines[numbers[-1] + 1 : numbers[-1] + 2]
        if _is_form([lines[number] for number in numbers], above, below):
            titles = [numbers[0] - 1] if above and _are_titles(above[0], lines[numbers[0]]) else []
            found.update(titles + numbers)
    return found


def _is_form(run: Sequence[Line], above: Sequence[Line], below: Sequence[Line]) -> bool:
    values = [value for line in run for _, value in _pairs(line) if value]
    if sum(value.is_figure for value in values) > _MOST_FIGURES * len(values):
        return False
    width = max(len(line.fragments) for line in run)
    if any(_names_columns(line, width) for line in above):
        return False
    return len(run) > 1 or not any(_shares_a_column(run[0], line) for line in [*above, *below])


def _names_columns(line: Line, width: int) -> bool:
    """Whether it is the header of a table whose rows have bold labels."""
    is_as_wide = width - 1 <= len(line.fragments) <= width and width < 4
    return is_as_wide and line.is_all_bold and not any(fragment.is_figure for fragment in line.fragments)


def _is_row_below(line: Line, above: Line) -> bool:
    """Whether it is the last row of the table above, whose label is bold as that of a total."""
    return all(value.is_figure for _, value in _pairs(line) if value) and _shares_a_column(line, above)


def _shares_a_column(line: Line, other: Line) -> bool:
    return any(
        min(abs(one.left - two.left), abs(one.right - two.right)) < _LEVEL
        for one in line.fragments[1:]
        for two in other.fragments[1:]
    )


def _are_titles(line: Line, first: Line) -> bool:
    """“Customer information” and “Vehicle information”, one above each group of pairs."""
    return line.is_all_bold and 1 < len(line.fragments) == sum(bool(value) for _, value in _pairs(first))


def _pairs(line: Line) -> list[tuple[Fragment, Fragment | None]]:
    """The labels of a line, each with its value if any; empty if the line has anything else."""
    pairs: list[tuple[Fragment, Fragment | None]] = []
    for fragment in line.fragments:
        if _is_label(fragment):
            pairs.append((fragment, None))
        elif pairs and pairs[-1][1] is None and not fragment.is_bold:
            pairs[-1] = (pairs[-1][0], fragment)
        else:
            return []
    return pairs if any(value for _, value in pairs) and not line.is_item else []


def _is_label(fragment: Fragment) -> bool:
    has_letters = any(map(str.isalpha, fragment.text))
    return has_letters and (fragment.is_bold or fragment.text.endswith(":")) and len(fragment.words) < _LABEL_WORDS


def written_out(run: Sequence[Line]) -> list[Line]:
    """One line per pair; groups side by side come one after the other."""
    starts = sorted(label.left for line in run for label, _ in _pairs(line))
    groups = [start for before, start in pairwise([float("-inf"), *starts]) if start - before > _LEVEL]
    pieces: list[tuple[int, float, Line]] = []
    for line in run:
        for label, value in _pairs(line) or [(title, None) for title in line.fragments]:
            group = max(sum(start <= label.right - _LEVEL for start in groups) - 1, 0)
            pieces.append((group, line.top, _written(label, value)))
    return [line for _, _, line in sorted(pieces, key=lambda piece: piece[:2])]


def _written(label: Fragment, value: Fragment | None) -> Line:
    line = Line([*label.words, *(value.words if value else ())])
    if value:
        line.text = f"{label.text.removesuffix(':')}: {joined(value.words)}"
        line.is_pair = True
    return line

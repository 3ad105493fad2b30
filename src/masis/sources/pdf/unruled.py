"""Tables without lines around their cells: columns, rows and headers from the positions of their words.

A run of lines with gaps is a table if the gaps of all of them are above each other. Lines that do not form a table stay
as they are.
"""

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from statistics import median

from masis.language.periods import PERIOD
from masis.language.unit_captions import is_unit_line
from masis.sources.pdf.headers import header_cells, unwrapped
from masis.sources.pdf.lines import CAPTION, Fragment, Line, fragments_of, is_wordy
from masis.sources.pdf.page_words import Shape
from masis.sources.pdf.ruled import FoundTable
from masis.sources.pdf.unruled_grid import (
    BARE_YEAR,
    Cells,
    Column,
    close_step,
    columns_of,
    extents,
    has_amounts,
    is_tabular,
    rows_of,
    touches,
    under_names,
    without_halves,
)

_MOST_BETWEEN = 3
"""The most lines of one piece (sub-headings, wrapped labels) between rows."""
_WIDE_GAP = 2.6
"""Factor of a line's height: rows this far apart belong to two tables."""
_WIDER_GAP, _LEVEL = 6.0, 1.5
"""Factor of a line's height for rows that are alike; points by which the edges of their cells may differ."""
_HEADER_WORDS, _CELL_WORDS = 25, 80
_OF_FIGURES, _OF_FULL = 0.6, 0.7
"""Shares of the values and of the rows that show a table by themselves."""
_GAP_AT_START = 0.5
"""Factor of the type size."""
_TIGHT = 0.86
"""Factor of the usual distance of rows: closer lines are one row."""
_SAME_SIZE = 0.6
"""In points: a larger line below a table is a heading, a smaller one a note."""
_WRITTEN = re.compile(r"[,.$€£%]\d|\d[,.%]|[$€£]")


def unruled_tables(lines: Sequence[Line], shapes: Sequence[Shape]) -> list[tuple[int, int, FoundTable]]:
    """The first and last line of each table, and the table."""
    _part_close_cells(lines)
    _part_at_starts(lines)
    found: list[tuple[int, int, FoundTable]] = []
    index, done = 0, 0
    margin = min((line.left for line in lines), default=0.0)
    while index < len(lines):
        last = _run_end(lines, index) if is_tabular(lines[index]) and not _is_title(lines, index, margin) else None
        if last is None or last == index:
            index += 1
            continue
        built = _built(lines, done, index, last, shapes)
        if built is None:
            index = last + 1
            continue
        found.append(built)
        index = done = built[1] + 1
    return found


def _part_close_cells(lines: Sequence[Line]) -> None:
    """Among rows of figures and directly above them, cells may be closer than pieces of other lines."""
    rows = [number for number, line in enumerate(lines) if is_tabular(line) and has_amounts(line)]
    near = {number + step for number in rows for step in range(-_MOST_BETWEEN, 2)}
    for number in near.intersection(range(len(lines))) if len(rows) > 1 else ():
        if not _is_sentence(lines[number]):
            lines[number].fragments = fragments_of(lines[number].words, is_close=True)


def _part_at_starts(lines: Sequence[Line]) -> None:
    """If other rows have a cell that begins at the same place, even a small gap separates cells."""
    rows = [line for line in lines if is_tabular(line)]
    starts = Counter(round(fragment.left) for line in rows for fragment in line.fragments[1:])
    for line in rows:
        pieces = [piece for f in line.fragments for piece in ([f] if f.is_figure else _parted(f, starts))]
        if len(pieces) > len(line.fragments):
            line.fragments = pieces


def _parted(fragment: Fragment, starts: Counter[int]) -> list[Fragment]:
    pieces = [Fragment(fragment.words[:1])]
    for before, word in itertools.pairwise(fragment.words):
        is_start = sum(starts[round(word.left) + shift] for shift in (-1, 0, 1)) > 1
        if is_start and word.left - before.right > _GAP_AT_START * word.size:
            pieces.append(Fragment([word]))
        else:
            pieces[-1].words.append(word)
    return pieces if len(pieces) > 1 else [fragment]


def _is_title(lines: Sequence[Line], index: int, margin: float) -> bool:
    """“Item 1. Financial Statements”: a gap in a line at the margin, with no row below it."""
    line, below = lines[index], lines[index + 1 : index + 2]
    at_margin = line.left <= margin + 2 * line.size and len(line.fragments) == 2
    return at_margin and not has_amounts(line) and not any(map(is_tabular, below))


def _run_end(lines: Sequence[Line], first: int) -> int | None:
    last, index = first, first + 1
    values_left = _values_left(lines[first])
    has_figures = has_amounts(lines[first])
    while index < len(lines):
        gap = (lines[index].top - lines[index - 1].bottom) / max(lines[index].bottom - lines[index].top, 6.0)
        if gap > (_WIDER_GAP if _are_alike(lines[index - 1], lines[index]) else _WIDE_GAP):
            break
        if is_tabular(lines[index]):
            if has_figures and not has_amounts(lines[index]) and lines[index].is_bold and not lines[last].is_bold:
                break
            last = index
            values_left = min(values_left, _values_left(lines[index]))
            has_figures = has_figures or has_amounts(lines[index])
        elif (
            CAPTION.match(lines[index].text)
            or (has_figures and lines[last].size - lines[index].size > _SAME_SIZE)
            or (has_figures and _names_next_table(lines, index))
            or index - last > _MOST_BETWEEN
            or (_is_sentence(lines[index]) and lines[index].right > values_left)
        ):
            break
        index += 1
    return last


def _are_alike(above: Line, below: Line) -> bool:
    """Whether the rows have the same number of cells, most of which begin or end directly above each other."""
    if len(above.fragments) != len(below.fragments) or len(above.fragments) < 2:
        return False
    pairs = zip(above.fragments, below.fragments, strict=True)
    level = sum(min(abs(one.left - other.left), abs(one.right - other.right)) < _LEVEL for one, other in pairs)
    return level >= max(len(above.fragments) - 1, 2)


def _names_next_table(lines: Sequence[Line], index: int) -> bool:
    """A line of one piece, set off above rows of names without amounts, is the caption of another table."""
    line, above = lines[index], lines[index - 1]
    if line.top - above.bottom < 0.4 * (line.bottom - line.top):
        return False
    for line in lines[index + 1 : index + 1 + _MOST_BETWEEN]:
        if is_tabular(line):
            return not has_amounts(line)
    return False


def _values_left(line: Line) -> float:
    """Where the figures of a row begin, or whatever follows its label; a label may reach that far."""
    figures = [f.inner for f in line.fragments[1:] if f.is_figure]
    return min(figures or [f.inner for f in line.fragments[1:]], default=float("inf"))


def _is_sentence(line: Line) -> bool:
    return len(line.words) > 12 and len(line.fragments) == 1


def _built(
    lines: Sequence[Line], done: int, first: int, last: int, shapes: Sequence[Shape]
) -> tuple[int, int, FoundTable] | None:
    run = list(lines[first : last + 1])
    named = next((line for line in run[:2] if line.is_all_bold), None)
    is_captioned = first > 0 and bool(CAPTION.match(lines[first - 1].text))
    if named is None and (is_captioned or _is_ruled_off(run[0], run[1], _span(run), shapes)):
        named = run[0]
    columns = columns_of(run, named)
    if columns is None:
        return None
    last = _before_next_header(lines, first, last, columns)
    while last > first and any(_is_text_across(fragment, columns) for fragment in lines[last].fragments):
        last -= 1
    last = _with_tail(lines, first, last, columns)
    run = list(lines[first : last + 1])
    if sum(is_tabular(line) for line in run) < 2:
        return None
    start = _body_start(run, columns)
    top = _header_top(lines, done, first, columns, 1.1 * _pitch(run)) if start is not None else first
    run = list(lines[top : last + 1])
    body_start = _text_header(run, shapes) if start is None else start + first - top
    head, body = run[:body_start], run[body_start:]
    if len(body) < 1:
        return None
    while head and _is_label_only(head[-1], columns) and not is_unit_line(head[-1].text):
        body.insert(0, head.pop())
    columns = without_halves(columns, head, body)
    head = unwrapped(head, columns, shapes)
    if not is_captioned and not _is_evident(head, body, len(columns), shapes):
        return None
    header, notes = header_cells(head, extents(body, columns), shapes)
    wide = under_names(columns, head)
    rows = rows_of(body, wide, shapes)
    if (len(rows) < 2 and not header) or _is_overfull(header, _HEADER_WORDS) or _is_overfull(rows, _CELL_WORDS):
        return None
    left, right = min(line.left for line in run), max(line.right for line in run)
    spans = tuple((column.left, column.right) for column in wide)
    is_set_off = _is_set_off(head, body, columns, shapes)
    place = left, run[0].top, right, run[-1].bottom
    return top, last, FoundTable([*header, *rows], len(header), *place, spans, tuple(notes), is_set_off)


def _is_set_off(head: Sequence[Line], body: Sequence[Line], columns: Sequence[Column], shapes: Sequence[Shape]) -> bool:
    if not head or len(head) > 1 or not _has_label(head[0], columns):
        return bool(head)
    is_bold = head[0].is_all_bold and not all(line.is_all_bold for line in body)
    # A rule under every row sets none of them off.
    ruled = [_is_ruled_off(*pair, _span([*head, *body]), shapes) for pair in itertools.pairwise([*head, *body[:2]])]
    return is_bold or (ruled[0] and not any(ruled[1:]))


def _is_text_across(fragment: Fragment, columns: Sequence[Column]) -> bool:
    return sum(touches(fragment, column) for column in columns) > 1 and is_wordy(fragment.words, 5)


def _is_evident(head: Sequence[Line], body: Sequence[Line], width: int, shapes: Sequence[Shape]) -> bool:
    """A table of words, unlike the blocks of a cover page, has a header set off from it, or enough columns and rows."""
    rows = [line for line in body if is_tabular(line)]
    values = [fragment for line in rows for fragment in line.fragments[1:]]
    if values and sum(f.is_figure for f in values) >= _OF_FIGURES * len(values):
        return True
    is_named = any(len(line.fragments) >= width - 1 for line in head)
    is_bold = any(line.is_all_bold for line in head) and not all(line.is_all_bold for line in rows)
    if is_named and (is_bold or _is_ruled_off(head[-1], body[0], _span([*head, *body]), shapes)):
        return True
    full = sum(len(line.fragments) >= width - 1 for line in rows)
    return width > 2 and len(rows) > 2 and full >= _OF_FULL * len(rows)


def _span(run: Sequence[Line]) -> float:
    return max(line.right for line in run) - min(line.left for line in run)


def _is_overfull(rows: Sequence[Cells], most: int) -> bool:
    """Whether cells are as long as paragraphs: then these are columns of a page, not of a table."""
    return any(len(cell) > most for row in rows for cell in row)


def _with_tail(lines: Sequence[Line], first: int, last: int, columns: Sequence[Column]) -> int:
    """Extends the table if its last row is wrapped into the lines below."""
    step = close_step(lines[first : last + 1]) or _TIGHT * _pitch(lines[first : last + 1])
    while last + 1 < len(lines):
        above, line = lines[last], lines[last + 1]
        inside = [c for c in columns if any(touches(fragment, c) for fragment in line.fragments)]
        is_wrapped = len(line.fragments) == len(inside) and not line.is_item and line.top - above.top <= step
        if not is_wrapped or line.right > columns[-1].right + 2 or abs(line.size - above.size) > _SAME_SIZE:
            break
        last += 1
    return last


def _before_next_header(lines: Sequence[Line], first: int, last: int, columns: Sequence[Column]) -> int:
    """Column names below rows of figures begin another table."""
    pitch = _pitch(lines[first : last + 1])
    has_rows = False
    for index in range(first, last):
        line = lines[index]
        is_set_off = line.is_all_bold or line.top - lines[index - 1].top > 1.5 * pitch
        if has_rows and is_set_off and _is_header_like(line, columns):
            return index - 1
        has_rows = has_rows or (has_amounts(line) and line.left < columns[1].left - 1)
    return last


def _is_header_like(line: Line, columns: Sequence[Column]) -> bool:
    over = [fragment for fragment in line.fragments if fragment.left > columns[0].right]
    names = [f for f in over if not f.is_figure or BARE_YEAR.fullmatch(f.text)]
    is_over = len(over) == len(line.fragments) or all(BARE_YEAR.fullmatch(f.text) for f in over)
    # A centred line that ends before the columns begin is a heading for the rows below it.
    reaches = any(fragment.right > columns[1].left for fragment in over)
    return reaches and is_over and len(names) == len(over) and any(map(str.isalnum, line.text))


def _pitch(run: Sequence[Line]) -> float:
    """The usual distance from one row to the next."""
    steps = [b.top - a.top for a, b in itertools.pairwise(run) if is_tabular(a) and is_tabular(b)]
    return median(steps) if steps else 1.2 * max(median(line.size for line in run), 4.0)


def _body_start(run: Sequence[Line], columns: Sequence[Column]) -> int | None:
    """The first row of the body, recognised by an amount or by what is above it; None if the table has no amounts."""
    amounts = [index for index, line in enumerate(run) if _is_first_amount(line, columns, index)]
    if not amounts:
        return None
    # “(2010-11” in bold belongs to a name; under a line that names every column, a bold row is a total.
    first = next((i for i in amounts if not run[i].is_all_bold or _is_named_above(run[:i], run[i])), amounts[0])
    rows_above = range(first)
    full = next((i for i in rows_above if len(run[i].fragments) > 1 and _has_label(run[i], columns)), first)
    bold = next((index for index, line in enumerate(run) if not line.is_all_bold), 0)
    if 0 < bold <= first:
        start = max(bold, full + 1) if full < first and run[full].is_all_bold else bold
    elif full == first:
        start = first
    else:
        # A line of names with its label is the last line of the header; a second such line is a row of words.
        is_header = full == 0 or all(_is_name(f) for f in run[full].fragments[1:])
        start = full + 1 if is_header else full
    while start < first and not _has_label(run[start], columns):
        start += 1
    return start


def _is_first_amount(line: Line, columns: Sequence[Column], index: int) -> bool:
    if not is_tabular(line):
        return False
    values = [f for f in line.fragments if f.inner >= columns[1].left - 1]
    amounts = [f for f in values if f.is_figure and not BARE_YEAR.fullmatch(f.text)]
    if not amounts:
        return False
    return _has_label(line, columns) or not index or any(_WRITTEN.search(f.text) for f in amounts)


def _is_named_above(above: Sequence[Line], row: Line) -> bool:
    values = row.fragments[1:]
    is_named = any(len(line.fragments) >= len(values) and not has_amounts(line) for line in above)
    return is_named and all(f.is_figure and not PERIOD.fullmatch(f.text) for f in values)


def _has_label(line: Line, columns: Sequence[Column]) -> bool:
    return line.left < columns[0].right


def _is_name(fragment: Fragment) -> bool:
    return bool(PERIOD.search(fragment.text)) or bool(BARE_YEAR.fullmatch(fragment.text)) or fragment.is_bold


def _text_header(run: Sequence[Line], shapes: Sequence[Shape]) -> int:
    """The header of a table of words: down to a rule under its first lines, or its bold lines, or its first line."""
    bold = next((index for index, line in enumerate(run[:4]) if not line.is_all_bold), 0)
    if 0 < bold < len(run):
        return bold
    for index, (line, below) in enumerate(itertools.pairwise(run)):
        if _is_ruled_off(line, below, line.right - line.left, shapes):
            return index + 1
    first = run[0]
    return 1 if not any(f.is_figure and not BARE_YEAR.fullmatch(f.text) for f in first.fragments[1:]) else 0


def _is_ruled_off(line: Line, below: Line, width: float, shapes: Sequence[Shape]) -> bool:
    near = [s for s in shapes if s.is_flat and line.bottom - 2 <= s.top <= below.top + 2]
    return any(s.right - s.left > 0.5 * width for s in near) or (
        len(near) > 1 and sum(s.right - s.left for s in near) > 0.6 * width
    )


def _header_top(lines: Sequence[Line], done: int, first: int, columns: Sequence[Column], step: float) -> int:
    """Includes lines above that are only over the columns of values: “Years ended December 31,”."""
    top = first
    while top > done:
        line, below = lines[top - 1], lines[top]
        height = max(line.bottom - line.top, 4.0)
        is_near = below.top - line.bottom < 1.2 * height or below.top - line.top < step
        is_over = all(f.left >= columns[0].right - 0.15 * (columns[0].right - columns[0].left) for f in line.fragments)
        if not (is_near and is_over and line.left >= columns[1].left - 12 * height):
            break
        if len(line.words) > 9 * len(line.fragments) or line.text.endswith(".") or CAPTION.match(line.text):
            break
        names_left = below.left if below.left > columns[0].right else columns[1].left
        if line.left < min(columns[1].left, names_left) - 3 * height and len(line.fragments) == 1:
            break
        top -= 1
    return top


def _is_label_only(line: Line, columns: Sequence[Column]) -> bool:
    return len(line.fragments) == 1 and line.right < columns[1].left

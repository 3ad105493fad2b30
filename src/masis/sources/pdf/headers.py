"""The header of a table without lines: which columns each name is above, on one line or several."""

from collections.abc import Sequence
from itertools import pairwise

from masis.language.periods import PERIOD
from masis.language.table_headers import LEADS_TO_A_DATE, SPANNING
from masis.language.unit_captions import is_unit_line
from masis.sources.pdf.lines import SIGN, Fragment, Line, downwards, stacked_cell
from masis.sources.pdf.page_words import Shape, Word
from masis.sources.pdf.unruled_grid import PIECES_APART, Column

Span = tuple[float, float]
_NARROW = 0.42
_OFF_CENTRE = 0.15


def header_cells(
    head: Sequence[Line], columns: Sequence[Span], shapes: Sequence[Shape]
) -> tuple[list[list[list[Word]]], list[list[Word]]]:
    """The header rows with each name in every column it spans, and the unit lines among them."""
    rows: list[list[list[Word]]] = []
    notes: list[list[Word]] = []
    under: list[tuple[Fragment, tuple[int, int]]] = []
    # From the bottom, because a name may be the first line of the one under it.
    for line in reversed(head):
        if len(line.fragments) == 1 and (is_unit_line(line.text) or _fills_a_band(line, columns, shapes)):
            notes.insert(0, line.words)
            continue
        names = _names(line, columns)
        spans = [_begun_above(f, s, under, columns) for f, s in zip(names, _spans(names, columns, shapes), strict=True)]
        under = list(zip(names, spans, strict=True))
        rows.insert(0, _spread(names, columns, spans))
    return rows, notes


def unwrapped(head: Sequence[Line], columns: Sequence[Column], shapes: Sequence[Shape]) -> list[Line]:
    """Joins names broken over several lines, if that gives as many names as there are columns."""
    notes = [line for line in head if len(line.fragments) == 1 and is_unit_line(line.text)]
    pieces = sorted((f for line in head if line not in notes for f in line.fragments), key=lambda f: f.left)
    names: list[list[Fragment]] = []
    for piece in pieces:
        if names and piece.left < max(f.right for f in names[-1]):
            names[-1].append(piece)
        else:
            names.append([piece])
    names = [downwards(name) for name in names]
    pairs = [pair for name in names for pair in pairwise(name)]
    is_wrapped = all(begins(above, below) and not _is_apart(above, below, shapes) for above, below in pairs)
    has_label = bool(names) and names[0][0].left <= columns[0].right
    if len(head) < 2 or len(columns) - len(names) != (not has_label) or not is_wrapped:
        return list(head)
    row = Line([word for name in names for piece in name for word in piece.words])
    row.fragments = [stacked_cell(name) for name in names]
    return [*notes, row]


def _is_apart(above: Fragment, below: Fragment, shapes: Sequence[Shape]) -> bool:
    """Whether there is a rule between two names, or a period above, which may span more columns than it is wide."""
    top, bottom = above.words[-1].middle, below.words[0].middle
    is_ruled = any(s.is_flat and top < s.top < bottom and s.left < below.right and s.right > below.left for s in shapes)
    period = PERIOD.fullmatch(above.text) or SPANNING.match(above.text)
    return is_ruled or bool(period and not PERIOD.match(below.text))


def _begun_above(
    fragment: Fragment,
    span: tuple[int, int],
    under: Sequence[tuple[Fragment, tuple[int, int]]],
    columns: Sequence[Span],
) -> tuple[int, int]:
    """A name directly above another, centred or flush with it, is its first line."""
    touched = [(f, own) for f, own in under if f.left < fragment.right and f.right > fragment.left]
    off_centre = columns[span[0]][0] + columns[span[1]][1] - fragment.left - fragment.right
    if len(touched) != 1 or abs(off_centre) < 0.1 * (columns[span[1]][1] - columns[span[0]][0]):
        return span
    name, own = touched[0]
    return own if begins(fragment, name) else span


def begins(above: Fragment, below: Fragment) -> bool:
    """Whether two names are one, broken after a line that it fills: centred or flush."""
    left, right = abs(below.left - above.left), abs(below.right - above.right)
    is_flush = min(left, right) < 1.5 or abs(below.left + below.right - above.left - above.right) < 3
    return is_flush and above.right - above.left > 0.6 * (below.right - below.left)


def _fills_a_band(line: Line, columns: Sequence[Span], shapes: Sequence[Shape]) -> bool:
    """Whether the line is the table's name, centred in a bar over all columns including that of the labels."""
    return any(
        s.top <= line.top + 1
        and s.bottom >= line.bottom - 1
        and s.bottom - s.top < 3 * line.size
        and s.left <= columns[0][0] + 1
        and s.right >= columns[-1][1] - 1
        and abs(s.left + s.right - line.left - line.right) < line.size
        for s in shapes
    )


def _names(line: Line, columns: Sequence[Span]) -> list[Fragment]:
    """The pieces of the line, also split where a narrow gap leads from one column to another."""
    gaps = [b.left - a.right for a, b in pairwise(line.words)]
    usual = max(min(gaps, default=0.0), 0.0)
    found: list[Fragment] = []
    for fragment in line.fragments:
        if found and SIGN.fullmatch(fragment.text) and fragment.left - found[-1].right < _NARROW * line.size:
            # “December 31, $” above “Difference”.
            found[-1].words += fragment.words
            continue
        found.append(Fragment(fragment.words[:1]))
        for before, word in pairwise(fragment.words):
            gap = word.left - before.right
            is_wide = gap > _NARROW * word.size and (gap > 1.5 * usual or gap > 1.5 * _NARROW * word.size)
            is_cut = is_wide and _over(before, columns) != _over(word, columns)
            if is_cut:
                found.append(Fragment([word]))
            else:
                found[-1].words.append(word)
    return found


def _over(word: Word, columns: Sequence[Span]) -> int:
    return min(range(len(columns)), key=lambda i: abs((columns[i][0] + columns[i][1]) / 2 - word.centre))


def _spread(names: Sequence[Fragment], columns: Sequence[Span], spans: Sequence[tuple[int, int]]) -> list[list[Word]]:
    cells: list[list[Word]] = [[] for _ in columns]
    for fragment, (first, last) in zip(names, spans, strict=True):
        for column in range(first, last + 1):
            cells[column] = cells[column] + fragment.words
    return cells


def _spans(fragments: Sequence[Fragment], columns: Sequence[Span], shapes: Sequence[Shape]) -> list[tuple[int, int]]:
    own = [_overlapped(fragment, columns) for fragment in fragments]
    if ordered := _one_each(fragments, columns, own):
        return ordered
    everything = (1, len(columns) - 1)
    is_wide = own[0][1] > own[0][0] or bool(LEADS_TO_A_DATE.search(fragments[0].text))
    if len(fragments) == 1 and is_wide and own[0][0] >= 1 and _is_centred(fragments[0], everything, columns):
        return [everything]
    spans: list[tuple[int, int]] = []
    for index, fragment in enumerate(fragments):
        first, last = own[index]
        lowest = max((own[i][1] + 1 for i in range(index)), default=0)
        highest = min((own[i][0] - 1 for i in range(index + 1, len(fragments))), default=len(columns) - 1)
        if first == 0 and fragment.left < columns[1][0] - 1 and last == 0:
            spans.append((0, 0))
            continue
        others = [other for other in fragments if other is not fragment]
        if underlined := _underlined(fragment, others, columns, shapes):
            spans.append(underlined)
            continue
        spans.append(_centred(fragment, columns, (first, last), (max(lowest, 1), max(highest, last))))
    return _shared_out(fragments, columns, spans) or spans


def _shared_out(
    fragments: Sequence[Fragment], columns: Sequence[Span], spans: Sequence[tuple[int, int]]
) -> list[tuple[int, int]] | None:
    """Several names above more columns share all of them, if each is then centred over its own."""
    named = [(fragment, span) for fragment, span in zip(fragments, spans, strict=True) if span != (0, 0)]
    if (
        len(named) < 2
        or any(first == last for _, (first, last) in named)
        or sum(last - first + 1 for _, (first, last) in named) >= len(columns) - 1
    ):
        return None
    centres = [(fragment.left + fragment.right) / 2 for fragment, _ in named]
    owners = [_headers_nearest(centres, (left + right) / 2) for left, right in columns[1:]]
    groups = [(owners.index(n) + 1, len(owners) - owners[::-1].index(n)) for n in range(len(named)) if n in owners]
    if len(groups) != len(named) or not all(map(_is_centred, (f for f, _ in named), groups, [columns] * len(named))):
        return None
    return [*([(0, 0)] if len(named) < len(fragments) else []), *groups]


def _headers_nearest(centres: Sequence[float], place: float) -> int:
    return min(range(len(centres)), key=lambda index: abs(centres[index] - place))


def _is_centred(fragment: Fragment, span: tuple[int, int], columns: Sequence[Span]) -> bool:
    left, right = columns[span[0]][0], columns[span[1]][1]
    return abs(left + right - fragment.left - fragment.right) < 2 * _OFF_CENTRE * (right - left)


def _one_each(
    fragments: Sequence[Fragment], columns: Sequence[Span], own: Sequence[tuple[int, int]]
) -> list[tuple[int, int]] | None:
    """If there are as many names as columns, or as columns of values, each is above one, wherever it is set in it."""
    first = len(columns) - len(fragments)
    if first not in (0, 1) or len(fragments) < 2 or (first and fragments[0].right < columns[0][1]):
        return None
    if any(last > start for start, last in own) and len(set(own)) == len(own):
        return None
    return [(index, index) for index in range(first, len(columns))]


def _overlapped(fragment: Fragment, columns: Sequence[Span]) -> tuple[int, int]:
    touched = [i for i, (left, right) in enumerate(columns) if fragment.left < right and fragment.right > left]
    if not touched:
        centre = (fragment.left + fragment.right) / 2
        near = min(range(len(columns)), key=lambda i: max(columns[i][0] - centre, centre - columns[i][1], 0.0))
        touched = [near]
    return touched[0], touched[-1]


def _underlined(
    fragment: Fragment, others: Sequence[Fragment], columns: Sequence[Span], shapes: Sequence[Shape]
) -> tuple[int, int] | None:
    """The rule under a name, and under no other, shows how far it reaches."""
    bottom = max(word.bottom for word in fragment.words)
    height = bottom - min(word.top for word in fragment.words)
    near = [s for s in shapes if s.is_flat and bottom - 0.3 * height <= s.top <= bottom + 0.6 * height]
    for left, right in _runs(near):
        covers = left <= fragment.left + 3 and fragment.right - 3 <= right
        covers = covers and not any(left <= other.left and other.right <= right for other in others)
        if covers and right - left < 0.95 * (columns[-1][1] - columns[0][0]):
            inside = [i for i, (a, b) in enumerate(columns) if left - 2 <= (a + b) / 2 <= right + 2 and i]
            # Rules of neighbouring names may touch, and those of some cells may be missing.
            is_middle = abs(left + right - fragment.left - fragment.right) < 0.16 * (right - left) + 4
            if inside and is_middle:
                return inside[0], inside[-1]
    return None


def _runs(rules: Sequence[Shape]) -> list[Span]:
    runs: list[list[float]] = []
    for left, right in sorted((rule.left, rule.right) for rule in rules):
        if runs and left <= runs[-1][1] + PIECES_APART:
            runs[-1][1] = max(runs[-1][1], right)
        else:
            runs.append([left, right])
    return [(left, right) for left, right in runs]


def _centred(
    fragment: Fragment, columns: Sequence[Span], own: tuple[int, int], free: tuple[int, int]
) -> tuple[int, int]:
    """The neighbouring columns, none of them under another name, over which the name is centred."""
    centre = (fragment.left + fragment.right) / 2
    pitch = min((b[0] - a[0] for a, b in pairwise(columns[1:])), default=columns[-1][1] - columns[-1][0])
    best, least = own, float("inf")
    for first in range(min(free[0], own[0]), own[0] + 1):
        for last in range(own[1], max(free[1], own[1]) + 1):
            middle = (columns[first][0] + columns[last][1]) / 2
            cost = abs(middle - centre) + 0.12 * pitch * (last - first)
            if cost < least - 1e-6:
                best, least = (first, last), cost
    return best

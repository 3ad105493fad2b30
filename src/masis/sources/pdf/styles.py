"""What only the whole document shows: headings, running headers and footers, and tables split by the end of a page."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from masis.language.periods import PERIOD
from masis.language.unit_captions import is_unit_line
from masis.sources.pdf.drafts import Draft, DraftLine, DraftTable
from masis.sources.pdf.lines import FIGURE
from masis.sources.pdf.unruled_grid import BARE_YEAR
from masis.sources.table_grid import depth_of, is_pairs, joined_header

_LARGER = 1.12
_LEVELS = 4
_LEAST_LINES, _OF_LINES = 6, 0.25
_HEADING_CHARS = 160
_EDGE_LINES = 3
_LEAST_PAGES = 3
_SHARE = 0.25
_IN_A_ROW = 5
_NO_HEADING_END = (".", ";", ",", "…")
_BULLET = re.compile(r"[^\w\s(]\s")
_PART = re.compile(r"(?:part|chapter)\s+[ivx\d]+\b", re.IGNORECASE)
_SECTION = re.compile(
    r"(?:item|section|note|article|appendix|exhibit)\s+\w{1,4}\b|\d{1,2}(?:\.\d{1,2}){0,3}\.?\s", re.IGNORECASE
)
_SUBSECTION = re.compile(r"\d{1,2}\.\d")
ADDRESS = re.compile(
    r"^\d{1,5} [^\W\d].*\d{4,}$|,\s*[A-Z]\.?[A-Z]\.?\s+\d{5}|,\s*[^\W\d_]{3,20}\s\d{5}(?:-\d{4})?$"
    r"|@|https?://|www\.|\bphone\b|\btel\b",
    re.IGNORECASE,
)
_COVER_LINE = re.compile(
    r"(?:and|or)$|for the\b.{0,40}\bended\b|.{0,60}\b(?:no|number)\b[.:]{0,2}\s[\d-]{5,}$", re.IGNORECASE
)
"""The period or the number of a report, which is bold on its cover but is not a heading."""
_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"(?:page\s*)?[-–—]?\s*\(?(?:[A-Z]-)?(?:\d{1,4}|[ivxlc]{1,6})\)?\s*[-–—]?(?:\s*(?:of|/)\s*\d{1,4})?", re.I
)
_CONTINUED = re.compile(
    r"(?:^|[(\[–—-]\s?)(?:continued|cont['’]?d|fortsetzung|fortgesetzt|suite|continuación|segue)\b|\bcontinued\W*$",
    re.I,
)
_MARK_CHARS, _LEAST_NAMES = 100, 3
_LEVEL, _TIGHT = 12.0, 4.0
"""Points by which the edges of a column may differ from one page to the next. The smaller value is for rows that
figures do not distinguish from names, and for columns of which some are empty."""
_SLACK = 3.0
"""Points by which a column may reach into the one beside it."""
_ROW_STEP, _SAME_SIZE = 1.3, 0.6
"""Factor of the usual distance of rows; difference of type size in points."""
_Spans = Sequence[tuple[float, float]]


class Styles:
    def __init__(self, pages: Iterable[Sequence[Draft]]) -> None:
        weight: Counter[float] = Counter()
        lines: Counter[float] = Counter()
        for page in pages:
            for draft in page:
                if isinstance(draft, DraftLine):
                    weight[draft.size] += len(draft.text)
                    lines[draft.size] += 1
        # Small print may have most of the letters of a form, so a size used by a quarter of the lines is not a
        # heading's.
        usual = [size for size, count in lines.items() if count >= max(_LEAST_LINES, _OF_LINES * lines.total())]
        self.body = max([*usual, *(size for size, _ in weight.most_common(1))], default=0.0)
        # Exhibits may be set larger than the report they belong to.
        self._least = min([*usual, self.body])
        self._sizes: list[float] = []
        for size in sorted((size for size in weight if size >= self.body * _LARGER), reverse=True):
            if not self._sizes or self._sizes[-1] - size > 0.6:
                self._sizes.append(size)

    def level(self, line: DraftLine) -> int:
        """The level of a heading; 0 if the line is not one."""
        text = line.text
        letters = sum(map(str.isalpha, text))
        is_words = letters >= 2 and letters > len(text) / 2
        if not is_words or len(text) > _HEADING_CHARS or text.startswith("(") or is_unit_line(text):
            return 0
        if _BULLET.match(text) or (text.endswith(_NO_HEADING_END) and len(text) > 12 and not text.isupper()):
            return 0
        if line.is_pair or ADDRESS.search(text) or _COVER_LINE.match(text):
            return 0
        is_large = line.size >= self.body * _LARGER
        if is_large:
            rank = next((i for i, size in enumerate(self._sizes) if size - line.size <= 0.6), len(self._sizes))
            return min(rank + 1, _LEVELS)
        # Names and titles under a signature are in the right half of the page; a heading begins left or is centred.
        is_numbered = bool(_SECTION.match(text) or _PART.match(text))
        is_aside = line.left > (line.edges[0] + line.edges[1]) / 2 and not is_numbered
        # The letters of a bold type may be lower than those of the text although both have the same size.
        if not line.is_bold or line.size < (0.8 if is_numbered else 0.93) * self._least or is_aside:
            return 0
        return min(len(self._sizes), _LEVELS - 1) + self._rank(text)

    @staticmethod
    def _rank(text: str) -> int:
        if _PART.match(text):
            return 1
        if _SUBSECTION.match(text):
            return 3
        return 2 if _SECTION.match(text) or (text.isupper() and (" " in text or text.isalpha())) else 3


def furniture_of(pages: Sequence[Sequence[Draft]]) -> list[set[int]]:
    """For each page the indices of running lines: the same words at the edge of many pages, or the page number."""
    places: dict[tuple[str, bool], list[int]] = {}
    edges = [list(_edge_lines(page)) for page in pages]
    for number, lines in enumerate(edges):
        for _, line in lines:
            places.setdefault(_key(line), []).append(number)
    running = {key for key, numbers in places.items() if _runs(sorted(set(numbers)), len(pages), is_bold=key[1])}
    return [
        {
            index
            for index, line in lines
            if _key(line) in running or (len(pages) > 1 and _PAGE_NUMBER.fullmatch(line.text.strip()))
        }
        for lines in edges
    ]


def _edge_lines(page: Sequence[Draft]) -> Iterable[tuple[int, DraftLine]]:
    """The outermost lines of a page; a footer may follow the text wherever that ends."""
    order = sorted(range(len(page)), key=lambda index: page[index].top)
    outer = {*order[:_EDGE_LINES], *order[-_EDGE_LINES:]}
    lines = ((index, draft) for index, draft in enumerate(page) if index in outer)
    return [(index, line) for index, line in lines if isinstance(line, DraftLine)]


def _key(line: DraftLine) -> tuple[str, bool]:
    return _DIGITS.sub("0", line.text), line.is_bold


def _runs(numbers: Sequence[int], pages: int, *, is_bold: bool) -> bool:
    if len(numbers) >= max(_LEAST_PAGES, _SHARE * pages):
        return True
    longest = run = 1
    for before, after in itertools.pairwise(numbers):
        run = run + 1 if after - before <= 2 else 1
        longest = max(longest, run)
    # The same bold line over a few consecutive pages is a name over several statements.
    return longest >= _IN_A_ROW and not is_bold


def is_mark_of_continuation(text: str) -> bool:
    """“Segment results (continued)”, at the end of a page or the top of the next."""
    return len(text) < _MARK_CHARS and bool(_CONTINUED.search(text))


def header_alone(lines: Sequence[Draft]) -> DraftTable | None:
    """The last line of a page as a table, if it may be a header whose rows are all on the next page."""
    *above, line = lines
    if not isinstance(line, DraftLine) or len(line.cells) < _LEAST_NAMES:
        return None
    names = [text for _, _, text in line.cells]
    is_wrapped = bool(above) and isinstance(above[-1], DraftLine) and bool(above[-1].cells)
    if is_wrapped or any(map(_is_amount, names)) or max(map(len, names)) > _MARK_CHARS:
        return None
    columns = tuple((left, right) for left, right, _ in line.cells)
    return DraftTable([names], 1, line.left, line.top, line.right, line.bottom, columns, is_set_off=True)


def continuing(before: DraftTable, drafts: Sequence[Draft], running: set[int]) -> list[Draft]:
    """The drafts of a page after one that ended with a table. If its opening continues that table, it gets the table's
    header."""
    body = (draft for draft in drafts if id(draft) not in running)
    opening = list(itertools.dropwhile(_is_introduction, body))
    if not opening:
        return list(drafts)
    first, second = opening[0], opening[:2][-1]
    if isinstance(first, DraftTable):
        _continue(before, first)
    elif isinstance(second, DraftTable) and _is_row_above(first, second):
        if not _has_own_names(second) and _continue(before, second):
            label = [first.text, *[""] * (len(second.rows[0]) - 1)]
            second.rows.insert(second.header_rows or 0, label)
            second.top = first.top
            return [draft for draft in drafts if draft is not first]
    elif found := _rows_in_lines(before, opening):
        table, lines = found
        _continue(before, table)
        return [table if draft is first else draft for draft in drafts if draft is first or id(draft) not in lines]
    return list(drafts)


def _is_introduction(draft: Draft) -> bool:
    return isinstance(draft, DraftLine) and (is_mark_of_continuation(draft.text) or is_unit_line(draft.text))


def _is_row_above(line: DraftLine, table: DraftTable) -> bool:
    """“Changes in assets:” in the type of the rows below it, where their labels are, and no further from them than they
    are from each other."""
    pitch = (table.bottom - table.top) / len(table.rows)
    is_near = 0 < table.top - line.top < _ROW_STEP * max(pitch, line.bottom - line.top)
    is_in_place = line.left < table.columns[0][1] and line.right < table.columns[1][0]
    return is_near and is_in_place and abs(line.size - table.size) < _SAME_SIZE


def _rows_in_lines(before: DraftTable, opening: Sequence[Draft]) -> tuple[DraftTable, set[int]] | None:
    """Rows that are too few or too patchy to be recognised as a table without the columns of the page before; and the
    lines they are made of."""
    rows: list[list[str]] = []
    taken: list[DraftLine] = []
    width = len(before.columns)
    for lines in _level_lines(opening):
        cells = sorted(cell for line in lines for cell in line.cells or [(line.left, line.right, line.text)])
        is_full = len(cells) == width and any(_is_amount(text) for _, _, text in cells[1:])
        spans = [(left, right) for left, right, _ in cells]
        places = _under(before.columns, spans, _LEVEL if is_full else _TIGHT)
        if not places or len(set(places)) < len(places) or lines[0].is_pair:
            if cells[0][0] > before.columns[1][0] - _SLACK:
                # This is the second line of the cells: where the row ends cannot be told.
                return None
            break
        rows.append(_spread([text for _, _, text in cells], places, width))
        taken += lines
    if not rows or (len(rows) == 1 and not (all(rows[0]) and any(map(_is_amount, rows[0][1:])))):
        return None
    place = min(d.left for d in taken), taken[0].top, max(d.right for d in taken), max(d.bottom for d in taken)
    return DraftTable(rows, 0, *place, before.columns), set(map(id, taken))


def _level_lines(drafts: Sequence[Draft]) -> Iterator[list[DraftLine]]:
    level: list[DraftLine] = []
    for line in itertools.takewhile(lambda draft: isinstance(draft, DraftLine), drafts):
        assert isinstance(line, DraftLine)
        if level and abs(line.top - level[0].top) > _SLACK:
            yield level
            level = []
        level.append(line)
    if level:
        yield level


def _continue(before: DraftTable, table: DraftTable) -> bool:
    (header, unit), own = _names(before), _names(table)[0]
    has_rows = len(before.rows) > 1
    depth = before.header_rows
    if depth and len(table.rows) > depth and table.rows[:depth] == before.rows[:depth]:
        # Below it may be the end of a row that began on the page before.
        table.header_rows, table.is_continued = depth, has_rows
    elif own and own == header:
        table.is_continued = has_rows
    elif not _has_own_names(table):
        is_row = own and not _is_of_amounts(own)
        places = _columns_under(before, table, _TIGHT if is_row else _LEVEL)
        table.is_continued = has_rows and places is not None
        table.is_unnamed = not places and has_rows and bool(header) and not is_row and len(table.columns) > 2
        if header and places:
            table.rows = [header, *(_spread(row, places, len(header)) for row in table.rows)]
            table.header_rows, table.is_set_off = 1, True
            table.notes = table.notes or before.notes or ((unit,) if unit else ())
            table.columns = tuple(
                _own_span(table, places, number) or span for number, span in enumerate(before.columns)
            )
    return table.is_continued


def _own_span(table: DraftTable, places: Sequence[int], number: int) -> tuple[float, float] | None:
    spans = [span for place, span in zip(places, table.columns, strict=True) if place == number]
    return (min(left for left, _ in spans), max(right for _, right in spans)) if spans else None


def _spread(row: Sequence[str], places: Sequence[int], width: int) -> list[str]:
    cells = {place: cell for place, cell in zip(places, row, strict=True) if cell}
    return [cells.get(number, "") for number in range(width)]


def _names(table: DraftTable) -> tuple[list[str], str]:
    """One name per column, empty if the table has no header; and the unit stated in the header."""
    depth = table.header_rows
    if depth is None:
        depth = 0 if is_pairs(table.rows) else depth_of(table.rows)
    return joined_header(table.rows[:depth], is_spread=table.header_rows is not None) if depth else ([], "")


def _has_own_names(table: DraftTable) -> bool:
    """Whether its header is more than its first row: it is set off, or has words over figures."""
    names = _names(table)[0]
    if not names or _is_of_amounts(names):
        return False
    columns = zip(*table.rows, strict=True)
    over = [cell for cell, *below in itertools.islice(columns, 1, None) if cell and _is_of_figures(below)]
    return table.is_set_off or (not any(map(_is_amount, over)) and len(set(over)) > len(over) / 2)


def _is_of_amounts(names: Sequence[str]) -> bool:
    """A bold total at the top of a page looks like a header."""
    return all(_is_amount(name) for name in names[1:] if name)


def _is_of_figures(cells: Sequence[str]) -> bool:
    filled = list(filter(None, cells))
    return 2 * sum(map(_is_amount, filled)) > len(filled)


def _is_amount(cell: str) -> bool:
    """Whether the cell is an amount; “5 (1991, 1998)” counts too."""
    is_figure = cell[:1].isdigit() or FIGURE.fullmatch(cell)
    return bool(is_figure) and not BARE_YEAR.fullmatch(cell) and not PERIOD.match(cell)


def _columns_under(before: DraftTable, table: DraftTable, within: float) -> list[int] | None:
    """For each column the number of the one it continues; facing pages may have mirrored margins."""
    if len(table.columns) < 2:
        return None
    within = within if len(table.columns) == len(before.columns) else _TIGHT
    shift = before.left - table.left
    places = _under(before.columns, table.columns, within) or _under(
        before.columns, [(left + shift, right + shift) for left, right in table.columns], min(within, _TIGHT)
    )
    filled = [[place for place, cell in zip(places or (), row, strict=False) if cell] for row in table.rows]
    # Figures may be set left and right in one column, if no row has both.
    return places if all(len(set(numbers)) == len(numbers) for numbers in filled) else None


def _under(before: _Spans, columns: _Spans, within: float) -> list[int] | None:
    """Each column is under exactly one other and, except for the labels, aligned with its edge or centre."""
    found: list[int] = []
    for left, right in columns:
        overlaps = [min(right, b) - max(left, a) for a, b in before]
        most, *others = sorted(overlaps, reverse=True)
        a, b = before[overlaps.index(most)]
        off = min(abs(left - a), abs(right - b), abs(left + right - a - b) / 2) if found else 0.0
        if most <= 0 or max(others) > _SLACK or off > within:
            return None
        found.append(overlaps.index(most))
    return found if found[0] == 0 < found[-1] and found == sorted(found) else None

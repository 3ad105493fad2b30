"""Rebuilds the tables in the passages: columns, rows, cells with their exact offsets, and the text above them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from masis.language.periods import Period, period_of_cells, periods
from masis.language.statements import Statement, statements
from masis.language.table_headers import GROUP
from masis.reasoning.offline.tables.values import amount, day, stems
from masis.reasoning.ports import Passage

Kind = Literal["amount", "day", "text"]
TOTAL = re.compile(r"\W*(?:(?:sub|grand )?totals?|overall|all|average|sum)\b", re.IGNORECASE)
CHANGES = re.compile(r"\b(?:change|increase|decrease|growth|vari\w+|difference)\b|%|\bvs\b|\bversus\b", re.IGNORECASE)
MOST_OF = 0.6
"""Share of a column's non-empty cells that must have a kind for the column to have it."""
YEARS = (1500, 2101)
NEAR = 4
"""The most characters between two parts of one table."""
NEVER = Period(-1, "00")
A_POINT = -1
"""Used in place of a number of months for a question about a point in time (“at 31 December”)."""
SAME_SEASON = 10
"""How many days apart two dates may be and still end the same quarter."""
NEW_MONTH = 7
"""A quarter that ends in the first seven days of a month belongs to the month before."""
LARGEST = 4000
"""The most cells a table may have to be read; a larger one is a data set."""


@dataclass(frozen=True, eq=False)
class Cell:
    text: str
    row: int
    column: int
    passage: Passage
    start: int
    end: int
    """`passage.text[start:end]` is the text."""

    @cached_property
    def amount(self) -> float | None:
        return amount(self.text)

    @cached_property
    def day(self) -> float | None:
        return day(self.text)

    @cached_property
    def stems(self) -> tuple[str, ...]:
        return stems(self.text)


@dataclass(frozen=True, eq=False)
class Row:
    cells: tuple[Cell, ...]
    group: str
    statement: Statement
    """The row as the audit reads it."""


@dataclass(frozen=True, eq=False)
class Table:
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    above: str
    """Headings, caption and unit line."""
    file_name: str
    about: str = ""
    """Whose document it is and for which period, according to the catalogue."""
    part_of_more: bool = False
    """Whether rows of the table are missing from the passages."""
    rows_in_all: int = 0
    """How many rows the whole table has, or 0 if unknown."""
    kinds: tuple[Kind, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kinds", tuple(self._kind(n) for n in range(len(self.columns))))

    def cell(self, row: int, column: int) -> Cell:
        return self.rows[row].cells[column]

    def column_cells(self, column: int) -> list[Cell]:
        return [row.cells[column] for row in self.rows]

    def _kind(self, column: int) -> Kind:
        filled = [cell for cell in self.column_cells(column) if cell.text]
        least = max(1, MOST_OF * len(filled))
        amounts = [cell.amount for cell in filled if cell.amount is not None]
        if len(amounts) >= least:
            whole_years = all(YEARS[0] <= a < YEARS[1] and a == int(a) for a in amounts)
            return "day" if whole_years and not re.search(r"[,$€£%]", "".join(c.text for c in filled)) else "amount"
        return "day" if sum(cell.day is not None for cell in filled) >= least else "text"

    @cached_property
    def label_column(self) -> int:
        """The first text column, which names the rows. A column of periods serves only if there is no other."""
        words = [n for n, kind in enumerate(self.kinds) if kind == "text"]
        named = (n for n in words if not all(periods(c.text) for c in self.column_cells(n) if c.text))
        return next(named, words[0] if words else 0)

    @cached_property
    def column_stems(self) -> tuple[tuple[str, ...], ...]:
        return tuple(stems(column) for column in self.columns)

    @cached_property
    def column_periods(self) -> tuple[tuple[Period, ...], ...]:
        return tuple(tuple(period_of_cells([column])) for column in self.columns)

    @cached_property
    def document_times(self) -> tuple[Period, ...]:
        """The periods the document covers, from its file name (“2023 Q3 report.pdf”) and from its first page."""
        named = period_of_cells([re.sub(r"[_.-]", " ", self.file_name)])
        return tuple(dict.fromkeys([*named, *periods(self.about)]))

    def own_columns(self, months: int = 0) -> tuple[int, ...]:
        """The columns for the document's own period: the newest ones, and of these the shortest or those with the given
        length."""
        return tuple(n for n in self._newest if self._is_as_long(n, months))

    @cached_property
    def _newest(self) -> tuple[int, ...]:
        dated = [(n, self.column_periods[n][0]) for n in self.timed if self.column_periods[n][0].year]
        newest = max(((p.year or 0, p.part or "") for _, p in dated), default=None)
        return tuple(n for n, p in dated if (p.year or 0, p.part or "") == newest)

    def column_times(self, months: int = 0) -> tuple[tuple[Period, ...], ...]:
        """Like `column_periods`, but a three-month column also gets its quarter, and a column with a different length
        than asked for gets a period that matches nothing."""
        return tuple(
            (*times, *self.quarters[n]) if self._is_as_long(n, months) else (NEVER,)
            for n, times in enumerate(self.column_periods)
        )

    @cached_property
    def quarters(self) -> tuple[tuple[Period, ...], ...]:
        """The quarters that each column covers.

        They come from the document's name, shifted by a year for each year between the columns, and from a year-to-date
        column next to a three-month one: “nine months ended” the same day makes that column the third quarter.
        """
        named = [p for p in self.document_times if p.year and p.part and not p.is_day]
        newest = self.column_periods[self._newest[0]][0] if self._newest else None
        return tuple(
            tuple(
                dict.fromkeys(
                    [
                        *(
                            Period((p.year or 0) + (times[0].year or 0) - (newest.year or 0), p.part)
                            for p in named
                            if newest and n in self.timed and _is_same_season(times[0], newest)
                        ),
                        *self._quarter_so_far(n),
                    ]
                )
            )
            for n, times in enumerate(self.column_periods)
        )

    def _quarter_so_far(self, column: int) -> Iterator[Period]:
        end = next(iter(self.column_periods[column]), NEVER)
        if column not in self.timed or months_of(self.columns[column]) != 3 or not end.is_day:
            return
        so_far = max(months_of(self.columns[n]) for n, times in enumerate(self.column_periods) if times[:1] == (end,))
        if so_far > 3 and end.year:
            # The fiscal year is named after the calendar year in which its remaining months end.
            month = (_day_of_year(end) - NEW_MONTH) // 30 + 1 + 12 - so_far
            yield Period(end.year + (month > 12), f"Q{so_far // 3}", "fiscal")
        elif so_far == 3 and end.year and not any(p.is_part_of_a_year for p in self.document_times):
            yield Period(end.year, f"Q{(_day_of_year(end) - NEW_MONTH) // 90 + 1}", "calendar")

    def _is_as_long(self, column: int, months: int) -> bool:
        alike = [n for n, times in enumerate(self.column_periods) if times == self.column_periods[column]]
        lengths = {months_of(self.columns[n]) for n in alike}
        if months == A_POINT:
            return months_of(self.columns[column]) == 0
        wanted = months if months and 0 not in lengths else min(lengths)
        return months_of(self.columns[column]) == wanted

    @cached_property
    def timed(self) -> tuple[int, ...]:
        """Columns of amounts that each belong to one period. Columns with changes between periods are left out."""
        amounts = [n for n, kind in enumerate(self.kinds) if kind == "amount" and not CHANGES.search(self.columns[n])]
        single = [n for n in amounts if len(self.column_periods[n]) == 1]
        with_year = [n for n in single if self.column_periods[n][0].year]
        return tuple(with_year or single)

    @cached_property
    def row_periods(self) -> tuple[tuple[Period, ...], ...]:
        return tuple(tuple(periods(row.cells[0].text) or periods(row.group)) for row in self.rows)

    @cached_property
    def row_times(self) -> tuple[tuple[Period, ...], ...]:
        """The period that the cells of a row give together: 2025 in one cell and Q3 in another make one quarter."""
        return tuple(
            tuple(period_of_cells([c.text for c in row.cells if c.amount is None or self.kinds[c.column] == "day"]))
            for row in self.rows
        )

    @cached_property
    def latest_year(self) -> int:
        """Of its rows and columns; 0 if they are not periods."""
        own = [*self.row_times, *self.column_periods]
        return max((period.year or 0 for times in own for period in times), default=0)

    @cached_property
    def is_total(self) -> tuple[bool, ...]:
        return tuple(
            any(TOTAL.match(c.text) for c in (row.cells[0], row.cells[self.label_column])) for row in self.rows
        )

    @cached_property
    def label_counts(self) -> Counter[str]:
        return Counter(cell.text for cell in self.column_cells(self.label_column))

    @cached_property
    def label_stems(self) -> frozenset[str]:
        return frozenset(stem for row in self.rows for stem in row.cells[self.label_column].stems)

    @cached_property
    def names_in(self) -> tuple[frozenset[str], ...]:
        """For each column, the words of its cells that are not amounts."""
        columns = zip(*(row.cells for row in self.rows), strict=True)
        return tuple(frozenset(s for cell in column if cell.amount is None for s in cell.stems) for column in columns)

    @cached_property
    def cell_stems(self) -> frozenset[str]:
        return frozenset(s for row in self.rows for cell in row.cells if cell.amount is None for s in cell.stems)

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of the table and of the text above it."""
        cells = (cell.stems for row in self.rows for cell in row.cells)
        return self.above_stems.union(*self.column_stems, *cells)

    @cached_property
    def above_stems(self) -> frozenset[str]:
        return frozenset(stems(self.above[:2000])) | self.document_stems

    @cached_property
    def document_stems(self) -> frozenset[str]:
        return frozenset(stems(re.sub(r"[_.-]", " ", f"{self.file_name} {self.about}")))


def _is_same_season(one: Period, other: Period) -> bool:
    """Whether two dates of different years end the same quarter: 25 June and 1 July do."""
    if not (one.is_day and other.is_day):
        return one.part == other.part
    apart = abs(_day_of_year(one) - _day_of_year(other))
    return min(apart, 360 - apart) <= SAME_SEASON


def _day_of_year(period: Period) -> int:
    month, _, day = (period.part or "01-01").partition("-")
    return (int(month) - 1) * 30 + int(day)


MONTHS = {"three": 3, "six": 6, "nine": 9, "twelve": 12, "3": 3, "6": 6, "9": 9, "12": 12}


def months_of(column: str) -> int:
    """How many months a column covers; 0 if its name does not say."""
    found = re.search(r"\b(three|six|nine|twelve|3|6|9|12) months\b", column, re.IGNORECASE)
    return MONTHS[found[1].lower()] if found else 0


def tables_of(passages: Sequence[Passage]) -> list[Table]:
    """Finds the tables, and joins the rows of one table that is spread over several passages."""
    found: list[_Part] = []
    for passage in sorted(passages, key=lambda p: (p.file_name, p.start)):
        for run in _runs(passage):
            part = _Part(
                [(passage, row) for row in run],
                _is_begun_before(passage, run[0]),
                passage.shortened is not None or passage.table_rows > 0,
            )
            if part.is_begun_before and found and found[-1].is_followed_by(part):
                found[-1] = _Part([*found[-1].rows, *part.rows], found[-1].is_begun_before, found[-1].is_cut)
            else:
                found.append(part)
    made = (_table(part) for part in found)
    return [table for table in made if table]


@dataclass(frozen=True, slots=True)
class _Part:
    """Rows under one header, from one passage or from consecutive passages."""

    rows: list[tuple[Passage, Statement]]
    is_begun_before: bool
    is_cut: bool

    def is_followed_by(self, other: "_Part") -> bool:
        (before, row), (behind, first) = self.rows[-1], other.rows[0]
        gap = behind.start - (before.start + row.end)
        return before.file_name == behind.file_name and 0 <= gap <= NEAR and len(_header(row)) == len(_header(first))


def _is_begun_before(passage: Passage, first: Statement) -> bool:
    """Whether the table began before this passage: its header is in the passage's heading, not in its text."""
    header = " | ".join(_header(first))
    return bool(passage.heading) and header in re.sub(r"\s*\|\s*", " | ", (passage.heading or "").replace("\n", " "))


def _runs(passage: Passage) -> Iterator[list[Statement]]:
    """Groups consecutive rows under the same header."""
    current: list[Statement] = []
    for statement in statements(passage.text, passage.heading):
        if current and not (statement.is_row and statement.above == current[0].above):
            yield current
            current = []
        if statement.is_row:
            current.append(statement)
    if current:
        yield current


def _header(row: Statement) -> tuple[str, ...]:
    return tuple(column for column, _ in row.cells if column != GROUP)


def _over(row: Statement) -> str:
    """The text above the table, without its header."""
    lines = (line.rpartition(" > ")[0] if "|" in line else line for line in row.above.splitlines())
    return "\n".join(line for line in lines if line)


def _table(part: _Part) -> Table | None:
    rows = part.rows
    header = max((_header(row) for _, row in rows), key=len)
    if len(header) < 2 or len(header) * len(rows) > LARGEST:
        return None
    read = [_row(number, passage, statement, len(header)) for number, (passage, statement) in enumerate(rows)]
    is_part = part.is_begun_before or part.is_cut
    return Table(
        header, tuple(read), _over(rows[0][1]), rows[0][0].file_name, rows[0][0].about, is_part, rows[0][0].table_rows
    )


def _row(number: int, passage: Passage, statement: Statement, width: int) -> Row:
    cells: list[Cell] = []
    place = 0
    for column, value in statement.cells:
        if column == GROUP:
            continue
        at = statement.text.find(value, place)
        place = at + len(value) if at >= 0 else place
        start = statement.start + max(at, 0)
        cells.append(Cell(value, number, len(cells), passage, start, start + len(value)))
    while len(cells) < width:
        cells.append(Cell("", number, len(cells), passage, statement.end, statement.end))
    group = next((value for column, value in statement.cells if column == GROUP), "")
    return Row(tuple(cells), group, statement)

"""Finds where a question touches a table: cells whose words it has, labels with similar words, limits it sets."""

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from masis.language.directives import NO_ORDERS, Directives
from masis.language.measures import read_numeral
from masis.language.periods import Period, period_spans, periods
from masis.language.question import Question, read_question
from masis.language.words import FUNCTION_WORDS, stem
from masis.reasoning.offline.tables.grid import A_POINT, Table, months_of
from masis.reasoning.offline.tables.values import TOKEN, folded

MOST_ANCHORS = 14
MOST_LABELS = 5
MOST_READ = 3
NUMBER_WORDS = {
    word: float(n) for n, word in enumerate("zero one two three four five six seven eight nine ten".split())
}
ABOVE = frozenset("more over above greater exceed exceeding exceeded after since larger higher later past".split())
BELOW = frozenset("less under below fewer before until smaller lower prior earlier within".split())
AT_LEAST = re.compile(r"at least|or more|or higher|or greater|or later|minimum|no less|since")
AT_MOST = re.compile(r"at most|or less|or fewer|or earlier|or lower|maximum|no more|up to")
ALIKE = {
    stem(one): stem(other)
    for one, other in [
        ("revenue", "sales"),
        ("sales", "revenue"),
        ("turnover", "revenue"),
        ("costs", "expenses"),
        ("shareholders", "stockholders"),
        ("stockholders", "shareholders"),
    ]
}
"""Pairs of names that reports use for the same thing."""
DENIES = frozenset("not never without no other than except besides t neither nor".split())


class MarkedRow(NamedTuple):
    chunk_id: str
    start: int
    mark: float


@dataclass(frozen=True)
class TableQuery:
    """A question as the table engine reads it."""

    text: str
    meant: tuple[Period, ...] = ()
    """The period that is meant if the question names none: that of the newest document."""
    orders: Directives = NO_ORDERS
    """The unit and precision that the user asked for."""
    marked: tuple["MarkedRow", ...] = ()
    """Rows that the selector considers part of the answer, surest first."""

    @property
    def reading(self) -> Question:
        return read_question(self.text)

    @cached_property
    def months(self) -> int:
        """How many months the period asked for has, if known: a quarter has three, a point in time has none."""
        if self.reading.is_at_a_point:
            return A_POINT
        if self.reading.is_for_a_whole_year:
            return 12
        return months_of(self.text) or 3 * any((p.part or "").startswith("Q") for p in self.periods)

    @cached_property
    def times_said(self) -> tuple[tuple[Period, frozenset[int]], ...]:
        """Each period named in the question, with the positions of its words."""
        found = []
        for period, (start, end) in period_spans(self.text):
            before = len(TOKEN.findall(folded(self.text[:start])))
            length = len(TOKEN.findall(folded(self.text[start:end])))
            found.append((period, frozenset(range(before, before + length))))
        return tuple(found)

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        return tuple(TOKEN.findall(folded(self.text)))

    @cached_property
    def stems(self) -> tuple[str, ...]:
        return tuple(t.replace(",", "") if t[0].isdigit() else stem(t) for t in self.tokens)

    @cached_property
    def periods(self) -> tuple[Period, ...]:
        return tuple(dict.fromkeys(periods(self.text))) or self.meant

    @cached_property
    def times(self) -> tuple[Period, ...]:
        """All years if the question names a span; otherwise the periods it names."""
        return tuple(Period(year) for year in self.reading.years_spanned) or self.periods

    @cached_property
    def content(self) -> frozenset[int]:
        """Positions of the words that carry meaning."""
        return frozenset(
            n for n, t in enumerate(self.tokens) if t not in FUNCTION_WORDS and (len(t) > 1 or t.isdigit())
        )


@dataclass(frozen=True, slots=True)
class Anchor:
    column: int
    rows: tuple[int, ...]
    places: frozenset[int]
    """Positions in the question's words."""
    exact: float
    """Share of the cells' words that the question has."""
    kind: str
    """One of: cell, label, above, below, not, read."""
    limit: float = 0.0


def anchors(asked: TableQuery, table: Table) -> list[Anchor]:
    cells = sorted(_cell_anchors(asked, table), key=lambda a: (-len(a.places & asked.content), -a.exact, a.column))
    labels = _label_anchors(asked, table)
    known = {(a.column, a.rows) for a in cells[:MOST_ANCHORS]}
    return [
        *cells[:MOST_ANCHORS],
        *(a for a in labels if (a.column, a.rows) not in known),
        *_limits(asked, table),
        *_dated(asked, table),
        *_group_anchors(asked, table),
        *_read_anchors(asked, table),
        *(_others(a, table) for a in cells[:3] if DENIES.intersection(asked.tokens) and len(a.rows) < len(table.rows)),
    ]


def _others(anchor: Anchor, table: Table) -> Anchor:
    """“Not played at …”: the rows that the words do not name."""
    rows = tuple(n for n in range(len(table.rows)) if n not in anchor.rows and not table.is_total[n])
    return Anchor(anchor.column, rows, anchor.places, anchor.exact, "not")


def _cell_anchors(asked: TableQuery, table: Table) -> list[Anchor]:
    """For each run of the question's words that occurs in a column, the rows that have it."""
    where: dict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(asked.stems):
        where[word].append(place)
    runs: dict[tuple[int, tuple[int, int]], dict[int, float]] = defaultdict(dict)
    for row in table.rows:
        for cell in row.cells:
            for first, last in _best_runs(cell.stems, asked, where):
                runs[cell.column, (first, last)][cell.row] = (last - first) / len(cell.stems)
    spans = {(column, span): frozenset(range(*span)) for column, span in runs}
    return [
        Anchor(column, _rows_with(column, span, runs), spans[column, span], _mean(rows.values()), "cell")
        for (column, span), rows in runs.items()
    ]


def _rows_with(
    column: int, span: tuple[int, int], runs: dict[tuple[int, tuple[int, int]], dict[int, float]]
) -> tuple[int, ...]:
    """Includes rows whose cell matches a longer run that contains this one."""
    inside = (
        rows
        for (other, (first, last)), rows in runs.items()
        if other == column and first <= span[0] and span[1] <= last
    )
    return tuple(sorted({row for rows in inside for row in rows}))


def _best_runs(cell: Sequence[str], asked: TableQuery, where: dict[str, list[int]]) -> list[tuple[int, int]]:
    """The longest run of words that the cell shares with the question, or up to three equally long ones."""
    best = 0
    found: list[tuple[int, int]] = []
    for at, word in enumerate(cell):
        if at and len(cell) - at < best:
            break
        for place in where.get(word, ()):
            length = 1
            while (
                at + length < len(cell)
                and place + length < len(asked.stems)
                and cell[at + length] == asked.stems[place + length]
            ):
                length += 1
            worth = sum(n in asked.content for n in range(place, place + length))
            if worth and worth >= best:
                found = [*(found if worth == best else []), (place, place + length)]
                best = worth
    return found[:3]


def _label_anchors(asked: TableQuery, table: Table) -> list[Anchor]:
    """Rows whose label or group heading shares words with the question, in any order."""
    found = []
    places_of: dict[str, int] = {asked.stems[n]: n for n in sorted(asked.content)}
    for number, row in enumerate(table.rows):
        cell = row.cells[table.label_column]
        own = [word for word in dict.fromkeys(cell.stems) if word not in FUNCTION_WORDS]
        shared = frozenset(places_of[word] for word in own if word in places_of)
        if shared and not cell.text[:1].isdigit():
            over = frozenset(places_of[w] for w in row_group_stems(row.group) if w in places_of)
            found.append(Anchor(table.label_column, (number,), shared | over, len(shared) / len(own), "label"))
    found.sort(key=lambda a: (-(len(a.places) + a.exact), a.rows))
    return found[:MOST_LABELS]


def _dated(asked: TableQuery, table: Table) -> list[Anchor]:
    """Rows for a day, month or quarter that the question writes differently: “27th of June” and “27 June”."""
    found = []
    for period, places in asked.times_said:
        rows = [n for n in range(len(table.rows)) if any(_is_within(p, period) for p in table.row_times[n])]
        if period.part and 0 < len(rows) < len(table.rows):
            found.append(Anchor(_column_of_times(table, rows[0]), tuple(rows), places, 1.0, "cell"))
    return found


def _column_of_times(table: Table, row: int) -> int:
    return next((c.column for c in table.rows[row].cells if any(p.part for p in periods(c.text))), 0)


def _is_within(own: Period, asked: Period) -> bool:
    return bool(own.part) and not own.excludes(asked) and (own.part or "").startswith(asked.part or "")


def _group_anchors(asked: TableQuery, table: Table) -> list[Anchor]:
    """All rows under a group heading such as “Cost of sales:”."""
    places_of: dict[str, int] = {asked.stems[n]: n for n in sorted(asked.content)}
    found = []
    for group in dict.fromkeys(row.group for row in table.rows if row.group):
        own = row_group_stems(group)
        shared = frozenset(places_of[word] for word in own if word in places_of)
        rows = tuple(n for n, row in enumerate(table.rows) if row.group == group and not table.is_total[n])
        if shared and len(rows) > 1:
            found.append(Anchor(table.label_column, rows, shared, len(shared) / len(own), "label"))
    return sorted(found, key=lambda a: -a.exact)[:2]


def _read_anchors(asked: TableQuery, table: Table) -> list[Anchor]:
    """Rows that the selector considers part of the answer, whether or not they share words with the question."""
    rows = {(row.cells[0].passage.chunk_id, row.statement.start): n for n, row in enumerate(table.rows)}
    meant = [(rows[chunk_id, start], mark) for chunk_id, start, mark in asked.marked if (chunk_id, start) in rows]
    return [Anchor(table.label_column, (n,), frozenset(), mark, "read") for n, mark in meant[:MOST_READ]]


def row_group_stems(group: str) -> tuple[str, ...]:
    return tuple(stem(token) for token in TOKEN.findall(folded(group)) if token not in FUNCTION_WORDS)


def limits(asked: TableQuery) -> list[tuple[int, float, bool]]:
    """“More than 40”, “before 1950”, “at least two”: the position, the figure, and whether values above it are
    meant."""
    found = []
    for place, token in enumerate(asked.tokens):
        limit = _as_number(token)
        around = asked.tokens[max(0, place - 4) : place]
        near = " ".join((*around, "|", *asked.tokens[place + 1 : place + 3]))
        is_above = bool(ABOVE.intersection(around)) or bool(AT_LEAST.search(near))
        is_below = bool(BELOW.intersection(around)) or bool(AT_MOST.search(near))
        if limit is not None and (is_above or is_below):
            # Includes the limit itself: “at least two” begins at two.
            slack = 1e-9 * max(1.0, abs(limit)) if AT_LEAST.search(near) or AT_MOST.search(near) else 0.0
            found.append((place, limit - slack if is_above else limit + slack, is_above))
    return found


def _limits(asked: TableQuery, table: Table) -> list[Anchor]:
    found = [
        _limited(table, column, limit, place, above=is_above)
        for place, limit, is_above in limits(asked)
        for column, kind in enumerate(table.kinds)
        if kind != "text"
    ]
    return [anchor for anchor in found if 0 < len(anchor.rows) < len(table.rows)]


def _limited(table: Table, column: int, limit: float, place: int, *, above: bool) -> Anchor:
    rows = []
    for cell in table.column_cells(column):
        value = cell.amount if table.kinds[column] == "amount" else cell.day
        if value is None or table.is_total[cell.row]:
            continue
        whole = value if table.kinds[column] == "amount" else float(int(value))
        if whole > limit if above else whole < limit:
            rows.append(cell.row)
    return Anchor(column, tuple(rows), frozenset({place}), 1.0, "above" if above else "below", limit)


def _as_number(token: str) -> float | None:
    if token in NUMBER_WORDS:
        return NUMBER_WORDS[token]
    return read_numeral(token)[0] if token[0].isdigit() and ":" not in token else None


def _mean(values: Collection[float]) -> float:
    return sum(values) / len(values)

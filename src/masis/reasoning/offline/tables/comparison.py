"""“Compare revenue in 2021 and 2023”, “How do A and B compare?”: puts the cells side by side in a small table.

Each cell answers a plain question of its own (“revenue in 2021?”). It is used only if its period and its row, column or
document are those asked for.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product

from masis.language.periods import Period, period_spans
from masis.language.question import ASKING
from masis.language.words import FUNCTION_WORDS, content_stems, stem
from masis.reasoning.offline.tables.anchors import ALIKE, TableQuery
from masis.reasoning.offline.tables.cell_names import besides_dates, column_of, label_of, name_of, unit_of
from masis.reasoning.offline.tables.grid import CHANGES, Cell, Table
from masis.reasoning.offline.tables.phrasing import as_grid
from masis.reasoning.offline.tables.values import TOKEN, folded, stems
from masis.reasoning.offline.tables.weighing import pool_of, probabilities, weights

COMPARES = re.compile(
    r"\b(?:compar\w+|versus|vs|against|side by side|contrast\w*|relative to|stack up|measure up)\b\.?", re.IGNORECASE
)
_OPENING = re.compile(
    r"^\W*(?:(?:how|what|which)\b\W*)?(?:(?:do|does|did|is|are|was|were|has|have)\b\W*)?", re.IGNORECASE
)
_JOINS = r"(?:and|with|to|versus|vs|against|or|than|between)"
_JOIN = re.compile(
    rf"\s*(?:,|&|\b{_JOINS}\b\.?)+\s*(?:(?:and|with|to)\s+)?(?:(?:the|that|those|of|in)\s+)*", re.IGNORECASE
)
_LOOSE = re.compile(rf"\b(?:{_JOINS}|in|for|of|both)\b(?=\W*(?:$|\b(?:{_JOINS}|in|for)\b))", re.IGNORECASE)
_YEAR_BEFORE = re.compile(
    r"\b(?:(?:the\s+)?(?:previous|prior|preceding|last)\s+year(?:['’]s)?|(?:the|a|one)\s+year\s+(?:before|earlier|ago)"
    r"|the\s+same\s+\w+\s+(?:(?:of\s+)?(?:the\s+)?(?:last|previous)\s+year|(?:a|one)\s+year\s+(?:before|earlier|ago)))",
    re.IGNORECASE,
)
LONGEST_NAME, MOST_CELLS, MOST_COLUMNS = 6, 24, 6
ENOUGH = 0.5
"""The likeliest cell must have at least this share of the probability of all candidate cells."""


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the things compared: where the question names it, and where the tables have it."""

    start: int
    end: int
    said: str
    rows: frozenset[tuple[int, int]] = frozenset()
    """Pairs of table number and row."""
    columns: frozenset[tuple[int, int]] = frozenset()
    """Pairs of table number and column."""
    documents: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Comparison:
    text: str
    """A Markdown table in which each cell has its citation."""
    cells: tuple[tuple[Table, Cell], ...]
    strength: float


def comparison(asked: TableQuery, tables: Sequence[Table]) -> Comparison | None:
    if not COMPARES.search(asked.text) or not tables:
        return None
    times = times_asked(asked, tables)
    sides = _sides(asked.text, tables)
    for chosen in [sides, []] if sides else [[]]:
        if len(chosen) < 2 and len(times) < 2:
            continue
        if made := _table_of(asked, tables, chosen, times):
            return made
    return None


def times_asked(asked: TableQuery, tables: Sequence[Table]) -> list[tuple[Period, str]]:
    """The periods asked for, oldest first, each with the question's words for it."""
    found = {period: asked.text[a:b] for period, (a, b) in period_spans(asked.text)}
    before = _YEAR_BEFORE.search(asked.text)
    if before and not found:
        own = [t.column_periods[n][0] for t in tables for n in t.own_columns(asked.months)[:1]]
        found = {replace(p, part=None) if p.is_day else p: "" for p in own[:1]}
    if before and len(found) == 1 and (year := next(iter(found)).year):
        found[replace(next(iter(found)), year=year - 1)] = before[0]
    for year in asked.reading.years_spanned if COMPARES.search(asked.text) and len(found) < 2 else ():
        found.setdefault(Period(year), "")
    return sorted(found.items(), key=lambda pair: (pair[0].year or 0, pair[0].part or ""))


def _sides(text: str, tables: Sequence[Table]) -> list[_Side]:
    """The names on both sides of “and”, “with” or “versus”, if the tables have all of them in the same way: as rows, as
    columns or as documents."""
    words = [(m.start(), m.end()) for m in TOKEN.finditer(folded(text))] if len(folded(text)) == len(text) else []
    found: list[_Side] = []
    for join in _JOIN.finditer(text):
        left = [w for w in words if w[1] <= join.start() and text[w[0] : w[1]].lower() != "s"]
        right = [w for w in words if w[0] >= join.end()]
        one = next((s for n in range(LONGEST_NAME, 0, -1) if (s := _named(text, left[-n:], tables))), None)
        two = next((s for n in range(LONGEST_NAME, 0, -1) if (s := _named(text, right[:n], tables))), None)
        found += [side for side in (one, two) if one and two and side]
    return _alike(list(dict.fromkeys(found)))


def _named(text: str, words: Sequence[tuple[int, int]], tables: Sequence[Table]) -> _Side | None:
    """The rows, columns and documents that these words name."""
    if not words:
        return None
    start, end = words[0][0], words[-1][1]
    said = text[start:end]
    own = frozenset(stem(t) for t in TOKEN.findall(folded(said)) if t not in FUNCTION_WORDS and t != "s")
    if not own or period_spans(said) or not set(stems(said)[:1]) & own or stems(said)[-1] not in own | {"s"}:
        return None
    rows, columns = set[tuple[int, int]](), set[tuple[int, int]]()
    for number, table in enumerate(tables):
        labels = [frozenset(row.cells[table.label_column].stems) for row in table.rows]
        # “Deck” means the row “Deck” rather than “Deck machinery”.
        best = [n for n, label in enumerate(labels) if own <= label and not label - own - FUNCTION_WORDS]
        near = [n for n, label in enumerate(labels) if own <= label]
        rows |= {(number, n) for n in (best or (near if len(near) == 1 else []))}
        columns |= {(number, n) for n, column in enumerate(table.column_stems) if own <= set(column)}
    capital = said[:1].isupper()
    documents = frozenset(t.file_name for t in tables if capital and own <= t.document_stems)
    side = _Side(start, end, said, frozenset(rows), frozenset(columns), documents)
    return side if rows or columns or documents else None


def _alike(sides: Sequence[_Side]) -> list[_Side]:
    """Only the sides that tables have in the same way and that do not overlap."""
    for kind in ("rows", "columns", "documents"):
        has = [side for side in sides if getattr(side, kind)]
        apart = all(not getattr(a, kind) & getattr(b, kind) for a, b in pairwise(has))
        if len(has) > 1 and apart and _in_one_table(has, kind):
            none: frozenset[tuple[int, int]] = frozenset()
            return [
                replace(
                    side,
                    rows=side.rows if kind == "rows" else none,
                    columns=side.columns if kind == "columns" else none,
                    documents=side.documents if kind == "documents" else frozenset(),
                )
                for side in has
            ]
    return []


def _in_one_table(sides: Sequence[_Side], kind: str) -> bool:
    if kind == "documents":
        return True
    tables = [{number for number, _ in getattr(side, kind)} for side in sides]
    return bool(set.intersection(*tables))


def _table_of(
    asked: TableQuery, tables: Sequence[Table], sides: Sequence[_Side], times: Sequence[tuple[Period, str]]
) -> Comparison | None:
    names: list[_Side | None] = [*sides] or [None]
    whens: list[Period | None] = [period for period, _ in times] or [None]
    if len(names) * len(whens) > MOST_CELLS:
        return None
    measure = measure_asked(asked.text, sides, times)
    if not set(content_stems(measure)):
        return _whole_rows(sides, tables, [period for period, _ in times], asked.months)
    found: list[tuple[Table, Cell]] = []
    strengths: list[float] = []
    for side, when in product(names, whens):
        said = next((words for period, words in times if period == when), "")
        beside = _beside(found, side, when, tables, asked.months)
        best = beside or _best_cell(
            TableQuery(_plain(measure, side, when, said), asked.meant), measure, side, when, tables
        )
        if best is None:
            return None
        found.append(best[:2])
        strengths.append(best[2])
    if len({id(c) for _, c in found}) < len(found) or not _of_one_measure(found, sides, len(whens)):
        return None
    return Comparison(_written(found, sides, whens), tuple(found), min(strengths))


Found = tuple[Table, Cell, float]
"""Table, cell and how sure it is."""


def _beside(
    found: Sequence[tuple[Table, Cell]], side: _Side | None, when: Period | None, tables: Sequence[Table], months: int
) -> Found | None:
    """Looks next to a cell already found: in its row for another period, or in its column for another side."""
    for table, known in found:
        number = next(n for n, each in enumerate(tables) if each is table)
        rows = {row for at, row in side.rows if at == number} if side and side.rows else {known.row}
        columns = [n for n, kind in enumerate(table.kinds) if kind == "amount"]
        columns = [n for n in columns if not side or not side.columns or (number, n) in side.columns]
        cells = [table.cell(row, n) for row in rows for n in columns]
        base = name_base(table, known)
        same = [
            c
            for c in cells
            if c.text
            and c.amount is not None
            and _is_asked(table, c, side, when, tables, months)
            and (when is not None or c.column == known.column or (side and side.columns))
            and (name_base(table, c) == base or (side and side.columns))
        ]
        if len(same) == 1:
            return table, same[0], 1.0
    return None


def name_base(table: Table, cell: Cell) -> str:
    """The column's name without its period."""
    return besides_dates(column_of(table, cell.column)).lower()


def _best_cell(
    plain: TableQuery, measure: str, side: _Side | None, when: Period | None, tables: Sequence[Table]
) -> Found | None:
    """The likeliest answer to the plain question among the candidate cells, if it has most of their probability."""
    pool = pool_of(plain, tables)
    if pool is None:
        return None
    mass: dict[int, float] = defaultdict(float)
    cells: dict[int, tuple[Table, Cell]] = {}
    for trial, share in zip(pool.trials, probabilities(plain, pool, weights()), strict=False):
        told = [c for c in trial.cells if c.amount is not None]
        if trial.form != "cell" or len(trial.cells) != 1 or not told:
            continue
        if _is_asked(trial.table, told[0], side, when, tables, plain.months) and _has(trial.table, told[0], measure):
            mass[id(told[0])] += float(share)
            cells[id(told[0])] = (trial.table, told[0])
    totals = [one for one, found in cells.items() if _is_total_of(*found, measure)]
    if totals and len({label_of(*_row(each)) for each in cells.values()}) > 1:
        # “Revenue” is listed for passengers, freight and charter and in total: the total is meant.
        mass = {one: mass[one] for one in totals}
    if when is None and cells:
        newest = max(_newest(*each) for each in cells.values())
        mass = {one: share for one, share in mass.items() if _newest(*cells[one]) == newest}
    best = max(mass, key=lambda one: mass[one], default=None)
    if best is None or mass[best] < ENOUGH * sum(mass.values()):
        return None
    return *cells[best], mass[best] / sum(mass.values())


def _is_total_of(table: Table, cell: Cell, measure: str) -> bool:
    """The row's own name, not what stands above the table, says what it is the total of."""
    own = set(stems(f"{label_of(table, cell.row)} {table.columns[cell.column]} {table.rows[cell.row].group}"))
    wanted = {w for w in content_stems(measure) if w not in ASKING}
    return table.is_total[cell.row] and all(w in own or ALIKE.get(w) in own for w in wanted)


def _row(found: tuple[Table, Cell]) -> tuple[Table, int]:
    return found[0], found[1].row


def _has(table: Table, cell: Cell, measure: str) -> bool:
    """Whether all words of the measure occur with the cell."""
    over = f"{table.columns[cell.column]} {table.rows[cell.row].group} {label_of(table, cell.row)} {table.above}"
    here = {*stems(over), *table.document_stems}
    wanted = {w for w in content_stems(measure) if w not in ASKING}
    return all(w in here or ALIKE.get(w) in here for w in wanted)


def _is_asked(
    table: Table, cell: Cell, side: _Side | None, when: Period | None, tables: Sequence[Table], months: int
) -> bool:
    """Whether the cell is a figure for this side and this period."""
    number = next(n for n, each in enumerate(tables) if each is table)
    if table.kinds[cell.column] != "amount" or CHANGES.search(table.columns[cell.column]):
        return False
    places = ((number, cell.row), (number, cell.column), table.file_name)
    if side and not (places[0] in side.rows or places[1] in side.columns or places[2] in side.documents):
        return False
    return when is None or is_of(table, cell, when, months)


def measure_asked(text: str, sides: Sequence[_Side], times: Sequence[tuple[Period, str]]) -> str:
    """The question without the things and periods it compares."""
    spans = [(s.start, s.end) for s in sides] + [span for _, span in period_spans(text)]
    spans += [m.span() for m in _YEAR_BEFORE.finditer(text)] if times else []
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]} {text[end:]}"
    text = re.sub(r"(?<!\w)['’]s?(?!\w)", " ", COMPARES.sub(" ", text))
    text = _OPENING.sub("", text)
    for _ in range(3):
        text = re.sub(rf"^\W*(?:{_JOINS}|the|in|for|of)\b|[?.!:,]", " ", _LOOSE.sub(" ", text), flags=re.IGNORECASE)
    return " ".join(text.split())


def _plain(measure: str, side: _Side | None, when: Period | None, said: str) -> str:
    time = said if said and not _YEAR_BEFORE.fullmatch(said) else _in_words(when)
    subject = f" of {side.said}" if side and (side.rows or side.columns) else ""
    return f"What was the {measure}{subject}{f' in {time}' if time else ''}?"


def _in_words(when: Period | None) -> str:
    return " ".join(part for part in (when.part, str(when.year or "")) if part) if when else ""


def _newest(table: Table, cell: Cell) -> tuple[int, str]:
    return max(((p.year or 0, p.part or "") for p in _times_of(table, cell)), default=(0, ""))


def _times_of(table: Table, cell: Cell, months: int = 0) -> tuple[Period, ...]:
    places = (table.column_times(months)[cell.column], table.row_times[cell.row], table.row_periods[cell.row])
    return next((place for place in places if any(p.year for p in place)), table.document_times)


def is_of(table: Table, cell: Cell, when: Period, months: int) -> bool:
    return any(p.year == when.year and not p.excludes(when) for p in _times_of(table, cell, months))


def _of_one_measure(found: Sequence[tuple[Table, Cell]], sides: Sequence[_Side], times: int) -> bool:
    """Whether all cells show one measure: the same row along each line and the same column down each column."""
    lines = [found[n : n + times] for n in range(0, len(found), times)]
    for line in lines:
        if len({name_of(table, cell).lower() for table, cell in line}) > 1:
            return False
    if sides and sides[0].rows:
        return all(len({column_of(line[n][0], line[n][1].column).lower() for line in lines}) == 1 for n in range(times))
    if sides and sides[0].columns:
        return all(len({label_of(line[n][0], line[n][1].row).lower() for line in lines}) == 1 for n in range(times))
    named = [set(stems(label_of(line[0][0], line[0][1].row))) for line in lines]
    return bool(set.intersection(*named)) if sides else True


def _whole_rows(
    sides: Sequence[_Side], tables: Sequence[Table], times: Sequence[Period], months: int
) -> Comparison | None:
    """“How do Sales and Finance compare?”: all figures of one beside those of the other, or only those for the periods
    asked for."""
    shared = [n for n in range(len(tables)) if sides and all(any(t == n for t, _ in s.rows) for s in sides)]
    for table, number in ((tables[n], n) for n in shared[:1]):
        rows = [next(row for at, row in sorted(side.rows) if at == number) for side in sides]
        columns = [n for n, kind in enumerate(table.kinds) if kind == "amount"]
        columns = [n for n in columns if all(table.cell(row, n).text for row in rows)]
        by_time = _by_time(table, columns, times, months)
        columns = [n for found in by_time for n in found][:MOST_COLUMNS]
        lines = [(label_of(table, row), [(table, table.cell(row, n)) for n in columns]) for row in rows]
        cells = tuple(cell for _, line in lines for cell in line)
        changes = len(times) == 2 and all(len(found) == 1 for found in by_time)
        if all(by_time) and 0 < len(cells) <= MOST_CELLS:
            return Comparison(as_grid([column_of(table, n) for n in columns], lines, changes=changes), cells, ENOUGH)
    return None


def _by_time(table: Table, columns: Sequence[int], times: Sequence[Period], months: int) -> list[list[int]]:
    """The columns of each period asked for, in order; all columns if none is."""
    if not times:
        return [list(columns)]
    figures = [n for n in columns if not CHANGES.search(table.columns[n])]
    return [[n for n in figures if is_of(table, table.cell(0, n), when, months)] for when in times]


def _written(found: Sequence[tuple[Table, Cell]], sides: Sequence[_Side], whens: Sequence[Period | None]) -> str:
    width = len(whens)
    lines = [found[n : n + width] for n in range(0, len(found), width)]
    is_timed = width > 1
    table, first = found[0]
    heads = [_time_of(*cell) for cell in lines[0]] if is_timed else [_head(sides, table, first)]
    if sides:
        labels = [_called(side, line[0]) for side, line in zip(sides, lines, strict=True)]
    else:
        labels = [name_of(table, first)]
    rows = list(zip(labels, lines, strict=True))
    of_same = is_timed and len({unit_of(*cell) for line in lines for cell in line}) == 1
    title = name_of(table, first) if sides and is_timed and not sides[0].rows else ""
    return as_grid(heads, rows, changes=of_same and width == 2, corner=title, gap=not is_timed and len(lines) == 2)


def _head(sides: Sequence[_Side], table: Table, cell: Cell) -> str:
    if sides[0].rows:
        return column_of(table, cell.column)
    named = label_of(table, cell.row)
    time = _time_of(table, cell) if sides[0].documents else ""
    return f"{named}, {time}" if time else named


def _time_of(table: Table, cell: Cell) -> str:
    for text in (table.columns[cell.column], table.cell(cell.row, 0).text, table.rows[cell.row].group):
        if period_spans(text):
            return column_of(table, cell.column) if text == table.columns[cell.column] else text
    return _in_words(next(iter(table.document_times), None))


def _called(side: _Side, found: tuple[Table, Cell]) -> str:
    table, cell = found
    if side.rows:
        return label_of(table, cell.row)
    return column_of(table, cell.column) if side.columns else f"{side.said} ({label_of(table, cell.row)})"
